package window

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Look is what a target of a sweep looks at of an event: at its first
// fingerprint first. It fills a line of the cache. Who counts it fetches no
// more of an event that repeats nothing: another core has mostly made it.
type Look struct {
	ev     *Event
	time   int64
	scope  fingerprint.ScopeKey
	print  printKey
	prints uint32 // how many there are; 0 if only a witness looks at it
	target uint16
	hears  bool // it may say what came of calls before it

	// Known to who counts.
	entry uint32 // of the scope, which is held
	hash  uint32 // of the key
}

// sight says which events a target counts.
type sight struct {
	rule, identity, scope int     // in the plan
	off                   []bool  // by choice, from Plain on
	overrides             []int32 // likewise: the threshold that an override sets, 0 is none; nil if none does
}

func newSight(plan *Plan, rule int) sight {
	r := plan.Rules[rule]
	s := sight{rule, plan.identity[rule], plan.scope[rule], make([]bool, 1+len(r.Overrides)), nil}
	for i := range s.off {
		s.off[i] = r.off(Plain + Choice(i))
	}
	for i, o := range r.Overrides {
		if o.Threshold > 0 {
			if s.overrides == nil {
				s.overrides = make([]int32, len(s.off))
			}
			s.overrides[1+i] = int32(o.Threshold)
		}
	}
	return s
}

// Look appends what the targets look at of an event, which must stay what it is
// until that is counted. Another goroutine may count meanwhile.
func (s *Sweep) Look(looks []Look, ev *Event) []Look {
	for i := range s.sights {
		at := &s.sights[i]
		choice, prints, scope := ev.Rules[at.rule], ev.Prints[at.identity].Fingerprints, &ev.Scopes[at.scope]
		if choice == NotMatched || at.off[choice-Plain] || scope.Cause != fingerprint.Computable {
			continue
		}
		hears := s.o.Witness != nil && s.o.Witness.hears(ev, at.rule)
		if len(prints) == 0 && !hears {
			continue
		}
		looks = room(looks)
		l := &looks[len(looks)-1]
		l.ev, l.time, l.scope = ev, ev.Time, scope.Key
		if len(prints) > 0 {
			l.print = printKeyOf(&prints[0])
		}
		l.prints, l.target, l.hears = uint32(len(prints)), uint16(i), hears
	}
	return looks
}

// Prints is how many fingerprints there are to look at.
func (l *Look) Prints() int { return int(l.prints) }

// room makes room for one more at the end of a list, to be written in place: a
// copy would wait until all of it is written. What stands there is of no meaning.
func room[T any](list []T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, 1)
	}
	return list[:len(list)+1]
}
