package fingerprint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

func jcsOf(text string) (string, bool) {
	var c canonicalizer
	out, ok := c.append([]byte("<"), []byte(text), jcs, nil)
	return strings.TrimPrefix(string(out), "<"), ok
}

// The numbers of RFC 8785, appendix B, by their bits.
func TestJCSNumberBits(t *testing.T) {
	f := func(bits uint64, want string) {
		t.Helper()
		x := math.Float64frombits(bits)
		for _, text := range []string{strconv.FormatFloat(x, 'e', 17, 64), strconv.FormatFloat(x, 'e', -1, 64), want} {
			if got, ok := jcsOf(text); !ok || got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		}
	}
	f(0x0000000000000000, "0")
	f(0x8000000000000000, "0")
	f(0x0000000000000001, "5e-324")
	f(0x8000000000000001, "-5e-324")
	f(0x7fefffffffffffff, "1.7976931348623157e+308")
	f(0xffefffffffffffff, "-1.7976931348623157e+308")
	f(0x4340000000000000, "9007199254740992")
	f(0xc340000000000000, "-9007199254740992")
	f(0x4430000000000000, "295147905179352830000")
	f(0x44b52d02c7e14af5, "9.999999999999997e+22")
	f(0x44b52d02c7e14af6, "1e+23")
	f(0x44b52d02c7e14af7, "1.0000000000000001e+23")
	f(0x444b1ae4d6e2ef4e, "999999999999999700000")
	f(0x444b1ae4d6e2ef4f, "999999999999999900000")
	f(0x444b1ae4d6e2ef50, "1e+21")
	f(0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7")
	f(0x3eb0c6f7a0b5ed8d, "0.000001")
	f(0x41b3de4355555553, "333333333.3333332")
	f(0x41b3de4355555554, "333333333.33333325")
	f(0x41b3de4355555555, "333333333.3333333")
	f(0x41b3de4355555556, "333333333.3333334")
	f(0x41b3de4355555557, "333333333.33333343")
	f(0xbecbf647612f3696, "-0.0000033333333333333333")
	f(0x43143ff3c1cb0959, "1424953923781206.2")
}

func TestJCS(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got, ok := jcsOf(text); !ok || got != want {
			t.Errorf("%s: %s (%v), want %s", text, got, ok, want)
		}
	}
	f(`-0`, `0`)
	f(`-0.0`, `0`)
	f(`1E30`, `1e+30`)
	f(`4.50`, `4.5`)
	f(`2e-3`, `0.002`)
	f(`1e21`, `1e+21`)
	f(`100000000000000000000`, `100000000000000000000`)
	f(`0.000000000000000000000000001`, `1e-27`)
	f(`1e-400`, `0`)
	f(`333333333.33333329`, `333333333.3333333`)
	f(` [ 1 , "a" , null , true , false , { } , [ ] ] `, `[1,"a",null,true,false,{},[]]`)
	f("\"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\"", "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"")
	f(`{"b":1,"a":2}`, `{"a":2,"b":1}`)
	f(`{"b":{"z":1,"y":[{"d":1,"c":2}]},"a":2}`, `{"a":2,"b":{"y":[{"c":2,"d":1}],"z":1}}`)
	f(`{"":1,"a":2,"aa":3,"A":4}`, `{"":1,"A":4,"a":2,"aa":3}`)
	f(`{"10":1,"9":2,"1":3}`, `{"1":3,"10":1,"9":2}`)
	// Of a name given twice the last value counts, escaped or not.
	f(`{"a":1,"b":2,"\u0061":3}`, `{"a":3,"b":2}`)
	f(`{"a":1,"a":{"x":1},"a":2}`, `{"a":2}`)
	// RFC 8785, section 3.2.3: order by UTF-16 units. 😀 (D83D DE00) stands
	// before דּ (FB33), which order by code points or bytes would not do.
	f(`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
		"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}")
	f(`{"x\ue000":1,"x\ud800\udc00":2,"x":3}`, "{\"x\":3,\"x\U00010000\":2,\"x\ue000\":1}")
	f(`{"\ud83d\ude01":1,"\ud83d\ude00":2,"\ud83d":3}`, `{"\ud83d":3,"😀":2,"😁":1}`)
	f(`{"\udc00":1,"\ud800":2,"\ud7ff":3,"\ue000":4}`, "{\"\ud7ff\":3,\"\\ud800\":2,\"\\udc00\":1,\"\ue000\":4}")
	f(`"\ud800"`, `"\ud800"`)
}

func TestJCSRefuses(t *testing.T) {
	f := func(text string) {
		t.Helper()
		if got, ok := jcsOf(text); ok || got != "" {
			t.Errorf("%.40s: %.40s", text, got)
		}
	}
	for _, text := range []string{``, ` `, `x`, `NaN`, `01`, `1.`, `1e400`, `-1e400`, `[1,]`, `[1`, `{"a":1,}`, `{"a":1`, `{"b":1,"a":x}`, `{"b":1,"a":01}`, `{"a"}`, `1 2`, `"\q"`, `"a`, `{}x`, `nul`} {
		f(text)
	}
	f(strings.Repeat("[", rawjson.MaxDepth+1) + strings.Repeat("]", rawjson.MaxDepth+1))
	// A refusal leaves nothing behind for the next value.
	var c canonicalizer
	c.append(nil, []byte(`{"z":1,"a":{"y":1,"b":[01]}}`), jcs, nil)
	if out, ok := c.append(nil, []byte(`{"b":1,"a":2}`), jcs, nil); !ok || string(out) != `{"a":2,"b":1}` {
		t.Errorf("%s, %v", out, ok)
	}
}

// genJSON draws JSON text and says how its values read. Values are written
// again by rewrite with other white space, order and escapes.
func genJSON(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		top := 6
		if depth == 0 {
			top = 4
		}
		switch rapid.IntRange(0, top).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.OneOf(rapid.Float64Range(-1e25, 1e25), rapid.Map(rapid.IntRange(-1000, 1000), func(n int) float64 { return float64(n) })).Draw(t, "number")
		case 3, 4:
			return rapid.StringOf(rapid.RuneFrom([]rune("aAb \"\\\n\t/é€\ue000\ufffd😀𐀀\x7f\u2028"))).Draw(t, "text")
		case 5:
			return rapid.SliceOfN(genJSON(depth-1), 0, 4).Draw(t, "list")
		default:
			return rapid.MapOfN(rapid.StringOfN(rapid.RuneFrom([]rune("ab\ue000😀𐀀é")), 0, 3, -1), genJSON(depth-1), 0, 4).Draw(t, "object")
		}
	})
}

func rewrite(t *rapid.T, v any) string {
	blank := func() string { return rapid.SampledFrom([]string{"", "", " ", "\n\t"}).Draw(t, "blank") }
	list := func(open string, parts []string, shut string) string {
		var b strings.Builder
		b.WriteString(open + blank())
		for i, p := range parts {
			if i > 0 {
				b.WriteString(blank() + "," + blank())
			}
			b.WriteString(p)
		}
		return b.String() + blank() + shut
	}
	text := func(s string) string {
		if !rapid.Bool().Draw(t, "escaped") {
			return string(rawjson.AppendString(nil, []byte(s)))
		}
		var b strings.Builder
		b.WriteByte('"')
		for _, u := range utf16.Encode([]rune(s)) {
			fmt.Fprintf(&b, `\u%04X`, u)
		}
		return b.String() + `"`
	}
	switch v := v.(type) {
	case string:
		return text(v)
	case float64:
		return strconv.FormatFloat(v, rapid.SampledFrom([]byte{'e', 'E', 'f', 'g'}).Draw(t, "form"), -1, 64)
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, rewrite(t, e))
		}
		return list("[", parts, "]")
	case map[string]any:
		var names []string
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		names = rapid.Permutation(names).Draw(t, "order")
		var parts []string
		for _, name := range names {
			parts = append(parts, text(name)+blank()+":"+blank()+rewrite(t, v[name]))
		}
		return list("{", parts, "}")
	default:
		data, _ := json.Marshal(v)
		return string(data)
	}
}

// slowJCS is RFC 8785 of a value, by its letter.
func slowJCS(v any) string {
	switch v := v.(type) {
	case string:
		return string(rawjson.AppendString(nil, []byte(v)))
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, slowJCS(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var names []string
		for name := range v {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int {
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		})
		var parts []string
		for _, name := range names {
			parts = append(parts, slowJCS(name)+":"+slowJCS(v[name]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	default: // encoding/json writes numbers as JavaScript does
		data, _ := json.Marshal(v)
		if string(data) == "-0" {
			return "0"
		}
		return string(data)
	}
}

// However a value is written, its canonical form is the one of RFC 8785, and
// canonical already.
func TestJCSProperties(t *testing.T) {
	var c canonicalizer
	rapid.Check(t, func(t *rapid.T) {
		v := genJSON(3).Draw(t, "value")
		text := rewrite(t, v)
		got, ok := c.append(nil, []byte(text), jcs, nil)
		if want := slowJCS(v); !ok || string(got) != want {
			t.Fatalf("%s:\n got %s\nwant %s", text, got, want)
		}
		if again, ok := c.append(nil, got, jcs, nil); !ok || !bytes.Equal(again, got) {
			t.Fatalf("not canonical: %s", got)
		}
	})
}

// TestCompareUTF16: compareUTF16 is an order, and that of the units, lone
// halves included.
func TestCompareUTF16(t *testing.T) {
	units := []string{"", "a", "é", "\ud7ff", "\xed\xa0\x80", "\xed\xa0\xbd", "\xed\xb0\x80", "\xed\xb8\x80", "\ue000", "\ufffd", "𐀀", "😀", "😁"}
	encode := func(text string) (list []uint16) {
		for b := []byte(text); len(b) > 0; {
			r, n := rawjson.DecodeRune(b)
			b = b[n:]
			if r > 0xFFFF {
				high, low := utf16.EncodeRune(r)
				list = append(list, uint16(high), uint16(low))
			} else {
				list = append(list, uint16(r))
			}
		}
		return list
	}
	sign := func(n int) int { return min(1, max(-1, n)) }
	var names []string
	for _, x := range units {
		for _, y := range units {
			for _, z := range []string{"", "a", "😀", "\xed\xb0\x80"} {
				names = append(names, x+y+z)
			}
		}
	}
	for _, a := range names {
		for _, b := range names {
			got := sign(compareUTF16([]byte(a), []byte(b)))
			if want := slices.Compare(encode(a), encode(b)); want != 0 && got != want {
				t.Fatalf("%q, %q: %d, want %d", a, b, got, want)
			}
			if (got == 0) != (a == b) {
				t.Fatalf("%q, %q: %d", a, b, got)
			}
			if back := sign(compareUTF16([]byte(b), []byte(a))); back != -got {
				t.Fatalf("%q, %q: %d, turned round %d", a, b, got, back)
			}
		}
	}
}

// Objects with very many members, in the worst order and all of one name.
func TestManyMembers(t *testing.T) {
	for _, name := range []func(i, size int) string{
		func(i, size int) string { return strconv.Itoa(size - i) },
		func(i, size int) string { return "same" },
		func(i, size int) string { return strings.Repeat("p", 50) + strconv.Itoa(i*7919%size) },
	} {
		for _, style := range []*jsonStyle{jcs, pythonRepr, pythonUTF8} {
			var c canonicalizer
			hostile(t, func(size int) {
				var b strings.Builder
				b.WriteString(`{"a":0`)
				for i := range size {
					fmt.Fprintf(&b, `,%q:%d`, name(i, size), i)
				}
				b.WriteString(`}`)
				if _, ok := c.append(nil, []byte(b.String()), style, nil); !ok {
					t.Fatal("refused")
				}
			})
		}
	}
}
