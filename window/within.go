package window

import "slices"

// within tells who of those that a rule counts together a request is of. Others
// come between the requests of one that repeats itself, which says nothing of
// it: other sessions, and other agents of a session.
type within struct {
	conversation     int // in the plan's scopes; -1 if it has none
	sessions, agents bool
}

func (p *Plan) within(rule *Rule) within {
	x := within{p.conversation(), !rule.bySession(), !slices.Contains(rule.Scope.Fields, "conversation")}
	x.agents = x.agents && x.conversation >= 0
	return x
}

// agent names the session and the agent in it that has sent a request, "" if the
// log names no agent or the rule counts each by itself.
func (x *within) agent(ev *Event) string {
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
func (x *within) of(ev *Event) string {
	if agent := x.agent(ev); agent != "" {
		return agent
	}
	if x.sessions {
		return ev.Session
	}
	return ""
}
