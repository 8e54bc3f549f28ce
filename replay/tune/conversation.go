package tune

import (
	"cmp"
	"hash/maphash"

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

// requestsOf counts the requests of conversations. Those of a log are in no cache,
// but few of them are busy at a time: these are counted on their own, and many
// requests at a time, so that one wait for memory overlaps the next.
type requestsOf struct {
	all    map[conversation]uint32 // but for those of busy and latest
	busy   []counted               // each at the place that its last bits say
	latest []conversation          // of requests that are not counted yet
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

func newRequestsOf() *requestsOf {
	return &requestsOf{map[conversation]uint32{}, make([]counted, 1<<busyBits), make([]conversation, 0, countedAtOnce)}
}

// add adds a request of a conversation, which is not none.
func (r *requestsOf) add(c conversation) {
	if r.latest = append(r.latest, c); len(r.latest) == countedAtOnce {
		r.count()
	}
}

// count counts the latest requests.
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
	if b.requests > 0 {
		r.all[b.conversation] += b.requests
	}
	*b = counted{}
}

// counts are the requests of each conversation.
func (r *requestsOf) counts() map[conversation]uint32 {
	r.count()
	for i := range r.busy {
		r.put(&r.busy[i])
	}
	return r.all
}
