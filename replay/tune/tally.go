package tune

import "slices"

// tally adds up what settings would do to repeats that count as the same. A
// repeat is noted at the highest count of each cell, and its hits at theirs: all
// thresholds below fire on them too, so sums from above answer them all. Behind
// the cells come those of the tracker, of which only is known what it fires on.
type tally struct {
	cells   int
	repeats int
	at      []noted // by count and cell, up to the highest count
}

// noted is how many repeats, and hits of them, have a count, and how many of
// the repeats are no alert of their own up to it.
type noted struct{ repeats, hits, joined uint32 }

// upTo makes room for a count.
func (t *tally) upTo(count int) {
	if more := (count+1)*t.cells - len(t.at); more > 0 {
		t.at = append(t.at, make([]noted, more)...)
	}
}

// note adds a repeat. Counts above most are as good as that.
func (t *tally) note(k *Repeat, most int) {
	t.repeats++
	t.upTo(min(int(k.top), most))
	highest := k.highest()
	for c, n := range highest {
		t.at[min(int(n), most)*t.cells+c].repeats++
	}
	for c := len(highest); c < t.cells; c++ { // without hits, or of the tracker
		tracked := 0
		if w := c - (t.cells - len(k.tracked)); w >= 0 {
			tracked = min(int(k.tracked[w]), most)
		}
		t.upTo(tracked)
		one := &t.at[tracked*t.cells+c]
		one.repeats++
		one.hits += uint32(k.Rest())
	}
	for i := range k.hits {
		for c, n := range k.rows.At(k.hits[i].row) {
			t.at[min(int(n), most)*t.cells+c].hits++
		}
	}
	if k.Rest() > 0 && len(k.hits) > 0 {
		t.noteRest(k, most)
	}
}

// noteRest adds the requests of a repeat that are not kept, at the counts that
// its late hits have.
func (t *tally) noteRest(k *Repeat, most int) {
	from, to := k.late()
	for c, highest := range k.highest() {
		hits := make([]int64, min(int(highest), most)+1)
		for i := from; i < to; i++ {
			hits[min(k.count(i, c), most)]++
		}
		var late, noted int64
		for count, n := range slices.Backward(hits) {
			late += n
			rest := k.restOf(late)
			t.at[count*t.cells+c].hits += uint32(rest - noted)
			noted = rest
		}
	}
}

// plus adds what another tally of the rule has.
func (t *tally) plus(o *tally) {
	t.repeats += o.repeats
	t.upTo(len(o.at)/t.cells - 1)
	for i, n := range o.at {
		t.at[i].repeats += n.repeats
		t.at[i].hits += n.hits
		t.at[i].joined += n.joined
	}
}

// classed are the repeats of a target, by class.
type classed struct {
	of   [HiddenLoop + 1]tally
	most int // the highest threshold that is known of
}

func (r *Report) classed(target int) *classed {
	t := &r.Sweep[target]
	all := &classed{most: highestThreshold(t.Rule, r.Options.Most)}
	for i := range all.of {
		all.of[i].cells = len(r.Cells) + len(t.Tracker)
	}
	return all
}

func (all *classed) note(class Class, k *Repeat) { all.of[class].note(k, all.most) }

// join adds, by cell, up to which threshold a repeat that was noted is no alert of its
// own.
func (all *classed) join(class Class, upTo []uint8) {
	t := &all.of[class]
	for c, n := range upTo {
		t.at[min(int(n), all.most)*t.cells+c].joined++
	}
}

// plus adds what others of the rule have.
func (all *classed) plus(o *classed) {
	for class := range all.of {
		all.of[class].plus(&o.of[class])
	}
}

// grid is the outcome of every cell at every threshold.
func (all *classed) grid() [][]Outcome {
	cells := all.of[0].cells
	grid := make([][]Outcome, cells)
	for c := range grid {
		grid[c] = make([]Outcome, all.most+1)
		sum := Outcome{Loops: all.of[Loop].repeats}
		for threshold := all.most; threshold >= 2; threshold-- {
			for class := range all.of {
				if at := threshold*cells + c; at < len(all.of[class].at) {
					sum.fire(Class(class), all.of[class].at[at])
				}
			}
			grid[c][threshold] = sum
		}
	}
	return grid
}

// fire adds repeats of a class that a setting fires on.
func (o *Outcome) fire(class Class, n noted) {
	repeats, hits := int(n.repeats), int64(n.hits)
	o.Episodes += repeats
	o.Joined += int(n.joined)
	switch class {
	case Loop:
		o.Caught += repeats
		o.Waste += hits
	case Excluded:
		o.Excluded += repeats
	case Wrong:
		o.Wrong += repeats
		o.WrongRequests += hits
	}
}
