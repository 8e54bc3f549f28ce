package tune

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// Advice is the setting of one rule that is worth having, and what it would
// have done to the log.
type Advice struct {
	Rule      *window.Rule
	Target    int
	Cell      int // index into Report.Cells
	Threshold int
	Found     bool // there is a setting that catches something within the limits

	// Whole tells that the setting was chosen on the whole log, for the part
	// that settings are chosen on has no loop.
	Whole bool

	Outcome Outcome // over the whole log
	Train   Outcome // over the part that the setting was chosen on
	Test    Outcome // over the rest, which it was not chosen on

	Setting     Setting // as it was swept, if Found
	Current     Outcome // of the rule as it is, if its counter was swept
	HasCurrent  bool
	CurrentCell int
	Hidden      int // loops besides, that no sane setting finds

	on [][]Outcome // by cell and threshold, over what the setting was chosen on; behind the cells those of the tracker
}

// Outcome is what a setting would have done to the repeats of a rule.
type Outcome struct {
	Caught, Loops int   // loops it fires on, of those that some sane setting finds: as many at each
	Wrong         int   // repeats that are none, and that it fires on
	Excluded      int   // of these not, for the policy's exclusions take them out
	Episodes      int   // repeats it fires on
	Alerts        int   // episodes of the whole log, as they are swept: a repeat that pauses has several
	Waste         int64 // requests of loops from the firing on
	WrongRequests int64
}

// Missed is how many loops it does not fire on.
func (o *Outcome) Missed() int { return o.Loops - o.Caught }

// outweighed tells that it is wrong as often as it is right: that is not recommended.
func (o *Outcome) outweighed() bool { return o.Caught <= o.Wrong }

// betters tells that it is better in one of catching and of not being wrong, and in
// none worse.
func (o *Outcome) betters(x *Outcome) bool {
	return o.Caught >= x.Caught && o.Wrong <= x.Wrong && (o.Caught > x.Caught || o.Wrong < x.Wrong)
}

func (o *Outcome) add(x *Outcome) {
	o.Caught += x.Caught
	o.Loops += x.Loops
	o.Wrong += x.Wrong
	o.Excluded += x.Excluded
	o.Episodes += x.Episodes
	o.Waste += x.Waste
	o.WrongRequests += x.WrongRequests
}

// trainShare is the part of the log's time that settings are chosen on.
const trainShare = 0.7

// goodEnough is how much of the best waste a setting must save to be preferred
// for being wrong less often or steadier.
const goodEnough = 0.9

// enoughLoops is how many loops it takes to tell one setting from another by them.
const enoughLoops = 5

// safety is the part of a threshold that must still keep to the limits.
const safety = 0.75

// advise picks a setting for every rule.
func (r *Report) advise() {
	split := r.Result.At(trainShare)
	byTarget := make([][]*Repeat, len(r.Sweep))
	for _, k := range r.Repeats {
		byTarget[k.Target] = append(byTarget[k.Target], k)
	}
	for i := range r.Sweep {
		train, test := r.classed(i), r.classed(i)
		side := func(first bool) *classed {
			if first {
				return train
			}
			return test
		}
		for _, k := range byTarget[i] {
			side(k.First <= split).note(r.Class(k), k)
		}
		for a, sum := range r.sums.tallies { // any order: sums
			if a.target == i {
				side(r.sums.before(a.slot, split)).of[r.classOf(&a)].plus(sum)
			}
		}
		r.Advice = append(r.Advice, r.adviseOne(i, train, test))
	}
	r.recommend()
}

// highestThreshold is the highest of which is known what it would do with a
// rule: the highest that is swept, or its own.
func highestThreshold(rule *window.Rule, swept int) int {
	return max(swept, min(rule.Threshold, math.MaxUint8))
}

func (r *Report) adviseOne(target int, train, test *classed) Advice {
	t := &r.Sweep[target]
	a := Advice{Rule: t.Rule, Target: target, Cell: -1, CurrentCell: r.cellOf(t.Rule), Hidden: train.of[HiddenLoop].repeats + test.of[HiddenLoop].repeats}
	trained, tested := train.grid(), test.grid()
	all := make([][]Outcome, len(trained))
	for c := range all {
		all[c] = slices.Clone(trained[c])
		for i := range all[c] {
			all[c][i].add(&tested[c][i])
		}
	}
	if a.CurrentCell >= 0 {
		a.HasCurrent = true
		if now := t.Rule.Threshold; now < len(all[a.CurrentCell]) {
			a.Current = all[a.CurrentCell][now]
		} else { // which nothing is known to reach
			a.Current = Outcome{Loops: all[0][2].Loops}
		}
	}
	for _, grid := range [][][]Outcome{trained, tested, all} {
		for c := range grid {
			grid[c] = grid[c][:r.Options.Most+1]
			for threshold, n := range t.Cell(c).Episodes[:r.Options.Most+1] {
				grid[c][threshold].Alerts = int(n)
			}
		}
	}
	r.outcomes = append(r.outcomes, all)
	on, share := trained, trainShare
	if a.Whole = train.of[Loop].repeats == 0; a.Whole {
		on, share = all, 1
	}
	a.on = on
	a.Cell, a.Threshold = r.choose(t.Rule, on, all, share)
	if a.Cell < 0 {
		a.Outcome.Loops = all[0][2].Loops
		return a
	}
	a.Found = true
	a.Outcome, a.Train, a.Test = all[a.Cell][a.Threshold], trained[a.Cell][a.Threshold], tested[a.Cell][a.Threshold]
	a.Setting = r.Setting(target, a.Cell, a.Threshold)
	return a
}

// Proof says what the setting was chosen on, and how it did on the rest: there it
// may break the limit that it was chosen within.
func (r *Report) Proof(a *Advice) string {
	chosen := "chosen on the first 70 % of the time; "
	switch {
	case a.Whole:
		return "chosen on the whole log, unproved: the first 70 % of its time has no loop"
	case a.Test.Loops == 0 && a.Test.Episodes == 0:
		return chosen + "the rest of it has no loop to prove it"
	}
	text := chosen + fmt.Sprintf("on the rest it catches %s of %s, %s wrongly",
		term.Count(int64(a.Test.Caught)), term.Plural(int64(a.Test.Loops), "loop", "loops"), term.Count(int64(a.Test.Wrong)))
	if a.Outcome.WrongRequests > r.mostWrong(1) {
		text += fmt.Sprintf("; in all it hits %.3g %% of the requests wrongly, where --max-wrong allows %.3g %%",
			100*float64(a.Outcome.WrongRequests)/float64(r.Result.Account.Judged), 100*r.Options.MaxWrong)
	}
	return text
}

// perDay is a rate. Less than a day counts as one: three loops in a minute do
// not make thousands a day.
func perDay(n, days float64) float64 { return n / max(days, 1) }

// cellOf is the cell that counts as the rule does, -1 if none does.
func (r *Report) cellOf(rule *window.Rule) int {
	return slices.Index(r.Cells, window.SweepCell{Kind: rule.Counter.Kind, Window: rule.Counter.Window})
}

// choose picks the cell and threshold that save most within the limits. Of
// those that save nearly as much it takes the one that is wrong least often,
// then the one that catches most, then the rule's own counter, then the one
// whose neighbours are like it, then the window nearest to the rule's own. That
// gives way to one that saves nearly as much as it, catches no fewer and is wrong no
// more often, and is better in one of the two. If it can be, it is none that the
// gateway gets wrong more often, as it runs it. Of few
// loops it takes the rule's own setting, if none catches more or is wrong less often
// in all of the log. The grid is of a share of the log's time.
func (r *Report) choose(rule *window.Rule, grid, all [][]Outcome, share float64) (cell, threshold int) {
	choices := r.choices(rule, grid, share, r.Options.Budget)
	unsound := func(x choice) bool { return r.wrongAsRun(rule, x.cell, x.threshold) > x.o.Wrong }
	if grid[0][2].Loops < enoughLoops {
		own := slices.IndexFunc(choices, func(x choice) bool { return x.cell == r.cellOf(rule) && x.threshold == rule.Threshold })
		better := func(x choice) bool {
			o, is := &all[x.cell][x.threshold], &all[choices[own].cell][rule.Threshold]
			return o.Caught > is.Caught || o.Wrong < is.Wrong
		}
		if own >= 0 && !slices.ContainsFunc(choices, better) && !unsound(choices[own]) {
			return choices[own].cell, choices[own].threshold
		}
	}
	saving := saveMost(choices)
	if len(saving) == 0 {
		return -1, 0
	}
	if sound := slices.DeleteFunc(slices.Clone(saving), unsound); len(sound) > 0 {
		saving = sound
	}
	order := func(a, b choice) int { return r.order(rule, a, b) }
	pick := slices.MinFunc(saving, order)
	better := slices.DeleteFunc(choices, func(x choice) bool {
		return !x.saves(pick.o.Waste) || !x.o.betters(pick.o) || unsound(x)
	})
	if len(better) > 0 {
		pick = slices.MinFunc(better, order)
	}
	return pick.cell, pick.threshold
}

// choice is a setting that may be advised.
type choice struct {
	cell, threshold int
	o               *Outcome
	steady          float64
}

// saves tells that it saves nearly as much as that.
func (x choice) saves(waste int64) bool { return float64(x.o.Waste) >= goodEnough*float64(waste) }

// saveMost are those that save nearly as much as any.
func saveMost(choices []choice) []choice {
	var best int64
	for _, x := range choices {
		best = max(best, x.o.Waste)
	}
	return slices.DeleteFunc(slices.Clone(choices), func(x choice) bool { return !x.saves(best) })
}

// choices are the settings of a rule that catch something within --max-wrong and a
// budget, 0 being none.
func (r *Report) choices(rule *window.Rule, grid [][]Outcome, share, budget float64) (list []choice) {
	wrong := r.mostWrong(share)
	within := func(o *Outcome) bool {
		return o.WrongRequests <= wrong && (budget == 0 || r.alerts(o, share) <= budget)
	}
	for c := range r.Cells {
		if !r.may(rule, c) {
			continue
		}
		for th := r.least(rule); th < len(grid[c]); th++ {
			o := &grid[c][th]
			if o.Caught > 0 && within(o) && within(&grid[c][r.margin(rule, th)]) {
				list = append(list, choice{c, th, o, r.steady(grid, c, th)})
			}
		}
	}
	return list
}

// order puts the better of two settings that save alike first.
func (r *Report) order(rule *window.Rule, a, b choice) int {
	otherA, farA := r.away(rule, a.cell)
	otherB, farB := r.away(rule, b.cell)
	return cmp.Or(
		cmp.Compare(a.o.Wrong, b.o.Wrong), cmp.Compare(-a.o.Caught, -b.o.Caught), cmp.Compare(otherA, otherB),
		cmp.Compare(-math.Round(10*a.steady), -math.Round(10*b.steady)), cmp.Compare(farA, farB),
		cmp.Compare(-a.o.Waste, -b.o.Waste), cmp.Compare(a.cell, b.cell), cmp.Compare(-a.threshold, -b.threshold),
	)
}

// least is the lowest threshold that is advised for a rule.
func (r *Report) least(rule *window.Rule) int { return max(rule.LeastCount(), r.Options.Least) }

// margin is the threshold that must keep to the limits, too, for one to be
// advised: a setting that is right by a hair is right by chance.
func (r *Report) margin(rule *window.Rule, threshold int) int {
	return max(r.least(rule), int(safety*float64(threshold)))
}

// may says whether a rule may be advised to count as a cell does.
func (r *Report) may(rule *window.Rule, cell int) bool {
	kind := r.Cells[cell].Kind
	return (!r.Options.ForGateway || kind == rule.Counter.Kind) && (!rule.Varies() || window.CounterNamed(kind).Varies)
}

// away is how far a cell is from what a rule counts by: 1 for another counter,
// and the windows apart by factors of two.
func (r *Report) away(rule *window.Rule, cell int) (other int, far float64) {
	if r.Cells[cell].Kind != rule.Counter.Kind {
		other = 1
	}
	return other, math.Round(math.Abs(math.Log2(float64(r.Cells[cell].Window) / float64(max(rule.Counter.Window, 1)))))
}

// affordable says whether a setting keeps to the budget on the whole log, and in
// a share of its time.
func (r *Report) affordable(o *Outcome, share float64) bool {
	return r.Options.Budget == 0 || r.alerts(o, share) <= r.Options.Budget
}

// alerts are those a day. Of a share of the log's time it is known which repeats
// a setting fires on, and of the whole log how many episodes these have.
func (r *Report) alerts(o *Outcome, share float64) float64 {
	whole := perDay(float64(o.Alerts), r.Days)
	if share == 1 {
		return whole
	}
	return max(whole, perDay(float64(o.Episodes), share*r.Days))
}

// mostWrong is how many requests a setting may hit wrongly in a share of the
// log's time. It is of the decimals that were written: the product of the
// floats next to them is below a whole number as often as not.
func (r *Report) mostWrong(share float64) int64 {
	most := big.NewRat(r.Result.Account.Judged, 1)
	for _, f := range []float64{share, r.Options.MaxWrong} {
		written, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
		most.Mul(most, written)
	}
	return new(big.Int).Quo(most.Num(), most.Denom()).Int64()
}

// steady is the least that a neighbour saves, as a share: one threshold up or
// down, one window longer or shorter.
func (r *Report) steady(grid [][]Outcome, cell, threshold int) float64 {
	own := float64(max(grid[cell][threshold].Waste, 1))
	least := 1.0
	see := func(c, th int) {
		if c >= 0 && c < len(r.Cells) && th >= 0 && th < len(grid[c]) && r.Cells[c].Kind == r.Cells[cell].Kind {
			least = min(least, float64(grid[c][th].Waste)/own)
		}
	}
	see(cell, threshold+1)
	see(cell-1, threshold)
	see(cell+1, threshold)
	return least
}

// leastMore is how many more conversations another rule must catch: each rule
// is one more to look after.
const leastMore = 2

// recommend picks the rules that are worth having: the one that is wrong least
// often and then catches most, then each that catches enough that none before it
// does, as far as the budget allows them together.
func (r *Report) recommend() {
	var order []int
	caught := make([]map[string]bool, len(r.Advice))
	for i := range r.Advice {
		if a := &r.Advice[i]; a.Found && !a.Outcome.outweighed() {
			order = append(order, i)
			caught[i] = r.caught(a)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &r.Advice[a], &r.Advice[b]
		return cmp.Or(cmp.Compare(x.Outcome.Wrong, y.Outcome.Wrong), cmp.Compare(len(caught[b]), len(caught[a])))
	})
	seen := map[string]bool{}
	cost := alerts{fired: map[string][]*Repeat{}}
	for _, i := range order {
		a := &r.Advice[i]
		if len(r.Recommended) > 0 && beyond(caught[i], seen) < enoughMore(seen) || !cost.admit(r, a) {
			continue
		}
		r.Recommended = append(r.Recommended, i)
		maps.Copy(seen, caught[i])
	}
	r.dropCovered(caught)
	r.passOver(order, caught, seen)
	r.passOverDear(seen)
}

// beyond is how many there are that were not seen.
func beyond(who, seen map[string]bool) (n int) {
	for w := range who { // any order: a count
		if !seen[w] {
			n++
		}
	}
	return n
}

// enoughMore is how many more conversations make a rule worth having beside those
// that find loops in so many.
func enoughMore(seen map[string]bool) int { return max(leastMore, len(seen)/10) }

// dropCovered takes out what came first for being wrong least often, and finds
// nothing that those after it do not.
func (r *Report) dropCovered(caught []map[string]bool) {
	for i := 0; i < len(r.Recommended); {
		others := slices.Delete(slices.Clone(r.Recommended), i, i+1)
		alone := func(who string) bool {
			return !slices.ContainsFunc(others, func(other int) bool { return caught[other][who] })
		}
		if slices.ContainsFunc(slices.Collect(maps.Keys(caught[r.Recommended[i]])), alone) {
			i++
			continue
		}
		r.Recommended = others
	}
}

// caught are the conversations with a loop that an advice fires on; what has none
// is known by when it began, for other rules have other keys for it.
func (r *Report) caught(a *Advice) map[string]bool {
	who := map[string]bool{}
	for _, k := range r.Repeats {
		if k.Target == a.Target && r.Options.Labels.isLoop(k) && k.Highest(a.Cell) >= a.Threshold {
			who[k.whose().String()] = true
		}
	}
	for w := range r.sums.caught(a) {
		who[w.String()] = true
	}
	return who
}
