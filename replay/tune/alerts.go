package tune

import (
	"fmt"
	"iter"
	"slices"

	"github.com/loopgauge/loopgauge/replay"
)

// alerts are what the recommended rules fire on, by where they do: what fires at
// the same time in one place is one alert.
type alerts struct {
	perDay float64
	fired  map[string][]*Repeat
}

// besides is how many alerts a day an advice adds. What is no more than summed up
// counts as added.
func (s *alerts) besides(r *Report, a *Advice) float64 {
	n := a.Outcome.Alerts
	for place, k := range r.fired(a) {
		if slices.ContainsFunc(s.fired[place], func(by *Repeat) bool { return by.First <= k.Last && k.First <= by.Last }) {
			n--
		}
	}
	return perDay(float64(max(n, 0)), r.Days)
}

// affords tells whether an advice keeps to the budget together with the others.
func (s *alerts) affords(r *Report, a *Advice) bool {
	return r.Options.Budget == 0 || s.perDay+s.besides(r, a) <= r.Options.Budget
}

func (s *alerts) add(r *Report, a *Advice) {
	if r.Options.Budget == 0 {
		return
	}
	s.perDay += s.besides(r, a)
	for place, k := range r.fired(a) {
		s.fired[place] = append(s.fired[place], k)
	}
}

// fired are the repeats that an advice fires on, with their places.
func (r *Report) fired(a *Advice) iter.Seq2[string, *Repeat] {
	return func(yield func(string, *Repeat) bool) {
		for _, k := range r.Repeats {
			if k.Target == a.Target && k.Highest(a.Cell) >= a.Threshold && !yield(fmt.Sprintf("%q", replay.ScopeTexts(k.Rule, k.Scope, k.Fingerprint)), k) {
				return
			}
		}
	}
}
