package window

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

// StoppedAt is what the gateway of the rule would have acted on at a threshold; nil
// where tripping changes what the rule counts, but not by this kind.
func (w *Swept) StoppedAt(rule *Rule, threshold int) *int64 {
	switch {
	case w.Stopped != nil:
		return &w.Stopped[threshold]
	case !rule.ChangesCounts():
		return &w.Requests[threshold]
	}
	return nil
}

// reached is in how many of those it fired.
func (w *Swept) reached(in int) []int64 {
	return [reachable][]int64{w.Scopes, w.Sessions, w.Callers}[in]
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

// add takes in the sums of a cell: a request fires at its count and at all
// thresholds below.
func (w *Swept) add(sums *sweepTally, cell int) {
	var fired amount
	for t := len(w.Requests) - 1; t >= 2; t-- {
		at := sums.at(int32(t), cell)
		fired.plus(sums.fired[at])
		after, opened := fired.usage, sums.opened[at]
		after.add(opened.firsts, -1)
		w.Requests[t], w.TokensAfter[t], w.CostAfter[t] = fired.n, after.tokens, after.cost.Dollars()
		w.Episodes[t], w.TokensBefore[t], w.CostBefore[t] = opened.episodes.n, opened.episodes.tokens, opened.episodes.cost.Dollars()
	}
}
