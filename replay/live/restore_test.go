package live

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// A file of verdicts under another name than the checkpoint's is not ours to
// cut.
func TestVerdictsOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(path, []byte("precious\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &watch{o: Options{Verdicts: path}}
	err := w.openFiles(files{name: "ours", verdicts: 3})
	w.close()
	if got, _ := os.ReadFile(path); err == nil || string(got) != "precious\n" {
		t.Errorf("%v; the file holds %q", err, got)
	}
}

// A trial does not forget what sinks were told that it does not know.
func TestDryRunKeepsSinks(t *testing.T) {
	dir := t.TempDir()
	run := func(sink sinks.Sink, dry bool) error {
		p, err := policy.FromProfiles([]string{"loopgauge"})
		if err != nil {
			t.Fatal(err)
		}
		store, err := OpenStore(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close() //nolint:errcheck // holds a lock, nothing else
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return Run(ctx, Options{
			Feed: (&script{}).open, Store: store, Plan: window.NewPlan(p.Rules, p.Exclude), Interval: time.Hour, Idle: time.Hour,
			Sinks: []sinks.Sink{sink}, DryRun: dry, Log: slog.New(slog.DiscardHandler),
		})
	}
	trial := &sinks.Log{Logger: slog.New(slog.DiscardHandler)}
	if err := run(taker{}, false); err != nil {
		t.Fatal(err)
	}
	if err := run(trial, true); err == nil || !strings.Contains(err.Error(), "taker") {
		t.Errorf("a trial forgets what taker was told: %v", err)
	}
	if err := run(trial, false); err != nil {
		t.Error(err)
	}
	if err := run(trial, true); err != nil {
		t.Error(err)
	}
}

// A digest is over when the log has come so far, also where no loop follows.
func TestDigestEndsWithTheLog(t *testing.T) {
	outbox := sinks.NewOutbox(slog.New(slog.DiscardHandler), taker{})
	w := &watch{outbox: outbox, router: sinks.NewRouter(outbox, sinks.Routes{}, nil)}
	for i := range 6 { // one more than are told of one by one
		w.router.Take(&window.Incident{ID: fmt.Sprint("ep-", i), Revision: 1, State: window.Opened, Action: window.Warn, Tokens: -1, Cost: math.NaN()})
	}
	before, _ := outbox.Waiting()
	for _, at := range []time.Duration{59 * time.Second, time.Minute} {
		if err := w.event(&window.Event{Time: at.Microseconds()}); err != nil {
			t.Fatal(err)
		}
		if waiting, _ := outbox.Waiting(); waiting != before+int(at/time.Minute) {
			t.Errorf("at %s %d alerts wait, %d before", at, waiting, before)
		}
	}
}
