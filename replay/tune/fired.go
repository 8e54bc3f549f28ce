package tune

import (
	"cmp"
	"slices"
)

// fired is a repeat that a setting fires on.
type fired struct {
	Repeat *Repeat
	Time   int64   // microseconds
	After  int64   // requests that fire after the first
	Tokens int64   // of those
	Cost   float64 // USD of those
}

// fired lists the repeats that the recommended rules fire on, by time. Without
// a recommendation it lists what the rules fire on as they are.
func (r *Report) fired() []fired {
	var list []fired
	add := func(target, cell, threshold int) {
		for _, k := range r.Repeats {
			if k.Target != target {
				continue
			}
			if f, ok := k.fires(cell, threshold); ok {
				list = append(list, fired{k, k.hits[f.hit].Time, f.after, f.spent.tokens, f.spent.cost.Dollars()})
			}
		}
	}
	for _, i := range r.Recommended {
		a := &r.Advice[i]
		add(a.Target, a.Cell, a.Threshold)
	}
	if len(r.Recommended) == 0 {
		for i := range r.Advice {
			if a := &r.Advice[i]; a.HasCurrent {
				add(a.Target, a.CurrentCell, a.Rule.Threshold)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b fired) int { return cmp.Compare(a.Time, b.Time) })
	return list
}
