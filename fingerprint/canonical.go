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
	maxDepth int
	mask     mask // of strings and numbers; nil for none
	masked   []byte
	refused  bool
}

// jsonStyle is a way to write canonical JSON.
type jsonStyle struct {
	comma, colon string
	text         func(dst, text []byte) []byte
	// number writes a valid JSON number; false refuses it.
	number  func(dst, text []byte) ([]byte, bool)
	compare func(a, b []byte) int // of member names
}

// member is one member of an object being written: where its text stands.
type member struct {
	name       []byte
	start, end int
}

// jcs is RFC 8785, the JSON Canonicalization Scheme.
var jcs = &jsonStyle{",", ":", rawjson.AppendString, appendES6Number, compareUTF16}

// append appends the canonical form of the JSON text. ok is false if text is
// not JSON, or has no form in this style; dst is then as it was.
func (c *canonicalizer) append(dst, text []byte, style *jsonStyle, maxDepth int, m mask) (out []byte, ok bool) {
	c.style, c.maxDepth, c.mask, c.refused = style, maxDepth, m, false
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
	switch s.Kind() {
	case rawjson.Object:
		if depth == c.maxDepth {
			c.refused = true
		}
		return c.object(dst, depth+1)
	case rawjson.Array:
		if depth == c.maxDepth {
			c.refused = true
		}
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
		if c.mask.numbers() {
			return append(dst, `"<number>"`...)
		}
		out, ok := dst, rawjson.ValidNumber(text)
		if ok {
			out, ok = c.style.number(dst, text)
		}
		c.refused = c.refused || !ok
		return out
	case rawjson.Bool:
		return append(dst, s.Value()...)
	default: // null, or an error that sticks
		s.Skip()
		return append(dst, "null"...)
	}
}

// object writes the members as they come and puts them in order behind, which
// most of the time they are already.
func (c *canonicalizer) object(dst []byte, depth int) []byte {
	s := &c.scan
	base := len(c.members)
	dst = append(dst, '{')
	body := len(dst)
	ordered := true
	for s.Object(); s.NextKey() && !c.refused; {
		name := s.Key
		if n := len(c.members); n > base {
			ordered = ordered && c.style.compare(c.members[n-1].name, name) < 0
			dst = append(dst, c.style.comma...)
		}
		start := len(dst)
		dst = c.style.text(dst, name)
		dst = append(dst, c.style.colon...)
		dst = c.value(dst, depth)
		c.members = append(c.members, member{name, start, len(dst)})
	}
	if !ordered && !c.refused {
		dst = c.sort(dst, body, c.members[base:])
	}
	c.members = c.members[:base]
	return append(dst, '}')
}

// sort puts members in order. Of a name given twice the last counts.
func (c *canonicalizer) sort(dst []byte, body int, members []member) []byte {
	slices.SortStableFunc(members, func(a, b member) int { return c.style.compare(a.name, b.name) })
	c.swap = c.swap[:0]
	for i, m := range members {
		if i+1 < len(members) && bytes.Equal(m.name, members[i+1].name) {
			continue
		}
		if len(c.swap) > 0 {
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
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] {
			continue
		}
		for i > 0 && (a[i]&0xC0 == 0x80 || b[i]&0xC0 == 0x80) {
			i-- // to the start of the character in which they differ
		}
		x, _ := rawjson.DecodeRune(a[i:])
		y, _ := rawjson.DecodeRune(b[i:])
		if ux, uy := firstUnit(x), firstUnit(y); ux != uy {
			return int(ux - uy)
		}
		return int(x - y)
	}
	return len(a) - len(b)
}

func firstUnit(r rune) rune {
	if r > 0xFFFF {
		r, _ = utf16.EncodeRune(r)
	}
	return r
}
