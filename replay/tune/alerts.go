package tune

import (
	"fmt"
	"slices"

	"github.com/loopgauge/loopgauge/replay"
)

// alerts are what the recommended rules fire on, by where they do: what fires at
// the same time in one place is one alert.
type alerts struct {
	perDay float64
	fired  map[string][]*Repeat
}

// admit takes in what an advice fires on, if that keeps to the budget together with
// what is there; the first does by itself. What is no more than summed up is an alert
// of its own.
func (s *alerts) admit(r *Report, a *Advice) bool {
	if r.Options.Budget == 0 {
		return true
	}
	n, fired := a.Outcome.Alerts, map[string][]*Repeat{}
	for _, k := range r.Repeats {
		if k.Target != a.Target || k.Highest(a.Cell) < a.Threshold {
			continue
		}
		place := fmt.Sprintf("%q", replay.ScopeTexts(k.Rule, k.Scope, k.Fingerprint))
		if slices.ContainsFunc(s.fired[place], func(by *Repeat) bool { return by.First <= k.Last && k.First <= by.Last }) {
			n--
		}
		fired[place] = append(fired[place], k)
	}
	more := perDay(float64(max(n, 0)), r.Days)
	if len(r.Recommended) > 0 && s.perDay+more > r.Options.Budget {
		return false
	}
	s.perDay += more
	for place, list := range fired { // any order: places are apart
		s.fired[place] = append(s.fired[place], list...)
	}
	return true
}
