package tune

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

func TestExcess(t *testing.T) {
	f := func(wrong, normal, longWrong, long int, want string) {
		t.Helper()
		g := GatewayReport{
			Gateway: Gateway{Name: "zelyx", Rules: []*window.Rule{{Threshold: 100}, {Threshold: 10}}},
			Wrong:   wrong, Normal: normal, LongWrong: longWrong, Long: long,
		}
		if got := g.Excess(); got != want {
			t.Errorf("%d of %d, %d of %d:\n%s\nwant\n%s", wrong, normal, longWrong, long, got, want)
		}
	}
	f(0, 0, 0, 0, "")
	f(50, 100, 5, 10, "")
	f(9, 9, 9, 9, "")
	f(51, 100, 5, 10, "zelyx flags 51 of 100 conversations without a loop (51 %)")
	f(50, 100, 6, 10, "zelyx flags 50 of 100 conversations without a loop (50 %), and 6 of the 10 with 10 requests or more (60 %)")
}

// TestCompare: gateways are compared by the conversations that they act in, with a loop
// and without, and by what they could look at. A name says what is so of a
// conversation.
func TestCompare(t *testing.T) {
	acts, sees, idle := &window.Rule{Threshold: 9}, &window.Rule{Threshold: 4}, &window.Rule{Threshold: 4}
	differences := []Difference{{Of: "none"}, {Of: "one more"}, {Of: "one less"}}
	c := &gatewayCounts{flagged: newSampled[uint64](mostConversations), of: []gatewayCount{
		{Gateway: Gateway{Name: "idle", Rules: []*window.Rule{idle}}},
		{Gateway: Gateway{Name: "acts", Rules: []*window.Rule{acts, sees}, Differences: differences}, requests: 7, episodes: 3, judging: []*differs{{}, {more: 1}, {less: 1}}},
	}}
	conversations, loops := newSampled[uint32](mostConversations), map[conversation]bool{}
	for name, requests := range map[string]uint32{
		"loops, acts": 9, "loops": 9, "loops too": 9, "long, acts": 4, "long": 4, "long too": 5, "long as well": 9, "acts": 3, "acts too": 2, "": 3,
	} {
		who := conversationOf("conversation " + name)
		conversations.of[who] = requests
		if strings.HasPrefix(name, "loops") {
			loops[who] = true
		}
		if strings.Contains(name, "acts") {
			c.flagged.of[who] = 1 << 1
		}
	}
	r := &Report{Result: result(10)}
	for rule, counted := range map[*window.Rule]int64{idle: 9, acts: 4, sees: 6} {
		a := window.RuleAccount{Rule: rule, Judged: 10, Counted: counted}
		a.NotComputable[fingerprint.NoBody] = 10 - counted
		r.Result.Rules = append(r.Result.Rules, a)
	}
	r.compare(c, &conversations, loops)
	want := []GatewayReport{
		{Gateway: c.of[0].Gateway, Loops: 3, Normal: 7, Long: 4, Coverage: 0.9},
		{
			Gateway: c.of[1].Gateway, Requests: 7, Episodes: 3, Conversations: 4, Caught: 1, Loops: 3, Wrong: 3, Normal: 7, LongWrong: 1, Long: 4, Coverage: 0.6,
			Matter: []Matter{{differences[1], 1, 0}, {differences[2], 0, 1}},
		},
	}
	if !reflect.DeepEqual(r.Gateways, want) {
		t.Errorf("%+v, want %+v", r.Gateways, want)
	}
}

// TestExclusionsAreFew: those that take out most are suggested, and what the
// others would take out is not taken for excluded, nor what one would that hides
// a loop: it is not in the policy. For a gateway there are none.
func TestExclusionsAreFew(t *testing.T) {
	r := &Report{}
	for path := range 12 {
		for range path + 1 {
			r.Repeats = append(r.Repeats, &Repeat{Rule: anyRule, Kind: window.Polling, Requests: 3, method: "GET", path: "/" + strconv.Itoa(path), facts: &window.Facts{Gets: 2}})
		}
	}
	loop := &Repeat{Rule: anyRule, Kind: window.Stuck, Requests: 9, method: "GET", path: "/5", facts: &window.Facts{}}
	alone := &Repeat{Rule: anyRule, Kind: window.Unknown, Requests: 1, method: "GET", path: "/5", facts: &window.Facts{}}
	other := &Repeat{Rule: anyRule, Kind: window.Unknown, Requests: 1, method: "GET", path: "/6", facts: &window.Facts{}}
	r.Repeats = append(r.Repeats, loop, alone, other)
	gateway := &Report{Repeats: r.Repeats, Options: Options{ForGateway: true}}
	if gateway.exclude(); len(gateway.Exclusions) > 0 {
		t.Errorf("a gateway has %d exclusions", len(gateway.Exclusions))
	}
	r.exclude()
	if len(r.Exclusions) != 10 || r.Spared != 2 {
		t.Fatalf("%d exclusions, %d spared", len(r.Exclusions), r.Spared)
	}
	for i, x := range r.Exclusions {
		path := 11 - i
		hides := 0
		if path == 5 {
			hides = 1
		}
		if x.Match != `method == "GET" && path == "/`+strconv.Itoa(path)+`"` || x.Mutes != path+1 || x.Hides != hides {
			t.Errorf("exclusion %d: %+v", i, x)
		}
	}
	for _, k := range r.Repeats {
		if want := k.path != "/5" && k.path != "/0" && k.path != "/1"; k.excluded != want {
			t.Errorf("%s %s: excluded %t", k.Kind, k.path, k.excluded)
		}
	}
}

// TestExclusionsStay: what is polled once is not there tomorrow. The bug was that a
// rule was wrong nowhere, for the policy left out each job by its id.
func TestExclusionsStay(t *testing.T) {
	const hour = 3_600_000_000
	f := func(want bool, repeats ...*Repeat) {
		t.Helper()
		for _, k := range repeats {
			k.Rule, k.Requests, k.method, k.facts = anyRule, 9, "GET", &window.Facts{Gets: 8}
		}
		r := &Report{Days: 1, Repeats: repeats}
		if r.exclude(); (len(r.Exclusions) == 1) != want {
			t.Errorf("%s of %s: exclusions are %+v", repeats[0].Kind, repeats[0].path, r.Exclusions)
		}
	}
	f(false, &Repeat{Kind: window.Polling, path: "/jobs/7"})
	f(false, &Repeat{Kind: window.Polling, path: "/jobs/7"}, &Repeat{Kind: window.Polling, path: "/jobs/7", Target: 1})
	f(true, &Repeat{Kind: window.Polling, path: "/jobs"}, &Repeat{Kind: window.Polling, path: "/jobs", First: hour, Last: hour})
	f(false, &Repeat{Kind: window.Polling, path: "/jobs", First: hour, Last: 3 * hour})
	f(true, &Repeat{Kind: window.Polling, path: "/jobs", Last: 3 * hour})
	f(true, &Repeat{Kind: window.Probe, path: "/healthz"})
}

// TestDiffers: a request counts where one of two rules alone acts on it, whatever it
// asks for more than once.
func TestDiffers(t *testing.T) {
	d := &differs{own: &window.Rule{}, documented: &window.Rule{}}
	fires := func(rule *window.Rule, offsets ...int64) {
		for _, at := range offsets {
			d.fired(rule, &window.Event{Position: fingerprint.Position{Offset: at}, Prints: []window.Prints{{Fingerprints: make([]fingerprint.Fingerprint, 1)}}})
		}
	}
	fires(d.own, 0, 1, 1)
	fires(d.documented, 1, 2, 3, 3, 4)
	if d.settle(); d.more != 1 || d.less != 3 {
		t.Errorf("%d more and %d less, want 1 and 3", d.more, d.less)
	}
}

// TestJudged: a rule of a gateway that judges as another does is judged once,
// and counts for both.
func TestJudged(t *testing.T) {
	id, err := fingerprint.New("prompt", fingerprint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := fingerprint.NewScope(nil)
	if err != nil {
		t.Fatal(err)
	}
	rule := func(name string, threshold int) *window.Rule {
		return &window.Rule{Name: name, Identity: id, Scope: scope, Counter: window.CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: threshold, Action: window.Warn}
	}
	swept := []*window.Rule{rule("swept", 4), rule("swept too", 4)}
	rules, gateways := judged(swept, []Gateway{
		{Name: "a", Rules: []*window.Rule{rule("a", 4)}, Differences: []Difference{{Of: "x", Rule: rule("a: x", 5)}}},
		{Name: "b", Rules: []*window.Rule{rule("b", 5), rule("b too", 6)}},
		{Name: "c", Rules: []*window.Rule{rule("c", 4)}},
	})
	var names []string
	for _, r := range rules {
		names = append(names, r.Name)
	}
	if want := []string{"swept", "swept too", "a: x", "b too"}; !slices.Equal(names, want) {
		t.Errorf("judged are %q, want %q", names, want)
	}
	plan := window.NewPlan(rules, nil)
	c := newGatewayCounts(gateways, plan)
	ev := &window.Event{Prints: make([]window.Prints, len(plan.Identities))}
	ev.Prints[0].Fingerprints = make([]fingerprint.Fingerprint, 1)
	for ev.Position.Line = range int64(3) {
		for _, r := range rules {
			c.fired(r, ev, 0, false)
		}
	}
	for _, r := range rules {
		c.episodes(r, 1, false)
	}
	for i, episodes := range []int64{1, 2, 1} {
		if g := &c.of[i]; g.requests != 3 || g.episodes != episodes {
			t.Errorf("%s: %d requests in %d episodes, want 3 in %d", g.Name, g.requests, g.episodes, episodes)
		}
	}
	d := c.of[0].judging[0]
	if d.settle(); d.more != 0 || d.less != 0 || d.own != swept[0] || d.documented != rules[2] {
		t.Errorf("the difference: %+v", d)
	}

	// Of what the documented rule cannot look at nobody knows how they differ.
	blind := &differs{own: rules[0], documented: rules[2]}
	blind.fired(rules[0], &window.Event{Prints: make([]window.Prints, 1)})
	if blind.settle(); blind.more != 0 {
		t.Errorf("%d requests differ that only one of two rules can look at", blind.more)
	}
}

// TestLooping: whose loop it is says a rule that looks at what was said. The bug
// was a gateway to which every request of a chat is the same, and which was right
// in each for that; its word counts where nobody could look, and where a label
// says it.
func TestLooping(t *testing.T) {
	profiles, err := policy.FromProfiles([]string{"zelyx", "loopgauge/last-messages"})
	if err != nil {
		t.Fatal(err)
	}
	plan := window.NewPlan(profiles.Rules, nil)
	f := func(what string, looked int64, labels Labels, want ...string) {
		t.Helper()
		s := newKeeper(newCollector(plan, []int{0, 1}, 1, plan.NewWitness(0)), &Options{Labels: labels})
		for target, who := range []string{"zelyx", "ours"} {
			s.all = append(s.all, &Repeat{Rule: anyRule, Target: target, Session: who, Kind: window.Retry, Requests: 4})
			s.sums.loops[whose{target: target, who: who + "-summed"}] = nil
		}
		rules := []window.RuleAccount{{Rule: plan.Rules[0], Judged: 9, Counted: 9}, {Rule: plan.Rules[1], Judged: 9, Counted: looked}}
		rules[1].NotComputable[fingerprint.NoMessages] = 9 - looked
		got := looping([]*keeper{s}, rules)
		loops := map[conversation]bool{}
		for _, who := range want {
			loops[conversationOf(who)] = true
		}
		if !maps.Equal(got, loops) {
			t.Errorf("%s: %d conversations with a loop, want %q", what, len(got), want)
		}
	}
	f("ours looked", 9, nil, "ours", "ours-summed")
	f("a label says no", 0, Labels{"zelyx-summed": false}, "ours", "ours-summed", "zelyx")
	f("it could not", 0, nil, "ours", "ours-summed", "zelyx", "zelyx-summed")
	f("labels", 9, Labels{"zelyx": true, "ours": false}, "zelyx", "ours-summed")
}
