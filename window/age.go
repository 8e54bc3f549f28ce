package window

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
