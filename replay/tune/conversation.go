package tune

import (
	"cmp"
	"hash/maphash"
	"maps"
	"math/bits"

	"github.com/loopgauge/loopgauge/window"
)

// conversation stands for a session or conversation: there are too many in a log
// to keep their names. 0 is none.
type conversation uint64

var conversations = maphash.MakeSeed()

// conversationOf is that of a name. Two names of ten million are taken for one
// in one log of some hundred thousand.
func conversationOf(name string) conversation {
	if name == "" {
		return 0
	}
	return conversation(maphash.String(conversations, name) | 1)
}

// whoseIs names the session of a request, "" where no rule looks at it, or, where
// the log names none, the conversation. Gateways and labels go by sessions, so
// the agents of one are one.
func whoseIs(ev *window.Event, w *window.Witness) string {
	conversation := w.Conversation(ev)
	if conversation == "" {
		return ""
	}
	return cmp.Or(ev.Session, conversation)
}

// sampled are values by conversation. Where there are too many to keep, those are
// kept whose hash begins with so many zeros: one in so many, and of these all.
type sampled[V any] struct {
	of    map[conversation]V
	zeros int
	most  int
}

// mostConversations is how many are kept: some 100 MB.
const mostConversations = 1 << 21

func newSampled[V any](most int) sampled[V] { return sampled[V]{of: map[conversation]V{}, most: most} }

// wants tells whether a conversation is one of those.
func (s *sampled[V]) wants(c conversation) bool { return bits.LeadingZeros64(uint64(c)) >= s.zeros }

// fit leaves as many as there is room for.
func (s *sampled[V]) fit() {
	for len(s.of) > s.most {
		s.thin(s.zeros + 1)
	}
}

// thin leaves those with so many zeros.
func (s *sampled[V]) thin(zeros int) {
	if zeros > s.zeros {
		s.zeros = zeros
		maps.DeleteFunc(s.of, func(c conversation, _ V) bool { return !s.wants(c) })
	}
}

// requestsOf counts the requests of conversations. Those of a log are in no cache,
// but few of them are busy at a time: these are counted on their own, and many
// requests at a time, so that one wait for memory overlaps the next.
type requestsOf struct {
	all    sampled[uint32] // but for those of busy and latest
	busy   []counted       // each at the place that its last bits say
	latest []conversation  // of requests that are not counted yet
}

// counted are requests of a conversation that all does not have.
type counted struct {
	conversation
	requests uint32
}

// busyBits sizes what is counted on its own: of a thousand conversations at a time
// one in sixteen shares its place with another.
const busyBits = 13

// countedAtOnce are as many requests as are counted at a time.
const countedAtOnce = 256

func newRequestsOf(most int) *requestsOf {
	return &requestsOf{newSampled[uint32](most), make([]counted, 1<<busyBits), make([]conversation, 0, countedAtOnce)}
}

// add adds a request of a conversation, which is not none.
func (r *requestsOf) add(c conversation) {
	if r.latest = append(r.latest, c); len(r.latest) == countedAtOnce {
		r.count()
	}
}

func (r *requestsOf) count() {
	for _, c := range r.latest {
		b := &r.busy[c>>1&(1<<busyBits-1)] // the last bit is always set
		if b.conversation != c {
			r.put(b)
			b.conversation = c
		}
		b.requests++
	}
	r.latest = r.latest[:0]
}

// put adds to all what there is at a place.
func (r *requestsOf) put(b *counted) {
	if b.requests > 0 && r.all.wants(b.conversation) {
		r.all.of[b.conversation] += b.requests
		r.all.fit()
	}
	*b = counted{}
}

// counts are the requests of each conversation.
func (r *requestsOf) counts() sampled[uint32] {
	r.count()
	for i := range r.busy {
		r.put(&r.busy[i])
	}
	return r.all
}
