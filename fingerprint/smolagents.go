package fingerprint

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// smolagents writes calls as Python does below what the model said of them, or below
// its code: "Calling tools:" and in the next line a list of objects.

var (
	callingTools = []byte("Calling tools:")
	listOfCalls  = []byte("[{'id': '")
)

// calling is what a trimmed answer with such calls does, nil if it has none, or more
// than one list of them, or words above one whose tool is given nothing: see callTags.
func (w *Writer) calling(t spoken) []byte {
	if !bytes.HasSuffix(t.text, []byte("}]")) || bytes.Count(t.text, callingTools) != 1 {
		return nil
	}
	from := bytes.Index(t.text, callingTools)
	if !t.beginsLine(from) || !bytes.HasPrefix(t.trimLeft(t.text[from+len(callingTools):]), listOfCalls) {
		return nil
	}
	if t.text = t.text[from:]; from > 0 && bytes.Contains(t.text, givesNothing) {
		return nil
	}
	return w.cleaner.WithoutListedIDs(w.decoded(t))
}

// A call of a tool that threw is told in the error alone, which stands below the word for
// it in a message of the user: the model's words before it are kept, and where there were
// none one error stands below the other, and the first below what was said before.

var (
	threw     = []byte("Error executing tool ")
	errorLine = []byte("Error:")
	told      = [][]byte{[]byte("New task:"), []byte("Observation:"), []byte("Now proceed and carry out this plan."), errorLine}
	toRetry   = []byte("Now let's retry: take care not to repeat previous errors! If you have retried several times, try a completely different approach.")
)

// addThrown adds the steps that the last messages are of, in ReAct's form, the last first.
func (w *Writer) addThrown(items []rawjson.Value) {
	for _, item := range slices.Backward(items) {
		switch it := w.readItem(item); {
		case it.class == isUser && (len(w.steps) > 0 || mayHave(it.content, string(threw))):
			if rest := w.addErrors(w.onlyText(it.content).trim()); len(rest.text) > 0 {
				return
			}
		case it.class != isAssistant || w.callsTools(it) || w.mayHaveDeed(it.content):
			return
		}
	}
}

// addErrors adds those that a text ends with, and returns what stands before them. Below
// other words than smolagents' own they are a transcript, of which something is asked.
func (w *Writer) addErrors(t spoken) spoken {
	for len(w.steps) < 2*mostExchanges && bytes.Contains(t.text, threw) {
		at := max(0, t.lastLine(t.text, threw))
		before, seen := t, t.text[at:]
		before.text = t.text[:at]
		before = before.trim()
		begin := len(before.text) - len(errorLine)
		call, _, cut := bytes.Cut(seen, []byte("}: "))
		if !cut || !bytes.HasSuffix(before.text, errorLine) || !before.beginsLine(begin) || !bytes.HasSuffix(seen, toRetry) {
			break
		}
		w.addStep(t, "user", observation, []byte(" "), seen)
		w.addStep(t, "assistant", action, []byte(" tool"), t.newline(), actionInput, []byte(" "), call[len(threw):])
		before.text = before.text[:begin]
		t = before.trim()
	}
	if len(t.text) > 0 && !chars.BeginsWithAny(t.text, told) {
		w.steps = w.steps[:0]
	}
	return t
}
