package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fixtures"
)

func scan(text string) *Scanner {
	s := &Scanner{}
	s.Reset([]byte(text))
	return s
}

func TestKind(t *testing.T) {
	f := func(text string, want Kind) {
		t.Helper()
		s := scan(" \t\r\n" + text)
		if got := s.Kind(); got != want {
			t.Errorf("Scanner.Kind of %q: %d, want %d", text, got, want)
		}
		if got := Value(text).Kind(); got != want {
			t.Errorf("Value.Kind of %q: %d, want %d", text, got, want)
		}
	}
	f(``, Absent)
	f(`null`, Null)
	f(`true`, Bool)
	f(`false`, Bool)
	f(`0`, Number)
	f(`9`, Number)
	f(`-1`, Number)
	f(`""`, String)
	f(`[]`, Array)
	f(`{}`, Object)
	f(`+1`, Absent)
	f(`.5`, Absent)
	f("\x00", Absent)
	f("\xff", Absent)
	f("\v1", Absent) // white space to Go, not to JSON
	s := scan(`x`)
	s.Skip()
	if s.Kind() != Absent {
		t.Error("a scanner that failed still tells a kind")
	}
}

// deep is n brackets, closed again.
func deep(n int, open, shut string) string {
	return strings.Repeat(open, n) + strings.Repeat(shut, n)
}

func TestSkip(t *testing.T) {
	f := func(text, rest string) {
		t.Helper()
		s := scan(text)
		s.Skip()
		if err := s.Err(); err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
		if got := text[s.Offset():]; got != rest {
			t.Errorf("%.40q: %q is left, want %q", text, got, rest)
		}
	}
	f(`1`, ``)
	f(` 1.5e+3 ,`, ` ,`)
	f(`"a\"b"c`, `c`)
	f(`"\\"x"`, `x"`)
	f(`"\\\"x"y`, `y`)
	f(`"\\\\"y`, `y`)
	f("\"a\nb\x00\"", ``)
	f("\"\xff\xfe\"", ``)
	f(`{"a":[1,{"b":"]}"}],"c":"{["} ,`, ` ,`)
	f(`[]]`, `]`)
	f(`null,`, `,`)
	f(`truefalse`, `false`)
	// What is skipped is checked for its structure only.
	f(`{1 2 x}`, ``)
	f(`["\q"]`, ``)
	f(`1-2e.e`, ``)
	f(deep(MaxDepth, `[`, `]`), ``)
	f(deep(MaxDepth, `{`, `}`), ``)
}

func TestSyntaxErrors(t *testing.T) {
	skip := func(s *Scanner) { s.Skip() }
	walk := func(s *Scanner) { _ = toAny(s) }
	f := func(name string, read func(*Scanner), text string, column int, what string) {
		t.Helper()
		s := scan(text)
		read(s)
		err := s.End()
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s %.40q: error %v, want column %d: %s", name, text, err, column, what)
			return
		}
		if syntax.Offset != column-1 || syntax.What != what {
			t.Errorf("%s %.40q: %v, want column %d: %s", name, text, err, column, what)
		}
		if at, words := s.Failure(); at != column-1 || words != what {
			t.Errorf("%s %.40q: Failure gives %d, %q", name, text, at, words)
		}
	}
	both := func(text string, column int, what string) {
		t.Helper()
		f("skipping", skip, text, column, what)
		f("walking", walk, text, column, what)
	}
	const unended = "unexpected end of the value"
	both(``, 1, unended)
	both(`  `, 3, unended)
	both(`x`, 1, "expected a value")
	both("\x00", 1, "expected a value")
	both("\ufeff{}", 1, "expected a value")
	both(`nul`, 1, "expected a value")
	both(`trux`, 1, "expected a value")
	both(`1 2`, 3, "text after the end of the value")
	both(`{} ]`, 4, "text after the end of the value")
	both(`"abc`, 5, "string not closed")
	both(`"abc\"`, 7, "string not closed")
	both(`"abc\`, 6, "string not closed")
	both(`{"a":"b`, 8, "string not closed")
	both(`{"a":1`, 7, unended)
	both(`{"a":`, 6, unended)
	both(`[1,`, 4, unended)
	both(`[`, 2, unended)
	both(deep(MaxDepth+1, `[`, `]`), MaxDepth+1, "nested too deep")
	both(strings.Repeat(`{"a":`, MaxDepth+1), 5*MaxDepth+1, "nested too deep")
	both(strings.Repeat(`[`, 1_000_000), MaxDepth+1, "nested too deep")

	f("skipping", skip, `{"a":[}`, 7, "brackets do not match")
	f("skipping", skip, `[1}`, 3, "brackets do not match")
	f("skipping", skip, deep(70, `[`, `}`), 71, "brackets do not match")
	f("skipping", skip, deep(70, `{`, `]`), 71, "brackets do not match")
	f("skipping", skip, `[1\]`, 3, "backslash outside of a string")
	f("walking", walk, `[1}`, 3, "expected ',' or ']'")
	f("walking", walk, `[1 2]`, 4, "expected ',' or ']'")
	f("walking", walk, `[1,]`, 4, "trailing comma")
	f("walking", walk, `[,1]`, 2, "expected a value")
	f("walking", walk, `{"a":1,}`, 8, "trailing comma")
	f("walking", walk, `{"a":1 "b":2}`, 8, "expected ',' or '}'")
	f("walking", walk, `{1:2}`, 2, "expected a member's name")
	f("walking", walk, `{"a":1,`, 8, "expected a member's name")
	f("walking", walk, `{"a" 1}`, 6, "expected ':'")
	f("walking", walk, `{"a"}`, 5, "expected ':'")
	f("walking", walk, `{"a"`, 5, "expected ':'")
	f("walking", walk, `["ab\q"]`, 5, "bad escape in a string")
	f("walking", walk, `["\u12g4"]`, 3, "bad escape in a string")
	f("walking", walk, `["\u123"]`, 3, "bad escape in a string")
	f("walking", walk, `{"\x":1}`, 3, "bad escape in a string")
	if got, want := (&SyntaxError{Offset: 4, What: "x"}).Error(), "column 5: x"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A line cut anywhere is an error, whether its values are read or skipped.
func TestCutAnywhere(t *testing.T) {
	const line = `{"a":[1,"x\u00e9\\",{"b":null}],"c":true,"d":{"e":[[],{}]},"f":-1.5e3}`
	whole := []byte(line)
	for n := range len(line) {
		var s Scanner
		s.Reset(whole[:n:n])
		s.Skip()
		if s.End() == nil {
			t.Errorf("skipping takes %q", line[:n])
		}
		s.Reset(whole[:n:n])
		toAny(&s)
		if s.End() == nil {
			t.Errorf("walking takes %q", line[:n])
		}
	}
}

// Depth counts what is open around a skipped value too.
func TestDepthAddsUp(t *testing.T) {
	f := func(inner int, want bool) {
		t.Helper()
		s := scan(deep(2+inner, `[`, `]`))
		s.Array()
		s.NextElement()
		s.Array()
		s.NextElement()
		s.Skip()
		for s.NextElement() {
			t.Error("an element too many")
		}
		for s.NextElement() {
			t.Error("an element too many")
		}
		if ok := s.End() == nil; ok != want {
			t.Errorf("%d inside 2: %v", inner, s.Err())
		}
	}
	f(MaxDepth-2, true)
	f(MaxDepth-1, false)
}

// The first error sticks: all that is called afterwards is empty and safe.
func TestErrorSticks(t *testing.T) {
	s := scan(`["\q",1,"a",true]`)
	s.Array()
	s.NextElement()
	start := s.Offset()
	if text := s.Text([]byte("old")); string(text) != "old" {
		t.Errorf("a broken string replaced the old value by %q", text)
	}
	first := s.Err()
	for range 3 {
		if s.NextElement() || s.NextKey() {
			t.Error("moved on after an error")
		}
		if s.Kind() != Absent || s.Value() != nil || s.Text(nil) != nil || s.Since(start) != nil || s.Word(`"`) {
			t.Error("a value after an error")
		}
		if _, ok := s.Int(); ok {
			t.Error("an integer after an error")
		}
		if _, ok := s.Float(); ok {
			t.Error("a number after an error")
		}
		if _, ok := s.Bool(); ok {
			t.Error("a literal after an error")
		}
		s.Skip()
		s.Object()
		s.Array()
		if !errors.Is(s.End(), first) {
			t.Errorf("%v, want the first error, %v", s.End(), first)
		}
	}
	s.Reset([]byte(`1`))
	if n, ok := s.Int(); n != 1 || !ok || s.End() != nil {
		t.Error("Reset does not heal")
	}
}

// Object and Array on anything else skip it; the next NextKey or NextElement
// says so once, and the containers around are not disturbed.
func TestEnterSomethingElse(t *testing.T) {
	for _, other := range []string{`null`, `1`, `"x"`, `true`, `[1,[2]]`, `{"k":{"l":1}}`, `[]`, `{}`} {
		s := scan(`{"a":` + other + ` ,"b":` + other + `,"c":7}`)
		var keys []string
		var c int64
		for s.Object(); s.NextKey(); {
			keys = append(keys, string(s.Key))
			switch string(s.Key) {
			case "a":
				if s.Kind() == Object {
					s.Skip()
					continue
				}
				for s.Object(); s.NextKey(); {
					t.Errorf("a member in %s", other)
				}
			case "b":
				if s.Kind() == Array {
					s.Skip()
					continue
				}
				for s.Array(); s.NextElement(); {
					t.Errorf("an element in %s", other)
				}
			default:
				c, _ = s.Int()
			}
		}
		if err := s.End(); err != nil || strings.Join(keys, "") != "abc" || c != 7 {
			t.Errorf("%s: keys %v, c %d, error %v", other, keys, c, err)
		}
	}
	// At the top level, too.
	s := scan(`7`)
	for s.Object(); s.NextKey(); {
		t.Error("a member in 7")
	}
	if s.End() != nil || s.NextKey() || s.NextElement() {
		t.Error("7 is no object, but fine")
	}
	// Right behind a bracket, where a name would be the first.
	s.Reset([]byte(`{"a":[1"b":2]}`))
	s.Object()
	s.NextKey()
	s.Array()
	if s.Object(); s.NextKey() {
		t.Error("a member in 1")
	}
	// Reset forgets that something else was there.
	s.Reset([]byte(`1`))
	s.Object()
	s.Reset([]byte(`{"a":1}`))
	if s.Object(); !s.NextKey() {
		t.Error("Reset did not forget")
	}
}

func TestText(t *testing.T) {
	const none = "\x00nil"
	f := func(text, old, want string) {
		t.Helper()
		var before []byte
		if old != none {
			before = []byte(old)
		}
		s := scan(text)
		got := s.Text(before)
		if want == none {
			if got != nil {
				t.Errorf("%s after %q: %q, want nil", text, old, got)
			}
		} else if got == nil || string(got) != want {
			t.Errorf("%s after %q: %q, want %q", text, old, got, want)
		}
		if err := s.End(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	f(`"a"`, none, "a")
	f(`"a"`, "b", "a")
	f(`12.50`, "b", "12.50")
	f(`true`, "b", "true")
	f(`false`, none, "false")
	f(`""`, none, "") // empty is not absent
	f(`null`, none, none)
	f(`{"a":1}`, none, none)
	f(`["a"]`, none, none)
	// Of a key given twice the last value that says something counts.
	f(`""`, "b", "b")
	f(`null`, "b", "b")
	f(`[1]`, "b", "b")
	f(`""`, "", "")
	f(`null`, "", "")
}

func TestDuplicateKeys(t *testing.T) {
	s := scan(`{"body":"first","x":1,"body":"second","body":"","body":null,"x":2}`)
	var body []byte
	var x int64
	for s.Object(); s.NextKey(); {
		if string(s.Key) == "body" {
			body = s.Text(body)
		} else {
			x, _ = s.Int()
		}
	}
	if err := s.End(); err != nil || string(body) != "second" || x != 2 {
		t.Errorf("body %q, x %d, error %v; want second, 2", body, x, err)
	}
}

func TestNextNamed(t *testing.T) {
	f := func(text, want string, valid bool) {
		t.Helper()
		s := scan(text)
		var found []string
		for s.Object(); s.NextNamed("a"); {
			found = append(found, string(s.Value()))
		}
		if got := strings.Join(found, " "); got != want || (s.End() == nil) != valid {
			t.Errorf("%s: members named a are %q, want %q; %v", text, got, want, s.Err())
		}
	}
	f(`{}`, ``, true)
	f(`{"b":{"a":1},"ab":2}`, ``, true)
	f(`{"b":[1],"a":2,"c":3}`, `2`, true)
	f(`{"a":{"a":1},"b":0,"\u0061":2}`, `{"a":1} 2`, true)
	f(`["a"]`, ``, true)
	f(`{"a":1,"b":`, `1`, false)
	f(`{"a":1,"b":2`, `1`, false)
}

func TestValue(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		s := scan(" " + text + " ")
		if got := s.Value(); string(got) != want || (want == "") != (got == nil) || s.End() != nil {
			t.Errorf("%s: %q, error %v; want %q", text, got, s.Err(), want)
		}
	}
	f(`null`, ``)
	f(`"a\u00e9"`, `"a\u00e9"`)
	f(`{"a": [ 1 ]}`, `{"a": [ 1 ]}`)
	f(`-1.0e5`, `-1.0e5`)
	f(`false`, `false`)
}

// Since is the raw text from an offset on.
func TestSince(t *testing.T) {
	s := scan(`{"a": {"b":1} , "c":2}`)
	s.Object()
	s.NextKey()
	s.Kind() // skips white space
	start := s.Offset()
	for s.Object(); s.NextKey(); {
		s.Skip()
	}
	v := s.Since(start)
	if string(v) != `{"b":1}` {
		t.Errorf("%q", v)
	}
	// Appending to what was handed out does not write into the line.
	_ = append(v, "XXXXX"...)
	if !s.NextKey() || string(s.Key) != "c" {
		t.Errorf("key %q, error %v", s.Key, s.Err())
	}
}

// What is handed out lives until Reset, however much is decoded afterwards,
// and none of it can be appended into another.
func TestLifetime(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{`)
	for i := range 200 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"k\u0041":"v\n` + strings.Repeat("x", i) + `"`)
	}
	b.WriteString(`}`)
	s := scan(b.String())
	var keys, values, joined [][]byte
	for s.Object(); s.NextKey(); {
		keys = append(keys, s.Key)
		v := s.Text(nil)
		values = append(values, v)
		j := s.Join("p:", v)
		joined = append(joined, j)
		for _, handed := range [][]byte{s.Key, v, j} {
			_ = append(handed, "!!!!!!!!"...)
		}
	}
	if s.End() != nil || len(values) != 200 {
		t.Fatalf("%d values, error %v", len(values), s.Err())
	}
	for i := range values {
		want := "v\n" + strings.Repeat("x", i)
		if string(keys[i]) != "kA" || string(values[i]) != want || string(joined[i]) != "p:"+want {
			t.Errorf("%d: %q: %q, %q", i, keys[i], values[i], joined[i])
		}
	}
}

func TestWord(t *testing.T) {
	s := scan(`[NaN, -Infinity ,1]`)
	s.Array()
	s.NextElement()
	if s.Word("Nan") || !s.Word("NaN") {
		t.Error("NaN")
	}
	s.NextElement()
	if s.Word("Infinity") || !s.Word("-Infinity") {
		t.Error("-Infinity")
	}
	s.NextElement()
	if n, ok := s.Int(); n != 1 || !ok {
		t.Error("1")
	}
	if s.NextElement() || s.Word("x") || s.End() != nil {
		t.Error(s.End())
	}
	if s.Reset([]byte("NaN")[:2]); s.Word("NaN") {
		t.Error("a part of NaN is NaN")
	}
}

// The end is checked: a caller that stops early is told.
func TestEndInsideAContainer(t *testing.T) {
	s := scan(`[1]`)
	s.Array()
	s.NextElement()
	s.Skip()
	if err := s.End(); err == nil || err.Error() != "column 3: unexpected end of the value" {
		t.Error(err)
	}
}

// Skipping is linear: text that a careless search would look at again and
// again.
func TestHostileLengths(t *testing.T) {
	const n = 4 << 20
	f := func(text string) {
		t.Helper()
		s := scan(text)
		s.Skip()
		if err := s.End(); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	f(`"` + strings.Repeat(`\\`, n) + `"`)
	f(`"` + strings.Repeat(`\"`, n) + `"`)
	f(`"` + strings.Repeat(`\\\"`, n) + `"`)
	f(`[` + strings.Repeat(`"",`, n) + `""]`)
	f(strings.Repeat(`[`, MaxDepth) + strings.Repeat(` `, n) + strings.Repeat(`]`, MaxDepth))
}

// realLines are the lines of a real log, 23 KB each on average.
func realLines(tb testing.TB) [][]byte {
	tb.Helper()
	data := fixtures.Read(tb, "tau2/agents.jsonl.zst")
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	if len(lines) < 100 {
		tb.Fatalf("%d lines", len(lines))
	}
	return lines
}

// readLine takes what a rule over messages takes, and skips the rest.
func readLine(s *Scanner, line []byte) (texts int, err error) {
	s.Reset(line)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "id", "model", "trace_id":
			if len(s.Text(nil)) > 0 {
				texts++
			}
		case "startTime", "response_cost":
			s.Float()
		case "messages":
			for s.Array(); s.NextElement(); {
				s.Value()
				texts++
			}
		default:
			s.Skip()
		}
	}
	return texts, s.End()
}

func TestScannerAllocations(t *testing.T) {
	lines := realLines(t)
	var s Scanner
	pass := func() {
		for _, line := range lines {
			if texts, err := readLine(&s, line); err != nil || texts < 4 {
				t.Fatalf("%d texts, error %v", texts, err)
			}
		}
	}
	decode := func() {
		for _, line := range lines {
			s.Reset(line)
			if !decodeAll(&s) || s.End() != nil {
				t.Fatal(s.Err())
			}
		}
	}
	for name, f := range map[string]func(){"reading some": pass, "decoding all": decode} {
		f() // grows the buffer
		if n := testing.AllocsPerRun(3, f); n != 0 {
			t.Errorf("%s: %v allocations over %d lines, want none", name, n, len(lines))
		}
	}
	// A bad line costs nothing either, until its error is asked for.
	bad := []byte(`{"a":[1,2,{"b":"x\q"}]}`)
	if n := testing.AllocsPerRun(10, func() {
		s.Reset(bad)
		decodeAll(&s)
		if _, what := s.Failure(); what == "" {
			t.Fatal("no failure")
		}
	}); n != 0 {
		t.Errorf("a bad line: %v allocations", n)
	}
}

// decodeAll reads every key, text and number of a value.
func decodeAll(s *Scanner) bool {
	switch s.Kind() {
	case Object:
		for s.Object(); s.NextKey(); {
			decodeAll(s)
		}
	case Array:
		for s.Array(); s.NextElement(); {
			decodeAll(s)
		}
	case Number:
		_, ok := s.Float()
		return ok
	case Bool:
		_, ok := s.Bool()
		return ok
	default:
		s.Text(nil)
	}
	return !s.bad
}

func BenchmarkScanner(b *testing.B) {
	lines := realLines(b)
	size := int64(0)
	for _, line := range lines {
		size += int64(len(line))
	}
	run := func(name string, f func(line []byte) bool) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				for _, line := range lines {
					if !f(line) {
						b.Fatal("bad line")
					}
				}
			}
		})
	}
	var s Scanner
	run("skip", func(line []byte) bool {
		s.Reset(line)
		s.Skip()
		return s.End() == nil
	})
	run("read", func(line []byte) bool {
		_, err := readLine(&s, line)
		return err == nil
	})
	run("decode", func(line []byte) bool {
		s.Reset(line)
		return decodeAll(&s) && s.End() == nil
	})
	run("encoding-json-valid", json.Valid)
	run("encoding-json-decoder", func(line []byte) bool {
		var v struct {
			ID        string            `json:"id"`
			Model     string            `json:"model"`
			TraceID   string            `json:"trace_id"`
			StartTime float64           `json:"startTime"`
			Cost      float64           `json:"response_cost"`
			Messages  []json.RawMessage `json:"messages"`
		}
		return json.NewDecoder(bytes.NewReader(line)).Decode(&v) == nil
	})
}

// TestThen: what was decoded of one text lives while another is read.
func TestThen(t *testing.T) {
	s := scan(`"a\n"`)
	first := s.Text(nil)
	s.Then([]byte(`"b\n"`))
	if second := s.Text(nil); s.End() != nil || string(first) != "a\n" || string(second) != "b\n" {
		t.Errorf("%q, then %q, %v", first, second, s.End())
	}
}

// TestUnreadMembers: a member that nobody reads is passed over, also behind blanks
// and where its kind was asked for, and as wrong as one that is skipped.
func TestUnreadMembers(t *testing.T) {
	for line, want := range map[string]string{
		`{"a":1,"b":"x","c":{"a":[2]},"d":[{}],"e":null}`:             "abcde",
		"{ \"a\" :\t\n 1 , \"b\":   \"x\",\n\"c\": [ ] , \"d\" :{} }": "abcd",
		`{"a":{"b":1},"c":}`: "ac column 18: expected a value",
		`{"a":[1,"b":2}`:     "a column 14: brackets do not match",
		`{"a":"b" 1}`:        "a column 10: expected ',' or '}'",
		`{"a":1,  "b":2}`:    "ab",
		`{"a":1,x"b":2}`:     "a column 8: expected a member's name",
		`{"a":1,"b" 2}`:      "a column 12: expected ':'",
		`{"a":1,"b":"cut`:    "ab column 16: string not closed",
		`[{"a":1},{"b":{}}]`: "ab",
	} {
		for _, look := range []bool{false, true} {
			var s Scanner
			s.Reset([]byte(line))
			got := ""
			object := func() {
				for s.Object(); s.NextKey(); {
					got += string(s.Key)
					if look && s.Kind() == String {
						s.Text(nil)
					}
				}
			}
			if s.Kind() == Array {
				for s.Array(); s.NextElement(); {
					object()
				}
			} else {
				object()
			}
			if err := s.End(); err != nil {
				got += " " + err.Error()
			}
			if got != want {
				t.Errorf("%s, looked at %t: %q, want %q", line, look, got, want)
			}
		}
	}
}

// TestAside: a value that was passed over can be read later, as often as one likes, and
// what is wrong in it is wrong with the text.
func TestAside(t *testing.T) {
	f := func(value string, wantFail bool) {
		t.Helper()
		var s Scanner
		s.Reset([]byte(`{"v":` + value + `,"n":[1, 2],"last":"\u0061"}`))
		var passed Value
		var names, last string
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "v":
				passed = s.Value()
			case "n":
				for s.Array(); s.NextElement(); {
					s.Aside(passed, func() {
						for s.Object(); s.NextKey(); {
							names += string(s.Key)
							s.Bool()
						}
					})
					s.Int()
				}
			case "last":
				last = string(s.Text(nil))
			}
		}
		if failed := s.End() != nil; failed != wantFail || !failed && (names != "abab" || last != "a") {
			t.Errorf("%s: names %q, last %q, error %v", value, names, last, s.Err())
		}
	}
	f(`{"a":true,"\u0062" : [{}]}`, false)
	f(`{"a":tru,"b":1}`, true)
}
