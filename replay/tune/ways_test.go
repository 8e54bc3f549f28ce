package tune

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// TestMasksAreAWay: a call whose result has a new id each time looks like
// polling, and nothing said how to tell. That results change was also said of a
// call that comes by a clock, and always has the same.
func TestMasksAreAWay(t *testing.T) {
	f := func(want bool, requests int, pause time.Duration, result string) {
		t.Helper()
		var log strings.Builder
		for i := range requests {
			fmt.Fprintf(&log, `{"time":%d,"session":"s","caller":"c","model":"m","messages":[{"role":"user","content":"%d"},{"role":"assistant","tool_calls":[{"id":"t","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"t","content":"%s"}],"tool_calls":[{"name":"f","arguments":"{}"}]}`+"\n", 1e9+i*int(pause/time.Second), i, strings.ReplaceAll(result, "N", strconv.Itoa(i)))
		}
		name := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(name, []byte(log.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		r := tunedLog(t, name, "loopgauge", nil, 100)
		if got := strings.Contains(strings.Join(r.Ways(), " "), "(docs/policy.md#masks)"); got != want {
			t.Errorf("%d requests, %s, %s: %q (%s)", requests, pause, result, r.Ways(), r.Verdict())
		}
	}
	f(true, 9, 7*time.Second, "id N")
	f(true, 4, 7*time.Second, "id N")
	f(false, 3, 7*time.Second, "id N")
	f(true, 9, 10*time.Minute, "id N")
	f(false, 9, 10*time.Minute, "none")
}

// TestRaise: a limit is to be raised only where that brings a recommendation. The
// bug was that what is wrong more often than right was promised, and never came.
func TestRaise(t *testing.T) {
	loop, wrong := repeatOf(6, 2, 3, 4, 5, 6), repeatOf(5, 2, 3, 4, 5)
	loop.Kind, wrong.Kind = window.Stuck, window.Unknown
	rule := &window.Rule{Identity: anyRule.Identity, Counter: window.CounterSpec{Kind: "streak", Window: time.Minute}}
	conversations := 3
	f := func(o Options, repeats []*Repeat, verdict Verdict, want string, ofAnother ...*Repeat) {
		t.Helper()
		o.Most = cmp.Or(o.Most, 4)
		r := &Report{Conversations: conversations, Cells: []window.SweepCell{{Kind: "streak", Window: time.Minute}}, Sweep: sweptOnce(rule, o.Most, repeats), Days: 1}
		r.Options, r.Result = o, result(1000)
		r.Result.Rules = []window.RuleAccount{{Rule: rule, Judged: 1000, Counted: 1000}}
		r.Options.Rules = []*window.Rule{rule}
		r.Advice = []Advice{r.adviseOne(0, r.classedOf(repeats), r.classedOf(nil))}
		if len(ofAnother) > 0 {
			r.Sweep = append(r.Sweep, sweptOnce(rule, o.Most, ofAnother)...)
			r.Result.Rules, r.Options.Rules = append(r.Result.Rules, r.Result.Rules[0]), append(r.Options.Rules, rule)
			r.Advice = append(r.Advice, r.adviseOne(1, r.classedOf(ofAnother), r.classedOf(nil)))
		}
		if got := r.Verdict(); got != verdict {
			t.Errorf("%s, want %s", got, verdict)
		}
		if got := r.Raise(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if ways := r.Ways(); slices.Contains(ways, "") || want != "" && ways[0] != want {
			t.Errorf("the ways are %q, want %q first", ways, want)
		}
	}
	const labels = "give --labels, which decide what is wrong"
	f(Options{MaxWrong: 0.001}, []*Repeat{loop, loop, wrong}, OverLimits, "raise --max-wrong to have it, or "+labels)
	f(Options{MaxWrong: 0.001}, []*Repeat{loop, wrong}, OverLimits, labels)
	f(Options{MaxWrong: 0.001, ForGateway: true}, []*Repeat{loop, wrong}, OverLimits, "raise --max-wrong to have it, or "+labels)
	f(Options{MaxWrong: 0.1}, []*Repeat{loop, wrong}, Outweighed, labels)
	f(Options{MaxWrong: 0.001, Budget: 0.1}, []*Repeat{loop, loop}, OverLimits, "raise --budget to have it") // twenty times
	f(Options{MaxWrong: 0.001, Budget: 1}, []*Repeat{loop, loop, wrong}, OverLimits, "raise --budget and --max-wrong to have it, or "+labels)
	// Of two rules it is that which needs less: twice the one, or four times the other.
	f(Options{MaxWrong: 0.001, Budget: 3}, []*Repeat{loop, loop, wrong}, OverLimits, "raise --max-wrong to have it, or "+labels, slices.Repeat([]*Repeat{loop}, 12)...)
	f(Options{MaxWrong: 0.001, Budget: 3}, slices.Repeat([]*Repeat{loop}, 12), OverLimits, "raise --max-wrong to have it, or "+labels, loop, loop, wrong)
	f(Options{MaxWrong: 0.0001, Budget: 0.1}, []*Repeat{loop, loop, wrong}, OverLimits, labels)
	// Of 6 requests it would be right, but then 4 save more, and are wrong as often.
	loops, others := []*Repeat{loop, loop, loop, repeatOf(4, 2, 3, 4)}, []*Repeat{repeatOf(6, 2, 3, 4, 5, 6), repeatOf(6, 2, 3, 4, 5, 6), repeatOf(4, 2, 3, 4), repeatOf(4, 2, 3, 4)}
	for _, k := range others {
		k.Kind = window.Unknown
	}
	f(Options{Most: 6, MaxWrong: 0.002}, append(loops, others[1:]...), OverLimits, "raise --max-wrong to have it, or "+labels)
	f(Options{Most: 6, MaxWrong: 0.002}, append(loops, others...), OverLimits, labels)
	conversations = 0 // a log of paths alone, of which labels could name none
	f(Options{MaxWrong: 0.001}, []*Repeat{loop, loop, wrong}, OverLimits, "raise --max-wrong to have it")
	f(Options{MaxWrong: 0.001}, []*Repeat{loop, wrong}, OverLimits, "")
}

// A recommendation that rests on paths alone says what it has not seen.
func TestRecommendedByPaths(t *testing.T) {
	f := func(sees fingerprint.Sight, want int) {
		t.Helper()
		rule := &window.Rule{Identity: &fingerprint.Identity{Sees: sees}, Profile: "gateway"}
		r := &Report{Recommended: []int{0}, Options: Options{Rules: []*window.Rule{rule}}}
		r.Result = result(1000)
		r.Result.Rules = []window.RuleAccount{{Rule: rule, Judged: 1000, Counted: 1000}}
		if got := r.Ways(); len(got) != want {
			t.Errorf("sees %v: %q", sees, got)
		}
	}
	f(0, 1)
	f(fingerprint.SeesCalls, 0)
}
