package wrap

import (
	encoding "encoding/csv"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSplitCSV: values as RFC 4180 has them, and what is wrong otherwise.
func TestSplitCSV(t *testing.T) {
	f := func(separator byte, line string, want ...string) {
		t.Helper()
		cells, _, why := SplitCSV(nil, []byte(line), separator, nil)
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
		w := encoding.NewWriter(&b)
		if err := w.Write(cells); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		got, _, why := SplitCSV(nil, []byte(strings.TrimSuffix(b.String(), "\n")), ',', nil)
		for i, c := range cells {
			if why != "" || len(got) != len(cells) || string(got[i]) != c {
				t.Fatalf("%s: %q, %s, want %q", b.String(), got, why, cells)
			}
		}
	})
}
