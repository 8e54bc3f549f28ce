package tune

import "github.com/loopgauge/loopgauge/window"

// stopped is how many requests a swept rule would have acted on, by cell and
// threshold, where its gateway counts otherwise once it has tripped. Only what
// repeats is simulated: a key that came once trips nothing.
type stopped [][]int64

// simulate simulates the rules whose gateway changes later counts, setting by
// setting of their own counter. The result is by target; nil for the others.
func (r *Report) simulate() []stopped {
	all := make([]stopped, len(r.Sweep))
	simulators := make([][][]*window.Simulator, len(r.Sweep)) // by target, cell and threshold
	for i := range r.Sweep {
		rule := r.Sweep[i].Rule
		// Of a counter by scope the others in the scope would have to be known.
		keying, known := window.KeyingOf(rule.Counter.Kind)
		if !rule.ChangesCounts() || !known || keying != window.ByScopeAndFingerprint {
			continue
		}
		all[i], simulators[i] = make(stopped, len(r.Cells)), make([][]*window.Simulator, len(r.Cells))
		for c, cell := range r.Cells {
			if cell.Kind == rule.Counter.Kind {
				all[i][c], simulators[i][c] = make([]int64, r.Options.Most+1), make([]*window.Simulator, r.Options.Most+1)
			}
		}
	}
	var times []int64
	for _, k := range r.Repeats {
		of := all[k.Target]
		if of == nil {
			continue
		}
		times = append(times[:0], k.First)
		for i := range k.hits {
			times = append(times, k.hits[i].Time)
		}
		for c := range of {
			for t := 2; of[c] != nil && t <= min(k.Highest(c), r.Options.Most); t++ {
				s := &simulators[k.Target][c][t]
				if *s == nil {
					rule := *k.Rule
					rule.Counter.Window, rule.Threshold = r.Cells[c].Window, t
					*s = window.NewSimulator(&rule)
				}
				n := (*s).Fired(times)
				if rest := k.Requests - int64(len(times)); n > 0 && rest > 0 {
					n += rest // went on as it was
				}
				of[c][t] += n
			}
		}
	}
	return all
}

// at is null where the setting was not simulated.
func (s stopped) at(cell, threshold int) *int64 {
	if s == nil || s[cell] == nil {
		return nil
	}
	return &s[cell][threshold]
}
