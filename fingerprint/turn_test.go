package fingerprint

import (
	"fmt"
	"strings"
	"testing"
)

// One conversation in three dialects: a step with two parallel calls.
const (
	chatTurn = `{"role":"system","content":"s"},{"role":"user","content":"q"},
		{"role":"assistant","content":"let me see","tool_calls":[
			{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"b\": 1, \"a\":2.0}"}},
			{"id":"c2","type":"function","function":{"name":"read","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"none"},
		{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}`
	anthropicTurn = `{"role":"user","content":"q"},
		{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"zz"},{"type":"text","text":"let me see"},
			{"type":"tool_use","id":"t1","name":"find","input":{"a":2,"b":1}},
			{"type":"tool_use","id":"t2","name":"read","input":{}}]},
		{"role":"user","content":[
			{"type":"tool_result","tool_use_id":"t1","content":"none"},
			{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}]}`
	responsesTurn = `{"role":"user","content":[{"type":"input_text","text":"q"}]},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"let me see"}]},
		{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"zz"},
		{"type":"function_call","call_id":"f1","name":"find","arguments":"{\"a\":2,\"b\":1}"},
		{"type":"function_call","call_id":"f2","name":"read","arguments":"{}"},
		{"type":"function_call_output","call_id":"f1","output":"none"},
		{"type":"function_call_output","call_id":"f2","output":[{"type":"input_text","text":"x"},{"type":"input_text","text":"y"}]}`

	// As Codex sends again what LiteLLM answered for a model that speaks otherwise.
	textBetween = `{"role":"user","content":[{"type":"input_text","text":"q"}]},
		{"type":"function_call","call_id":"f1","name":"find","arguments":"{\"a\":2,\"b\":1}"},
		{"type":"function_call","call_id":"f2","name":"read","arguments":"{}"},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"let me see"}]},
		{"type":"function_call_output","call_id":"f1","output":"none"},
		{"type":"function_call_output","call_id":"f2","output":[{"type":"input_text","text":"x"},{"type":"input_text","text":"y"}]}`

	findResult = `{"arguments":{"a":2,"b":1},"name":"find","result":{"text":"none"}}`
	readResult = `{"arguments":{},"name":"read","result":{"text":"x y"}}`
)

func TestLastTurnInThreeDialects(t *testing.T) {
	turn := mustNew(t, "", Options{Parts: []string{"last_turn"}})
	perCall := mustNew(t, "tool-call-result", Options{})
	issued := mustNew(t, "tool-call", Options{})
	for _, messages := range []string{chatTurn, anthropicTurn, responsesTurn, textBetween} {
		r := request(t, "messages", "["+messages+"]")
		wantCanonicals(t, turn, r, `[["last_turn",[`+findResult+`,`+readResult+`]]]`)
		wantCanonicals(t, perCall, r, `[["tool_call_result",`+findResult+`]]`, `[["tool_call_result",`+readResult+`]]`)
		// Without a logged response the last assistant message says what was called.
		wantCanonicals(t, issued, r,
			`[["tool_call",{"arguments":{"a":2,"b":1},"name":"find"}]]`, `[["tool_call",{"arguments":{},"name":"read"}]]`)
	}
}

func TestLastTurn(t *testing.T) {
	id := mustNew(t, "tool-call-result", Options{})
	none := notComputable(NoToolTurn)
	f := func(messages string, want ...string) {
		t.Helper()
		for i, text := range want {
			if text != none && text != notComputable(LossyContent) {
				want[i] = `[["tool_call_result",` + text + `]]`
			}
		}
		wantCanonicals(t, id, request(t, "messages", "["+messages+"]"), want...)
	}
	// Trailing system messages are skipped; a later user message means that
	// the turn is over, and so does an answer.
	f(chatTurn+`,{"role":"system","content":"hurry"},{"role":"developer","content":"!"}`, findResult, readResult)
	// Each call in a message of its own, as OpenInference has those of OpenAI's Agents SDK.
	f(`{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"find","arguments":"{\"a\":2,\"b\":1}"}}]},{"role":"assistant","tool_calls":[{"id":"c2","function":{"name":"read","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"none"},{"role":"tool","tool_call_id":"c2","content":"x y"}`, findResult, readResult)
	// So is what an agent puts around messages, in one of its own.
	const reminder = `<system-reminder>the last 3 calls failed</system-reminder>`
	for _, behind := range []string{`"` + reminder + `"`, `[{"type":"text","text":"` + reminder + `"}]`, `"\u003csystem-reminder>3</system-reminder>"`} {
		f(chatTurn+`,{"role":"user","content":`+behind+`}`, findResult, readResult)
	}
	f(chatTurn+`,{"role":"user","content":"`+reminder+` and?"}`, none)
	f(chatTurn+`,{"role":"user","content":[{"type":"text","text":"`+reminder+`"},{"type":"text","text":"and?"}]}`, none)
	f(chatTurn+`,{"role":"assistant","content":"done"},{"role":"user","content":"`+reminder+`"}`, none)
	f(chatTurn+`,{"role":"user","content":"and?"}`, none)
	f(chatTurn+`,{"role":"user","content":"and?"},{"role":"system","content":"!"}`, none)
	f(chatTurn+`,{"role":"assistant","content":"done"}`, none)
	f(anthropicTurn+`,{"role":"user","content":"and?"}`, none)
	f(anthropicTurn+`,{"role":"user","content":[{"type":"text","text":"and?"}]}`, none)
	f(responsesTurn+`,{"role":"user","content":"and?"}`, none)
	f(responsesTurn+`,"and?"`, none)
	f(``, none)
	f(`{"role":"system","content":"s"}`, none)
	// A result of no call: the call is lost.
	lost := notComputable(LossyContent)
	f(`{"role":"tool","tool_call_id":"a","content":"x"}`, lost)
	f(`{"role":"assistant","content":"x"},{"role":"tool","tool_call_id":"a","content":"x"}`, lost)
	f(`{"role":"user","content":"x"},{"role":"tool","tool_call_id":"a","content":"x"}`, lost)
	f(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}`, lost)
	// Text that a client adds beside its results does not end the turn.
	f(`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"r"},{"type":"text","text":"reminder"}]}`,
		`{"arguments":{},"name":"f","result":{"text":"r"}}`)
	// So do blocks in a tool's message, as Strands Agents has them, several or in
	// two messages; a list of what a tool said is its result.
	f(`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}},{"type":"tool_use","id":"u","name":"g","input":{}}]},
		{"role":"tool","content":[{"type":"tool_result","tool_use_id":"t","content":[{"text":"r"}],"is_error":false},{"type":"tool_result","tool_use_id":"u","content":"s","is_error":true}]}`,
		`{"arguments":{},"name":"f","result":{"text":"r"}}`, `{"arguments":{},"name":"g","result":{"error":true,"text":"s"}}`)
	f(`{"role":"assistant","tool_calls":[{"function":{"name":"f"}},{"function":{"name":"g"}}]},
		{"role":"tool","content":[{"type":"tool_result","content":"r"}]},{"role":"tool","content":[{"type":"tool_result","content":"s"}]}`,
		`{"name":"f","result":{"text":"r"}}`, `{"name":"g","result":{"text":"s"}}`)
	f(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]},
		{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"tool_result"},{"type":"image","n":1}]}`,
		`{"name":"f","result":{"other":[{"n":1,"type":"image"}],"text":"tool_result"}}`)
	// Only the last turn counts.
	call := func(id, name string) string {
		return `{"role":"assistant","tool_calls":[{"id":"` + id + `","function":{"name":"` + name + `","arguments":"1"}}]}`
	}
	result := func(id, text string) string {
		return `{"role":"tool","tool_call_id":"` + id + `","content":"` + text + `"}`
	}
	want := func(name, text string) string {
		return `{"arguments":1,"name":"` + name + `","result":{"text":"` + text + `"}}`
	}
	f(call("a", "f")+","+result("a", "1")+","+call("b", "g")+","+result("b", "2"), want("g", "2"))
	f(call("c", "f")+","+call("a", "g")+","+call("b", "h")+","+result("b", "2")+","+result("a", "1")+","+result("c", "3"), want("f", "3"), want("g", "1"), want("h", "2"))
	// Responses: each call with its output is a step of its own.
	f(`{"type":"function_call","call_id":"a","name":"f","arguments":"1"},{"type":"function_call_output","call_id":"a","output":"1"},
		{"type":"function_call","call_id":"b","name":"g","arguments":"1"},{"type":"function_call_output","call_id":"b","output":"2"}`, want("g", "2"))
	// What the model said may stand behind its calls, which their results name.
	item := func(id, name string) string {
		return `{"type":"function_call","call_id":"` + id + `","name":"` + name + `","arguments":"1"}`
	}
	output := func(id, text string) string {
		return `{"type":"function_call_output","call_id":"` + id + `","output":"` + text + `"}`
	}
	const said, aside = `{"type":"message","role":"assistant","content":"x"}`, `{"type":"reasoning","summary":[]}`
	const search = `{"type":"web_search_call","id":"s","status":"completed","action":{"query":"x"}}`
	turns := func(items ...string) string { return strings.Join(items, ",") }
	f(turns(item("a", "f"), said, aside, item("b", "g"), aside, said, said, output("a", "1"), output("b", "2")), want("f", "1"), want("g", "2"))
	f(turns(item("a", "f"), output("a", "1"), item("b", "g"), said, output("b", "2")), want("g", "2"))
	f(turns(item("a", "f"), output("a", "1"), said, output("b", "2")), lost)
	f(turns(item("a", "f"), said, output("b", "2")), lost)
	f(turns(item("a", "f"), said), none)
	f(turns(search, said, item("b", "g"), output("b", "2"), output("c", "3")), want("g", "2"))
	f(turns(call("a", "f"), `{"role":"assistant","content":"x"}`, result("a", "1")), want("f", "1"))
	f(turns(call("a", "f"), item("b", "g"), output("b", "2")), want("g", "2"))
	f(turns(call("a", "f"), item("b", "g"), output("b", "2"), output("c", "3")), want("g", "2"))
	f(turns(call("a", "f"), result("a", "1"), `{"role":"assistant","content":"x"}`, result("a", "1")), lost)
	// Custom tools take free text.
	f(`{"type":"custom_tool_call","call_id":"a","name":"patch","input":"*** Begin"},{"type":"custom_tool_call_output","call_id":"a","output":"ok"}`,
		`{"name":"patch","raw":"*** Begin","result":{"text":"ok"}}`)
	f(`{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"patch","input":"*** Begin"}}]},`+result("a", "ok"),
		`{"name":"patch","raw":"*** Begin","result":{"text":"ok"}}`)
	// Tools that the model knows by itself have their type for a name; what the
	// local shell gave names its call by another member than the others.
	f(`{"type":"local_shell_call","id":"i","call_id":"a","status":"completed","action":{"type":"exec","command":["ls"]}},{"type":"local_shell_call_output","id":"a","output":"b"}`,
		`{"arguments":{"command":["ls"],"type":"exec"},"name":"local_shell_call","result":{"text":"b"}}`)
	f(`{"type":"shell_call","call_id":"a","action":{"commands":["ls"]}},{"type":"shell_call_output","call_id":"a","output":[{"stdout":"b"}]}`,
		`{"arguments":{"commands":["ls"]},"name":"shell_call","result":{"other":[{"stdout":"b"}]}}`)
	f(`{"type":"apply_patch_call","call_id":"a","operation":{"type":"delete_file","path":"b"}},{"type":"apply_patch_call_output","call_id":"a","status":"failed","output":"no"}`,
		`{"arguments":{"path":"b","type":"delete_file"},"name":"apply_patch_call","result":{"text":"no"}}`)
	f(`{"type":"computer_call","call_id":"a","actions":[{"type":"wait"}]},{"type":"computer_call_output","call_id":"a","output":{"type":"computer_screenshot","file_id":"f"}}`,
		`{"arguments":[{"type":"wait"}],"name":"computer_call","result":{"other":[{"file_id":"f","type":"computer_screenshot"}]}}`)
	// OpenAI's older form: no ids, the result by its place.
	f(`{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"1"}},{"role":"function","name":"f","content":"r"}`, want("f", "r"))
	// Results in another order than the calls.
	two := `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"1"}},{"id":"b","function":{"name":"g","arguments":"1"}}]}`
	f(two+","+result("b", "2")+","+result("a", "1"), want("f", "1"), want("g", "2"))
	// A missing result is none; an empty one is there and says nothing.
	f(two+","+result("b", "2"), `{"arguments":1,"name":"f"}`, want("g", "2"))
	f(two+","+result("a", "")+","+result("b", "2"), `{"arguments":1,"name":"f","result":{}}`, want("g", "2"))
	// Calls that nothing follows are the response, which some logs have among the
	// messages: what will come of them no line says yet.
	f(two, none)
	f(turns(call("a", "f"), result("a", "1"), call("b", "g")), want("f", "1"))
	f(turns(call("a", "f"), result("a", "1"), `{"role":"system","content":"x"}`, said, two), want("f", "1"))
	f(turns(item("a", "f"), output("a", "1"), aside, said, item("b", "g"), item("c", "h")), want("f", "1"))
	f(turns(call("a", "f"), result("a", "1"), `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}`), want("f", "1"))
	f(turns(call("a", "f"), result("a", "1"), `{"role":"user","content":"x"}`, call("b", "g")), none)
	f(turns(call("a", "f"), call("b", "g")), none)
	// Ids that one side lacks, or has otherwise: the result is of the call that
	// has none.
	f(strings.ReplaceAll(two, `"id"`, `"index"`)+","+result("a", "1")+","+result("b", "2"), want("f", "1"), want("g", "2"))
	f(two+","+result("", "1")+","+result("b", "2"), want("f", "1"), want("g", "2"))
	f(two+","+result("b", "2")+","+result("toolu_a", "1"), want("f", "1"), want("g", "2"))
	f(two+","+result("c", "1"), want("f", "1"), `{"arguments":1,"name":"g"}`)
	// Ids that repeat inside a turn (some proxies number per tool): each call
	// has its own result all the same.
	same := strings.ReplaceAll(two, `"id":"b"`, `"id":"a"`)
	f(same+","+result("a", "1")+","+result("a", "2"), want("f", "1"), want("g", "2"))
	// Anthropic says that a tool failed.
	f(`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"r"}]}`,
		`{"arguments":{},"name":"f","result":{"error":true,"text":"r"}}`)
	// No arguments, empty arguments and arguments that are no JSON differ.
	f(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]},`+result("a", "r"), `{"name":"f","result":{"text":"r"}}`)
	f(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":""}}]},`+result("a", "r"), `{"name":"f","raw":"","result":{"text":"r"}}`)
	f(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{x"}}]},`+result("a", "r"), `{"name":"f","raw":"{x","result":{"text":"r"}}`)
	f(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"b":1,"a":2}}}]},`+result("a", "r"),
		`{"arguments":{"a":2,"b":1},"name":"f","result":{"text":"r"}}`)
	// Parts that are no text count too: here, an image.
	f(`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"b":1,"a":2}}]}]}`,
		`{"arguments":{},"name":"f","result":{"other":[{"source":{"a":2,"b":1},"type":"image"}]}}`)
}

// One answer that asks for the same five times is no loop: the agent has not
// seen a result yet. What differs in its result is not the same.
func TestCallsOfOneTurnThatAreTheSame(t *testing.T) {
	messages := func(results ...string) *Request {
		var calls, answers []string
		for i, result := range results {
			calls = append(calls, fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":"%c","input":{"a":1}}`, i, result[0]))
			answers = append(answers, fmt.Sprintf(`{"type":"tool_result","tool_use_id":"t%d","content":"%s"}`, i, result[1:]))
		}
		return request(t, "messages", `[{"role":"assistant","content":[`+strings.Join(calls, ",")+`]},{"role":"user","content":[`+strings.Join(answers, ",")+`]}]`)
	}
	one := func(of string) string {
		return fmt.Sprintf(`{"arguments":{"a":1},"name":"%c","result":{"text":"%s"}}`, of[0], of[1:])
	}
	id := mustNew(t, "tool-call-result", Options{})
	alone := func(of string) string { return `[["tool_call_result",` + one(of) + `]]` }
	wantCanonicals(t, id, messages("f1", "f1", "f1", "f1", "f1"), alone("f1"))
	wantCanonicals(t, id, messages("g1", "f1", "g1", "f2", "f1"), alone("g1"), alone("f1"), alone("f2"))
	wantCanonicals(t, mustNew(t, "tool-call-result", Options{Mask: []string{"numbers"}}), messages("f1", "f22"), `[["tool_call_result",{"arguments":{"a":"<number>"},"name":"f","result":{"text":"<number>"}}]]`)
	// The turn is what it is.
	wantCanonicals(t, mustNew(t, "", Options{Parts: []string{"last_turn"}}), messages("f1", "f1"), `[["last_turn",[`+one("f1")+`,`+one("f1")+`]]]`)
}

// stuck-step: the calls of the response together with the whole turn.
func TestStuckStep(t *testing.T) {
	id := mustNew(t, "stuck-step", Options{})
	turn := `["last_turn",[` + findResult + `,` + readResult + `]]`
	wantCanonicals(t, id, request(t, "messages", "["+chatTurn+"]", "response", `find {"b":1,"a":2} read {}`),
		`[["tool_calls",[{"arguments":{"a":2,"b":1},"name":"find"},{"arguments":{},"name":"read"}]],`+turn+`]`)
	wantCanonicals(t, id, request(t, "messages", "["+chatTurn+"]"), notComputable(NoResponse))
	wantCanonicals(t, id, request(t, "messages", "["+chatTurn+"]", "response", ""), notComputable(NoToolCall))
	wantCanonicals(t, id, request(t, "response", "f 1"), notComputable(NoMessages))
	wantCanonicals(t, id, request(t, "messages", `[{"role":"user","content":"q"}]`, "response", "f 1"), notComputable(NoToolTurn))
}

// TestStuckStepOfResultsAlone: where the provider keeps the history, the calls of
// the results are not in the request.
func TestStuckStepOfResultsAlone(t *testing.T) {
	id := mustNew(t, "stuck-step", Options{})
	f := func(messages, want string) {
		t.Helper()
		r := request(t, "messages", messages, "response", "f {}")
		wantCanonicals(t, id, r, want)
		r.Lost = HistoryElsewhere
		if strings.HasPrefix(want, "[") {
			wantCanonicals(t, id, r, want)
			wantCanonicals(t, mustNew(t, "tool-call-result", Options{}), r, notComputable(HistoryElsewhere))
		} else {
			wantCanonicals(t, id, r, notComputable(HistoryElsewhere))
		}
	}
	const calls = `[["tool_calls",[{"arguments":{},"name":"f"}]],["last_turn",[`
	f(`[{"type":"function_call_output","call_id":"c1","output":"shut"},{"type":"function_call_output","call_id":"c2","output":"open"}]`,
		calls+`{"result":{"text":"shut"}},{"result":{"text":"open"}}]]]`)
	f(`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"shut"}]}]`,
		calls+`{"result":{"error":true,"text":"shut"}}]]]`)
	f(`[{"role":"user","content":"Is it open?"},{"role":"tool","content":"shut"},{"role":"tool","content":"open"}]`,
		calls+`{"result":{"text":"shut"}},{"result":{"text":"open"}}]]]`)
	f(`[{"role":"user","content":"Is it open?"}]`, notComputable(NoToolTurn))
	wantCanonicals(t, id, request(t, "messages", `[{"type":"function_call_output","call_id":"c1","output":"redacted-by-litellm"}]`, "response", "f {}"), notComputable(RedactedContent))
}

// Calls taken from the messages were overwritten by what other parts of the
// identity read: the query's names, or the last turn.
func TestCallsOutliveOtherParts(t *testing.T) {
	f := func(part, before, after string) {
		t.Helper()
		id := mustNew(t, "", Options{Parts: []string{"tool_call", part}})
		r := request(t, "query", "aaaaaaaa=%41%41%41%41%41%41%41%41&b=+", "messages", "["+chatTurn+"]")
		wantCanonicals(t, id, r,
			`[`+before+`["tool_call",{"arguments":{"a":2,"b":1},"name":"find"}]`+after+`]`,
			`[`+before+`["tool_call",{"arguments":{},"name":"read"}]`+after+`]`)
	}
	f("query", `["query",{"aaaaaaaa":"AAAAAAAA","b":" "}],`, ``)
	f("last_turn", ``, `,["last_turn",[`+findResult+`,`+readResult+`]]`)
}

// A hostile line of many calls and results costs no more than its length.
func TestManyCallsAndResults(t *testing.T) {
	for _, name := range []string{"tool-call-result", "stuck-step", "last-messages", "prompt"} {
		id := mustNew(t, name, Options{})
		w := NewWriter(nil)
		hostile(t, func(size int) {
			var uses, results strings.Builder
			for i := range size {
				fmt.Fprintf(&uses, `{"type":"tool_use","id":"%d","name":"f","input":{}},`, i)
				fmt.Fprintf(&results, `{"type":"text","text":"t"},{"type":"tool_result","tool_use_id":"%d","content":"r"},`, size-i)
			}
			r := request(t, "caller", "c", "model", "m", "response", "f 1", "messages",
				`[{"role":"assistant","content":[`+strings.TrimSuffix(uses.String(), ",")+`]},{"role":"user","content":[`+strings.TrimSuffix(results.String(), ",")+`]}]`)
			w.Reset()
			if cause := id.Compute(r, w); cause != Computable {
				t.Fatalf("%s: %v", name, cause)
			}
		})
	}
}
