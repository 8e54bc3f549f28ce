package wrap

import (
	"bytes"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// journal undoes the journal of systemd, as journalctl -o json prints it, or
// without its fields of addresses, such as the time, as Fluent Bit reads it. A
// message that is no UTF-8, or holds a control character such as the escape of
// a colour, comes as a list of its bytes. What a service prints is split where
// a line is longer than LineMax, 48 KiB; the parts but for the last say so. So
// do those that container runtimes split at 16 KiB.
type journal struct {
	envelope
	parts
	bytes   []byte
	key     []byte
	partial bool
}

func newJournal() Unwrapper { return &journal{envelope: envelope{members: []string{"MESSAGE"}}} }

func isJournal(m Members) bool {
	return m.Has("MESSAGE") && m.Any("__REALTIME_TIMESTAMP", "_SYSTEMD_UNIT", "SYSLOG_IDENTIFIER")
}

func (p *journal) note(s *rawjson.Scanner) {
	switch string(s.Key) {
	case "_STREAM_ID", "CONTAINER_PARTIAL_ID":
		p.key = s.Text(p.key)
	case "_LINE_BREAK":
		p.partial = string(s.Text(nil)) == "line-max"
	case "CONTAINER_PARTIAL_MESSAGE":
		p.partial = string(s.Text(nil)) == "true"
	}
}

func (p *journal) Unwrap(line Line, next func(Line)) string {
	p.key, p.partial = nil, false
	text, isText, why := p.open(line.Text, p)
	if strings.HasPrefix(why, noLine) {
		why += ", which is null from 4 KiB on without journalctl --all"
	}
	if why == "" && !isText {
		if text, isText = p.decode(text); !isText {
			why = "MESSAGE is neither a text nor a list of bytes"
		}
	}
	if why == "" {
		p.add(p.key, line.made(text), !p.partial, next)
	}
	return why
}

func (p *journal) Ends(line []byte) bool {
	if !bytes.Contains(line, []byte(`"line-max"`)) && !bytes.Contains(line, []byte(`"CONTAINER_PARTIAL_MESSAGE"`)) && !p.Open() {
		return true
	}
	return ends(p, line)
}

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
