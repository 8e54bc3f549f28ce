package fingerprint

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// newLastExchange is for agents that speak of their tools in text, and for what
// a client says behind the results of tools: no identity of tool turns sees
// these, and last-messages tells apart what came before.
func newLastExchange(o Options) (*Identity, error) { return named("last-exchange", o, "last_exchange") }

// exchangePart appends the last answer of the model with what was said behind
// it. A tool turn is none: last_turn has it.
func exchangePart(w *Writer, r *Request, dst []byte, _ int, _ string) ([]byte, Cause) {
	mask := w.rules.mask
	if !mask.onlyCallIDs() {
		return w.lastExchange(dst, r)
	}
	w.rules.mask = nil // mostly there is none, and the turn is known
	out, cause := w.lastExchange(dst, r)
	w.rules.mask = mask
	if cause == Computable && mayHaveCallID(out[len(dst):]) {
		return w.lastExchange(dst, r)
	}
	return out, cause
}

func (w *Writer) lastExchange(dst []byte, r *Request) ([]byte, Cause) {
	if cause := r.needMessages(); cause != Computable {
		return dst, cause
	}
	if r.Messages.Digest != nil {
		return dst, NoMessages
	}
	if !w.turned {
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
	from := w.exchange(items)
	switch {
	case from < 0 && r.Messages.Tail:
		return dst, LossyContent
	case from < 0:
		return dst, NoAnswer
	}
	w.said = false
	open := byte('[')
	for _, item := range items[from:] {
		if class := w.readItem(item).class; class == isSystem || class == isAside {
			continue
		}
		var cause Cause
		if dst, cause = w.appendMessage(append(dst, open), item); cause != Computable {
			return dst, cause
		}
		open = ','
	}
	if !w.said {
		return dst, LossyContent // roles alone: a logger left the rest out
	}
	return append(dst, ']'), Computable
}

// exchange is where the last answer begins that something was said behind, -1 if
// there is none. What stands at the very end is no answer yet: clients put the
// first words of one into the model's mouth. Calls that are items of their own
// are one answer with those before them, and with the text that led to them.
func (w *Writer) exchange(items []rawjson.Value) int {
	from, behind := -1, false
	for i := len(items) - 1; i >= 0; i-- {
		switch w.readItem(items[i]).class {
		case isSystem, isAside:
		case isAssistant:
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
