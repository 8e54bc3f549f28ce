package tune

import (
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// TestMasksAreAWay: a call whose result has a new id each time looks like
// polling, and nothing said how to tell.
func TestMasksAreAWay(t *testing.T) {
	f := func(want bool, identity string, kind window.Kind, requests int64) {
		t.Helper()
		id, err := fingerprint.New(identity, fingerprint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rule := &window.Rule{Identity: id}
		r := &Report{Result: result(1000), Options: Options{Rules: []*window.Rule{rule}}, Repeats: []*Repeat{{Rule: rule, Kind: kind, Requests: requests, facts: &window.Facts{}}}}
		r.Result.Rules = []window.RuleAccount{{Rule: rule, Judged: 1000, Counted: 1000}}
		var b strings.Builder
		Summary{Report: r}.recommendation(&b)
		if got := strings.Contains(b.String(), "(docs/policy.md#masks)"); got != want {
			t.Errorf("%s, %s, %d requests: %q", identity, kind, requests, b.String())
		}
	}
	f(true, "tool-call", window.Polling, 4)
	f(false, "tool-call", window.Polling, 3)
	f(false, "tool-call", window.Unknown, 9)
	f(false, "last-messages", window.Polling, 9) // at a clock's pace
}

// TestRaise: a limit is to be raised only where that brings a recommendation. The
// bug was that what is wrong more often than right was promised, and never came.
func TestRaise(t *testing.T) {
	loop, wrong := repeatOf(6, 2, 3, 4, 5, 6), repeatOf(5, 2, 3, 4, 5)
	loop.Kind, wrong.Kind = window.Stuck, window.Unknown
	rule := &window.Rule{Identity: anyRule.Identity, Counter: window.CounterSpec{Kind: "streak", Window: time.Minute}}
	f := func(o Options, repeats []*Repeat, verdict Verdict, want string) {
		t.Helper()
		o.Most = 4
		r := &Report{Cells: []window.SweepCell{{Kind: "streak", Window: time.Minute}}, Sweep: sweptOnce(rule, o.Most, repeats), Days: 1}
		r.Options, r.Result = o, result(1000)
		r.Result.Rules = []window.RuleAccount{{Rule: rule, Judged: 1000, Counted: 1000}}
		r.Options.Rules = []*window.Rule{rule}
		r.Advice = []Advice{r.adviseOne(0, r.classedOf(repeats), r.classedOf(nil))}
		if got := r.Verdict(); got != verdict {
			t.Errorf("%s, want %s", got, verdict)
		}
		if got := r.Raise(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	const labels = "give --labels, which decide what is wrong"
	f(Options{MaxWrong: 0.001}, []*Repeat{loop, loop, wrong}, OverLimits, "raise --max-wrong to have it, or "+labels)
	f(Options{MaxWrong: 0.001}, []*Repeat{loop, wrong}, OverLimits, labels)
	f(Options{MaxWrong: 0.001, ForGateway: true}, []*Repeat{loop, wrong}, OverLimits, "raise --max-wrong to have it, or "+labels)
	f(Options{MaxWrong: 0.1}, []*Repeat{loop, wrong}, Outweighed, labels)
	f(Options{MaxWrong: 0.001, Budget: 0.1}, []*Repeat{loop, loop}, OverLimits, "raise --budget to have it") // twenty times
	f(Options{MaxWrong: 0.0001, Budget: 0.1}, []*Repeat{loop, loop, wrong}, OverLimits, labels)
}
