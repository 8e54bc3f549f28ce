package otlp

import (
	"testing"

	"github.com/loopgauge/loopgauge/ingest/otlp/otlptest"
)

// BenchmarkAppendJSON takes the batches of the fixtures.
func BenchmarkAppendJSON(b *testing.B) {
	var batches [][]byte
	size := 0
	for _, lines := range otlptest.Logs(b) {
		for _, line := range lines {
			data := otlptest.FromJSON(b, line)
			batches = append(batches, data)
			size += len(data)
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		for _, data := range batches {
			var why string
			if out, _, why = AppendJSON(out[:0], data, 0); why != "" {
				b.Fatal(why)
			}
		}
	}
}
