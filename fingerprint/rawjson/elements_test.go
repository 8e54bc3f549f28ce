package rawjson

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
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
	sameElementsAgain(t, &Scanner{}, text, depth)
}

// sameElementsAgain is sameElements for a Scanner that has read other texts.
func sameElementsAgain(t rapid.TB, fast *Scanner, text []byte, depth int) {
	t.Helper()
	before := []Value{Value("kept")}
	fast.Reset(text)
	fast.depth, fast.err = depth, SyntaxError{}
	slow := Scanner{buf: text, depth: depth}
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

// TestElementsOfConversations does the same for arrays that begin like others
// before, or almost.
func TestElementsOfConversations(t *testing.T) {
	long := strings.Repeat("a prompt in front of all that is said, ", 110)
	pieces := []string{
		`{"content":"` + long + `"}`, `{"content":"` + long[1:] + `"}`, `{"content":"` + long + `\""}`, `{"a":"}"}`, `[1,[2]]`, `{"a":{"b":[{}]}}`, `{}`,
		strings.Repeat(`{"content":"one of many, longer than a block of sixty-four bytes all in all"}, `, 30) + `{}`,
		`"text"`, `null`, `\`, `}`, `{`, deep(70, `[`, `]`), deep(63, `[`, `]`),
		`{"content":"` + strings.Repeat("more than is kept ", mostArray/18) + `"}`,
		strings.Repeat(`{},`, mostElements) + `{}`,
	}
	rapid.Check(t, func(t *rapid.T) {
		s := &Scanner{}
		memory := make([]byte, 0, 1<<20) // of the lines, which do not stay
		read := [][]string{{}}
		strangers := rapid.Bool().Draw(t, "strangers")
		for line := range rapid.IntRange(1, 50).Draw(t, "lines") {
			array := slices.Clone(rapid.SampledFrom(read).Draw(t, "earlier"))
			if strangers && line < 40 {
				array = append([]string{fmt.Sprintf(`{"content":"%d"}`, line)}, array...)
			}
			if len(array) > 0 && rapid.IntRange(0, 3).Draw(t, "cut") == 0 {
				array = array[:rapid.IntRange(0, len(array)).Draw(t, "length")]
			}
			for range rapid.IntRange(0, 3).Draw(t, "more") {
				k := rapid.IntRange(0, len(pieces)-1).Draw(t, "piece")
				if rapid.IntRange(0, 9).Draw(t, "good") > 0 {
					k %= 8
				}
				array = append(array, pieces[k])
			}
			read = append(read, array)
			text := append(append(memory[:0], '['), strings.Join(array, rapid.SampledFrom([]string{`, `, `, `, `, `, `,`, ` `}).Draw(t, "gap"))...)
			text = append(text, rapid.SampledFrom([]string{`]`, `], "after": "` + long + `"`, ` ]`, ``, `]}`}).Draw(t, "end")...)
			sameElementsAgain(t, s, text, rapid.SampledFrom([]int{0, 1, 1, 1, MaxDepth - mostOpen, MaxDepth - 3}).Draw(t, "depth"))
		}
	})
}

// TestElementsOfACutLine: an array that ends before one that is kept does is not
// read beyond its end.
func TestElementsOfACutLine(t *testing.T) {
	line := []byte("[" + strings.Repeat(`{"content":"as often as an array is long that is kept"},`, 2*leastArray/50) + "{}]")
	for _, n := range []int{len(line) - 4, leastArray + 100} {
		s := &Scanner{}
		sameElementsAgain(t, s, line, 0)
		sameElementsAgain(t, s, line[:n:n], 0)
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
