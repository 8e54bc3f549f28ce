package tune

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// goodEnough is how much of the best waste a setting must save to be preferred
// for being wrong less often or steadier.
const goodEnough = 0.9

// worthChange is how many times as much a setting must save that takes the place of
// the rule's own, though that is better otherwise.
const worthChange = 2

// enoughLoops is how many loops it takes to tell one setting from another by them.
const enoughLoops = 5

// safety is the part of a threshold that must still keep to the limits.
const safety = 0.75

// choose picks the cell and threshold that save most within the limits. Of
// those that save nearly as much it takes the one that is wrong least often,
// then the one that catches most, then the rule's own counter, then the one
// whose neighbours are like it, then the window nearest to the rule's own. That
// gives way to one that saves nearly as much as it, catches no fewer and is wrong no
// more often, and is better in one of the two; and to the rule's own setting, if that
// is so much better and saves more than half, or to what that gives way to in turn. If
// it can be, it is none that the gateway gets wrong more often, as it runs it. Of few
// loops it takes the rule's own setting, if none catches more or is wrong less often in
// all of the log.
func (r *Report) choose(rule *window.Rule, on *ground, all [][]Outcome) (cell, threshold int) {
	choices := r.choices(rule, on, r.Options.Budget)
	unsound := func(x choice) bool { return r.wrongAsRun(rule, x.cell, x.threshold) > x.o.Wrong }
	own := slices.IndexFunc(choices, func(x choice) bool {
		return x.cell == cellOf(rule, r.Cells) && x.threshold == rule.Threshold && !unsound(x)
	})
	if on.grid[0][2].Loops < enoughLoops {
		better := func(x choice) bool {
			o, is := &all[x.cell][x.threshold], &all[choices[own].cell][rule.Threshold]
			return o.Caught > is.Caught || o.Wrong < is.Wrong
		}
		if own >= 0 && !slices.ContainsFunc(choices, better) {
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
	pick := func(x choice) choice {
		better := slices.DeleteFunc(slices.Clone(choices), func(y choice) bool {
			return !y.saves(x.o.Waste) || !y.o.betters(x.o) || unsound(y)
		})
		if len(better) > 0 {
			return slices.MinFunc(better, order)
		}
		return x
	}
	picked := pick(slices.MinFunc(saving, order))
	if own >= 0 && choices[own].o.betters(picked.o) && picked.o.Waste < worthChange*choices[own].o.Waste {
		picked = pick(choices[own])
	}
	return picked.cell, picked.threshold
}

// choice is a setting that may be advised.
type choice struct {
	cell, threshold int
	o               *Outcome
	hair            *Outcome // of the threshold that must keep to the limits, too
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

// catching are the settings of a rule that catch something.
func (r *Report) catching(rule *window.Rule, on *ground) (list []choice) {
	for c := range r.Cells {
		if !r.may(rule, c) {
			continue
		}
		for th := r.least(rule); th < len(on.grid[c]); th++ {
			if o := &on.grid[c][th]; o.Caught > 0 {
				list = append(list, choice{c, th, o, &on.grid[c][r.margin(rule, th)], r.steady(on.grid, c, th)})
			}
		}
	}
	return list
}

// choices are those within --max-wrong and a budget, 0 being none.
func (r *Report) choices(rule *window.Rule, on *ground, budget float64) []choice {
	wrong := r.mostWrong(on.share)
	beyond := func(o *Outcome) bool {
		return o.WrongRequests > wrong || !r.affordable(o, on.share, budget)
	}
	return slices.DeleteFunc(r.catching(rule, on), func(x choice) bool { return beyond(x.o) || beyond(x.hair) })
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

// setting is a cell at a threshold in words.
func (r *Report) setting(cell, threshold int) string {
	return replay.Setting(threshold, r.Cells[cell].Window, r.Cells[cell].Kind)
}

// affordable says whether a setting keeps to a budget, 0 being none, on the whole
// log, and in a share of its time.
func (r *Report) affordable(o *Outcome, share, budget float64) bool {
	return budget == 0 || r.alerts(o, share) <= budget
}

// alerts are those a day. Of a share of the log's time it is known which repeats
// a setting fires on, and of the whole log how many episodes these have: a repeat
// that pauses has several.
func (r *Report) alerts(o *Outcome, share float64) float64 {
	whole := perDay(float64(o.Alerts), r.Days)
	if share == 1 {
		return whole
	}
	return max(whole, perDay(float64(o.Episodes-o.Joined), share*r.Days))
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
		if c >= 0 && c < len(r.Cells) && th < len(grid[c]) && r.Cells[c].Kind == r.Cells[cell].Kind {
			least = min(least, float64(grid[c][th].Waste)/own)
		}
	}
	see(cell, threshold+1)
	see(cell-1, threshold)
	see(cell+1, threshold)
	return least
}
