package window

import (
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
