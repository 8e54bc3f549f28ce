package fingerprint

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// mostExchanges is how far back it is looked whether something came before.
const mostExchanges = 64

// newBetween tells whether something came between two equal answers that has come
// of nothing else: an agent that says "now the next one" before each step of its
// work repeats itself, and is not stuck. The second time nothing tells that from
// the first round of several. Where the answers do something, words in between are
// no work.
func (w *Writer) newBetween(items []rawjson.Value, first, last int, answer []byte) bool {
	if w.answer(items[:last]) <= first {
		return false
	}
	w.spare, _ = w.appendMessage(w.spare[:0], items[last])
	does := w.acts || !w.deeds       // the answer
	var kept [mostAnswers + 1][]byte // from the last exchange back to the first in between
	n, unknown := 0, uint(0)         // one bit for each that is new so far
	third, lost, worked := false, false, false
	w.outcome = w.outcome[:0]
	for end, looked := len(items), 0; looked < mostExchanges; looked++ {
		from := w.answer(items[:end])
		if from < 0 || from <= first && unknown == 0 && !lost {
			break
		}
		start := len(w.outcome)
		if !w.appendOutcome(items[from:end]) && from > first {
			lost = true
		}
		known := does && w.onlyWords(items[from:end])
		worked = worked || !known && from > first && end <= last
		outcome := w.outcome[start:]
		for i := range n {
			if bytes.Equal(outcome, kept[i]) {
				known, unknown = true, unknown&^(1<<i)
			}
		}
		if from > first {
			if kept[n] = outcome; !known && end <= last {
				unknown |= 1 << n
			}
			n++
		} else {
			w.outcome = w.outcome[:start]
		}
		if from < first && !third {
			w.spare, _ = w.appendMessage(w.spare[:0], items[from])
			third = bytes.Equal(w.spare, answer)
		}
		end = from
	}
	return third && (unknown != 0 || lost && worked)
}

// answer is where the last answer begins, -1 if there is none.
func (w *Writer) answer(items []rawjson.Value) int {
	from := -1
	for i, item := range slices.Backward(items) {
		switch w.readItem(item).class {
		case isAside:
		case isAssistant, isCall:
			from = i
		default:
			if from >= 0 {
				return from
			}
		}
	}
	return from
}

// appendOutcome appends to w.outcome what came of an answer, with what was done for
// it, or may have been; words alone do nothing. It tells whether all of that is in the log,
// as far as is seen at a glance.
func (w *Writer) appendOutcome(exchange []rawjson.Value) bool {
	for _, item := range exchange {
		if w.mayBeLost(item) {
			return false
		}
		it := w.readItem(item)
		if it.class == isAside {
			continue
		}
		may := it.class == isAssistant && w.mayHaveDeed(it.content)
		from := len(w.outcome)
		var cause Cause
		if w.outcome, cause = w.appendMessage(w.outcome, item); cause != Computable {
			return false
		}
		if !w.acts && !may {
			w.outcome = w.outcome[:from]
		}
	}
	return true
}

// onlyWords tells whether an answer, with what was said behind it, surely does nothing:
// what comes of that is a client that asks for something to be done.
func (w *Writer) onlyWords(exchange []rawjson.Value) bool {
	return !slices.ContainsFunc(exchange, func(item rawjson.Value) bool {
		it := w.readItem(item)
		return it.class == isResult || w.callsTools(it) || it.class == isAssistant && (w.mayHaveDeed(it.content) || w.mayBeLost(item))
	})
}
