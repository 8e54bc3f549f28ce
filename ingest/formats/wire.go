package formats

import (
	"bytes"
	"regexp"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// startLine is the first line of a request or a response. What a person wrote of HTTP has
// none, and so no headers, whose names are shown.
var startLine = regexp.MustCompile(`^(?:[A-Z]+ (?:/|https?://)\S* HTTP/1\.[01]|HTTP/1\.[01] [1-5][0-9]{2}(?: .*)?)$`)

// cutHead takes a message of HTTP/1 as it was sent, which Tyk's analytics and dumps of
// programs keep whole, into head and body; the head of all else is nil.
func cutHead(text []byte) (head, body []byte) {
	head, body, ok := bytes.Cut(text, []byte("\r\n\r\n"))
	if line, _, _ := bytes.Cut(head, []byte("\r\n")); !ok || !startLine.Match(line) {
		return nil, text
	}
	return head, body
}

// head reads the headers behind a request's first line, but none that goes on over lines.
func (a *access) head(r *fingerprint.Request, head []byte) {
	_, lines, _ := bytes.Cut(head, []byte("\r\n"))
	for line := range bytes.SplitSeq(lines, []byte("\r\n")) {
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && !bytes.ContainsAny(name, " \t") {
			a.header(r, name, bytes.TrimSpace(value))
		}
	}
}
