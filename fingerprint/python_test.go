package fingerprint

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// TestPythonText compares with what Python 3.11 made of the same values. The
// rows are read with rawjson: encoding/json would lose the lone surrogates.
func TestPythonText(t *testing.T) {
	data, err := os.ReadFile("../fixtures/vectors/python_text.jsonl")
	must(t, err)
	values, texts := 0, 0
	var s rawjson.Scanner
	lines := bufio.NewScanner(bytes.NewReader(data))
	for row := 1; lines.Scan(); row++ {
		field := map[string][]byte{}
		s.Reset(lines.Bytes())
		for s.Object(); s.NextKey(); {
			key := string(s.Key)
			if s.Kind() != rawjson.Object {
				field[key] = s.Text(nil)
				continue
			}
			for s.Object(); s.NextKey(); {
				key := string(s.Key)
				field[key] = s.Text(nil)
			}
		}
		if err := s.End(); err != nil {
			t.Fatalf("row %d: %v", row, err)
		}
		switch {
		case field["json"] != nil:
			values++
			var c canonicalizer
			if got, ok := c.append(nil, field["json"], pythonRepr, nil); !ok || !bytes.Equal(got, field["str"]) {
				t.Errorf("row %d: str of %s:\n got %q (%v)\nwant %q", row, field["json"], got, ok, field["str"])
			}
			if got, ok := c.append(nil, field["json"], pythonUTF8, nil); !ok || !bytes.Equal(got, field["dumps"]) {
				t.Errorf("row %d: json.dumps of %s:\n got %q (%v)\nwant %q", row, field["json"], got, ok, field["dumps"])
			}
		case field["text"] != nil:
			texts++
			if got := appendPythonLower(nil, pythonStrip(field["text"])); !bytes.Equal(got, field["lower"]) {
				t.Errorf("row %d: strip and lower of %q: %q, want %q", row, field["text"], got, field["lower"])
			}
		default:
			testPythonCharacters(t, field)
		}
	}
	if values < 200 || texts < 100 {
		t.Errorf("%d values, %d texts", values, texts)
	}
}

// testPythonCharacters compares properties of every character, by a digest.
func testPythonCharacters(t *testing.T, want map[string][]byte) {
	t.Helper()
	digests := map[string]hash.Hash{}
	for name := range want {
		digests[name] = sha256.New()
	}
	if len(digests) != 5 {
		t.Fatalf("%d digests", len(digests))
	}
	put := func(name, text string) { digests[name].Write([]byte(text)) }
	bit := func(name string, b bool) {
		if b {
			put(name, "1")
		} else {
			put(name, "0")
		}
	}
	final := func(text string) bool {
		return strings.HasSuffix(string(appendPythonLower(nil, []byte(text+"Σ"))), "ς")
	}
	for r := range rune(unicode.MaxRune + 1) {
		if !utf8.ValidRune(r) {
			continue
		}
		if r != 'Σ' {
			put("lower", string(appendPythonLower(nil, []byte(string(r)))))
		}
		put("lower", "\n")
		bit("space", isPythonSpace(r))
		bit("printable", isPythonPrintable(r))
		bit("final", final(string(r)))
		bit("final_behind_A", final("A"+string(r)))
	}
	for name, h := range digests {
		if got := hex.EncodeToString(h.Sum(nil)); got != string(want[name]) {
			t.Errorf("%s of all characters differs from Python's (Unicode here: %s)", name, unicode.Version)
		}
	}
}

func TestPythonDigits(t *testing.T) {
	f := func(text string, ok bool) {
		t.Helper()
		var c canonicalizer
		got, fine := c.append([]byte("<"), []byte(text), pythonRepr, nil)
		if fine != ok {
			t.Errorf("%d digits: %v", len(text), fine)
		}
		if !fine && string(got) != "<" {
			t.Errorf("%.10s is left behind", got)
		}
	}
	f(strings.Repeat("9", 4300), true)
	f("-"+strings.Repeat("9", 4300), true)
	f(strings.Repeat("9", 4301), false)
	f("["+strings.Repeat("9", 4301)+"]", false)
	f(strings.Repeat("9", 5000)+".0", true) // a float, of any length
}

// Of a list of parts AISG joins the texts; what is no text says nothing, be it
// no part at all.
func TestAISGParts(t *testing.T) {
	id := mustNew(t, "aisg", Options{})
	f := func(parts, want string) {
		t.Helper()
		r := request(t, "caller", "c", "model", "m", "messages", `[{"role":"user","content":[`+parts+`]}]`)
		wantCanonicals(t, id, r, `{"model": "m", "texts": ["`+want+`"], "who": "c"}`)
	}
	f(`{"type":"text","text":"A"},{"text":"b","type":"text"}`, "a b")
	f(`{"type":"text","text":"a"},{"type":"image_url","text":"b"},{"text":"c"},{"type":"text"},{"type":"text","text":"d"}`, "a  d")
	f(`{"type":"image_url","text":"a","type":"text"}`, "a")
	f(`{"type":"text","text":"a","type":"image_url"}`, "")
	f(`"a",7,null,true,["text"],{"type":"text","text":"b"}`, "b")
	for _, kind := range []string{`null`, `7`, `true`, `["text"]`, `{"type":"text"}`} {
		f(`{"type":`+kind+`,"text":"a"},{"type":"text","text":"b"}`, "b")
		f(`{"text":"a","type":`+kind+`},{"type":"text","text":"b"}`, "b")
	}
}

// Words that are no JSON but that json.loads takes.
func TestPythonConstants(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		var c canonicalizer
		got, ok := c.append(nil, []byte(text), pythonUTF8, nil)
		if ok != (want != "") || ok && string(got) != want {
			t.Errorf("%s: %s, %v; want %s", text, got, ok, want)
		}
	}
	f(`[NaN,Infinity, -Infinity ,-1]`, `[NaN, Infinity, -Infinity, -1]`)
	f(`{"a":NaN}`, `{"a": NaN}`)
	f(`1e999`, `Infinity`)
	f(`-1e999`, `-Infinity`)
	f(`nan`, ``)
	f(`NaNN`, ``)
	f(`+Infinity`, ``)
	f(`-NaN`, ``)
}

// The signature of the tool-call proxy hashes what is long.
func TestToolCallPythonLong(t *testing.T) {
	id := mustNew(t, "tool-call-python", Options{})
	f := func(arguments, want string) {
		t.Helper()
		r := blank()
		r.ToolCallsLogged, r.ToolCalls = true, []ToolCall{{Name: []byte("f"), Arguments: []byte(arguments)}}
		if _, got := compute(t, id, r); got != "f:"+want {
			t.Errorf("%.20s: %.90s, want %.90s", arguments, got, want)
		}
	}
	sum := func(text string) string {
		h := sha256.Sum256([]byte(text))
		return "sha256:" + hex.EncodeToString(h[:])
	}
	// 1024 characters stay, quotes counted, whatever their bytes.
	f(`"`+strings.Repeat("é", 1022)+`"`, `"`+strings.Repeat("é", 1022)+`"`)
	f(`"`+strings.Repeat("é", 1023)+`"`, sum(`"`+strings.Repeat("é", 1023)+`"`))
	f(`"\ud800`+strings.Repeat("é", 1023)+`"`, sum(`"?`+strings.Repeat("é", 1023)+`"`))
	// Text too long to be parsed is hashed as it is.
	long := `{"b":1, "a":"` + strings.Repeat("x", 1<<20) + `"}`
	f(long, sum(long))
	// What is no JSON stays, however long.
	f(`{"a":`+strings.Repeat("x", 2000), `{"a":`+strings.Repeat("x", 2000))
	f(``, ``)
	// A text that Python refuses stays as it is, too.
	f("\"a\tb\"", "\"a\tb\"")
	f("  \"a\\tb\" ", `"a\tb"`)
}

// TestVectorsAgreeWithWords: the same lower case, up to the vector with the
// first byte that is DEL or beyond ASCII.
func TestVectorsAgreeWithWords(t *testing.T) {
	if !hasVectors {
		t.Skip("this machine has no vector instructions: words are all there is")
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "vectors")
		text := rapid.SliceOfN(rapid.ByteRange(0, 0x7E), 32*n, 32*n).Draw(t, "text")
		for range rapid.IntRange(0, 2).Draw(t, "others") {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.ByteRange(0x7F, 0xFF).Draw(t, "other")
		}
		want := text
		if i := slices.IndexFunc(text, func(c byte) bool { return c >= 0x7F }); i >= 0 {
			want = text[:i/32*32]
		}
		got := make([]byte, len(text))
		done := lowerVectors(&got[0], &text[0], n)
		if !bytes.Equal(got[:done], bytes.ToLower(want)) || slices.Max(append(got[done:], 0)) > 0 {
			t.Errorf("%q: %q, %d bytes", text, got, done)
		}
	})
}
