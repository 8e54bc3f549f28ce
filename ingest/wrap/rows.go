package wrap

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// rows puts the rows together that Azure API Management writes for one request
// to a language model, by their CorrelationId: one with the tokens, and one for
// each 32 KB of its messages and of those of the response. The last of them, in
// the order of SequenceNumber, gets the others as its member rows. Rows may be
// mixed with those of other requests.
type rows struct {
	gather[rowKey]
	scan  rawjson.Scanner
	check rawjson.Scanner
	order []int
	text  []byte
	join  []byte
}

// rowKey says of which request a row is and what it holds.
type rowKey struct {
	correlation       []byte
	sequence          int64
	request, response bool
}

func detectRows(line []byte) bool {
	var p rows
	_, ok := p.read(line)
	return ok && !bytes.HasPrefix(line, []byte(`{"rows":`))
}

// RowMember tells which member of a row it is, in the capitals of Log Analytics
// or in those of a diagnostic setting.
func RowMember(key []byte, name string) bool {
	return len(key) == len(name) && (key[0] == name[0] || key[0] == name[0]+'a'-'A') && string(key[1:]) == name[1:]
}

// read looks into a row: its members stand in the record, or in properties.
func (p *rows) read(line []byte) (k rowKey, ok bool) {
	s := &p.scan
	s.Reset(line)
	if s.Kind() != rawjson.Object {
		return k, false
	}
	sequenced := false
	eachRowMember(s, func() {
		switch {
		case RowMember(s.Key, "CorrelationId"):
			k.correlation = s.Text(k.correlation)
		case RowMember(s.Key, "SequenceNumber"):
			if n, is := s.Int(); is {
				k.sequence, sequenced = n, true
			}
		case RowMember(s.Key, "RequestMessages"):
			k.request = says(s)
		case RowMember(s.Key, "ResponseMessages"):
			k.response = says(s)
		}
	})
	return k, s.End() == nil && sequenced && len(k.correlation) > 0
}

// eachRowMember calls f at each member of the row that comes next.
func eachRowMember(s *rawjson.Scanner, f func()) {
	for s.Object(); s.NextKey(); {
		if string(s.Key) != "properties" {
			f()
			continue
		}
		for s.Object(); s.NextKey(); {
			f()
		}
	}
}

// says tells whether messages are there.
func says(s *rawjson.Scanner) bool {
	if s.Kind() == rawjson.String {
		return len(s.Text(nil)) > 0
	}
	kind := s.Value().Kind()
	return kind == rawjson.Array || kind == rawjson.Object
}

func (p *rows) Unwrap(line Line, next func(Line)) string {
	k, ok := p.read(line.Text)
	if !ok {
		next(line)
		return ""
	}
	if slices.ContainsFunc(p.held, func(h heldLine[rowKey]) bool { return bytes.Equal(h.text, line.Text) }) {
		return "" // it was delivered twice
	}
	k.correlation = bytes.Clone(k.correlation)
	p.hold(line, k)
	if p.whole(k.correlation) {
		p.emit(k.correlation, next)
	}
	if p.waited() {
		p.all(next)
	}
	return ""
}

// of lists the rows of a request in their order.
func (p *rows) of(correlation []byte) []int {
	p.order = p.order[:0]
	for i := range p.held {
		if bytes.Equal(p.held[i].key.correlation, correlation) {
			p.order = append(p.order, i)
		}
	}
	slices.SortStableFunc(p.order, func(a, b int) int { return cmp.Compare(p.held[a].key.sequence, p.held[b].key.sequence) })
	return p.order
}

// whole tells that nothing of a request is missing: the row with the tokens is
// there, and the response, of which the last piece ends its JSON. Where the
// messages are not logged, or no responses, that is never so.
func (p *rows) whole(correlation []byte) bool {
	tokens, response := false, false
	order := p.of(correlation)
	for n, i := range order {
		k := &p.held[i].key
		if k.sequence != int64(n)+p.held[order[0]].key.sequence {
			return false // one between is missing
		}
		switch {
		case k.response:
			response = true
		case k.request:
		default:
			tokens = true
		}
	}
	return tokens && response &&
		p.ends(order, "RequestMessages", func(k *rowKey) bool { return k.request }) &&
		p.ends(order, "ResponseMessages", func(k *rowKey) bool { return k.response })
}

// ends tells whether the pieces of some messages are JSON together.
func (p *rows) ends(order []int, name string, has func(*rowKey) bool) bool {
	p.join = p.join[:0]
	for _, i := range order {
		if !has(&p.held[i].key) {
			continue
		}
		piece, text := rowMessages(&p.scan, p.held[i].text, name)
		if !text {
			return true // a value that is whole
		}
		p.join = append(p.join, piece...)
	}
	return len(p.join) == 0 || p.check.Check(p.join) == nil
}

// rowMessages finds messages in a row: a JSON value, or a text.
func rowMessages(s *rawjson.Scanner, row []byte, name string) (piece []byte, text bool) {
	s.Reset(row)
	eachRowMember(s, func() {
		switch {
		case !RowMember(s.Key, name):
		case s.Kind() == rawjson.String:
			piece, text = s.Text(piece), true
		default:
			piece, text = s.Value(), false
		}
	})
	return piece, text
}

// emit hands on the rows of a request as one record, where the first stands.
func (p *rows) emit(correlation []byte, next func(Line)) {
	order := p.of(correlation)
	last := p.held[order[len(order)-1]].line()
	if len(order) == 1 {
		next(last)
	} else {
		p.join = p.join[:0]
		for _, i := range order[:len(order)-1] {
			p.join = append(append(p.join, ','), p.held[i].text...)
		}
		p.join[0] = '[' // in the place of the first comma
		p.join = append(p.join, ']')
		p.text = withMember(p.text[:0], "rows", p.join, last.Text)
		next(Line{Text: p.text, At: p.held[slices.Min(order)].at, Column: -1})
	}
	slices.Sort(order)
	for _, i := range slices.Backward(order) {
		p.remove(i)
	}
}

// all hands on every request as it is.
func (p *rows) all(next func(Line)) {
	for len(p.held) > 0 {
		p.emit(p.held[0].key.correlation, next)
	}
}

func (p *rows) Drop(next func(Line), _ func(fingerprint.Position)) {
	p.all(next)
	p.lines = 0
}
