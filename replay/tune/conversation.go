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
