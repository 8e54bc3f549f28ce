package wrap

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// IsRollout tells a line of a session of Codex by the names of its members, which
// others have as well, and by the value of its type.
func IsRollout(m Members) bool {
	if !m.Has("timestamp", "payload") {
		return false
	}
	switch string(m["type"]) {
	case `"session_meta"`, `"turn_context"`, `"response_item"`, `"event_msg"`, `"compacted"`:
		return true
	}
	return false
}

// payload looks into what a line of Codex is about.
func (p *turns) payload() {
	now, s := &p.now, &p.scan
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "type":
			now.item = s.Text(nil)
		case "call_id":
			now.callID = s.Text(nil)
		case "info", "usage": // null beside limits to the rate alone
			now.usage = s.Kind() != rawjson.Null
		}
	}
}

// rollout tells what a line of Codex is, once all of it was read. When the user's
// next turn begins, nothing comes any more for the calls of the one before.
func (t *turnLine) rollout() {
	switch string(t.kind) {
	case "turn_context":
		t.message = t.kind
	case "event_msg":
		t.tokens = t.usage && string(t.item) == "token_count"
	case "token_usage_record":
		t.tokens = t.usage
	case "response_item":
		switch {
		case string(t.item) == "function_call", string(t.item) == "custom_tool_call", fingerprint.IsBuiltinCall(t.item):
			t.uses = append(t.uses, t.callID)
		case bytes.HasSuffix(t.item, []byte("_output")):
			t.results = append(t.results, t.callID)
		}
	}
}

// count gives the tokens on a line to the first call of its response, and tells
// whether there was one.
func (p *turns) count(line []byte) bool {
	found := false
	for i := range p.held {
		call := &p.held[i]
		if call.key.counted {
			continue
		}
		if call.key.counted = true; !found {
			found = true
			p.text = withMember(p.text[:0], "usage", line, call.text)
			call.text = append(call.text[:0], p.text...)
		}
	}
	return found
}
