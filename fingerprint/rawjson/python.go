package rawjson

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// AppendPython appends the JSON of what Python's repr wrote: literals, dicts,
// lists, tuples and sets, and objects as Name(key=value), which become objects
// of their keys; so do members alone, key=value key=value, which is the str() of
// pydantic's. What JSON does not know becomes null. It returns false if text is
// not such a value, whole: a logger may have cut it.
func AppendPython(dst, text []byte) (out []byte, ok bool) {
	p := python{in: text}
	if p.named() {
		dst, ok = p.members(dst, 0, 0)
	} else {
		dst, ok = p.value(dst, 0)
	}
	p.space()
	return dst, ok && p.at == len(p.in)
}

type python struct {
	in     []byte
	at     int
	inName bool // what is read is the name of a member, or in it
}

// maxPythonDepth bounds the recursion; no request nests so deep.
const maxPythonDepth = 200

func (p *python) space() {
	for p.at < len(p.in) && (p.in[p.at] == ' ' || p.in[p.at] == '\n' || p.in[p.at] == '\t') {
		p.at++
	}
}

// next is the next byte, 0 at the end.
func (p *python) next() byte {
	p.space()
	if p.at < len(p.in) {
		return p.in[p.at]
	}
	return 0
}

func (p *python) take(c byte) bool {
	if p.next() != c {
		return false
	}
	p.at++
	return true
}

func (p *python) value(dst []byte, depth int) ([]byte, bool) {
	if depth > maxPythonDepth {
		return dst, false
	}
	switch c := p.next(); {
	case c == '\'' || c == '"':
		return p.text(dst)
	case c == '{':
		return p.dict(dst, depth)
	case c == '[':
		return p.list(dst, ']', depth)
	case c == '(':
		return p.list(dst, ')', depth)
	case c == '<':
		return p.opaque(dst)
	case c == '-' || c == '+' || isDigit(c):
		return p.number(dst)
	case isNameByte(c):
		return p.name(dst, depth)
	}
	return dst, false
}

// text reads a string in either kind of quotes.
func (p *python) text(dst []byte) ([]byte, bool) {
	quote := p.in[p.at]
	p.at++
	dst = append(dst, '"')
	for p.at < len(p.in) {
		c := p.in[p.at]
		p.at++
		switch {
		case c == quote:
			return append(dst, '"'), true
		case c == '\\':
			var ok bool
			if dst, ok = p.escape(dst); !ok {
				return dst, false
			}
		case c == '"' || c < ' ':
			dst = AppendEscaped(dst, c)
		default:
			dst = append(dst, c)
		}
	}
	return dst, false
}

// escape reads what follows a backslash.
func (p *python) escape(dst []byte) ([]byte, bool) {
	if p.at == len(p.in) {
		return dst, false
	}
	c := p.in[p.at]
	p.at++
	var digits int
	switch c {
	case 'n':
		return append(dst, `\n`...), true
	case 't':
		return append(dst, `\t`...), true
	case 'r':
		return append(dst, `\r`...), true
	case '\'':
		return append(dst, '\''), true
	case '"', '\\':
		return append(dst, '\\', c), true
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		return dst, false
	}
	if len(p.in)-p.at < digits {
		return dst, false
	}
	n, ok := hexNumber(p.in[p.at : p.at+digits])
	p.at += digits
	switch r := rune(n); {
	case !ok || n > utf8.MaxRune:
		return dst, false
	case r < ' ' || r == '"' || r == '\\':
		return AppendEscaped(dst, byte(r)), true
	case 0xD800 <= r && r < 0xE000:
		return AppendEscape(dst, r), true
	default:
		return utf8.AppendRune(dst, r), true
	}
}

func (p *python) dict(dst []byte, depth int) ([]byte, bool) {
	p.at++
	if p.take('}') {
		return append(dst, "{}"...), true
	}
	from := len(dst)
	dst = append(dst, '{')
	for {
		key, inName := len(dst), p.inName
		var ok bool
		p.inName = true
		dst, ok = p.value(dst, depth+1)
		if p.inName = inName; !ok {
			return dst, false
		}
		if key == from+1 && p.next() != ':' { // a set
			dst[from] = '['
			return p.elements(dst, '}', depth, true)
		}
		if inName { // Python has no dict there, and each around it would double what is escaped
			return dst, false
		}
		if dst[key] != '"' { // of another type: JSON has only texts
			name := bytes.Clone(dst[key:])
			dst = AppendString(dst[:key], name)
		}
		if !p.take(':') {
			return dst, false
		}
		dst = append(dst, ':')
		if dst, ok = p.value(dst, depth+1); !ok {
			return dst, false
		}
		if p.take('}') {
			return append(dst, '}'), true
		}
		if !p.take(',') {
			return dst, false
		}
		if p.take('}') {
			return append(dst, '}'), true
		}
		dst = append(dst, ',')
	}
}

// list reads values up to a closing byte, behind the one that opens it.
func (p *python) list(dst []byte, closing byte, depth int) ([]byte, bool) {
	p.at++
	return p.elements(append(dst, '['), closing, depth, false)
}

// word takes the letters and digits that come next, and more bytes that may be among them.
func (p *python) word(more string) []byte {
	p.space()
	from := p.at
	for p.at < len(p.in) && (isNameByte(p.in[p.at]) || isDigit(p.in[p.at]) || strings.IndexByte(more, p.in[p.at]) >= 0) {
		p.at++
	}
	return p.in[from:p.at]
}

// elements reads a list, or what is behind its first value.
func (p *python) elements(dst []byte, closing byte, depth int, behind bool) (_ []byte, ok bool) {
	for ; ; behind = true {
		if p.take(closing) {
			return append(dst, ']'), true
		}
		if behind {
			if !p.take(',') {
				return dst, false
			}
			if p.take(closing) { // of a tuple of one: (1,)
				return append(dst, ']'), true
			}
			if dst = append(dst, ','); closing == ')' && p.named() { // an argument behind others
				p.word("")
				p.at++
			}
		}
		if dst, ok = p.value(dst, depth+1); !ok {
			return dst, false
		}
	}
}

// number reads a number as it stands; one that is none in JSON becomes a text.
func (p *python) number(dst []byte) ([]byte, bool) {
	number := p.word("+-.")
	if ValidNumber(number) {
		return append(dst, number...), true
	}
	return AppendString(dst, number), true
}

// name reads a constant, a text with a prefix like b”, an enumeration's
// member, or an object.
func (p *python) name(dst []byte, depth int) ([]byte, bool) {
	name := p.word(".")
	if p.at < len(p.in) {
		switch p.in[p.at] {
		case '\'', '"':
			return p.text(dst)
		case '(':
			return p.object(dst, depth)
		}
	}
	switch string(name) {
	case "True":
		return append(dst, "true"...), true
	case "False":
		return append(dst, "false"...), true
	case "None", "nan", "inf", "Ellipsis":
		return append(dst, "null"...), true
	}
	return AppendString(dst, name), true
}

// object reads the members of Name(key=value, ...). Values without a name, as
// datetime(2026, 1, 2) has them, make a list.
func (p *python) object(dst []byte, depth int) ([]byte, bool) {
	from := p.at
	p.at++
	if p.take(')') {
		return append(dst, "{}"...), true
	}
	if !p.named() {
		p.at = from
		return p.list(dst, ')', depth)
	}
	return p.members(dst, ')', depth)
}

// members reads key=value up to a closing byte, with commas between them; or, where that
// is 0, with blanks to the end.
func (p *python) members(dst []byte, closing byte, depth int) (_ []byte, ok bool) {
	for dst = append(dst, '{'); ; dst = append(dst, ',') {
		if dst, ok = p.member(dst, depth); !ok {
			return dst, false
		}
		switch {
		case p.next() == closing:
			if closing != 0 {
				p.at++
			}
			return append(dst, '}'), true
		case closing != 0 && !p.take(','):
			return dst, false
		}
	}
}

// named tells whether key=value comes next.
func (p *python) named() bool {
	from := p.at
	key, behind := p.word(""), p.in[p.at:]
	p.at = from
	return len(key) > 0 && len(behind) > 1 && behind[0] == '=' && behind[1] != '='
}

// IsPython tells a dict or a list in Python's repr: JSON has no such quotes.
func IsPython(text []byte) bool {
	if len(text) < 2 || text[0] != '{' && text[0] != '[' {
		return false
	}
	inner := bytes.TrimLeft(text[1:], " \t\r\n")
	return bytes.HasPrefix(inner, []byte{'\''}) || text[0] == '[' && bytes.HasPrefix(text[1:], []byte("{'"))
}

// IsPythonObject tells an object of some class by how its repr begins:
// Name(key=.
func IsPythonObject(text []byte) bool {
	name, members, _ := bytes.Cut(text[:min(len(text), 128)], []byte{'('})
	class := name[bytes.LastIndexByte(name, '.')+1:]
	if len(class) == 0 || class[0] < 'A' || class[0] > 'Z' {
		return false
	}
	for _, c := range name {
		if !isNameByte(c) && !isDigit(c) && c != '.' {
			return false
		}
	}
	p := python{in: members}
	return p.named()
}

// member reads key=value.
func (p *python) member(dst []byte, depth int) ([]byte, bool) {
	if dst = AppendString(dst, p.word("")); !p.take('=') {
		return dst, false
	}
	return p.value(append(dst, ':'), depth+1)
}

// opaque reads <object at 0x...>, which says nothing. Of an enumeration's
// member <Name.KEY: 'value'> nothing is needed either.
func (p *python) opaque(dst []byte) ([]byte, bool) {
	end := bytes.IndexByte(p.in[p.at:], '>')
	if end < 0 {
		return dst, false
	}
	p.at += end + 1
	return append(dst, "null"...), true
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
