package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// litellmStdout reads what LiteLLM's proxy prints with json_logs: among its
// messages, uvicorn's access log.
type litellmStdout struct {
	zoned // LiteLLM prints local times and no zone
	scan  rawjson.Scanner
}

func newLiteLLMStdout(fingerprint.Field) Parser { return &litellmStdout{} }

func isLiteLLMStdout(m wrap.Members) bool {
	return m.Has("message", "level", "timestamp", "component")
}

func (p *litellmStdout) Parse(record []byte, r *fingerprint.Request) (int, string) {
	s := &p.scan
	s.Reset(record)
	var message, component []byte
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "message":
			message = s.Text(message)
		case "component":
			component = s.Text(component)
		case "timestamp":
			r.Time = p.readTime(s, r.Time)
		}
	}
	if column, why := wrap.Failure(s); why != "" {
		return column, why
	}
	// 127.0.0.1:38244 - "POST /v1/chat/completions HTTP/1.1" 200
	client, rest, ok := bytes.Cut(message, []byte(` - "`))
	request, status, ok2 := bytes.Cut(rest, []byte(`" `))
	method, target, ok3 := requestLine(request)
	if string(component) != "uvicorn.access" || !ok || !ok2 || !ok3 {
		return 0, NoRequest
	}
	r.Method = method
	splitTarget(r, target)
	if at := bytes.LastIndexByte(client, ':'); at >= 0 {
		client = client[:at] // the port is another with every connection
	}
	r.Caller, r.CallerIsName = client, true
	r.Status = parseStatus(status, r.Status)
	return 0, ""
}
