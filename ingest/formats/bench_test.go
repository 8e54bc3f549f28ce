package formats

import (
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// BenchmarkParse reads each fixture with the cheap fields only, and with all.
func BenchmarkParse(b *testing.B) {
	for _, f := range All {
		for name, lines := range fixtures(b)[f.Name] {
			for _, what := range []struct {
				name  string
				reads fingerprint.Field
			}{{"cheap", 0}, {"all", fingerprint.AllFields}} {
				b.Run(f.Name+"/"+name+"/"+what.name, func(b *testing.B) {
					var all [][]byte
					size := 0
					for _, line := range lines {
						for _, record := range records(line) {
							all = append(all, record)
							size += len(record)
						}
					}
					p := f.New(what.reads)
					var r fingerprint.Request
					b.SetBytes(int64(size))
					b.ReportAllocs()
					for b.Loop() {
						for _, record := range all {
							each(p, record, &r, func(int, string) {})
						}
					}
				})
			}
		}
	}
}
