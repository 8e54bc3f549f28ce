package fingerprint

import "bytes"

// beginning is how a conversation began, as logged: what tells it from others.
// Each of its requests says that again, with a system prompt that may be the
// longest text of all: it is much quicker to compare than to write and hash.
type beginning struct {
	text   []byte // a copy of its parts: lines do not stay
	ends   []int  // of each in text
	asSent bool
	name   []byte // of the conversation
}

const (
	// mostBeginnings is how many conversations that take turns are remembered: one
	// that is not among them is held against each.
	mostBeginnings = 16
	// longestBeginning bounds what is remembered of each, in bytes.
	longestBeginning = 64 << 10
	// mostStrangers is how many conversations are remembered though none of those
	// before came again, and of how many one is remembered after that.
	mostStrangers = 16
)

// beginningPart is a part of how r begins: caller, user, system prompt, and the
// messages one by one.
func (r *Request) beginningPart(i int) []byte {
	switch i {
	case 0:
		return r.Caller
	case 1:
		return r.User
	case 2:
		return r.Messages.System
	}
	return r.Messages.Items[i-beforeItems]
}

const beforeItems = 3

// is tells whether r begins so. Sizes tell most that do not at once.
func (b *beginning) is(r *Request) bool {
	if len(b.ends) > beforeItems+len(r.Messages.Items) {
		return false
	}
	from := 0
	for i, end := range b.ends {
		if len(r.beginningPart(i)) != end-from {
			return false
		}
		from = end
	}
	from = 0
	for i, end := range b.ends {
		if !bytes.Equal(r.beginningPart(i), b.text[from:end]) {
			return false
		}
		from = end
	}
	return true
}

// begun is the name of the conversation that begins as r does; nil if it is not
// known.
func (w *Writer) begun(r *Request) []byte {
	for k, b := range w.beginnings {
		if b.asSent == w.asSent && b.is(r) {
			w.remember(k)
			w.strangers = 0
			return b.name
		}
	}
	w.strangers++
	return nil
}

// begin remembers the name of the conversation that begins with the first messages
// of r, so many.
func (w *Writer) begin(r *Request, messages int, name []byte) {
	if w.strangers > mostStrangers && w.strangers%mostStrangers > 0 {
		return
	}
	size := 0
	for i := range beforeItems + messages {
		size += len(r.beginningPart(i))
	}
	if size > longestBeginning {
		return
	}
	if len(w.beginnings) < mostBeginnings {
		w.beginnings = append(w.beginnings, &beginning{})
	}
	k := len(w.beginnings) - 1
	b := w.beginnings[k]
	b.text, b.ends = b.text[:0], b.ends[:0]
	for i := range beforeItems + messages {
		b.text = append(b.text, r.beginningPart(i)...)
		b.ends = append(b.ends, len(b.text))
	}
	b.asSent, b.name = w.asSent, append(b.name[:0], name...)
	w.remember(k)
}

// remember makes the k-th the last to be forgotten.
func (w *Writer) remember(k int) {
	b := w.beginnings[k]
	copy(w.beginnings[1:], w.beginnings[:k])
	w.beginnings[0] = b
}
