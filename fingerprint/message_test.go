package fingerprint

import "testing"

// The canonical form of messages, in the three dialects.
func TestMessages(t *testing.T) {
	id := mustNew(t, "prompt", Options{})
	f := func(messages, want string) {
		t.Helper()
		wantCanonicals(t, id, request(t, "messages", "["+messages+"]"), `[["messages",[`+want+`]]]`)
	}
	// Text: string content, or the text parts joined by one space, trimmed.
	f(`{"role":"user","content":" Hi\n"}`, `{"role":"user","text":"Hi"}`)
	f(`{"content":[{"type":"text","text":"a"},{"type":"input_text","text":"b"},"c"],"role":"user"}`, `{"role":"user","text":"a b c"}`)
	f(`"bare"`, `{"text":"bare"}`)
	f(`"x",{"role":"assistant","content":null}`, `{"text":"x"},{"role":"assistant"}`)
	f(`"x",{"role":"assistant","content":""}`, `{"text":"x"},{"role":"assistant"}`)
	f(`"x",{"role":"assistant"}`, `{"text":"x"},{"role":"assistant"}`)
	// Roles and calls are part of it, ids of calls are not.
	f(`{"role":"assistant","content":"x","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\"b\":1,\"a\":1}"}},{"id":"2","function":{"name":"g"}}]}`,
		`{"calls":[{"arguments":{"a":1,"b":1},"name":"f"},{"name":"g"}],"role":"assistant","text":"x"}`)
	f(`{"role":"assistant","content":"x","tool_calls":[{"name":"f","args":{"b":1,"a":1},"id":"1","type":"tool_call"}]}`, // LangChain's
		`{"calls":[{"arguments":{"a":1,"b":1},"name":"f"}],"role":"assistant","text":"x"}`)
	f(`{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"9","name":"f","input":{"b":1,"a":1}}]}`,
		`{"calls":[{"arguments":{"a":1,"b":1},"name":"f"}],"role":"assistant","text":"x"}`)
	f(`{"type":"function_call","id":"1","call_id":"2","name":"f","arguments":"{}"}`, `{"calls":[{"arguments":{},"name":"f"}]}`)
	f(`{"role":"tool","tool_call_id":"7","content":"r"}`, `{"role":"tool","text":"r"}`)
	// Results, in the order of RFC 8785 like everything else.
	f(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"7","content":"r"},{"type":"text","text":"t"},{"type":"tool_result","is_error":true},{"type":"image","n":1.0}]}`,
		`{"other":[{"n":1,"type":"image"}],"results":[{"text":"r"},{"error":true}],"role":"user","text":"t"}`)
	f(`{"type":"function_call_output","call_id":"2","output":"r"}`, `{"results":[{"text":"r"}]}`)
	f(`{"type":"function_call_output","call_id":"2","output":{"b":1,"a":[]}}`, `{"results":[{"other":[{"a":[],"b":1}]}]}`)
	// A tool's own parts inside a result are content, not calls.
	f(`{"role":"user","content":[{"type":"tool_result","content":[{"type":"tool_use","name":"x"}]}]}`,
		`{"results":[{"other":[{"name":"x","type":"tool_use"}]}],"role":"user"}`)
	// What the model keeps to itself differs on every call.
	f(`{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"1"},{"type":"redacted_thinking","data":"2"},{"type":"text","text":"x"}]}`,
		`{"role":"assistant","text":"x"}`)
	// Ollama's images stand beside the text.
	f(`{"role":"user","content":"What is it?","images":["AAEC","AwQF"]}`, `{"images":["AAEC","AwQF"],"role":"user","text":"What is it?"}`)
	f(`{"role":"user","content":"","images":["AAEC"]}`, `{"images":["AAEC"],"role":"user"}`)
	f(`{"role":"user","content":"What is it?","images":[]},{"role":"user","content":"x","images":null}`, `{"role":"user","text":"What is it?"},{"role":"user","text":"x"}`)
	f(`{"role":"user","content":7}`, `{"other":[7],"role":"user"}`)
	// A message that is two things at once is still one JSON object.
	f(`{"type":"function_call","name":"f","tool_calls":[{"name":"g"}]}`, `{"calls":[{"name":"g"},{"name":"f"}]}`)
}

// Messages that name their role type are LangChain's: what their calls gave is
// what those of OpenAI's gave.
func TestMessagesOfLangChain(t *testing.T) {
	id := mustNew(t, "tool-call-result", Options{})
	openai := request(t, "messages", `[{"role":"system","content":"s"},{"role":"user","content":"u"},{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\"x\":1}"}}]},{"role":"tool","tool_call_id":"1","content":"r"}]`)
	langChain := request(t, "messages", `[{"type":"system","content":"s"},{"type":"human","content":"u"},{"type":"ai","content":"","tool_calls":[{"id":"1","name":"f","args":{"x":1},"type":"tool_call"}]},{"type":"tool","tool_call_id":"1","content":"r"}]`)
	wantCanonicals(t, id, langChain, canonicals(id, openai)...)

	// As its classes are written: by a tracer in Python and in TypeScript, and with
	// messages_to_dict. Older versions have calls as OpenAI sent them alone.
	class := func(name, members string) string {
		return `{"lc":1,"type":"constructor","id":["langchain","schema","messages","` + name + `"],"kwargs":{` + members + `}}`
	}
	data := func(kind, members string) string { return `{"type":"` + kind + `","data":{` + members + `}}` }
	const (
		calls  = `"tool_calls":[{"name":"f","args":{"x":1},"id":"1","type":"tool_call"}]`
		older  = `"additional_kwargs":{"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]}`
		oldest = `"additional_kwargs":{"refusal":null,"function_call":{"name":"f","arguments":"{\"x\":1}"}}`
		blocks = `"content":[{"type":"text","text":"Hm."},{"type":"tool_use","id":"1","name":"f","input":{}}]`
		items  = `"content":[{"type":"reasoning","id":"rs"},{"type":"function_call","id":"fc","call_id":"1","name":"f","arguments":"{\"x\":1}"}]`
		result = `"content":"r","tool_call_id":"1","id":"b2"`
	)
	for _, messages := range []string{
		class("SystemMessage", `"content":"s","type":"system"`) + "," + class("HumanMessage", `"content":"u","type":"human"`) + "," + class("AIMessage", `"content":"",`+older+`,"type":"ai",`+calls) + "," + class("ToolMessage", result+`,"type":"tool"`),
		class("HumanMessage", `"content":"u"`) + "," + class("AIMessageChunk", items+`,`+calls+`,"type":"AIMessageChunk"`) + "," + class("ToolMessage", result),
		class("HumanMessage", `"content":"u"`) + "," + class("AIMessage", blocks+`,`+calls) + "," + class("ToolMessage", result),
		class("HumanMessage", `"content":"u"`) + "," + class("AIMessage", `"content":"","tool_calls":[],`+older) + "," + class("ToolMessage", result),
		class("HumanMessage", `"content":"u"`) + "," + class("AIMessage", `"content":"",`+oldest) + "," + class("FunctionMessage", `"content":"r","name":"f"`),
		data("human", `"content":"u"`) + "," + data("ai", `"content":"","type":"ai",`+calls) + "," + data("tool", result),
		`{"type":"human","content":"u"},{"type":"ai",` + blocks + `,` + calls + `},{"type":"tool",` + result + `}`,
		`{"role":"user","content":"u"},{"role":"assistant",` + blocks + `,` + calls + `},{"role":"tool",` + result + `}`, // as Langfuse has them
		`{"kwargs":{` + calls + `},"id":["AIMessage"],"type":"constructor","lc":1},{"kwargs":{` + result + `},"id":["ToolMessage"],"type":"constructor","lc":1}`,
	} {
		wantCanonicals(t, id, request(t, "messages", "["+messages+"]"), canonicals(id, openai)...)
	}
	// What the model said beside its calls is said once, and the ids are no part of it.
	prompt := mustNew(t, "prompt", Options{})
	want := `[["messages",[{"calls":[{"arguments":{"x":1},"name":"f"}]}]]]`
	wantCanonicals(t, prompt, request(t, "messages", "["+class("AIMessageChunk", items+`,`+calls)+"]"), want)
	wantCanonicals(t, prompt, request(t, "messages", "["+data("ai", items+`,`+calls)+"]"), want)
	wantCanonicals(t, prompt, request(t, "messages", "["+data("human", `"content":"u","id":"h1"`)+"]"), `[["messages",[{"text":"u"}]]]`)
	wantCanonicals(t, prompt, request(t, "messages", "["+class("ChatMessage", `"content":"u","role":"critic"`)+"]"), `[["messages",[{"role":"critic","text":"u"}]]]`)
	for messages, cause := range map[string]Cause{
		class("HumanMessage", `"content":"[REDACTED]"`): RedactedContent,
		class("HumanMessage", ``):                       LossyContent,
		class("HumanMessage", `"content":"\q"`):         BrokenJSON,
		`{"lc":1}`:                                      LossyContent,
	} {
		wantCanonicals(t, prompt, request(t, "messages", "["+messages+"]"), notComputable(cause))
	}
	// The data of others is none of a message.
	wantCanonicals(t, prompt, request(t, "messages", `[{"role":"user","content":"u","data":{"content":"x"},"kwargs":{"content":"x"}}]`), `[["messages",[{"role":"user","text":"u"}]]]`)
}

func TestMessagesNotComputable(t *testing.T) {
	id := mustNew(t, "prompt", Options{})
	f := func(messages string, want Cause) {
		t.Helper()
		wantCanonicals(t, id, request(t, "messages", "["+messages+"]"), notComputable(want))
	}
	f(`{"role":"user","content":"redacted-by-litellm"}`, RedactedContent)
	f(`{"role":"user","content":" redacted-by-litellm "}`, RedactedContent)
	f(`{"role":"user","content":[{"type":"text","text":"default-message-value"}]}`, RedactedContent)
	f(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:[base64_data truncated: 5 MB]"}}]}`, TruncatedContent)
	f(`{"role":"user","content":"What is it?","images":["AAEC... [truncated]"]}`, TruncatedContent)
	// A line is checked for its structure only; what is broken inside a
	// message must not read like an empty one.
	f(`{"role":"user","content":"\q"}`, BrokenJSON)
	f(`{"role":"user","content":[{"type":"text","text":"\q"}]}`, BrokenJSON)
	f(`{"role":"user","content":[1 2]}`, BrokenJSON)
	f(`{"role":"user" "content":"x"}`, BrokenJSON)
	f(`{"role":"assistant","tool_calls":[{"name":"\q"}]}`, BrokenJSON)
	f(`{"role":"assistant","function_call":{"name":"\q"}}`, BrokenJSON)
	f(`{"role":"assistant","content":[{"type":"tool_use","name":"\q"}]}`, BrokenJSON)
	f(`{"role":"user","content":[{"type":"tool_result","content":"\q"}]}`, BrokenJSON)
	for _, name := range []string{"tool-call", "tool-call-result", "stuck-step", "aisg"} {
		id := mustNew(t, name, Options{})
		r := request(t, "caller", "c", "model", "m", "messages",
			`[{"role":"assistant","tool_calls":[{"name":"f"}]},{"role":"tool","content":"\q"},{"role":"assistant","content":"\q","tool_calls":[{"name":"\q"}]},{"role":"tool","content":"\q"}]`)
		if name == "stuck-step" {
			r.ToolCallsLogged, r.ToolCalls = true, []ToolCall{{Name: []byte("f")}}
		}
		wantCanonicals(t, id, r, notComputable(BrokenJSON))
	}
	// An identity that failed does not spoil the next request.
	w := NewWriter(nil)
	id.Compute(request(t, "messages", `[{"role":"user","content":"\q"}]`), w)
	if cause := id.Compute(request(t, "messages", `[{"role":"user","content":"x"}]`), w); cause != Computable || len(w.Prints()) != 1 {
		t.Errorf("%v, %d fingerprints", cause, len(w.Prints()))
	}
}

func TestMessagesOutsideTheList(t *testing.T) {
	id := mustNew(t, "prompt", Options{})
	wantCanonicals(t, id, request(t, "system", `[{"type":"text","text":"be brief"}]`, "messages", `[{"role":"user","content":"x"}]`),
		`[["messages",[{"system":{"text":"be brief"}},{"role":"user","text":"x"}]]]`)
	wantCanonicals(t, id, request(t, "system", `"be brief"`, "messages", `[]`), `[["messages",[{"system":{"text":"be brief"}}]]]`)
	wantCanonicals(t, id, request(t, "digest", "[1,2]"), `[["messages",{"digest":"[1,2]"}]]`)
	last := mustNew(t, "", Options{Parts: []string{"last_messages:2"}})
	wantCanonicals(t, last, request(t, "system", `"s"`, "messages", `["a","b","c"]`), `[["last_messages:2",[{"text":"b"},{"text":"c"}]]]`)
	wantCanonicals(t, last, request(t, "messages", `["a"]`), `[["last_messages:2",[{"text":"a"}]]]`)
	wantCanonicals(t, last, request(t, "messages", `[]`), notComputable(NoMessages))
	wantCanonicals(t, last, request(t, "digest", "[1,2]"), `[["last_messages:2",{"digest":"[1,2]"}]]`)
}

// TestMessagesBesideReasoning: reasoning that is an item of its own, or is named by its
// id, is no message, and takes the place of none among the last.
func TestMessagesBesideReasoning(t *testing.T) {
	for _, aside := range []string{`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"zz"}`, `{"type":"item_reference","id":"rs_1"}`} {
		const (
			call = `{"type":"function_call","call_id":"a","name":"f","arguments":"1"}`
			said = `[{"text":"x"},{"calls":[{"arguments":1,"name":"f"}]},{"results":[{"text":"2"}]}]`
		)
		log := `["x",` + aside + `,` + call + `,{"type":"function_call_output","call_id":"a","output":"2"},` + aside + `]`
		wantCanonicals(t, mustNew(t, "prompt", Options{}), request(t, "messages", log), `[["messages",`+said+`]]`)
		last := mustNew(t, "", Options{Parts: []string{"last_messages:3"}})
		wantCanonicals(t, last, request(t, "messages", log), `[["last_messages:3",`+said+`]]`)
		tail := request(t, "messages", `[`+aside+`,"x",`+aside+`]`)
		tail.Messages.Tail = true
		wantCanonicals(t, last, tail, notComputable(LossyContent))
		wantCanonicals(t, last, request(t, "messages", `[`+aside+`]`), notComputable(LossyContent))
	}
}

// TestItemsNamedById: what the provider has may be any call, or any answer: four
// searches that found nothing were one. The same request has the same ids.
func TestItemsNamedById(t *testing.T) {
	const (
		asked   = `{"role":"user","content":"q"}`
		calls   = `{"type":"item_reference","id":"fc_1"},{"type":"item_reference","id":"fc_2"}`
		results = `{"type":"function_call_output","call_id":"a","output":"1"},{"type":"function_call_output","call_id":"b","output":"2"}`
		turn    = "[" + asked + "," + calls + "," + results + "]"
		behind  = `{"other":[{"id":"fc_2","type":"item_reference"}]},{"results":[{"text":"1"}]},{"results":[{"text":"2"}]}]]]`
	)
	for _, name := range []string{"tool-call", "tool-call-result", "last-exchange"} {
		wantCanonicals(t, mustNew(t, name, Options{}), request(t, "messages", turn), notComputable(HistoryElsewhere))
	}
	wantCanonicals(t, mustNew(t, "last-exchange", Options{}), request(t, "messages", "["+asked+`,{"type":"item_reference","id":"msg_1"},`+asked+"]"), notComputable(HistoryElsewhere))
	wantCanonicals(t, mustNew(t, "stuck-step", Options{}), request(t, "messages", turn, "response", "f {}"),
		`[["tool_calls",[{"arguments":{},"name":"f"}]],["last_turn",[{"result":{"text":"1"}},{"result":{"text":"2"}}]]]`)
	wantCanonicals(t, mustNew(t, "", Options{Parts: []string{"last_messages:1"}}), request(t, "messages", turn), `[["last_messages:1",[`+behind)
	wantCanonicals(t, mustNew(t, "prompt", Options{}), request(t, "messages", turn),
		`[["messages",[{"role":"user","text":"q"},{"other":[{"id":"fc_1","type":"item_reference"}]},`+behind)
}
