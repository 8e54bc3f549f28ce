package replay

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// scatter tells whether conversations have more than one request. It counts all
// requests of some of them: of those whose key ends in zeros, in more zeros the
// more there are.
type scatter struct {
	scope       int // of the plan's
	mask        uint64
	requests    map[uint64]int64
	first, last int64 // event times of those
}

// mostConversations is how many conversations are counted.
const mostConversations = 1 << 12

// Nearly every request is a conversation of its own where nineteen in twenty
// are, of so many at least.
const fewRequests = 100

// Scattered says what there is to do where [Pipeline.Scattered] is so.
const Scattered = "nearly every request is a conversation of its own, in which nothing can repeat: if agents go on longer, say in a policy where their session stands, or session: [none] (docs/policy.md)"

func newScatter(p *window.Plan) *scatter {
	_, own := p.Own()
	for _, field := range []string{"conversation", "session"} {
		if i := slices.IndexFunc(p.Scopes[:own], func(s *fingerprint.Scope) bool { return slices.Contains(s.Fields, field) }); i >= 0 {
			return &scatter{scope: i, requests: map[uint64]int64{}, first: fingerprint.NoTime}
		}
	}
	return nil
}

func (s *scatter) note(ev *window.Event) {
	scope := &ev.Scopes[s.scope]
	key := binary.BigEndian.Uint64(scope.Key[8:])
	if key&s.mask != 0 || scope.Cause != fingerprint.Computable {
		return
	}
	if s.first == fingerprint.NoTime {
		s.first = ev.Time
	}
	s.last = ev.Time
	s.requests[key]++
	for len(s.requests) > mostConversations {
		s.mask = s.mask<<1 | 1
		for key := range s.requests {
			if key&s.mask != 0 {
				delete(s.requests, key)
			}
		}
	}
}

// Scattered tells that nearly every request is a conversation of its own, over
// so long at least.
func (p *Pipeline) Scattered(over time.Duration) bool {
	s := p.scatter
	if s == nil || s.last-s.first < over.Microseconds() {
		return false
	}
	var all, alone int64
	for _, n := range s.requests {
		all += n
		if n == 1 {
			alone++
		}
	}
	return all >= fewRequests && 20*alone >= 19*all
}
