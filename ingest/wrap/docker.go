package wrap

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// docker undoes Docker's json-file logs:
//
//	{"log":"text\n","stream":"stdout","time":"2026-11-21T03:51:29.8Z"}
//
// A line of more than 16 KiB comes in parts that have no mark but that the
// newline is missing, which only the last of them has.
type docker struct {
	envelope
	parts
	stream []byte
}

func newDocker() Unwrapper { return &docker{envelope: envelope{members: []string{"log"}}} }

func isDocker(m Members) bool {
	return m["log"].Kind() == rawjson.String && m.Has("stream", "time") && !m.Any("kubernetes", "date", "@timestamp", "_p", "logtag")
}

func (p *docker) note(s *rawjson.Scanner) {
	if string(s.Key) == "stream" {
		p.stream = s.Text(p.stream)
	}
}

func (p *docker) Unwrap(line Line, next func(Line)) string {
	p.stream = nil
	text, _, why := p.open(line.Text, p)
	if why != "" {
		return why
	}
	text, last := bytes.CutSuffix(text, []byte("\n"))
	p.add(p.stream, line.made(text), last, next)
	return ""
}

// Ends looks for the stream behind the log, which Docker writes first: quotes
// inside of it are escaped, so that nothing there looks the same.
func (p *docker) Ends(line []byte) bool {
	mark := []byte(`","stream":"`)
	i := bytes.Index(line, mark)
	if i < 0 || !bytes.HasPrefix(line, []byte(`{"log":"`)) {
		return ends(p, line)
	}
	stream, _, _ := bytes.Cut(line[i+len(mark):], []byte(`"`))
	return p.mark(stream, endsLine(line[:i]))
}

// endsLine tells whether a JSON text, of which the closing quote is left out,
// ends with a newline.
func endsLine(text []byte) bool {
	text, ok := bytes.CutSuffix(text, []byte(`\n`))
	slashes := len(text) - len(bytes.TrimRight(text, `\`))
	return ok && slashes%2 == 0
}
