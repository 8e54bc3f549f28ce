package wrap

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// archive gives the entries of a document, log.entries of an HTTP archive or the messages
// of a session of Gemini CLI, each with the line in which it begins.
type archive struct{ scan rawjson.Scanner }

func detectArchive(line []byte) bool {
	var s rawjson.Scanner
	s.Reset(line)
	project, messages := false, false
	for s.Object(); (!project || !messages) && s.NextKey(); {
		switch string(s.Key) {
		case "projectHash":
			project = true
		case "messages":
			messages = true
		case "log":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "entries", "creator", "version":
					return true
				}
			}
		}
	}
	return project && messages
}

func (p *archive) Unwrap(line Line, next func(Line)) string {
	s := &p.scan
	s.Reset(line.Text)
	found := false
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "messages":
			found = true
			p.entries(line, next)
		case "log":
			for s.Object(); s.NextNamed("entries"); {
				found = true
				p.entries(line, next)
			}
		}
	}
	why := failure(s)
	if why == "" && !found {
		return "no entries in it: expected log.entries or messages"
	}
	return why
}

func (p *archive) entries(line Line, next func(Line)) {
	s := &p.scan
	at, from := line.At, 0
	for s.Array(); s.NextElement(); {
		s.Kind() // skips white space
		start := s.Offset()
		if line.Column >= 0 { // the text is the log's own
			if n := bytes.Count(line.Text[from:start], []byte("\n")); n > 0 {
				at.Line += int64(n)
				at.Offset = line.At.Offset + int64(line.Column+bytes.LastIndexByte(line.Text[:start], '\n')+1)
			}
			from = start
		}
		if entry := s.Value(); entry != nil {
			next(Line{Text: entry, At: at, Column: -1})
		}
	}
}
