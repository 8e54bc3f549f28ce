package replay

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// TestLoopsOfHostileScopes: a client that writes what could join a scope's
// fields makes no loop part of another's.
func TestLoopsOfHostileScopes(t *testing.T) {
	scope, err := fingerprint.NewScope([]string{"session", "model"})
	if err != nil {
		t.Fatal(err)
	}
	rule := &window.Rule{Name: "r", Scope: scope}
	loops := Loops([]window.Episode{
		{ID: "1", Rule: rule, Scope: []string{"a\x00model b", "c"}, Last: 9},
		{ID: "2", Rule: rule, Scope: []string{"a", "b\x00model c"}, Last: 9},
	})
	if len(loops) != 2 {
		t.Errorf("%d loops, not 2", len(loops))
	}
}

// TestLoopsNameFirstRule: a loop goes by the rule that fired first, whose episode
// is the one to explain, not by the one whose repeat began first.
func TestLoopsNameFirstRule(t *testing.T) {
	scope, err := fingerprint.NewScope([]string{"session"})
	if err != nil {
		t.Fatal(err)
	}
	in := func(rule string, first, fired int64) window.Episode {
		return window.Episode{ID: rule, Rule: &window.Rule{Name: rule, Scope: scope}, Scope: []string{"s"}, First: first, Fired: fired, Last: 9}
	}
	l := Loops([]window.Episode{in("later", 1, 4), in("sooner", 2, 3)})[0]
	if l.Episode != "sooner" || l.Fired != 3 || !slices.Equal(l.Rules, []string{"sooner", "later"}) {
		t.Errorf("%s fired at %d, by %q", l.Episode, l.Fired, l.Rules)
	}
}

// TestCostliest: a loop whose use is not known is not called the costliest, and
// not beside one of which some is known.
func TestCostliest(t *testing.T) {
	f := func(want string, wantKnown bool, loops ...Loop) {
		t.Helper()
		if l, known := Costliest(loops); l.Episode != want || known != wantKnown {
			t.Errorf("%+v: %s, known %t", loops, l.Episode, known)
		}
	}
	nan := math.NaN()
	f("b", true, Loop{Episode: "a", Cost: 1, Tokens: 90}, Loop{Episode: "b", Cost: 2, Tokens: 9})
	f("b", true, Loop{Episode: "a", Cost: nan, Tokens: 9}, Loop{Episode: "b", Cost: nan, Tokens: 90}, Loop{Episode: "c", Cost: nan, Tokens: -1})
	f("b", true, Loop{Episode: "a", Cost: nan, Tokens: 9}, Loop{Episode: "b", Cost: 0, Tokens: 9})
	f("b", false, Loop{Episode: "a", Cost: nan, Tokens: -1}, Loop{Episode: "b", Cost: nan, Tokens: -1})
	f("b", false, Loop{Episode: "a", Cost: nan, Tokens: 0}, Loop{Episode: "b", Cost: nan, Tokens: -1})
}

// TestPerHour: half an hour for a dollar is two dollars an hour; of no time, or
// an unknown cost, there is no pace.
func TestPerHour(t *testing.T) {
	f := func(cost float64, d time.Duration, want float64, wantOK bool) {
		t.Helper()
		if got, ok := perHour(cost, d.Microseconds()); got != want || ok != wantOK {
			t.Errorf("%v in %s: %v, %t", cost, d, got, ok)
		}
	}
	f(1, 30*time.Minute, 2, true)
	f(0.5, time.Microsecond, 1.8e9, true)
	f(1, 0, 0, false)
	f(1, -time.Second, 0, false)
	f(math.NaN(), time.Hour, 0, false)
}
