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
		w := &watch{o: Options{Interval: time.Minute}, outbox: outbox, last: time.Now()}
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
		w.last = time.Now()
		if w.due() {
			t.Error("too early")
		}
		cancel()
		synctest.Wait()
	})
}
