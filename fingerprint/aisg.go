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
	if err := o.refuse("parts", "mask", "normalize", "limit_keys", "body_hash"); err != nil {
		return nil, err
	}
	return &Identity{Name: "aisg", Reads: ReadsMessages, compute: func(r *Request, w *Writer) Cause {
		switch {
		case r.Caller == nil:
			return NoCaller
		case r.Model == nil:
			return NoModel
		}
		if cause := r.needMessages(); cause != Computable {
			return cause
		}
		dst := append(w.canonical[:0], `{"model": `...)
		dst = appendPythonASCII(dst, r.Model)
		dst = append(dst, `, "texts": [`...)
		items := r.Messages.Items
		items = items[max(0, len(items)-aisgMessages):]
		for i, item := range items {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			cause := w.pythonText(item)
			if cause != Computable {
				w.canonical = dst
				return cause
			}
			w.lowered = appendPythonLower(w.lowered[:0], pythonStrip(w.text))
			dst = appendPythonASCII(dst, w.lowered)
		}
		dst = append(dst, `], "who": `...)
		dst = append(appendPythonASCII(dst, r.Caller), '}')
		w.canonical = dst
		w.emit(dst, hash256)
		return Computable
	}}, nil
}

// pythonText sets w.text to what Python's str() makes of a message's content:
// a list gives the text parts joined by one space, no content at all "".
func (w *Writer) pythonText(item rawjson.Value) Cause {
	w.text = w.text[:0]
	s := &w.scan
	content, some := rawjson.Value(nil), false
	s.Reset(item)
	for s.Object(); s.NextKey(); {
		if string(s.Key) == "content" {
			s.Kind() // skips white space
			start := s.Offset()
			s.Skip()
			content, some = s.Since(start), true
			continue
		}
		s.Skip()
	}
	if !some {
		return Computable
	}
	s = &w.inner
	s.Reset(content)
	switch content.Kind() {
	case rawjson.String:
		w.text = append(w.text, s.Text(nil)...)
		if isPlaceholder(w.text) {
			return RedactedContent
		}
	case rawjson.Array:
		return w.pythonParts(s)
	default:
		text, ok := w.args.append(w.text, content, pythonRepr, nil)
		if w.text = text; !ok {
			return NotCanonical
		}
	}
	return Computable
}

func (w *Writer) pythonParts(s *rawjson.Scanner) Cause {
	some := false
	for s.Array(); s.NextElement(); {
		var text []byte
		isText, isString := false, true
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "type":
				isText = s.Kind() == rawjson.String && string(s.Text(nil)) == "text"
			case "text":
				isString = s.Kind() == rawjson.String
				text = s.Text(nil)
			default:
				s.Skip()
			}
		}
		if !isText {
			continue
		}
		if !isString {
			return NotCanonical // Python's join fails on it
		}
		if some {
			w.text = append(w.text, ' ')
		}
		w.text = append(w.text, text...)
		some = true
	}
	return Computable
}
