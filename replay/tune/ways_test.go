package tune

import (
	"strings"
	"testing"

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
