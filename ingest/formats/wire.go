package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// cutHead takes a message of HTTP/1 as it was sent, which Tyk's analytics and dumps of
// programs keep whole, into head and body; the head of all else is nil.
func cutHead(text []byte) (head, body []byte) {
	head, body, ok := bytes.Cut(text, []byte("\r\n\r\n"))
	if line, _, _ := bytes.Cut(head, []byte("\r\n")); !ok || !bytes.HasPrefix(line, []byte("HTTP/1.")) && !bytes.Contains(line, []byte(" HTTP/1.")) {
		return nil, text
	}
	return head, body
}

// head reads the headers behind a request's first line.
func (a *access) head(r *fingerprint.Request, head []byte) {
	_, lines, _ := bytes.Cut(head, []byte("\r\n"))
	for line := range bytes.SplitSeq(lines, []byte("\r\n")) {
		if name, value, ok := bytes.Cut(line, []byte(":")); ok {
			a.header(r, name, bytes.TrimSpace(value))
		}
	}
}
