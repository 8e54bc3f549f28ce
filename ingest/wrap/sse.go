package wrap

import "bytes"

// sse takes the data out of server-sent events. What is no JSON is of the
// protocol: the time of a connection, [DONE].
type sse struct{}

func newSSE() Unwrapper { return sse{} }

func detectSSE(line []byte) bool {
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(line, []byte(field)) {
			return true
		}
	}
	return false
}

func (sse) Unwrap(line Line, next func(Line)) string {
	data, ok := bytes.CutPrefix(line.Text, []byte("data:"))
	if data = bytes.TrimLeft(data, " "); ok && len(data) > 0 && data[0] == '{' {
		next(line.inner(data))
	}
	return ""
}
