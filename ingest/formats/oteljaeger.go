package formats

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// Jaeger has spans in a form of its own, in its API, in what its page downloads, and in
// Elasticsearch, where each is a document:
//
//	{"data":[{"traceID":"t","spans":[{"traceID":"t","spanID":"s","operationName":"chat m","references":[],"startTime":1,"duration":1,"tags":[{"key":"k","type":"string","value":"v"}],"logs":[],"processID":"p1"}],"processes":{"p1":{"serviceName":"agent"}}}]}

func isJaeger(m wrap.Members) bool {
	return m.Has("traceID") && m.Any("spans", "operationName") || bytes.Contains(m["data"], []byte(`"spanID"`)) && bytes.Contains(m["data"], []byte(`"operationName"`))
}

// jaegerProcess is a process of a trace, by the name that its spans have for it.
type jaegerProcess struct{ id, service []byte }

func (p *otel) jaegerProcesses(s *rawjson.Scanner) {
	for s.Object(); s.NextKey(); {
		process := jaegerProcess{id: s.Key}
		for s.Object(); s.NextNamed("serviceName"); {
			process.service = s.Text(nil)
		}
		p.processes = append(p.processes, process)
	}
}

// nameServices gives the spans from one on the names of the processes that they ran in,
// which may stand behind them. There may be many of both.
func (p *otel) nameServices(from int) {
	if len(p.processes) == 0 {
		return
	}
	slices.SortFunc(p.processes, func(a, b jaegerProcess) int { return bytes.Compare(a.id, b.id) })
	for i := from; i < len(p.spans); i++ {
		sp := &p.spans[i]
		k, ok := slices.BinarySearchFunc(p.processes, sp.process, func(a jaegerProcess, id []byte) int { return bytes.Compare(a.id, id) })
		if ok && !isGateway(sp.library) {
			sp.service = p.processes[k].service
		}
	}
	p.processes = p.processes[:0]
}
