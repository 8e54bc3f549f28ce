package window

import (
	"math"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// streak counts the equal fingerprints at the end of what a scope has seen,
// with none other in between and all of them younger than the window; without
// a window, however old they are.
type streak struct {
	maxAge  int64
	open    int64 // 1 if an event as old as the window does not count any more
	endless bool
	keys    *table[fingerprint.ScopeKey, run]
	times   queues[int64]
}

// run is the trailing run of a scope. Its times are all there; if there is no
// window, only the oldest is kept.
type run struct {
	print printKey
	n     uint32
	times queue[int64]
}

func newStreak(spec CounterSpec, keys int) Counter {
	c := &streak{maxAge: spec.maxAge(), endless: spec.Window == 0}
	if !spec.Closed {
		c.open = 1
	}
	c.keys = newTable[fingerprint.ScopeKey](spec.idle(), keys, func(r *run) { c.times.clear(&r.times) })
	return c
}

func (c *streak) Count(h *Hit) Count {
	print := printKeyOf(&h.Print)
	if !h.Record {
		r := c.keys.find(h.Scope)
		if r == nil || r.print != print {
			return Count{1, h.Time}
		}
		c.trim(r, h)
		if r.n == 0 {
			return Count{1, h.Time}
		}
		return Count{int(r.n) + 1, r.times.oldest}
	}
	r := c.keys.touch(h.Scope, h.Time)
	if r.print != print {
		c.times.clear(&r.times)
		r.print, r.n = print, 0
	}
	c.trim(r, h)
	r.n++
	if r.n == 1 || !c.endless {
		c.times.push(&r.times, h.Time)
	}
	return Count{int(r.n), r.times.oldest}
}

func (c *streak) trim(r *run, h *Hit) {
	if c.endless {
		return
	}
	maxAge := c.maxAge
	if h.Window > 0 {
		maxAge = h.Window.Microseconds() - c.open
	}
	for r.n > 0 && h.Time-r.times.oldest > maxAge {
		c.times.pop(&r.times)
		r.n--
	}
}

func (c *streak) keep(idle int64) { c.keys.idle = idle }

func (c *streak) Forget(h *Hit)  { c.keys.remove(h.Scope) }
func (c *streak) Keys() int      { return c.keys.live }
func (c *streak) Dropped() int64 { return c.keys.dropped }

func (c *streak) code(s *coder) {
	c.keys.code(s, 18, s.scope, func(r *run, touched int64) {
		s.print(&r.print)
		if !c.endless {
			codeTimes(s, &c.times, &r.times, touched)
			r.n = r.times.n
			return
		}
		snapshot.Size(s.Codec, &r.n, math.MaxUint32)
		c.times.code(s, &r.times, 1, func(t *int64) { s.before(t, touched) })
	})
}
