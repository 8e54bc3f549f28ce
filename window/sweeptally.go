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
// besides a column for each cell there are some that stand for several. A group
// of columns has one for each window.
type sweepTally struct {
	fired          []amount    // by threshold and column: requests, at their count
	opened         []tallyOpen // likewise; apart, as most hits open nothing
	cells          [][]int     // by column: those that it stands for
	windows, width int
}

// The groups of columns. The first are the kinds: their columns are the cells.
const (
	wholeGroup       = sweptKinds + iota // the kinds by key, which count alike in windows that are whole
	wholeStreakGroup                     // streak, from a window on
	wholeCycleGroup                      // cycle, from a window on
	inRowGroup                           // the kinds that count alike as long as nothing comes between
	tallyGroups
)

// groupCells are the cells that a group's column for a window stands for: those of
// some kinds in that window, or in all from it on.
var groupCells = [tallyGroups]struct {
	kinds  []int
	onward bool
}{
	slidingKind:      {kinds: []int{slidingKind}},
	fixedKind:        {kinds: []int{fixedKind}},
	refreshKind:      {kinds: []int{refreshKind}},
	streakKind:       {kinds: []int{streakKind}},
	cycleKind:        {kinds: []int{cycleKind}},
	wholeGroup:       {kinds: []int{slidingKind, fixedKind, refreshKind}, onward: true},
	wholeStreakGroup: {kinds: []int{streakKind}, onward: true},
	wholeCycleGroup:  {kinds: []int{cycleKind}, onward: true},
	inRowGroup:       {kinds: []int{slidingKind, streakKind, cycleKind}},
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

func newSweepTally(most, windows int) sweepTally {
	width := tallyGroups * windows
	tally := sweepTally{make([]amount, (most+1)*width), make([]tallyOpen, (most+1)*width), make([][]int, width), windows, width}
	for group, of := range groupCells {
		for w := range windows {
			end := w + 1
			if of.onward {
				end = windows
			}
			cells := &tally.cells[tally.column(group, w)]
			for _, kind := range of.kinds {
				for v := w; v < end; v++ {
					*cells = append(*cells, kind*windows+v)
				}
			}
		}
	}
	return tally
}

// column is that of a window in a group.
func (tally *sweepTally) column(group, window int) int { return group*tally.windows + window }

func (tally *sweepTally) at(threshold int32, column int) int {
	return int(threshold)*tally.width + column
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
