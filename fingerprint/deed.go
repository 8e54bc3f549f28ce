package fingerprint

import (
	"bytes"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// Agents without tools of the API have the model write what is to be done at the
// end of its answer: a block of code (SWE-agent, mini-swe-agent, AutoGen), an
// element that has others for arguments (OpenHands, Cline) or an action (ReAct). The
// words before it are others at each step, though the step is the same. An element
// without others is a value, <done>no</done>, to which the words before it belong,
// unless it is named as a call.

var fence, endTag = []byte("```"), []byte("</")

// callTags name elements that hold a call as JSON: that of Hermes' and Qwen's
// templates, the Darwin Gödel Machine's, and an older one. Where the tool is given
// nothing (wait, go on) the words before it may be the work.
var (
	callTags     = []string{"tool_call", "tool_use", "function_call"}
	givesNothing = []byte("{}")
)

// deed is what a trimmed answer does, without a text if it does nothing: all of it in
// JSON, or at its end its only calls, action, block of code, or element of a name.
func (w *Writer) deed(t spoken) spoken {
	if deed := w.jsonDeed(t); deed != nil {
		return spoken{text: deed}
	}
	if deed := w.calling(t); deed != nil {
		return spoken{text: deed}
	}
	deed := t.action()
	if deed == nil {
		deed = t.block()
	}
	return spoken{text: deed, verbatim: t.verbatim}
}

// block is the block of code or the element that a trimmed answer ends with, nil if it
// ends with none, or has others.
func (t spoken) block() []byte {
	tag, n, end, call := fence, 2, len(t.text), false
	if bytes.HasSuffix(t.text, []byte(">")) {
		if end = bytes.LastIndex(t.text, endTag); end < 0 {
			return nil
		}
		name := t.text[end+len(endTag) : len(t.text)-len(">")]
		if len(name) > longestTag || slices.ContainsFunc(name, func(c byte) bool { return c != '_' && c != '-' && !chars.IsLetter(c) }) {
			return nil
		}
		var open [1 + longestTag]byte
		tag, n, call = append(append(open[:0], '<'), name...), 1, slices.Contains(callTags, string(name)) && !bytes.Contains(t.text, givesNothing)
	} else if !bytes.HasSuffix(t.text, fence) {
		return nil
	}
	if bytes.Count(t.text, tag) != n {
		return nil
	}
	from := bytes.Index(t.text, tag)
	if n == 1 && !call && !bytes.Contains(t.text[from:max(from, end)], endTag) {
		return nil
	}
	if !t.beginsLine(from) {
		return nil
	}
	return t.text[from:]
}

// beginsLine tells whether a line of the text begins at a place, or the text does.
func (t spoken) beginsLine(at int) bool {
	before := spoken{text: t.text[:at], verbatim: t.verbatim}
	return at == 0 || t.endsLine(before.text[len(before.trim().text):])
}

const longestTag = 64

// mayEndInDeed tells at a glance whether an answer may do something at its end.
func mayEndInDeed(content rawjson.Value) bool {
	if content.Kind() != rawjson.String {
		return chars.HasAny(content, deedWords) || bytes.Contains(content, []byte(`\u00`))
	}
	text := bytes.TrimRight(content[:len(content)-1], " ")
	for n := len(text) - 2; n >= 0 && text[n] == '\\' && strings.IndexByte("nrt", text[n+1]) >= 0; n = len(text) - 2 {
		text = bytes.TrimRight(text[:n], " ")
	}
	last := text[len(text)-1]
	return last == '`' || last == '>' || last == ']' || last == '}' || bytes.Contains(text[max(0, len(text)-len(`\u0060`)):], []byte(`\u`)) || bytes.Contains(text, actionInput)
}

// deedWords are in what may do something in text, as it stands in JSON. The last two are
// in Llama's calls.
var deedWords = [][]byte{[]byte(`{\`), []byte(`{ \`), fence, endTag, []byte(`<\/`), action, callingTools, []byte(")]"), []byte("<|python_tag|>")}

// mayHaveDeed tells whether an answer may do something in text.
func (w *Writer) mayHaveDeed(content rawjson.Value) bool {
	if bytes.Contains(content, []byte(`\u00`)) {
		from := len(w.made)
		if w.made, _ = w.args.append(w.made, content, jcs, nil); len(w.made) > from {
			content = w.made[from:]
		}
	}
	return chars.HasAny(content, deedWords)
}
