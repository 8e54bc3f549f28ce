package formats

// sessionHeaders are the request headers that name a session, the most
// specific first: the order in which gateways look for them.
var sessionHeaders = []string{
	"x-claude-code-session-id",
	"x-litellm-session-id",
	"x-litellm-trace-id",
	"x-session-id",
	"agent-session-id",
	"helicone-session-id",
	"x-zelyx-session-id",
}

// naming collects what may name a session while a record is read.
type naming struct {
	rank  int // of the header in sessionHeaders; lower wins
	value []byte
}

func (n *naming) reset() { *n = naming{rank: len(sessionHeaders) + 1} }

// header notes a header's value. Names are compared without case.
func (n *naming) header(name, value []byte) {
	if len(value) == 0 {
		return
	}
	for rank, h := range sessionHeaders {
		if rank < n.rank && equalFold(name, h) {
			n.rank, n.value = rank, value
		}
	}
}

// other notes a name that any header goes before.
func (n *naming) other(value []byte) {
	if len(value) > 0 && n.rank > len(sessionHeaders) {
		n.rank, n.value = len(sessionHeaders), value
	}
}

func equalFold(text []byte, lower string) bool {
	if len(text) != len(lower) {
		return false
	}
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
