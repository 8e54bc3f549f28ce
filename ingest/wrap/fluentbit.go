package wrap

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// fluentBit undoes the JSON of Fluent Bit and Fluentd: the line is in log, or
// in message where its parser for container logs was used. Those leave the tag
// of a part in _p or logtag, and Docker's driver for Fluentd says it in words.
type fluentBit struct {
	envelope
	parts
	key, tag []byte
	partial  bool // by Docker's driver
	lastPart bool
}

func newFluentBit() Unwrapper {
	return &fluentBit{envelope: envelope{members: []string{"log_processed", "log", "message"}}}
}

func isFluentBit(m Members) bool {
	switch {
	case isDocker(m): // whose parts are told by the newline
		return false
	case m.Any("log", "log_processed"):
		return m.Any("date", "@timestamp", "timestamp", "time", "kubernetes", "container_id", "container_name", "stream", "logtag", "_p", "source", "tag")
	case m.Has("message"):
		return m.Any("logtag", "_p")
	}
	return false
}

func (p *fluentBit) note(s *rawjson.Scanner) {
	switch string(s.Key) {
	case "_p", "logtag":
		p.tag = s.Text(p.tag)
	case "stream", "partial_id":
		p.key = s.Text(p.key)
	case "partial_message":
		p.partial = string(s.Text(nil)) == "true"
	case "partial_last":
		p.lastPart = string(s.Text(nil)) == "true"
	}
}

func (p *fluentBit) Unwrap(line Line, next func(Line)) string {
	p.key, p.tag, p.partial, p.lastPart = nil, nil, false, false
	text, _, why := p.open(line.Text, p)
	if why != "" {
		return why
	}
	last := string(p.tag) != "P" && (!p.partial || p.lastPart)
	p.add(p.key, line.made(bytes.TrimSuffix(text, []byte("\n"))), last, next)
	return ""
}

func (p *fluentBit) Ends(line []byte) bool {
	if !bytes.Contains(line, []byte(`"P"`)) && !bytes.Contains(line, []byte(`"partial_message"`)) && !p.Open() {
		return true
	}
	return ends(p, line)
}
