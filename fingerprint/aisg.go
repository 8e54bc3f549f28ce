package fingerprint

import (
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// aisgMessages is how many messages AISG looks at.
const aisgMessages = 3

// newAISG is AISG's fingerprint: SHA-256 of the text that Python's json.dumps
// makes of caller, model and the last three messages' texts, each as
// str(content).strip().lower().
func newAISG(o Options) (*Identity, error) {
	if err := o.refuseBut(); err != nil {
		return nil, err
	}
	return &Identity{Name: "aisg", Reads: ReadsMessages, compute: func(r *Request, w *Writer) Cause {
		// What became of the messages first: it is mostly why the rest is
		// missing, too.
		switch cause := r.needMessages(); {
		case cause != Computable:
			return cause
		case r.Messages.Reworded: // AISG knows what is called messages
			return NoMessages
		case r.Caller == nil:
			return NoCaller
		case r.Model == nil:
			return NoModel
		case placeholder(r.Caller) != Computable:
			return RedactedContent
		}
		dst := append(w.canonical[:0], `{"model": `...)
		dst = appendPythonASCII(dst, r.Model)
		dst = append(dst, `, "texts": [`...)
		items := r.Messages.Items
		if r.Messages.Tail && len(items) < aisgMessages {
			w.canonical = dst
			return LossyContent
		}
		items = items[max(0, len(items)-aisgMessages):]
		for i, item := range items {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			text, cause := w.pythonText(item)
			if cause != Computable {
				w.canonical = dst
				return cause
			}
			dst = w.appendPythonTextLower(dst, text)
		}
		dst = append(dst, `], "who": `...)
		w.emit(append(appendPythonASCII(dst, r.Caller), '}'), hash256)
		return Computable
	}}, nil
}

// pythonText is what Python's str() makes of a message's content: a list gives
// the text parts joined by one space, no content at all "". A message that is
// no more than a text, which AISG never sees, is that text.
func (w *Writer) pythonText(v rawjson.Value) (text spoken, cause Cause) {
	it := w.readItem(v)
	switch it.content.Kind() {
	case rawjson.Absent:
		if it.isNull {
			text.text = pythonNone
		}
		return text, Computable
	case rawjson.String:
		text = w.readText(it.content)
	case rawjson.Array:
		if text, cause = w.pythonParts(it.content); cause != Computable {
			return text, cause
		}
	default:
		repr, ok := w.args.append(w.text[:0], it.content, pythonRepr, nil)
		if w.text = repr; !ok {
			return text, NotCanonical
		}
		return spoken{text: repr}, Computable
	}
	return text, text.loss(w.asSent)
}

var pythonNone = []byte("None")

func (w *Writer) pythonParts(content rawjson.Value) (_ spoken, cause Cause) {
	some := false
	w.text = w.text[:0]
	s := &w.scan
	s.Reset(content)
	for s.Array(); s.NextElement(); {
		var text []byte
		isText, isString := false, true
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "type":
				isText = string(s.Text(nil)) == "text"
			case "text":
				isString = s.Kind() == rawjson.String
				text = s.Text(nil)
			}
		}
		if !isText {
			continue
		}
		if !isString {
			cause = NotCanonical // Python's join fails on it
		}
		if some {
			w.text = append(w.text, ' ')
		}
		w.text = append(w.text, text...)
		some = true
	}
	w.check(s)
	return spoken{text: w.text}, cause
}

// appendPythonTextLower appends str.lower() of the stripped text as json.dumps
// writes it.
func (w *Writer) appendPythonTextLower(dst []byte, text spoken) []byte {
	if text.verbatim {
		if out, ok := appendPythonLowerVerbatim(dst, trimVerbatim(text.text)); ok {
			return out
		}
		w.text, _ = rawjson.AppendText(w.text[:0], text.text)
		text.text = w.text
	}
	w.lowered = appendPythonLower(w.lowered[:0], pythonStrip(text.text))
	return appendPythonASCII(dst, w.lowered)
}
