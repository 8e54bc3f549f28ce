package tune

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// TestSummary: all that is said of a log, in its order.
func TestSummary(t *testing.T) {
	if diff := cmp.Diff(strings.Split(wantSummary, "\n"), strings.Split(Summary{Report: small(t)}.String(), "\n")); diff != "" {
		t.Errorf("%s", diff)
	}
}

//nolint:dupword // numbers of a table
const wantSummary = `2026-11-01 10:00:00 to 2026-11-01 10:04:11 UTC, 14 conversations, one in 4 of all
31 lines = 31 judged + 0 blank + 0 malformed + 0 duplicate + 0 late + 0 excluded
lateness 0s; 0 % of requests share their time with the one before

3 keys had to make room in memory: the longer windows may count too little;
  narrow the log with --since and --until

what repeats  repeats  longest  why it is that
stuck               8       12  same-path: the same last messages 12 times,
                                answered 7 of 11
unknown             1       12  same-path: the requests differ: 11
                                different among 11
one loop that several rules see is as many repeats

what each gateway would have stopped, as it is: requests, and conversations
gateway    reading      requests  with a loop          without
loopgauge  recommended      42 %       1 of 1  1 of 13 (7.7 %)
aisg       recommended      29 %       1 of 1  1 of 13 (7.7 %)
zelyx      recommended     9.7 %       1 of 1    0 of 13 (0 %)
tool-call-result could look at none of the requests: no tool result at the end
  of the messages
stuck-step could look at none of the requests: no response logged

last-messages, sliding: episodes by threshold and window
  [advised]  (now)
             10s     30s      1m      2m      5m     10m     30m      1h 
       2       2       2       2       2       2       2       2       2 
       3       2       2       2       2       2       2       2       2 
       4      [1]      2      (2)      2       2       2       2       2 
       5       0       2       2       2       2       2       2       2 
       6       0       2       2       2       2       2       2       2 
       8       0       1       1       1       1       1       1       1 
      10       0       1       1       1       1       1       1       1 
      15       0       0       0       0       0       0       0       0 

3 labelled sessions, 2 loops; 1 is not in the log: of the loops 1 counts as
  missed for that
  precision 1.00  (1 of 1; 95 % interval 0.21 to 1.00)
  recall    0.50  (1 of 2; 95 % interval 0.09 to 0.91)
  F1        0.67

against old.yaml: 0 new, 0 lost, 2 the same

recommended: warn by these rules, and look at what they find before enforcing
  last-messages, 4 in 10s sliding
    looks for the same last messages, 4 times within 10s
    catches 1 of 1 loop, nothing wrongly; 1.0 alerts a day
    fires 6 s after the first repeat (median; 95 % within 6 s)
    would have stopped 4 requests in 1 session of 1 caller
    repeats used 45 tokens ($0.75) until it fired, 45 tokens ($0.75) after
    chosen on the first 70 % of the time; the rest of it has no loop to prove it
    with 3 it catches 1 of 1 loop, 1 wrongly; with 5 it catches 0 of 1 loop, 0
      wrongly
little to go by: 31 requests over 4 min
some

version: 1
rules:
  - name: last-messages
    profile: loopgauge/last-messages
    counter: {kind: sliding, window: 10s}
    threshold: 4
    action: warn

# next: save this as policy.yaml, then
#       loopgauge replay --policy policy.yaml LOG      the loops; --json has ids
#       loopgauge explain --policy policy.yaml ID LOG  what counted, and why
#       loopgauge tune --html report.html LOG          look around, share it
#       loopgauge tune --export GATEWAY LOG            in a gateway's own form
`
