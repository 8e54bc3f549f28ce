package replay

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// twice counts requests that are the one before again, as far as the rules look at
// them, at the very time of it: the log, or a part of it, was written twice, and has
// no ids by which that would count once.
type twice struct {
	requests, again int64
	whole           int64 // whose time is of whole seconds, in which sharing it means nothing

	// Of the request before.
	time   int64
	prints []fingerprint.Fingerprint
	scopes []fingerprint.ScopeKey
}

func (t *twice) note(ev *window.Event) {
	t.requests++
	if ev.Time%1e6 == 0 {
		t.whole++
	}
	if t.same(ev) {
		t.again++
		return
	}
	t.time, t.prints, t.scopes = ev.Time, t.prints[:0], t.scopes[:0]
	for i := range ev.Prints {
		t.prints = append(t.prints, ev.Prints[i].Fingerprints...)
	}
	for i := range ev.Scopes {
		t.scopes = append(t.scopes, ev.Scopes[i].Key)
	}
}

func (t *twice) same(ev *window.Event) bool {
	if ev.Time != t.time || len(t.prints) == 0 {
		return false
	}
	rest := t.prints
	for i := range ev.Prints {
		prints := ev.Prints[i].Fingerprints
		if len(prints) > len(rest) || !slices.Equal(prints, rest[:len(prints)]) {
			return false
		}
		rest = rest[len(prints):]
	}
	return len(rest) == 0 && slices.EqualFunc(ev.Scopes, t.scopes, func(s window.Scope, key fingerprint.ScopeKey) bool { return s.Key == key })
}

// String says what there is to do where most requests were written twice; empty
// where they were not.
func (t *twice) String() string {
	if t.requests < fewRequests || 2*t.whole > t.requests || 3*t.again < t.requests {
		return ""
	}
	return term.Percent(t.again, t.requests) + " of the requests are the one before again, at the very time of it: the log seems to be written twice, and counts are too high: give one copy, or have it name the ids of requests: what shares an id counts once"
}
