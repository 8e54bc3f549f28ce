package fingerprint

// newStuckStep gives one fingerprint per request: all calls that the model
// issued, and the whole tool turn it answers. With parallel calls a
// fingerprint each would never repeat in a row.
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
		if cause = w.lastTurn(r); cause != Computable {
			return cause
		}
		w.emit(append(w.appendTurn(w.canonical), "]]"...), hash128)
		w.called(calls...)
		return Computable
	}
	return id, nil
}
