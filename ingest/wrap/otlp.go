package wrap

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// otlp undoes the log records of OpenTelemetry's Collector, which has what it reads
// from files and containers in their bodies, as lines or taken apart, and of gateways
// that write their access log as such records, which have it in the attributes. Where
// no time is in there it is the record's, by the name that it has with Fluent Bit.
type otlp struct {
	inAttributes bool
	scan         rawjson.Scanner
	text         []byte // of the record under way
	json         []byte // likewise, where it was taken apart
	dated        []byte // that, with the record's time
	events       bool   // among the records are events, which an instrumentation wrote
	gathered     bool   // among the bodies are objects, or lines that were read from files
}

func newOTLPAttributes() Unwrapper { return &otlp{inAttributes: true} }

// detectOTLP wants no events among the records: the calls of models that they tell of
// are no lines.
func detectOTLP(line []byte) bool {
	p := lookedAt(line)
	return p != nil && !p.events
}

// detectOTLPAttributes wants no objects for bodies, and no lines there that the Collector
// read from files: of these the attributes may have what somebody's expression took out
// of the line, which is in the body as it was, unless that was removed.
func detectOTLPAttributes(line []byte) bool {
	p := lookedAt(line)
	return p != nil && !p.events && !p.gathered
}

// lookedAt has seen the log records on a line; nil if it has none.
func lookedAt(line []byte) *otlp {
	if MembersOf(line)["resourceLogs"].Kind() != rawjson.Array {
		return nil
	}
	p := &otlp{}
	p.Unwrap(Line{Text: line, Column: -1}, nowhere)
	return p
}

func (p *otlp) Unwrap(line Line, next func(Line)) string {
	s := &p.scan
	s.Reset(line.Text)
	if s.Kind() != rawjson.Object {
		return NoObject
	}
	for s.Object(); s.NextNamed("resourceLogs"); {
		for s.Array(); s.NextElement(); {
			for s.Object(); s.NextNamed("scopeLogs"); {
				for s.Array(); s.NextElement(); {
					for s.Object(); s.NextNamed("logRecords"); {
						for s.Array(); s.NextElement(); {
							if p.record(); p.text != nil {
								next(line.made(p.text))
							}
						}
					}
				}
			}
		}
	}
	return failure(s)
}

func (p *otlp) record() {
	s := &p.scan
	p.text = nil
	var at []byte // in nanoseconds
	ofFile, taken := false, false
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "body":
			if p.inAttributes {
				continue
			}
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "stringValue":
					p.text = s.Text(nil)
				case "bytesValue": // of a topic, that is read raw
					p.text = Unencoded(s.Text(nil))
				case "kvlistValue":
					p.json = AppendAnyList(p.json[:0], s, 0)
					p.text, taken = p.json, true
				}
			}
			p.gathered = p.gathered || len(p.text) > 0 && p.text[0] == '{'
		case "timeUnixNano":
			at = s.Text(at)
		case "eventName":
			p.events = len(s.Text(nil)) > 0 || p.events
		case "attributes":
			if p.inAttributes {
				p.json = appendMembers(p.json[:0], s)
				p.text, taken = p.json, true
				continue
			}
			for s.Array(); s.NextElement(); {
				for s.Object(); s.NextNamed("key"); {
					switch string(s.Text(nil)) {
					case "event.name", "event_name":
						p.events = true
					case "log.file.name", "log.file.path":
						ofFile = true
					}
				}
			}
		}
	}
	if second := len(at) - len("000000000"); taken && second > 0 && isTimeless(p.text) {
		p.dated = appendDated(p.dated[:0], p.text, slices.Concat(at[:second], []byte{'.'}, at[second:]))
		p.text = p.dated
	}
	p.gathered = p.gathered || ofFile && bytes.IndexByte(p.text, '"') >= 0
}
