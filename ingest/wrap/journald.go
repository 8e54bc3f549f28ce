package wrap

import (
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

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
		if text = p.decode(text); text == nil {
			why = "MESSAGE is neither a text nor a list of bytes"
		}
	}
	if why == "" {
		next(Line{Text: text, At: line.At, Column: -1})
	}
	return why
}

// decode reads a list of bytes, nil if it is none.
func (p *journal) decode(list rawjson.Value) []byte {
	if list.Kind() != rawjson.Array {
		return nil
	}
	s := &p.scan
	s.Reset(list)
	if p.bytes == nil {
		p.bytes = make([]byte, 0, len(list)/4)
	}
	text := p.bytes[:0]
	for s.Array(); s.NextElement(); {
		isNumber := s.Kind() == rawjson.Number
		b, ok := s.Int()
		if !ok || !isNumber || b < 0 || b > 0xFF {
			return nil
		}
		text = append(text, byte(b))
	}
	p.bytes = text
	return text
}
