package window

import (
	"math"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// printOf is the fingerprint of a request whose model is name.
func printOf(tb testing.TB, name string) fingerprint.Fingerprint {
	tb.Helper()
	w := fingerprint.NewWriter(nil)
	if cause := byModel(tb).Compute(&fingerprint.Request{Model: []byte(name)}, w); cause != fingerprint.Computable {
		tb.Fatal(cause)
	}
	return w.Prints()[0].Fingerprint
}

func bySession(tb testing.TB) *fingerprint.Scope {
	tb.Helper()
	s, err := fingerprint.NewScope([]string{"session"})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// byModel is an identity under which requests to one model are the same.
func byModel(tb testing.TB) *fingerprint.Identity {
	tb.Helper()
	id, err := fingerprint.New("", fingerprint.Options{Parts: []string{"model"}})
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

// names gives tests fingerprints and scopes by name, each made once.
type names struct {
	tb     testing.TB
	prints map[string]fingerprint.Fingerprint
	scopes map[string]Scope
	w      *fingerprint.Writer // one for all scopes: each makes room for thousands
}

func newNames(tb testing.TB) *names {
	tb.Helper()
	return &names{tb, map[string]fingerprint.Fingerprint{}, map[string]Scope{}, fingerprint.NewWriter(nil)}
}

func (n *names) print(name string) fingerprint.Fingerprint {
	f, ok := n.prints[name]
	if !ok {
		f = printOf(n.tb, name)
		n.prints[name] = f
	}
	return f
}

// scope is the scope of the session called name.
func (n *names) scope(name string) Scope {
	s, ok := n.scopes[name]
	if !ok {
		key, _, cause := bySession(n.tb).Compute(&fingerprint.Request{Session: []byte(name)}, n.w, nil)
		if cause != fingerprint.Computable {
			n.tb.Fatal(cause)
		}
		s = Scope{Key: key, Values: []string{name}}
		n.scopes[name] = s
	}
	return s
}

// event is a request of a session, with one fingerprint per name, as every
// rule of a plan with one identity and one scope sees it.
func (n *names) event(time int64, session string, prints []string, rules int) *Event {
	ev := &Event{
		Time: time, Start: fingerprint.NoTime, Session: session,
		Status: fingerprint.Unknown, TokensIn: fingerprint.Unknown, TokensOut: fingerprint.Unknown, MaxTokens: fingerprint.Unknown, Cost: math.NaN(),
		Prints: make([]Prints, 1), Scopes: []Scope{n.scope(session)}, Rules: make([]Choice, rules),
	}
	for _, p := range prints {
		ev.Prints[0].Fingerprints = append(ev.Prints[0].Fingerprints, n.print(p))
	}
	for i := range ev.Rules {
		ev.Rules[i] = Plain
	}
	return ev
}
