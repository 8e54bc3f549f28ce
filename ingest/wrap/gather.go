package wrap

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// patience is how many lines may follow until nothing is held back any more.
// What is still held then is taken as it is: its other lines are not coming, or
// so many requests run at the same time that some are always under way.
const patience = 1000

// gather holds lines back until others have come that belong to them. K is what
// is to be known of a line for that.
type gather[K any] struct {
	held  []heldLine[K]
	lines int // since nothing was held, or all was let go
}

type heldLine[K any] struct {
	key  K
	text []byte
	at   fingerprint.Position
}

// line is the line as it came.
func (h *heldLine[K]) line() Line { return Line{Text: h.text, At: h.at, Column: -1} }

// hold copies a line.
func (g *gather[K]) hold(line Line, key K) {
	n := len(g.held)
	g.held = slices.Grow(g.held, 1)[:n+1]
	h := &g.held[n] // with the memory of one that was removed
	h.key, h.text, h.at = key, append(h.text[:0], line.Text...), line.At
}

// nowhere is where lines go that nobody wants.
func nowhere(Line) {}

// remove forgets the i-th line; its memory is used again.
func (g *gather[K]) remove(i int) {
	h := g.held[i]
	copy(g.held[i:], g.held[i+1:])
	g.held[len(g.held)-1] = h
	g.held = g.held[:len(g.held)-1]
}

// release hands on the lines that are not waited for any more.
func (g *gather[K]) release(next func(Line), which func(*K) bool) {
	for i := 0; i < len(g.held); {
		if !which(&g.held[i].key) {
			i++
			continue
		}
		next(g.held[i].line())
		g.remove(i)
	}
}

// waited counts a line and tells whether it is too long that something is held.
// What is held from then on is waited for anew.
func (g *gather[K]) waited() bool {
	if g.lines++; len(g.held) > 0 && g.lines <= patience {
		return false
	}
	g.lines = 0
	return len(g.held) > 0
}

// Open tells whether a line is held back.
func (g *gather[K]) Open() bool { return len(g.held) > 0 }

// withMember appends an object that has one member more than the object text,
// in front of the others.
func withMember(dst []byte, name string, value, text []byte) []byte {
	dst = append(append(append(dst, `{"`...), name...), `":`...)
	dst = append(append(dst, value...), ',')
	return append(dst, text[1:]...)
}
