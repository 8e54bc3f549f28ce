package window

import (
	"fmt"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// conversations makes an engine with rules of the shape of the loopgauge
// profile, and the requests of many conversations, one step of each in turn,
// the way they stand in a gateway's log. One in twenty is stuck: it says the
// same all the time.
func conversations(tb testing.TB, live int, o EngineOptions) (*Engine, func(i int) *Event) {
	tb.Helper()
	scope := bySession(tb)
	rule := func(name, kind string, window time.Duration, threshold int) *Rule {
		return &Rule{Name: name, Identity: byModel(tb), Scope: scope, Counter: CounterSpec{Kind: kind, Window: window}, Threshold: threshold, Action: Warn}
	}
	e := NewEngine(NewPlan([]*Rule{
		rule("tool-call-result", "streak", 10*time.Minute, 4),
		rule("stuck-step", "streak", 10*time.Minute, 3),
		rule("last-messages", "sliding", time.Minute, 4),
	}, nil), o)

	n := newNames(tb)
	prints := make([]fingerprint.Fingerprint, 64)
	for i := range prints {
		prints[i] = n.print(fmt.Sprint(i))
	}
	events := make([]*Event, live)
	for i := range events {
		ev := n.event(0, fmt.Sprint(i), nil, 3)
		ev.Prints = make([]Prints, 3)
		for k := range ev.Prints {
			ev.Prints[k].Fingerprints = make([]fingerprint.Fingerprint, 1)
		}
		ev.Status, ev.TokensIn, ev.TokensOut, ev.Cost = 200, 1000, 100, 0.01
		events[i] = ev
	}
	return e, func(i int) *Event {
		ev := events[i%live]
		ev.Time = int64(i) * int64(5*time.Second/time.Microsecond) / int64(live) // a step takes five seconds
		ev.Position.Offset = int64(i)
		step := i / live
		if i%live%20 == 0 {
			step = 0
		}
		for k := range ev.Prints {
			ev.Prints[k].Fingerprints[0] = prints[(step+k)%len(prints)]
		}
		return ev
	}
}

func BenchmarkJudge(b *testing.B) {
	for _, live := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("conversations=%d", live), func(b *testing.B) {
			verdicts := 0
			e, event := conversations(b, live, EngineOptions{Verdict: func(*Verdict) { verdicts++ }})
			warm := 13 * live // a minute
			for i := range warm {
				e.Judge(event(i))
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				e.Judge(event(warm + i))
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
			if verdicts != 3*(warm+b.N) {
				b.Errorf("%d verdicts of %d events", verdicts, warm+b.N)
			}
		})
	}
}

// TestJudgeAllocatesNothing: a request that opens no episode costs no
// allocation once the counters have the memory that their windows need.
func TestJudgeAllocatesNothing(t *testing.T) {
	const live = 100
	e, event := conversations(t, live, EngineOptions{Verdict: func(*Verdict) {}, Episode: func(*Episode) {}})
	i := 0
	step := func() {
		for range live {
			e.Judge(event(i))
			i++
		}
	}
	for range 200 { // longer than the longest window
		step()
	}
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("%v allocations for %d requests", n, live)
	}
	if fired := e.Account()[0].Fired; fired == 0 {
		t.Error("no request fired: the test says nothing about those that do")
	}
}

// TestEpisodeAllocations: an episode costs its id (the hash and the text), its
// scope and its statuses.
func TestEpisodeAllocations(t *testing.T) {
	n := newNames(t)
	rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "fixed", Window: time.Microsecond}, Threshold: 1, Quiet: time.Microsecond}
	e := NewEngine(NewPlan([]*Rule{rule}, nil), EngineOptions{})
	ev := n.event(0, "s", []string{"A"}, 1)
	if n := testing.AllocsPerRun(1000, func() { ev.Time += 10; e.Judge(ev) }); n > 4 {
		t.Errorf("%v allocations for an episode, want at most 4", n)
	}
	if got := e.Account()[0].Episodes; got != 1001 {
		t.Errorf("%d episodes, want one each", got)
	}
}
