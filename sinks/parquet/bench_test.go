//go:build unix

package parquet

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// BenchmarkEvents writes what a log of agents makes: sessions that run side by
// side, each request with its own id, tokens and cost, and an identity that
// repeats now and then beside one that does not.
func BenchmarkEvents(b *testing.B) {
	p := plan(b)
	x := p.NewExtractor(window.ExtractOptions{})
	events := make([]window.Event, 1<<15)
	random := rand.New(rand.NewPCG(1, 2))
	var r fingerprint.Request
	at, offset := midnight, int64(0)
	for i := range events {
		at, offset = at+random.Int64N(275_000), offset+10_000+random.Int64N(27_000)
		r.Reset()
		r.Position = fingerprint.Position{Line: int64(i + 1), Offset: offset}
		r.Time, r.End = at, at+random.Int64N(3_000_000)
		r.ID = fmt.Appendf(nil, "chatcmpl-%016x%08x", random.Uint64(), random.Uint32())
		r.Method, r.Path, r.Caller = []byte("POST"), fmt.Appendf(nil, "/v1/%d", i/3), []byte("sk-1")
		r.Session, r.Model, r.Backend = fmt.Appendf(nil, "session-%d", i/400*20+random.IntN(20)), []byte("gpt-4.1"), []byte("openai")
		r.Status, r.TokensIn, r.TokensOut = 200, 4000+random.Int64N(9000), random.Int64N(400)
		r.Cost = float64(r.TokensIn)*2e-6 + float64(r.TokensOut)*8e-6
		x.Event(&r, &events[i])
		events[i].Time = r.Time
	}
	const rounds = 32 // two million rows: what a dataset costs once is little of that
	dir := filepath.Join(b.TempDir(), "out")
	rows, used := 0, time.Duration(0)
	b.ReportAllocs()
	for b.Loop() {
		before := spent()
		d := create(b, dir, p)
		for range rounds {
			for i := range events {
				if err := d.AddEvent(&events[i]); err != nil {
					b.Fatal(err)
				}
			}
		}
		rows = rounds * len(events) * 2
		if err := d.Close(Run{}); err != nil {
			b.Fatal(err)
		}
		used += spent() - before
		b.StopTimer()
		info, err := os.Stat(filepath.Join(dir, "events", date(events[0].Time), "events.parquet"))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/float64(rows), "B/row")
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	// By the time of the processor, which other programs on the machine do not
	// take away.
	b.ReportMetric(float64(rows)*float64(b.N)/used.Seconds(), "rows/cpu-s")
}

// spent is the time that the process has had of the processors.
func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
