package fingerprint

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// item is one entry of Request.Messages taken apart one level: an OpenAI chat
// message, an Anthropic message or a Responses item. Byte slices are valid
// until fewItems more are read.
type item struct {
	role, kind []byte // kind is the type of a Responses item
	id         []byte
	content    rawjson.Value
	isNull     bool          // a content is there, and null
	images     rawjson.Value // Ollama's list beside the content
	toolCalls  rawjson.Value // OpenAI's list
	function   rawjson.Value // OpenAI's older single call
	resultID   []byte        // the call that a tool message or output item answers
	call       ToolCall      // of an item that is a call
	input      []byte        // of a custom or builtin tool
	output     rawjson.Value // of an item that is a result
	more       bool          // something is said in a member that no API has
	langChain  langChain
	class      itemClass
}

// result is what a tool returned, of an item that is a result.
func (it *item) result() rawjson.Value {
	if it.output != nil {
		return it.output
	}
	return it.content
}

// fewItems is how many items a Writer keeps: identities look at the last ones,
// each for itself.
const fewItems = 4

type keptItem struct {
	item
	of     *byte // where it stands in the line; nil if nothing is kept
	scan   rawjson.Scanner
	broken bool
}

// itemClass is what an item is in the course of a conversation.
type itemClass uint8

const (
	isUser      itemClass = iota
	isSystem              // system or developer
	isAssistant           // message of the model
	isResult              // result of a tool call
	isCall                // a call as an item of its own
	isAside               // reasoning and the like: no part of the conversation's course
	isElsewhere           // named by its id: the provider has what it says
)

// readItem reads an item, unless it is still known from before.
func (w *Writer) readItem(v rawjson.Value) *item {
	kept := w.keptItem(v)
	w.broken = w.broken || kept.broken
	return &kept.item
}

func (w *Writer) keptItem(v rawjson.Value) *keptItem {
	var of *byte
	if len(v) > 0 { // it is not null
		of = &v[0]
		for i := range w.items {
			if w.items[i].of == of {
				return &w.items[i]
			}
		}
	}
	kept := &w.items[w.nextItem]
	w.nextItem = (w.nextItem + 1) % fewItems
	kept.of = of
	kept.read(v)
	return kept
}

func (it *keptItem) read(v rawjson.Value) {
	it.item, it.broken = item{}, false
	if v.Kind() == rawjson.String {
		it.content = v
		return
	}
	s := &it.scan
	s.Reset(v)
	it.members(s)
	if it.langChain.tell(&it.item) && it.langChain.inside != nil {
		it.broken = s.Err() != nil
		s.Then(it.langChain.inside)
		it.members(s)
	}
	it.langChain.settle(&it.item)
	it.broken = it.broken || s.Err() != nil
	if string(it.kind) == "custom_tool_call" {
		it.call.Arguments = it.input
	} else if IsBuiltinCall(it.kind) {
		it.call.Name, it.call.Arguments = it.kind, it.input
	}
	it.class = it.tellClass()
	if it.class == isResult && it.more && !it.isNull && it.result() == nil {
		it.content = toldElsewhere
	}
}

// toldElsewhere stands for the result of a tool that has none where each API has it, but
// something in a member that none has, as TensorZero's has: two such may differ there.
var toldElsewhere = rawjson.Value(`[{"type":"text"}]`)

// mayTell tells the kinds of values in which a result may be.
func mayTell(kind rawjson.Kind) bool {
	return kind == rawjson.String || kind == rawjson.Array || kind == rawjson.Object
}

// members reads those of a message or item.
func (it *item) members(s *rawjson.Scanner) {
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "role":
			it.role = s.Text(it.role)
		case "type":
			it.kind = s.Text(it.kind)
		case "id":
			if s.Kind() == rawjson.Array {
				it.langChain.member(s)
			} else {
				it.id = s.Text(it.id)
			}
		case "content":
			it.content = s.Value()
			it.isNull = it.content == nil
		case "images":
			it.images = s.Value()
		case "tool_calls", "toolCalls": // the second of what stores messages with names as in JavaScript
			it.toolCalls = s.Value()
		case "function_call":
			it.function = s.Value()
		case "tool_call_id", "toolCallId":
			it.resultID = s.Text(it.resultID)
		case "call_id":
			it.resultID = s.Text(it.resultID)
			it.call.ID = it.resultID
		case "name":
			it.call.Name = s.Text(it.call.Name)
		case "arguments":
			it.call.Arguments = readArguments(s)
		case "input", "action", "actions", "operation": // of a custom tool free text
			it.input = readArguments(s)
		case "output":
			it.output = s.Value()
		default:
			it.more = it.more || mayTell(s.Kind())
			it.langChain.member(s)
		}
	}
}

func (it *item) tellClass() itemClass {
	switch string(it.kind) {
	case "function_call", "custom_tool_call":
		return isCall
	case "function_call_output", "custom_tool_call_output":
		return isResult
	case "reasoning":
		return isAside
	case "item_reference":
		if bytes.HasPrefix(it.id, []byte("rs_")) { // of reasoning
			return isAside
		}
		return isElsewhere
	}
	switch {
	case IsBuiltinCall(it.kind):
		return isCall
	case isBuiltinOutput(it.kind):
		return isResult
	}
	by := it.role
	if by == nil { // LangChain's messages
		by = it.kind
	}
	switch string(by) {
	case "system", "developer":
		return isSystem
	case "assistant", "model", "ai":
		return isAssistant
	case "tool", "function":
		return isResult
	}
	return isUser
}

// readArguments gives the JSON text of arguments that may be logged as a text
// or as the value itself.
func readArguments(s *rawjson.Scanner) []byte {
	if s.Kind() == rawjson.String {
		return s.Text(nil)
	}
	return s.Value()
}

// eachCall calls f for every tool call of an assistant message, in order. The
// call is valid during f.
func (w *Writer) eachCall(it *item, f func(ToolCall)) {
	s := &w.inner
	if it.toolCalls != nil {
		s.Reset(it.toolCalls)
		for s.Array(); s.NextElement(); {
			if call := readCall(s); call.Name != nil {
				f(call)
			}
		}
		w.check(s)
	}
	if it.function != nil {
		s.Reset(it.function)
		if call := readCall(s); call.Name != nil {
			f(call)
		}
		w.check(s)
	}
	if it.content.Kind() == rawjson.Array && mayHave(it.content, "tool_use") && !it.callsBeside() {
		s.Reset(it.content)
		for s.Array(); s.NextElement(); {
			if b := readBlock(s); b.isToolUse() && b.call.Name != nil {
				f(b.call)
			}
		}
		w.check(s)
	}
}

// callsTools tells whether an item is a call, or a message of the model with some.
func (w *Writer) callsTools(it *item) bool {
	some := it.class == isCall
	if it.class == isAssistant {
		if some = isFilled(it.toolCalls); !some {
			w.eachCall(it, func(ToolCall) { some = true })
		}
	}
	return some
}

// isFilled tells at a glance whether a list has elements.
func isFilled(list rawjson.Value) bool {
	if list.Kind() != rawjson.Array {
		return false
	}
	inside := bytes.TrimLeft(list[1:], " \t\r\n")
	return len(inside) > 0 && inside[0] != ']'
}

// mayHave tells whether a word of ASCII may be in v without reading it: it is
// there as it is, or some of its letters may be escaped.
func mayHave(v rawjson.Value, word string) bool {
	return bytes.Contains(v, []byte(word)) || bytes.Contains(v, []byte(`\u00`))
}

func readCall(s *rawjson.Scanner) (call ToolCall) {
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "id":
			call.ID = s.Text(call.ID)
		case "tool_id": // of Datadog; elsewhere it may be the tool's
			if len(call.ID) == 0 {
				call.ID = s.Text(nil)
			}
		case "name":
			call.Name = s.Text(call.Name)
		case "arguments", "args": // the last of LangChain
			call.Arguments = readArguments(s)
		case "function", "custom":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "name":
					call.Name = s.Text(call.Name)
				case "arguments", "input":
					call.Arguments = readArguments(s)
				}
			}
		}
	}
	return call
}

// block is one part of a message's content.
type block struct {
	raw     rawjson.Value // the whole part
	kind    []byte
	text    []byte
	call    ToolCall      // of tool_use
	of      []byte        // the call that a tool_result answers
	result  rawjson.Value // of tool_result
	isError bool
}

func (b *block) isToolUse() bool {
	return string(b.kind) == "tool_use" || string(b.kind) == "server_tool_use"
}
func (b *block) isToolResult() bool { return string(b.kind) == "tool_result" }

// isCall tells a call in any provider's words.
func (b *block) isCall() bool {
	switch string(b.kind) {
	case "function_call", "custom_tool_call", "tool_call":
		return true
	}
	return b.isToolUse()
}

// isText tells a part that has a text. One that is called text and has none lost it,
// or has it in a member that no API knows.
func (b *block) isText() bool {
	switch string(b.kind) {
	case "", "text", "input_text", "output_text":
		return b.text != nil
	}
	return false
}

// isAside tells what the model keeps to itself: signatures in it differ on
// every call.
func (b *block) isAside() bool {
	switch string(b.kind) {
	case "thinking", "redacted_thinking", "reasoning", "reasoning_content": // the last of LangChain's for Bedrock
		return true
	}
	return false
}

// readBlock reads a part: an object, or a bare string.
func readBlock(s *rawjson.Scanner) (b block) {
	if s.Kind() == rawjson.String {
		b.kind, b.text = []byte("text"), s.Text(nil)
		return b
	}
	start := s.Offset()
	more, isNull := false, false
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "type":
			b.kind = s.Text(b.kind)
		case "text":
			b.text = s.Text(b.text)
		case "id":
			b.call.ID = s.Text(b.call.ID)
		case "name":
			b.call.Name = s.Text(b.call.Name)
		case "input":
			b.call.Arguments = s.Value()
		case "tool_use_id":
			b.of = s.Text(b.of)
		case "content":
			b.result = s.Value()
			isNull = b.result == nil
		case "is_error":
			b.isError, _ = s.Bool()
		case "cache_control":
		default:
			more = more || mayTell(s.Kind())
		}
	}
	b.raw = s.Since(start)
	if b.isToolResult() && more && !isNull && b.result == nil {
		b.result = toldElsewhere
	}
	return b
}
