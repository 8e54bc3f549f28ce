package window

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

func TestNameSession(t *testing.T) {
	f := func(places, want string) {
		t.Helper()
		var r fingerprint.Request
		r.Reset()
		r.Session = []byte("own")
		for _, a := range []string{"header:X-Team=t", "header:x-empty=", "header:x-null=null", "header:x-hidden=[REDACTED]", "prompt_cache_key=k"} {
			name, value, _ := strings.Cut(a, "=")
			r.Attributes = append(r.Attributes, fingerprint.Attribute{Name: []byte(name), Value: []byte(value)})
		}
		o := ExtractOptions{Sessions: strings.Fields(places)}
		if places == "" {
			o.Sessions = nil
		}
		o.nameSession(&r)
		if string(r.Session) != want {
			t.Errorf("[%s]: %q, want %q", places, r.Session, want)
		}
		if reads := o.Reads()&fingerprint.ReadsAttributes != 0; reads != (places != "" && places != LogSession) {
			t.Errorf("[%s]: attributes read: %t", places, reads)
		}
	}
	f("", "own")
	f("log", "own")
	f("header:x-team log", "t")
	f("log header:x-team", "own")
	f("header:x-empty header:x-none prompt_cache_key", "k") // empty says nothing
	f("header:x-null header:x-hidden log", "own")           // stand for none
	f("Prompt_Cache_Key", "")                               // not a header
	f("header:x-none", "")
}

// TestSavedSessions: a state that was saved under another order of sessions
// does not go on, but names its scopes as they are.
func TestSavedSessions(t *testing.T) {
	parts := newParts(t)
	plan := NewPlan([]*Rule{{Name: "r", Identity: parts.identities[0], Scope: parts.scopes[0]}}, nil)
	scope := &fingerprint.Scope{Fields: []string{"session"}}
	plan.Scopes[0] = scope
	then, now := describe(plan, ExtractOptions{}), describe(plan, ExtractOptions{Sessions: []string{"header:x", LogSession}})
	if why := then.changedRule(0, now, 0); why != "scope was [session], is [session, named by header:x, log]" {
		t.Errorf("%q", why)
	}
	if got := now.rule(0).Scope.Fields; len(got) != 1 || got[0] != "session" {
		t.Errorf("the scope's fields are %q", got)
	}
}
