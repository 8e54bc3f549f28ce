package ingest

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/otlp"
)

// Head is what the first records of a topic hold, so many at most, a line each. Of
// OpenTelemetry's protobuf it is the JSON, and nothing of what cannot be read.
func (b *Block) Head(records int) (lines []byte) {
	head := Block{Data: b.Data, Records: b.Records[:min(len(b.Records), records)]}
	for _, data := range head.Each() {
		if !otlp.Begins(data) {
			lines = append(lines, bytes.TrimRight(data, "\n")...)
		} else if json, _, why := otlp.AppendJSON(lines, data, b.MaxLine); why == "" {
			lines = json
		}
		lines = append(lines, '\n')
	}
	return lines
}

// protobuf reads a record of OpenTelemetry's protobuf as the line of its JSON.
func (run *reading) protobuf(record []byte, at fingerprint.Position) {
	line, column, why := otlp.AppendJSON(run.rd.json[:0], record, run.b.MaxLine)
	if run.rd.json = line; cap(line) > keptJSON {
		run.rd.json = nil
	}
	if why == otlp.TooLong {
		why = tooLong
	}
	if why != "" {
		run.bad(at.Line, column, why)
		return
	}
	run.made = true
	run.line(line, at)
	run.made = false
}

// keptJSON is how much memory a Reader keeps for the JSON of a record.
const keptJSON = 4 * BlockSize
