package wrap

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// parts puts records together whose parts come in order, each marked by where
// it came from: standard output and standard error of one container come in
// turn.
type parts struct{ held []part }

type part struct {
	key  []byte // where it came from
	text []byte
	at   fingerprint.Position
	open bool
}

// add takes a part. Of the last one it gives the whole.
func (p *parts) add(key []byte, line Line, last bool, next func(Line)) {
	h := p.of(key)
	if h == nil || !h.open {
		if last { // whole from the start
			next(line)
			return
		}
		if h == nil {
			p.held = append(p.held, part{key: bytes.Clone(key)})
			h = &p.held[len(p.held)-1]
		}
		h.text, h.at, h.open = h.text[:0], line.At, true
	}
	h.text = append(h.text, line.Text...)
	if last {
		h.open = false
		next(Line{Text: h.text, At: h.at, Column: -1})
	}
}

// mark is add without text.
func (p *parts) mark(key []byte, last bool) bool {
	h := p.of(key)
	if h == nil {
		if last {
			return !p.Open()
		}
		p.held = append(p.held, part{key: bytes.Clone(key)})
		h = &p.held[len(p.held)-1]
	}
	h.open = !last
	return !p.Open()
}

func (p *parts) of(key []byte) *part {
	for i := range p.held {
		if bytes.Equal(p.held[i].key, key) {
			return &p.held[i]
		}
	}
	return nil
}

// Open tells whether a record is not at its end.
func (p *parts) Open() bool {
	for i := range p.held {
		if p.held[i].open {
			return true
		}
	}
	return false
}

// Drop is Joiner's.
func (p *parts) Drop(_ func(Line), lost func(fingerprint.Position)) {
	for i := range p.held {
		if h := &p.held[i]; h.open {
			h.open = false
			lost(h.at)
		}
	}
}
