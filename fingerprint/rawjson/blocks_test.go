package rawjson

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// unmarked is a Scanner of text that has nothing but the loops.
func unmarked(text []byte, depth int) *Scanner {
	s := &Scanner{buf: text, depth: depth}
	s.marker.stray = 1
	return s
}

// TestBlocksAgreeWithLoops holds what is done with vector instructions against
// the loops that define it: the same end, or the same error at the same place.
func TestBlocksAgreeWithLoops(t *testing.T) {
	if !hasBlocks {
		t.Skip("this machine has no vector instructions: the loops are all there is")
	}
	pieces := []string{
		`"`, `\`, `\\`, `\"`, `{`, `}`, `[`, `]`, `,`, `:`, ` `, `a`, "é", "\xff", "\n",
		`"key":"value"`, `{"a":[1,2,{"b":"}"}]}`, `"\\"`, `"\\\""`, `[[]]`,
		"a text that is longer than a block of sixty-four bytes, to move the rest about ",
		strings.Repeat(`a \"text\" that is longer than several batches `, 80),
		strings.Repeat(`a text in which quotes are rare, longer than what is looked through for them, `, 40) + `\"`,
	}
	rapid.Check(t, func(t *rapid.T) {
		open := rapid.SampledFrom([]string{`{`, `[`, `"`}).Draw(t, "open")
		text := []byte(open)
		for _, piece := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces") {
			text = append(text, piece...)
		}
		text = append(text, map[string]string{`{`: `}`, `[`: `]`, `"`: `"`}[open]...)
		depth := rapid.SampledFrom([]int{0, 1, MaxDepth - 2, MaxDepth}).Draw(t, "depth")

		s := Scanner{depth: depth}
		s.buf = text
		end, what := s.skip(0)
		loop := func() (int, string) { return skipContainer(text, 0, depth) }
		if open == `"` {
			loop = func() (int, string) { return skipString(text, 0) }
		}
		wantEnd, wantWhat := loop()
		if end != wantEnd || what != wantWhat {
			t.Fatalf("%q at depth %d: %d %q, want %d %q", text, depth, end, what, wantEnd, wantWhat)
		}
	})
}

// TestMarkedReadsAlike reads values of many kinds and lengths, each in one of
// the ways there are, with marks and without.
func TestMarkedReadsAlike(t *testing.T) {
	filler := strings.Repeat("x", 3*batch*blockSize)
	lengths := []int{0, 1, 7, 40, 54, 55, 56, 57, 58, 63, 64, 65, 127, 128, 300, batch*blockSize - 3, batch * blockSize, 2*batch*blockSize + 5}
	rapid.Check(t, func(t *rapid.T) {
		str := func(name string) string {
			s := filler[:rapid.SampledFrom(lengths).Draw(t, name)]
			return s + rapid.SampledFrom([]string{``, ``, ``, `\"`, `\\`, `\n`, `\u00e9`, "é", "\xff", "\n", `\x`, `"`}).Draw(t, name+"'s end") + rapid.SampledFrom([]string{``, ``, s}).Draw(t, name+"'s rest")
		}
		var value func(depth int) string
		value = func(depth int) string {
			kind := rapid.IntRange(0, 9).Draw(t, "kind")
			if depth == 0 {
				kind %= 6
			}
			blank := rapid.SampledFrom([]string{"", "", " ", " ", "\n ", "\\"}[:5+min(1, kind)]).Draw(t, "blank")
			switch {
			case kind < 4:
				return `"` + str("text") + `"`
			case kind == 4:
				return rapid.SampledFrom([]string{`1752765060.165348`, `-7e3`, `12`, `00`, `null`, `true`, `false`, `tru`, ``}).Draw(t, "literal")
			case kind == 5:
				return rapid.SampledFrom([]string{`{}`, `[]`, ` { } `, `[ ]`, `[1,2]`, `[{}]`, `{"a":1}`, `{,"a":1}`, `[,{}]`, `{"a":1,}`, `{"a":1`}).Draw(t, "small")
			}
			var b strings.Builder
			for i := range rapid.IntRange(0, 6).Draw(t, "n") {
				if i > 0 {
					b.WriteString("," + blank)
				}
				if kind < 9 {
					fmt.Fprintf(&b, `"%s":%s`, str("name"), blank)
				}
				b.WriteString(value(depth - 1))
			}
			if kind < 9 {
				return "{" + b.String() + "}"
			}
			return "[" + b.String() + "]"
		}
		text := []byte(value(3))
		if rapid.IntRange(0, 3).Draw(t, "cut") == 0 {
			text = text[:rapid.IntRange(0, len(text)).Draw(t, "length")]
		}
		sameReading(t, text, rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "ways"))
	})
}

func TestMarksEnd(t *testing.T) {
	ways := []byte{0}
	// The batch before had a quote where this one has no more text.
	sameReading(t, []byte(`[`+strings.Repeat(`"a", `, batch*blockSize/5+4)+`"b`), ways)
	// Brackets that are open further out than is kept in mind.
	sameReading(t, []byte(`{"a":`+deep(64, `[`, `]`)+`]`), []byte{9})
	sameReading(t, []byte(`{"a":`+deep(63, `[`, `]`)+`]`), []byte{9})

	var s Scanner
	s.Reset([]byte(`{"a":1,"b":2},"c":3`))
	for s.Object(); s.NextKey(); {
		s.Skip()
	}
	if s.NextKey() || s.NextElement() {
		t.Error("it went on behind the end")
	}
	s.Reset([]byte(`"a","b":1`))
	s.Object()
	for range 2 {
		if s.NextKey() {
			t.Error("there is no object")
		}
	}
}

// sameReading reads text with marks and without, in ways told by bytes.
func sameReading(t rapid.TB, text, ways []byte) {
	t.Helper()
	marked, plain := &Scanner{}, unmarked(text, 0)
	marked.Reset(text)
	at := 0
	var both func(depth int)
	same := func(what string, got, want any) {
		t.Helper()
		if g, w := fmt.Sprintf("%q", got), fmt.Sprintf("%q", want); g != w {
			t.Fatalf("%q: %s %s, without marks %s", text, what, g, w)
		}
		if marked.pos != plain.pos || marked.bad != plain.bad || marked.err != plain.err || marked.depth != plain.depth {
			t.Fatalf("%q: behind %s at %d, depth %d, %v; without marks at %d, depth %d, %v", text, what,
				marked.pos, marked.depth, marked.Err(), plain.pos, plain.depth, plain.Err())
		}
	}
	both = func(depth int) {
		way := ways[at%len(ways)] % 12
		if at++; at > 10_000 {
			return
		}
		kind := plain.Kind()
		same("Kind", marked.Kind(), kind)
		if way < 6 && depth < 50 {
			switch kind {
			case Object:
				marked.Object()
				plain.Object()
				for marked.NextKey() {
					same("NextKey", true, plain.NextKey())
					same("Key", marked.Key, plain.Key)
					both(depth + 1)
				}
				same("NextKey", false, plain.NextKey())
				return
			case Array:
				marked.Array()
				plain.Array()
				for marked.NextElement() {
					same("NextElement", true, plain.NextElement())
					both(depth + 1)
				}
				same("NextElement", false, plain.NextElement())
				return
			default:
			}
		}
		switch way {
		case 0, 1, 2, 3:
			same("Text", marked.Text(nil), plain.Text(nil))
		case 4, 5, 6:
			same("Value", marked.Value(), plain.Value())
		case 7, 8:
			same("Elements", marked.Elements(nil), plain.Elements(nil))
		default:
			marked.Skip()
			plain.Skip()
			same("Skip", nil, nil)
		}
	}
	both(0)
	same("End", marked.End() == nil, plain.End() == nil)
}

// FuzzMarks is TestMarkedReadsAlike of any bytes.
func FuzzMarks(f *testing.F) {
	long := strings.Repeat("a text of some length ", 60)
	for _, text := range []string{
		`{"a": [1, 2.5e-7, "x\u00e9"], "b":{"c": null}, "a":true}`, `{"a": "` + long + `", "b": ["` + long + `\"` + long + `"]}`,
		`[{"role": "user", "content": "\"` + long + `"}, {}]`, `\"`, `{"a":1\,"b":"c"}`, deep(70, `[`, `]`), `{"a":"` + strings.Repeat(`\\`, 600) + `"}`,
	} {
		f.Add([]byte(text), []byte{0, 9, 5, 7})
		f.Add([]byte(text), []byte{0, 0, 5, 4, 11, 8})
	}
	f.Fuzz(func(t *testing.T, text, ways []byte) {
		if len(ways) == 0 {
			return
		}
		before := bytes.Clone(text)
		sameReading(t, text, ways)
		if !bytes.Equal(before, text) {
			t.Fatal("the line was written to")
		}
	})
}
