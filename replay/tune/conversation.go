package tune

import "hash/maphash"

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
