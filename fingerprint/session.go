package fingerprint

import (
	"bytes"
	"strings"
)

// nobody are texts that stand for no session: what gateways log for a header
// that is not there, and clients send for a variable that is not set (JavaScript
// null and undefined, Python None, Go and Lua nil). All agents that send one
// would else be one session.
var nobody = [...]string{"-", "null", "undefined", "none", "nil", "<nil>"}

// NamesSession tells a session from what stands for none, and from what a
// logger put in the place of one.
func NamesSession(value []byte) bool {
	value = bytes.TrimSpace(value)
	for _, n := range nobody {
		if len(value) == len(n) && strings.EqualFold(string(value), n) {
			return false
		}
	}
	return len(value) > 0 && placeholder(value) == Computable
}

func (r *Request) hasSession() bool { return NamesSession(r.Session) }

// agent is the agent that a session's main one has started, nil if it is that
// one: Codex calls it as the session, others do not name it.
func (r *Request) agent() []byte {
	if len(r.Agent) == 0 || !r.hasSession() || !NamesSession(r.Agent) || bytes.Equal(r.Agent, r.Session) {
		return nil
	}
	return r.Agent
}
