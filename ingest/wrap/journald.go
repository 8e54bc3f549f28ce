package wrap

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// journal undoes the journal of systemd, as journalctl -o json prints it. A
// message that is no UTF-8, or holds a control character such as the escape of
// a colour, comes as a list of its bytes.
type journal struct {
	envelope
	bytes []byte
}

func newJournal() Unwrapper { return &journal{envelope: envelope{members: []string{"MESSAGE"}}} }

func detectJournal(line []byte) bool {
	m := membersOf(line)
	return m.has("MESSAGE", "__REALTIME_TIMESTAMP")
}

func (p *journal) Unwrap(line Line, next func(Line)) string {
	text, isText, why := p.open(line.Text, nil)
	if why == "" && !isText {
		if text, isText = p.decode(text); !isText {
			why = "MESSAGE is neither a text nor a list of bytes"
		}
	}
	if why == "" {
		next(Line{Text: text, At: line.At, Column: -1})
	}
	return why
}

// decode reads a list of bytes.
func (p *journal) decode(list rawjson.Value) (text []byte, ok bool) {
	if list.Kind() != rawjson.Array {
		return nil, false
	}
	s := &p.scan
	s.Reset(list)
	p.bytes = p.bytes[:0]
	for s.Array(); s.NextElement(); {
		isNumber := s.Kind() == rawjson.Number
		b, ok := s.Int()
		if !ok || !isNumber || b < 0 || b > 0xFF {
			return nil, false
		}
		p.bytes = append(p.bytes, byte(b))
	}
	return p.bytes, true
}
