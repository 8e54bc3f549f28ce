//go:build unix

package replay

import (
	"bytes"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// BenchmarkParser makes events of the requests of real agents, as a watch does:
// in blocks that are not all of one length.
func BenchmarkParser(b *testing.B) {
	file, err := os.Open("../fixtures/tau2/agents.jsonl.zst")
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	z, err := zstd.NewReader(file)
	if err != nil {
		b.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		b.Fatal(err)
	}
	parse := NewParser(window.NewPlan(p.Rules, p.Exclude).WithEvidence(), window.ExtractOptions{}, window.NewSpare())
	requests := 0
	b.ReportAllocs()
	before := spent(b)
	for b.Loop() {
		for from, n := 0, 1; from < len(lines); from, n = from+n, n*3%64 {
			n = min(n, len(lines)-from)
			block := ingest.NewBlock()
			block.Format = formats.ByName("litellm")
			for _, line := range lines[from : from+n] {
				block.Data = append(block.Data, line...)
			}
			batch := parse(block)
			requests += len(batch.Events)
			batch.Release()
			block.Release()
		}
	}
	// By the time of the processor, which other programs on the machine do not
	// take away.
	b.ReportMetric(float64(spent(b)-before)/float64(requests), "cpu-ns/request")
}

// spent is the time that the process has had of the processors.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
