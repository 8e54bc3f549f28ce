package otlp

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// TooLong is why data are not read whose JSON would be longer than the limit.
const TooLong = "longer than the limit"

const (
	protobuf  = "OpenTelemetry's protobuf"
	breaksOff = protobuf + " breaks off in "
	isNone    = "no field of " + protobuf + " in "
	otherType = protobuf + " has another type in "
	tooDeep   = "nested too deep" // as its JSON would be, which is deeper still
)

// AppendJSON appends the JSON of data, in one line, to dst. Where they cannot be read
// it ends there, and why says so without any text of theirs; at is the byte, from 1, or
// 0 if it is about the whole. Of data that [Begins] does not know it is that of spans. A
// limit bounds the JSON, in bytes; 0 is none.
func AppendJSON(dst, data []byte, limit int) (out []byte, at int, why string) {
	w := writer{out: dst, limit: math.MaxInt}
	if limit > 0 {
		w.limit = len(dst) + limit
	}
	of, _ := dataOf(data)
	switch {
	case w.message(of, data, 0):
		if len(w.out) > w.limit {
			w.why = TooLong
		}
	case w.bad != nil:
		at = cap(data) - cap(w.bad) + 1
	}
	return w.out, at, w.why
}

// writer writes messages as JSON.
type writer struct {
	out   []byte
	limit int    // of out
	why   string // it cannot be read
	bad   []byte // from where on; nil if that is nowhere
}

func (w *writer) fail(at []byte, why string) bool {
	w.bad, w.why = at, why
	return false
}

// places are where the fields of a message stand, by their numbers: those of a list from
// the first to the last, with others in between, of others the last, which counts. The
// end of one that is missing is 0.
type places [fieldNumbers]struct{ first, end uint32 }

// message writes a message as an object. It is false where it cannot be read.
func (w *writer) message(m id, data []byte, depth int) bool {
	switch {
	case depth > rawjson.MaxDepth:
		return w.fail(nil, tooDeep)
	case len(w.out) > w.limit:
		return w.fail(nil, TooLong)
	}
	w.out = append(w.out, '{')
	var at places
	if !w.look(m, data, &at) {
		return false
	}
	for number := range messages[m].fields {
		p, x := &at[number], &messages[m].fields[number]
		if p.end == 0 {
			continue
		}
		w.comma()
		w.out = append(append(append(w.out, '"'), x.name...), '"', ':')
		if x.list {
			w.out = append(w.out, '[')
		}
		for f := (fields{rest: data[p.first:p.end]}); f.next(); {
			if int(f.number) != number {
				continue
			}
			if x.list {
				w.comma()
			}
			if !w.value(x, &f, depth) {
				return false
			}
		}
		if x.list {
			w.out = append(w.out, ']')
		}
	}
	w.out = append(w.out, '}')
	return true
}

// comma parts what follows from what is before it.
func (w *writer) comma() {
	if last := w.out[len(w.out)-1]; last != '{' && last != '[' {
		w.out = append(w.out, ',')
	}
}

// look finds the fields of a message. It is false where it cannot be read.
func (w *writer) look(m id, data []byte, at *places) bool {
	f := fields{rest: data}
	for from := data; f.next(); from = f.rest {
		x, known := fieldOf(m, f.number)
		switch {
		case !known && f.cut:
			return w.fail(from, breaksOff+messages[m].name)
		case !known:
			continue
		case x.kind.wire() != f.wire:
			return w.fail(from, otherType+messages[m].name+"."+x.name)
		case f.cut:
			return w.fail(from, breaksOff+messages[m].name+"."+x.name)
		}
		if m == anyValue { // has one, the last
			*at = places{}
		}
		p := &at[f.number]
		if m != anyValue && !x.list && x.empty(&f) {
			p.end = 0
			continue
		}
		if !x.list || p.end == 0 {
			p.first = uint32(len(data) - len(from))
		}
		p.end = uint32(len(data) - len(f.rest))
	}
	switch {
	case f.cut:
		return w.fail(f.rest, breaksOff+messages[m].name)
	case f.none:
		return w.fail(f.rest, isNone+messages[m].name)
	}
	return true
}

// empty tells a value that is as good as none, as the Collector writes ids that are
// not there.
func (x *field) empty(f *fields) bool {
	switch x.kind {
	case message:
		return false
	case text, hexText, base64Text:
		return len(f.value) == 0
	default:
		return f.bits == 0
	}
}

// value writes the value of a field. It is false where that cannot be read.
func (w *writer) value(x *field, f *fields, depth int) bool {
	switch x.kind {
	case message:
		return w.message(x.of, f.value, depth+1)
	case text:
		// Before, as it may be six times as long.
		if room := w.limit - len(w.out); 6*len(f.value) > room && escaped(f.value) > room {
			return w.fail(nil, TooLong)
		}
		w.out = rawjson.AppendString(w.out, f.value)
	case hexText:
		w.out = append(hex.AppendEncode(append(w.out, '"'), f.value), '"')
	case base64Text:
		w.out = append(base64.StdEncoding.AppendEncode(append(w.out, '"'), f.value), '"')
	case boolean:
		w.out = strconv.AppendBool(w.out, f.bits != 0)
	case enum:
		w.out = strconv.AppendInt(w.out, int64(int32(f.bits)), 10)
	case number, fixed:
		w.out = strconv.AppendUint(w.out, uint64(uint32(f.bits)), 10)
	case bigNumber:
		w.out = append(strconv.AppendInt(append(w.out, '"'), int64(f.bits), 10), '"')
	case bigFixed:
		w.out = append(strconv.AppendUint(append(w.out, '"'), f.bits, 10), '"')
	case double:
		w.out = appendDouble(w.out, math.Float64frombits(f.bits))
	}
	return true
}

// escaped is how long a text is at least, as rawjson writes it.
func escaped(text []byte) (n int) {
	n = len(text)
	for _, c := range text {
		switch {
		case c == '"' || c == '\\' || '\b' <= c && c <= '\r' && c != '\v':
			n++
		case c < ' ':
			n += 5
		}
	}
	return n
}

// appendDouble appends a number; what JSON has none for as a text.
func appendDouble(dst []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(dst, `"-Infinity"`...)
	}
	text, _ := json.Marshal(x) // fails of those alone
	return append(dst, text...)
}
