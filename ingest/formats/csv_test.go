package formats

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// TestCSV: values as RFC 4180 has them, and what is wrong otherwise.
func TestCSV(t *testing.T) {
	f := func(separator byte, line string, want ...string) {
		t.Helper()
		cells, _, why := wrap.SplitCSV(nil, []byte(line), separator, nil)
		var got []string
		for _, c := range cells {
			got = append(got, string(c))
		}
		if why != "" {
			got = append(got, why)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	f(',', "a,b,c", "a", "b", "c")
	f(',', "", "")
	f(',', ",", "", "")
	f(',', `"a,b","c ""d""",e`, "a,b", `c "d"`, "e")
	f(',', ` "a" , b `, "a", "b")
	f(',', `"","""",x`, "", `"`, "x")
	f(';', "a,b;c", "a,b", "c")
	f('\t', "a\t\tc", "a", "", "c")
	f(',', `a"b,c`, `a"b`, "c")
	f(',', `"a"x,b`, "a", "b")
	f(',', `a,"b`, "a", "a quoted value is not closed")
	f(',', `a,"b""`, "a", "a quoted value is not closed")

	rapid.Check(t, func(t *rapid.T) { // as encoding/csv writes them
		cells := rapid.SliceOfN(rapid.StringMatching(`([a-z;,"{}]( ?[a-z;,"{}])*)?`), 1, 8).Draw(t, "cells")
		var b strings.Builder
		w := csv.NewWriter(&b)
		if err := w.Write(cells); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		got, _, why := wrap.SplitCSV(nil, []byte(strings.TrimSuffix(b.String(), "\n")), ',', nil)
		for i, c := range cells {
			if why != "" || len(got) != len(cells) || string(got[i]) != c {
				t.Fatalf("%s: %q, %s, want %q", b.String(), got, why, cells)
			}
		}
	})
}

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
