package formats

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

func TestPi(t *testing.T) {
	f := func(record, want string) {
		t.Helper()
		areRequests(t, "pi", record, want)
	}
	line := func(message string) string {
		return `{"type":"message","id":"a","parentId":null,"timestamp":"1970-01-01T00:00:01Z","message":` + message + `}`
	}
	const none = "column 0: no request in it"
	f(line(`"text"`), none)
	f(line(`{"role":"user","content":"text"}`), none)
	f(line(`{"role":"assistant","content":"text"}`), none)
	f(line(`{"role":"assistant","content":[{"type":"text","text":"text"}],"stopReason":"error","errorMessage":"503"}`), none)
	f(line(`{"role":"toolResult","toolCallId":"1","content":[]}`), none)
	f(`{"type":"session","version":3,"id":"a","timestamp":"1970-01-01T00:00:01Z","cwd":"/"}`, none)
	// An id of a provider's own may come again. What a cache did not say is not 0.
	f(line(`{"content":[{"name":"f","arguments":{"x":1},"id":"call_1","type":"toolCall"}],"usage":{"output":2,"input":3,"cost":{"total":0.5}},"provider":"p","model":"m","role":"assistant"}`),
		`id=a model=m backend=p tool_calls=1 call=call_1 name=f arguments="{\"x\":1}" tokens_in=3 tokens_out=2 cost=0.5`)
}

func TestCopilot(t *testing.T) {
	f := func(kind, data, want string) {
		t.Helper()
		areRequests(t, "copilot", `{"type":"`+kind+`","data":`+data+`,"id":"a","timestamp":"1970-01-01T00:00:01Z","parentId":null}`, want)
	}
	f("session.start", `{"sessionId":"s"}`, none)
	f("assistant.message", `{"content":"text"}`, none)
	f("tool.execution_start", `{"toolCallId":"1","toolName":"f","arguments":{}}`, none)
	f("tool.execution_complete", `{"toolCallId":"1","result":{"content":"text"}}`, none)
	f("assistant.message", `{"model":"m","toolRequests":[{"type":"function","arguments":{"x":1},"name":"f","toolCallId":"1"}]}`, `id=a model=m tool_calls=1 call=1 name=f arguments="{\"x\":1}"`)
	areRequests(t, "copilot", `{"call":{"type":"assistant.message","data":{"toolRequests":[{"name":"f","toolCallId":"1"}]},"id":"a","timestamp":"1970-01-01T00:00:01Z"},"type":"tool.execution_complete","data":{"toolCallId":"1","success":false,"error":{"message":"no","code":"c"}},"id":"b","timestamp":"1970-01-01T00:00:01.5Z"}`,
		`took=500ms id=a messages=2 last="{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"no\"}" tail`)
}

// TestSessionOfFile: the name of a file, or of its folder, says whose session it is, that
// of another file nothing.
func TestSessionOfFile(t *testing.T) {
	f := func(name, want string) {
		t.Helper()
		p := newPi(fingerprint.AllFields).(Named)
		if strings.HasSuffix(name, "/events.jsonl") {
			p = newCopilot(fingerprint.AllFields).(Named)
		}
		p.Of(name)
		var r fingerprint.Request
		r.Reset()
		if _, why := p.Parse([]byte(`{"type":"message","id":"a","parentId":null,"timestamp":"1970-01-01T00:00:01Z","message":{"role":"assistant","content":[{"type":"toolCall","name":"f"}]}}`), &r); why != "" || string(r.Session) != want {
			t.Errorf("%s: session %q, %s", name, r.Session, why)
		}
	}
	const id = "01a2284c-f093-7406-aa73-15f443d4ead5"
	f("/sessions/--srv-app--/2026-11-29T17-14-20-692Z_"+id+".jsonl", id)
	f("sessions/"+id+".jsonl.zst", id)
	f(id+"-topic-7.jsonl", id+"-topic-7") // OpenClaw's
	f("session-state/"+id+"/events.jsonl", id)
	f("/session-state/events.jsonl", "")
	f("all.jsonl", "")
	f("2026-11-29T17-14-20-692Z_session.jsonl", "")
	f("", "")
}
