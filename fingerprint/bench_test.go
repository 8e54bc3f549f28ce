package fingerprint

import "testing"

// BenchmarkCompute computes each built-in identity of the requests of real
// agents.
func BenchmarkCompute(b *testing.B) {
	requests := realRequests(b)
	for _, k := range Kinds {
		id, err := k.Make(Options{})
		must(b, err)
		b.Run(id.Name, func(b *testing.B) {
			w := NewWriter(nil)
			for b.Loop() {
				for _, r := range requests {
					w.Reset()
					id.Compute(r, w)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(requests)), "ns/request")
		})
	}
}
