package formats

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestCustomCSV: columns are what paths begin with, bodies are looked into, and
// the line of their names is no request.
func TestCustomCSV(t *testing.T) {
	p := newCustom(&Custom{Columns: []string{"ts", "sid", "a.b", "body"}, Separator: ',', Missing: []string{"-"}, Fields: []CustomField{
		pathTo("time", "ts"), pathTo("session", "sid"), pathTo("model", "body.model"), pathTo("backend", "a.b"), pathTo("body", "body"),
	}, Attributes: []CustomField{pathTo("where", "a.b")}}, fingerprint.AllFields)
	f := func(line, want string) {
		t.Helper()
		var r fingerprint.Request
		r.Reset()
		_, got := p.Parse([]byte(line), &r)
		if got == "" {
			got = strings.Join([]string{string(r.Session), string(r.Model), string(r.Backend), string(r.Body)}, "|")
		}
		if got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	f(`1795255200,s1,x,"{""model"":""m""}"`, `s1|m|x|{"model":"m"}`)
	f(`1795255200,-,,""`, "|||")
	f(`1795255200,\N,\N,\N`, "|||")
	f("ts,sid,a.b,body", NoRequest)
	f(`1,2,3`, "fewer values than columns")
	f(`1,2,3,4,5`, "more values than columns")
	f(`1,2,3,"4`, "a quoted value is not closed")

	var r fingerprint.Request
	line := []byte(`1795255200,s1,x,"{""model"":""m"",""messages"":[]}"`)
	if n := testing.AllocsPerRun(3, func() {
		r.Reset()
		if _, why := p.Parse(line, &r); why != "" || string(r.Attribute("where")) != "x" {
			t.Errorf("%s, attributes %q", why, r.Attributes)
		}
	}); n != 0 {
		t.Errorf("%v allocations a line", n)
	}
}
