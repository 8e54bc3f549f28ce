package replay

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestEventsStay: an event is what it was for as long as somebody may look at
// it, and its memory is used again after that.
func TestEventsStay(t *testing.T) {
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		t.Fatal(err)
	}
	plan := window.NewPlan(p.Rules, nil)
	reused := false
	rapid.Check(t, func(t *rapid.T) {
		spare := window.NewSpare()
		parse := NewParser(plan, window.ExtractOptions{}, spare)
		seen := map[*window.Slabs]bool{}
		hold := rapid.IntRange(0, 8).Draw(t, "hold")
		type shown struct {
			ev  *window.Event
			was string
		}
		var last []shown
		tell := func(ev *window.Event) string { return fmt.Sprintf("%+v", *ev) }
		pipe := NewPipeline(PipelineOptions{
			Plan: plan, Lateness: 10 * time.Second, Duplicates: time.Minute, Since: fingerprint.NoTime, Until: fingerprint.NoTime, Hold: hold,
			Event: func(ev *window.Event) error {
				last = append(last, shown{ev: ev, was: tell(ev)})
				last = last[max(0, len(last)-1-hold):]
				for _, s := range last {
					if is := tell(s.ev); is != s.was {
						t.Fatalf("%s\nwas %s", is, s.was)
					}
				}
				return nil
			},
		})
		const streams = 2
		for i := range int32(streams) {
			pipe.Order.Open(i, fingerprint.NoTime)
		}
		line := int64(0)
		for range rapid.IntRange(10, 60).Draw(t, "blocks") {
			block := ingest.NewBlock()
			block.Format, block.Stream, block.Line = formats.ByName("loopgauge"), int32(rapid.IntRange(0, streams-1).Draw(t, "stream")), line
			for range rapid.IntRange(0, 5).Draw(t, "lines") {
				line++
				// One clock is broken now and then.
				second := line + rapid.SampledFrom([]int64{0, 0, 0, -3, -20, 100_000}).Draw(t, "off")
				block.Data = fmt.Appendf(block.Data, `{"time":%d,"id":"r%d","session":"s%d","messages":[{"role":"user","content":"%d"}]}`+"\n",
					1_700_000_000+second, line-int64(rapid.IntRange(0, 1).Draw(t, "again")), line%3, line)
			}
			b := parse(block)
			block.Release()
			reused = reused || seen[b.Slabs]
			seen[b.Slabs] = true
			pipe.Take(b)
			if err := pipe.Release(); err != nil {
				t.Fatal(err)
			}
		}
		for i := range int32(streams) {
			pipe.Order.Close(i)
		}
		if err := pipe.Release(); err != nil {
			t.Fatal(err)
		}
	})
	if !reused {
		t.Error("nothing was used again")
	}
}

// TestLentLetsGo: what was taken back is kept by spare alone, and what holds no
// event at once, though none ever comes out of the order.
func TestLentLetsGo(t *testing.T) {
	l := lent{}
	for i := range int64(100) {
		l.add(&window.Slabs{}, i, 0)
	}
	l.released(100, 1)
	if left := slices.DeleteFunc(l.out[:cap(l.out)], func(b *lentBatch) bool { return b == nil }); len(left) > 0 {
		t.Errorf("%d of 100 batches are kept", len(left))
	}

	l = lent{hold: 8}
	for i := range int64(100) {
		l.add(&window.Slabs{}, i, 5)
		l.released(i+1, 5)
	}
	if len(l.out) > 0 {
		t.Errorf("%d of 100 batches are kept of which nothing was shown", len(l.out))
	}

	pipe := NewPipeline(PipelineOptions{Plan: window.NewPlan(nil, nil), Since: fingerprint.NoTime, Until: fingerprint.NoTime})
	pipe.Order.Open(0, fingerprint.NoTime)
	for range 100 {
		pipe.Take(&Batch{Slabs: &window.Slabs{}})
		if err := pipe.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(pipe.lent.waiting); n > 0 {
		t.Errorf("%d of 100 batches without a request are kept", n)
	}
}
