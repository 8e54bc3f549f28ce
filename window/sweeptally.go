package window

// usage is what requests have used, as far as the log says. It is in whole
// numbers, so that sums are exact and do not depend on their order.
type usage struct {
	tokens int64 // prompt and completion
	cost   USD
}

func usageOf(ev *Event) usage {
	return usage{max(ev.TokensIn, 0) + max(ev.TokensOut, 0), USD(0).Plus(ev.Cost)}
}

// add adds v so many times.
func (u *usage) add(v usage, times int64) {
	u.tokens += times * v.tokens
	u.cost += USD(times) * v.cost
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

// sweepTally adds up all cells. A hit mostly does the same in many of them, and
// for many thresholds; so what is kept is the differences to the cell before
// and to the threshold below, and adding to a range of both touches its corners.
type sweepTally struct {
	steps []tallyStep // by threshold and cell, with one of each after the last
	width int
}

func (tally *sweepTally) at(threshold int32, cell int) *tallyStep {
	return &tally.steps[int(threshold)*tally.width+cell]
}

// tallyStep is a threshold of a cell.
type tallyStep struct {
	fired   amount           // requests, at their count: differences by cell alone
	opened  amount           // episodes, with what was used before
	firsts  usage            // of the requests that opened them
	reached [reachable]int64 // scopes, sessions, callers: differences by threshold alone
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
	return sweepTally{make([]tallyStep, (most+2)*(cells+1)), cells + 1}
}

// fired notes a request that has count n in a range of cells.
func (tally *sweepTally) fired(first, last int, n int32, u usage) {
	tally.at(n, first).fired.add(u, 1)
	tally.at(n, last+1).fired.add(u, -1)
}

// first notes a request that opens episodes in a range of cells, for a range of
// thresholds.
func (tally *sweepTally) first(first, last int, o span, u usage) {
	tally.at(o.low, first).firsts.add(u, 1)
	tally.at(o.low, last+1).firsts.add(u, -1)
	tally.at(o.high+1, first).firsts.add(u, -1)
	tally.at(o.high+1, last+1).firsts.add(u, 1)
}

// open notes an episode in a range of cells, for a range of thresholds.
func (tally *sweepTally) open(first, last int, low, high int32, before usage) {
	tally.at(low, first).opened.add(before, 1)
	tally.at(low, last+1).opened.add(before, -1)
	tally.at(high+1, first).opened.add(before, -1)
	tally.at(high+1, last+1).opened.add(before, 1)
}

// swept turns differences into sums.
func (tally *sweepTally) swept(cells []SweepCell) []Swept {
	most := len(tally.steps)/tally.width - 2
	list := make([]Swept, len(cells))
	sums := make([]tallyStep, most+2) // by threshold, of the cells so far
	for c := range cells {
		w := newSwept(cells[c], most)
		for t := range sums {
			sum, step := &sums[t], tally.at(int32(t), c)
			sum.fired.plus(step.fired)
			sum.opened.plus(step.opened)
			sum.firsts.add(step.firsts, 1)
			sum.reached = step.reached
		}
		var opened amount
		var firsts usage
		var reached [reachable]int64
		for t := 2; t <= most; t++ {
			opened.plus(sums[t].opened)
			firsts.add(sums[t].firsts, 1)
			for i := range reached {
				reached[i] += sums[t].reached[i]
			}
			w.Episodes[t], w.TokensBefore[t], w.CostBefore[t] = opened.n, opened.tokens, opened.cost.Dollars()
			w.Scopes[t], w.Sessions[t], w.Callers[t] = reached[inScopes], reached[inSessions], reached[inCallers]
		}
		var fired amount
		for t := most; t >= 2; t-- {
			fired.plus(sums[t].fired)
			after := fired.usage
			after.add(firsts, -1)
			w.Requests[t], w.TokensAfter[t], w.CostAfter[t] = fired.n, after.tokens, after.cost.Dollars()
			firsts.add(sums[t].firsts, -1)
		}
		list[c] = w
	}
	return list
}
