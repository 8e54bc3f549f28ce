package tune

import "github.com/loopgauge/loopgauge/window"

// stopped is how many requests a swept rule would have acted on, by cell and
// threshold, where its gateway counts otherwise once it has tripped. Only what
// repeats is simulated: a key that came once trips nothing.
type stopped [][]int64

// simulate simulates the rules whose gateway changes later counts, setting by
// setting. The result is by target; nil for the others.
func (r *Report) simulate() []stopped {
	all := make([]stopped, len(r.Sweep))
	for i := range r.Sweep {
		if r.Sweep[i].Rule.ChangesCounts() {
			all[i] = make(stopped, len(r.Cells))
		}
	}
	var times []int64
	for _, k := range r.Repeats {
		of := all[k.Target]
		if of == nil || k.most == nil {
			continue
		}
		times = append(times[:0], k.First)
		for i := range k.hits {
			times = append(times, k.hits[i].time)
		}
		for c, cell := range r.Cells {
			if keying, _ := window.KeyingOf(cell.Kind); keying != window.ByScopeAndFingerprint {
				continue // others in the scope would have to be known too
			}
			if of[c] == nil {
				of[c] = make([]int64, r.Options.Most+1)
			}
			rule := *k.Rule
			rule.Counter = window.CounterSpec{Kind: cell.Kind, Window: cell.Window}
			for t := 2; t <= min(int(k.most[c]), r.Options.Most); t++ {
				rule.Threshold = t
				n := window.Simulate(&rule, times)
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
