package wrap

import "github.com/loopgauge/loopgauge/fingerprint"

// MaxDepth is how many wrappers may lie around each other. Pod logs that a
// collector ships over syslog into a cloud's log are four.
const MaxDepth = 5

// Chain undoes several wrappers, the outermost first.
type Chain struct {
	stages  []Unwrapper
	next    []func(Line) // what each stage hands its texts to
	joiners []Joiner
	out     func(Line)
	bad     func(Line, string)
}

// NewChain makes a Chain for the wrappers. It hands what they wrap to out, and
// a line that cannot be unwrapped to bad.
func NewChain(wrappers []*Wrapper, out func(Line), bad func(Line, string)) *Chain {
	c := &Chain{out: out, bad: bad}
	for i, w := range wrappers {
		u := w.New()
		c.stages = append(c.stages, u)
		if j, ok := u.(Joiner); ok {
			c.joiners = append(c.joiners, j)
		}
		c.next = append(c.next, func(line Line) { c.push(i+1, line) })
	}
	return c
}

// Push takes a physical line.
func (c *Chain) Push(line Line) { c.push(0, line) }

func (c *Chain) push(stage int, line Line) {
	if stage == len(c.stages) {
		c.out(line)
		return
	}
	if why := c.stages[stage].Unwrap(line, c.next[stage]); why != "" {
		c.bad(line, why)
	}
}

// Open tells whether a record is not at its end.
func (c *Chain) Open() bool {
	for _, j := range c.joiners {
		if j.Open() {
			return true
		}
	}
	return false
}

// Drop forgets the records that are not at their end, the outermost first: what
// they still hold goes its way.
func (c *Chain) Drop(lost func(fingerprint.Position)) {
	for i, u := range c.stages {
		if j, ok := u.(Joiner); ok {
			j.Drop(c.next[i], lost)
		}
	}
}

// NewCutter returns a function that is shown line by line and tells whether a
// log may be cut behind a line, because no record goes on; nil where every
// line is a record of its own.
func NewCutter(wrappers []*Wrapper) func(line []byte) bool {
	last := -1
	for i, w := range wrappers {
		if w.Joins {
			last = i
		}
	}
	switch last {
	case -1:
		return nil
	case 0: // mostly: what is not unwrapped here is unwrapped once
		return wrappers[0].New().(Joiner).Ends
	}
	nothing := func(Line) {}
	c := NewChain(wrappers[:last+1], nothing, func(Line, string) {})
	var at fingerprint.Position
	return func(line []byte) bool {
		c.Push(Line{Text: line, At: at})
		return !c.Open()
	}
}
