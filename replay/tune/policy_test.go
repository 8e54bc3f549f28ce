package tune

import (
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// An exclusion that hides a loop is left out, and takes no other's heading
// with it.
func TestPolicyFrame(t *testing.T) {
	f := func(lateness time.Duration, exclusions []Exclusion, wantHead, wantTail string) {
		t.Helper()
		r := &Report{Lateness: replay.Lateness{Value: lateness}, Exclusions: exclusions}
		if head, tail := r.PolicyFrame(); head != wantHead || tail != wantTail {
			t.Errorf("the frame is %q and %q, want %q and %q", head, tail, wantHead, wantTail)
		}
	}
	hiding, plain := Exclusion{Name: "a", Match: `path == "/a"`, Hides: 1}, Exclusion{Name: "b", Match: `path == "/b"`}
	const tail = "exclude:\n  - {name: b, match: 'path == \"/b\"'}\n"
	f(0, nil, "version: 1\nrules:\n", "")
	f(time.Minute, []Exclusion{hiding}, "version: 1\nlateness: 1m\nrules:\n", "")
	f(0, []Exclusion{hiding, plain}, "version: 1\nrules:\n", tail)
	f(0, []Exclusion{plain, hiding}, "version: 1\nrules:\n", tail)
}

// An advised rule counts as what was swept for it, whatever its profile says.
func TestPolicyCounter(t *testing.T) {
	f := func(rule, behind, period string, closed bool) {
		t.Helper()
		parse := func(rules string) *window.Rule {
			p, err := policy.Parse("policy.yaml", []byte("version: 1\nrules:\n"+rules))
			if err != nil {
				t.Fatal(err)
			}
			return p.Rules[0]
		}
		r := &Report{Advice: []Advice{{Rule: parse("  - {name: a, threshold: 3, " + rule + "}\n"), Threshold: 4}}}
		r.Cells = []window.SweepCell{{Kind: "streak", Window: time.Minute}, {Kind: "cycle", Window: time.Minute}}
		for i, want := range []string{"{kind: streak, window: 1m" + behind + "}", "{kind: cycle, window: 1m" + behind + period + "}"} {
			if got := r.PolicyCounter(0, i); got != want {
				t.Errorf("%s: %s, want %s", rule, got, want)
			}
			r.Advice[0].Cell = i
			if again := parse(r.ruleText(0, window.Warn, "")); again.Counter.EdgeCounts() != closed {
				t.Errorf("%s: written\n%s", rule, r.ruleText(0, window.Warn, ""))
			}
		}
	}
	f("identity: prompt, scope: [session], counter: {kind: sliding, window: 1h}", "", "", false)
	f("identity: prompt, scope: [session], counter: {kind: cycle, window: 1h, period: 3}", "", ", period: 3", false)
	f("profile: aisg", "", "", false)
	f("profile: node9", ", closed: true", "", true)
	f("profile: node9, counter: {closed: false}", ", closed: false", "", false)
	f("profile: node9, counter: {closed: false}, quiet: 2m", "", "", false) // it is named no more
	f("profile: aisg-article, counter: {closed: false}", ", closed: false", "", false)
	f("profile: aisg-article, counter: {closed: false}, quiet: 2m", ", closed: false", "", false)
	f("profile: tool-call-shipped", ", closed: true", "", true) // as the tracker is
}
