package replay

import (
	"slices"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestWhyLate: a request that is late says whether more lateness would have
// saved it.
func TestWhyLate(t *testing.T) {
	var whys []string
	pipe := NewPipeline(PipelineOptions{
		Plan: &window.Plan{}, Lateness: policy.DefaultLateness, Since: fingerprint.NoTime, Until: fingerprint.NoTime,
		Skip: func(s ingest.Skip) { whys = append(whys, s.Why) },
	})
	pipe.Order.Open(0, fingerprint.NoTime)
	pipe.Order.Open(1, fingerprint.NoTime)
	take := func(stream int32, seconds ...int64) {
		t.Helper()
		b := &Batch{Slabs: &window.Slabs{}}
		for i, s := range seconds {
			b.Events = append(b.Events, window.Event{Time: s * 1e6, Position: fingerprint.Position{Stream: stream, Line: s, Offset: int64(i)}})
			b.Tally.Lines++
		}
		pipe.Take(b)
		if err := pipe.Release(); err != nil {
			t.Fatal(err)
		}
	}
	pipe.Order.Idle(1)
	take(0, 1000, 1100, 1050) // the last is further behind than the lateness
	take(1, 500)              // and here all up to 1090 have been judged
	take(1, 1200)
	if want := []string{tooLate, overtaken}; !slices.Equal(whys, want) {
		t.Errorf("%q, want %q", whys, want)
	}
	if pipe.Account.Late != 2 {
		t.Errorf("%d late", pipe.Account.Late)
	}
}

// TestResponseSpentOnce: sinks hear of what a response has used once, with the first
// of its calls that is no duplicate.
func TestResponseSpentOnce(t *testing.T) {
	var used []int64
	pipe := NewPipeline(PipelineOptions{
		Plan: &window.Plan{}, Duplicates: window.DefaultDuplicates, Since: fingerprint.NoTime, Until: fingerprint.NoTime,
		Event: func(ev *window.Event) error {
			used = append(used, ev.TokensIn)
			return nil
		},
	})
	for i, id := range []string{"a", "a", "b", "c"} {
		pipe.judge(&window.Event{Time: int64(i), ID: id, Response: 7 + uint64(i/3), TokensIn: 100})
	}
	if want := []int64{100, 0, 100}; !slices.Equal(used, want) {
		t.Errorf("%v tokens, want %v", used, want)
	}
}
