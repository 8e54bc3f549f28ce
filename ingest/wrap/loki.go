package wrap

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// loki undoes what logcli prints, and Grafana's downloads: the line beside its
// time and labels, or behind two times in what it calls txt.
type loki struct{ message }

func newLoki() Unwrapper { return &loki{message{envelope{members: []string{"line"}}}} }

func detectLoki(line []byte) bool {
	if _, ok := cutDownloaded(line); ok {
		return true
	}
	m := MembersOf(line)
	return m["line"].Kind() == rawjson.String && m.Has("timestamp")
}

// cutDownloaded reads 1795231889000<TAB>2026-11-21T03:51:29.000Z<TAB>.
func cutDownloaded(line []byte) (text []byte, ok bool) {
	number, text, _ := bytes.Cut(line, []byte("\t"))
	stamp, text, ok := bytes.Cut(text, []byte("\t"))
	return text, ok && len(number) > 0 && digits(line) == len(number) && isStamp(stamp)
}

func (p *loki) Unwrap(line Line, next func(Line)) string {
	if text, ok := cutDownloaded(line.Text); ok {
		next(line.inner(text))
		return ""
	}
	return p.message.Unwrap(line, next)
}
