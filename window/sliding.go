package window

// sliding counts the events in (t-window, t], or [t-window, t] if closed.
type sliding struct {
	maxAge int64
	keys   *table[pairKey, queue[int64]]
	times  queues[int64]
}

func newSliding(spec CounterSpec, keys int) Counter {
	c := &sliding{maxAge: spec.maxAge()}
	c.keys = newTable[pairKey](c.maxAge, keys, c.times.clear)
	return c
}

func (c *sliding) Count(h *Hit) Count {
	key := pairKeyOf(h)
	if !h.Record {
		q := c.keys.find(key)
		if q == nil {
			return Count{1, h.Time}
		}
		c.trim(q, h.Time)
		if q.n == 0 {
			return Count{1, h.Time}
		}
		return Count{int(q.n) + 1, q.oldest}
	}
	q := c.keys.touch(key, h.Time)
	c.trim(q, h.Time)
	c.times.push(q, h.Time)
	return Count{int(q.n), q.oldest}
}

// trim drops what has left the window, for good: time does not go back.
func (c *sliding) trim(q *queue[int64], now int64) {
	for q.n > 0 && now-q.oldest > c.maxAge {
		c.times.pop(q)
	}
}

func (c *sliding) Forget(h *Hit)  { c.keys.remove(pairKeyOf(h)) }
func (c *sliding) Keys() int      { return c.keys.live }
func (c *sliding) Dropped() int64 { return c.keys.dropped }

func (c *sliding) code(s *coder) {
	c.keys.code(s, 18, s.pair, func(q *queue[int64], touched int64) { codeTimes(s, &c.times, q, touched) })
}
