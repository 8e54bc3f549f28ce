package fingerprint

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// withCalls is where messages begin that are to begin at from: before the calls
// whose results come first. Without these, three searches side by side that found
// nothing are the same as any other three. They are lost if no more than the tail of the
// messages was logged, or if there is an answer before the results that calls nothing:
// with a tool of the API, or in its text, which the messages begin with then.
func (w *Writer) withCalls(items []rawjson.Value, from int, tail bool) (int, Cause) {
	first := slices.IndexFunc(items[from:], func(message rawjson.Value) bool {
		it := w.readItem(message)
		return w.answers(it) || w.callsTools(it)
	})
	if first < 0 || !w.answers(w.readItem(items[from+first])) {
		if from > 0 && w.replies(items[from:]) && w.readItem(items[from-1]).class == isAssistant {
			return from - 1, Computable
		}
		return w.firstCall(items, from), Computable
	}
	lost, asked := tail, false
walk:
	for i := from + first - 1; i >= 0; i-- {
		switch it := w.readItem(items[i]); {
		case w.callsTools(it):
			return w.firstCall(items, i), Computable
		case it.class == isElsewhere && i < from: // maybe a call
			return i, Computable
		case it.class == isAssistant && !asked:
			if w.mayCallInText(it.content) {
				for i > 0 && w.readItem(items[i-1]).class == isAssistant {
					i-- // it calls in several
				}
				return min(i, from), Computable
			}
			lost = true
		case it.class == isUser && !w.answers(it):
			if asked = true; i < from { // or the results are of the user's calls
				break walk
			}
		}
	}
	if lost {
		return from, LossyContent
	}
	return from, Computable
}

// firstCall is the first of the calls that stand side by side as items of their own.
func (w *Writer) firstCall(items []rawjson.Value, i int) int {
	for i > 0 && w.readItem(items[i]).class == isCall && w.readItem(items[i-1]).class == isCall {
		i--
	}
	return i
}

// mayCallInText tells whether an answer may call a tool in its text, behind what the model
// reasoned.
func (w *Writer) mayCallInText(content rawjson.Value) bool {
	if !w.mayHaveDeed(content) {
		return false
	}
	t := w.onlyText(content).trim()
	rest := t.behindReasoning()
	if len(rest) == len(t.text) {
		return true
	}
	t.text = rest
	said := w.decoded(t)
	from := len(w.made)
	w.made = rawjson.AppendString(w.made, said)
	return chars.HasAny(w.made[from:], deedWords)
}

// observations are what results begin with that clients of models without tools
// send as messages of the user, or of the system.
var observations = [][]byte{
	[]byte("Observation:"),          // ReAct, smolagents
	[]byte("Call id: call_"),        // smolagents, of code that failed
	[]byte("OBSERVATION:"),          // SWE-agent
	[]byte("<returncode>"),          // mini-swe-agent
	[]byte("[execute_command for "), // Cline, Roo Code
	[]byte("EXECUTION RESULT of ["), // OpenHands
	[]byte("<tool_response>"),       // Qwen-Agent
	[]byte("TOOL RESPONSE:"),        // LangChain, of models that answer in JSON
	[]byte("Ran command:"),          // gptme
	[]byte("Ran allowlisted command:"),
	[]byte("Executed code block"),
	[]byte(`{"tool_name": "`), []byte(`{\"tool_name\": \"`), // Agent Zero
}

// replies tells whether the first of some messages may be what came of the answer before
// it, for a client whose model has no tools sends results as messages of the user. If it
// is the only one it must have the form of a result, for who asks for that wants no answer.
func (w *Writer) replies(messages []rawjson.Value) bool {
	it := w.readItem(messages[0])
	return it.class == isUser && (len(messages) > 1 || chars.BeginsWithAny(w.firstText(it.content).trim().text, observations))
}

// answers tells whether a message has results of tools.
func (w *Writer) answers(it *item) bool {
	if it.class != isUser || it.content.Kind() != rawjson.Array || !mayHave(it.content, "tool_result") {
		return it.class == isResult
	}
	s := &w.inner
	s.Reset(it.content)
	for s.Array(); s.NextElement(); {
		if b := readBlock(s); b.isToolResult() {
			return true
		}
	}
	return false
}
