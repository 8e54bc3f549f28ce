package tune

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/window"
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
	near := slices.ContainsFunc(r.Recommended, func(i int) bool { return r.Advice[i].Outcome.Paused })
	return "together " + about(near) + rate(r.alertsPerDay()) + " alerts a day"
}

// costs says what a setting costs over the whole log.
func (r *Report) costs(o *Outcome) string {
	return about(o.Paused && o.Joined > 0) + rate(r.alerts(o, 1)) + " alerts a day"
}

// about stands before a number of alerts of which it is not known which of the episodes
// of repeats that pause run at the same time as others.
func about(near bool) string {
	if near {
		return "about "
	}
	return ""
}

// alertsPerDay is what the recommended rules cost.
func (r *Report) alertsPerDay() float64 { return r.recommendedAlerts().perDay }

func (r *Report) recommendedAlerts() *alerts {
	all := alerts{fired: map[string][]stretch{}}
	for _, i := range r.Recommended {
		all.take(all.besides(r, &r.Advice[i]))
	}
	return &all
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
	own := slices.DeleteFunc(slices.Clone(r.Repeats), func(k *Repeat) bool { return k.Target != a.Target || k.Highest(a.Cell) < a.Threshold })
	with := map[*Repeat]bool{} // those of one alert with others of them
	r.joined(own, func(k *Repeat, upTo []uint8) { with[k] = int(upTo[a.Cell]) >= a.Threshold })
	n := a.Outcome.Alerts + a.Outcome.Joined
	fired = map[string][]stretch{}
	for _, k := range own {
		place := k.where()
		begun, _ := slices.BinarySearchFunc(s.fired[place], k.Last+1, func(by stretch, t int64) int { return cmp.Compare(by.first, t) })
		if with[k] || begun > 0 && s.fired[place][begun-1].last >= k.First {
			n--
		}
		fired[place] = append(fired[place], stretch{k.First, k.Last})
	}
	return perDay(float64(max(n, 0)), r.Days), fired
}

// where is the place in which a repeat is one alert with what repeats there at the
// same time.
func (k *Repeat) where() string {
	return window.PlaceOf(k.Rule, k.Scope, k.Fingerprint)
}

// joined calls f with each repeat of a rule that begins while others go on in its
// place, and with the highest threshold, by cell, at which both fire: up to it they
// are one alert, as the steps of a loop that has several. f must not keep the list.
func (r *Report) joined(repeats []*Repeat, f func(k *Repeat, upTo []uint8)) {
	list := slices.DeleteFunc(slices.Clone(repeats), func(k *Repeat) bool { return len(k.highest()) == 0 })
	slices.SortFunc(list, func(x, y *Repeat) int { return cmp.Or(comparePlaces(x, y), cmp.Compare(x.First, y.First)) })
	var until []int64 // by threshold and cell, to when the repeats of a place go on that fire there
	var upTo []uint8
	begins := true
	for i, k := range list {
		cells, most := len(k.highest()), uint8(highestThreshold(k.Rule, r.Options.Most))
		if begins {
			until = until[:0]
		}
		ends := i+1 == len(list) || comparePlaces(k, list[i+1]) != 0
		alone := begins && ends // most are, where each has a session
		begins = ends
		if alone {
			continue
		}
		for len(until) < (int(min(k.top, most))+1)*cells {
			until = append(until, math.MinInt64)
		}
		upTo = append(upTo[:0], make([]uint8, cells)...)
		for c, highest := range k.highest() {
			for n := min(highest, most); n >= 2; n-- {
				to := &until[int(n)*cells+c]
				if *to >= k.First {
					upTo[c] = max(upTo[c], n)
				}
				*to = max(*to, k.Last)
			}
		}
		if slices.Max(upTo) > 0 {
			f(k, upTo)
		}
	}
}

// comparePlaces puts the repeats of a rule in the order of where they are.
func comparePlaces(x, y *Repeat) int {
	if len(x.Rule.Scope.Fields) == 0 {
		return bytes.Compare(x.Fingerprint.Bytes(), y.Fingerprint.Bytes())
	}
	return slices.Compare(x.Scope, y.Scope)
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
