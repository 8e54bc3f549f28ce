package wrap

import "bytes"

// cri undoes what container runtimes write for Kubernetes:
//
//	2026-11-21T03:51:29.828676676Z stdout F text
//
// A line of more than 16 KiB comes in parts, P until the last, which is F.
type cri struct{ parts }

func detectCRI(line []byte) bool {
	_, _, _, ok := cutCRI(line)
	return ok
}

// cutCRI takes a line apart. What stands behind a colon in the tag is not used
// by any runtime yet.
func cutCRI(line []byte) (stream, text []byte, last, ok bool) {
	time, rest, ok := bytes.Cut(line, []byte(" "))
	if !ok || len(time) < len("2006-01-02T15:04:05Z") || len(time) > len("2006-01-02T15:04:05.999999999-07:00") || time[4] != '-' || time[10] != 'T' {
		return nil, nil, false, false
	}
	stream, rest, _ = bytes.Cut(rest, []byte(" "))
	if s := string(stream); s != "stdout" && s != "stderr" {
		return nil, nil, false, false
	}
	tag, text, _ := bytes.Cut(rest, []byte(" "))
	tag, _, _ = bytes.Cut(tag, []byte(":"))
	last = string(tag) == "F"
	return stream, text, last, last || string(tag) == "P"
}

func (p *cri) Unwrap(line Line, next func(Line)) string {
	stream, text, last, ok := cutCRI(line.Text)
	if !ok {
		return "expected a container log's time, stream and tag"
	}
	p.add(stream, line.inner(text), last, next)
	return ""
}

func (p *cri) Ends(line []byte) bool {
	stream, _, last, ok := cutCRI(line)
	if !ok {
		return !p.Open()
	}
	return p.mark(stream, last)
}
