package window

import "slices"

// senders tell apart who sends the requests that a rule counts together: other
// sessions, and other agents of a session, come between those of one that repeats
// itself, which says nothing of it.
type senders struct {
	conversation     int // in the plan's scopes; -1 if it has none
	sessions, agents bool
}

func (p *Plan) senders(rule *Rule) senders {
	x := senders{p.conversation(), !rule.BySession(), !slices.Contains(rule.Scope.Fields, "conversation")}
	x.agents = x.agents && x.conversation >= 0
	return x
}

// agent names the session and the agent in it that has sent a request, "" if the
// log names no agent or the rule counts each by itself.
func (x *senders) agent(ev *Event) string {
	if !x.agents {
		return ""
	}
	s := &ev.Scopes[x.conversation]
	if s.FellBack || len(s.Values) == 0 || s.Values[0] == ev.Session {
		return ""
	}
	return s.Values[0]
}

// of names who has sent a request, "" if the rule or the log knows of no other.
func (x *senders) of(ev *Event) string {
	if agent := x.agent(ev); agent != "" {
		return agent
	}
	if x.sessions {
		return ev.Session
	}
	return ""
}
