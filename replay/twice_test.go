package replay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// A log that was written twice is told from one in which many requests share their
// time, or say the same.
func TestTwice(t *testing.T) {
	fp := func(digit string) fingerprint.Fingerprint {
		p, ok := fingerprint.Parse(strings.Repeat(digit, 32))
		if !ok {
			t.Fatal(digit)
		}
		return p
	}
	f := func(name string, requests int, event func(i int) window.Event, want string) {
		t.Helper()
		var all twice
		for i := range requests {
			ev := event(i)
			all.note(&ev)
		}
		if got := all.String(); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	event := func(time int64, scope byte, digits ...string) window.Event {
		ev := window.Event{Time: time, Scopes: []window.Scope{{Key: fingerprint.ScopeKey{scope}}}}
		for _, digit := range digits {
			ev.Prints = append(ev.Prints, window.Prints{Fingerprints: []fingerprint.Fingerprint{fp(digit)}})
		}
		return ev
	}
	at := func(i int) int64 { return int64(i)*7_310_000 + 1 }
	f("each twice", 200, func(i int) window.Event { return event(at(i/2), 1, "a", "b") }, "50 % of the requests are the one before again")
	f("each three times", 201, func(i int) window.Event { return event(at(i/3), 1, "a") }, "67 % of the requests are the one before again")
	f("a part", 200, func(i int) window.Event { return event(at(max(i/2, i-60)), 1, "a") }, "")
	f("few", 98, func(i int) window.Event { return event(at(i/2), 1, "a") }, "")
	f("equal, one after the other", 200, func(i int) window.Event { return event(at(i), 1, "a") }, "")
	f("at one time, in another session", 200, func(i int) window.Event { return event(at(i/2), byte(i), "a") }, "")
	f("at one time, and another request", 200, func(i int) window.Event { return event(at(i/2), 1, "a", []string{"b", "c"}[i%2]) }, "")
	f("at one time, and nothing to look at", 200, func(i int) window.Event { return event(at(i/2), 1) }, "")
	f("whole seconds", 200, func(i int) window.Event { return event(int64(i/2)*1e6, 1, "a") }, "")
	f("whole seconds, cut to the millisecond below", 200, func(i int) window.Event { return event(int64(i/2+1)*1e6-1000, 1, "a") }, "")
	beside := func(i int) window.Event {
		if i < 200 {
			return event(at(i/2), 1, "a")
		}
		return event(int64(i/2)*1e6, 1, "a")
	}
	f("each twice beside whole seconds", 600, beside, "17 % of the requests are the one before again")
	f("each twice beside many whole seconds", 2001, beside, "")
}

// The summary says it.
func TestTwiceSaid(t *testing.T) {
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	for i := range 240 {
		fmt.Fprintf(&log, `{"time":%d.1,"session":"s","caller":"c","model":"m","messages":[{"role":"user","content":"step %d"}]}`+"\n", 1763719200+i/2, i/2)
	}
	result, err := Run(t.Context(), Options{
		Streams:         []ingest.Stream{opened(t, ingest.StdinName, strings.NewReader(log.String()))},
		PipelineOptions: PipelineOptions{Plan: window.NewPlan(p.Rules, p.Exclude), Lateness: policy.DefaultLateness, Since: fingerprint.NoTime, Until: fingerprint.NoTime},
	})
	if err != nil {
		t.Fatal(err)
	}
	if said := (Summary{Result: result, Total: &Total{}}).String(); !strings.Contains(said, "50 % of the requests are the one before again") {
		t.Error(said)
	}
}
