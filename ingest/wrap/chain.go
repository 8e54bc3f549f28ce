package wrap

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// MaxDepth is how many wrappers may lie around each other. Pod logs that a
// collector ships over syslog into a cloud's log are four.
const MaxDepth = 5

// Chain undoes several wrappers, the outermost first.
type Chain struct {
	stages []stage
	out    func(Line)
	bad    func(Line, string)
}

type stage struct {
	Unwrapper
	joiner Joiner     // nil where every line is a record of its own
	next   func(Line) // what it hands its texts to
	array  *Array     // nil where a line cannot be one
	keeps  bool       // as the wrapper's
}

// NewChain makes a Chain for the wrappers. It hands what they wrap to out, and
// a line that cannot be unwrapped to bad.
func NewChain(wrappers []*Wrapper, out func(Line), bad func(Line, string)) *Chain {
	c := &Chain{out: out, bad: bad}
	for i, w := range wrappers {
		s := stage{Unwrapper: w.New(), keeps: w.keeps, next: func(line Line) { c.push(i+1, line) }}
		if w.JSON {
			s.array = &Array{}
		}
		s.joiner, _ = s.Unwrapper.(Joiner)
		c.stages = append(c.stages, s)
	}
	return c
}

// Push takes a physical line.
func (c *Chain) Push(line Line) { c.push(0, line) }

func (c *Chain) push(i int, line Line) {
	if i == len(c.stages) {
		c.out(line)
		return
	}
	s := &c.stages[i]
	text := unindented(line.Text)
	if len(text) == 0 && (!s.keeps || s.joiner == nil || !s.joiner.Open()) {
		return // it wraps nothing
	}
	if !s.keeps {
		if line.Column >= 0 {
			line.Column += len(line.Text) - len(text)
		}
		line.Text = text
	}
	if s.array == nil || !IsArray(line.Text) {
		c.unwrap(s, line)
		return
	}
	for s.array.Enter(line.Text); s.array.Next(); {
		element := Line{Text: s.array.Element, At: line.At, Column: line.Column}
		if line.Column >= 0 {
			element.Column += s.array.Start
		}
		c.unwrap(s, element)
	}
	if _, why := s.array.Failure(); why != "" {
		c.bad(line, why)
	}
}

func (c *Chain) unwrap(s *stage, line Line) {
	if why := s.Unwrap(line, s.next); why != "" {
		c.bad(line, why)
	}
}

// Open tells whether a record is not at its end.
func (c *Chain) Open() bool {
	return slices.ContainsFunc(c.stages, func(s stage) bool { return s.joiner != nil && s.joiner.Open() })
}

// Drop forgets the records that are not at their end, the outermost first: what
// they still hold goes its way.
func (c *Chain) Drop(lost func(fingerprint.Position)) {
	for _, s := range c.stages {
		if s.joiner != nil {
			s.joiner.Drop(s.next, lost)
		}
	}
}

// NewCutter returns a function that is shown line by line and tells whether a
// log may be cut behind a line, because no record goes on; nil where every
// line is a record of its own.
func NewCutter(wrappers []*Wrapper) func(line []byte) bool {
	last := -1
	for i, w := range wrappers {
		if w.Joins() {
			last = i
		}
	}
	switch last {
	case -1:
		return nil
	case 0: // mostly: what is not unwrapped here is unwrapped once
		return wrappers[0].ends()
	}
	c := NewChain(wrappers[:last+1], nowhere, func(Line, string) {})
	return func(line []byte) bool {
		c.Push(Line{Text: line})
		return !c.Open()
	}
}

// unindented is a line without the blanks in front, and the separator of RFC 7464.
func unindented(line []byte) []byte { return bytes.TrimLeft(line, " \t\r\n\x1E") }

// ends tells whether no record goes on behind a line, which it unwraps for that.
func ends(j Joiner, line []byte) bool {
	j.Unwrap(Line{Text: line}, nowhere)
	return !j.Open()
}

// ends is Ends of an Ender, for any Joiner, and for arrays too.
func (w *Wrapper) ends() func(line []byte) bool {
	j := w.New().(Joiner)
	one := func(line []byte) bool { return ends(j, line) }
	if e, ok := j.(Ender); ok {
		one = e.Ends
	}
	if !w.JSON {
		return func(line []byte) bool { return one(unindented(line)) }
	}
	var array Array
	return func(line []byte) bool {
		if !IsArray(line) {
			return one(line)
		}
		for array.Enter(line); array.Next(); {
			one(array.Element)
		}
		return !j.Open()
	}
}
