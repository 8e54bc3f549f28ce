package live

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/sinks"
)

type taker struct{}

func (taker) Name() string                             { return "taker" }
func (taker) Send(context.Context, *sinks.Alert) error { return nil }

// TestDue: what a sink took is in the next checkpoint, also where nothing is
// logged any more.
func TestDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outbox := sinks.NewOutbox(slog.New(slog.DiscardHandler), taker{})
		w := &watch{o: Options{Job: Job{Interval: time.Minute}}, Judging: &Judging{Outbox: outbox, Last: time.Now()}}
		ctx, cancel := context.WithCancel(t.Context())
		go outbox.Run(ctx)
		time.Sleep(2 * w.o.Interval)
		if w.due() {
			t.Error("nothing has happened")
		}
		outbox.Add(&sinks.Alert{}, outbox.Names()...)
		outbox.Allow(outbox.Last())
		synctest.Wait()
		if !w.due() {
			t.Error("an alert was taken")
		}
		w.Last = time.Now()
		if w.due() {
			t.Error("too early")
		}
		cancel()
		synctest.Wait()
	})
}

// An alert waits half a second for a checkpoint, or four times as long as one
// takes; what nothing waits for is written in its time.
func TestDueSoon(t *testing.T) {
	f := func(held, dirty bool, took, interval, want time.Duration) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			outbox := sinks.NewOutbox(slog.New(slog.DiscardHandler), taker{})
			if held {
				outbox.Add(&sinks.Alert{}, outbox.Names()...)
			}
			j := &Judging{Outbox: outbox, Dirty: dirty, Last: time.Now(), took: took}
			due := func() bool { return j.Due(false, interval) }
			time.Sleep(want - time.Millisecond)
			early := due()
			time.Sleep(time.Millisecond)
			if early || !due() {
				t.Errorf("held %t, dirty %t, took %s: due before %s: %t, then: %t", held, dirty, took, want, early, due())
			}
		})
	}
	f(true, false, 0, time.Minute, 500*time.Millisecond)
	f(true, false, 100*time.Millisecond, time.Minute, 500*time.Millisecond)
	f(true, false, time.Second, time.Minute, 4*time.Second)
	f(false, true, time.Second, time.Minute, time.Minute)
}
