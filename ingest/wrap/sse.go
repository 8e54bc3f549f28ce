package wrap

import "bytes"

// sse takes the data out of server-sent events. What is no JSON is of the
// protocol: the time of a connection, [DONE].
type sse struct{}

// IsEvents tells server-sent events by how a text begins: with any field, or with a
// comment, as OpenRouter sends some while a model thinks.
func IsEvents(text []byte) bool {
	field, _, ok := bytes.Cut(text[:min(len(text), len("retry:"))], []byte(":"))
	switch string(field) {
	case "", "data", "event", "id", "retry":
		return ok
	}
	return false
}

func (sse) Unwrap(line Line, next func(Line)) string {
	if !IsEvents(line.Text) {
		return "expected a field of an event, such as data:"
	}
	data, ok := bytes.CutPrefix(line.Text, []byte("data:"))
	data = bytes.TrimLeft(data, " ")
	if ok && len(data) > 0 && (data[0] == '{' || data[0] == '[' && !bytes.HasPrefix(data, []byte("[DONE]"))) {
		next(line.inner(data))
	}
	return ""
}
