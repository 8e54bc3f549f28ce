package fingerprint

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// marks are what LiteLLM leaves of what it took out of the middle of a text.
var marks = [][]byte{[]byte("(litellm_truncated "), []byte(";base64,[base64_data truncated: ")}

// lossOf is why a text, without white space at its ends, is not what was said:
// it is a placeholder, or a logger cut it and said so. A cut at the end may be
// the writer's own; ownEnd says that it is.
func lossOf(text []byte, ownEnd bool) Cause {
	if cause := placeholder(text); cause != Computable {
		return cause
	}
	if !ownEnd && endsCut(text) || chars.HasAny(text, marks) {
		return TruncatedContent
	}
	return Computable
}

// endsCut tells a text whose end was taken away, and that says so: [truncated]
// and the like, or dots and (truncated).
func endsCut(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	c := text[len(text)-1]
	if c != ']' && c != '>' && c != ')' {
		return false
	}
	before, label, rest := endLabel(text)
	if len(rest) > 0 || hidden(label) != TruncatedContent {
		return false
	}
	before = trimLines(before)
	return c != ')' || bytes.HasSuffix(before, []byte("...")) || bytes.HasSuffix(before, []byte("…"))
}

// endLabel is the label before the closing bracket that a text ends with, nil if there is
// none, with what stands before it and, if that is in other brackets, behind it.
func endLabel(text []byte) (before, label, rest []byte) {
	end := text[max(0, len(text)-longestPlaceholder):]
	start := bytes.LastIndexByte(end, opening(text[len(text)-1]))
	if start < 0 {
		return text, nil, nil
	}
	label, rest = cutLabel(end[start:])
	return end[:start], label, rest
}

// trimLines takes blanks and ends of lines off the end of a text, be it the
// verbatim form of one.
func trimLines(text []byte) []byte {
	for {
		less := bytes.TrimSuffix(bytes.TrimRight(text, " \n"), []byte(`\n`))
		if len(less) == len(text) {
			return text
		}
		text = less
	}
}

// lossOfPart is why a part of a message that is no text, such as an image, is
// not what was sent: something in it was replaced or cut, or it says no more
// than what kind of part it is.
func (w *Writer) lossOfPart(part *block) Cause {
	s := &w.leaves
	s.Reset(part.raw)
	cause, said := w.lossOfLeaves(s, false)
	w.check(s)
	if !said && part.kind != nil {
		return LossyContent
	}
	return cause
}

// lossOfLeaves looks at every text of the value that comes next, but for those that
// say what kind of content it is. It is said that there is content if any is some.
func (w *Writer) lossOfLeaves(s *rawjson.Scanner, ownEnd bool) (loss Cause, said bool) {
	note := func() {
		cause, some := w.lossOfLeaves(s, ownEnd)
		if loss == Computable {
			loss = cause
		}
		said = said || some
	}
	switch s.Kind() {
	case rawjson.Object:
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "type", "mime_type", "media_type", "mimeType", "mediaType", "modality", "detail", "format", "cache_control":
			default:
				note()
			}
		}
	case rawjson.Array:
		for s.Array(); s.NextElement(); {
			note()
		}
	case rawjson.String:
		v := s.Value()
		if len(v) < len(`""`) {
			return Computable, false
		}
		text := v[1 : len(v)-1]
		return w.lossOfLeaf(text, ownEnd), len(text) > 0
	case rawjson.Number, rawjson.Bool:
		s.Skip()
		return Computable, true
	default:
		s.Skip()
	}
	return loss, said
}

// lossOfLeaf is lossOf for a text as JSON that may be very long: data of an
// image ends like base64, or somebody wrote something else there. Of a long one
// the beginning and the end are looked at, decoded: loggers escape what marks
// are made of, brackets and dots in one character. Those of the middle are plain.
func (w *Writer) lossOfLeaf(inner []byte, ownEnd bool) Cause {
	w.leaf, _ = rawjson.AppendText(w.leaf[:0], inner[:min(len(inner), longestEscaped)])
	isData := bytes.HasPrefix(w.leaf, []byte("data:")) && bytes.Contains(w.leaf[:min(len(w.leaf), longestPlaceholder)], []byte(";base64,"))
	long := len(inner) > longestEscaped || len(w.leaf) > longestPlaceholder
	if from := len(inner) - longestEscaped; from > 0 {
		if endsInEscape(inner[:from+1]) {
			from++
		}
		w.leaf, _ = rawjson.AppendText(w.leaf[:0], inner[from:])
	}
	text := bytes.TrimSpace(w.leaf)
	switch {
	case !isData && !long:
		return lossOf(text, ownEnd)
	case isData && !endsInBase64(text), !isData && !ownEnd && endsCut(text), chars.HasAny(inner, marks):
		return TruncatedContent
	}
	return Computable
}

func endsInBase64(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	c := text[len(text)-1]
	return chars.IsLetter(c) || chars.IsDigit(c) || c == '+' || c == '/' || c == '=' || c == '-' || c == '_'
}

// lossOfArguments is why arguments are not what was called: they are a placeholder, or
// all that is in them is, or something was cut out of their middle.
func (w *Writer) lossOfArguments(arguments []byte) Cause {
	if len(arguments) > longestPlaceholder && chars.HasAny(arguments, marks) {
		return TruncatedContent
	}
	if beginsWithContent(arguments) {
		return Computable
	}
	if cause := placeholder(arguments); cause != Computable {
		return cause
	}
	w.leaves.Reset(arguments)
	cause, _ := w.onlyPlaceholders(&w.leaves)
	return cause
}

// beginsWithContent tells arguments whose first value is a number, or a text
// that begins like none of the placeholders. It is most of them, and cheap.
func beginsWithContent(arguments []byte) bool {
	colon := bytes.IndexByte(arguments, ':')
	if colon < len(`{"`) || arguments[0] != '{' || arguments[colon-1] != '"' {
		return false
	}
	value := arguments[colon+1:]
	for len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	if len(value) < 2 {
		return false
	}
	c := value[0]
	if c == '"' {
		c = value[1] | ' '
		return chars.IsLetter(c) && c != 'r' && c != 'd' // redacted, default-message-value
	}
	return chars.IsDigit(c) || c == '-' || c == 't' || c == 'f'
}

// onlyPlaceholders is what stands in the place of all texts of the value that
// comes next. It is done with the first that says something.
func (w *Writer) onlyPlaceholders(s *rawjson.Scanner) (found Cause, done bool) {
	var cause Cause
	switch s.Kind() {
	case rawjson.Object:
		for s.Object(); s.NextKey(); {
			if cause, done = w.onlyPlaceholders(s); done {
				return Computable, true
			}
			found = max(found, cause)
		}
	case rawjson.Array:
		for s.Array(); s.NextElement(); {
			if cause, done = w.onlyPlaceholders(s); done {
				return Computable, true
			}
			found = max(found, cause)
		}
	case rawjson.String:
		found = w.placeholderIn(s.Value())
		return found, found == Computable
	case rawjson.Null:
		s.Skip()
	default:
		return Computable, true
	}
	return found, false
}

// isAsSent tells whether the log has the body as the client sent it, and thereby the
// messages: not where a logger emptied, hid or cut it.
func (r *Request) isAsSent() bool {
	body := bytes.TrimSpace(r.Body)
	return len(body) > 0 && body[0] == '{' && body[len(body)-1] == '}'
}

// lossOfBody is why a body, of which the log has no hash, is not what was sent:
// the logger lost it, or hid it, or the last of what it says.
func (w *Writer) lossOfBody(r *Request) Cause {
	switch r.Lost {
	case TruncatedContent, RedactedContent, EncryptedContent, SpooledBody: // the others are of messages alone
		return r.Lost
	}
	if cause := placeholder(r.Body); cause != Computable {
		return cause
	}
	n := len(r.Messages.Items)
	if n == 0 || len(r.Body) == 0 || r.Body[0] != '{' {
		return Computable // they do not stand in the body
	}
	last := r.Messages.Items[n-1]
	var cause Cause
	switch it := w.readItem(last); it.content.Kind() {
	case rawjson.String:
		cause = w.placeholderIn(it.content)
	case rawjson.Array:
		if len(last) <= longestRedacted {
			w.spare, cause = w.appendMessage(w.spare[:0], last)
		}
	}
	if cause != RedactedContent {
		return Computable
	}
	return cause
}

// longestRedacted is how long a message of several parts may be of which all
// was redacted: its role and ids stay.
const longestRedacted = 512
