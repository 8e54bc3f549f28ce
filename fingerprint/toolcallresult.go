package fingerprint

// newToolCallResult gives one fingerprint per call of the last tool turn,
// together with its result: an agent that polls gets other results and other
// fingerprints. What one answer asks for more than once is no repetition: the
// agent has not seen what comes of it yet.
func newToolCallResult(o Options) (*Identity, error) {
	id, err := named("tool-call-result", o, "last_turn") // for its checks of o
	if err != nil {
		return nil, err
	}
	id.compute = func(r *Request, w *Writer) Cause {
		if cause := w.lastTurn(r); cause != Computable {
			return cause
		}
		for _, k := range w.turn.different() {
			dst := append(append(w.canonical[:0], `[["tool_call_result",`...), w.turn.textAt(k)...)
			w.emit(append(w.appendSince(dst), "]]"...), hash128)
			w.called(w.turn.calls[k])
		}
		return Computable
	}
	return id, nil
}
