package live

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// runFor watches for a while with a state of its own. What options leave open
// is as watch has it by default, by the rules of a profile.
func runFor(t *testing.T, dir string, long time.Duration, profile string, o Options) Now {
	t.Helper()
	now, err := tryFor(t, dir, long, profile, o)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

func openStore(t rapid.TB, dir string) *Store {
	t.Helper()
	s, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// following is a feed of files.
func following(pattern string, o ingest.Options) func(context.Context, []ingest.Mark) (ingest.Feed, error) {
	return func(_ context.Context, marks []ingest.Mark) (ingest.Feed, error) {
		return ingest.Follow([]string{pattern}, o, marks)
	}
}

// write writes a file.
func write[T string | []byte](t rapid.TB, file string, text T) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// read is what a file holds.
func read(t rapid.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// tryFor is runFor where the watch may fail.
func tryFor(t *testing.T, dir string, long time.Duration, profile string, o Options) (Now, error) {
	t.Helper()
	p, err := policy.FromProfiles([]string{profile})
	if err != nil {
		t.Fatal(err)
	}
	store := openStore(t, dir)
	defer store.Close() //nolint:errcheck // holds a lock, nothing else
	o.Store, o.Plan, o.Status = store, window.NewPlan(p.Rules, p.Exclude), cmp.Or(o.Status, &Status{})
	o.Lateness = cmp.Or(o.Lateness, policy.DefaultLateness)
	o.Idle = cmp.Or(o.Idle, DefaultIdle)
	o.Interval = cmp.Or(o.Interval, DefaultInterval)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	err = Run(ctx, o)
	return o.Status.Get(), err
}
