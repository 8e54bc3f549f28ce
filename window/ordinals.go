package window

import "github.com/loopgauge/loopgauge/fingerprint"

// ordinals tell where in a request its fingerprints are. To look for each among
// all takes seconds of a hostile one, which has a hundred thousand.
type ordinals struct {
	position fingerprint.Position // of the request
	of       *fingerprint.Fingerprint
	list     map[fingerprint.Fingerprint]ordinal
}

// ordinal is where a fingerprint is the first time, and the last.
type ordinal struct{ first, last int }

// fewOrdinals are looked through sooner than noted.
const fewOrdinals = 64

// find looks a fingerprint up that the event has.
func (s *ordinals) find(print *fingerprint.Fingerprint, ev *Event, identity int) (at ordinal) {
	list := ev.Prints[identity].Fingerprints
	if len(list) > fewOrdinals {
		if s.of != &list[0] || s.position != ev.Position {
			s.position, s.of, s.list = ev.Position, &list[0], make(map[fingerprint.Fingerprint]ordinal, len(list))
			for k := range list {
				at, again := s.list[list[k]]
				if !again {
					at.first = k
				}
				s.list[list[k]] = ordinal{at.first, k}
			}
		}
		return s.list[*print]
	}
	found := false
	for k := range list {
		if list[k] != *print {
			continue
		}
		if at.last = k; !found {
			at.first, found = k, true
		}
	}
	return at
}
