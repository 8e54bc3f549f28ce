package wrap

import (
	"strings"
	"testing"
)

func TestFlattened(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		got := ""
		why := new(flattened).Unwrap(Line{Text: []byte(line)}, func(l Line) { got += string(l.Text) })
		if why != "" {
			got = "not read: " + why
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", line, got, want)
		}
	}
	f(`{"a.b":1,"c":"d","a.e.f":[2],"a.e.g":null}`, `{"a":{"b":1,"e":{"f":[2],"g":null}},"c":"d"}`)
	f(`{"a.b.c":null,"a.b.d.e":null,"a.f":1,"g.h":null}`, `{"a":{"b":null,"f":1},"g":null}`)
	f(`{"a":"b","a.c":1}`, `{"a":"b","a":{"c":1}}`)
	f(`{"a..b":1,".c":2,"d.":3,".":4}`, `{"a":{".b":1},".c":2,"d.":3,".":4}`)
	// Of texts what they stand for, but for objects and what is no list.
	f(`{"a.b":"[\"s\"]","c":"[x","d":"{\"e\":1}","f":"true","g":"1"}`, `{"a":{"b":["s"]},"c":"[x","d":"{\"e\":1}","f":true,"g":"1"}`)
	// Lists that were taken apart, as OTTL's flatten does, in whatever order.
	f(`{"m.1.a":2,"m.0.a":1,"m.1.b.0":[3],"m.1.b.1":null,"h.0":"x"}`, `{"m":[{"a":1},{"a":2,"b":[[3],null]}],"h":["x"]}`)
	f(`{"m.1":1,"m.2":2,"n.0":0,"n.x":1,"o.0":0,"o.0":1,"0.a":1}`, `{"m":{"1":1,"2":2},"n":{"0":0,"x":1},"o":{"0":0,"0":1},"0":{"a":1}}`)
	f(`{"`+strings.Repeat("a.", 40)+`b":1}`, strings.Repeat(`{"a":`, 16)+`{"`+strings.Repeat("a.", 24)+`b":1}`+strings.Repeat("}", 16))
	f(`{"a\".b":"\"."}`, `{"a\"":{"b":"\"."}}`)
	f(`{}`, `{}`)
	f(`[1]`, "not read: expected an object")
	f(`{"a.b":"c`, "not read: string not closed: the line is cut")
}
