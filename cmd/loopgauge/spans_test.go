package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/replay"
)

// TestSpansOfOneCall: a call that two libraries write counts once, however their
// spans are exported.
func TestSpansOfOneCall(t *testing.T) {
	policies := map[string]string{
		"end":   policyFile(t, "version: 1\nrules:\n  - {name: again, identity: last-messages, scope: [caller], counter: {kind: sliding, window: 10m}, threshold: 3}\n"),
		"start": policyFile(t, "version: 1\nevent_time: start\nrules:\n  - {name: again, identity: last-messages, scope: [caller], counter: {kind: sliding, window: 10m}, threshold: 3}\n"),
	}
	attribute := func(key, value string) string {
		return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, value)
	}
	messages := attribute("gen_ai.input.messages", `[{"role":"user","content":"where is my parcel?"}]`)
	chat, asked := attribute("gen_ai.operation.name", "chat"), attribute("gen_ai.request.model", "m")
	call := func(attributes ...string) string { return strings.Join(attributes, ",") }
	forms := map[string][2]string{ // the outer span's attributes and the inner's
		"wrapped client": {call(chat, asked, messages), call(chat, asked, messages)},
		"OpenInference": {
			call(attribute("openinference.span.kind", "LLM"), attribute("llm.input_messages.0.message.role", "user"), attribute("llm.input_messages.0.message.content", "where is my parcel?")),
			call(attribute("openinference.span.kind", "LLM"), attribute("input.value", `{"model":"m","messages":[{"role":"user","content":"where is my parcel?"}]}`),
				attribute("llm.input_messages.0.message.role", "user"), attribute("llm.input_messages.0.message.content", "where is my parcel?")),
		},
		"ADK":           {call(asked, attribute("gcp.vertex.agent.llm_request", `{"contents":[{"role":"user","parts":[{"text":"where is my parcel?"}]}]}`)), call(chat, asked, messages)},
		"outer silent":  {call(chat, asked), call(chat, asked, messages)},
		"nothing said":  {call(chat, asked), call(chat, asked)},
		"outer a value": {call(chat, asked, attribute("gen_ai.prompt", "where is my parcel?")), call(chat, asked, messages)},
		"inner a value": {call(chat, asked, messages), call(chat, asked, attribute("gen_ai.prompt", "where is my parcel?"))},
	}
	span := func(id, parent string, start, end int, attributes string) string {
		return fmt.Sprintf(`{"traceId":"t","spanId":%q,"parentSpanId":%q,"startTimeUnixNano":"1700000%03d000000000","endTimeUnixNano":"1700000%03d000000000","attributes":[%s]}`, id, parent, start, end, attributes)
	}
	for name, form := range forms {
		// Twice: that is no loop.
		var outer, inner [2]string
		for i := range outer {
			o, at := fmt.Sprint("o", i), 10*i
			outer[i], inner[i] = span(o, "agent", at, at+5, form[0]), span(fmt.Sprint("i", i), o, at+1, at+4, form[1])
		}
		agent := span("agent", "", 0, 20, attribute("gen_ai.operation.name", "invoke_agent"))
		for how, exports := range map[string][]string{
			"one line":              {inner[0] + "," + outer[0] + "," + inner[1] + "," + outer[1] + "," + agent},
			"outer first":           {outer[0] + "," + inner[0] + "," + outer[1] + "," + inner[1]},
			"one a line":            {inner[0], outer[0], inner[1], outer[1], agent},
			"one a line, o. first":  {outer[0], inner[0], outer[1], inner[1]},
			"a batch ends between":  {inner[0], outer[0] + "," + inner[1], outer[1] + "," + agent},
			"the last is by itself": {inner[0] + "," + outer[0] + "," + inner[1], outer[1]},
		} {
			lines := ""
			for _, spans := range exports {
				lines += `{"resourceSpans":[{"resource":{"attributes":[` + attribute("service.name", "app") + `]},"scopeSpans":[{"spans":[` + spans + `]}]}]}` + "\n"
			}
			for time, policy := range policies {
				if time == "start" && name == "outer silent" && len(exports) > 1 {
					continue // what was said comes too late
				}
				var d struct{ Data replay.Account }
				unmarshal(t, loopgauge(t, lines, "replay", "--json", "--policy", policy, "-"), &d)
				if d.Data.Judged != 2 {
					t.Errorf("%s, %s, by the %s: %v, want 2 judged", name, how, time, d.Data)
				}
			}
		}
	}
}

// TestTwinsOfOneCall: LangChain's span of a call stands beside that of the OpenAI
// library, by OpenInference's instrumentations of both.
func TestTwinsOfOneCall(t *testing.T) {
	span := func(library, id, times string) string {
		start, end, _ := strings.Cut(times, "-")
		return fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"scope":{"name":%q},"spans":[{"traceId":%q,"spanId":%q,"startTimeUnixNano":"17000000%s000000000","endTimeUnixNano":"17000000%s000000000","attributes":[`+
			`{"key":"openinference.span.kind","value":{"stringValue":"LLM"}},{"key":"llm.input_messages.0.message.content","value":{"stringValue":"hi"}}]}]}]}]}`+"\n", library, "t"+id, id, start, end)
	}
	phoenix := func(name, id, times string) string {
		start, end, _ := strings.Cut(times, "-")
		return fmt.Sprintf(`{"name":%q,"context":{"trace_id":%q,"span_id":%q},"parent_id":null,"span_kind":"LLM","start_time":"2023-11-14T22:13:%sZ","end_time":"2023-11-14T22:13:%sZ","attributes":{"llm.input_messages.0.message.content":"hi"}}`+"\n", name, "t"+id, id, start, end)
	}
	f := func(want int64, lines ...string) {
		t.Helper()
		var d struct{ Data replay.Account }
		if unmarshal(t, loopgauge(t, strings.Join(lines, ""), "replay", "--json", "-"), &d); d.Data.Judged != want {
			t.Errorf("%q: %v, want %d judged", lines, d.Data, want)
		}
	}
	for _, one := range []func(library, id, times string) string{span, phoenix} {
		f(2, one("openai", "a", "11-14"), one("langchain", "b", "10-15"), one("openai", "c", "21-24"), one("langchain", "d", "20-25"))
		f(2, one("langchain", "b", "10-15"), one("openai", "a", "11-14"), one("langchain", "d", "20-25"), one("openai", "c", "21-24"))
		f(2, one("openai", "a", "11-14"), one("openai", "b", "10-15"))    // side by side
		f(2, one("openai", "a", "11-14"), one("langchain", "b", "12-15")) // one after the other
	}
}
