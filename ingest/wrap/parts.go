package wrap

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// parts puts records together whose parts come in order, each marked by where
// it came from: standard output and standard error of one container come in
// turn. What it holds are records that are not at their end, by that mark, which
// may be another for each record.
type parts struct{ gather[[]byte] }

// add takes a part. Of the last one it gives the whole.
func (p *parts) add(key []byte, line Line, last bool, next func(Line)) {
	i := p.of(key)
	switch {
	case i < 0 && last: // whole from the start
		next(line)
		return
	case i < 0:
		p.hold(line, bytes.Clone(key))
		return
	}
	h := &p.held[i]
	h.text = append(h.text, line.Text...)
	if last {
		whole := h.line()
		p.remove(i)
		next(whole)
	}
}

// mark is add without text.
func (p *parts) mark(key []byte, last bool) bool {
	switch i := p.of(key); {
	case i < 0 && !last:
		p.hold(Line{}, bytes.Clone(key))
	case i >= 0 && last:
		p.remove(i)
	}
	return !p.Open()
}

// of is the index of the record of a mark, -1 if none is held.
func (p *parts) of(key []byte) int {
	return slices.IndexFunc(p.held, func(h heldLine[[]byte]) bool { return bytes.Equal(h.key, key) })
}

// Drop is Joiner's.
func (p *parts) Drop(_ func(Line), lost func(fingerprint.Position)) {
	for i := range p.held {
		lost(p.held[i].at)
	}
	p.held = p.held[:0]
}
