package fingerprint

import (
	"crypto/sha256"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/fingerprint/volatile"
)

// conversation is the session where the log has one; the agent in it goes with
// that in a scope. Otherwise conversations are told apart by how they begin:
// caller, end user where the log names one, system prompt but for times of day,
// which some tell the model anew with each request, and first user message, but for the
// steps that were added to it. That can mix sessions that began alike.
func conversation(r *Request, _ string, w *Writer) ([]byte, Cause) {
	if r.hasSession() {
		return r.Session, Computable
	}
	if r.Lost != Computable {
		return nil, r.Lost
	}
	if !r.Messages.Logged || len(r.Messages.Items) == 0 || r.Messages.Tail {
		return nil, NoConversation
	}
	if name := w.begun(r); name != nil {
		return name, Computable
	}
	dst := append(w.canonical[:0], '[')
	dst = append(rawjson.AppendString(dst, r.Caller), ',')
	if user, cause := present(r.User, NoUser); cause == Computable {
		dst = append(rawjson.AppendString(dst, user), ',')
	}
	// system goes on with a system prompt, of which some hide all it says.
	system := func(dst []byte, from int, cause Cause) ([]byte, Cause) {
		if cause == RedactedContent {
			return dst[:from], Computable
		}
		volatile.ZeroClocks(dst[from:])
		return dst, cause
	}
	dst = append(dst, '{')
	n := len(dst)
	dst, cause := w.appendContent(dst, r.Messages.System, false)
	dst, cause = system(dst, n, cause)
	dst = closeObject(dst)
	messages := 0 // up to the first of the user, 0 if there is none
	for i, v := range r.Messages.Items {
		if cause != Computable {
			break
		}
		it := w.readItem(v)
		class := it.class
		if class == isUser && i == len(r.Messages.Items)-1 {
			v = w.withoutSteps(r.Messages.Items)
		}
		if class == isSystem || class == isUser {
			n = len(dst)
			dst, cause = w.appendMessage(append(dst, ','), v)
		}
		if class == isSystem {
			dst, cause = system(dst, n, cause)
		}
		if class == isUser {
			messages = i + 1
			break
		}
	}
	w.canonical = append(dst, ']')
	if cause != Computable {
		return nil, cause
	}
	sum := sha256.Sum256(w.canonical)
	if w.mac != nil { // it is a hash of a prompt
		sum = w.keyed(w.canonical).sum
	}
	name := w.nameOf("conv-", sum)
	if messages > 0 && !w.broken {
		w.begin(r, messages, name)
	}
	return name, Computable
}
