package fingerprint

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/fingerprint/volatile"
)

// spoken is text of a message: decoded or, where the line has it in the form
// in which it will be written, as it stands there. Long texts are mostly the
// latter, and are then neither decoded nor escaped again.
type spoken struct {
	text     []byte
	verbatim bool // text is the inside of a JSON string: see rawjson.Verbatim
	whole    bool // nothing of it is lost, not even at its end: see lossOf

	frames []byte // what was there where nothing is left: see bared
}

// keptText is a verbatim text that was read.
type keptText struct {
	spoken
	of *byte // where it stands in the line; nil if nothing is kept
}

// readText reads a content that is a string. One that is verbatim is trimmed,
// and kept for the next identity; another is valid until the next is read.
func (w *Writer) readText(content rawjson.Value) spoken {
	for i := range w.texts {
		if w.texts[i].of == &content[0] {
			return w.texts[i].spoken
		}
	}
	if inner, ok := content.Verbatim(); ok {
		t := spoken{text: trimVerbatim(inner), verbatim: true}
		t.whole = t.loss(false) == Computable
		w.texts[w.nextText] = keptText{t, &content[0]}
		w.nextText = (w.nextText + 1) % fewItems
		return t
	}
	s := &w.inner
	s.Reset(content)
	text := s.Text(nil)
	w.check(s)
	return spoken{text: text}
}

// firstText is a content that is a text, or its first part that is one.
func (w *Writer) firstText(content rawjson.Value) spoken {
	switch content.Kind() {
	case rawjson.String:
		return w.readText(content)
	case rawjson.Array:
		s := &w.inner
		s.Reset(content)
		for s.Array(); s.NextElement(); {
			if b := readBlock(s); b.isText() {
				return spoken{text: b.text}
			}
		}
	}
	return spoken{}
}

// onlyText is a content that is a text, or has one part and that is one.
func (w *Writer) onlyText(content rawjson.Value) spoken {
	if content.Kind() == rawjson.Array {
		s := &w.inner
		s.Reset(content)
		parts := 0
		for s.Array(); s.NextElement(); parts++ {
			s.Skip()
		}
		if parts > 1 {
			return spoken{}
		}
	}
	return w.firstText(content)
}

// with is t with another text, or t itself if it is no other.
func (t spoken) with(text volatile.Text) spoken {
	u := spoken{text: text.Bytes, verbatim: text.Verbatim}
	if t.is(u) {
		return t
	}
	return u
}

// is tells whether t is the very text that u is.
func (t spoken) is(u spoken) bool {
	return len(t.text) == len(u.text) && (len(t.text) == 0 || &t.text[0] == &u.text[0])
}

// trim is t without white space at its ends.
func (t spoken) trim() spoken {
	if t.verbatim {
		t.text = trimVerbatim(t.text)
	} else {
		t.text = bytes.TrimSpace(t.text)
	}
	return t
}

// trimLeft is text, of t, without white space before it.
func (t spoken) trimLeft(text []byte) []byte {
	if t.verbatim {
		return trimLeftVerbatim(text)
	}
	return bytes.TrimLeftFunc(text, unicode.IsSpace)
}

// orFrames is t or, where it has nothing but frames, these.
func (t spoken) orFrames() spoken {
	if len(t.text) == 0 && t.frames != nil {
		return spoken{text: t.frames}
	}
	return t
}

// decoded is a copy of a text that is good until the next request.
func (w *Writer) decoded(t spoken) []byte { return w.cleaner.Decoded(t.logged()) }

// logged is the text as it stands in the log.
func (t spoken) logged() volatile.Text { return volatile.Text{Bytes: t.text, Verbatim: t.verbatim} }

// loss is lossOf the text.
func (t spoken) loss(ownEnd bool) Cause {
	if t.whole {
		return Computable
	}
	return lossOf(t.trim().text, ownEnd)
}

// appendSpoken appends t as a JSON string, by the identity's rules for text.
func (w *Writer) appendSpoken(dst []byte, t spoken) []byte {
	switch {
	case !t.verbatim:
		return w.appendText(dst, t.text)
	case !w.rules.plain():
		w.text, _ = rawjson.AppendText(w.text[:0], t.text)
		return w.appendText(dst, w.text)
	}
	dst = append(append(dst, '"'), t.text...)
	return append(dst, '"')
}

// trimVerbatim is bytes.TrimSpace, and Python's str.strip, of the text that
// stands in inner as JSON. The white space in which those two differ is never
// verbatim.
func trimVerbatim(inner []byte) []byte {
	if n := len(inner); n > 1 && isInk(inner[0]) && isInk(inner[n-1]) && inner[n-2] != '\\' {
		return inner // as most are
	}
	inner = trimLeftVerbatim(inner)
	for {
		inner = bytes.TrimRightFunc(inner, unicode.IsSpace)
		n := len(inner)
		if n == 0 || !chars.IsSpaceEscape(inner[n-1]) || !endsInEscape(inner) {
			return inner
		}
		inner = inner[:n-2]
	}
}

// isInk tells letters, digits and signs of ASCII from white space, and what may begin it.
func isInk(c byte) bool { return ' ' < c && c < utf8.RuneSelf && c != '\\' }

func trimLeftVerbatim(inner []byte) []byte {
	for {
		inner = bytes.TrimLeftFunc(inner, unicode.IsSpace)
		if len(inner) == 0 || inner[0] != '\\' || !chars.IsSpaceEscape(inner[1]) {
			return inner
		}
		inner = inner[2:]
	}
}

// endsInEscape tells whether the last byte of inner is escaped.
func endsInEscape(inner []byte) bool {
	before := inner[:len(inner)-1]
	return (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 1
}
