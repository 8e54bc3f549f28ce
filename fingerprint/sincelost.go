package fingerprint

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// appendSince appends to a part of an identity, as another, where the step stands of
// which a logger cut or hid something, if nothing but equals of the last turn came since.
// That step is compared with none, and so ends no run: who tests again after each edit,
// and gets the same, was stuck where the edits were cut.
func (w *Writer) appendSince(dst []byte) []byte {
	if w.turn.since == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, `],["since_lost",`...), int64(w.turn.since), 10)
}

// sinceLost is how many items there are up to the calls of that step, 0 if there is none.
func (w *Writer) sinceLost(r *Request) int {
	if w.asSent || !w.mayFollowLost(r.Messages.Items, w.turn.at) {
		return 0
	}
	broken := w.broken
	w.turn, w.earlier = w.earlier, w.turn
	defer func() { w.turn, w.earlier, w.broken = w.earlier, w.turn, broken }()
	last := &w.earlier
	for end := last.at; ; end = w.turn.at {
		items := r.Messages.Items[:w.lastAnswer(r.Messages.Items[:end])]
		switch {
		case w.walkTurn(r, items) != Computable:
			return 0
		case w.turnLost():
			return w.turn.at + 1
		case !w.turn.names(last) || w.writeTurn() != Computable || !bytes.Equal(w.turn.text, last.text):
			return 0
		}
	}
}

// mayFollowLost tells at a glance whether the steps before the turn that begins at one of
// the items, up to the first that is another, may have a mark of what was lost: few have,
// and to read a step costs as much as the turn.
func (w *Writer) mayFollowLost(items []rawjson.Value, at int) bool {
	for i, other := at-1, false; i >= 0; i-- {
		item := items[i]
		if chars.BeginsWithAny(item, prompts) {
			continue
		}
		if chars.HasAny(item, lossWords) {
			return true
		}
		if chars.BeginsWithAny(item, results) || w.answers(w.readItem(item)) {
			later := items[i+len(items)-at]
			other = other || max(len(item)-len(later), len(later)-len(item)) > longestIDs
		} else if it := w.readItem(item); w.callsTools(it) && (other || it.class == isAssistant && !w.callAsMuch(it)) {
			return false
		}
	}
	return false
}

// longestIDs is how much longer a result may be for ids alone.
const longestIDs = 16

// callAsMuch tells whether the calls of a message are as long as those of the last turn,
// whose arguments may stand in another order.
func (w *Writer) callAsMuch(it *item) bool {
	n := 0
	w.eachCall(it, func(call ToolCall) { n += len(call.Name) + len(call.Arguments) })
	for _, call := range w.turn.calls {
		n -= len(call.Name) + len(call.Arguments)
	}
	return n == 0
}

// lossWords are in what loggers leave of a text.
var lossWords = [][]byte{[]byte("runcated"), []byte("RUNCATED"), []byte("EDACTED")}

// lastAnswer is where the last of the items that carry results ends.
func (w *Writer) lastAnswer(items []rawjson.Value) int {
	end := len(items)
	for end > 0 && (chars.BeginsWithAny(items[end-1], prompts) || !w.answers(w.readItem(items[end-1]))) {
		end--
	}
	return end
}

// prompts and results are what messages begin with that have no part in a step, and those
// with results of tools, as most clients write them: a long one is not read again.
var (
	prompts = [][]byte{
		[]byte(`{"role":"system"`), []byte(`{"role": "system"`),
		[]byte(`{"role":"user","content":"`), []byte(`{"role": "user", "content": "`),
	}
	results = [][]byte{[]byte(`{"role":"tool"`), []byte(`{"role": "tool"`)}
)

// turnLost tells whether something was cut out of the turn, or hidden.
func (w *Writer) turnLost() bool {
	return slices.ContainsFunc(w.turn.calls, func(call ToolCall) bool { return w.lossOfArguments(call.Arguments) != Computable }) ||
		slices.ContainsFunc(w.turn.results, func(result toolResult) bool {
			if result.content == nil {
				return false
			}
			w.leaves.Reset(result.content)
			cause, _ := w.lossOfLeaves(&w.leaves)
			return cause != Computable
		})
}

// names tells whether a turn calls the same tools as another.
func (t *turn) names(other *turn) bool {
	return slices.EqualFunc(t.calls, other.calls, func(a, b ToolCall) bool { return bytes.Equal(a.Name, b.Name) })
}
