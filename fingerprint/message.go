package fingerprint

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// appendMessage appends the canonical form of an item: a JSON object with the
// members calls, images, other, results, role and text, of which only those are
// there that say something. Ids of calls are not part of it: they are new each time.
func (w *Writer) appendMessage(dst []byte, v rawjson.Value) ([]byte, Cause) {
	it := w.readItem(v)
	from := len(dst)
	dst = append(dst, '{')
	n := 0
	lost := Computable
	add := func(call ToolCall) {
		dst = append(dst, open(n, `"calls":[`)...)
		dst = w.appendCall(dst, call, false)
		n++
		if lost == Computable {
			lost = w.lossOfArguments(call.Arguments)
		}
	}
	if w.hasTurn() && len(v) > 0 && w.turn.message == &v[0] {
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
	w.acts = class != isAssistant || n > 0
	if class == isElsewhere { // another id is another item
		w.said = true
		return append(w.appendJSON(append(dst, `"other":[`...), v), "]}"...), Computable
	}
	if n > 0 {
		dst = append(dst, "],"...)
	}
	if text := w.writtenResult(it); text != nil {
		w.said = true
		dst = append(appendRole(dst, it), text...)
		return append(dst, '}'), Computable
	}
	dst, cause := w.appendImages(dst, it)
	var text spoken
	if cause == Computable {
		dst, text, cause = w.appendOther(dst, it.content, it)
	}
	if cause == Computable {
		dst, text, cause = w.appendResults(dst, it, text)
	}
	if cause != Computable {
		return dst[:from], cause
	}
	text = w.bared(text.trim(), it)
	if w.deeds && !w.acts {
		if deed := w.deed(text); deed.text != nil {
			text, w.acts = deed, true
		}
	}
	if len(dst) == from+len("{") {
		text = text.orFrames()
	}
	says := len(dst) > from+len("{") || len(text.text) > 0
	if !says && class == isUser && (it.kind == nil || it.langChain.is) {
		return dst[:from], LossyContent // nobody asks a model nothing
	}
	w.said = w.said || says
	dst = appendRole(dst, it)
	if dst, cause = w.appendTextMember(dst, text, class == isResult); cause != Computable {
		return dst[:from], cause
	}
	return closeObject(dst), Computable
}

// appendImages appends the images that stand beside a content.
func (w *Writer) appendImages(dst []byte, it *item) ([]byte, Cause) {
	if it.images.Kind() != rawjson.Array {
		return dst, Computable
	}
	s := &w.leaves
	s.Reset(it.images)
	cause, some := w.lossOfLeaves(s, false)
	w.check(s)
	if cause != Computable || !some {
		return dst, cause
	}
	dst = append(dst, `"images":`...)
	return append(w.appendJSON(dst, it.images), ','), Computable
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
	dst, text, cause := w.appendOther(dst, content, nil)
	if cause != Computable {
		return dst, cause
	}
	return w.appendTextMember(dst, w.bared(text.trim(), nil).orFrames(), ofResult)
}

// appendOther appends what is no text as the member other, and returns the
// text, which may be in w.text. Of a message, calls and results are left out:
// they have members of their own. of is nil if it is of none.
func (w *Writer) appendOther(dst []byte, content rawjson.Value, of *item) (_ []byte, text spoken, cause Cause) {
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
			switch bare := w.bared(part, of); {
			case bare.frames != nil:
				text.frames = bare.frames
				continue
			case !bare.is(part):
				b.text = bare.text
			}
			if some {
				w.text = append(w.text, ' ')
			}
			w.text = append(w.text, b.text...)
			some = true
		case b.isAside(), of != nil && (b.isToolUse() || b.isToolResult() || b.isCall() && of.callsBeside()):
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

// bared is a trimmed text without what is no part of what was said. of is the
// message that it is the text of, nil if it is that of a result.
func (w *Writer) bared(t spoken, of *item) spoken {
	if of != nil && of.class == isAssistant {
		t = w.withoutReasoning(t)
	}
	call := w.of
	if of != nil {
		call = of.resultID
	}
	rest, frames := w.cleaner.Unframe(t.logged())
	if frames != nil {
		t = spoken{frames: frames}
	}
	if of == nil || of.class == isResult || chars.BeginsWithAny(rest.Bytes, observations) {
		rest = w.cleaner.Result(rest, call, w.isError)
	}
	return t.with(rest)
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
			if dst, cause = w.appendResult(dst, toolResult{of: b.of, content: b.result, isError: b.isError}); cause != Computable {
				return dst, text, cause
			}
			n++
		}
	}
	if it.output != nil {
		dst = append(dst, open(n, `"results":[`)...)
		if dst, cause = w.appendResult(dst, toolResult{of: it.resultID, content: it.output}); cause != Computable {
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
func (w *Writer) appendResult(dst []byte, r toolResult) ([]byte, Cause) {
	dst = append(dst, '{')
	if r.isError {
		dst = append(dst, `"error":true,`...)
	}
	w.of, w.isError = r.of, r.isError
	dst, cause := w.appendContent(dst, r.content, true)
	w.of, w.isError = nil, false
	return closeObject(dst), cause
}

// appendCall appends a call as an object: name and canonical arguments, or raw
// where they are not JSON. As it was sent it has remarks, too.
func (w *Writer) appendCall(dst []byte, call ToolCall, asSent bool) []byte {
	dst = append(dst, '{')
	dst = w.appendCallMembers(dst, call, asSent)
	return append(dst, '}')
}

func (w *Writer) appendCallMembers(dst []byte, call ToolCall, asSent bool) []byte {
	isJSON := true
	if call.Arguments != nil {
		before := len(dst)
		dst = append(dst, `"arguments":`...)
		from := len(dst)
		if dst, isJSON = w.args.append(dst, call.Arguments, jcs, w.rules.mask); !isJSON {
			dst = dst[:before]
		} else {
			if w.args.remarked && !asSent && w.runsCommands(call.Name, w.args.oneWord) {
				dst, _ = w.args.append(dst[:from], call.Arguments, acts, w.rules.mask)
			}
			dst = append(dst, ',')
		}
	}
	dst = rawjson.AppendString(append(dst, `"name":`...), call.Name)
	if !isJSON {
		dst = w.appendText(append(dst, `,"raw":`...), call.Arguments)
	}
	return dst
}

// appendJSON appends a logged value in its canonical form.
func (w *Writer) appendJSON(dst []byte, v rawjson.Value) []byte {
	out, ok := w.args.append(dst, v, jcs, w.rules.mask)
	if !ok {
		return rawjson.AppendString(dst, v)
	}
	return out
}
