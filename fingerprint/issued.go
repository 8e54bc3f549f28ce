package fingerprint

import "slices"

// issued are the calls that the model issued in answer to a request.
type issued struct {
	calls []ToolCall
	cause Cause

	ids  arena  // texts of calls that were taken from the messages
	text []byte // the calls as JSON, with commas between
	ends []int  // of each in text; empty if they are not written

	remarked bool // some call in text has remarks
}

// issuedCalls are the calls that the model issued in answer to r: those of the
// response or, where the log has no responses, those of the last assistant
// message of a request that did not fail. They are kept in w, for the next identity that asks
// for them.
func (w *Writer) issuedCalls(r *Request) ([]ToolCall, Cause) {
	if !w.issuedKept {
		calls, cause := w.findIssued(r)
		for i := 0; i < len(calls) && cause == Computable; i++ {
			cause = w.lossOfArguments(calls[i].Arguments) // else they could not be told from others of the tool
		}
		if cause != Computable {
			calls = nil
		}
		w.issued.calls, w.issued.cause, w.issued.ends = calls, cause, w.issued.ends[:0]
		w.issuedKept = !w.broken
	}
	return w.issued.calls, w.issued.cause
}

func (w *Writer) findIssued(r *Request) ([]ToolCall, Cause) {
	if r.ToolCallsLogged {
		if len(r.ToolCalls) == 0 {
			return nil, NoToolCall
		}
		return r.ToolCalls, Computable
	}
	if cause := r.needMessages(); cause != Computable {
		return nil, cause
	}
	if r.Status >= 400 { // the request that is answered has the last calls again
		return nil, NoToolCall
	}
	w.calls = w.calls[:0]
	t := &w.turn
	t.forget()
	w.turnKept = false
walk:
	for i, v := range slices.Backward(r.Messages.Items) {
		switch it := w.readItem(v); it.class {
		case isResult:
			t.results = append(t.results, toolResult{of: t.ids.keep(it.resultID)})
		case isAssistant, isCall:
			t.sortResults()
			w.turnCalls(r.Messages.Items, i)
			w.calls = append(w.calls, t.calls...)
			break walk
		case isElsewhere:
			return nil, HistoryElsewhere
		}
	}
	// The last turn may be looked for while the calls are written.
	t.ids, w.issued.ids = w.issued.ids, t.ids
	if len(w.calls) == 0 {
		return nil, NoToolCall
	}
	return w.calls, Computable
}

// appendIssued appends the issued calls from one up to another as appendCall
// does, with commas between. They are written once, as they were sent, for all
// identities that have them plainly.
func (w *Writer) appendIssued(dst []byte, from, to int, asSent bool) []byte {
	i := &w.issued
	if w.rules.plain() && len(i.ends) == 0 {
		i.text, i.remarked = i.text[:0], false
		for k, call := range i.calls {
			i.text = w.appendCall(append(i.text, open(k, "")...), call, true)
			i.ends = append(i.ends, len(i.text))
			i.remarked = i.remarked || w.args.remarked
		}
	}
	if !w.rules.plain() || i.remarked && !asSent {
		for k, call := range i.calls[from:to] {
			dst = w.appendCall(append(dst, open(k, "")...), call, asSent)
		}
		return dst
	}
	return append(dst, i.text[startOf(i.ends, from):i.ends[to-1]]...)
}
