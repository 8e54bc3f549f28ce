package fingerprint

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/fingerprint/volatile"
)

// newLastExchange is for agents that speak of their tools in text, and for what
// a client says behind the results of tools: no identity of tool turns sees
// these, and last-messages tells apart what came before.
func newLastExchange(o Options) (*Identity, error) {
	return named("last-exchange", o, lastExchangePart)
}

const lastExchangePart = "last_exchange"

// exchangePart appends the last answer of the model with what was said behind
// it, where the model has given that answer before: what it says once may be an
// example in the prompt, or a greeting. A tool turn is none: last_turn has it.
// Of an answer that does something in text, what it does is the answer.
func exchangePart(w *Writer, r *Request, dst []byte, _ int, _ string) ([]byte, Cause) {
	if cause := r.needMessages(); cause != Computable {
		return dst, cause
	}
	if r.Messages.Digest != nil {
		return dst, NoMessages
	}
	if !w.turnKept {
		w.lastTurn(r)
	}
	switch w.turnCause {
	case NoToolTurn:
	case Computable:
		return dst, ToolTurn
	default:
		return dst, w.turnCause
	}
	items := r.Messages.Items
	if !r.Messages.Tail {
		items = w.unrolled(r)
	}
	from := w.exchange(items)
	switch {
	case from < 0 && r.Messages.Tail:
		return dst, LossyContent
	case from < 0:
		return dst, NoAnswer
	case w.readItem(items[from]).class == isElsewhere:
		return dst, HistoryElsewhere
	}
	calls, asked, lost := false, false, false // calls of tools in it; lost are those before results
	for _, item := range items[from:] {
		it := w.readItem(item)
		switch {
		case w.callsTools(it):
			calls, asked = true, true
		case w.answers(it):
			calls, lost = calls || it.class == isResult, lost || !asked
		case it.class == isUser: // or the results are of the user's calls
			asked = true
		}
	}
	w.deeds = !calls
	defer func() { w.deeds = false }()
	dst = append(dst, '[')
	answer := len(dst)
	dst, before, cause := w.appendRepeated(dst, items[:from], items[from], calls)
	if cause != Computable {
		return dst, cause
	}
	if lost && !w.mayCallInText(w.readItem(items[from]).content) {
		return dst, LossyContent
	}
	if w.newBetween(items, before, from, dst[answer:]) {
		return dst, NoAnswer
	}
	w.said = false
	return w.appendItems(dst[:answer], answer, items[from:])
}

// exchange is where the last answer begins that something was said behind, -1 if
// there is none. What stands at the very end is no answer yet: clients put the
// first words of one into the model's mouth. Calls that are items of their own
// are one answer with those before them, and with the text that led to them.
func (w *Writer) exchange(items []rawjson.Value) int {
	from, behind := -1, false
	for i, item := range slices.Backward(items) {
		switch w.readItem(item).class {
		case isAside:
		case isAssistant, isElsewhere:
			if behind {
				return i
			}
		case isCall:
			if behind {
				from = i
			}
		default:
			if from >= 0 {
				return from
			}
			behind = true
		}
	}
	return from
}

// mostAnswers is how many answers before the last are looked at: as many as the
// longest round that a counter of rounds finds.
const mostAnswers = 5

// appendRepeated appends an answer that stands among those before it, too, and
// tells where. Between two without calls there must be no call of a tool: what
// came of that is new.
func (w *Writer) appendRepeated(dst []byte, before []rawjson.Value, answer rawjson.Value, calls bool) (_ []byte, at int, cause Cause) {
	content := w.readItem(answer).content
	glance := !calls && !w.rules.lower && (w.rules.mask == nil || w.rules.mask.onlyCallIDs()) && !mayEndInDeed(content)
	from, seen := len(dst), 0
	for i, item := range slices.Backward(before) {
		it := w.readItem(item)
		switch it.class {
		case isAssistant, isCall:
			if seen++; seen > mostAnswers || !calls && w.callsTools(it) {
				return dst, 0, NoAnswer
			}
			if glance && differ(it.content, content) {
				continue
			}
			if len(dst) == from {
				if dst, cause = w.appendMessage(dst, answer); cause != Computable {
					return dst, 0, cause
				}
			}
			if w.spare, cause = w.appendMessage(w.spare[:0], item); cause != Computable {
				return dst, 0, NoAnswer
			}
			if bytes.Equal(w.spare, dst[from:]) {
				return dst, i, Computable
			}
		case isResult:
			if !calls {
				return dst, 0, NoAnswer
			}
		}
	}
	return dst, 0, NoAnswer
}

// differ tells at a glance that two texts are not the same, as most are not: by
// their first letters, where no white space, escape, frame, id of a call or
// reasoning is in the way.
func differ(a, b rawjson.Value) bool {
	if a.Kind() != rawjson.String || b.Kind() != rawjson.String {
		return false
	}
	for i := 1; i < min(len(a), len(b))-1; i++ {
		switch x, y := a[i], b[i]; {
		case x == '\\' || x == '_' || x == '-' || y == '\\':
			return false
		case x != y:
			return chars.IsLetter(x) && chars.IsLetter(y) && chars.IsLetter(a[1]) && chars.IsLetter(b[1]) && !volatile.HasHead(a[1:]) && !volatile.HasHead(b[1:]) &&
				!inPrefix(a[i:]) && !inPrefix(b[i:]) && !mayHave(a, "/think") && !mayHave(b, "/think")
		}
	}
	return false
}

// inPrefix tells whether letters may be of the prefix of a call's id: those differ,
// and what stands for an id does not.
func inPrefix(t []byte) bool {
	for chars.IsLetter(t[0]) {
		t = t[1:] // not to the end: a quote is there
	}
	return t[0] == '_' || t[0] == '-' || bytes.HasPrefix(t, []byte(`\u00`))
}
