package replay

import (
	"cmp"
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// Loop is what a reader of a report takes for one loop: the episodes that run
// at the same time in the same scope, whatever rules saw them.
type Loop struct {
	Episode  string   // id of the episode that fired first
	Scope    []string // "field value" per field of the scope; the fingerprint if it has none
	Rules    []string // in the order in which they fired
	First    int64    // microseconds
	Fired    int64
	Last     int64
	Requests int64   // the most that one rule counted
	After    int64   // requests after the first rule fired, by the rule that saw most
	Tokens   int64   // of those; -1 unknown
	Cost     float64 // USD of those; NaN unknown

	place    string // as window.PlaceOf
	episodes []*window.Episode

	// Of the requests on which its episodes fired first, in order, where it is
	// compared with others; unknown ones are left out.
	sessions, callers []string
}

// free tells that the loop used something, at a cost of 0: of a model without a price
// that says nothing.
func (l *Loop) free() bool { return l.Cost == 0 && l.Tokens != 0 }

// perHour is what a loop costs an hour at its pace: what its requests cost that
// came in so many microseconds after the first firing. With n of them, each at
// a cost c and a gap g apart, that is c x 3600 s / g. It is not ok if there was
// no time.
func perHour(cost float64, micros int64) (usd float64, ok bool) {
	if micros <= 0 || math.IsNaN(cost) {
		return 0, false
	}
	return cost * 3600e6 / float64(micros), true
}

// Loops groups episodes into loops, the costliest last.
func Loops(episodes []window.Episode) []Loop {
	byStart := make([]*window.Episode, len(episodes))
	for i := range episodes {
		byStart[i] = &episodes[i]
	}
	slices.SortStableFunc(byStart, func(a, b *window.Episode) int { return cmp.Compare(a.First, b.First) })
	var loops []Loop
	open := map[string]int{} // by place: the loop that may still grow
	for _, e := range byStart {
		place := window.PlaceOf(e.Rule, e.Scope, e.Fingerprint)
		i, ok := open[place]
		if !ok || loops[i].Last < e.First {
			i = len(loops)
			loops = append(loops, Loop{Scope: scopeTexts(e), First: e.First, Tokens: -1, Cost: math.NaN(), place: place})
			open[place] = i
		}
		loops[i].Last = max(loops[i].Last, e.Last)
		loops[i].episodes = append(loops[i].episodes, e)
	}
	for i := range loops {
		loops[i].measure()
	}
	slices.SortStableFunc(loops, func(a, b Loop) int {
		return cmp.Or(cmp.Compare(known(a.Cost), known(b.Cost)), cmp.Compare(a.After, b.After), cmp.Compare(b.First, a.First))
	})
	return loops
}

// Costliest is the loop that went on to use most, as far as the log tells of any:
// by cost, or else by tokens. Where it does not, it is the largest, and known is
// false.
func Costliest(loops []Loop) (l *Loop, known bool) {
	l = &loops[len(loops)-1]
	if l.Cost > 0 { // by which they are in order
		return l, true
	}
	for i := range loops {
		if at := &loops[i]; at.Tokens > max(l.Tokens, 0) {
			l = at
		}
	}
	return l, l.Tokens > 0
}

// measure says which rules saw the loop, and how large it is by the one that saw
// most of it.
func (l *Loop) measure() {
	slices.SortStableFunc(l.episodes, func(a, b *window.Episode) int { return cmp.Compare(a.Fired, b.Fired) })
	l.Episode, l.Fired = l.episodes[0].ID, l.episodes[0].Fired
	for _, e := range l.episodes {
		if !slices.Contains(l.Rules, e.Rule.Name) {
			l.Rules = append(l.Rules, e.Rule.Name)
		}
	}
	for _, rule := range l.Rules {
		var of []*window.Episode
		for _, e := range l.episodes {
			if e.Rule.Name == rule {
				of = append(of, e)
			}
		}
		x := window.ExtentOf(of)
		x.Raise(&l.Requests, &l.After, &l.Tokens, &l.Cost)
	}
}

// scopeTexts are the place of an episode for people.
func scopeTexts(e *window.Episode) []string {
	fields := e.Rule.Scope.Fields
	if len(fields) == 0 {
		return []string{"fingerprint " + e.Fingerprint.String()}
	}
	texts := make([]string, len(fields))
	for i, f := range fields {
		if f == "conversation" {
			f = "session" // as in its place
		}
		texts[i] = f + " " + e.Scope[i]
	}
	return texts
}

func known(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}
