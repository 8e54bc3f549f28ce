package window

import "math"

// usage is what requests have used, as far as the log says.
type usage struct {
	tokens int64   // prompt and completion
	cost   float64 // USD
}

func usageOf(ev *Event) usage {
	u := usage{max(ev.TokensIn, 0) + max(ev.TokensOut, 0), ev.Cost}
	if math.IsNaN(u.cost) {
		u.cost = 0
	}
	return u
}

// add adds v so many times.
func (u *usage) add(v usage, times int64) {
	u.tokens += times * v.tokens
	u.cost += float64(times) * v.cost
}

// Swept is what one cell of one target has counted. Slices are by threshold:
// element T is of the rule that fires at T; 0 and 1 are not used.
//
// Tokens and cost (USD) are those of repeats: of the requests that a rule
// counts when it fires first, all but the oldest are before, the one that
// fires included; those that fire later in the episode are after.
type Swept struct {
	SweepCell
	Requests                  []int64 // with a count of T or more
	Episodes                  []int64 // as an Engine with the rule would count them
	Scopes, Sessions, Callers []int64 // distinct ones in which it fired
	TokensBefore, TokensAfter []int64
	CostBefore, CostAfter     []float64
	// From the first repeat that is counted to the firing, over the episodes:
	// microseconds to three digits, Never where there is no episode.
	DelayMedian, DelayP95 []int64
	// Requests that the gateway would have acted on, with what it does on
	// tripping. Nil where that changes nothing, so that Requests says it, and
	// for the kinds that are not the rule's own.
	Stopped []int64
}

// Never is the delay until something that does not happen.
const Never = -1

func newSwept(cell SweepCell, most int) Swept {
	whole := func() []int64 { return make([]int64, most+1) }
	return Swept{
		SweepCell: cell, Requests: whole(), Episodes: whole(), Scopes: whole(), Sessions: whole(), Callers: whole(),
		TokensBefore: whole(), TokensAfter: whole(), CostBefore: make([]float64, most+1), CostAfter: make([]float64, most+1),
		DelayMedian: whole(), DelayP95: whole(),
	}
}

// What a cell reaches.
const (
	inScopes = iota
	inSessions
	inCallers
	reachable
)

// sweepTally adds up all cells. A hit mostly counts the same in many of them,
// so those of a threshold stand side by side.
type sweepTally struct {
	steps []tallyStep // by threshold and cell
	cells int
}

func (tally *sweepTally) at(threshold int32, cell int) *tallyStep {
	return &tally.steps[int(threshold)*tally.cells+cell]
}

// tallyStep is a threshold of a cell. Requests that fired stand at their count;
// the rest are differences to the threshold below, so that adding to a range of
// thresholds touches its two ends.
type tallyStep struct {
	fired   amount           // requests
	opened  amount           // episodes, with what was used before
	firsts  usage            // of the requests that opened them
	reached [reachable]int64 // scopes, sessions, callers
}

// amount is so many requests or episodes, and what they used.
type amount struct {
	n int64
	usage
}

func (a *amount) add(u usage, times int64) {
	a.n += times
	a.usage.add(u, times)
}

func (a *amount) plus(b amount) {
	a.n += b.n
	a.usage.add(b.usage, 1)
}

func newSweepTally(most, cells int) sweepTally {
	return sweepTally{make([]tallyStep, (most+2)*cells), cells}
}

// open notes an episode for a range of thresholds.
func (tally *sweepTally) open(cell int, low, high int32, before usage) {
	tally.at(low, cell).opened.add(before, 1)
	tally.at(high+1, cell).opened.add(before, -1)
}

// swept turns histograms by count and differences into sums by threshold.
func (tally *sweepTally) swept(c int, cell SweepCell) Swept {
	most := len(tally.steps)/tally.cells - 2
	w := newSwept(cell, most)
	var fired, opened amount
	for t := most; t >= 2; t-- {
		fired.plus(tally.at(int32(t), c).fired)
		w.Requests[t], w.TokensAfter[t], w.CostAfter[t] = fired.n, fired.tokens, fired.cost
	}
	var firsts usage
	var reached [reachable]int64
	for t := 2; t <= most; t++ {
		step := tally.at(int32(t), c)
		opened.plus(step.opened)
		firsts.add(step.firsts, 1)
		for i := range reached {
			reached[i] += step.reached[i]
		}
		w.Episodes[t], w.TokensBefore[t], w.CostBefore[t] = opened.n, opened.tokens, opened.cost
		w.Scopes[t], w.Sessions[t], w.Callers[t] = reached[inScopes], reached[inSessions], reached[inCallers]
		w.TokensAfter[t] -= firsts.tokens
		w.CostAfter[t] -= firsts.cost
	}
	return w
}
