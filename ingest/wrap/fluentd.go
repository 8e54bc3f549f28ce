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
// record is the line, or has a wrapper of its own. Parsers there take the time out
// of the record, unless they are told not to: it gets back that in front, by the
// name that Fluent Bit gives it in its other outputs.
type fluentd struct {
	envelope
	dated []byte
}

func newFluentd() Unwrapper {
	return &fluentd{envelope: envelope{members: []string{"log", "message"}}}
}

func detectFluentd(line []byte) bool {
	_, _, ok := cutFluentd(line)
	return ok
}

func cutFluentd(line []byte) (time, record []byte, ok bool) {
	at := bytes.IndexByte(line, '{')
	if at < 2 {
		return nil, nil, false
	}
	front, record := line[:at], line[at:]
	blanks, isTime := bytes.Count(front, []byte(" ")), isDay(front)
	switch string(front[at-2:]) {
	case ", ":
		tag, time, ok := bytes.Cut(front, []byte(": ["))
		record, closed := bytes.CutSuffix(bytes.TrimRight(record, " \t\r"), []byte("]"))
		return time[:max(0, len(time)-len(", "))], record, ok && closed && len(tag) > 0 && !bytes.Contains(tag, []byte("\t")) && blanks == 2 && digits(time) >= 9
	case ": ":
		if tag := bytes.LastIndexByte(front[:at-1], ' '); tag >= 0 {
			time = front[:tag]
		}
		return time, record, isTime && front[10] == ' ' && blanks == 4
	}
	time, _, _ = bytes.Cut(front, []byte("\t"))
	return time, record, front[at-1] == '\t' && isTime && (front[10] == ' ' || blanks == 0) && bytes.Count(front, []byte("\t")) == 2
}

// isDay tells that text begins with a day, 2026-11-21, and goes on.
func isDay(text []byte) bool {
	return len(text) > len("2006-01-02") && digits(text) == 4 && text[4] == '-' && text[7] == '-'
}

func (p *fluentd) Unwrap(line Line, next func(Line)) string {
	time, record, ok := cutFluentd(line.Text)
	if !ok {
		return "expected time and tag in front of a record"
	}
	m := MembersOf(record)
	mine := m["log"].Kind() == rawjson.String && !isDocker(m) && !isFluentBit(m) || len(m) == 1 && m["message"].Kind() == rawjson.String
	switch {
	case !mine && isTimeless(record):
		p.dated = appendDated(p.dated[:0], record, time)
		next(line.made(p.dated))
		return ""
	case !mine:
		next(line.inner(record))
		return ""
	}
	text, _, why := p.open(record, nil)
	if why == "" {
		next(line.made(bytes.TrimSuffix(text, []byte("\n"))))
	}
	return why
}

// isTimeless tells the record of an access log, which has a status, without a time.
func isTimeless(record []byte) bool {
	answered, timed := false, false
	EachMember(record, func(s *rawjson.Scanner) {
		switch string(s.Key) {
		case "status", "response_code":
			answered = true
		case "time", "time_iso8601", "time_local", "msec", "timestamp", "@timestamp", "ts", "start_time", "startTime", "started_at", "date":
			timed = true
		}
	})
	return answered && !timed
}

// appendDated appends a record that begins with its time: a number, or 2026-11-21
// 03:51:29 +0000, of which the blanks go.
func appendDated(dst, record, time []byte) []byte {
	dst = append(dst, `{"date":"`...)
	for i, c := range time {
		switch {
		case c != ' ':
			dst = append(dst, c)
		case i == len("2006-01-02"):
			dst = append(dst, 'T')
		}
	}
	return append(append(dst, `",`...), record[1:]...)
}
