package tune

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// TestCoverage: a rule that leaves some requests out, and can look at none of the
// others, looks at none: it was told to have looked at those that it leaves out,
// so that a loop of another rule was none.
func TestCoverage(t *testing.T) {
	f := func(counted, notMatched, blind int64, want float64) {
		t.Helper()
		a := window.RuleAccount{Judged: counted + notMatched + blind, Counted: counted, NotMatched: notMatched}
		a.NotComputable[fingerprint.NoMessages] = blind
		if got := coverage(&a); got != want {
			t.Errorf("of %d counted, %d left out and %d blind: %v, want %v", counted, notMatched, blind, got, want)
		}
	}
	f(0, 0, 0, 0)
	f(0, 0, 4, 0)
	f(0, 1, 3, 0)
	f(1, 1, 2, 0.5)
	f(0, 4, 0, 1)
	f(4, 0, 0, 1)
}

// TestGaps: what the log lacks of what rules go by is said, once for those that
// lack the same; that a request called no tool is no lack.
func TestGaps(t *testing.T) {
	idle := &window.Rule{Name: "of nothing judged"}
	r := &Report{Result: &replay.Result{Report: replay.Report{Rules: []window.RuleAccount{{Rule: idle}}}}, Options: Options{Rules: []*window.Rule{idle}}}
	f := func(name string, causes map[fingerprint.Cause]int64, want ...string) {
		t.Helper()
		a := window.RuleAccount{Rule: &window.Rule{Name: name}, Judged: 1000, Counted: 1000}
		for cause, n := range causes {
			a.NotComputable[cause] = n
			a.Counted -= n
		}
		r.Result.Rules = append(r.Result.Rules, a)
		r.Options.Rules = append(r.Options.Rules, a.Rule)
		if diff := cmp.Diff(want, r.Caveats()); diff != "" {
			t.Error(name + ": " + diff)
		}
	}
	some := "a could not look at 70 % of the requests: content redacted by the logger"
	f("a", map[fingerprint.Cause]int64{fingerprint.RedactedContent: 600, fingerprint.NoMessages: 100, fingerprint.NoToolCall: 200}, some)
	f("few", map[fingerprint.Cause]int64{fingerprint.NoMessages: 9}, some)
	f("said", map[fingerprint.Cause]int64{fingerprint.NoToolTurn: 999}, some)
	f("spoken", map[fingerprint.Cause]int64{fingerprint.ToolTurn: 600, fingerprint.NoAnswer: 400}, some)
	r.Result.Rules, r.Options.Rules = r.Result.Rules[:4], r.Options.Rules[:4]
	none := "none could look at none of the requests: no tool call"
	f("none", map[fingerprint.Cause]int64{fingerprint.NoToolCall: 1000}, some, none)
	f("b", map[fingerprint.Cause]int64{fingerprint.RedactedContent: 700}, "a, b could not look at 70 % of the requests: content redacted by the logger", none)

	r.Result.Rules, r.Options.Rules = r.Result.Rules[:6], r.Options.Rules[:6]
	f("mostly", map[fingerprint.Cause]int64{fingerprint.NoToolCall: 991, fingerprint.LossyContent: 9}, "a, b could not look at 70 % of the requests: content redacted by the logger", "none, mostly could look at none of the requests: no tool call")
	r.Result.Rules, r.Options.Rules = r.Result.Rules[:6], r.Options.Rules[:6]
	f("lost", map[fingerprint.Cause]int64{fingerprint.NoToolCall: 990, fingerprint.LossyContent: 10}, "a, b could not look at 70 % of the requests: content redacted by the logger", none, "lost could look at none of the requests: parts of the messages lost by the logger")

	// What gateways lack is said of theirs, unless the same is said anyway.
	deaf := &window.Rule{Name: "deaf"}
	a := window.RuleAccount{Rule: deaf, Judged: 1000}
	a.NotComputable[fingerprint.NoBody] = 1000
	r.Result.Rules = append(r.Result.Rules, a)
	r.Gateways = []GatewayReport{{Gateway: Gateway{Rules: []*window.Rule{r.Options.Rules[6]}}}, {Gateway: Gateway{Rules: []*window.Rule{deaf}}}}
	if diff := cmp.Diff([]string{"deaf could look at none of the requests: no body"}, r.GatewayGaps()); diff != "" {
		t.Error(diff)
	}

	r.Advice, r.Recommended = []Advice{{Rule: r.Options.Rules[5]}}, []int{0}
	r.Gateways = append(r.Gateways, GatewayReport{Gateway: Gateway{Rules: r.Options.Rules[5:6]}}) // and lacks the same
	if got := r.GatewayGaps(); len(got) != 3 {
		t.Errorf("beside a recommendation the gateways lack %q", got)
	}
	if diff := cmp.Diff([]string{"b could not look at 70 % of the requests: content redacted by the logger"}, r.Caveats()); diff != "" {
		t.Error(diff)
	}

	// So is how conversations are told where no session is named.
	r.Result.Account.Judged, r.Result.Rules[5].FellBack = 1000, 400
	if diff := cmp.Diff([]string{
		"b could not look at 70 % of the requests: content redacted by the logger",
		"40 % of requests, which name no session, were told apart by caller, end user, system prompt and first user message",
	}, r.Caveats()); diff != "" {
		t.Error(diff)
	}
}

// TestScattered: in a log whose requests are all conversations of their own that
// no loop was found says little.
func TestScattered(t *testing.T) {
	calls, err := fingerprint.New("tool-call", fingerprint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rule := &window.Rule{Identity: calls}
	r := &Report{Result: result(1000), Options: Options{Rules: []*window.Rule{rule}}}
	r.Result.Rules = []window.RuleAccount{{Rule: rule, Judged: 1000, Counted: 1000}}
	r.Result.Scattered = "nearly every request is a conversation of its own"
	r.Result.Retold = "all is in one message"
	r.Result.Account.Lines, r.Result.Account.Malformed, r.Result.Account.Duplicate = 3500, 400, 2100
	var b strings.Builder
	Summary{Report: r}.recommendation(&b)
	want := string(NothingFound) + "\n" + replay.Wrapped(r.Result.Account.MostlyDuplicate()) + `
11 % of the lines could not be read: loops in them are not seen
nearly every request is a conversation of its own
all is in one message
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// TestLeftAside: that a rule has another window for some requests than the cells
// go by is said, unless it is the one that is advised; so is what sessions set.
func TestLeftAside(t *testing.T) {
	f := func(what string, of Advice, rule window.Rule, chatSet int64, want ...string) {
		t.Helper()
		rule.Name, of.Rule = "calls", &rule
		other := &window.Rule{Name: "other", Overrides: []window.Override{{Window: time.Hour}}} // of which nothing is said
		r := &Report{
			Options: Options{Rules: []*window.Rule{&rule}}, Cells: []window.SweepCell{{Kind: "streak", Window: time.Minute}},
			Result: &replay.Result{Report: replay.Report{Rules: []window.RuleAccount{{Rule: &rule, ChatSet: chatSet}, {Rule: other}}}}, Advice: []Advice{of, {Rule: other}},
		}
		if diff := cmp.Diff(want, r.Caveats()); diff != "" {
			t.Error(what + ": " + diff)
		}
	}
	overrides := func(lasting time.Duration) window.Rule {
		return window.Rule{Overrides: []window.Override{{Threshold: 4}, {Window: lasting}}}
	}
	f("no window", Advice{}, overrides(0), 0)
	f("another window", Advice{Found: true}, overrides(time.Hour), 0, "what is said of calls leaves aside the window that an override sets: replay may fire on other requests")
	f("the window advised", Advice{Found: true}, overrides(time.Minute), 0)
	f("nothing advised", Advice{}, overrides(time.Minute), 0, "what is said of calls leaves aside the window that an override sets: replay may fire on other requests")
	f("what was over before the log", Advice{Found: true}, window.Rule{Overrides: []window.Override{{Window: time.Hour, Until: time.UnixMicro(-1)}}}, 0)
	f("sessions", Advice{Found: true}, overrides(0), 1, "what is said of calls leaves aside what sessions set: replay may fire on other requests")
	f("both", Advice{Found: true}, overrides(time.Hour), 1, "what is said of calls leaves aside the window that an override sets and what sessions set: replay may fire on other requests")
}
