package window

import (
	"fmt"
	"time"
)

// CounterSpec says how repeats are counted in time.
type CounterSpec struct {
	Kind   string // one of Counters
	Window time.Duration
	Closed bool // age = Window still counts
	Period int  // cycle: longest period looked for
}

// effective is the spec without what its kind does not look at, so that equal
// counters have equal specs.
func (s CounterSpec) effective() CounterSpec {
	kind := CounterNamed(s.Kind)
	if !kind.Periodic {
		s.Period = 0
	} else if s.Period == 0 {
		s.Period = DefaultPeriod
	}
	s.Closed = s.Closed && s.Window > 0 && !kind.Closed
	return s
}

func (s CounterSpec) String() string {
	text := s.Kind + " " + Lasting(s.Window)
	if s.Window == 0 {
		text = s.Kind + " without a window"
	}
	if s.Closed {
		text += ", closed"
	}
	if s.Period > 0 {
		text += fmt.Sprintf(", period %d", s.Period)
	}
	return text
}

// maxAge is the age up to which an event counts, in microseconds: one less
// than the window, which is open at its far edge, unless it is closed. Without
// a window nothing is too old, and nobody asks.
func (s CounterSpec) maxAge() int64 {
	if s.Closed {
		return s.Window.Microseconds()
	}
	return s.Window.Microseconds() - 1
}

// EdgeCounts tells that what is exactly as old as the window still counts.
func (s CounterSpec) EdgeCounts() bool { return s.Closed || CounterNamed(s.Kind).Closed }

// idle is how long a key may go untouched before its state says nothing any
// more; negative is for ever.
func (s CounterSpec) idle() int64 {
	if s.Window == 0 {
		return -1
	}
	return s.maxAge()
}
