package wrap

import (
	"bytes"
	"regexp"
)

// console cuts off whose line it is, as docker compose logs and kubectl logs
// --prefix print it, what runs a Procfile, and before JSON stern, Heroku and Fly:
//
//	gateway-1  | text
//	10:00:00 web.1  | text
//	[pod/gateway-6d5f/nginx] text
//	gateway-6d5f nginx {}
//	app[web.1]: {}
//	app[148e21] fra [info]{}
//
// A time behind it, of --timestamps, or in front of it, is a wrapper of its own.
type console struct{}

// beforeJSON is what the last three have in front: before text it may be of that.
var beforeJSON = regexp.MustCompile(`^(?:[a-z0-9][a-z0-9.-]* [a-z0-9][a-z0-9.-]* |[a-z]+\[[\w.-]+\](?:: | [a-z]{3} \[[a-z]+\] ?))`)

// clock is in front of a name where foreman and honcho wrote the line.
var clock = regexp.MustCompile(`^\d\d:\d\d:\d\d `)

// containerName is what Docker takes for one. A time with a bar behind it is none.
var containerName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]*$`)

func detectConsole(line []byte) bool {
	if _, ok := cutContainer(line); ok {
		return true
	}
	text, ok := cutBeforeJSON(line)
	return ok && (bytes.HasPrefix(text, []byte("{")) || IsArray(text))
}

func cutContainer(line []byte) (text []byte, ok bool) {
	if bytes.HasPrefix(line, []byte("[pod/")) {
		_, text, ok = bytes.Cut(line, []byte("] "))
		return text, ok
	}
	name, text, ok := bytes.Cut(line, []byte("| "))
	name = cutColor(name)
	name = name[len(clock.Find(name)):]
	service := bytes.TrimRight(name, " ")
	if !ok || len(service) == len(name) || !containerName.Match(service) {
		return nil, false
	}
	return cutColor(text), true
}

func cutBeforeJSON(line []byte) (text []byte, ok bool) {
	at := beforeJSON.FindIndex(line)
	if at == nil {
		return nil, false
	}
	return line[at[1]:], true
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
	text, ok := cutContainer(line.Text)
	if !ok {
		text, ok = cutBeforeJSON(line.Text)
	}
	if !ok {
		return "expected the name of a container in front"
	}
	next(line.inner(text))
	return ""
}
