package tune

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/loopgauge/loopgauge/replay"
)

// alerts are what the recommended rules fire on, by where they do: what fires at
// the same time in one place is one alert.
type alerts struct {
	perDay float64
	fired  map[string][]stretch // in order
}

// stretch is from when to when something repeats: last is the latest of its end and
// those of the ones before it.
type stretch struct{ first, last int64 }

// Together says what the recommended rules cost, where they are several.
func (r *Report) Together() string {
	if len(r.Recommended) < 2 {
		return ""
	}
	return "together " + rate(r.alertsPerDay()) + " alerts a day"
}

// alertsPerDay is what the recommended rules cost.
func (r *Report) alertsPerDay() float64 {
	all := alerts{fired: map[string][]stretch{}}
	for _, i := range r.Recommended {
		all.take(all.besides(r, &r.Advice[i]))
	}
	return all.perDay
}

// admit takes in what an advice fires on, if that keeps to the budget together with
// what is there; the first does by itself.
func (s *alerts) admit(r *Report, a *Advice) bool {
	if r.Options.Budget == 0 {
		return true
	}
	more, fired := s.besides(r, a)
	if len(r.Recommended) > 0 && s.perDay+more > r.Options.Budget {
		return false
	}
	s.take(more, fired)
	return true
}

// besides is how many alerts a day an advice adds, and what it fires on. What is no
// more than summed up is an alert of its own.
func (s *alerts) besides(r *Report, a *Advice) (more float64, fired map[string][]stretch) {
	n := a.Outcome.Alerts
	fired = map[string][]stretch{}
	for _, k := range r.Repeats {
		if k.Target != a.Target || k.Highest(a.Cell) < a.Threshold {
			continue
		}
		place := fmt.Sprintf("%q", replay.ScopeTexts(k.Rule, k.Scope, k.Fingerprint))
		begun, _ := slices.BinarySearchFunc(s.fired[place], k.Last+1, func(by stretch, t int64) int { return cmp.Compare(by.first, t) })
		if begun > 0 && s.fired[place][begun-1].last >= k.First {
			n--
		}
		fired[place] = append(fired[place], stretch{k.First, k.Last})
	}
	return perDay(float64(max(n, 0)), r.Days), fired
}

func (s *alerts) take(more float64, fired map[string][]stretch) {
	s.perDay += more
	for place, list := range fired { // any order: places are apart
		list = append(s.fired[place], list...)
		slices.SortFunc(list, func(x, y stretch) int { return cmp.Compare(x.first, y.first) })
		for i := 1; i < len(list); i++ {
			list[i].last = max(list[i].last, list[i-1].last)
		}
		s.fired[place] = list
	}
}
