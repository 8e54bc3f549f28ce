package formats

import (
	"path"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// sessionFile is the file that a session of an agent is kept in, whose lines do not say
// whose they are: its name does.
type sessionFile struct {
	named   func(name string) string // the session in a name; empty if there is none
	name    string
	session []byte
}

// Of reads the session in the name.
func (f *sessionFile) Of(name string) {
	if name == f.name {
		return
	}
	f.name, f.session = name, nil
	if session := f.named(name); session != "" {
		f.session = []byte(session)
	}
}

// stemOf is the name of a file up to the first dot, without the folders.
func stemOf(name string) string {
	stem, _, _ := strings.Cut(path.Base(strings.ReplaceAll(name, `\`, "/")), ".")
	return stem
}

// sessionLine is what a line of a session's file has. Not all name a session and an agent.
type sessionLine struct {
	kind, id, session, agent []byte
	time                     int64
	message                  rawjson.Value // or what else the line is about
}

// sessionLines reads a line, and first those that the wrapper turns has put into it: a
// call, and its results up to the last.
type sessionLines struct {
	scan  rawjson.Scanner
	now   sessionLine // being read
	lines []sessionLine
}

// read calls field at the members of a line that not all files have alike.
func (l *sessionLines) read(record []byte, field func()) (column int, why string) {
	l.scan.Reset(record)
	l.lines = l.lines[:0]
	l.line(field, 0)
	return wrap.Failure(&l.scan)
}

func (l *sessionLines) line(field func(), deep int) {
	around, s := l.now, &l.scan
	l.now = sessionLine{time: fingerprint.NoTime}
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "call":
			if deep < wrap.MaxResults {
				l.line(field, deep+1)
			}
		case "type":
			l.now.kind = value(s, l.now.kind)
		case "timestamp":
			l.now.time = readTime(s, l.now.time)
		default:
			field()
		}
	}
	l.lines, l.now = append(l.lines, l.now), around
}
