package live

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// script is a feed of streams that say one thing after the other, then that
// they are at their end.
type script [][]step

// step is what a stream says after a time: a request of some second, that it
// is at its end, or that it cannot be looked at.
type step struct {
	after  time.Duration
	second int // 0 is none
	away   bool
}

func (f *script) Accept(ctx context.Context) ([]ingest.Live, error) {
	if *f == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var streams []ingest.Live
	for i, steps := range *f {
		streams = append(streams, &scripted{ingest.Mark{Stream: int32(i), Name: fmt.Sprintf("topic/%d", i)}, steps})
	}
	*f = nil
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
	return ingest.Chunk{Block: b, Mark: s.mark, AtEnd: true}, nil
}

// TestIdle: a stream that is at its end for long holds the others back no
// longer, and what it brings then may be late. One that could not be looked at
// for as long holds them back: whatever it has is still to come.
func TestIdle(t *testing.T) {
	const idle = 10 * time.Second
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		t.Fatal(err)
	}
	f := func(name string, quiet []step, late int64) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				store, err := OpenStore(filepath.Join(dir, "state"))
				if err != nil {
					t.Fatal(err)
				}
				defer store.Close() //nolint:errcheck // holds a lock, nothing else
				busy := []step{{second: 100}, {second: 200}, {second: 300}, {second: 400}}
				feed := &script{busy, slices.Concat([]step{{second: 100}}, quiet, []step{{second: 150}})}
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				status := &Status{}
				err = Run(ctx, Options{
					Feed:  func(context.Context, []ingest.Mark) (ingest.Feed, error) { return feed, nil },
					Store: store, Plan: window.NewPlan(p.Rules, p.Exclude), Lateness: 10 * time.Second,
					Idle: idle, Interval: DefaultInterval, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Status: status,
				})
				if err != nil {
					t.Fatal(err)
				}
				if a := status.Get().Account; a.Late != late || a.Judged != 6-late {
					t.Errorf("%v", a)
				}
			})
		})
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
}
