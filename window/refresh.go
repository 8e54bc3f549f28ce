package window

// newRefresh makes a counter of the events since the last pause of window or
// more: every event keeps the count alive for another window.
func newRefresh(spec CounterSpec, keys int) Counter {
	c := newFixed(spec, keys).(*fixed)
	c.prolongs = true
	return c
}
