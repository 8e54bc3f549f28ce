package window

import "github.com/loopgauge/loopgauge/window/snapshot"

// refresh counts the events since the last pause of window or more: every
// event keeps the count alive for another window.
type refresh struct {
	maxAge int64
	keys   *table[pairKey, busyTime]
}

type busyTime struct {
	first, last int64
	n           int // 0: nothing yet
}

func newRefresh(spec CounterSpec, keys int) Counter {
	return &refresh{spec.maxAge(), newTable[pairKey, busyTime](spec.maxAge(), keys, nil)}
}

func (c *refresh) Count(h *Hit) Count {
	key := pairKeyOf(h)
	var b busyTime
	stored := &b
	if h.Record {
		stored = c.keys.touch(key, h.Time)
		b = *stored
	} else if s := c.keys.find(key); s != nil {
		b = *s
	}
	if b.n == 0 || h.Time-b.last > c.maxAge {
		b = busyTime{first: h.Time}
	}
	b.n++
	b.last = h.Time
	*stored = b
	return Count{b.n, b.first}
}

func (c *refresh) Forget(h *Hit)  { c.keys.remove(pairKeyOf(h)) }
func (c *refresh) Keys() int      { return c.keys.live }
func (c *refresh) Dropped() int64 { return c.keys.dropped }

// A key is touched with its last event.
func (c *refresh) code(s *coder) {
	c.keys.code(s, 19, s.pair, func(b *busyTime, touched int64) {
		snapshot.Size(s.Codec, &b.n, most)
		s.before(&b.first, touched)
		b.last = touched
	})
}
