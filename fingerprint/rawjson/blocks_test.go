package rawjson

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

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

// TestVectorsAgreeWithWords: the same end of what is plain, wherever it is,
// but that DEL, which a string may hold, goes on.
func TestVectorsAgreeWithWords(t *testing.T) {
	if !hasBlocks {
		t.Skip("this machine has no vector instructions: the loops are all there is")
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "vectors")
		text := bytes.Repeat([]byte{'~'}, n*vectorSize)
		for range rapid.IntRange(0, 4).Draw(t, "others") {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		got := plainVectors(&text[0], n)
		if want := Plain(bytes.ReplaceAll(text, []byte{0x7F}, []byte{' '})); got != want {
			t.Fatalf("%q: plain up to %d, want %d", text, got, want)
		}
	})
}
