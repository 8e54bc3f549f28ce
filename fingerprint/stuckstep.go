package fingerprint

// newStuckStep gives one fingerprint per request: all calls that the model
// issued, and the whole tool turn it answers, with what the user replied last before
// it: who asks for news has the agent take the same step again. With parallel calls a
// fingerprint each would never repeat in a row. Where the provider keeps the
// history, a request has the results of the turn alone: what they are of is
// what the step before issued.
func newStuckStep(o Options) (*Identity, error) {
	id, err := named("stuck-step", o, toolCallPart, "last_turn") // for its checks of o
	if err != nil {
		return nil, err
	}
	id.compute = func(r *Request, w *Writer) Cause {
		if !r.ToolCallsLogged {
			return NoResponse
		}
		calls, cause := w.issuedCalls(r)
		if cause != Computable {
			return cause
		}
		dst := w.appendIssued(append(w.canonical[:0], `[["tool_calls",[`...), 0, len(calls), false)
		w.canonical = append(dst, `]],["last_turn",`...)
		cause = w.lastTurn(r)
		switch {
		case cause == Computable:
			if w.canonical, cause = w.appendReply(w.appendSince(w.appendTurn(w.canonical)), r.Messages.Items[:w.turn.at+1]); cause != Computable {
				return cause
			}
		case !w.turn.callsElsewhere():
			return cause
		case w.turn.loose != Computable:
			return w.turn.loose
		default:
			w.canonical = w.appendTurn(w.canonical)
		}
		w.emit(append(w.canonical, "]]"...), hash128)
		w.called(calls...)
		return Computable
	}
	return id, nil
}
