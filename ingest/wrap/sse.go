package wrap

import (
	"bytes"
	"slices"
)

// sse takes the data out of server-sent events. What is no JSON is of the
// protocol: the time of a connection, [DONE].
type sse struct{}

// sseFields are what a line of them begins with; a colon alone, a comment.
var sseFields = []string{"data:", "event:", "id:", "retry:", ":"}

func detectSSE(line []byte) bool {
	return slices.ContainsFunc(sseFields, func(field string) bool { return bytes.HasPrefix(line, []byte(field)) })
}

func (sse) Unwrap(line Line, next func(Line)) string {
	if !detectSSE(line.Text) {
		return "expected a field of an event, such as data:"
	}
	data, ok := bytes.CutPrefix(line.Text, []byte("data:"))
	data = bytes.TrimLeft(data, " ")
	if ok && len(data) > 0 && (data[0] == '{' || data[0] == '[' && !bytes.HasPrefix(data, []byte("[DONE]"))) {
		next(line.inner(data))
	}
	return ""
}
