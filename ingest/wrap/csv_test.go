package wrap

import "testing"

// TestCSVValues: of a row the longest value that is JSON is the line; what is none is a
// row of names, or malformed.
func TestCSVValues(t *testing.T) {
	f := func(want string, rows ...string) {
		t.Helper()
		if got := unwrapped(&csv{}, rows...); got != want {
			t.Errorf("%q\ngives %q\nwant  %q", rows, got, want)
		}
	}
	f(`{"a":1}`, `x,"{""a"":1}"`)
	f(`{"a":1}`, `"x","{""a"":1}"`)
	f(`{"a":1}`, `"{""a"":1}"`) // psql --csv
	f("! expected more than one value", "x")
	f("! expected the values of a row", `{"a":1}`)
	f("! expected the values of a row", `[1,2]`)
	f("! expected the values of a row", "")
	f("! a quoted value is not closed", `x,"{""a`)
	f(`{"a":12}`, `x,{},"{""a"":12}","{""a"":1}","{""a"":123}x"`)
	f(`[{"a":1}]`, `x,"[{""a"":1}]"," [] "`)
	f(`[]`, `x," [] "`)
	f("", "x,{")
	f("", "a,b", "c,d")
	f("! none of the values is a JSON object", "a,b", "c,1")
	f("", "a1,b1") // the names of the columns
	for row, want := range map[string]bool{`x,{}`: true, `x,y`: false, `{}`: false, `x,"{}`: false} {
		if detectCSV([]byte(row)) != want {
			t.Errorf("%s is told: %t", row, !want)
		}
	}
}

// TestCSVRowsOverLines: values in quotes go on over lines; where some were cut, what is
// held goes on line by line.
func TestCSVRowsOverLines(t *testing.T) {
	f := func(want string, lines ...string) {
		t.Helper()
		c := CSVRows(3, ',').New().(Joiner)
		got := unwrapped(c, lines...)
		c.Drop(func(line Line) { got += "|" + string(line.Text) }, nil)
		if got != want {
			t.Errorf("%q\ngives %q\nwant  %q", lines, got, want)
		}
	}
	f("a,b,c\na,b", "a,b,c", "a,b") // a row of less is who reads it to refuse
	f(`a,"b""",c`, `a,"b""",c`)
	f("a,\"b\n\n c\",d\ne,f,g", `a,"b`, "", ` c",d`, "e,f,g")
	f(`a,b"c,d`, `a,b"c,d`)                          // no quotes of a value
	f("a, \"b\nc\" ,d", `a, "b`, `c" ,d`)            // with blanks around them
	f(`|a,"b|c`, `a,"b`, "c")                        // not closed at the end
	f("a,\"b\nc,\"d\ne\",f", `a,"b`, `c,"d`, `e",f`) // the first was cut
	f("a,\"b\nc\"", `a,"b`, `c"`)                    // closed, but no row
}
