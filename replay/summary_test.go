package replay

import (
	"math"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// However much a log knows of its loops, their table fits a terminal, and the
// rules can be told.
func TestLoopsFitTheTerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var loops []Loop
		var scopes []string
		for range rapid.IntRange(1, 2).Draw(t, "fields") {
			scopes = append(scopes, rapid.StringMatching(`(session|caller) [a-z0-9-]{1,60}`).Draw(t, "scope"))
		}
		for range rapid.IntRange(1, 5).Draw(t, "loops") {
			fired := rapid.Int64Range(0, 1e17).Draw(t, "fired")
			loops = append(loops, Loop{
				Scope: scopes, Fired: fired, First: fired, Last: fired + rapid.Int64Range(0, 1e14).Draw(t, "lasted"),
				Requests: rapid.Int64Range(2, 1e7).Draw(t, "requests"), After: rapid.Int64Range(0, 1e7).Draw(t, "after"),
				Tokens: rapid.Int64Range(-1, 1e13).Draw(t, "tokens"), Cost: rapid.SampledFrom([]float64{math.NaN(), 0, 0.001, 12345.67}).Draw(t, "cost"),
				Rules: []string{"tool-call-result", "x", "y"}[:rapid.IntRange(1, 3).Draw(t, "rules")],
			})
		}
		var b strings.Builder
		listLoops(&b, loops, true)
		for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
			if w := runewidth.StringWidth(line); w > term.Width {
				t.Errorf("%d columns: %s", w, line)
			}
			if i > 0 && !strings.Contains(line, "tool-c") {
				t.Errorf("which rule? %s", line)
			}
		}
	})
}

// A long scope leaves a rule of ours its name, and takes what a short one leaves.
func TestScopeMakesRoomForItsRule(t *testing.T) {
	f := func(rule, scope string) {
		t.Helper()
		loop := Loop{Scope: []string{"session 4f1c7a9e-5a6c-9372-a1b2-0123456789ab"}, Cost: 1.5, Tokens: 10, Requests: 6, After: 2, Rules: []string{rule}}
		other := loop
		other.Fired = 40e12
		var b strings.Builder
		listLoops(&b, []Loop{loop, other}, true)
		if row := strings.Fields(strings.Split(b.String(), "\n")[1]); row[0] != scope || row[len(row)-1] != rule {
			t.Error(row)
		}
	}
	f("last-messages", "4f1c7a9e…6789ab")
	f("aisg", "4f1c7a9e-5a6…123456789ab")
}

// Where one rule is in force its name stands above, and its place is the scope's.
func TestOneRuleLeavesItsPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[a-z0-9]{4,30}`).Draw(t, "id")
		loop := Loop{
			Scope: []string{"session " + id}, Last: rapid.Int64Range(0, 1e14).Draw(t, "lasted"), Requests: rapid.Int64Range(2, 1e5).Draw(t, "requests"),
			After: rapid.Int64Range(0, 1e5).Draw(t, "after"), Tokens: 10, Cost: 1.5, Rules: []string{"tool-call-result"},
		}
		var b strings.Builder
		listLoops(&b, []Loop{loop}, false)
		if got := b.String(); strings.Contains(got, "rule") || strings.Contains(got, "tool") || !strings.Contains(got, id) {
			t.Errorf("%s in\n%s", id, got)
		}
		loop.Scope[0] = "session " + strings.Repeat(id, 20)
		b.Reset()
		listLoops(&b, []Loop{loop}, false)
		for line := range strings.Lines(b.String()) {
			if w := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); w > term.Width {
				t.Errorf("%d columns: %s", w, line)
			}
		}
		if !strings.HasSuffix(b.String(), "$1.50\n") && loop.After > 0 {
			t.Errorf("what it costs is cut:\n%s", &b)
		}
	})
}

// An id of 36 characters is whole beside the numbers of most loops.
func TestOneRuleLeavesUUIDsWhole(t *testing.T) {
	const id = "4f1c7a9e-5a6c-9372-a1b2-0123456789ab"
	var b strings.Builder
	listLoops(&b, []Loop{{Scope: []string{"session " + id}, Last: 99e6, Requests: 1500, After: 1496, Cost: 1.5, Tokens: 10, Rules: []string{"r"}}}, false)
	if !strings.Contains(b.String(), id) || !strings.HasSuffix(b.String(), "$1.50\n") {
		t.Errorf("\n%s", &b)
	}
}

// A loop that nothing came of after it fired used nothing: that is no cost that
// is not known.
func TestNothingAfterIsNoUnknownCost(t *testing.T) {
	loops := []Loop{
		{Scope: []string{"session a"}, Cost: math.NaN(), Tokens: -1, Rules: []string{"r"}},
		{Scope: []string{"session b"}, After: 3, Cost: 0.25, Tokens: 10, Rules: []string{"r"}},
	}
	unpriced := false
	told := func() string {
		var w waste
		for i := range loops {
			w.after.Requests += loops[i].After
		}
		w.after.Cost = window.USD(0).Plus(0.25)
		w.add(loops)
		return w.text(unpriced)
	}
	if got := told(); got != "2 loops: 3 requests and $0.25 after a rule had fired" {
		t.Error(got)
	}
	var b strings.Builder
	listLoops(&b, loops, true)
	if strings.Contains(b.String(), "?") {
		t.Error(&b)
	}
	loops[0].After = 1
	more := "2 loops: 4 requests and $0.25 or more after a rule had fired"
	if got := told(); got != more {
		t.Error(got)
	}
	loops[0].Cost, loops[0].Tokens = 0, 10 // free, or of a model without a price
	if got := told(); got == more {
		t.Error(got)
	}
	if unpriced = true; told() != more {
		t.Error(told())
	}
	if loops[0].Tokens = 0; told() == more { // it failed
		t.Error(told())
	}
}

// A table of zeros says why, if no rule could have done anything else.
func TestEnforcedOnlyWarns(t *testing.T) {
	f := func(want bool, rules ...window.Rule) {
		t.Helper()
		list := []window.Enforced{}
		for i := range rules {
			list = append(list, window.Enforced{Rule: &rules[i], Tokens: -1, Cost: math.NaN()})
		}
		var b strings.Builder
		Summary{Result: &Result{Enforced: list}}.enforced(&b)
		if got := strings.Contains(b.String(), "these rules only warn"); got != want {
			t.Errorf("%+v: %s", rules, b.String())
		}
	}
	f(true, window.Rule{Action: window.Warn}, window.Rule{Action: window.Record})
	f(true, window.Rule{Action: window.Warn, Overrides: []window.Override{{Threshold: 9}}})
	f(false, window.Rule{Action: window.Warn}, window.Rule{Action: window.Reject})
	f(false, window.Rule{Action: window.Warn, Overrides: []window.Override{{Action: window.Throttle}}})
	f(false, window.Rule{Action: window.Warn, ChatOverrides: true})
}
