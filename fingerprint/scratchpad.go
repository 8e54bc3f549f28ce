package fingerprint

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// Agents in ReAct's form may have all that was said and done before in the message of the
// user, as LangChain's and langchaingo's do: below the question a thought with its action
// and what was observed, step by step. To models behind a chat each of these is an answer
// with a message of the client, and so they are here.

// Lines of a scratchpad begin with these.
var observed, thought = []byte("Observation:"), []byte("Thought:")

// unrolled are the last steps of a scratchpad as messages, the answer first, or the items
// themselves if they have none of two steps.
func (w *Writer) unrolled(items []rawjson.Value) []rawjson.Value {
	t := w.scratchpad(items)
	if t.text == nil {
		return items
	}
	w.steps = w.steps[:0]
	add := func(role string, text []byte) {
		from := len(w.bare)
		w.bare = append(append(append(w.bare, `{"role":"`...), role...), `","content":`...)
		if t.verbatim {
			w.bare = append(append(append(w.bare, '"'), text...), '"')
		} else {
			w.bare = rawjson.AppendString(w.bare, text)
		}
		w.bare = append(w.bare, '}')
		w.steps = append(w.steps, w.bare[from:len(w.bare):len(w.bare)])
	}
	rest := t.text
	for range mostExchanges {
		at := t.lastLine(rest, observed)
		if at < 0 {
			break
		}
		said, answer := t.cutLine(rest[at:], thought)
		if answer == nil && len(w.steps) > 0 {
			said, answer = t.cutLine(rest[at:], action)
		}
		if len(w.steps) > 0 {
			if answer == nil {
				break
			}
			add("assistant", answer)
		}
		add("user", said)
		rest = rest[:at]
	}
	at := t.lastLine(rest, thought)
	if at < 0 {
		at = t.lastLine(rest, action)
	}
	if at >= 0 {
		add("assistant", rest[at:])
	}
	slices.Reverse(w.steps)
	return w.steps
}

// scratchpad is the text of a message that ends with one, of two steps or more, if the
// model has said nothing before it; no text if there is none.
func (w *Writer) scratchpad(items []rawjson.Value) (t spoken) {
	if len(items) == 0 || len(items) > fewItems {
		return t
	}
	for _, v := range items {
		if class := w.readItem(v).class; class != isUser && class != isSystem {
			return t
		}
	}
	it := w.readItem(items[len(items)-1])
	if it.class != isUser || it.content.Kind() != rawjson.String || bytes.Count(it.content, observed) < 2 {
		return t
	}
	return w.readText(it.content).trim()
}

// lastLine is where the last line of a text begins that begins with a word, -1 if none
// does.
func (t spoken) lastLine(text, word []byte) int {
	t.text = text
	for at := bytes.LastIndex(text, word); at >= 0; at = bytes.LastIndex(text[:at], word) {
		if t.beginsLine(at) {
			return at
		}
	}
	return -1
}

// cutLine cuts a text before the first line behind its first that begins with a word; behind
// is nil if there is none.
func (t spoken) cutLine(text, word []byte) (before, behind []byte) {
	t.text = text
	for at := 1; at < len(text); at++ {
		n := bytes.Index(text[at:], word)
		if n < 0 {
			break
		}
		if at += n; t.beginsLine(at) {
			return text[:at], text[at:]
		}
	}
	return text, nil
}
