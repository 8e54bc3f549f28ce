package fingerprint

// openRouterJSON is jcs with the depth at which the SDK refuses arguments.
var openRouterJSON = func() *jsonStyle {
	style := *jcs
	style.maxDepth = 64
	return &style
}()

// newOpenRouter is the fingerprint of the OpenRouter agent SDK: SHA-256 of the
// tool's name, a newline and the arguments by RFC 8785. What the SDK refuses
// to canonicalise is not computable.
func newOpenRouter(o Options) (*Identity, error) {
	if err := o.refuse("parts", "mask", "normalize", "limit_keys", "body_hash"); err != nil {
		return nil, err
	}
	return &Identity{Name: "openrouter", Reads: ReadsMessages | ReadsResponse, Sees: SeesCalls, compute: func(r *Request, w *Writer) Cause {
		calls, cause := w.issuedCalls(r)
		for _, call := range calls {
			dst := append(append(w.canonical[:0], call.Name...), '\n')
			dst, ok := w.args.append(dst, call.Arguments, openRouterJSON, nil)
			if !ok {
				w.canonical = dst
				return NotCanonical
			}
			w.emit(dst, hash256)
			w.called(call)
		}
		return cause
	}}, nil
}
