package ingest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/otlp"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// unknown is why a stream is of no known format.
func (s *fileStream) unknown(head *Block) error {
	if onlyEmpty(head.Data) {
		return newError(s.source.Name, errors.New("nothing but an empty array"), "an export in which nothing was found, it seems: there is nothing to read")
	}
	if onlyColumns(head.Data) {
		return newError(s.source.Name, errors.New("nothing but the names of columns"), "an export in which nothing was found, it seems: there is nothing to read")
	}
	if f, path := deeper(head.Data); f != nil {
		return newError(s.source.Name, fmt.Errorf("no known log format; its JSON holds lines of %s at %s", f.Name, path), "take them out on the way: "+s.raw.onTheWay(s.source, "jq -rc '"+path+"'"))
	}
	if _, line := firstText(head); formats.Ours(line) {
		return newError(s.source.Name, errors.New("verdicts or alerts of loopgauge, and no log"), "name the log that they are about, and keep them out of its directory")
	}
	if hint := IfMetrics(head.Data); hint != "" {
		return newError(s.source.Name, errors.New("no known log format"), hint)
	}
	scaffolded := s.source.word()
	if s.source.stdin != nil {
		scaffolded = "LOG"
	}
	return newError(s.source.Name, unknownFormat(head),
		"describe it: loopgauge formats --scaffold "+scaffolded+" > my.yaml, then --format my.yaml\nor name it with --format, if it is one of those that 'loopgauge formats' lists")
}

// unknownFormat says as much of a log in no known format as can be said
// without showing any of it: there may be secrets in it.
func unknownFormat(head *Block) error {
	number, line := firstText(head)
	return fmt.Errorf("no known log format; line %d%s", number, whyUnknown(line))
}

// whyUnknown goes on with the name of a line of no known format, and says why.
func whyUnknown(line []byte) string {
	inner := bytes.TrimLeft(line[1:], " \t")
	isArray := line[0] == '[' && (len(inner) == 0 || inner[0] == '{' || inner[0] == '[' || inner[0] == ']')
	if line[0] != '{' && !isArray {
		if f, column := behind(line); f != nil {
			return fmt.Sprintf(" is %s from column %d on: cut off what stands in front, in every line", f.Name, column)
		}
		if namesColumns(line) {
			return " names columns, but not those of a known gateway"
		}
		return " is neither JSON nor an access log line"
	}
	var s rawjson.Scanner
	if err := s.Check(line); err != nil {
		var at *rawjson.SyntaxError
		if _, laidOut := wrap.Lines(line); laidOut && errors.As(err, &at) && at.Offset == len(line) {
			return " begins JSON that is not of a known gateway"
		}
		return ", " + err.Error()
	}
	if why := formats.NotNative(line); why != "" {
		return " would be of loopgauge, but " + why
	}
	return " is JSON, but not of a known gateway"
}

// Unknown says why the records of a topic are of no known format, by the first that says
// something, without showing any of it, and the way out, if there is one but to name or
// describe the format. Both are empty if none says anything.
func (b *Block) Unknown() (why, hint string) {
	for offset, data := range b.Each() {
		line, _ := cutLine(trimStart(data))
		switch line = trim(line); {
		case otlp.Begins(data):
			if _, at, why := otlp.AppendJSON(nil, data, b.MaxLine); why != "" {
				return fmt.Sprintf("record %d, byte %d: %s", offset, at, why), "--format otel reads the others, if there are any"
			}
		case isBinary(data):
			return fmt.Sprintf("record %d is binary data", offset), "let text, JSON or OpenTelemetry's protobuf (of its Collector: encoding otlp_proto) be written there: docs/kafka.md"
		case len(line) > 0:
			return fmt.Sprintf("record %d%s", offset, whyUnknown(line)), ""
		}
	}
	return "", ""
}

// behind finds the format of a line but for what stands in front of it, and the
// column, from 1, that it begins in.
func behind(line []byte) (f *formats.Format, column int) {
	const most = 16 // words in front
	at := 0
	for range most {
		n := bytes.IndexAny(line[at:], " \t{")
		if n < 0 {
			break
		}
		if at += n; line[at] != '{' {
			at++
		}
		if f = Detect(line[at:]); f != nil {
			return f, at + 1
		}
		if at < len(line) && line[at] == '{' {
			break
		}
	}
	return nil, 0
}

// onlyEmpty tells that lines are one empty array.
func onlyEmpty(data []byte) bool {
	var array wrap.Array
	array.Enter(trim(data))
	if !wrap.IsArray(trim(data)) || array.Next() {
		return false
	}
	_, why := array.Failure()
	return why == ""
}

// onlyColumns tells that lines are one that names the columns of a table.
func onlyColumns(data []byte) bool {
	line := bytes.TrimSpace(trimStart(data))
	return bytes.IndexByte(line, '\n') < 0 && namesColumns(line)
}

func namesColumns(line []byte) bool { return wrap.ByName("table").Detect(line) }

// IfMetrics is the way out where lines begin with OpenTelemetry's metrics; else it is empty.
func IfMetrics(lines []byte) (hint string) {
	line, _ := cutLine(trimStart(lines))
	if wrap.MembersOf(line).Has("resourceMetrics") {
		return "these are OpenTelemetry's metrics, in which there is no request: name what its traces or logs are in"
	}
	return ""
}
