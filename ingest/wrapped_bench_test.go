package ingest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fixtures"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// BenchmarkWrapped reads one log bare and in each wrapper, in bytes of what
// is read: cut finds where it may be cut into blocks, read does the rest.
func BenchmarkWrapped(b *testing.B) {
	lines := strings.Split(strings.TrimSpace(string(fixtures.Read(b, "formats/envoy-json/envoy_json.jsonl.zst"))), "\n")
	run := func(name string, log []byte) {
		format := formats.ByName(name)
		b.Run(name+"/read", func(b *testing.B) {
			rd := NewReader(fingerprint.AllFields)
			b.SetBytes(int64(len(log)))
			b.ReportAllocs()
			for b.Loop() {
				rd.Read(&Block{Format: format, Data: log, Line: 1}, func(*fingerprint.Request) {}, nil)
			}
		})
		cut := wrap.NewCutter(format.Wrappers)
		if cut == nil {
			return
		}
		b.Run(name+"/cut", func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			for b.Loop() {
				for line := range bytes.Lines(log) {
					cut(line)
				}
			}
		})
	}
	run("envoy-json", []byte(strings.Join(lines, "\n")))
	done := map[string]bool{}
	for _, c := range collectors {
		if name := c.name + "+envoy-json"; !done[name] {
			done[name] = true
			run(name, []byte(strings.Join(c.wrap(lines), "\n")))
		}
	}
}
