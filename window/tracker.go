package window

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// trackerCalls is how many calls of a session the tool-call tracker remembers.
const trackerCalls = 100

// tracker is the tool-call tracker as shipped. It keeps the recorded calls of
// a session, at most the last 100, none older than the window (one that is
// exactly as old stays, whatever Closed says). A call fires when it makes the
// run at the end as long as the limit, or, failing that, when it has been
// recorded so often, interleaved or not, that it reaches the limit. A call
// that fired is not recorded, but the run stays as long as it has become,
// until recorded calls grow too old.
//
// The shipped code keeps a run and a chance per signature. Both are set back
// when a signature comes that is not the last one recorded, so only those of
// the last one ever matter, and only they are kept.
type tracker struct {
	maxAge   int64
	sessions *table[fingerprint.ScopeKey, session]
	calls    queues[call]
}

type session struct {
	calls  queue[call]
	run    int  // of the last call
	chance bool // the last call was given its chance
}

type call struct {
	time  int64
	print printKey
}

func newTracker(spec CounterSpec, keys int) Counter {
	c := &tracker{maxAge: spec.Window.Microseconds()}
	c.sessions = newTable[fingerprint.ScopeKey](c.maxAge, keys, func(s *session) { c.calls.clear(&s.calls) })
	return c
}

// Count answers, if the call does not fire, the larger of the length of its
// run and how often it is on record.
func (c *tracker) Count(h *Hit) Count {
	maxAge := c.age(h)
	print := printKeyOf(&h.Print)
	s := c.sessions.find(h.Scope)
	if s == nil {
		if h.Record && h.Limit > 1 {
			s = c.sessions.touch(h.Scope, h.Time)
			c.calls.push(&s.calls, call{h.Time, print})
			s.run = 1
		}
		return Count{1, h.Time}
	}

	// What is too old is skipped here and dropped at the end.
	var old uint32
	total, trailing := 1, 0
	first, runFirst := h.Time, h.Time
	var of printKey // the signature of the trailing run
	c.calls.each(&s.calls, func(call *call) {
		if h.Time-call.time > maxAge {
			old++
			return
		}
		if call.print == print {
			if total == 1 {
				first = call.time
			}
			total++
		}
		if trailing == 0 || call.print != of {
			of, trailing, runFirst = call.print, 0, call.time
		}
		trailing++
	})
	last := trailing > 0 && of == print
	stored, chance := s.run, s.chance
	if old > 0 {
		stored = trailing
		chance = chance && stored >= h.Limit
	}
	run := 1
	if last {
		run = stored + 1
	}

	n, fired := max(run, total), true
	if last && run >= h.Limit {
		n, first = run, runFirst
	} else {
		fired = total >= h.Limit
	}
	if !h.Record {
		return Count{n, first}
	}

	s = c.sessions.touch(h.Scope, h.Time)
	for ; old > 0 && s.calls.n > 0; old-- {
		c.calls.pop(&s.calls)
	}
	s.run, s.chance = stored, chance
	if last {
		s.run = run
	}
	if !fired {
		if !last {
			s.run, s.chance = 1, false
		}
		if s.calls.n == trackerCalls {
			c.calls.pop(&s.calls)
		}
		c.calls.push(&s.calls, call{h.Time, print})
	}
	return Count{n, first}
}

// age is how old a call may be that counts with a hit.
func (c *tracker) age(h *Hit) int64 {
	if h.Window > 0 {
		return h.Window.Microseconds()
	}
	return c.maxAge
}

// Chance implements chancer. A hit that is not recorded, as in a cooldown, may find
// calls that grew too old: a chance is gone with them.
func (c *tracker) Chance(h *Hit, tripped bool) (given bool) {
	if !tripped {
		return false
	}
	s := c.sessions.find(h.Scope)
	if s == nil || s.calls.n == 0 {
		return false
	}
	if last := c.calls.newest(&s.calls); last.print != printKeyOf(&h.Print) || h.Time-last.time > c.age(h) {
		return false
	}
	given, s.chance = s.chance, true
	return given
}

func (c *tracker) keep(idle int64) { c.sessions.idle = idle }

func (c *tracker) Forget(h *Hit)  { c.sessions.remove(h.Scope) }
func (c *tracker) Keys() int      { return c.sessions.live }
func (c *tracker) Dropped() int64 { return c.sessions.dropped }

func (c *tracker) code(s *coder) {
	c.sessions.code(s, 20, s.scope, func(e *session, touched int64) {
		snapshot.Size(s.Codec, &e.run, most)
		s.Bool(&e.chance)
		n, times := e.calls.n, rising{key: touched}
		snapshot.Size(s.Codec, &n, trackerCalls)
		c.calls.code(s, &e.calls, int(n), func(call *call) {
			times.next(s, &call.time)
			s.print(&call.print)
		})
	})
}
