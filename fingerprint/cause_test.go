package fingerprint

import (
	"strings"
	"testing"
)

// Every cause, by the least request that has it. A new cause needs a row.
func TestCauses(t *testing.T) {
	seen := map[Cause]bool{Computable: true}
	by := func(want Cause, name string, members ...string) {
		t.Helper()
		seen[want] = true
		var id *Identity
		if part, ok := strings.CutPrefix(name, "part "); ok {
			id = mustNew(t, "", Options{Parts: []string{part}})
		} else {
			id = mustNew(t, name, Options{})
		}
		w := NewWriter(nil)
		if got := id.Compute(request(t, members...), w); got != want || (len(w.Prints()) == 0) != (want != Computable) {
			t.Errorf("%s of %q: %q, want %q", name, members, got, want)
		}
	}
	by(NoMethod, "part method")
	by(NoPath, "part path")
	by(NoQuery, "part query")
	by(NoBody, "part body")
	by(NoCaller, "part caller")
	by(NoCaller, "aisg", "messages", `["x"]`)
	by(NoUser, "part user")
	by(NoModel, "part model")
	by(NoModel, "aisg", "caller", "c", "messages", `["x"]`)
	// What became of messages and body is why the rest is missing, too.
	by(NoMessages, "aisg")
	by(NoMessages, "last-messages", "caller", "c")
	by(NoCaller, "last-messages", "model", "m", "messages", `["x"]`)
	by(NoBody, "request")
	by(NoMethod, "request", "body", "{}")
	by(NoMethod, "request", "body_hash", "00c0ffee")
	by(NoCaller, "last-messages", "model", "m", "digest", "d")
	by(NoMessages, "part last_messages:2", "system", `"s"`, "messages", "[]")
	by(RedactedContent, "part model", "model", "redacted-by-litellm")
	by(NoBackend, "part backend")
	by(NoSession, "part session")
	by(NoTools, "part has_tools")
	by(NoMessages, "prompt")
	by(NoMessages, "tool-call-result")
	by(NoMessages, "tool-call") // with no response logged the messages would do
	by(NoMessages, "aisg", "caller", "c", "model", "m")
	by(NoResponse, "stuck-step", "messages", "["+chatTurn+"]")
	by(NoToolCall, "tool-call", "response", "")
	by(NoToolCall, "tool-call", "messages", "[]")
	by(NoToolCall, "tool-call", "messages", `[{"role":"assistant","tool_calls":[{"name":"f"}]},{"role":"assistant","content":"x"}]`)
	by(Computable, "tool-call", "messages", "["+chatTurn+"]", "status", "399")
	by(NoToolCall, "tool-call", "messages", "["+chatTurn+"]", "status", "400") // which counted the last call once more
	by(NoToolTurn, "tool-call-result", "messages", "[]")
	by(ToolTurn, "last-exchange", "messages", "["+chatTurn+"]")
	by(NoAnswer, "last-exchange", "messages", "[]")
	by(NoAttribute, "part attr:x", "attr:y", "1")
	by(RepeatedName, "fairvisor", "query", "a=1&a=2")
	by(NotCanonical, "openrouter", "response", "f 1e400")
	by(NotCanonical, "aisg", "caller", "c", "model", "m", "messages", `[{"content":[{"type":"text","text":1}]}]`)
	by(RedactedContent, "part body", "body", "{}", "messages", `[{"role":"user","content":"redacted-by-litellm"}]`)
	by(RedactedContent, "prompt", "messages", `[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"redacted-by-litellm"}}]}]`)
	by(TruncatedContent, "prompt", "body", "{}", "messages", `[{"role":"user","content":"a [truncated]"}]`)
	by(LossyContent, "prompt", "messages", `[{"content":[{"type":"image","mime_type":"x","media_type":"x","mimeType":"x","mediaType":"x","modality":"x","detail":"x","format":"x","cache_control":{"a":"x"}}]}]`)
	by(LossyContent, "tool-call-result", "messages", `[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]},{"role":"tool","tool_call_id":"a","content":[{"type":"text"}]}]`) // where "" would be a result
	// What a tool returned is in a member that no API has, and may be new each time.
	by(LossyContent, "tool-call-result", "messages", `[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]},{"role":"tool","tool_call_id":"a","result":"x"}]`)
	by(LossyContent, "tool-call-result", "messages", `[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","result":"x"}]}]`)
	by(LossyContent, "last-messages", "messages", `[{"role":"tool","tool_call_id":"a","result":{}}]`, "model", "m", "caller", "c")
	by(Computable, "tool-call-result", "messages", `[{"role":"assistant","toolCalls":[{"id":"a","function":{"name":"f"}}]},{"role":"tool","toolCallId":"a","content":null,"result":"x"}]`)
	by(Computable, "tool-call-result", "messages", `[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","cache_control":{"type":"ephemeral"}}]}]`)
	by(LossyContent, "prompt", "messages", `[{"role":"user","content":[{"type":"text","text":null},{"type":"text","text":"a"}]}]`)
	by(TruncatedContent, "prompt", "messages", `[{"content":[{"u":"[base64_data truncated: 5KB]"}]}]`)
	by(RedactedContent, "prompt", "messages", `["redacted-by-litellm"]`)
	by(RedactedContent, "aisg", "caller", "c", "model", "m", "messages", `[{"content":"redacted-by-litellm"}]`)
	by(BrokenJSON, "prompt", "messages", `["\q"]`)
	by(BrokenJSON, "aisg", "caller", "c", "model", "m", "messages", `[{"content":"\q"}]`)
	by(BrokenJSON, "aisg", "caller", "c", "model", "m", "messages", `[{"tool_call_id":"\q","content":"x"}]`) // whose content alone it reads

	if _, _, cause := scopeOf(t, NewWriter(nil), blank(), "conversation"); cause != NoConversation {
		t.Errorf("%v, want %v", cause, NoConversation)
	}
	seen[NoConversation] = true

	// What the logger says that it lost goes before what merely is not there.
	for _, lost := range []Cause{TruncatedContent, RedactedContent, LossyContent, HistoryElsewhere, EncryptedContent, SpooledBody} {
		seen[lost] = true
		for _, name := range []string{"prompt", "request", "tool-call", "tool-call-result", "last-exchange", "last-messages", "aisg"} {
			r := request(t, "path", "/")
			r.Lost = lost
			if lost == HistoryElsewhere && name == "request" {
				continue // the body is as it was sent
			}
			wantCanonicals(t, mustNew(t, name, Options{}), r, notComputable(lost))
		}
	}

	// And that it dropped something goes before what all calls have.
	dropped := func(want Cause, name string, members ...string) {
		t.Helper()
		seen[want] = true
		r := request(t, members...)
		r.Dropped = true
		id := mustNew(t, name, Options{})
		wantCanonicals(t, id, r, notComputable(want))
	}
	dropped(DroppedAttributes, "prompt")
	dropped(DroppedAttributes, "stuck-step", "messages", "["+chatTurn+"]")
	dropped(DroppedAttributes, "last-messages", "caller", "c", "messages", `["x"]`)
	dropped(DroppedAttributes, "last-exchange", "messages", `[{"role":"assistant"},{"role":"user"},{"role":"assistant"},{"role":"user"}]`) // roles alone
	dropped(NoCaller, "last-messages", "model", "m", "messages", `["x"]`)
	dropped(NoToolCall, "tool-call", "response", "")
	beginsLater := request(t)
	beginsLater.Dropped = true
	if _, _, cause := scopeOf(t, NewWriter(nil), beginsLater, "conversation"); cause != DroppedAttributes {
		t.Errorf("%v, want %v", cause, DroppedAttributes)
	}

	// A body that leaves the history to the provider is as it was sent.
	r := request(t, "body", "{}")
	r.Lost = HistoryElsewhere
	wantCanonicals(t, mustNew(t, "", Options{Parts: []string{"body"}}), r, `[["body","{}"]]`)

	texts := map[string]Cause{}
	for c := range Cause(Causes) {
		if !seen[c] {
			t.Errorf("no request has the cause %d, %q", c, c)
		}
		if before, ok := texts[c.String()]; ok || (c.String() == "") != (c == Computable) {
			t.Errorf("cause %d: %q, also %d", c, c, before)
		}
		texts[c.String()] = c
	}
}

// TestTail: of messages that are the end of a longer list, nothing is made that
// would need the rest.
func TestTail(t *testing.T) {
	tail := func() *Request {
		r := request(t, "caller", "c", "model", "m", "messages", `[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"x"}]`)
		r.Messages.Tail = true
		return r
	}
	for _, name := range []string{"prompt", "last-messages", "aisg"} {
		wantCanonicals(t, mustNew(t, name, Options{}), tail(), notComputable(LossyContent))
	}
	wantCanonicals(t, mustNew(t, "", Options{Parts: []string{"last_messages:2"}}), tail(),
		`[["last_messages:2",[{"calls":[{"arguments":{},"name":"f"}],"role":"assistant"},{"role":"tool","text":"x"}]]]`)
	for _, name := range []string{"tool-call", "tool-call-result"} {
		if got := canonicals(mustNew(t, name, Options{}), tail()); len(got) != 1 || got[0] == notComputable(LossyContent) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, _, cause := scopeOf(t, NewWriter(nil), tail(), "conversation"); cause != NoConversation {
		t.Errorf("%v, want %v", cause, NoConversation)
	}
}
