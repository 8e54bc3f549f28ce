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
	content    rawjson.Value
	isNull     bool          // a content is there, and null
	toolCalls  rawjson.Value // OpenAI's list
	function   rawjson.Value // OpenAI's older single call
	resultID   []byte        // the call that a tool message or output item answers
	call       ToolCall      // of an item that is a call
	input      []byte        // of a custom or builtin tool
	output     rawjson.Value // of an item that is a result
	class      itemClass
}

// fewItems is how many items a Writer keeps: identities look at the last ones,
// each for itself.
const fewItems = 4

// keptItem is an item that was read.
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
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "role":
			it.role = s.Text(it.role)
		case "type":
			it.kind = s.Text(it.kind)
		case "content":
			it.content = s.Value()
			it.isNull = it.content == nil
		case "tool_calls":
			it.toolCalls = s.Value()
		case "function_call":
			it.function = s.Value()
		case "tool_call_id":
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
			s.Skip()
		}
	}
	_, what := s.Failure()
	it.broken = what != ""
	if string(it.kind) == "custom_tool_call" {
		it.call.Arguments = it.input
	} else if IsBuiltinCall(it.kind) {
		it.call.Name, it.call.Arguments = it.kind, it.input
	}
	it.class = it.tellClass()
}

func (it *item) tellClass() itemClass {
	switch string(it.kind) {
	case "function_call", "custom_tool_call":
		return isCall
	case "function_call_output", "custom_tool_call_output":
		return isResult
	case "reasoning":
		return isAside
	}
	switch {
	case IsBuiltinCall(it.kind):
		return isCall
	case isBuiltinOutput(it.kind):
		return isResult
	}
	switch string(it.role) {
	case "system", "developer":
		return isSystem
	case "assistant", "model":
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
	if it.content.Kind() == rawjson.Array && mayHave(it.content, "tool_use") {
		s.Reset(it.content)
		for s.Array(); s.NextElement(); {
			if b := readBlock(s); b.isToolUse() && b.call.Name != nil {
				f(b.call)
			}
		}
		w.check(s)
	}
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
		case "name":
			call.Name = s.Text(call.Name)
		case "arguments":
			call.Arguments = readArguments(s)
		case "function", "custom":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "name":
					call.Name = s.Text(call.Name)
				case "arguments", "input":
					call.Arguments = readArguments(s)
				default:
					s.Skip()
				}
			}
		default:
			s.Skip()
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

func (b *block) isText() bool {
	switch string(b.kind) {
	case "text", "input_text", "output_text":
		return true
	}
	return len(b.kind) == 0 && b.text != nil
}

// isAside tells what the model keeps to itself: signatures in it differ on
// every call.
func (b *block) isAside() bool {
	switch string(b.kind) {
	case "thinking", "redacted_thinking", "reasoning":
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
		case "is_error":
			b.isError, _ = s.Bool()
		default:
			s.Skip()
		}
	}
	b.raw = s.Since(start)
	return b
}

// appendMessage appends the canonical form of an item: a JSON object with the
// members calls, other, results, role and text, of which only those are there
// that say something. Ids of calls are not part of it: they are new each time.
func (w *Writer) appendMessage(dst []byte, v rawjson.Value) ([]byte, Cause) {
	it := w.readItem(v)
	from := len(dst)
	dst = append(dst, '{')
	n := 0
	lost := Computable
	add := func(call ToolCall) {
		dst = append(dst, open(n, `"calls":[`)...)
		dst = w.appendCall(dst, call)
		n++
		if lost == Computable {
			lost = w.lossOfArguments(call.Arguments)
		}
	}
	known := w.hasTurn()
	if known && w.turn.message == &v[0] {
		dst = w.turn.appendBare(append(dst, `"calls":[`...))
		n = len(w.turn.calls)
	} else {
		w.eachCall(it, add)
	}
	class := it.class
	if class == isCall && it.call.Name != nil {
		add(it.call)
	}
	if lost != Computable {
		return dst[:from], lost
	}
	if n > 0 {
		dst = append(dst, "],"...)
	}
	if known {
		if text := w.turn.textOf(it); text != nil {
			w.said = true
			dst = append(appendRole(dst, it), text...)
			return append(dst, '}'), Computable
		}
	}
	dst, text, cause := w.appendOther(dst, it.content, true)
	if cause == Computable {
		dst, text, cause = w.appendResults(dst, it, text)
	}
	if cause != Computable {
		return dst[:from], cause
	}
	text = w.unframe(text.trim())
	if len(dst) == from+len("{") {
		text = text.orFrames()
	}
	says := len(dst) > from+len("{") || len(text.text) > 0
	if !says && class == isUser && it.kind == nil {
		return dst[:from], LossyContent // nobody asks a model nothing
	}
	w.said = w.said || says
	dst = appendRole(dst, it)
	if dst, cause = w.appendTextMember(dst, text, class == isResult); cause != Computable {
		return dst[:from], cause
	}
	return closeObject(dst), Computable
}

// appendRole appends the member role, with a comma behind it.
func appendRole(dst []byte, it *item) []byte {
	if it.role == nil {
		return dst
	}
	dst = append(dst, `"role":`...)
	return append(rawjson.AppendString(dst, it.role), ',')
}

// open is what goes before the n-th entry of a list.
func open(n int, opening string) string {
	if n == 0 {
		return opening
	}
	return ","
}

// closeObject ends an object whose members each end with a comma.
func closeObject(dst []byte) []byte {
	return append(bytes.TrimSuffix(dst, []byte(",")), '}')
}

// appendContent appends the members that a content has, other and text, each
// with a comma behind it.
func (w *Writer) appendContent(dst []byte, content rawjson.Value, ofResult bool) ([]byte, Cause) {
	dst, text, cause := w.appendOther(dst, content, false)
	if cause != Computable {
		return dst, cause
	}
	return w.appendTextMember(dst, w.unframe(text.trim()).orFrames(), ofResult)
}

// appendOther appends what is no text as the member other, and returns the
// text, which may be in w.text. Of a message, calls and results are left out:
// they have members of their own.
func (w *Writer) appendOther(dst []byte, content rawjson.Value, ofMessage bool) (_ []byte, text spoken, cause Cause) {
	s := &w.inner
	switch content.Kind() {
	case rawjson.Absent, rawjson.Null:
		return dst, text, Computable
	case rawjson.Array:
	case rawjson.String:
		return dst, w.readText(content), Computable
	default:
		// The object that is a result of Google's, or no form that any dialect
		// knows; what it says still counts.
		if cause = w.lossOfArguments(content); cause != Computable {
			return dst, text, cause
		}
		dst = append(dst, `"other":[`...)
		return append(w.appendJSON(dst, content), "],"...), text, Computable
	}
	w.text = w.text[:0]
	others, some := 0, false
	s.Reset(content)
	for s.Array(); s.NextElement(); {
		b := readBlock(s)
		switch {
		case b.isText():
			part := spoken{text: b.text}.trim()
			switch bare := w.unframe(part); {
			case bare.frames != nil:
				text.frames = bare.frames
				continue
			case len(bare.text) < len(part.text):
				b.text = bare.text
			}
			if some {
				w.text = append(w.text, ' ')
			}
			w.text = append(w.text, b.text...)
			some = true
		case b.isAside(), ofMessage && (b.isToolUse() || b.isToolResult()):
		default:
			if cause = w.lossOfPart(&b); cause != Computable {
				return dst, text, cause
			}
			dst = append(dst, open(others, `"other":[`)...)
			dst = w.appendJSON(dst, b.raw)
			others++
		}
	}
	w.check(s)
	if others > 0 {
		dst = append(dst, "],"...)
	}
	text.text = w.text
	return dst, text, Computable
}

// appendTextMember appends a trimmed text. That of a tool's result may have
// been cut before it was sent; a log that holds the body as sent shows no other
// cut.
func (w *Writer) appendTextMember(dst []byte, text spoken, ofResult bool) ([]byte, Cause) {
	if cause := text.loss(ofResult && w.asSent); cause != Computable {
		return dst, cause
	}
	if len(text.text) > 0 {
		dst = append(dst, `"text":`...)
		dst = append(w.appendSpoken(dst, text), ',')
	}
	return dst, Computable
}

// appendResults appends the results that an item carries: tool_result parts of
// its content, and its output. It uses w.text, and returns the text where it
// stands afterwards.
func (w *Writer) appendResults(dst []byte, it *item, text spoken) ([]byte, spoken, Cause) {
	parts := it.content.Kind() == rawjson.Array && mayHave(it.content, "tool_result")
	if !parts && it.output == nil {
		return dst, text, Computable
	}
	w.outer = append(w.outer[:0], text.text...)
	text.text = w.outer
	n := 0
	var cause Cause
	if parts {
		s := &w.results
		s.Reset(it.content)
		for s.Array(); s.NextElement(); {
			b := readBlock(s)
			if !b.isToolResult() {
				continue
			}
			dst = append(dst, open(n, `"results":[`)...)
			if dst, cause = w.appendResult(dst, b.result, b.isError); cause != Computable {
				return dst, text, cause
			}
			n++
		}
	}
	if it.output != nil {
		dst = append(dst, open(n, `"results":[`)...)
		if dst, cause = w.appendResult(dst, it.output, false); cause != Computable {
			return dst, text, cause
		}
		n++
	}
	if n > 0 {
		dst = append(dst, "],"...)
	}
	return dst, text, Computable
}

// appendResult appends a tool's result as an object.
func (w *Writer) appendResult(dst []byte, result rawjson.Value, isError bool) ([]byte, Cause) {
	dst = append(dst, '{')
	if isError {
		dst = append(dst, `"error":true,`...)
	}
	dst, cause := w.appendContent(dst, result, true)
	return closeObject(dst), cause
}

// appendCall appends a call as an object: name and canonical arguments, or raw
// where they are not JSON.
func (w *Writer) appendCall(dst []byte, call ToolCall) []byte {
	dst = append(dst, '{')
	dst = w.appendCallMembers(dst, call)
	return append(dst, '}')
}

func (w *Writer) appendCallMembers(dst []byte, call ToolCall) []byte {
	if call.Arguments != nil {
		from := len(dst)
		dst = append(dst, `"arguments":`...)
		var ok bool
		if dst, ok = w.args.append(dst, call.Arguments, jcs, w.rules.mask); ok {
			dst = append(dst, ',')
		} else {
			dst = dst[:from]
		}
		dst = append(dst, `"name":`...)
		dst = rawjson.AppendString(dst, call.Name)
		if !ok {
			dst = append(dst, `,"raw":`...)
			dst = w.appendText(dst, call.Arguments)
		}
		return dst
	}
	dst = append(dst, `"name":`...)
	return rawjson.AppendString(dst, call.Name)
}

// appendJSON appends a logged value in its canonical form.
func (w *Writer) appendJSON(dst []byte, v rawjson.Value) []byte {
	out, ok := w.args.append(dst, v, jcs, w.rules.mask)
	if !ok {
		return rawjson.AppendString(dst, v)
	}
	return out
}

// appendText appends text as a JSON string, by the identity's rules for text.
func (w *Writer) appendText(dst, text []byte) []byte {
	if w.rules.lower {
		w.lowered = appendPythonLower(w.lowered[:0], text)
		text = w.lowered
	}
	if w.rules.mask != nil {
		w.masked = w.rules.mask.append(w.masked[:0], text)
		text = w.masked
	}
	return rawjson.AppendString(dst, text)
}

// textRules are what a rule asks to be done with text before hashing.
type textRules struct {
	mask  mask
	lower bool
}

// plain says that nothing is asked: so is most of what identities share.
func (r *textRules) plain() bool { return r.mask == nil && !r.lower }
