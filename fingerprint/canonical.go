package fingerprint

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// canonicalizer rewrites JSON text so that equal values give equal bytes. How
// members are ordered and values are written is its style's. It allocates
// nothing once its memory has grown.
type canonicalizer struct {
	scan    rawjson.Scanner
	members []member
	swap    []byte

	style    *jsonStyle
	mask     mask // of strings and numbers; nil for none
	masked   []byte
	refused  bool
	remarked bool // remarks stand beside a command, left out or not
	oneWord  bool // which is a word alone
}

// jsonStyle is a way to read JSON and to write it in canonical form.
type jsonStyle struct {
	comma, colon string
	words        [3]string // null, true, false
	text         func(dst, text []byte) []byte
	// number writes a valid JSON number; false refuses it.
	number  func(dst, text []byte) ([]byte, bool)
	compare func(a, b []byte) int // of member names; nil keeps their order

	acts      bool        // of what agents do: remarks are left out
	maxDepth  int         // a value inside more objects and arrays is refused
	constants [][2]string // words that stand for numbers, and how to write them
}

// member is one member of an object being written: where its text stands.
type member struct {
	name       []byte
	start, end int
	index      int
}

var jsonWords = [3]string{"null", "true", "false"}

// jcs is RFC 8785, the JSON Canonicalization Scheme.
var jcs = &jsonStyle{
	comma: ",", colon: ":", words: jsonWords, maxDepth: rawjson.MaxDepth,
	text: rawjson.AppendString, number: appendES6Number, compare: compareUTF16,
}

func (c *canonicalizer) memory() int {
	const member = 6 * 8
	return c.scan.Memory() + cap(c.swap) + cap(c.masked) + member*cap(c.members)
}

// append appends the canonical form of the JSON text. ok is false if text is
// not JSON, or has no form in this style; dst is then as it was.
func (c *canonicalizer) append(dst, text []byte, style *jsonStyle, m mask) (out []byte, ok bool) {
	c.style, c.mask, c.refused, c.remarked = style, m, false, false
	c.members = c.members[:0]
	c.scan.Reset(text)
	out = c.value(dst, 0)
	if c.scan.End() != nil || c.refused {
		return dst, false
	}
	return out, true
}

func (c *canonicalizer) value(dst []byte, depth int) []byte {
	s := &c.scan
	c.refused = c.refused || depth > c.style.maxDepth
	for _, word := range c.style.constants {
		if s.Word(word[0]) {
			return append(dst, word[1]...)
		}
	}
	switch s.Kind() {
	case rawjson.Object:
		return c.object(dst, depth+1)
	case rawjson.Array:
		dst = append(dst, '[')
		from := len(dst)
		for s.Array(); s.NextElement() && !c.refused; {
			if len(dst) > from {
				dst = append(dst, c.style.comma...)
			}
			dst = c.value(dst, depth+1)
		}
		return append(dst, ']')
	case rawjson.String:
		text := s.Text(nil)
		if c.mask != nil {
			c.masked = c.mask.append(c.masked[:0], text)
			text = c.masked
		}
		return c.style.text(dst, text)
	case rawjson.Number:
		text := s.Value()
		if !rawjson.ValidNumber(text) {
			c.refused = true
			return dst
		}
		if c.mask.numbers() {
			return rawjson.AppendString(dst, []byte(c.mask[len(c.mask)-1].placeholder))
		}
		out, ok := c.style.number(dst, text)
		c.refused = c.refused || !ok
		return out
	case rawjson.Bool:
		if value, _ := s.Bool(); value {
			return append(dst, c.style.words[1]...)
		}
		return append(dst, c.style.words[2]...)
	default: // null, or an error that sticks
		s.Skip()
		return append(dst, c.style.words[0]...)
	}
}

// object writes the members as they come and puts them in order behind, which
// most of the time they are already.
func (c *canonicalizer) object(dst []byte, depth int) []byte {
	s := &c.scan
	base := len(c.members)
	dst = append(dst, '{')
	body := len(dst)
	ordered := c.style.compare != nil
	for s.Object(); s.NextKey() && !c.refused; {
		name := s.Key
		n := len(c.members)
		if n > base {
			ordered = ordered && c.style.compare(c.members[n-1].name, name) < 0
			dst = append(dst, c.style.comma...)
		}
		start := len(dst)
		dst = c.style.text(dst, name)
		dst = append(dst, c.style.colon...)
		dst = c.value(dst, depth)
		c.members = append(c.members, member{name, start, len(dst), n})
	}
	if members := c.members[base:]; !c.refused {
		if depth == 1 && hasRemarks(members, dst) {
			c.remarked, c.oneWord = true, isOneWord(members, dst)
			if c.style.acts {
				members, ordered = withoutRemarks(members, dst), false
			}
		}
		if !ordered {
			dst = c.sort(dst, body, members)
		}
	}
	c.members = c.members[:base]
	return append(dst, '}')
}

// sort puts members in order. Of a name given twice the last counts; where
// the style keeps the order of the text, it stands where the first one stood.
func (c *canonicalizer) sort(dst []byte, body int, members []member) []byte {
	compare := c.style.compare
	if compare == nil {
		compare = bytes.Compare
	}
	slices.SortStableFunc(members, func(a, b member) int { return compare(a.name, b.name) })
	kept := members[:0]
	for _, m := range members {
		if n := len(kept); n > 0 && bytes.Equal(kept[n-1].name, m.name) {
			m.index = kept[n-1].index
			kept = kept[:n-1]
		}
		kept = append(kept, m)
	}
	if c.style.compare == nil {
		slices.SortFunc(kept, func(a, b member) int { return a.index - b.index })
	}
	c.swap = c.swap[:0]
	for i, m := range kept {
		if i > 0 {
			c.swap = append(c.swap, c.style.comma...)
		}
		c.swap = append(c.swap, dst[m.start:m.end]...)
	}
	return append(dst[:body], c.swap...)
}

// appendES6Number writes a number as JavaScript does, which RFC 8785 asks for.
func appendES6Number(dst, text []byte) ([]byte, bool) {
	f, ok := rawjson.ParseFloat(text)
	if !ok {
		return dst, false
	}
	if f == 0 {
		return append(dst, '0'), true // also for -0
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64), true
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go writes e-07 where JavaScript writes e-7.
	if e := bytes.IndexByte(dst[from:], 'e') + from + 2; dst[e] == '0' {
		dst = append(dst[:e], dst[e+1:]...)
	}
	return dst, true
}

// compareUTF16 orders names by their UTF-16 units, as RFC 8785 asks for. That
// is the order of the bytes but for characters beyond U+FFFF, whose surrogates
// go before U+E000.
func compareUTF16(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n {
		return len(a) - len(b)
	}
	for i > 0 && (a[i]&0xC0 == 0x80 || b[i]&0xC0 == 0x80) {
		i-- // to the start of the character in which they differ
	}
	x, y := units{text: a[i:]}, units{text: b[i:]}
	for {
		u, v := x.next(), y.next()
		if u != v {
			return int(u - v)
		}
		if u < 0 {
			return bytes.Compare(a, b) // a character and the two halves of it
		}
	}
}

// units reads text as UTF-16.
type units struct {
	text []byte
	low  rune // the second half of the character read last, or 0
}

// next is the next unit, -1 at the end.
func (u *units) next() rune {
	if low := u.low; low != 0 {
		u.low = 0
		return low
	}
	if len(u.text) == 0 {
		return -1
	}
	r, n := rawjson.DecodeRune(u.text)
	u.text = u.text[n:]
	if r > 0xFFFF {
		r, u.low = utf16.EncodeRune(r)
	}
	return r
}
