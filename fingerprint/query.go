package fingerprint

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// Query is a URL's query, either the raw text behind the question mark or a
// JSON object of names to a string or, for a repeated name, a list of strings.
type Query struct {
	Raw    []byte        // nil if not logged in this form
	Object rawjson.Value // nil if not logged in this form
}

// Empty tells that nothing is in it, logged or not.
func (q Query) Empty() bool { return len(q.Raw) == 0 && len(bytes.Trim(q.Object, "{} \t\r\n")) == 0 }

// pair is one name of a query with one value, percent-decoded. Bare is a name
// without '='.
type pair struct {
	Name, Value []byte
	Bare        bool
}

// queryPairs takes a query apart, in the order of the names' bytes; values of
// a repeated name stay in their order. Raw text is read as nginx does it: a
// plus is a blank, and a pair without a name is dropped.
func (w *Writer) queryPairs(q *Query) []pair {
	w.pairs, w.pairTexts = w.pairs[:0], w.pairTexts[:0]
	if q.Object != nil {
		w.objectPairs(q.Object)
	} else {
		for rest := q.Raw; len(rest) > 0; {
			var part []byte
			part, rest, _ = bytes.Cut(rest, []byte("&"))
			name, value, found := bytes.Cut(part, []byte("="))
			if len(name) > 0 {
				w.pairs = append(w.pairs, pair{w.unescapeURL(name), w.unescapeURL(value), !found})
			}
		}
	}
	slices.SortStableFunc(w.pairs, func(a, b pair) int { return bytes.Compare(a.Name, b.Name) })
	return w.pairs
}

func (w *Writer) objectPairs(object rawjson.Value) {
	s := &w.scan
	s.Reset(object)
	add := func(name []byte) {
		if s.Kind() == rawjson.Bool {
			// Lua's true stands for a name without a value.
			value := s.Value()
			w.pairs = append(w.pairs, pair{name, w.pairTexts.keep(value), string(value) == "true"})
			return
		}
		if value := s.Text(nil); value != nil {
			w.pairs = append(w.pairs, pair{name, w.pairTexts.keep(value), false})
		}
	}
	for s.Object(); s.NextKey(); {
		name := w.pairTexts.keep(s.Key)
		if s.Kind() != rawjson.Array {
			add(name)
			continue
		}
		for s.Array(); s.NextElement(); {
			add(name)
		}
	}
	w.check(s)
}

func (w *Writer) unescapeURL(text []byte) []byte {
	if bytes.IndexByte(text, '%') < 0 && bytes.IndexByte(text, '+') < 0 {
		return text
	}
	n := len(w.pairTexts)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '+':
			w.pairTexts = append(w.pairTexts, ' ')
		case c == '%' && i+2 < len(text) && chars.IsHex(text[i+1]) && chars.IsHex(text[i+2]):
			w.pairTexts = append(w.pairTexts, unhex(text[i+1])<<4|unhex(text[i+2]))
			i += 2
		default:
			w.pairTexts = append(w.pairTexts, c)
		}
	}
	return w.pairTexts[n:len(w.pairTexts):len(w.pairTexts)]
}

func unhex(c byte) byte {
	if chars.IsDigit(c) {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// appendQuery appends the query as an object: a string for each name, true for
// one without a value, a list for a repeated one.
func (w *Writer) appendQuery(dst []byte, q *Query) []byte {
	pairs := w.queryPairs(q)
	slices.SortStableFunc(pairs, func(a, b pair) int { return compareUTF16(a.Name, b.Name) })
	dst = append(dst, '{')
	for i := 0; i < len(pairs); {
		n := i + 1
		for n < len(pairs) && bytes.Equal(pairs[n].Name, pairs[i].Name) {
			n++
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendString(dst, pairs[i].Name), ':')
		if n > i+1 {
			dst = append(dst, '[')
		}
		for k := i; k < n; k++ {
			if k > i {
				dst = append(dst, ',')
			}
			if pairs[k].Bare {
				dst = append(dst, "true"...)
			} else {
				dst = w.appendText(dst, pairs[k].Value)
			}
		}
		if n > i+1 {
			dst = append(dst, ']')
		}
		i = n
	}
	return append(dst, '}')
}
