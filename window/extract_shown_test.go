package window

import (
	"crypto/hmac"
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// A scope by a header keeps its values apart without writing them; other
// attributes are names, which --hash-ids hides.
func TestScopeByAttribute(t *testing.T) {
	f := func(field, value string, hashIDs bool, want string) {
		t.Helper()
		s, err := fingerprint.NewScope([]string{field})
		if err != nil {
			t.Fatal(err)
		}
		x := NewPlan([]*Rule{{Name: "a", Identity: byModel(t), Scope: s}}, nil).NewExtractor(ExtractOptions{HashIDs: hashIDs})
		var r fingerprint.Request
		r.Reset()
		r.Time, r.Model = 0, []byte("m")
		r.Attributes = []fingerprint.Attribute{{Name: []byte(field[len("attr:"):]), Value: []byte(value)}}
		var ev Event
		x.Event(&r, &ev)
		if got := ev.Scopes[0].Values; len(got) != 1 || got[0] != want {
			t.Errorf("%s of %s is shown as %v, want %s", field, value, got, want)
		}
	}
	f("attr:header:x-api-key", "sk-secret", false, "header-746b4ad1ca91")
	f("attr:header:x-api-key", "sk-secret", true, "header-746b4ad1ca91")
	f("attr:jwt:org", "acme", false, "acme")
	f("attr:jwt:org", "acme", true, "id-822b33ad87c1")
}

// An agent is hidden with its session.
func TestAgentIsHidden(t *testing.T) {
	x := NewPlan([]*Rule{{Name: "a", Identity: byModel(t), Scope: companionScope}}, nil).NewExtractor(ExtractOptions{HashIDs: true})
	var r fingerprint.Request
	r.Reset()
	r.Time, r.Model, r.Session, r.Agent = 0, []byte("m"), []byte("s"), []byte("a")
	var ev Event
	x.Event(&r, &ev)
	if got, want := ev.Scopes[0].Values[0], x.o.Person("s/a"); got != want {
		t.Errorf("shown as %s, want %s", got, want)
	}
}

// What is written is UTF-8, whatever the log holds: broken bytes, and halves of
// a pair as JSON's escapes can name them.
func TestWrittenTextIsUTF8(t *testing.T) {
	x := NewPlan([]*Rule{{Name: "a", Identity: byModel(t), Scope: bySession(t)}}, nil).NewExtractor(ExtractOptions{})
	f := func(text, want string) {
		t.Helper()
		var r fingerprint.Request
		r.Reset()
		r.Time, r.ID, r.Session, r.Model, r.Path = 0, []byte(text), []byte(text), []byte(text), []byte(text)
		var ev Event
		for range 2 { // the second time from the table
			x.Event(&r, &ev)
			for _, got := range []string{ev.ID, ev.Session, ev.Model, ev.Path, ev.Scopes[0].Values[0]} {
				if got != want {
					t.Errorf("%q is written as %q, want %q", text, got, want)
				}
			}
		}
	}
	f("é", "é")
	f("a\xffb", "a\ufffdb")
	f("a\xed\xa0\x80b", "a\ufffdb")
	long := strings.Repeat("x", maxName)
	f(long+"\xff", long+"\ufffd")
}

// TestLongNames: whatever names something is written by its beginning where it is a
// novel, and told from others that begin so; what is no longer than names are is
// written as it is.
func TestLongNames(t *testing.T) {
	scope, err := fingerprint.NewScope([]string{"method", "path", "model", "backend"})
	if err != nil {
		t.Fatal(err)
	}
	x := NewPlan([]*Rule{{Name: "a", Identity: byModel(t), Scope: scope}}, nil).NewExtractor(ExtractOptions{})
	names := func(name string) []string {
		var r fingerprint.Request
		r.Reset()
		r.Time, r.ID, r.Method, r.Path, r.Model, r.Backend = 0, []byte(name), []byte(name), []byte(name), []byte(name), []byte(name)
		var ev Event
		x.Event(&r, &ev)
		return append([]string{ev.ID, ev.Method, ev.Path, ev.Model, ev.Backend}, ev.Scopes[0].Values...)
	}
	same := strings.Repeat("é", mostOfName/2)
	for _, got := range names(same) {
		if got != same {
			t.Errorf("%q is written as %q", same, got)
		}
	}
	a, b := names(same+"a"), names(same+"b")
	for i := range a {
		if len(a[i]) > 2*shownOfName || !strings.HasPrefix(a[i], strings.Repeat("é", shownOfName/2)+"…") || a[i] != a[0] {
			t.Errorf("written as %q", a[i])
		}
		if a[i] == b[i] {
			t.Errorf("two are written as %q", a[i])
		}
	}
}

// A person's name that is a novel is written by its beginning, and told from others
// that begin so.
func TestLongPersons(t *testing.T) {
	plan := NewPlan([]*Rule{{Name: "a", Identity: byModel(t), Scope: bySession(t)}}, nil)
	for _, hashed := range []bool{false, true} {
		x := plan.NewExtractor(ExtractOptions{HashIDs: hashed})
		written, keys := map[string]bool{}, map[fingerprint.ScopeKey]bool{}
		for _, end := range []string{"a", "b"} {
			var r fingerprint.Request
			r.Reset()
			r.Time, r.Model, r.Session = 0, []byte("m"), []byte(strings.Repeat("é", mostOfName)+end)
			var ev Event
			x.Event(&r, &ev)
			if got := ev.Session; len(got) > mostOfName || got != ev.Scopes[0].Values[0] || got != x.o.Person(string(r.Session)) || !hashed && !strings.HasPrefix(got, strings.Repeat("é", shownOfName/2)+"…") {
				t.Errorf("%q, as a scope %q", got, ev.Scopes[0].Values[0])
			}
			written[ev.Session], keys[ev.Scopes[0].Key] = true, true
		}
		if len(written) != 2 || len(keys) != 2 {
			t.Errorf("two are written as %v, with %d keys", written, len(keys))
		}
	}
}

// A scope's key is written into datasets and into the ids of episodes. With a
// secret key nobody can check a guessed session against it; without one it is
// the hash that it always was.
func TestScopeKeyIsSealed(t *testing.T) {
	key := func(secret, session string) fingerprint.ScopeKey {
		x := NewPlan([]*Rule{{Name: "a", Identity: byModel(t), Scope: bySession(t)}}, nil).NewExtractor(ExtractOptions{Key: []byte(secret)})
		var r fingerprint.Request
		r.Reset()
		r.Time, r.Model, r.Session = 0, []byte("m"), []byte(session)
		var ev Event
		x.Event(&r, &ev)
		return ev.Scopes[0].Key
	}
	plain := sha256.Sum256([]byte("\x01s"))
	if got := key("", "s"); got != fingerprint.ScopeKey(plain[:16]) {
		t.Errorf("without a key it is %x, want %x", got, plain[:16])
	}
	mac := hmac.New(sha256.New, []byte("0123456789abcdef"))
	mac.Write(plain[:16])
	if got, want := key("0123456789abcdef", "s"), fingerprint.ScopeKey(mac.Sum(nil)[:16]); got != want {
		t.Errorf("with a key it is %x, want %x", got, want)
	}
	// What is not computable stays without a key.
	if got := key("0123456789abcdef", ""); got != (fingerprint.ScopeKey{}) {
		t.Errorf("without a session it is %x", got)
	}
}
