// Package rawjson reads JSON out of log lines without building values.
//
// A [Scanner] walks one line front to back, once. The caller takes what it
// needs, and members that it does not read are skipped; nothing is allocated
// once the scanner's decode buffer has grown to the size of the lines. Every
// format that reads JSON reads it through this package, so the rules for odd
// input are the same everywhere:
//
//   - What is read is checked: strings and literals that are asked for follow
//     RFC 8259. A number that does not (nginx writes a bare - where it has
//     none) reads as no number, and the line goes on. What is skipped is
//     checked for its structure only: strings end, brackets match, nesting is
//     at most [MaxDepth]. A line cut in the middle is therefore always an
//     error.
//   - Text is decoded to UTF-8. Each byte that is not UTF-8 becomes U+FFFD, as
//     in encoding/json. A surrogate without its partner, escaped or in its
//     three-byte form (WTF-8), is kept in that form, because gateways written
//     in Python and JavaScript keep it too; [AppendString] writes it as an
//     escape again. So JSON inside a decoded string can be read like a line.
//   - Raw control characters inside strings are accepted: loggers write them.
//   - A key given twice: the last value counts, as in encoding/json, but an
//     empty string or null never erases a value (Caddy writes request_body
//     twice, the empty one last). Formats get this from [Scanner.Text].
//
// The slices that a Scanner hands out alias the line or the scanner's own
// buffer: they are valid until the next [Scanner.Reset], for which [Scanner.Then]
// stands where several texts are read.
package rawjson

import (
	"bytes"
	"fmt"
	"math/bits"
	"unsafe"
)

// MaxDepth is how deep objects and arrays may nest. encoding/json stops at
// 10,000; no gateway writes more than a few dozen, and a small bound keeps the
// bracket stack on the Go stack.
const MaxDepth = 1024

// SyntaxError says where a line stops being JSON.
type SyntaxError struct {
	Offset int    // bytes from the start of the line, from 0
	What   string // what was wrong there
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("column %d: %s", e.Offset+1, e.What)
}

// Kind is the type of a JSON value, told by its first byte.
type Kind byte

const (
	Absent Kind = iota // no value
	Null
	Bool
	Number
	String
	Array
	Object
)

// Value is the text of one JSON value inside a line. Nil is absent.
type Value []byte

// Kind tells the type of v from its first byte.
func (v Value) Kind() Kind {
	if len(v) == 0 {
		return Absent
	}
	return kinds[v[0]]
}

var kinds = [256]Kind{
	'n': Null, 't': Bool, 'f': Bool, '"': String, '[': Array, '{': Object, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number, '5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

// Scanner walks one JSON text. The zero value is ready for Reset.
//
//	s.Reset(line)
//	for s.Object(); s.NextKey(); {
//		switch string(s.Key) {
//		case "id":
//			id = s.Text(id)
//		}
//	}
//	if err := s.End(); err != nil { ... }
//
// The first error sticks: every later call returns zero values, so it need be
// asked for only once.
type Scanner struct {
	// Key is the name of the member that NextKey moved to.
	Key []byte

	buf    []byte
	pos    int
	member int    // where the value of Key begins, which stands there as long as nobody reads it
	text   []byte // decoded strings of this line
	err    SyntaxError
	bad    bool

	depth   int  // containers entered and not left
	first   bool // nothing read yet in the innermost container
	nothing bool // Object or Array found something else
	between bool // something was read there, and all is well: a comma may follow

	marker  marker
	earlier earlier
}

// Reset makes s read line from its start. It ends the life of every slice
// handed out before.
func (s *Scanner) Reset(line []byte) {
	s.buf, s.pos, s.member, s.text = line, 0, -1, s.text[:0]
	s.bad, s.depth, s.first, s.nothing, s.between, s.Key = false, 0, false, false, false, nil
	s.marker.reset()
}

// Then makes s read another text from its start, and ends the life of nothing:
// for texts of one record that come one after the other.
func (s *Scanner) Then(text []byte) {
	decoded := s.text
	s.Reset(text)
	s.text = decoded
}

// Aside makes s read v, which it has passed over, while f is called, and then go on
// where it stands.
func (s *Scanner) Aside(v Value, f func()) {
	if s.bad {
		return
	}
	stands := *s
	s.Then(v)
	f()
	stands.text, stands.earlier = s.text, s.earlier
	if s.bad {
		stands.fail(stands.pos, s.err.What)
	}
	*s = stands
}

// Err returns the first error, or nil.
func (s *Scanner) Err() error {
	if s.bad {
		return &s.err
	}
	return nil
}

// End checks that nothing but white space follows, and returns the first
// error of the whole line.
func (s *Scanner) End() error {
	if !s.bad {
		s.space()
		if s.depth > 0 {
			s.fail(s.pos, EndsEarly)
		} else if s.pos < len(s.buf) {
			s.fail(s.pos, "text after the end of the value")
		}
	}
	return s.Err()
}

// Check reads all of a text, and says what is wrong with it: nil if it is one value.
func (s *Scanner) Check(text []byte) error {
	s.Reset(text)
	s.Skip()
	return s.End()
}

// Offset is the position of the next byte to be read, from 0.
func (s *Scanner) Offset() int { return s.pos }

func (s *Scanner) fail(at int, what string) {
	if !s.bad {
		s.bad, s.first, s.between, s.err = true, false, false, SyntaxError{at, what}
	}
}

func (s *Scanner) space() {
	if s.pos < len(s.buf) && s.buf[s.pos] <= ' ' {
		s.anySpace()
	}
}

func (s *Scanner) anySpace() {
	from := s.pos
	for s.pos < len(s.buf) && isSpace(s.buf[s.pos]) {
		s.pos++
	}
	if s.member == from {
		s.member = s.pos
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// Kind is the type of the value that comes next. It reads nothing.
func (s *Scanner) Kind() Kind {
	if s.bad {
		return Absent
	}
	s.space()
	if s.pos >= len(s.buf) {
		return Absent
	}
	return kinds[s.buf[s.pos]]
}

// Object enters the object that comes next: NextKey moves through it. Any
// other value is skipped, and the next call of NextKey says so, once.
func (s *Scanner) Object() { s.enter(Object) }

// Array enters the array that comes next: NextElement moves through it. Any
// other value is skipped, and the next call of NextElement says so, once.
func (s *Scanner) Array() { s.enter(Array) }

func (s *Scanner) enter(k Kind) {
	if s.Kind() != k {
		s.Skip()
		s.nothing, s.between = true, false
		return
	}
	if s.depth == MaxDepth {
		s.fail(s.pos, "nested too deep")
		return
	}
	s.depth++
	s.first, s.between = true, false
	s.pos++
}

// NextKey moves to the next member of the object entered last and sets Key,
// passing over the value of the one before if nobody has read it. At the end of
// the object it leaves it and returns false.
func (s *Scanner) NextKey() bool {
	if s.pos == s.member {
		s.Skip()
	}
	m, i := &s.marker, s.pos
	if k := uint(i - m.at); k < m.marked && (s.between || s.first && !s.nothing) {
		// Most write , "name": with a blank or none behind comma and colon, the
		// first without comma, and names are short and plain.
		quotes := m.quotes.from(k)
		quotes &= quotes - 1 // but that which opens
		end := i + bits.TrailingZeros64(quotes)
		if quotes != 0 && m.odd.from(k)&(quotes-1)&^quotes == 0 && end+2 < len(s.buf) && byteAt(s.buf, end+1) == ':' {
			from := 0
			switch before := byteAt(s.buf, i+1); {
			case s.first:
				if byteAt(s.buf, i) == '"' {
					from = i + 1
				}
			case byteAt(s.buf, i) != ',':
			case before == '"':
				from = i + 2
			case before == ' ' && byteAt(s.buf, i+2) == '"':
				from = i + 3
			}
			if from > 0 {
				s.Key = s.buf[from:end:end]
				if s.pos = end + 2; byteAt(s.buf, end+2) == ' ' {
					s.pos++
				}
				s.member = s.pos
				s.first, s.between = false, true
				return true
			}
		}
	}
	return s.anyKey()
}

// byteAt is b[i], which there is.
func byteAt(b []byte, i int) byte {
	return *(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}

// anyKey is NextKey however it is written.
func (s *Scanner) anyKey() bool {
	if !s.next('}') {
		return false
	}
	if s.pos >= len(s.buf) || s.buf[s.pos] != '"' {
		s.fail(s.pos, "expected a member's name")
		return false
	}
	s.Key = s.str()
	if s.space(); s.pos >= len(s.buf) || s.buf[s.pos] != ':' {
		s.fail(s.pos, "expected ':'")
		return false
	}
	if s.pos++; s.pos < len(s.buf) && s.buf[s.pos] == ' ' {
		s.pos++
	}
	s.member = s.pos
	return !s.bad
}

// NextNamed is NextKey for a member of that name: it skips the others.
func (s *Scanner) NextNamed(name string) bool {
	for s.NextKey() {
		if string(s.Key) == name {
			return true
		}
	}
	return false
}

// NextElement moves to the next element of the array entered last. At the end
// of the array it leaves it and returns false.
func (s *Scanner) NextElement() bool { return s.next(']') }

// next moves to the next entry of the container entered last.
func (s *Scanner) next(closing byte) bool {
	// Between two entries most write a comma and a blank, or nothing but a
	// comma; behind the last, nothing.
	if b, i := s.buf, s.pos; s.between && i < len(b) {
		switch b[i] {
		case ',':
			if i++; i < len(b) && b[i] == ' ' {
				i++
			}
			if i < len(b) && b[i] > ' ' && b[i] != closing {
				s.pos = i
				return true
			}
		case closing:
			s.leave()
			return false
		}
	}
	return s.anyNext(closing)
}

// leave leaves the container entered last, at the bracket that closes it.
func (s *Scanner) leave() {
	s.pos++
	s.depth--
	s.first, s.between = false, s.depth > 0
}

// anyNext is next whatever stands between the entries.
func (s *Scanner) anyNext(closing byte) bool {
	if s.nothing {
		s.nothing = false
		s.between = s.depth > 0 && !s.first && !s.bad
		return false
	}
	if s.bad || s.depth == 0 {
		return false
	}
	s.space()
	if s.pos >= len(s.buf) {
		s.fail(s.pos, EndsEarly)
		return false
	}
	c := s.buf[s.pos]
	if c == closing {
		s.leave()
		return false
	}
	if !s.first {
		if c != ',' {
			s.fail(s.pos, "expected ',' or '"+string(closing)+"'")
			return false
		}
		s.pos++
		s.space()
		if s.pos < len(s.buf) && s.buf[s.pos] == closing {
			s.fail(s.pos, "trailing comma")
			return false
		}
	}
	s.first, s.between = false, true
	return true
}

// Skip passes over the value that comes next, checking its structure only.
func (s *Scanner) Skip() {
	if s.bad {
		return
	}
	s.space()
	if i := s.pos + 1; i <= len(s.buf) && s.buf[i-1] == '"' {
		if quotes := s.marker.near(i); quotes != 0 {
			s.pos = i + bits.TrailingZeros64(quotes) + 1
			return
		}
	}
	end, what := s.skip(s.pos)
	if what != "" {
		s.fail(end, what)
		return
	}
	s.pos = end
}

// Value passes over the value that comes next and returns its text, nil for
// null.
func (s *Scanner) Value() Value {
	if s.bad {
		return nil
	}
	s.space()
	start := s.pos
	s.Skip()
	if s.bad || s.buf[start] == 'n' {
		return nil
	}
	return Value(s.buf[start:s.pos:s.pos])
}

// Elements passes over the array that comes next and appends the text of each
// element to list, as Value would. Any other value is skipped.
func (s *Scanner) Elements(list []Value) []Value {
	if s.Kind() == Array {
		var end int
		var ok bool
		if list, end, ok = s.container(s.pos, true, list); ok {
			s.pos = end
			return list
		}
	}
	for s.Array(); s.NextElement(); {
		list = append(list, s.Value())
	}
	return list
}

// Text reads the value that comes next as text: a string decoded, a number or
// literal as written. Null, objects and arrays give nil. An empty string that
// would replace old gives old, and so does null: of a key given twice, the
// last value that says something counts.
func (s *Scanner) Text(old []byte) []byte {
	switch s.Kind() {
	case String:
		t := s.str()
		if len(t) == 0 && old != nil {
			return old
		}
		return t
	case Number, Bool:
		return s.Value()
	default:
		s.Skip()
		return old
	}
}

// skip passes over the value at i and returns the position behind it, or the
// position of an error and what it is.
func (s *Scanner) skip(i int) (end int, what string) {
	b := s.buf
	if i >= len(b) {
		return i, EndsEarly
	}
	switch kinds[b[i]] {
	case String:
		return s.skipString(i)
	case Number:
		for i++; i < len(b) && numberByte[b[i]]; i++ {
		}
		return i, ""
	case Object, Array:
		if _, end, ok := s.container(i, false, nil); ok {
			return end, ""
		}
		return skipContainer(b, i, s.depth)
	case Bool:
		if b[i] == 't' {
			return skipLiteral(b, i, "true")
		}
		return skipLiteral(b, i, "false")
	case Null:
		return skipLiteral(b, i, "null")
	default:
		return i, "expected a value"
	}
}

var numberByte = [256]bool{
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'+': true, '-': true, '.': true, 'e': true, 'E': true,
}

func skipLiteral(b []byte, i int, word string) (int, string) {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return i, "expected a value"
	}
	return i + len(word), ""
}

// skipString passes over the string that opens at i.
func (s *Scanner) skipString(i int) (int, string) {
	if end, _, ok := s.closing(i + 1); ok {
		return end + 1, ""
	}
	return skipString(s.buf, i)
}

// NotClosed and EndsEarly are what is wrong with a text that was cut.
const (
	NotClosed = "string not closed"
	EndsEarly = "unexpected end of the value"
)

// skipString passes over the string that opens at b[i], from quote to quote.
func skipString(b []byte, i int) (int, string) {
	for j := i + 1; ; {
		n := bytes.IndexByte(b[j:], '"')
		if n < 0 {
			return len(b), NotClosed
		}
		j += n
		// An odd number of backslashes before a quote escapes it. Each run
		// of backslashes is looked at once, so this stays linear.
		k := j
		for b[k-1] == '\\' {
			k--
		}
		j++
		if (j-1-k)&1 == 0 {
			return j, ""
		}
	}
}

// structural marks the bytes at which skipContainer has to stop.
var structural = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true, '\\': true}

// skipContainer passes over the object or array that opens at b[i].
func skipContainer(b []byte, i, depth int) (int, string) {
	var brackets [MaxDepth / 64]uint64
	open := 0
	for i < len(b) {
		c := b[i]
		if !structural[c] {
			i++
			continue
		}
		switch c {
		case '"':
			var what string
			if i, what = skipString(b, i); what != "" {
				return i, what
			}
			continue
		case '\\':
			return i, "backslash outside of a string"
		case '{', '[':
			if depth+open >= MaxDepth {
				return i, "nested too deep"
			}
			word, bit := open/64, uint64(1)<<(open%64)
			brackets[word] &^= bit
			if c == '{' {
				brackets[word] |= bit
			}
			open++
		case '}', ']':
			open--
			object := brackets[open/64]>>(open%64)&1 == 1
			if object != (c == '}') {
				return i, "brackets do not match"
			}
			if open == 0 {
				return i + 1, ""
			}
		}
		i++
	}
	return i, EndsEarly
}

// Failure is where and what the first error is; what is empty if there is
// none. Unlike Err it allocates nothing.
func (s *Scanner) Failure() (offset int, what string) {
	if !s.bad {
		return 0, ""
	}
	return s.err.Offset, s.err.What
}

// Join puts a prefix before text, in the scanner's own memory.
func (s *Scanner) Join(prefix string, text []byte) []byte {
	from := len(s.text)
	s.text = append(append(s.text, prefix...), text...)
	return s.text[from:len(s.text):len(s.text)]
}

// Since is the text from offset start up to where the scanner stands, nil if
// it has failed.
func (s *Scanner) Since(start int) Value {
	if s.bad {
		return nil
	}
	return s.buf[start:s.pos:s.pos]
}

// Word passes over word, which is no JSON, if it comes next. For dialects with
// words of their own, like Python's NaN.
func (s *Scanner) Word(word string) bool {
	if s.bad {
		return false
	}
	s.space()
	if len(s.buf)-s.pos < len(word) || string(s.buf[s.pos:s.pos+len(word)]) != word {
		return false
	}
	s.pos += len(word)
	return true
}

// Memory is the size of the decode buffer that s keeps from line to line.
func (s *Scanner) Memory() int { return cap(s.text) }
