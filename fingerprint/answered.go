package fingerprint

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// BeeAI's ReAct agents write what a tool returned into the answer that asked for it, below
// the call: one such answer stands behind the other, and no message of a client between.

var functionName, functionInput, functionOutput = []byte("Function Name:"), []byte("Function Input:"), []byte("Function Output:")

// addAnswered adds the steps that the last messages are, in ReAct's form, the last first.
func (w *Writer) addAnswered(items []rawjson.Value) {
	for _, item := range slices.Backward(items) {
		if len(w.steps) == 2*mostExchanges || !w.addOneAnswered(item) {
			return
		}
	}
}

// addOneAnswered adds those of one message, and tells whether it is one.
func (w *Writer) addOneAnswered(item rawjson.Value) bool {
	it := w.readItem(item)
	if it.class != isAssistant || w.callsTools(it) {
		return false
	}
	t := w.onlyText(it.content).trim()
	answer, observed := t.cutLine(t.text, functionOutput)
	does, given := t.cutLine(answer, functionInput)
	_, name := t.cutLine(does, functionName)
	if observed == nil || given == nil || name == nil {
		return false
	}
	w.addStep(t, "user", observation, observed[len(functionOutput):])
	w.addStep(t, "assistant", action, name[len(functionName):], actionInput, given[len(functionInput):])
	return true
}
