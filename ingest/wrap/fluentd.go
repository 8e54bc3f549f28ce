package wrap

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// fluentd cuts off the time and the tag that stand in front of a record in the
// files of Fluentd and of Fluent Bit, and on Fluentd's standard output:
//
//	2026-11-21T03:51:29+00:00<TAB>gw.access<TAB>{"log":"text"}
//	gw.access: [1795231889.5, {"log":"text"}]
//	2026-11-21 03:51:29.808365941 +0000 gw.access: {"log":"text"}
//
// The line is in log, or in message where there is nothing else. Else the
// record is the line, or has a wrapper of its own.
type fluentd struct{ envelope }

func newFluentd() Unwrapper { return &fluentd{envelope{members: []string{"log", "message"}}} }

func detectFluentd(line []byte) bool {
	_, ok := cutFluentd(line)
	return ok
}

func cutFluentd(line []byte) (record []byte, ok bool) {
	at := bytes.IndexByte(line, '{')
	if at < 2 {
		return nil, false
	}
	front, record := line[:at], line[at:]
	blanks, isTime := bytes.Count(front, []byte(" ")), isDay(front)
	switch string(front[at-2:]) {
	case ", ":
		tag, time, ok := bytes.Cut(front, []byte(": ["))
		record, closed := bytes.CutSuffix(bytes.TrimRight(record, " \t\r"), []byte("]"))
		return record, ok && closed && len(tag) > 0 && !bytes.Contains(tag, []byte("\t")) && blanks == 2 && digits(time) >= 9
	case ": ":
		return record, isTime && front[10] == ' ' && blanks == 4
	}
	return record, front[at-1] == '\t' && isTime && (front[10] == ' ' || blanks == 0) && bytes.Count(front, []byte("\t")) == 2
}

// isDay tells that text begins with a day, 2026-11-21, and goes on.
func isDay(text []byte) bool {
	return len(text) > len("2006-01-02") && digits(text) == 4 && text[4] == '-' && text[7] == '-'
}

func (p *fluentd) Unwrap(line Line, next func(Line)) string {
	record, ok := cutFluentd(line.Text)
	if !ok {
		return "expected time and tag in front of a record"
	}
	m := membersOf(record)
	mine := m["log"] == rawjson.String && !isDocker(m) && !detectFluentBit(record) || len(m) == 1 && m["message"] == rawjson.String
	if !mine {
		next(line.inner(record))
		return ""
	}
	text, _, why := p.open(record, nil)
	if why == "" {
		next(line.made(bytes.TrimSuffix(text, []byte("\n"))))
	}
	return why
}
