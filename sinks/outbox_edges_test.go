package sinks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/window"
)

// sending is a sink that does what a test says.
type sending func(a *Alert) error

func (sending) Name() string                                  { return "a" }
func (s sending) Send(_ context.Context, a *Alert) error      { return s(a) }
func (sending) Resend(_ context.Context, list []*Alert) error { return nil }

// serve runs an outbox until it is stopped, or a test ends.
func serve(t *testing.T, o *Outbox) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { o.Run(ctx) })
	stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(stop)
	return stop
}

// A receiver that fails is left alone for longer and longer, up to a minute or
// so and never at the same pace as others; one that was well again is tried
// again soon.
func TestOutboxRetries(t *testing.T) {
	for _, err := range []error{errors.New("down"), &Denied{errors.New("who?")}, &Later{errors.New("busy"), -time.Hour}} {
		synctest.Test(t, func(t *testing.T) {
			var tried []time.Time
			until := time.Now().Add(24 * time.Hour)
			o := NewOutbox(quietly, sending(func(*Alert) error {
				tried = append(tried, time.Now())
				if time.Now().Before(until) {
					return err
				}
				return nil
			}))
			serve(t, o)
			again := func() (gaps []time.Duration) {
				tried = nil
				o.Add(alert("x", 1), o.Names()...)
				o.Allow(o.Last())
				must(t, o.Drain(t.Context()))
				for i := range tried[1:] {
					gaps = append(gaps, tried[i+1].Sub(tried[i]))
				}
				return gaps
			}
			f := func(gap, least, most time.Duration) {
				t.Helper()
				if gap < least || gap > most {
					t.Errorf("%v: left alone for %s, want %s to %s", err, gap, least, most)
				}
			}
			gaps := again()
			for i, wait := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
				f(gaps[i], wait/2, wait*3/2)
			}
			late := gaps[len(gaps)-100:]
			f(slices.Min(late), 30*time.Second, 45*time.Second)
			f(slices.Max(late), time.Minute, 90*time.Second)

			until = time.Now().Add(time.Millisecond)
			f(again()[0], 250*time.Millisecond, 750*time.Millisecond)
		})
	}
}

// However long a receiver asks for, it is left alone for a breath and not for a
// day.
func TestPause(t *testing.T) {
	for after, want := range map[time.Duration]time.Duration{-time.Hour: firstRetry, 0: firstRetry, time.Minute: time.Minute, 24 * time.Hour: time.Hour} {
		if got := (&Later{After: after}).Pause(); got != want {
			t.Errorf("%s: %s, want %s", after, got, want)
		}
	}
}

// What a sink took as the context ended is not sent again, and that it took
// nothing any more is no failure.
func TestOutboxEnds(t *testing.T) {
	f := func(err error, want SinkStats) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		var log strings.Builder
		o := NewOutbox(slog.New(slog.NewTextHandler(&log, nil)), sending(func(*Alert) error {
			cancel()
			return err
		}))
		o.Add(alert("x", 1), o.Names()...)
		o.Allow(o.Last())
		o.Run(ctx)
		want.Name = "a"
		if got := o.Stats()[0]; got != want || log.Len() > 0 {
			t.Errorf("%v: %+v, want %+v\n%s", err, got, want, log.String())
		}
	}
	f(nil, SinkStats{Sent: 1})
	f(context.Canceled, SinkStats{Waiting: 1})
}

// Drain waits for what is on its way, and for nothing that may not leave.
func TestDrainWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		o := NewOutbox(quietly, sending(func(*Alert) error {
			time.Sleep(time.Second)
			sent++
			return nil
		}))
		serve(t, o)
		o.Add(alert("x", 1), o.Names()...)
		o.Allow(o.Last())
		o.Add(alert("x", 2), o.Names()...)
		if err := o.Drain(t.Context()); err != nil || sent != 1 {
			t.Errorf("%d sent, %v", sent, err)
		}
		o.Allow(o.Last())
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := o.Drain(ctx); err == nil {
			t.Error("what did not leave in time is said to have left")
		}
	})
}

// What makes room for a sink is taken off that sink alone, and only what it
// waits for makes room.
func TestDropOwn(t *testing.T) {
	o := NewOutbox(quietly, &scripted{name: "a"}, &scripted{name: "b"})
	o.most = 4
	over := alert("over", 2)
	over.State = window.Closed
	o.Add(alert("theirs", 1), "b")
	o.Add(alert("x", 1), "b")
	o.Add(over, "b")
	o.Add(alert("x", 2), "a", "b")
	for _, id := range []string{"y", "z", "w", "new"} {
		o.Add(alert(id, 1), "a")
	}
	if a, b := put(o, "a"), put(o, "b"); a != "y.1=opened z.1=opened w.1=opened new.1=opened" || b != "theirs.1=opened x.1=opened over.2=closed x.2=opened" {
		t.Errorf("a waits for %q, b for %q", a, b)
	}
	if s := o.Stats(); s[0].Waiting != 4 || s[0].Dropped != 1 || s[1].Waiting != 4 || s[1].Dropped != 0 {
		t.Errorf("%+v", s)
	}
	// Of one that goes on the oldest goes alone.
	for _, a := range []*Alert{alert("v", 1), alert("v", 2), alert("u", 1), alert("t", 1), alert("s", 1)} {
		o.Add(a, "a")
	}
	if a := put(o, "a"); a != "v.2=opened u.1=opened t.1=opened s.1=opened" {
		t.Errorf("a waits for %q", a)
	}
}

// An alert that was dropped while it was on its way has left once.
func TestDropOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o *Outbox
		o = NewOutbox(quietly, sending(func(a *Alert) error {
			if a.ID == "x" {
				o.Add(alert("y", 1), o.Names()...) // and x makes room
				o.Allow(o.Last())
			}
			return nil
		}))
		o.most = 1
		serve(t, o)
		o.Add(alert("x", 1), o.Names()...)
		o.Allow(o.Last())
		synctest.Wait()
		if got, want := o.Stats()[0], (SinkStats{Name: "a", Sent: 2, Dropped: 1}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// What is handed out waits no more, and what is over is forgotten.
func TestFlush(t *testing.T) {
	o := NewOutbox(quietly, &scripted{name: "a"})
	r := NewRouter(o, Routes{}, nil)
	r.Take(incident("x", 1, window.Opened, second))
	r.Take(incident("x", 2, window.Closed, 2*second))
	var got []string
	o.Flush(func(a *Alert, to []string) { got = append(got, fmt.Sprintf("%s.%d %s", a.ID, a.Revision, to)) })
	if fmt.Sprint(got) != "[x.1 [a] x.2 [a]]" || o.Stats()[0].Waiting != 0 || len(o.entries) != 0 {
		t.Errorf("%q, %+v", got, o.Stats())
	}
	if saved := string(r.Save()); strings.Contains(saved, `"open":["x"]`) {
		t.Errorf("x is over, and kept: %s", saved)
	}
}

// A sink that has become one of a kind that is told once goes on with a state
// of one that is told again and again.
func TestResenderNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := NewOutbox(quietly, sending(func(*Alert) error { return nil }))
		r := NewRouter(o, Routes{}, nil)
		serve(t, o)
		r.Take(incident("x", 1, window.Opened, second))
		o.Allow(o.Last())
		synctest.Wait()
		saved := r.Save()
		o = NewOutbox(quietly, &scripted{name: "a"})
		if err := NewRouter(o, Routes{}, nil).Load(saved); err != nil {
			t.Error(err)
		}
	})
}

// An outage of days is said when it begins, each hour, when a person must mend it by
// now, and when it is over. The bug was a line for each attempt, thousands of them.
func TestOutage(t *testing.T) {
	type told struct{ warnings, errors, ends int }
	f := func(name string, fail func(time.Duration) error, want told) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			var log strings.Builder
			began := time.Now()
			o := NewOutbox(slog.New(slog.NewTextHandler(&log, nil)), sending(func(*Alert) error { return fail(time.Since(began)) }))
			o.Add(alert("x", 1), o.Names()...)
			o.Add(alert("y", 1), o.Names()...)
			o.Allow(o.Last())
			stop := serve(t, o)
			time.Sleep(72 * time.Hour)
			stop()
			lines := func(what string) int { return strings.Count(log.String(), what) }
			since := began.Format("since=2006-01-02T15:04:05.000Z07:00")
			if got := (told{lines("level=WARN"), lines("level=ERROR"), lines("level=INFO")}); got != want || lines(since) != strings.Count(log.String(), "\n") {
				t.Errorf("%s: told %+v, want %+v, all with %s:\n%s", name, got, want, since, log.String())
			}
		})
	}
	down, out := errors.New("down"), &Denied{errors.New("who?")}
	f("never taken", func(time.Duration) error { return down }, told{warnings: 72})
	f("taken after a day and a half", func(at time.Duration) error {
		if at < 36*time.Hour+time.Minute {
			return down
		}
		return nil
	}, told{warnings: 36, ends: 1})
	f("let in no more after half an hour", func(at time.Duration) error {
		if at < 30*time.Minute {
			return down
		}
		return out
	}, told{warnings: 1, errors: 71})
	turn := false
	f("let in no more, and down, in turn", func(at time.Duration) error {
		switch turn = !turn; {
		case at >= 12*time.Hour:
			return nil
		case turn:
			return out
		}
		return down
	}, told{warnings: 12, errors: 12, ends: 1})
	f("taken, but for one", func(at time.Duration) error {
		if at < 30*time.Minute {
			return down
		}
		return nil
	}, told{warnings: 1, ends: 1})
}
