package fingerprint

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// An agent edits and tests: what came of an edit, or the edit, is cut.
func TestSinceLost(t *testing.T) {
	perCall, step := mustNew(t, "tool-call-result", Options{}), mustNew(t, "stuck-step", Options{})
	part := mustNew(t, "", Options{Parts: []string{"last_turn"}})
	use := func(name, arguments, result string) string {
		return `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"` + name + `","arguments":"` + arguments + `"}}]},{"role":"tool","tool_call_id":"a","content":"` + result + `"}`
	}
	const (
		begin  = `{"role":"system","content":"a"},{"role":"user","content":"q"},`
		since3 = `],["since_lost",3`
		since5 = `],["since_lost",5`
	)
	test, edit := use("test", "{}", "1 failed"), use("edit", "{}", "ok")
	cut, cutCall, hidden := use("edit", "{}", "ok ... [truncated]"), use("edit", `{\"text\":\"a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z (litellm_truncated skipped 99 chars) z\"}`, "ok"), use("edit", "{}", "[REDACTED]")
	f := func(messages, since string, more ...string) {
		t.Helper()
		r := request(t, append([]string{"messages", "[" + messages + "]", "response", "edit {}"}, more...)...)
		const result = `{"arguments":{},"name":"test","result":{"text":"1 failed"}}`
		wantCanonicals(t, perCall, r, `[["tool_call_result",`+result+since+`]]`)
		wantCanonicals(t, part, r, `[["last_turn",[`+result+`]`+since+`]]`)
		wantCanonicals(t, step, r, `[["tool_calls",[{"arguments":{},"name":"edit"}]],["last_turn",[`+result+`]`+since+`]]`)
	}
	f(begin+test, "")
	f(begin+edit+","+test, "")
	f(begin+cut+","+test, since3)
	f(begin+cutCall+","+test, since3)
	f(begin+hidden+","+test, since3)
	// In whatever words, and wherever these stand; so do cuts in arguments.
	long := strings.Repeat("I edit it. ", 99)
	for _, text := range []string{
		"[redacted]", "***", "[MASKED]", "[Filtered]", "<masked>", "(omitted)", "<elided>", "[SCRUBBED]", "<anonymised>", "[tool-result: edit]",
		"<EMAIL>", "{EMAIL}", "{{EMAIL_ADDRESS_1}}", "[US_SSN]", `\u003cPERSON\u003e`, "<EMAIL> <PERSON>", " [PII] ",
		"redacted", "REDACTED", "__REDACTED__", "redacted-by-litellm", "default-message-value", "readacted",
		"[This value has been dropped because this span's size exceeds the 1MB size limit.]", "<truncated 513 bytes>", "a... (truncated)",
	} {
		f(begin+use("edit", "{}", text)+","+test, since3)
		f(begin+use("edit", `{\"text\":\"`+text+`\"}`, "ok")+","+test, since3)
		f(begin+use("edit", `{\"path\":\"a.go\",\"texts\":[{\"text\":\"`+text+`\"}]}`, "ok")+","+test, since3)
		f(begin+use("edit", text, "ok")+","+test, since3)
		f(begin+`{"role":"assistant","content":[{"type":"text","text":"`+long+`"},{"type":"tool_use","id":"a","name":"edit","input":{"path":"a.go","text":"`+text+`"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"}]},`+test, since3)
		// Of a body as it was sent nothing is lost but what is hidden: cuts are the agent's own.
		if !strings.HasSuffix(text, "... (truncated)") {
			f(begin+use("edit", "{}", text)+","+test, since3, "body", "{}")
		}
	}
	f(begin+use("edit", "{}", long+`\n[TRUNCATED]\n`)+","+test, since3)
	f(begin+use("edit", "{}", long+"I [REDACTED] it (see <EMAIL>).")+","+test, "")
	f(begin+test+","+cut+","+test, since5)
	// A run is one from its first step on, and another step ends it by itself.
	f(begin+cut+","+test+","+test+","+test, since3)
	f(begin+cut+","+strings.Replace(test, `"tool_calls"`, `"content":"`+strings.Repeat("I test. ", 99)+`","tool_calls"`, 1)+","+test+","+test, since3)
	f(begin+cut+","+strings.ReplaceAll(test, `"a"`, `"another_id"`)+","+test, since3)
	f(begin+cut+","+strings.Replace(test, "{}", "{ }", 1)+","+test, since3)
	f(begin+cut+","+edit+","+test, "")
	f(begin+cut+","+test+","+edit+","+test, "")
	f(begin+cut+","+use("test", "{}", "2 failed")+","+test, "")
	f(begin+cut+","+use("test", `{\"n\":1}`, "1 failed")+","+test, "")
	// It is the same step where a client sends the last messages alone, or more at the
	// beginning; ids may be the same in each step.
	id := strings.NewReplacer(`"a"`, `"call_7"`)
	f(begin+id.Replace(cut)+","+test, `],["since_lost","call_7"`)
	f(id.Replace(cut)+","+test+","+test, `],["since_lost","call_7"`)
	f(begin+id.Replace(test+","+cut)+","+test, since5)
	// What is hidden in each step of a run ends it no more than in others.
	shown := strings.Replace(use("get", "{}", "?"), `"?"`, `[{"type":"text","text":"b"},{"type":"text","text":"[REDACTED]"}]`, 1)
	wantCanonicals(t, perCall, request(t, "messages", "["+begin+shown+","+shown+"]"),
		`[["tool_call_result",{"arguments":{},"name":"get","result":{"text":"b [REDACTED]"}}]]`)
	// Whatever was said between.
	wantCanonicals(t, perCall, request(t, "messages", "["+begin+cut+`,{"role":"assistant","content":"done"},{"role":"system","content":"!"},{"role":"user","content":[{"type":"text","text":"tool_result"}]},`+test+"]"),
		`[["tool_call_result",{"arguments":{},"name":"test","result":{"text":"1 failed"}}`+since3+`]]`)
	wantCanonicals(t, perCall, request(t, "messages", "["+begin+cut+","+test+`,{"role":"assistant","content":"`+strings.Repeat("It fails. ", 9)+`"},{"role":"user","content":"Again!"},`+test+"]"),
		`[["tool_call_result",{"arguments":{},"name":"test","result":{"text":"1 failed"}}`+since3+`]]`)
	f(`{"role":"user","content":"q"},{"type":"function_call","call_id":"a","name":"edit","arguments":"{}"},{"type":"function_call","call_id":"b","name":"edit","arguments":"{}"},
		{"type":"function_call_output","call_id":"a","output":"ok"},{"type":"function_call_output","call_id":"b","output":"o <truncated 9 bytes>"},`+test, `],["since_lost","b"`)
	f(`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"edit","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"o... [truncated]"}]}]},`+test, `],["since_lost","a"`)
	// The calls of a step may be items of their own.
	f(`{"role":"user","content":"q"},{"type":"function_call","call_id":"a","name":"edit","arguments":"[REDACTED]"},{"type":"function_call","call_id":"b","name":"read","arguments":"{}"},
		{"type":"function_call_output","call_id":"a","output":"ok"},{"type":"function_call_output","call_id":"b","output":"ok"},`+test, `],["since_lost","b"`)
	// Who sends the same to a masked address again repeats itself, as far as can be told.
	send := use("send", `{\"to\":\"<EMAIL>\",\"text\":\"hello\"}`, "sent")
	wantCanonicals(t, perCall, request(t, "messages", "["+begin+send+","+send+"]"),
		`[["tool_call_result",{"arguments":{"text":"hello","to":"<EMAIL>"},"name":"send","result":{"text":"sent"}}]]`)
	// Calls that are not there are not known to be lost.
	f(begin+cut+","+test, "", "body", "{}")
	f(`{"role":"tool","tool_call_id":"a","content":"o... [truncated]"},`+test, "")
	f(begin+`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"edit"}}]},`+test, "")
}

// What is wrong with earlier messages is no matter of the last turn.
func TestSinceLostPastBrokenMessages(t *testing.T) {
	r := request(t, "messages", "["+chatTurn+"]")
	r.Messages.Items[0] = []byte(`{"role":"tool","content":[tool_result]}`)
	wantCanonicals(t, mustNew(t, "tool-call-result", Options{}), r, `[["tool_call_result",`+findResult+`]]`, `[["tool_call_result",`+readResult+`]]`)
}

// Of a result that is a text the end alone says that it was cut, in whatever order its
// members stand: to look at each quote in it takes long.
func TestMayBeLostOfResults(t *testing.T) {
	w := NewWriter(nil)
	for _, item := range []string{
		`{"role":"tool","content":"TEXT","tool_call_id":"a"}`, `{"role": "tool", "tool_call_id": "a", "content": "TEXT"}`, `{"content":"TEXT","role":"tool","tool_call_id":"a"}`,
		`{"type":"function_call_output","call_id":"a","output":"TEXT"}`, `{"call_id":"a","output":"TEXT","type":"function_call_output"}`,
	} {
		for text, want := range map[string]bool{`[REDACTED]`: true, `a [truncated]\n`: true, `say \"[REDACTED]\" to it`: false, `{\"to\":\"<EMAIL>\",\"n\":1}`: false} {
			if item := strings.Replace(item, "TEXT", text, 1); w.mayBeLost([]byte(item)) != want {
				t.Errorf("mayBeLost(%s) = %v", item, !want)
			}
		}
	}
}

// The glance is at more than is lost, and never at less.
func TestMayBeLost(t *testing.T) {
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		"[", "]", "<", ">", "{", "}", "(", ")", "REDACTED", "redacted", "__", "***", "EMAIL", "truncated", "omitted", "default-message-value", "sensitive_data",
		"...", " ", "\n", "\t", "a", "ü", `"`, `\`, "'", "=", ":",
	}), 1, 7)
	rapid.Check(t, func(t *rapid.T) {
		asJSON := func(v any) string {
			var text bytes.Buffer
			e := json.NewEncoder(&text)
			e.SetEscapeHTML(rapid.Bool().Draw(t, "escaped"))
			must(t, e.Encode(v))
			return strings.TrimSpace(text.String())
		}
		text := strings.Join(pieces.Draw(t, "text"), "")
		arguments, result := asJSON(map[string]any{"a": 1, "b": []string{"x", text}}), "ok"
		if rapid.Bool().Draw(t, "in the result") {
			arguments, result = "{}", strings.Repeat("long ", rapid.SampledFrom([]int{0, 999}).Draw(t, "before"))+text
		}
		messages := `[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":` + asJSON(arguments) + `}}]},{"role":"tool","content":` + asJSON(result) + rapid.SampledFrom([]string{``, `,"name":"f"`, `,"name":"\""`}).Draw(t, "member") + `,"tool_call_id":"a"}]`
		if rapid.Bool().Draw(t, "spaced") {
			messages = strings.NewReplacer(`{"role":"tool","content":`, `{"role": "tool", "content": `, `,"tool_call_id":`, `, "tool_call_id": `).Replace(messages)
		}
		if rapid.Bool().Draw(t, "Anthropic's") {
			messages = `[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":` + arguments + `}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":` + asJSON(result) + `}]}]`
		}
		r, w := request(t, "messages", messages), NewWriter(nil)
		w.asSent = rapid.Bool().Draw(t, "as sent")
		if w.findTurn(r) == Computable && w.turnLost() && !slices.ContainsFunc(r.Messages.Items, w.mayBeLost) {
			t.Fatalf("nothing seen at a glance of %s", messages)
		}
	})
}
