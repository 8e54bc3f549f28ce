package window

import (
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
