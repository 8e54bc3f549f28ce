package window

import "github.com/loopgauge/loopgauge/fingerprint"

// DefaultPeriod is the longest period a cycle counter looks for unless told
// otherwise: agents that go round in more than five steps are rare, and each
// more costs a comparison per event.
const DefaultPeriod = 5

// MaxPeriod bounds the memory of a scope.
const MaxPeriod = 32

// cycle counts the complete repetitions at the tail of a scope's fingerprints,
// all younger than the window, of the shortest period 1..P that repeats there.
// A tail in which nothing repeats counts 1.
type cycle struct {
	maxAge  int64
	endless bool
	period  int64
	scopes  *table[fingerprint.ScopeKey, tail]
	times   queues[int64]
}

// tail is the end of a scope's sequence. Positions count its events from 0.
type tail struct {
	next   int64        // position of the next event
	events []tailEvent  // the last P, by position modulo P
	runs   []tailRun    // by period less 1
	times  queue[int64] // of the events inside the window; unused without one
}

type tailEvent struct {
	print printKey
	time  int64
}

// tailRun is where the events begin that repeat with a period up to the end.
type tailRun struct {
	from int64 // position
	time int64 // of the event there
}

func newCycle(spec CounterSpec, keys int) Counter {
	c := &cycle{maxAge: spec.maxAge(), endless: spec.Window == 0, period: int64(spec.Period)}
	if c.period == 0 {
		c.period = DefaultPeriod
	}
	c.scopes = newTable[fingerprint.ScopeKey](spec.idle(), keys, func(t *tail) { c.times.clear(&t.times) })
	return c
}

func (c *cycle) Count(h *Hit) Count {
	print := printKeyOf(&h.Print)
	if !h.Record {
		t := c.scopes.find(h.Scope)
		if t == nil {
			return Count{1, h.Time}
		}
		return c.answer(t, h, 1, func(p int64) tailRun { return c.extend(t, h.Time, print, p) })
	}
	t := c.scopes.touch(h.Scope, h.Time)
	if t.events == nil {
		t.events, t.runs = make([]tailEvent, c.period), make([]tailRun, c.period)
	}
	for p := int64(1); p <= c.period; p++ {
		t.runs[p-1] = c.extend(t, h.Time, print, p)
	}
	t.events[t.next%c.period] = tailEvent{print, h.Time}
	t.next++
	if !c.endless {
		c.times.push(&t.times, h.Time)
	}
	return c.answer(t, h, 0, func(p int64) tailRun { return t.runs[p-1] })
}

// extend tells where the run of period p begins once an event is put at the
// end: where it did if the event equals the one p before it, otherwise p
// events from the end, or at the first if there are not so many.
func (c *cycle) extend(t *tail, now int64, print printKey, p int64) tailRun {
	back := t.next - p
	if back >= 0 && t.events[back%c.period].print == print {
		return t.runs[p-1]
	}
	from := max(back+1, 0)
	if from == t.next {
		return tailRun{from, now}
	}
	return tailRun{from, t.events[from%c.period].time}
}

// answer finds the shortest period that repeats. pending is 1 if h is not
// among the events yet.
func (c *cycle) answer(t *tail, h *Hit, pending int64, run func(p int64) tailRun) Count {
	end := t.next + pending
	inside := int64(0) // position of the first event inside the window
	if !c.endless {
		for t.times.n > 0 && h.Time-t.times.oldest > c.maxAge {
			c.times.pop(&t.times)
		}
		inside = t.next - int64(t.times.n)
	}
	for p := int64(1); p <= c.period; p++ {
		r := run(p)
		n := (end - max(r.from, inside)) / p
		if n < 2 {
			continue
		}
		if c.endless {
			return Count{int(n), r.time}
		}
		return Count{int(n), *c.times.at(&t.times, uint32(end-n*p-inside))}
	}
	return Count{1, h.Time}
}

func (c *cycle) Forget(h *Hit)  { c.scopes.remove(h.Scope) }
func (c *cycle) Keys() int      { return c.scopes.live }
func (c *cycle) Dropped() int64 { return c.scopes.dropped }
