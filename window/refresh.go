package window

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
func (c *refresh) save(s *saver) {
	c.keys.save(s, func(e *tableEntry[pairKey, busyTime]) {
		s.pair(&e.key)
		s.Uvarint(uint64(e.state.n))
		s.Uvarint(uint64(e.touched - e.state.first))
	})
}

func (c *refresh) load(l *loader) {
	c.keys.load(l, 19, l.pair, func(b *busyTime, touched int64) {
		*b = busyTime{n: l.Int(most), first: l.before(touched), last: touched}
	})
}
