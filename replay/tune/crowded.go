package tune

import (
	"cmp"
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// crowded tells that there are repeats to sum up.
func (c *collector) crowded() bool {
	return c.begun > c.room/8 && (len(c.all) >= c.room || c.rows.Bytes() >= keptCounts/2)
}

// sumUp sums repeats up that have ended: those that are no loops first, and of
// these the short ones. The longest of each rule and kind stays as an example.
func (c *collector) sumUp() {
	if !c.crowded() {
		return
	}
	if c.begun = 0; c.sums.tallies == nil {
		c.sums = newSums(slices.MinFunc(c.all, func(a, b *Repeat) int { return cmp.Compare(a.First, b.First) }).First)
	}
	type kindOf struct {
		target int
		kind   window.Kind
	}
	longest := map[kindOf]*Repeat{}
	ended := make([]*Repeat, 0, len(c.all))
	for _, k := range c.all {
		if !k.over || k.Last+othersHad >= c.latest {
			continue
		}
		if k.Kind == "" { // nothing more is to be known of it
			k.Kind = c.witness.KindAlone(k.Rule, k.facts)
			k.counted()
		}
		ended = append(ended, k)
		of := kindOf{k.Target, k.Kind}
		if first := longest[of]; !k.alone() && (first == nil || k.Requests > first.Requests) {
			longest[of] = k
		}
	}
	left, enough := len(c.all), min(c.room, len(c.all))/2
	sum := func(some func(*Repeat) bool) {
		for _, k := range ended {
			if left <= enough {
				return
			}
			if k.Rule == nil || !some(k) || longest[kindOf{k.Target, k.Kind}] == k {
				continue
			}
			if !k.empty() {
				c.sums.add(k, c.labels, highestThreshold(k.Rule, c.most), c.cells+len(k.tracked))
			}
			c.free(k)
			left--
		}
	}
	loop := func(k *Repeat) bool {
		class, _ := c.labels.class(k)
		return class.isLoop()
	}
	for requests := int64(2); requests <= 2*keptHits; requests *= 2 {
		sum(func(k *Repeat) bool { return k.Requests <= requests && !loop(k) })
	}
	sum(func(k *Repeat) bool { return !loop(k) })
	sum(func(*Repeat) bool { return true })
	c.all = slices.DeleteFunc(c.all, func(k *Repeat) bool { return k.Rule == nil })
	if c.rows.Bytes() < keptCounts/2 {
		return
	}
	all := *c.rows
	*c.rows = *window.NewRows(c.cells)
	for _, k := range c.all {
		for i := range k.hits {
			k.hits[i].row = c.rows.Add(all.At(k.hits[i].row))
		}
	}
}

// free makes the memory of a repeat that of others.
func (c *collector) free(k *Repeat) {
	hits := k.hits[:0]
	if cap(hits) > mostFreed {
		hits = nil
	}
	*k = Repeat{hits: hits, most: k.most[:0]}
	c.freed = append(c.freed, k)
}

// mostFreed bounds the hits whose memory waits for those of another repeat.
const mostFreed = 16
