package wrap

import "bytes"

// console cuts off whose line it is, as docker compose logs and kubectl logs
// --prefix print it:
//
//	gateway-1  | text
//	[pod/gateway-6d5f/nginx] text
//
// A time behind it, of --timestamps, is a wrapper of its own.
type console struct{}

func newConsole() Unwrapper { return console{} }

func detectConsole(line []byte) bool {
	_, ok := cutConsole(line)
	return ok
}

func cutConsole(line []byte) (text []byte, ok bool) {
	if bytes.HasPrefix(line, []byte("[pod/")) {
		_, text, ok = bytes.Cut(line, []byte("] "))
		return text, ok
	}
	name, text, ok := bytes.Cut(line, []byte("| "))
	name = cutColor(name)
	service := bytes.TrimRight(name, " ")
	if !ok || len(service) == 0 || len(service) == len(name) || bytes.ContainsAny(service, " {[\"") {
		return nil, false
	}
	return cutColor(text), true
}

// cutColor cuts off the color that a terminal is told.
func cutColor(text []byte) []byte {
	if rest, ok := bytes.CutPrefix(text, []byte("\x1b[")); ok {
		if codes, rest, ok := bytes.Cut(rest, []byte("m")); ok && len(bytes.Trim(codes, "0123456789;")) == 0 {
			return rest
		}
	}
	return text
}

func (console) Unwrap(line Line, next func(Line)) string {
	text, ok := cutConsole(line.Text)
	if !ok {
		return "expected the name of a container in front"
	}
	next(line.inner(text))
	return ""
}
