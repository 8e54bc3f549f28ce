package window

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
	unbrokenGroup                        // the kinds that count alike as long as nothing comes between
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
	unbrokenGroup:    {kinds: []int{slidingKind, streakKind, cycleKind}},
}

// tallyOpen are the episodes that were opened at a threshold of a column.
type tallyOpen struct {
	episodes amount // with what was used before
	firsts   usage  // of the requests that opened them
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
