package rawjson

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// toAny walks a value into what encoding/json makes of it, numbers as their
// text. Of a key given twice the last value counts.
func toAny(s *Scanner) any {
	switch s.Kind() {
	case Object:
		m := map[string]any{}
		for s.Object(); s.NextKey(); {
			key := string(s.Key)
			if old, twice := m[key]; twice && !validNumbers(old) {
				m["before "+key] = old // no value of JSON, whatever comes now
			}
			m[key] = toAny(s)
		}
		return m
	case Array:
		list := []any{}
		for s.Array(); s.NextElement(); {
			list = append(list, toAny(s))
		}
		return list
	case String:
		return string(s.Text(nil))
	case Number:
		return json.Number(s.Value())
	case Bool:
		v, _ := s.Bool()
		return v
	default:
		s.Skip()
		return nil
	}
}

// standard makes the values of toAny as encoding/json would have made them:
// it knows no lone surrogates and puts U+FFFD in the place of an escaped one.
func standard(v any) any {
	switch v := v.(type) {
	case string:
		return withoutSurrogates(v)
	case []any:
		for i := range v {
			v[i] = standard(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[withoutSurrogates(key)] = standard(value)
		}
		return out
	}
	return v
}

func withoutSurrogates(text string) string {
	var out []byte
	for b := []byte(text); len(b) > 0; {
		r, n := DecodeRune(b)
		out = utf8.AppendRune(out, r) // U+FFFD for a surrogate
		b = b[n:]
	}
	return string(out)
}

// decodeStandard is the one value of text by encoding/json.
func decodeStandard(text []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err == io.EOF
}

// nesting is how deep brackets outside of strings nest in valid JSON.
func nesting(text []byte) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// rawSurrogate tells whether text has a surrogate in three raw bytes, which
// this package keeps and encoding/json does not.
func rawSurrogate(text []byte) bool {
	for i := range text {
		if text[i] == 0xED && i+2 < len(text) && text[i+1]&0xE0 == 0xA0 && text[i+2]&0xC0 == 0x80 {
			return true
		}
	}
	return false
}

// The Scanner against encoding/json on any bytes.
//   - What encoding/json accepts the Scanner accepts, but for what nests deeper
//     than MaxDepth, and gives the same value.
//   - What the Scanner accepts when it reads everything and encoding/json does
//     not has raw control characters in a string, or numbers that are none,
//     which give nothing when they are asked for.
//   - Skipping a value and walking through it end at the same place, and
//     whatever can be walked can be skipped.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e-7,"x\u00e9\ud83d\ude00\ud83d",{"b":null}],"a":true}`, "\"\xff\xed\xa0\x80\"", `"\q"`, "[\"a\nb\"]",
		`[01]`, `-`, `{"a":1,}`, `[1 2]`, `{"a":{,"b":1}}`, `[1,[,2]]`, `{"a":1e-e,"a":1}`, ` {} `, `{}{}`, `"`, `nul`, `1e400`, deep(40, `[`, `]`), `{"a":"\\\\"}`, "\ufeff1",
		`{"\ud800":1,"\ufffd":2}`, `[-0,1E5,0.10]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s Scanner
		before := bytes.Clone(text)
		s.Reset(text)
		got := toAny(&s)
		walked := s.Offset()
		walkable := s.Err() == nil
		whole := s.End() == nil
		if !bytes.Equal(before, text) {
			t.Fatal("the line was written to")
		}

		s.Reset(text)
		s.Skip()
		if walkable && (s.Err() != nil || s.Offset() != walked) {
			t.Errorf("walked to %d, skipped to %d (%v)", walked, s.Offset(), s.Err())
		}
		if at, what := s.Failure(); what != "" && (at < 0 || at > len(text)) {
			t.Errorf("error at %d of %d", at, len(text))
		}

		want, valid := decodeStandard(text)
		switch {
		case valid && !whole:
			if nesting(text) <= MaxDepth {
				t.Fatalf("encoding/json takes it, the Scanner says %v", s.Err())
			}
		case valid:
			// A key that is told from another by its surrogates alone makes
			// one key of two for encoding/json.
			if bytes.Contains(text, []byte(`\u`)) && lossyKeys(got) {
				return
			}
			if rawSurrogate(text) {
				return // three bytes or one, as documented
			}
			if got = standard(got); !reflect.DeepEqual(got, want) {
				t.Errorf("%#v, encoding/json %#v", got, want)
			}
		case whole:
			if !hasControl(text) && validNumbers(got) {
				t.Error("the Scanner takes what encoding/json does not")
			}
		}
	})
}

func lossyKeys(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, lossyKeys)
	case map[string]any:
		seen := map[string]bool{}
		for key, value := range v {
			key = withoutSurrogates(key)
			if seen[key] || lossyKeys(value) {
				return true
			}
			seen[key] = true
		}
	}
	return false
}

// validNumbers tells whether all numbers are: Value does not check them.
func validNumbers(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return ValidNumber([]byte(v))
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !validNumbers(e) })
	case map[string]any:
		for _, value := range v {
			if !validNumbers(value) {
				return false
			}
		}
	}
	return true
}

func hasControl(text []byte) bool {
	for _, c := range text {
		if c < ' ' {
			return true
		}
	}
	return false
}

// AppendString against JavaScript's rules, written down once more and slowly.
func FuzzAppendString(f *testing.F) {
	for _, seed := range []string{"", "a\"\\\b\f\n\r\t\x00\x1f\x7f", "é\u2028\U0001F600\ufffd", "\xed\xa0\x80x\xed\xb0\x80", "12345678\"", "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text := appendValid(nil, raw) // what a Scanner hands out
		got := AppendString([]byte("x"), text)
		if want := `x"` + slowString(text) + `"`; string(got) != want {
			t.Fatalf("%q, want %q", got, want)
		}
		var back string
		if err := json.Unmarshal(got[1:], &back); err != nil {
			t.Fatal(err)
		}
		if !rawSurrogate(text) && back != string(text) {
			t.Errorf("read back as %q, was %q", back, text)
		}
		again, bad := AppendText(nil, got[2:len(got)-1])
		// Two lone halves side by side become one character when read again.
		if bad >= 0 || !bytes.Equal(again, text) && !rawSurrogate(text) {
			t.Errorf("read back as %q (%d), was %q", again, bad, text)
		}
	})
}

func slowString(text []byte) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := DecodeRune(text)
		text = text[n:]
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r >= 0xD800 && r < 0xE000, r < ' ':
			short := map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`}[r]
			if short == "" {
				const digits = "0123456789abcdef"
				short = `\u` + string([]byte{digits[r>>12], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
			}
			b.WriteString(short)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Numbers against encoding/json: what is a number, and which.
func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"0", "-0", "1.5e300", "01", "1.", "9223372036854775808", "1e400", "-", "1e5", "9007199254740993.0"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		valid := len(text) > 0 && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') &&
			!bytes.ContainsAny(text, " \t\r\n") && json.Valid(text)
		if got := ValidNumber(text); got != valid {
			t.Fatalf("ValidNumber is %v, want %v", got, valid)
		}
		var want float64
		isFloat := valid && json.Unmarshal(text, &want) == nil
		if got, ok := ParseFloat(text); ok != isFloat || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("ParseFloat is %v, %v, want %v, %v", got, ok, want, isFloat)
		}
		var n int64
		isInt := valid && json.Unmarshal(text, &n) == nil
		got, ok := ParseInt(text)
		if isInt && (!ok || got != n) {
			t.Errorf("ParseInt is %d, %v, want %d", got, ok, n)
		}
		if ok && !isInt && float64(got) != want {
			t.Errorf("ParseInt is %d, the number %v", got, want)
		}
	})
}
