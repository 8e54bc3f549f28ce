package rawjson

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestElementsAreTheLoop holds Elements against the loop over NextElement that
// it stands for: the same elements, and the same error at the same place.
func TestElementsAreTheLoop(t *testing.T) {
	pieces := []string{
		`{}`, `[]`, `{"a":"}"}`, `[1,[2]]`, `{"a":{"b":[{}]}}`, `"text"`, `"[\"{"`, `7`, `null`, `true`, `-`, `x`, `\`, `"`, `}`, `{`,
		`{"content":"a text that is longer than a block of sixty-four bytes, to move the rest about"}`,
	}
	gaps := []string{``, ` `, "\n\t\r", `,`, `,`, `,`, `,`, ` , `, `, `, `,,`, "\f", `:`}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		text := []byte("[" + rapid.SampledFrom([]string{``, ``, ` `, `,`}).Draw(t, "first"))
		for i := range n {
			if i > 0 {
				// Mostly a good array: one fault hides the others.
				gap := `, `
				if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
					gap = rapid.SampledFrom(gaps).Draw(t, "gap")
				}
				text = append(text, gap...)
			}
			k := rapid.IntRange(0, len(pieces)-1).Draw(t, "piece")
			if rapid.IntRange(0, 4).Draw(t, "good") > 0 {
				k %= 5
			}
			text = append(text, pieces[k]...)
		}
		text = append(text, rapid.SampledFrom([]string{`]`, `]`, ` ]`, `,]`, `}`, ``, `]]`}).Draw(t, "end")...)
		text = append(text, rapid.SampledFrom([]string{``, `,"after":[{}]`, ` }`}).Draw(t, "after")...)
		depth := rapid.SampledFrom([]int{0, 1, MaxDepth - 3, MaxDepth - 1, MaxDepth}).Draw(t, "depth")

		sameElements(t, text, depth)
	})
}

func sameElements(t rapid.TB, text []byte, depth int) {
	t.Helper()
	before := []Value{Value("kept")}
	fast, slow := Scanner{buf: text, depth: depth}, Scanner{buf: text, depth: depth}
	got := fast.Elements(before)
	want := before
	for slow.Array(); slow.NextElement(); {
		want = append(want, slow.Value())
	}
	if fast.pos != slow.pos || fast.bad != slow.bad || fast.err != slow.err || fast.depth != slow.depth {
		t.Fatalf("%s: at %d, depth %d, %v; the loop at %d, depth %d, %v", text, fast.pos, fast.depth, fast.Err(), slow.pos, slow.depth, slow.Err())
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, the loop %d", text, len(got), len(want))
	}
	for i := range got {
		if !bytes.Equal(got[i], want[i]) || (got[i] == nil) != (want[i] == nil) {
			t.Errorf("%s: element %d is %q, by the loop %q", text, i, got[i], want[i])
		}
	}
}

func TestBadElements(t *testing.T) {
	for _, text := range []string{
		`[{} {}]`, `[{}{}]`, `[,{}]`, `[{},]`, `[{},,{}]`, `[{},`, `[{}`, `[`, `[{}}`, `[{]}]`, `[{}:{}]`, `[{}x,{}]`, "[{}\f,{}]", `[{}\,{}]`, `[{},{}]]`,
	} {
		sameElements(t, []byte(text), 0)
	}
}

func TestElements(t *testing.T) {
	var s Scanner
	f := func(value string, want ...string) {
		t.Helper()
		s.Reset([]byte(`{"a":` + value + `,"b":1}`))
		s.Object()
		s.NextKey()
		got := s.Elements(nil)
		if len(got) != len(want) {
			t.Fatalf("%s: %q", value, got)
		}
		for i := range got {
			if string(got[i]) != want[i] {
				t.Errorf("%s: element %d is %s", value, i, got[i])
			}
		}
		if !s.NextKey() || string(s.Key) != "b" {
			t.Errorf("%s: the next member is not read", value)
		}
	}
	f(`[]`)
	f(`[ {"x":[1]} , [2] ]`, `{"x":[1]}`, `[2]`)
	f(`[{"x":1},"y",null]`, `{"x":1}`, `"y"`, ``)
	f(`"no array"`)
	f(`{"a":[1]}`)
}
