package formats

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// MLflow writes its attributes as JSON, texts in their quotes. Its spans are exported
// as OTLP, and as traces of its own:
//
//	{"info":{"trace_id":"tr-1","trace_metadata":{"mlflow.trace.session":"s"}},"data":{"spans":[{"span_id":"...","attributes":{"mlflow.spanType":"\"CHAT_MODEL\"",...}}]}}

// isMLflow tells such a trace by the names of its members, and the list of spans alone
// by what every span of MLflow's has.
func isMLflow(m wrap.Members) bool {
	return m.Has("info", "data") && bytes.Contains(m["data"], []byte(`"mlflow.`)) ||
		m.Has("spans") && bytes.Contains(m["spans"], []byte(`"mlflow.`))
}

// mlflowInfo reads whose such a trace is.
func (p *otel) mlflowInfo(s *rawjson.Scanner) {
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "trace_metadata", "request_metadata": // the second is the older
			p.mlflowMetadata(s)
		}
	}
}

// mlflowMetadata reads what MLflow keeps beside a trace: in data frames beside its spans.
func (p *otel) mlflowMetadata(s *rawjson.Scanner) {
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "mlflow.trace.session":
			p.trace.session = readSession(s, p.trace.session)
		case "mlflow.trace.user":
			p.trace.user = value(s, p.trace.user)
		}
	}
}

// mlflowAttribute reads one of MLflow's. It is false at any other.
func (p *otelCall) mlflowAttribute(s *rawjson.Scanner, key []byte, r *fingerprint.Request) bool {
	switch string(key) {
	case "mlflow.spanInputs":
		p.request = p.mlflowValue(s)
	case "mlflow.spanOutputs":
		p.answer = p.mlflowValue(s)
	case "mlflow.llm.model":
		p.model = first(p.model, bareText(otelText(s)))
	case "mlflow.llm.provider":
		r.Backend = first(r.Backend, bareText(otelText(s)))
	case "mlflow.chat.tools":
		r.HasTools = fingerprint.Yes
	case "mlflow.chat.tokenUsage":
		b := &p.body
		b.Reset(p.value(s))
		readTokens(b, r)
	case "mlflow.llm.cost":
		b := &p.body
		b.Reset(p.value(s))
		for b.Object(); b.NextNamed("total_cost"); {
			r.Cost = readCost(b, r.Cost)
		}
	default:
		return false
	}
	return true
}

// mlflowValue is what was given to a model, or what it gave: JSON, of a text what it
// says, nil if there was nothing.
func (p *otelCall) mlflowValue(s *rawjson.Scanner) []byte {
	v := p.value(s)
	if len(v) > 0 && v[0] == '"' {
		p.along.Then(v)
		return p.along.Text(nil)
	}
	if string(v) == "null" {
		return nil
	}
	return v
}

// bareText is a text that may be JSON.
func bareText(text []byte) []byte { return bytes.Trim(text, `"`) }

// mlflowChunks reads the calls of an answer that came as a stream from its chunks,
// which are events of the span: in what MLflow makes of them there are none.
func (p *otelCall) mlflowChunks(sp *otelSpan, r *fingerprint.Request) {
	if !bytes.Contains(sp.events, []byte(`"mlflow.chunk.value"`)) {
		return
	}
	p.chunks.reset()
	s := &p.happened
	eachDetail(s, sp.events, func(key []byte) {
		if string(key) != "mlflow.chunk.value" {
			return
		}
		p.chunks.scan.Reset(otelText(s))
		p.chunks.event(r)
	})
	// A span keeps its last 128 events: the name of a call may be in those before.
	if slices.ContainsFunc(p.chunks.calls, func(c streamedCall) bool { return len(c.name) == 0 }) {
		r.ToolCallsLogged = false
		return
	}
	p.chunks.finish(r, p.reads)
}
