package window

import "github.com/loopgauge/loopgauge/window/snapshot"

// fixed counts the events since a window was opened by its first event; the
// window ends when it is window old, however busy it is. Redis does this with
// INCR and EXPIRE on the first hit.
type fixed struct {
	maxAge   int64
	prolongs bool // every event keeps it open for another window: see newRefresh
	keys     *table[pairKey, fixedWindow]
}

type fixedWindow struct {
	opened, last int64
	n            int // 0: there is no window
}

func newFixed(spec CounterSpec, keys int) Counter {
	return &fixed{maxAge: spec.maxAge(), keys: newTable[pairKey, fixedWindow](spec.maxAge(), keys, nil)}
}

func (c *fixed) Count(h *Hit) Count {
	key := pairKeyOf(h)
	var w fixedWindow
	stored := &w
	if h.Record {
		stored = c.keys.touch(key, h.Time)
		w = *stored
	} else if s := c.keys.find(key); s != nil {
		w = *s
	}
	from := w.opened
	if c.prolongs {
		from = w.last
	}
	if w.n == 0 || h.Time-from > c.maxAge {
		w = fixedWindow{opened: h.Time}
	}
	w.n++
	w.last = h.Time
	*stored = w
	return Count{w.n, w.opened}
}

func (c *fixed) Forget(h *Hit)  { c.keys.remove(pairKeyOf(h)) }
func (c *fixed) Keys() int      { return c.keys.live }
func (c *fixed) Dropped() int64 { return c.keys.dropped }

// A key is touched with its last event.
func (c *fixed) code(s *coder) {
	c.keys.code(s, 19, s.pair, func(w *fixedWindow, touched int64) {
		snapshot.Size(s.Codec, &w.n, most)
		s.before(&w.opened, touched)
		w.last = touched
	})
}
