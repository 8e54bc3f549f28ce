package tune

import (
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// TestGatewaysFit: what gateways do to a log of many conversations is not cut.
func TestGatewaysFit(t *testing.T) {
	f := func(g *GatewayReport, want string) {
		t.Helper()
		g.Gateway, g.Coverage = Gateway{Name: "fairvisor-documented", Reading: "as documented"}, 1
		g.Requests = 1
		r := &Report{Result: &replay.Result{}, Conversations: g.Loops + g.Normal, Gateways: []GatewayReport{*g}}
		r.Result.Account.Judged = 1
		var b strings.Builder
		Summary{Report: r}.gateways(&b)
		line := strings.Split(b.String(), "\n")[2]
		if !strings.HasSuffix(line, want) || strings.Contains(line, "…") || len(line) > term.Width {
			t.Errorf("the gateway's line is %q, want it to end in %q", line, want)
		}
	}
	f(&GatewayReport{Caught: 2, Loops: 3, Normal: 18, Wrong: 4}, "2 of 3  4 of 18 (22 %)")
	f(&GatewayReport{Caught: 999, Loops: 999, Normal: 999, Wrong: 998}, "999 of 999  998 of 999 (99 %)")
	f(&GatewayReport{Caught: 1234, Loops: 5678, Normal: 1_110_416, Wrong: 1_009_633}, "1,234 of 5,678  1,009,633 (91 %)")
}

// TestNothingFoundForWantOfRoom: that no loop was found says little where keys
// had to make room.
func TestNothingFoundForWantOfRoom(t *testing.T) {
	calls, err := fingerprint.New("tool-call", fingerprint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rule := &window.Rule{Identity: calls}
	for dropped, want := range map[int64]string{0: "", 5000: "too little to conclude from: 5,000 keys had to make room in memory, and loops\n  among them may be missed\n"} {
		r := &Report{Result: result(1000), Sweep: []window.SweepTarget{{Rule: rule, Dropped: dropped}}, Options: Options{Rules: []*window.Rule{rule}}}
		r.Result.Rules = []window.RuleAccount{{Rule: rule, Judged: 1000, Counted: 1000}}
		var b strings.Builder
		Summary{Report: r}.recommendation(&b)
		if got := b.String(); got != string(NothingFound)+"\n"+want {
			t.Errorf("%d keys dropped: %q", dropped, got)
		}
	}
}

// TestNextFits: what is to be copied behind a policy is not cut at a terminal's
// edge.
func TestNextFits(t *testing.T) {
	for line := range strings.Lines((Summary{}).next()) {
		if len(strings.TrimSuffix(line, "\n")) > term.Width {
			t.Errorf("%q is wider than a terminal", line)
		}
	}
}

// TestNowIsInTheMap: that a cell is the rule as it is now is said only where there
// is such a cell, however far from the others.
func TestNowIsInTheMap(t *testing.T) {
	cell := window.SweepCell{Kind: "streak", Window: time.Minute}
	f := func(now int, legend string, shown bool) {
		t.Helper()
		rule := &window.Rule{Name: "calls", Counter: window.CounterSpec{Kind: cell.Kind, Window: cell.Window}, Threshold: now}
		swept := window.Swept{SweepCell: cell, Episodes: make([]int64, 51)}
		swept.Episodes[4], swept.Episodes[5] = 2, 2
		r := &Report{
			Options: Options{Windows: []time.Duration{cell.Window}, Least: 4, Most: 50}, Cells: []window.SweepCell{cell},
			Sweep: []window.SweepTarget{{Rule: rule, Cells: []window.Swept{swept}}}, Recommended: []int{0},
			Advice: []Advice{{Rule: rule, Threshold: 4, HasCurrent: true}},
		}
		var b strings.Builder
		Summary{Report: r}.settings(&b)
		lines := strings.Split(b.String(), "\n")
		if lines[1] != "  [advised]"+legend || strings.Contains(b.String(), "(0)\n") != shown {
			t.Errorf("with threshold %d now:\n%s", now, b.String())
		}
	}
	f(4, ", as it is now", false)
	f(30, "  (now)", true)
	f(3, "  now: 3 in 1m streak", false)
	f(1000, "  now: 1000 in 1m streak", false)
}
