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
	u.cost = u.cost.add(USD(times) * v.cost)
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

// sweepTally adds up all cells. A hit mostly does the same in many of them, so
// besides a column for each cell there are some that stand for several: for all
// windows from one on, of a kind or of those kinds that count alike in them, or
// for such kinds in one window.
type sweepTally struct {
	fired          []amount    // by threshold and column: requests, at their count
	opened         []tallyOpen // likewise; apart, as most hits open nothing
	cells          [][]int     // by column: those that it stands for
	windows, width int
}

// tallyOpen are the episodes that were opened at a threshold of a column.
type tallyOpen struct {
	episodes amount // with what was used before
	firsts   usage  // of the requests that opened them
}

// amount is so many requests or episodes, and what they used.
type amount struct {
	n int64
	usage
}

func (a *amount) add(u usage) {
	a.n++
	a.usage.add(u, 1)
}

func (a *amount) plus(b amount) {
	a.n += b.n
	a.usage.add(b.usage, 1)
}

func (o *tallyOpen) plus(p tallyOpen) {
	o.episodes.plus(p.episodes)
	o.firsts.add(p.firsts, 1)
}

// tallyKinds is how many columns there are for each window: for the cells, for all
// windows from it on, and for those kinds that count alike in it.
const tallyKinds = cycleKind + 1 + cycleKind + 1 - refreshKind + 1

func newSweepTally(most, windows int) sweepTally {
	width := tallyKinds * windows
	tally := sweepTally{make([]amount, (most+1)*width), make([]tallyOpen, (most+1)*width), make([][]int, width), windows, width}
	for column := range tally.cells {
		tally.cells[column] = tally.cellsOf(column)
	}
	return tally
}

func (tally *sweepTally) at(threshold int32, column int) int {
	return int(threshold)*tally.width + column
}

// from is the column of all windows from w on of a kind; that of refresh is of
// sliding and fixed too. They stand behind the cells, which are columns in
// their order.
func (tally *sweepTally) from(kind, w int) int {
	return (len(SweepKinds)+kind-refreshKind)*tally.windows + w
}

// inRow is the column of the kinds that count alike in a window as long as nothing
// else comes between: sliding, streak and cycle.
func (tally *sweepTally) inRow(w int) int { return (tallyKinds-1)*tally.windows + w }

// cellsOf are those that a column stands for.
func (tally *sweepTally) cellsOf(column int) (cells []int) {
	kind, w := column/tally.windows, column%tally.windows
	if column == tally.inRow(w) {
		return []int{w, streakKind*tally.windows + w, cycleKind*tally.windows + w}
	}
	first, end := kind, w+1
	if kind >= len(SweepKinds) {
		kind, end = kind-len(SweepKinds)+refreshKind, tally.windows
		if first = kind; kind == refreshKind {
			first = 0
		}
	}
	for k := first; k <= kind; k++ {
		for v := w; v < end; v++ {
			cells = append(cells, k*tally.windows+v)
		}
	}
	return cells
}

// opener notes a request that opens episodes in the cells of a column, for a
// range of thresholds.
func (tally *sweepTally) opener(column int, opened span, u usage) {
	for threshold := opened.low; threshold <= opened.high; threshold++ {
		tally.opened[tally.at(threshold, column)].firsts.add(u, 1)
	}
}

// episode notes an episode that is opened in the cells of a column for a range
// of thresholds, with what was used before.
func (tally *sweepTally) episode(column int, opened span, before usage) {
	for threshold := opened.low; threshold <= opened.high; threshold++ {
		tally.opened[tally.at(threshold, column)].episodes.add(before)
	}
}

// swept adds the columns up.
func (tally *sweepTally) swept(cells []SweepCell) []Swept {
	most := len(tally.fired)/tally.width - 1
	sums := newSweepTally(most, tally.windows) // by threshold and cell
	for i := range tally.fired {
		threshold, column := i/tally.width, i%tally.width
		for _, c := range tally.cells[column] {
			sum := sums.at(int32(threshold), c)
			sums.fired[sum].plus(tally.fired[i])
			sums.opened[sum].plus(tally.opened[i])
		}
	}
	list := make([]Swept, len(cells))
	for c := range cells {
		list[c] = newSwept(cells[c], most)
		list[c].add(&sums, c)
	}
	return list
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
