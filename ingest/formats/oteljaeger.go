package formats

import "bytes"

// Jaeger has spans in a form of its own, in its API, in what its page downloads, and in
// Elasticsearch, where each is a document:
//
//	{"data":[{"traceID":"t","spans":[{"traceID":"t","spanID":"s","operationName":"chat m","references":[],"startTime":1,"duration":1,"tags":[{"key":"k","type":"string","value":"v"}],"logs":[],"processID":"p1"}],"processes":{"p1":{"serviceName":"agent"}}}]}

func isJaeger(k keys) bool {
	return k.has("traceID") && k.any("spans", "operationName") || bytes.Contains(k["data"], []byte(`"spanID"`)) && bytes.Contains(k["data"], []byte(`"operationName"`))
}

// nameServices gives the spans from one on the names of the processes that they ran in,
// which may stand behind them.
func (p *otel) nameServices(from int) {
	for i := from; i < len(p.spans) && p.processes != nil; i++ {
		sp := &p.spans[i]
		if sp.process == nil || isGateway(sp.library) {
			continue
		}
		s := &p.late
		s.Then(p.processes)
		for s.Object(); s.NextNamed(string(sp.process)); {
			for s.Object(); s.NextNamed("serviceName"); {
				sp.service = s.Text(nil)
			}
		}
	}
	p.processes = nil
}
