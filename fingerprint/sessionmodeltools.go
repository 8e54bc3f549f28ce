package fingerprint

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// newSessionModelTools is Zelyx's: session, model and whether tools were
// offered. Calls without a session share one fingerprint, whatever they are.
func newSessionModelTools(o Options) (*Identity, error) {
	if err := o.refuseBut(); err != nil {
		return nil, err
	}
	return &Identity{Name: "session-model-tools", Reads: ReadsTools, compute: func(r *Request, w *Writer) Cause {
		dst := w.canonical[:0]
		if placeholder(r.Session) != Computable {
			return RedactedContent
		}
		if len(r.Session) == 0 {
			dst = append(dst, `[["session",null]]`...)
		} else {
			dst = append(dst, `[["session",`...)
			dst = rawjson.AppendString(dst, r.Session)
			dst = append(dst, `],["model",`...)
			if r.Model == nil {
				dst = append(dst, "null"...)
			} else {
				dst = rawjson.AppendString(dst, r.Model)
			}
			tools := [...]string{NotLogged: "null", No: "false", Yes: "true"}[r.HasTools]
			dst = append(append(append(dst, `],["has_tools",`...), tools...), "]]"...)
		}
		w.emit(dst, hash128)
		return Computable
	}}, nil
}
