// Package wrap takes the lines of gateways out of what collectors of logs put
// around them: one JSON object a line, a syslog header, a record over several
// lines. A wrapper is one file and one line in the table [All]; several may
// lie around each other.
package wrap

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Wrapper is one way to wrap the lines of others.
type Wrapper struct {
	Name string // as in the name of a wrapped format, docker+nginx-json
	Doc  string
	// Detect tells whether a line may be wrapped so. That what it wraps is of
	// a known format decides.
	Detect func(line []byte) bool
	// JSON says that a line is a JSON object. Then it may be an array of them
	// too, of which Detect and the unwrapper see the elements.
	JSON bool
	// New makes an unwrapper; a Joiner where a record may go on over several lines.
	New func() Unwrapper
	// Gathers says that each of those is a record already, or may be: nothing
	// else lies in between.
	Gathers bool
	// Undone where what it wraps is of no known format: Around, as no program's
	// own log is taken for it; AroundText, an export, if that is text, as into
	// JSON a path leads too.
	Around, AroundText bool
	// Loose says that other logs may look so too: where what is around the lines is of
	// a known format, most of what it wraps must be of one, and most of the lines
	// themselves of none that is told by more than such names: in a body stands what a
	// client likes.
	Loose bool
	// Whole is the wrapper that hands on all of what this one hands on a value of, nil
	// if there is none: where that is of a known format, so is the record.
	Whole *Wrapper
	// Of are the wrappers of a log, by its beginning, where that says more than each
	// line does; nil if it is in none.
	Of func(data []byte) []*Wrapper
	// Sure says that one line is enough to tell it by, as no other is like it.
	Sure bool

	keeps bool // blanks and blank lines, which are a part of what it joins
}

// Joins tells whether a record may go on over several lines.
func (w *Wrapper) Joins() bool {
	_, joins := w.New().(Joiner)
	return joins
}

// Line is a line on its way in.
type Line struct {
	Text []byte
	// At is where the physical line stands that the record begins in.
	At fingerprint.Position
	// Column is where Text begins in that line, from 0; -1 where it does not
	// stand there as it is.
	Column int
}

// inner is the line of which text is a part.
func (l Line) inner(text []byte) Line {
	if l.Column >= 0 {
		l.Column += cap(l.Text) - cap(text)
	}
	l.Text = text
	return l
}

// made is text as a line, which does not stand in l as it is.
func (l Line) made(text []byte) Line { return Line{Text: text, At: l.At, Column: -1} }

// Unwrapper undoes a wrapper line by line. One goroutine uses it at a time.
type Unwrapper interface {
	// Unwrap hands what a line wraps to next: nothing where it is but a part
	// of the frame, one text, or several. The texts are valid until the next
	// call. What cannot be unwrapped gives the reason why not, without any
	// text of it.
	Unwrap(line Line, next func(Line)) (why string)
}

// byMembers makes a Detect of what tells the members of an object.
func byMembers(is func(Members) bool) func(line []byte) bool {
	return func(line []byte) bool { return is(MembersOf(line)) }
}

// fresh makes an Unwrapper that begins as nothing.
func fresh[T any, U interface {
	*T
	Unwrapper
}]() Unwrapper {
	return U(new(T))
}

// Joiner is an Unwrapper that puts the parts of a record together.
type Joiner interface {
	Unwrapper
	// Open tells whether a record is not at its end.
	Open() bool
	// Drop forgets the records that are not at their end. Those that are worth
	// reading as they are it hands to next, of the others where they begin to
	// lost.
	Drop(next func(Line), lost func(fingerprint.Position))
}

// Ender is a Joiner that sees from less than all of a line whether a record ends.
type Ender interface {
	Joiner
	// Ends takes a line like Unwrap, for its end alone: whether no record goes
	// on behind it. The two are not to be mixed.
	Ends(line []byte) bool
}

// All are the wrappers, in the order in which they are looked for: a later one
// may also fit what an earlier one knows better.
var All = []*Wrapper{
	{Name: "docker", Doc: "Docker's json-file logs", JSON: true, Detect: byMembers(isDocker), New: newDocker, Around: true},
	{Name: "cri", Doc: "container logs of Kubernetes (CRI)", Detect: detectCRI, New: fresh[cri], Around: true},
	{Name: "fluentbit", Doc: "Fluent Bit and Fluentd", JSON: true, Detect: byMembers(isFluentBit), New: newFluentBit, Around: true},
	{Name: "fluentd", Doc: "files of Fluentd and Fluent Bit", Detect: detectFluentd, New: newFluentd},
	{Name: "vector", Doc: "Vector", JSON: true, Detect: byMembers(isVector), New: lineIn("message", eventOriginal, "json"), Around: true},
	{Name: "filebeat", Doc: "Filebeat and the Elastic Agent", JSON: true, Detect: byMembers(isFilebeat), New: lineIn("message", eventOriginal, "json"), Around: true},
	{Name: "journald", Doc: "the journal of systemd as JSON", JSON: true, Detect: byMembers(isJournal), New: newJournal, Around: true},
	{Name: "syslog", Doc: "syslog, RFC 5424 and RFC 3164", Detect: detectSyslog, New: fresh[syslog], Around: true},
	{Name: "cloudwatch", Doc: "CloudWatch Logs: subscriptions, exports, its commands", JSON: true, Detect: detectCloudWatch, New: fresh[cloudWatch], AroundText: true},
	{Name: "rsyslog-json", Doc: "rsyslog's and syslog-ng's JSON templates", JSON: true, Detect: byMembers(isRsyslogJSON), New: lineIn("message", "msg", "MESSAGE"), AroundText: true},
	{Name: "elastic", Doc: "documents of Elasticsearch and OpenSearch", JSON: true, Detect: byMembers(isElastic), New: lineIn("_source"), AroundText: true},
	{Name: "loki", Doc: "Loki: logcli's jsonl and Grafana's download", JSON: true, Detect: detectLoki, New: newLoki, AroundText: true},
	{Name: "google", Doc: "entries of Google's Cloud Logging", JSON: true, Detect: byMembers(isGoogle), New: lineIn("jsonPayload", "textPayload"), AroundText: true},
	{Name: "splunk", Doc: "exports of Splunk's searches", JSON: true, Detect: byMembers(isSplunk), New: newSplunk, AroundText: true},
	{Name: "otlp-attributes", Doc: "access logs as OpenTelemetry's log records", JSON: true, Detect: detectOTLPAttributes, New: newOTLPAttributes},
	{Name: "otlp", Doc: "lines that OpenTelemetry's Collector read from files", JSON: true, Detect: detectOTLP, New: fresh[otlp], Around: true},
	{Name: "console", Doc: "docker compose logs, kubectl logs --prefix, stern, ...", Detect: detectConsole, New: fresh[console]},
	{Name: "csv", Doc: "exports as CSV with lines of JSON in a column", Detect: detectCSV, New: fresh[csv], Whole: Table},
	Table,
	{Name: "copied", Doc: "JSON whose backslashes or quotes were escaped", Detect: isEscapedJSON, New: fresh[copied], Of: copiedOf, Sure: true, Around: true},
	{Name: "sse", Doc: "server-sent events", Detect: IsEvents, New: fresh[sse]},
	{Name: "turns", Doc: "calls and results in sessions of coding agents", JSON: true, Detect: byMembers(isOfSession), New: fresh[turns], Gathers: true},
	{Name: "rows", Doc: "rows of one request in the log of Azure API Management", JSON: true, Detect: detectRows, New: fresh[rows], Gathers: true},
	{Name: "archive", Doc: "documents: HTTP archives, sessions of Gemini CLI", JSON: true, Detect: detectArchive, New: fresh[archive]},
	{Name: "quoted", Doc: "lines as JSON strings: Kafka Connect, the Collector's raw", Detect: detectQuoted, New: fresh[quoted], Around: true},
	{Name: "member", Doc: "JSON objects with the line in message, payload, ...", JSON: true, Detect: detectMember, New: lineIn(slices.Concat(lineNames, pageNames)...), Loose: true},
	Flattened,
	Texts,
}

// ByName returns the wrapper called name, or nil.
func ByName(name string) *Wrapper {
	for _, w := range All {
		if w.Name == name {
			return w
		}
	}
	return nil
}
