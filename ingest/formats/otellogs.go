package formats

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

type otelLog struct {
	trace, span []byte
	origin
	library    []byte // that wrote it
	index      int    // among the record's
	time       int64
	kind       logKind
	body       rawjson.Value
	attributes rawjson.Value
	plain      bool // attributes are an object, and the body is what it says
	whose
}

// logKind is which event a log record is.
type logKind uint8

const (
	otherLog   logKind = iota
	messageLog         // a message of the request, its role in the body
	systemLog          // likewise, its role in the event's name
	userLog
	assistantLog
	toolLog
	answerLog  // a message of the response
	detailsLog // the whole call in attributes, since version 1.37
	sentLog    // what Qwen Code asks a model, in an attribute
	ranLog     // a tool that an agent has run: a request of its own
)

func kindOfLog(name []byte) logKind {
	switch string(name) {
	case "gen_ai.client.inference.operation.details":
		return detailsLog
	case "gen_ai.system.message":
		return systemLog
	case "gen_ai.user.message":
		return userLog
	case "gen_ai.assistant.message":
		return assistantLog
	case "gen_ai.tool.message":
		return toolLog
	case "gen_ai.choice", "gen_ai.content.completion":
		return answerLog
	case "gen_ai.content.prompt":
		return messageLog
	case "qwen-code.api_request":
		return sentLog
	case "codex.tool_result", "claude_code.tool_result":
		return ranLog
	}
	return otherLog
}

func (p *otel) log(s *rawjson.Scanner) {
	l := otelLog{index: len(p.logs), time: fingerprint.NoTime}
	observed := int64(fingerprint.NoTime)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "traceId":
			l.trace = s.Text(l.trace)
		case "spanId":
			l.span = s.Text(l.span)
		case "timeUnixNano":
			l.time = readNanos(s, l.time)
		case "observedTimeUnixNano":
			observed = readNanos(s, observed)
		case "eventName":
			l.kind = max(l.kind, kindOfLog(s.Text(nil)))
		case "body":
			l.body = s.Value()
		case "attributes":
			l.attributes = eachAttribute(s, func(key []byte) {
				switch string(key) {
				case "event.name", "event_name":
					l.kind = max(l.kind, kindOfLog(otelText(s)))
				default:
					l.attribute(s, key)
				}
			})
		}
	}
	if l.time == fingerprint.NoTime {
		l.time = observed
	}
	l.settle()
	p.logs = append(p.logs, l)
}

// settle finds out what its body says of a record.
func (l *otelLog) settle() {
	text := written(l.body)
	switch {
	case bytes.HasPrefix(text, []byte(`claude_code.tool_result"`)): // of which event.name is half
		l.kind = ranLog
	case bytes.HasPrefix(text, []byte("GenAI operation request details")): // Gemini CLI writes them as it sends a call, and with its answer again
		l.kind = otherLog
	}
	// Their span is that of a whole turn, or may be.
	if l.kind >= sentLog || bytes.HasPrefix(text, []byte("GenAI operation ")) {
		l.trace, l.span = nil, nil
	}
}

// groupLogs makes spans of the log records: all of one span are one request, and each
// without one is.
func (p *otel) groupLogs() {
	if len(p.logs) == 0 {
		return
	}
	slices.SortStableFunc(p.logs, func(a, b otelLog) int {
		return cmp.Or(bytes.Compare(a.span, b.span), bytes.Compare(a.trace, b.trace))
	})
	from := len(p.spans)
	for rest := p.logs; len(rest) > 0; {
		n := 1
		for n < len(rest) && len(rest[0].span) > 0 && bytes.Equal(rest[n].span, rest[0].span) && bytes.Equal(rest[n].trace, rest[0].trace) {
			n++
		}
		sp := otelSpan{
			trace: rest[0].trace, id: rest[0].span, origin: rest[0].origin,
			start: rest[0].time, end: rest[n-1].time, logs: rest[:n:n],
		}
		for i := range sp.logs {
			sp.isCall = sp.isCall || sp.logs[i].kind != otherLog
			sp.fill(&sp.logs[i].whose)
		}
		p.spans = append(p.spans, sp)
		rest = rest[n:]
	}
	slices.SortFunc(p.spans[from:], func(a, b otelSpan) int { return a.logs[0].index - b.logs[0].index })
}
