package tune

import (
	"cmp"
	"slices"
)

// time is when it fired first, in microseconds.
func (f *firing) time() int64 { return f.of.hits[f.hit].Time }

// fired lists the repeats that the recommended rules fire on, by time. Without
// a recommendation it lists what the rules fire on as they are.
func (r *Report) fired() []firing {
	var list []firing
	add := func(target, cell, threshold int) {
		for _, k := range r.Repeats {
			if k.Target != target {
				continue
			}
			if f, ok := k.fires(cell, threshold); ok {
				list = append(list, f)
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
	slices.SortStableFunc(list, func(a, b firing) int { return cmp.Compare(a.time(), b.time()) })
	return list
}
