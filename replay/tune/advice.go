package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"

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

	Outcome Outcome // over the whole log
	Train   Outcome // over the part that the setting was chosen on
	Test    Outcome // over the rest, which it was not chosen on

	Setting     Setting // as it was swept, if Found
	Current     Outcome // of the rule as it is, if its counter was swept
	HasCurrent  bool
	CurrentCell int
	Hidden      int // loops besides, that no sane setting finds

	on ground
}

// ground is what a setting is chosen on: what each would do to a part of the log.
type ground struct {
	grid  [][]Outcome // by cell and threshold; behind the cells those of the tracker
	share float64     // of the log's time: all of it where the part that settings are chosen on has no loop
}

func (on *ground) whole() bool { return on.share == 1 }

// trainShare is the part of the log's time that settings are chosen on.
const trainShare = 0.7

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
		r.joined(byTarget[i], func(k *Repeat, upTo []uint8) { side(k.First <= split).join(r.Class(k), upTo) })
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
	whole := r.classed(target)
	whole.plus(train)
	whole.plus(test)
	a := Advice{Rule: t.Rule, Target: target, Cell: -1, CurrentCell: cellOf(t.Rule, r.Cells), Hidden: whole.of[HiddenLoop].repeats}
	trained, tested, all := train.grid(), test.grid(), whole.grid()
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
				o := &all[c][threshold] // of its repeats several may be one episode, or one several
				grid[c][threshold].Paused = int(n) != o.Episodes
				grid[c][threshold].Alerts = min(int(n), max(int(n), o.Episodes)-o.Joined)
			}
		}
	}
	r.outcomes = append(r.outcomes, all)
	if a.on = (ground{trained, trainShare}); train.of[Loop].repeats == 0 {
		a.on = ground{all, 1}
	}
	a.Cell, a.Threshold = r.choose(t.Rule, &a.on, all)
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
	case a.on.whole():
		return "chosen on the whole log, unproved: the first 70 % of its time has no loop"
	case a.Test.Loops == 0 && a.Test.Episodes == 0:
		return chosen + "the rest of it has no loop to prove it"
	}
	text := chosen + fmt.Sprintf("on the rest it catches %s of %s, %s wrongly",
		term.Count(a.Test.Caught), term.Plural(a.Test.Loops, "loop", "loops"), term.Count(a.Test.Wrong))
	if a.Outcome.WrongRequests > r.mostWrong(1) {
		text += fmt.Sprintf("; in all it hits %s, where --max-wrong allows %.3g %%", r.tooWrong(&a.Outcome, 1), 100*r.Options.MaxWrong)
	}
	return text
}

// Beside says what one threshold less and one more would do, of those that were
// swept; empty where the advised one is the only one.
func (r *Report) Beside(a *Advice) string {
	var list []string
	for _, t := range []int{a.Threshold - 1, a.Threshold + 1} {
		if t < r.Options.Least || t > r.Options.Most {
			continue
		}
		o := &r.outcomes[a.Target][a.Cell][t]
		list = append(list, fmt.Sprintf("with %d it catches %s of %s, %s wrongly",
			t, term.Count(o.Caught), term.Plural(o.Loops, "loop", "loops"), term.Count(o.Wrong)))
	}
	return strings.Join(list, "; ")
}

// perDay is a rate. Less than a day counts as one: three loops in a minute do
// not make thousands a day.
func perDay(n, days float64) float64 { return n / max(days, 1) }

// cellOf is the cell that counts as a rule does, -1 if none does.
func cellOf(rule *window.Rule, cells []window.SweepCell) int {
	return slices.Index(cells, window.SweepCell{Kind: rule.Counter.Kind, Window: rule.Counter.Window})
}
