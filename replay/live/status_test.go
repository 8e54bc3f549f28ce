package live

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// ending is a stream of one chunk that is over then.
type ending struct {
	partition
	chunk ingest.Chunk
	read  bool
}

func (e *ending) Next(context.Context) (ingest.Chunk, error) {
	if e.read {
		return ingest.Chunk{}, io.EOF
	}
	e.read = true
	return e.chunk, nil
}

// together is a feed and a stream beside it.
type together struct {
	*feed
	more *ending
}

func (f together) Accept(ctx context.Context) ([]ingest.Live, error) {
	streams, err := f.feed.Accept(ctx)
	if err == nil && f.more != nil {
		streams = append(streams, f.more)
	}
	return streams, err
}

// TestStatus: what a run tells of itself, the first time and when it goes on.
func TestStatus(t *testing.T) {
	defer func(before time.Duration) { refresh = before }(refresh)
	refresh = 0
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		t.Fatal(err)
	}
	store := openStore(t, t.TempDir())
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	const second = int64(time.Second / time.Microsecond)
	values := []string{`{"time":100,"id":"a"}`, `{"time":130,"id":"b"}`, `{"time":125,"id":"c"}`}

	run := func(more *ending, interval time.Duration, until func(Now) bool) (seen, last Now) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
		defer cancel()
		status := &Status{}
		go func() {
			for ctx.Err() == nil {
				time.Sleep(time.Millisecond)
				if seen = status.Get(); until(seen) {
					cancel()
				}
			}
		}()
		err := Run(ctx, Options{
			Feed: func(_ context.Context, marks []ingest.Mark) (ingest.Feed, error) {
				return together{&feed{partitions: [][]string{values}, marks: marks, commits: -1}, more}, nil
			},
			Store: store, Idle: time.Hour, Status: status,
			Job: Job{Plan: window.NewPlan(p.Rules, p.Exclude), Lateness: 10 * time.Second, Interval: interval, Log: slog.New(slog.DiscardHandler)},
		})
		if err != nil || context.Cause(ctx) == context.DeadlineExceeded { //nolint:errorlint // it is that very error
			t.Fatalf("%v, it stands so: %+v", err, status.Get())
		}
		return seen, status.Get()
	}

	gone := &ending{chunk: ingest.Chunk{Lost: 3, Why: "test", Control: 4, Transactional: 5, Mark: ingest.Mark{Stream: 1, Name: "gone"}}}
	gone.mark = ingest.Mark{Stream: 1, Name: "gone"}
	now, last := run(gone, time.Hour, func(n Now) bool {
		return n.Account.Lines == 3 && len(n.Lanes) == 1 && n.Waiting == 2 && n.Lanes[0].AtEnd
	})
	if now.Newest != 130*second || now.Frontier != 120*second || now.Began.Account != (replay.Account{}) {
		t.Errorf("newest %d, judged up to %d, began with %v", now.Newest, now.Frontier, now.Began.Account)
	}
	if g := now.Gone; g.Lost != 3 || g.Control != 4 || g.Transactional != 5 {
		t.Errorf("of the stream that is over: %+v", g)
	}
	if !now.Ready || now.Heartbeat.IsZero() || now.Unsaved.IsZero() || now.Checkpoints != 2 {
		t.Errorf("ready %v, heartbeat %v, unsaved %v, %d checkpoints", now.Ready, now.Heartbeat, now.Unsaved, now.Checkpoints)
	}
	if !last.Unsaved.IsZero() || last.Checkpoints != 3 {
		t.Errorf("at the end: unsaved %v, %d checkpoints", last.Unsaved, last.Checkpoints)
	}

	values = append(values, `{"time":150,"id":"d"}`)
	now, _ = run(nil, time.Millisecond, func(n Now) bool { return n.Account.Lines == 4 && n.Waiting == 1 && n.Unsaved.IsZero() })
	if now.Began.Account.Lines != 3 || now.Began.Account.Judged != 1 || len(now.Began.Rules) != len(now.Rules) || now.Began.Rules[0].Judged != 1 {
		t.Errorf("it went on from %v", now.Began.Account)
	}
	if now.Account.Judged != 3 || now.Frontier != 140*second {
		t.Errorf("%v, judged up to %d", now.Account, now.Frontier)
	}
}

// What streams lost that are over adds up; where nothing is held back all that
// has come is judged; a loop counts when it is over.
func TestStatusAddsUp(t *testing.T) {
	gone := LaneStatus{Lost: 1, Control: 2, Transactional: 3}
	gone.Leave(LaneStatus{Lost: 10, Control: 20, Transactional: 30})
	if gone != (LaneStatus{Lost: 11, Control: 22, Transactional: 33}) {
		t.Errorf("%+v", gone)
	}

	j := NewJudging(&Job{Plan: &window.Plan{}, Lateness: time.Minute, Log: slog.New(slog.DiscardHandler)}, nil, false, nil, nil)
	order := j.Pipeline.Order
	order.Open(0, 100_000_000)
	var n Now
	if n.Look(time.Now(), j); n.Newest != 100_000_000 || n.Frontier != 40_000_000 {
		t.Errorf("newest %d, frontier %d", n.Newest, n.Frontier)
	}
	order.Close(0)
	if n.Look(time.Now(), j); n.Frontier != 100_000_000 {
		t.Errorf("nothing is held back, and the frontier is %d", n.Frontier)
	}

	j.Dirty = true
	began := time.Now()
	for _, after := range []time.Duration{0, time.Second} {
		n.Look(began.Add(after), j)
	}
	if !n.Unsaved.Equal(began) {
		t.Errorf("not saved since %s, want %s", n.Unsaved, began)
	}

	var s Status
	for _, state := range []window.IncidentState{window.Opened, window.Grown, window.Closed} {
		s.Alert(&sinks.Alert{State: state, Rule: "r", Kind: "stuck"})
	}
	if loops := s.Get().Loops; loops[LoopKind{"r", "stuck"}] != 1 {
		t.Errorf("%v", loops)
	}
}
