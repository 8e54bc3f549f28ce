package live

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// script is a feed of streams that say one thing after the other, then that
// they are at their end.
type script struct {
	steps [][]step
	marks []ingest.Mark // where streams go on; none is at their beginning
}

// step is what a stream says after a time: a request of some second, that it
// is at its end, or that it cannot be looked at.
type step struct {
	after  time.Duration
	second int // 0 is none
	then   int // a second request in the same block; 0 is none
	away   bool
}

func (f *script) open(_ context.Context, marks []ingest.Mark) (ingest.Feed, error) {
	f.marks = marks
	return f, nil
}

func (f *script) Accept(ctx context.Context) ([]ingest.Live, error) {
	if f.steps == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var streams []ingest.Live
	for i, steps := range f.steps {
		mark := ingest.Mark{Stream: int32(i), Name: fmt.Sprintf("topic/%d", i)}
		if at := slices.IndexFunc(f.marks, func(m ingest.Mark) bool { return m.Stream == mark.Stream }); at >= 0 {
			mark = f.marks[at]
		}
		streams = append(streams, &scripted{mark, steps})
	}
	f.steps = nil
	return streams, nil
}

func (f *script) Commit(context.Context, []ingest.Mark) error { return nil }
func (f *script) Close() error                                { return nil }

type scripted struct {
	mark  ingest.Mark
	steps []step
}

func (s *scripted) Name() string      { return s.mark.Name }
func (s *scripted) Mark() ingest.Mark { return s.mark }

func (s *scripted) Next(ctx context.Context) (ingest.Chunk, error) {
	now := step{after: 500 * time.Millisecond}
	if len(s.steps) > 0 {
		now, s.steps = s.steps[0], s.steps[1:]
	}
	select {
	case <-ctx.Done():
		return ingest.Chunk{}, ctx.Err()
	case <-time.After(now.after):
	}
	if now.second == 0 {
		return ingest.Chunk{Mark: s.mark, AtEnd: !now.away}, nil
	}
	b := &ingest.Block{Stream: s.mark.Stream, Format: formats.ByName("loopgauge")}
	b.Data = fmt.Appendf(b.Data, `{"time":%d,"id":"%d/%d","session":"s"}`, 1_800_000_000+now.second, s.mark.Stream, now.second)
	b.Records = []ingest.Record{{Offset: s.mark.Offset, End: len(b.Data)}}
	s.mark.Offset++
	if now.then != 0 {
		b.Data = fmt.Appendf(b.Data, `{"time":%d,"id":"%d/%d","session":"s"}`, 1_800_000_000+now.then, s.mark.Stream, now.then)
		b.Records = append(b.Records, ingest.Record{Offset: s.mark.Offset, End: len(b.Data)})
		s.mark.Offset++
	}
	return ingest.Chunk{Block: b, Mark: s.mark, AtEnd: true}, nil
}

// TestIdle: a stream that is at its end for long holds the others back no
// longer, and what it brings then may be late. One that could not be looked at
// for as long holds them back: whatever it has is still to come.
func TestIdle(t *testing.T) {
	const idle = 10 * time.Second
	g := func(name string, busy, quiet []step, late int64) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				feed := &script{steps: [][]step{busy, slices.Concat([]step{{second: 100}}, quiet, []step{{second: 150}})}}
				a := runFor(t, filepath.Join(dir, "state"), 5*time.Minute, "loopgauge", Options{Feed: feed.open, Idle: idle}).Account
				if a.Late != late || a.Judged != a.Lines-late || a.Lines < 4 {
					t.Errorf("%v", a)
				}
			})
		})
	}
	f := func(name string, quiet []step, late int64) {
		t.Helper()
		g(name, []step{{second: 100}, {second: 200}, {second: 300}, {second: 400}}, quiet, late)
	}
	end := func(n int) []step { return slices.Repeat([]step{{after: 500 * time.Millisecond}}, n) }
	away := func(n int) []step { return slices.Repeat([]step{{after: time.Second, away: true}}, n) }
	f("short", end(18), 0)
	f("long", end(22), 1)
	f("away", away(30), 0)
	f("away after its end", slices.Concat(end(4), away(30)), 0)
	f("away, then at its end", slices.Concat(end(4), away(30), end(18)), 0)
	f("away, then at its end for long", slices.Concat(end(4), away(30), end(22)), 1)
	f("a reader that was stopped", []step{{after: 500 * time.Millisecond}, {after: 25 * time.Second}}, 0)
	f("an answer that does not come", []step{{after: 25 * time.Second, away: true}}, 0)
	// All are silent, and it comes later, and first.
	after := []step{{second: 100}, {after: 20 * time.Second, second: 400}}
	g("away after a long silence", after, slices.Concat(end(30), away(30)), 0)
	g("a long silence", after, end(90), 1)
	g("silent, then silent again", []step{{second: 100}, {after: time.Minute, second: 400}}, end(30), 0)
}

// TestIdleRestart: what was silent when watch ended may have had much to say
// since, and holds the others back until it was looked at.
func TestIdleRestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		quiet := []step{{second: 100}}
		run := func(steps ...[]step) Now {
			return runFor(t, dir, time.Minute, "loopgauge", Options{Feed: (&script{steps: steps}).open, Idle: 10 * time.Second})
		}
		n := run(quiet, quiet)
		if !n.Lanes[0].Idle || !n.Lanes[1].Idle {
			t.Fatalf("%+v", n.Lanes)
		}
		n = run([]step{{second: 400}}, []step{{after: 15 * time.Second, second: 150}})
		if a := n.Account; a.Late != 0 || a.Judged != 4 {
			t.Errorf("%v", a)
		}
	})
}

// TestLateAfterRestart: a stream that goes on is as far as it was, whatever comes
// first.
func TestLateAfterRestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		run := func(steps ...step) replay.Account {
			return runFor(t, dir, 5*time.Second, "loopgauge", Options{Feed: (&script{steps: [][]step{steps}}).open, Idle: time.Hour}).Account
		}
		run(step{second: 100}, step{second: 400})
		if a := run(step{second: 150}, step{second: 395}); a.Late != 1 || a.Lines != 4 {
			t.Errorf("%v", a)
		}
	})
}

// TestGone: a stream that is not there any more when watch goes on holds
// nothing back, however lively it was.
func TestGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		run := func(length time.Duration, steps ...[]step) Now {
			return runFor(t, dir, length, "loopgauge", Options{Feed: (&script{steps: steps}).open, Idle: time.Hour})
		}
		if n := run(5*time.Second, []step{{second: 100}}, []step{{second: 100}}); n.Lanes[1].Idle {
			t.Fatalf("%+v", n.Lanes)
		}
		n := run(5*time.Second, []step{{second: 400}, {second: 500}})
		if n.Account.Judged != 3 || n.Account.Late != 0 {
			t.Errorf("%v", n.Account)
		}
	})
}

// TestFirstOfTheFuture: a clock that ran ahead in a stream's first line makes
// nothing behind it late.
func TestFirstOfTheFuture(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		feed := &script{steps: [][]step{{{second: 10_000_000, then: 100}, {second: 200}, {second: 300}}}}
		if a := runFor(t, dir, time.Minute, "loopgauge", Options{Feed: feed.open}).Account; a.Late != 0 || a.Lines != 4 {
			t.Errorf("%v", a)
		}
	})
}

// TestTurns: streams of which nothing holds the others back are read in turn.
func TestTurns(t *testing.T) {
	w := &watch{Judging: &Judging{Pipeline: replay.NewPipeline(replay.PipelineOptions{Plan: &window.Plan{}})}}
	for i := range 3 {
		l := &lane{index: int32(i), items: make(chan item, 2)}
		l.items <- item{}
		l.items <- item{}
		w.lanes = append(w.lanes, l)
	}
	var got []int32
	for l := w.pick(); l != nil; l = w.pick() {
		<-l.items
		got = append(got, l.index)
	}
	if want := []int32{0, 1, 2, 0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("read %d, want %d", got, want)
	}
}

// TestRoom: what runs ahead is read as long as there is room for what waits, and
// what holds it back always.
func TestRoom(t *testing.T) {
	w := &watch{Judging: &Judging{Pipeline: replay.NewPipeline(replay.PipelineOptions{Plan: &window.Plan{}})}}
	for i := range int32(2) {
		w.lanes = append(w.lanes, &lane{index: i, items: make(chan item, 1)})
		w.Pipeline.Order.Open(i, 0)
	}
	behind, ahead := w.lanes[0], w.lanes[1]
	ahead.items <- item{}
	ev := &window.Event{Time: time.Hour.Microseconds(), Position: fingerprint.Position{Stream: ahead.index}}
	for w.Pipeline.Order.Waiting() < maxWaiting-1 {
		w.Pipeline.Order.Push(ev)
	}
	if w.pick() != ahead {
		t.Error("there is room for one more")
	}
	w.Pipeline.Order.Push(ev)
	if l := w.pick(); l != nil {
		t.Errorf("there is no room, and yet stream %d is read", l.index)
	}
	behind.items <- item{}
	if w.pick() != behind {
		t.Error("what all wait for is not read")
	}
}

// TestIdleWithMore: a stream of which something waits to be judged is not idle.
func TestIdleWithMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lane{stream: &scripted{}, items: make(chan item, 1)}
		w := &watch{
			o: Options{Idle: 10 * time.Second}, log: slog.New(slog.DiscardHandler), lanes: []*lane{l},
			Judging: &Judging{Pipeline: replay.NewPipeline(replay.PipelineOptions{Plan: &window.Plan{}})},
		}
		w.Pipeline.Order.Open(0, 0)
		for range 12 {
			l.silence.Look(time.Now(), &ingest.Chunk{AtEnd: true})
			time.Sleep(time.Second)
		}
		l.items <- item{}
		if w.silence(); l.idle {
			t.Error("what it has said was not looked at")
		}
		<-l.items
		if w.silence(); !l.idle {
			t.Error("it has been silent for long")
		}
	})
}
