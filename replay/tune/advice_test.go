package tune

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// TestGridAgreesWithOutcomes: looking once at a repeat's counts says the same
// of each threshold as asking for it.
func TestGridAgreesWithOutcomes(t *testing.T) {
	scope, err := fingerprint.NewScope([]string{"session"})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		const most = 8
		// Without a scope each fingerprint is a place.
		rule := &window.Rule{Identity: anyRule.Identity, Scope: rapid.SampledFrom([]*fingerprint.Scope{scope, {}}).Draw(t, "scope")}
		r := &Report{Cells: make([]window.SweepCell, 3), Sweep: []window.SweepTarget{{Rule: rule, Tracker: make([]window.Swept, 1)}}, Options: Options{Most: most}}
		counts := window.NewRows(len(r.Cells))
		var repeats []*Repeat
		for range rapid.IntRange(0, 5).Draw(t, "repeats") {
			k := &Repeat{Rule: rule, Kind: rapid.SampledFrom(window.Kinds).Draw(t, "kind"), rows: counts}
			place := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "place")
			if k.Fingerprint, _ = fingerprint.FromBytes([]byte(strings.Repeat(place, 16))); len(rule.Scope.Fields) > 0 {
				k.Scope = []string{place}
			}
			k.First = rapid.Int64Range(-9, 9).Draw(t, "first")
			k.Last = k.First + rapid.Int64Range(0, 9).Draw(t, "lasts")
			for range rapid.IntRange(1, 6).Draw(t, "hits") {
				row := rapid.SliceOfN(rapid.Uint8Range(1, most+3), len(r.Cells), len(r.Cells)).Draw(t, "counts")
				k.hits = append(k.hits, Hit{row: counts.Add(row)})
			}
			k.counted()
			k.Requests = int64(len(k.hits)) + 1 + rapid.Int64Range(0, 3).Draw(t, "rest")
			k.tracked = []int32{rapid.Int32Range(0, most+3).Draw(t, "tracked")}
			repeats = append(repeats, k)
		}
		some := rapid.IntRange(0, len(repeats)).Draw(t, "apart")
		all, rest := r.classedOf(repeats[:some]), r.classedOf(repeats[some:])
		all.plus(rest)
		r.joined(repeats, func(k *Repeat, upTo []uint8) { all.join(r.Class(k), upTo) })
		grid := all.grid()
		for c := range r.Cells {
			for threshold := 2; threshold <= most; threshold++ {
				got, want := grid[c][threshold], r.outcome(repeats, c, threshold)
				if got != want {
					t.Fatalf("cell %d at %d: %+v, want %+v", c, threshold, got, want)
				}
			}
		}
		for threshold := 2; threshold <= most; threshold++ {
			tracked := 0
			for _, k := range repeats {
				if int(k.tracked[0]) >= threshold {
					tracked++
				}
			}
			if got := grid[len(r.Cells)][threshold].Episodes; got != tracked {
				t.Fatalf("the tracker at %d fires on %d, want %d", threshold, got, tracked)
			}
		}
	})
}

// classedOf are some repeats of the first target.
func (r *Report) classedOf(repeats []*Repeat) *classed {
	all := r.classed(0)
	for _, k := range repeats {
		all.note(r.Class(k), k)
	}
	return all
}

// outcome is that of one setting.
func (r *Report) outcome(repeats []*Repeat, cell, threshold int) (o Outcome) {
	for _, k := range repeats {
		class := r.Class(k)
		if class == Loop {
			o.Loops++
		}
		f, fired := k.fires(cell, threshold)
		switch {
		case !fired:
			continue
		case class == Loop:
			o.Caught++
			o.Waste += f.after + 1
		case class == Wrong:
			o.Wrong++
			o.WrongRequests += f.after + 1
		}
		o.Episodes++
	}
	alone := map[string][]stretch{} // the alerts of each place
	for _, k := range slices.SortedFunc(slices.Values(repeats), func(x, y *Repeat) int { return cmp.Compare(x.First, y.First) }) {
		if k.Highest(cell) < threshold {
			continue
		}
		of := alone[k.where()]
		if n := len(of); n > 0 && of[n-1].last >= k.First {
			of[n-1].last = max(of[n-1].last, k.Last)
			o.Joined++
			continue
		}
		alone[k.where()] = append(of, stretch{k.First, k.Last})
	}
	return o
}

// TestChoose: what is chosen of settings that differ in one thing. The log has
// 100 requests in 10 days, of which the grid is 70 %, and the rule counts by
// streak in 5 minutes.
func TestChoose(t *testing.T) {
	rule := &window.Rule{Identity: anyRule.Identity, Counter: window.CounterSpec{Kind: "streak", Window: 5 * time.Minute}}
	cells := []window.SweepCell{{Kind: "streak", Window: time.Minute}, {Kind: "streak", Window: 5 * time.Minute}, {Kind: "streak", Window: 10 * time.Minute}, {Kind: "sliding", Window: 5 * time.Minute}}
	type at struct{ cell, threshold int }
	f := func(what string, o Options, days float64, outcomes map[at]Outcome, want at) {
		t.Helper()
		o.Least, o.Most, o.MaxWrong = 2, 8, 0.25
		r := &Report{Cells: cells, Options: o, Days: days, Result: &replay.Result{}}
		r.Result.Account.Judged = 100
		grid := make([][]Outcome, len(cells))
		for c := range grid {
			grid[c] = make([]Outcome, o.Most+1)
		}
		for where, o := range outcomes {
			grid[where.cell][where.threshold] = o
		}
		if cell, threshold := r.choose(rule, &ground{grid, trainShare}, grid); (at{cell, threshold}) != want {
			t.Errorf("%s: chosen is cell %d at %d, want %v", what, cell, threshold, want)
		}
	}
	catches := func(waste int64) Outcome { return Outcome{Caught: 1, Waste: waste} }
	none := at{-1, 0}
	f("nothing is caught", Options{}, 10, nil, none)
	f("3 may be chance", Options{}, 10, map[at]Outcome{{1, 3}: catches(100)}, none)
	f("the most is saved", Options{}, 10, map[at]Outcome{{1, 4}: catches(100), {1, 5}: catches(99)}, at{1, 4})

	wrong := func(waste, requests int64) Outcome {
		return Outcome{Caught: 1, Waste: waste, Wrong: 1, WrongRequests: requests}
	}
	f("17 wrong requests of 70 are a quarter at most", Options{}, 10, map[at]Outcome{{1, 4}: wrong(100, 17)}, at{1, 4})
	f("18 are more", Options{}, 10, map[at]Outcome{{1, 4}: wrong(100, 18)}, none)
	f("what is three quarters of it must do, too", Options{}, 10, map[at]Outcome{
		{1, 4}: wrong(100, 18), {1, 5}: catches(99), {1, 6}: catches(98), {1, 7}: catches(97), {1, 8}: catches(96),
	}, at{1, 7})
	f("never wrong is worth a tenth", Options{}, 10, map[at]Outcome{{0, 4}: wrong(100, 1), {1, 4}: catches(90)}, at{1, 4})
	f("and no more", Options{}, 10, map[at]Outcome{{0, 4}: wrong(100, 1), {1, 4}: catches(89)}, at{0, 4})

	// The bug was that the second was advised for saving a tenth more than the third.
	saves := map[at]Outcome{{3, 4}: {Caught: 2, Waste: 111, Wrong: 3, WrongRequests: 3}, {3, 6}: {Caught: 1, Waste: 101, Wrong: 2, WrongRequests: 2}, {1, 4}: {Caught: 3, Waste: 93}}
	f("better in all else is worth another tenth", Options{}, 10, saves, at{1, 4})
	saves[at{1, 4}] = Outcome{Caught: 3, Waste: 90}
	f("and no more than that", Options{}, 10, saves, at{3, 6})
	saves[at{3, 6}], saves[at{1, 4}] = Outcome{Caught: 2, Waste: 101, Wrong: 2, WrongRequests: 2}, catches(93)
	f("what catches fewer is not", Options{}, 10, saves, at{3, 6})
	saves = map[at]Outcome{{3, 4}: {Caught: 1, Waste: 111, Wrong: 2, WrongRequests: 2}, {3, 6}: wrong(101, 1), {1, 4}: catches(93)}
	f("to be wrong less often is, where as many are caught", Options{}, 10, saves, at{1, 4})
	saves[at{1, 4}] = Outcome{Caught: 2, Waste: 93, Wrong: 1, WrongRequests: 1}
	f("and to catch more, where as many are wrong", Options{}, 10, saves, at{1, 4})
	saves[at{1, 4}] = wrong(93, 1)
	f("what is no better is not", Options{}, 10, saves, at{3, 6})

	// Which stands at cell 1.
	rule.Threshold = 4
	few := func(loops, caught int, waste int64) Outcome {
		return Outcome{Loops: loops, Caught: caught, Waste: waste}
	}
	own := map[at]Outcome{{0, 2}: {Loops: 4}, {1, 4}: few(4, 4, 10), {3, 4}: few(4, 4, 100)}
	f("of few loops the rule's own", Options{}, 10, own, at{1, 4})
	own[at{0, 2}] = Outcome{Loops: 5}
	f("of more that which saves most", Options{}, 10, own, at{3, 4})
	own[at{0, 2}], own[at{3, 4}] = Outcome{Loops: 4}, few(4, 4, 100)
	own[at{1, 4}] = few(4, 3, 10)
	f("the rule's own misses one", Options{}, 10, own, at{3, 4})
	own[at{1, 4}] = Outcome{Loops: 4, Caught: 4, Waste: 10, Wrong: 1, WrongRequests: 1}
	f("the rule's own is wrong", Options{}, 10, own, at{3, 4})
	own[at{0, 2}] = Outcome{Loops: 5}
	own[at{1, 4}], own[at{3, 4}] = few(5, 5, 51), few(5, 4, 100)
	f("of more that which saves most gives way to the rule's own, which catches more", Options{}, 10, own, at{1, 4})
	own[at{3, 5}], own[at{1, 4}] = few(5, 5, 89), few(5, 4, 51)
	own[at{3, 4}] = few(5, 3, 100)
	f("or to what is better than that and saves more", Options{}, 10, own, at{3, 5})
	delete(own, at{3, 5})
	own[at{3, 4}] = few(5, 4, 100)
	own[at{1, 4}] = few(5, 5, 50)
	f("but not for twice as much", Options{}, 10, own, at{3, 4})
	own[at{1, 4}] = few(5, 4, 51)
	f("nor if it is no better", Options{}, 10, own, at{3, 4})
	own[at{1, 4}] = Outcome{Loops: 5, Caught: 5, Waste: 51, Wrong: 1, WrongRequests: 1}
	f("nor if it is wrong more often", Options{}, 10, own, at{3, 4})
	rule.Threshold = 0

	f("and comes before catching more", Options{}, 10, map[at]Outcome{{0, 4}: {Caught: 2, Waste: 100, Wrong: 1, WrongRequests: 1}, {1, 4}: catches(100)}, at{1, 4})

	alerts := func(episodes int) map[at]Outcome {
		return map[at]Outcome{{1, 4}: {Caught: 1, Waste: 100, Episodes: episodes}}
	}
	f("7 alerts in 7 days are one a day", Options{Budget: 1}, 10, alerts(7), at{1, 4})
	f("8 are more", Options{Budget: 1}, 10, alerts(8), none)
	f("those that are one with others are none", Options{Budget: 1}, 10, map[at]Outcome{{1, 4}: {Caught: 1, Waste: 100, Episodes: 9, Joined: 2}}, at{1, 4})
	f("a lower threshold joins episodes: that it keeps to the budget is not enough", Options{Budget: 1}, 10, map[at]Outcome{
		{1, 4}: {Alerts: 10}, {1, 5}: {Caught: 1, Waste: 100, Alerts: 11},
	}, none)
	f("an hour is a day", Options{Budget: 3}, 1.0/24, alerts(3), at{1, 4})

	same := Outcome{Caught: 1, Waste: 100}
	f("the rule's own counter", Options{}, 10, map[at]Outcome{{1, 4}: catches(91), {3, 4}: same}, at{1, 4})
	f("or the only one, if that is asked", Options{ForGateway: true}, 10, map[at]Outcome{{3, 4}: same}, none)
	f("more loops are worth another counter", Options{}, 10, map[at]Outcome{{1, 4}: same, {3, 4}: {Caught: 2, Waste: 100}}, at{3, 4})
	f("the window next to its own", Options{}, 10, map[at]Outcome{{0, 4}: same, {2, 4}: same, {0, 5}: same, {2, 5}: same}, at{2, 5})
	f("one whose next threshold saves as much", Options{}, 10, map[at]Outcome{
		{0, 4}: same, {1, 4}: same, {2, 4}: same, {0, 5}: {Waste: 100},
	}, at{0, 4})
	f("and no more than that", Options{}, 10, map[at]Outcome{
		{0, 4}: same, {2, 4}: same, {0, 5}: {Waste: 110}, {1, 4}: {Waste: 110}, {2, 5}: {Waste: 100},
	}, at{2, 4})
	f("one whose neighbouring windows do", Options{}, 10, map[at]Outcome{
		{0, 4}: catches(92), {1, 4}: same, {2, 4}: same, {0, 5}: {Waste: 92}, {1, 5}: {Waste: 100}, {2, 5}: {Waste: 100},
	}, at{2, 4})
}

// TestChooseBest: no setting within the limits is better than the one that is chosen,
// and saves as much.
func TestChooseBest(t *testing.T) {
	cells := []window.SweepCell{{Kind: "streak", Window: time.Minute}, {Kind: "streak", Window: 5 * time.Minute}}
	rapid.Check(t, func(t *rapid.T) {
		rule := &window.Rule{Identity: anyRule.Identity, Counter: window.CounterSpec{Kind: "streak", Window: time.Minute}, Threshold: rapid.IntRange(3, 7).Draw(t, "threshold")}
		r := &Report{Cells: cells, Options: Options{Least: 2, Most: 6, MaxWrong: 0.25}, Days: 10, Result: &replay.Result{}}
		r.Result.Account.Judged = 100
		grid := make([][]Outcome, len(cells))
		loops := rapid.IntRange(1, 9).Draw(t, "loops")
		for c := range grid {
			grid[c] = make([]Outcome, r.Options.Most+1)
			for th := range grid[c] {
				wrong := rapid.IntRange(0, 2).Draw(t, "wrong")
				grid[c][th] = Outcome{Loops: loops, Caught: rapid.IntRange(0, loops).Draw(t, "caught"), Waste: rapid.Int64Range(0, 100).Draw(t, "waste"), Wrong: wrong, WrongRequests: int64(wrong)}
			}
		}
		on := &ground{grid, trainShare}
		cell, threshold := r.choose(rule, on, grid)
		choices := r.choices(rule, on, 0)
		if cell < 0 {
			if len(choices) > 0 {
				t.Fatalf("nothing is chosen of %d", len(choices))
			}
			return
		}
		chosen := &grid[cell][threshold]
		if !slices.ContainsFunc(choices, func(x choice) bool { return x.o == chosen }) {
			t.Fatalf("cell %d at %d is not within the limits", cell, threshold)
		}
		for _, x := range choices {
			if x.o.betters(chosen) && x.o.Waste >= chosen.Waste {
				t.Fatalf("cell %d at %d is chosen, %+v, and %d at %d is better, %+v", cell, threshold, *chosen, x.cell, x.threshold, *x.o)
			}
		}
	})
}

// TestChooseAsRun: a setting that the gateway gets wrong more often, as it runs it,
// gives way to one that saves nearly as much.
func TestChooseAsRun(t *testing.T) {
	f := func(want time.Duration, wrong ...int) {
		t.Helper()
		scope := &fingerprint.Scope{}
		rule := &window.Rule{Identity: anyRule.Identity, Scope: scope, Counter: window.CounterSpec{Kind: "streak", Window: time.Minute}}
		shipped := &window.Rule{Identity: anyRule.Identity, Scope: scope}
		r := &Report{Options: Options{ForGateway: true, Windows: []time.Duration{time.Minute, time.Hour}, Least: 2, Most: 4}, Days: 1, Result: &replay.Result{}}
		grid := make([][]Outcome, 4) // behind the cells those of the tracker
		for i := range grid {
			grid[i] = make([]Outcome, 5)
		}
		for i, w := range r.Options.Windows {
			r.Cells = append(r.Cells, window.SweepCell{Kind: "streak", Window: w})
			grid[i][4] = Outcome{Caught: 1, Waste: 100 - int64(i)}
		}
		for i, n := range wrong {
			grid[2+i][4].Wrong = n
		}
		r.Sweep, r.Advice = []window.SweepTarget{{Rule: shipped, Tracker: []window.Swept{{}}}}, []Advice{{on: ground{grid, 1}}}
		if cell, threshold := r.choose(rule, &ground{grid[:2], 1}, grid[:2]); cell < 0 || r.Cells[cell].Window != want || threshold != 4 {
			t.Errorf("wrong %v times: chosen is cell %d at %d, want %s", wrong, cell, threshold, want)
		}
	}
	f(time.Minute, 0, 0)
	f(time.Hour, 1, 0)
	f(time.Minute, 1, 1) // there is none that it gets right
}

// TestMostWrong: at the edge of --max-wrong a setting keeps to it, whatever
// floats make of tenths of a percent.
func TestMostWrong(t *testing.T) {
	f := func(maxWrong, share float64, judged, want int64) {
		t.Helper()
		r := &Report{Options: Options{MaxWrong: maxWrong}, Result: &replay.Result{}}
		r.Result.Account.Judged = judged
		if got := r.mostWrong(share); got != want {
			t.Errorf("%v of %v of %d requests are %d, want %d", maxWrong, share, judged, got, want)
		}
	}
	for n := range int64(100) {
		f(0.01, trainShare, 1000*n, 7*n)
		f(0.007, 1, 1000*n, 7*n)
		f(0.001, 1, 1000*n+999, n)
	}
	f(0, 1, 1000, 0)
	f(1, 1, math.MaxInt64, math.MaxInt64)
}

// TestAlertsOfShare: of a share of the time the repeats are counted, of which several may
// be one episode; of the whole log the episodes are known.
func TestAlertsOfShare(t *testing.T) {
	f := func(o Outcome, share, want float64) {
		t.Helper()
		if got := (&Report{Days: 10}).alerts(&o, share); got != want {
			t.Errorf("%+v in %v of the time: %v alerts a day, want %v", o, share, got, want)
		}
	}
	f(Outcome{Alerts: 10, Episodes: 20}, 1, 1)
	f(Outcome{Alerts: 10, Episodes: 20}, 0.5, 4)
	f(Outcome{Alerts: 10, Episodes: 20, Joined: 5}, 0.5, 3)
	f(Outcome{Alerts: 10, Episodes: 4}, 0.5, 1)
}

// TestRecommend: of rules that catch loops in the conversations named by
// letters, which are worth having. D alone goes on for very long.
func TestRecommend(t *testing.T) {
	type rule struct {
		caught string
		wrong  int
	}
	f := func(what string, rules []rule, want ...int) *passedOver {
		t.Helper()
		r := &Report{}
		counts := window.NewRows(1)
		for i, x := range rules {
			r.Advice = append(r.Advice, Advice{Target: i, Threshold: 4, Found: x.caught != "", Outcome: Outcome{Caught: len(x.caught), Wrong: x.wrong}})
			for _, who := range x.caught {
				k := &Repeat{Rule: anyRule, Target: i, Kind: window.Stuck, Requests: window.LeastRepeats, Conversation: string(who), rows: counts, hits: []Hit{{row: counts.Add([]uint8{4})}}}
				if x.caught == "D" {
					k.Requests = 20_000
				}
				k.counted()
				r.Repeats = append(r.Repeats, k)
			}
		}
		if r.recommend(); !slices.Equal(r.Recommended, want) {
			t.Errorf("%s: recommended are %v, want %v", what, r.Recommended, want)
		}
		if few := strings.HasSuffix(what, ", and that is said"); few != (r.passedOver != nil) || few && r.passedOver.takes > 0 {
			t.Errorf("%s: passed over is %+v", what, r.passedOver)
		}
		return r.passedOver
	}
	f("none is advised", []rule{{"", 0}})
	f("wrong as often as right", []rule{{"a", 1}})
	f("any that is alone", []rule{{"a", 0}}, 0)
	f("the one that catches most", []rule{{"ab", 0}, {"abc", 0}}, 1)
	f("but the one that is wrong least often before it", []rule{{"abc", 1}, {"ab", 0}}, 1)
	f("which is not worth having if that finds all that it does", []rule{{"abcd", 1}, {"ab", 0}}, 0)
	f("and is if not", []rule{{"abcd", 1}, {"ae", 0}}, 1, 0)
	f("one conversation more is no reason for another rule", []rule{{"abc", 0}, {"cd", 0}}, 0)
	f("two are", []rule{{"abc", 0}, {"cde", 0}}, 0, 1)
	f("one is, of an agent that nobody stopped", []rule{{"abc", 0}, {"D", 0}}, 0, 1)
	f("or a tenth, of many, and that is said", []rule{{"abcdefghijklmnopqrstuvwxyzABCD", 0}, {"01", 0}}, 0)
	if most := f("of two the one that finds more, and that is said", []rule{{"abcdefghijklmnopqrstuvwxyzABCEFGHIJKLMNOP", 0}, {"01a", 0}, {"012", 0}, {"34", 0}}, 0); most != nil && most.more != 3 {
		t.Errorf("passed over is one that finds %d more", most.more)
	}
	f("which are three of thirty", []rule{{"abcdefghijklmnopqrstuvwxyzABCD", 0}, {"012", 0}}, 0, 1)
}

// TestWorth: ten times as much is saved as what is caught, of which a loop that is
// found with its last request is one.
func TestWorth(t *testing.T) {
	r := &Report{Repeats: []*Repeat{repeatOf(4, 2, 3, 4)}}
	seen := r.caught(&Advice{Threshold: 4})
	for saved, want := range map[int64]bool{10: false, 11: true} {
		if got := (catch{"another": saved}).worth(seen); got != want {
			t.Errorf("%d requests beside %v: %v", saved, seen, got)
		}
	}
}

// TestBudgetOfAllRules: the recommended rules keep to the budget together. The bug
// was that each did by itself.
func TestBudgetOfAllRules(t *testing.T) {
	scope, err := fingerprint.NewScope([]string{"session"})
	if err != nil {
		t.Fatal(err)
	}
	rule := &window.Rule{Identity: anyRule.Identity, Scope: scope}
	f := func(budget float64, rules string, want ...int) (together string) {
		t.Helper()
		r := &Report{Days: 1, Options: Options{Budget: budget}, Result: result(100)}
		counts := window.NewRows(1)
		for i, caught := range strings.Fields(rules) {
			r.Advice = append(r.Advice, Advice{Target: i, Threshold: 4, Found: true, Outcome: Outcome{Caught: len(caught), Alerts: len(caught)}})
			for at, who := range caught {
				k := &Repeat{Rule: rule, Target: i, Scope: []string{string(who)}, Kind: window.Stuck, Requests: window.LeastRepeats, Session: string(who), rows: counts, hits: []Hit{{row: counts.Add([]uint8{4})}}}
				k.First, k.Last = int64(10*at), int64(10*at+5)
				k.counted()
				r.Repeats = append(r.Repeats, k)
			}
		}
		if r.recommend(); !slices.Equal(r.Recommended, want) {
			t.Errorf("%v alerts a day, %s: recommended are %v, want %v", budget, rules, r.Recommended, want)
		}
		if over := r.passedOver; (over == nil) != (len(want) == len(r.Advice)) || over != nil && (over.more != 2 || over.takes == 0) {
			t.Errorf("%v alerts a day, %s: passed over is %+v", budget, rules, over)
		}
		return r.Together()
	}
	f(0, "abc de", 0, 1)
	f(5, "abc de", 0, 1)
	f(4, "abc de", 0)
	f(5, "abc dbe", 0, 1) // b loops at the same time for both: one alert
	f(4, "abc dbe", 0)
	f(7, "abc dbe fg", 0, 1, 2)
	f(6, "abc dbe fg", 0, 1)
	f(8, "abc deb fbg", 0, 1, 2) // b loops at one time for the first and third
	f(7, "abc deb fbg", 0, 1)
	f(10, "acdb ebf ghb", 0, 1, 2) // and at three times
	f(9, "acdb ebf ghb", 0, 1)
	f(5, "abc bde", 0) // and at another time
	f(1, "abc de", 0)  // what a rule may cost by itself was asked before
	within := alerts{fired: map[string][]stretch{}}
	within.take(0, map[string][]stretch{"a": {{0, 100}, {10, 20}}})
	if last := within.fired["a"][1].last; last != 100 {
		t.Errorf("within a stretch up to 100 another goes on up to %d", last)
	}
	if got, want := f(0, "abc dbe fg", 0, 1, 2), "together 7.0 alerts a day"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	pauses := &Report{Recommended: []int{0, 1}, Advice: []Advice{{}, {Target: 1, Outcome: Outcome{Paused: true}}}}
	if got, want := pauses.Together(), "together about 0 alerts a day"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// What a rule does by its own setting is known where a cell counts as it does, be it
// the first.
func TestCurrent(t *testing.T) {
	loop := []*Repeat{repeatOf(6, 2, 3, 4, 5, 6)}
	f := func(kind string, threshold int, want bool, caught int) {
		t.Helper()
		rule := &window.Rule{Identity: anyRule.Identity, Counter: window.CounterSpec{Kind: kind, Window: time.Minute}, Threshold: threshold}
		r := &Report{
			Cells: []window.SweepCell{{Kind: "streak", Window: time.Minute}}, Sweep: sweptOnce(rule, 8, loop), Days: 1,
			Options: Options{Most: 8}, Result: result(100),
		}
		a := r.adviseOne(0, r.classedOf(loop), r.classedOf(nil))
		if a.HasCurrent != want || a.Current.Caught != caught || want && a.Current.Loops != 1 {
			t.Errorf("%s at %d: known %t, catches %d of %d", kind, threshold, a.HasCurrent, a.Current.Caught, a.Current.Loops)
		}
	}
	f("streak", 6, true, 1)
	f("streak", 7, true, 0)
	f("streak", 256, true, 0) // beyond what is counted up to
	f("sliding", 6, false, 0)
}

// No threshold beyond those that were asked for is advised, though of the rule's own
// it is known what it would do.
func TestMostThreshold(t *testing.T) {
	loop, wrong := repeatOf(16, 16), repeatOf(10, 10)
	wrong.Kind = window.Unknown
	f := func(most, want int) {
		t.Helper()
		rule := &window.Rule{Identity: anyRule.Identity, Counter: window.CounterSpec{Kind: "streak", Window: time.Minute}, Threshold: 16}
		r := &Report{
			Cells: []window.SweepCell{{Kind: "streak", Window: time.Minute}}, Sweep: sweptOnce(rule, most, []*Repeat{loop, wrong}), Days: 1,
			Options: Options{Most: most}, Result: result(100),
		}
		if a := r.adviseOne(0, r.classedOf([]*Repeat{loop, wrong}), r.classedOf(nil)); a.Threshold != want {
			t.Errorf("up to %d: advised is %d, want %d", most, a.Threshold, want)
		}
	}
	f(16, 16)
	f(12, 0)
}

// TestStepsAreOneAlert: a loop of several steps is as many repeats, and costs one
// alert.
func TestStepsAreOneAlert(t *testing.T) {
	scope, err := fingerprint.NewScope([]string{"session"})
	if err != nil {
		t.Fatal(err)
	}
	rule := &window.Rule{Identity: anyRule.Identity, Scope: scope, Counter: window.CounterSpec{Kind: "streak", Window: time.Minute}}
	f := func(second string, first int64, want float64) {
		t.Helper()
		r := &Report{Cells: []window.SweepCell{{Kind: "streak", Window: time.Minute}}, Days: 1, Options: Options{Most: 8}, Result: result(100)}
		for i, session := range []string{"s", second} {
			k := repeatOf(4, 2, 3, 4)
			k.Rule, k.Scope, k.First = rule, []string{session}, int64(i)*first
			k.Last = k.First + 100
			r.Repeats = append(r.Repeats, k)
		}
		r.Result.First, r.Result.Last = 0, 1000
		r.Sweep = sweptOnce(rule, r.Options.Most, r.Repeats)
		r.advise()
		if got := r.alerts(&r.Advice[0].Outcome, 1); got != want {
			t.Errorf("%s at %d: %v alerts a day, want %v", second, first, got, want)
		}
		if got := r.alertsPerDay(); got != want {
			t.Errorf("%s at %d: together %v alerts a day, want %v", second, first, got, want)
		}
	}
	f("s", 1, 1)
	f("s", 100, 1)
	f("s", 101, 2) // another loop
	f("t", 1, 2)
}
