package ingest

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/otlp"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// Tally says what the lines of a block were.
type Tally struct {
	Lines     int64 // a line counts once for each element or request in it
	Blank     int64 // white space only, or no request in it
	Malformed int64
}

// Add adds what other lines were.
func (t *Tally) Add(o Tally) {
	t.Lines += o.Lines
	t.Blank += o.Blank
	t.Malformed += o.Malformed
}

// Requests is how many were read.
func (t Tally) Requests() int64 { return t.Lines - t.Blank - t.Malformed }

// Skip is a line that could not be judged. It never holds text of the line:
// there may be secrets in it.
type Skip struct {
	Stream int32
	Line   int64
	Column int // bytes from 1; 0 if it is about the whole line
	Why    string
}

// Reader reads blocks as requests. One goroutine uses it at a time.
type Reader struct {
	// AskEach asks of each malformed line whether another format reads it, not only
	// of the first ones of a block.
	AskEach bool

	reads   fingerprint.Field
	parsers map[string]formats.Parser // by the name of the format
	wrapped map[string]*unwrapping    // likewise
	array   wrap.Array
	whole   rawjson.Scanner
	request fingerprint.Request
	json    []byte      // of a record that is protobuf
	reading reading     // the call of Read under way
	each    func() bool // takes a request of a batch
}

// NewReader makes a Reader that reads the given costly fields.
func NewReader(reads fingerprint.Field) *Reader {
	rd := &Reader{reads: reads, parsers: map[string]formats.Parser{}, wrapped: map[string]*unwrapping{}}
	rd.each = func() bool {
		run := &rd.reading
		run.request(nil, run.at, run.start, 0, "")
		run.at.Item++
		return true
	}
	return rd
}

// tooLong is why a line over the limit is skipped.
const tooLong = "line longer than the limit: see --max-line"

// noFormat is why a line is skipped as long as nobody knows what the stream is.
const noFormat = "no known log format"

// Read calls yield for each request of the block, which is valid during the
// call, and skip for each malformed line, if not nil.
func (rd *Reader) Read(b *Block, yield func(*fingerprint.Request), skip func(Skip)) Tally {
	run := &rd.reading
	*run = reading{b: b, rd: rd, yield: yield, skip: skip}
	defer func() { run.b, run.yield, run.skip = nil, nil, nil }()
	if b.TooLong {
		run.bad(b.Line, 0, cmp.Or(b.Why, tooLong))
		run.tally.Lines += b.Rest
		run.tally.Blank += b.Rest
		return run.tally
	}
	if b.Format != nil {
		run.parser = rd.parsers[b.Format.Name]
		if run.parser == nil {
			run.parser = b.Format.New(rd.reads)
			rd.parsers[b.Format.Name] = run.parser
		}
		if len(b.Format.Wrappers) > 0 {
			run.wrapped = rd.wrapped[b.Format.Name]
			if run.wrapped == nil || !slices.Equal(run.wrapped.in, b.Format.Wrappers) { // tables have columns of their own
				run.wrapped = newUnwrapping(b.Format.Wrappers)
				rd.wrapped[b.Format.Name] = run.wrapped
			}
			run.wrapped.run = run
		}
		if p, ok := run.parser.(formats.Zoned); ok {
			p.In(b.Zone)
			run.zoned = p
		}
		if p, ok := run.parser.(formats.Named); ok {
			p.Of(b.Name)
		}
	}
	if b.Records != nil {
		run.records()
	} else {
		b.Lines = run.lines(b.Data, fingerprint.Position{Stream: b.Stream, Line: b.Line, Offset: b.Offset}) - b.Line
	}
	if run.wrapped != nil {
		run.wrapped.end(lostPart)
	}
	return run.tally
}

// reading is one call of Read.
type reading struct {
	b       *Block
	rd      *Reader
	parser  formats.Parser
	zoned   formats.Zoned // the parser, if its times may have no zone
	wrapped *unwrapping   // nil if nothing is around the records
	yield   func(*fingerprint.Request)
	skip    func(Skip)
	tally   Tally
	asked   int  // lines, whether another format reads them
	made    bool // the line does not stand in the log as it is

	at    fingerprint.Position // of the next request of a batch
	start int                  // where its record begins in the line
}

// lines reads what a file is made of. It returns the number of the line behind the
// last.
func (run *reading) lines(data []byte, at fingerprint.Position) int64 {
	for len(data) > 0 {
		line, next := cutLine(data)
		run.line(line, at)
		at.Line++
		at.Offset += int64(next)
		data = data[next:]
	}
	return at.Line
}

// records reads what a topic is made of. Mostly a record is one line; some
// shippers send several in one, or a JSON text over several lines, OpenTelemetry's
// Collector protobuf. Parts of a line that are records of their own are not put
// together: in a topic those of many containers come mixed, with nothing that tells
// whose they are.
func (run *reading) records() {
	for offset, data := range run.b.Each() {
		at := fingerprint.Position{Stream: run.b.Stream, Line: offset, Offset: offset}
		switch {
		case otlp.Begins(data):
			run.protobuf(data, at)
		case run.b.Format == nil && isBinary(data): // there are no lines in it
			run.bad(offset, 0, noFormat+": binary data")
		default:
			run.texts(data, at)
		}
		if run.wrapped != nil {
			run.wrapped.end(splitPart)
		}
	}
}

// isBinary tells a record that is no text.
func isBinary(data []byte) bool { return bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) }

// texts reads a record of lines.
func (run *reading) texts(data []byte, at fingerprint.Position) {
	line, next := cutLine(data)
	if next < len(data) && run.whole(data) {
		line, next = data, len(data)
	}
	at.Item = run.line(line, at)
	for data = data[next:]; len(data) > 0; data = data[next:] {
		if line, next = cutLine(data); len(trim(line)) > 0 {
			at.Item = run.line(line, at)
		}
	}
}

// cutLine is the first line of data, without its newline, and where the next
// one begins.
func cutLine(data []byte) (line []byte, next int) {
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		return data[:end], end + 1
	}
	return data, len(data)
}

// whole tells that data is one JSON text, however many lines it takes.
func (run *reading) whole(data []byte) bool {
	return run.b.Format != nil && run.b.Format.JSON && run.rd.whole.Check(trim(data)) == nil
}

// line reads a line. It returns the index of the item after those in it.
func (run *reading) line(line []byte, at fingerprint.Position) int32 {
	if run.wrapped != nil {
		return run.wrapped.line(line, at)
	}
	text := trim(line)
	switch {
	case run.b.MaxLine > 0 && len(line) > run.b.MaxLine:
		run.bad(at.Line, 0, tooLong)
	case len(text) == 0:
		run.blank()
	case run.b.Format == nil:
		run.bad(at.Line, 0, noFormat)
	default:
		return run.text(text, at, run.lead(line, text))
	}
	return at.Item + 1
}

// lead is how far into its line a text begins; less than 0 where it does not stand in
// the log as it is.
func (run *reading) lead(line, text []byte) int {
	if run.made {
		return -1
	}
	return cap(line) - cap(text)
}

// text reads a record, or an array of them, that begins lead bytes behind at;
// less than 0 says that it does not stand in the log as it is. It returns the
// index of the item after those in it.
func (run *reading) text(text []byte, at fingerprint.Position, lead int) int32 {
	switch {
	case run.b.MaxLine > 0 && len(text) > run.b.MaxLine: // put together
		run.bad(at.Line, 0, tooLong)
		return at.Item + 1
	case run.b.Format.JSON && wrap.IsArray(text):
		return run.elements(text, at, lead)
	}
	return run.record(text, at, lead)
}

// elements reads a line that is an array of records and begins lead bytes
// behind at. It returns the index of the item after the last.
func (run *reading) elements(line []byte, at fingerprint.Position, lead int) int32 {
	array, first := &run.rd.array, at.Item
	for array.Enter(line); array.Next(); {
		within := lead
		if lead >= 0 {
			within += array.Start
		}
		at.Item = run.record(array.Element, at, within)
	}
	if column, why := array.Failure(); why != "" {
		// What stands behind the error cannot be told apart: one line.
		run.bad(at.Line, columnOf(lead, column), why)
	} else if at.Item == first {
		run.blank()
	}
	return at.Item
}

// record reads a record that begins start bytes into its line. It returns the
// index of the item after those in it.
func (run *reading) record(record []byte, at fingerprint.Position, start int) int32 {
	if run.b.Format.JSON && record[0] != '{' {
		return run.noObject(record, at, start)
	}
	r := &run.rd.request
	batch, ok := run.parser.(formats.Batch)
	if !ok {
		r.Reset()
		column, why := run.parser.Parse(record, r)
		run.request(record, at, start, column, why)
		return at.Item + 1
	}
	return run.batch(batch, record, at, start)
}

// noObject says what is wrong with a record that ought to be a JSON object: it
// is none, or no JSON at all.
func (run *reading) noObject(record []byte, at fingerprint.Position, start int) int32 {
	s := &run.rd.whole
	column, why := 1, wrap.NoObject
	if s.Check(record) != nil {
		column, why = wrap.Failure(s)
	}
	run.request(record, at, start, column, why)
	return at.Item + 1
}

// batch reads a record of any number of requests.
func (run *reading) batch(p formats.Batch, record []byte, at fingerprint.Position, start int) int32 {
	run.at, run.start = at, start
	column, why := p.ParseEach(record, &run.rd.request, run.rd.each)
	if run.at.Item == at.Item {
		if why == "" {
			why = formats.NoRequest
		}
		run.request(record, at, start, column, why)
		run.at.Item++
	}
	return run.at.Item
}

// request hands out what was parsed, or notes why it cannot be judged.
func (run *reading) request(record []byte, at fingerprint.Position, start, column int, why string) {
	r := &run.rd.request
	if run.zoned != nil {
		run.zoned.Again(r)
	}
	if why == "" {
		if column, why = 0, formats.CheckTime(r); why != "" && run.skip != nil {
			if fault := run.b.Format.NotRead(record); fault != "" {
				why += ": " + fault
			}
		}
	}
	switch {
	case why == formats.NoRequest:
		run.blank()
	case why != "":
		if other := run.otherFormat(record); other != "" {
			column, why = 0, "a line of "+other+": --format "+other+" reads those"
		}
		run.bad(at.Line, columnOf(start, column), why)
	default:
		run.tally.Lines++
		r.Position = at
		run.yield(r)
	}
}

// mostAsked bounds the lines of a block that are asked whose they are: that takes
// ten times as long as to read one.
const mostAsked = 16

// otherFormat is the format of a record that is not of this log's, as where the
// lines of several gateways are in one stream, or empty.
func (run *reading) otherFormat(record []byte) string {
	if len(record) == 0 || run.skip == nil || run.asked >= mostAsked && !run.rd.AskEach {
		return ""
	}
	line := formats.NewLine(record)
	if run.b.Format.Detect(line) {
		return ""
	}
	run.asked++
	for _, f := range formats.All {
		if f.Detect(line) {
			return f.Name
		}
	}
	return ""
}

// columnOf is a column of a line, of one of a record in it that begins lead
// bytes behind it; 0 if it is about the whole, or does not stand there as it is.
func columnOf(lead, column int) int {
	if column == 0 || lead < 0 {
		return 0
	}
	return lead + column
}

// blank counts a line in which there is nothing to judge.
func (run *reading) blank() {
	run.tally.Lines++
	run.tally.Blank++
}

// bad counts a line that cannot be judged, and says why.
func (run *reading) bad(line int64, column int, why string) {
	run.tally.Lines++
	run.tally.Malformed++
	if run.skip != nil {
		run.skip(Skip{Stream: run.b.Stream, Line: line, Column: column, Why: why})
	}
}

// trim takes the white space around a line away, and the byte order mark that
// some tools put before the first.
func trim(line []byte) []byte { return bytes.Trim(trimStart(line), " \t\r") }

// trimRow is trim for a row of tabs: one may stand before the first value and behind
// the last.
func trimRow(line []byte) []byte { return bytes.Trim(trimStart(line), " \r") }

// trimStart takes away what is not text: the mark, the zeros that a file begins
// with that was cut while it was written, and the separator of RFC 7464.
func trimStart(line []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(line, []byte("\uFEFF")), "\x00\x1E")
}
