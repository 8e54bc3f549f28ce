package wrap

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// parts puts records together whose parts come in order, each marked by where
// it came from: standard output and standard error of one container come in
// turn. What it holds are records that are not at their end, by that mark, which
// may be another for each record. Who wrote one may have been killed before its
// end: it is handed on as it is when patience is over.
type parts struct{ gather[partKey] }

// partKey is the mark of a record, and how many lines there were with its latest part.
type partKey struct {
	mark  []byte
	lines int
}

// add takes a part. Of the last one it gives the whole.
func (p *parts) add(mark []byte, line Line, last bool, next func(Line)) {
	p.giveUp(next)
	i := p.of(mark)
	switch {
	case i < 0 && last: // whole from the start
		next(line)
		return
	case i < 0:
		p.hold(line, partKey{bytes.Clone(mark), p.lines})
		return
	}
	h := &p.held[i]
	h.text, h.key.lines = append(h.text, line.Text...), p.lines
	if last {
		whole := h.line()
		p.remove(i)
		next(whole)
	}
}

// mark is add without text.
func (p *parts) mark(mark []byte, last bool) bool {
	p.add(mark, Line{}, last, nowhere)
	return !p.Open()
}

// giveUp counts a line, and hands on the records that have had no part for too many.
func (p *parts) giveUp(next func(Line)) {
	if p.lines++; !p.Open() {
		p.lines = 0
	}
	p.release(next, func(k *partKey) bool { return p.lines-k.lines > patience })
}

// of is the index of the record of a mark, -1 if none is held.
func (p *parts) of(mark []byte) int {
	return slices.IndexFunc(p.held, func(h heldLine[partKey]) bool { return bytes.Equal(h.key.mark, mark) })
}

// Drop is Joiner's.
func (p *parts) Drop(_ func(Line), lost func(fingerprint.Position)) {
	for i := range p.held {
		lost(p.held[i].at)
	}
	p.held = p.held[:0]
}
