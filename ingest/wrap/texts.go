package wrap

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Texts is for JSON that keeps to no lines: laid out over several, or several
// objects on one with nothing in between. Arrays around the objects are part
// of the frame. It is not told by single lines: see Detect of package ingest.
var Texts = &Wrapper{
	Name: "json", Doc: "JSON objects over several lines, or several on one",
	Detect: func([]byte) bool { return false }, New: fresh[texts], keeps: true,
}

// texts looks for where objects end, by quotes and brackets alone.
type texts struct {
	depth   int
	quoted  bool
	escaped bool
	skim    bool // the ends are all that is asked for

	held []byte
	at   Line // where the object began that is not at its end
}

func (p *texts) Unwrap(line Line, next func(Line)) string {
	text, from := line.Text, 0
	for i := 0; ; {
		if p.depth == 0 {
			i += frame(text[i:])
			if i == len(text) {
				return ""
			}
			if from = i; text[i] != '{' { // neither an object nor around one
				next(line.inner(text[i:]))
				return ""
			}
		}
		n, ended := p.object(text[i:])
		i += n
		switch {
		case p.skim:
		case ended && len(p.held) > 0:
			p.held = append(p.held, text[from:i]...)
			next(Line{Text: p.held, At: p.at.At, Column: p.at.Column})
			p.held = p.held[:0]
		case ended:
			next(line.inner(text[from:i]))
		default:
			if len(p.held) == 0 {
				p.at = line.inner(text[from:])
			}
			p.held = append(append(p.held, text[from:]...), '\n')
		}
		if !ended {
			return ""
		}
		from = i
	}
}

// frame is how much of what stands between objects comes first.
func frame(text []byte) int {
	return len(text) - len(bytes.TrimLeft(text, " \t\r\n,[]"))
}

// object goes on to the end of the object, or of the text.
func (p *texts) object(text []byte) (n int, ended bool) {
	for i, c := range text {
		if p.quoted {
			switch {
			case p.escaped:
				p.escaped = false
			case c == '\\':
				p.escaped = true
			case c == '"':
				p.quoted = false
			}
			continue
		}
		switch c {
		case '"':
			p.quoted = true
		case '{', '[':
			p.depth++
		case '}', ']':
			if p.depth--; p.depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(text), false
}

func (p *texts) Ends(line []byte) bool {
	p.skim = true
	p.Unwrap(Line{Text: line}, nowhere)
	return p.depth == 0
}

func (p *texts) Open() bool { return p.depth > 0 }

func (p *texts) Drop(_ func(Line), lost func(fingerprint.Position)) {
	if p.depth > 0 {
		lost(p.at.At)
	}
	*p = texts{held: p.held[:0]}
}

// isJSON tells whether a text begins like an object, or like an array of some:
// other brackets stand around a time or a level.
func isJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r[")
	return len(text) > 0 && text[0] == '{'
}

// Lines tells by the first line of JSON whether it keeps to lines. It may not where a
// value begins on it and is not at its end there: begun, unless it is cut in
// the middle of a text. It does not, broken, where the line is laid out to go
// on, or another object, or array of some, comes behind the first.
func Lines(line []byte) (begun, broken bool) {
	line = bytes.TrimLeft(line, " \t\r")
	if len(line) == 0 || line[0] != '{' && line[0] != '[' {
		return false, false
	}
	var p texts
	n, ended := p.object(line)
	if !ended {
		last := line[len(line)-1]
		return !p.quoted, !p.quoted && (last == ',' || last == '{' || last == '[')
	}
	rest := bytes.TrimLeft(line[n:], " \t\r")
	return false, isJSON(line) && isJSON(rest)
}
