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
// A tail in which nothing repeats counts 1: ABAB counts 2 (period 2), AAAA
// counts 4 (period 1), AB counts 1. The shortest period that stands
// there twice is taken even if a longer one goes back further.
//
// Without a window the times of a loop that never ends are not kept: Count's
// First is then the time at which the period began, which may be a part of a
// repetition before the first complete one.
type cycle struct {
	maxAge  int64
	endless bool
	period  int64
	scopes  *table[fingerprint.ScopeKey, tail]
	times   queues[int64]
	steps   steps
	found   int64 // the period that answer found last, 1 if nothing repeats
}

// tail is the end of a scope's sequence. Positions count its events from 0.
type tail struct {
	next  int64        // position of the next event
	steps uint32       // the last P events and the P runs; 0 is none yet
	times queue[int64] // of the events inside the window that a run may need; unused without a window
}

// step is an element of two lists in one: events are found by position modulo
// P, runs by period less 1.
type step struct {
	tailEvent
	run tailRun
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
	c.steps.size = int(c.period)
	c.scopes = newTable[fingerprint.ScopeKey](spec.idle(), keys, func(t *tail) {
		c.times.clear(&t.times)
		c.steps.give(t.steps)
	})
	return c
}

// round counts a hit.
func (c *cycle) round(scope fingerprint.ScopeKey, print printKey, now int64) Round {
	n := c.record(scope, print, now).N
	return Round{n, int(c.found)}
}

func (c *cycle) Count(h *Hit) Count {
	print := printKeyOf(&h.Print)
	if h.Record {
		return c.record(h.Scope, print, h.Time)
	}
	t := c.scopes.find(h.Scope)
	if t == nil {
		return Count{1, h.Time}
	}
	s := c.steps.at(t.steps)
	return c.answer(t, h.Time, 1, func(p int64) tailRun { return c.extend(t, s, h.Time, print, p) })
}

// record counts a hit that is to be recorded.
func (c *cycle) record(scope fingerprint.ScopeKey, print printKey, now int64) Count {
	t := c.scopes.touch(scope, now)
	if t.steps == 0 {
		t.steps = c.steps.take()
	}
	s := c.steps.at(t.steps)
	longest := t.next
	for p := int64(1); p <= c.period; p++ {
		s[p-1].run = c.extend(t, s, now, print, p)
		longest = min(longest, s[p-1].run.from)
	}
	s[t.next%c.period].tailEvent = tailEvent{print, now}
	t.next++
	if !c.endless {
		c.times.push(&t.times, now)
		for t.next-int64(t.times.n) < longest {
			c.times.pop(&t.times)
		}
	}
	return c.answer(t, now, 0, func(p int64) tailRun { return s[p-1].run })
}

// extend tells where the run of period p begins once an event is put at the
// end: where it did if the event equals the one p before it, otherwise p
// events from the end, or at the first if there are not so many.
func (c *cycle) extend(t *tail, s []step, now int64, print printKey, p int64) tailRun {
	back := t.next - p
	if back >= 0 && s[back%c.period].print == print {
		return s[p-1].run
	}
	from := max(back+1, 0)
	if from == t.next {
		return tailRun{from, now}
	}
	return tailRun{from, s[from%c.period].time}
}

// answer finds the shortest period that repeats. pending is 1 if the event
// at now is not among the others yet.
func (c *cycle) answer(t *tail, now, pending int64, run func(p int64) tailRun) Count {
	c.found = 1
	end := t.next + pending
	inside := int64(0) // position of the first event whose time is kept
	if !c.endless {
		for t.times.n > 0 && now-t.times.oldest > c.maxAge {
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
		c.found = p
		if c.endless {
			return Count{int(n), r.time}
		}
		return Count{int(n), *c.times.at(&t.times, uint32(end-n*p-inside))}
	}
	return Count{1, now}
}

func (c *cycle) Forget(h *Hit)  { c.scopes.remove(h.Scope) }
func (c *cycle) Keys() int      { return c.scopes.live }
func (c *cycle) Dropped() int64 { return c.scopes.dropped }

// steps is the memory of the scopes' tails, size steps each, in blocks that are
// used again.
type steps struct {
	size   int
	blocks [][]step
	n      uint32
	free   []uint32
}

const stepsBits = 6 // tails a block: as few allocations as pages make

// at returns the steps that take called i. They are not cleared: a tail reads
// only what it wrote, by its positions.
func (s *steps) at(i uint32) []step {
	from := int(i&(1<<stepsBits-1)) * s.size
	return s.blocks[i>>stepsBits][from : from+s.size]
}

func (s *steps) take() uint32 {
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		return i
	}
	s.n++ // 0 is none
	if int(s.n>>stepsBits) >= len(s.blocks) {
		s.blocks = append(s.blocks, make([]step, s.size<<stepsBits))
	}
	return s.n
}

func (s *steps) give(i uint32) {
	if i != 0 {
		s.free = append(s.free, i)
	}
}

// code codes of a scope the last P fingerprints, where each run begins and the
// times inside the window. Without a window it codes when the events and runs were
// instead; what began among the last P events has its time there.
func (c *cycle) code(s *coder) {
	c.scopes.code(s, 18+int(c.period), s.scope, func(t *tail, touched int64) {
		if s.Reads() {
			t.steps = c.steps.take()
		}
		steps := c.steps.at(t.steps)
		s.count(&t.next)
		first, times := max(t.next-c.period, 0), rising{key: touched}
		for i := first; i < t.next; i++ {
			step := &steps[i%c.period].tailEvent
			if s.print(&step.print); c.endless {
				times.next(s, &step.time)
			}
		}
		for p := range c.period {
			run := &steps[p].run
			back := t.next - run.from
			if s.count(&back); s.Reads() && (back <= 0 || back > t.next) {
				s.From.Failf("a run begins outside its sequence")
				return
			}
			run.from = t.next - back
			if c.endless && run.from < first {
				s.before(&run.time, touched)
			} else if c.endless && s.Reads() {
				run.time = steps[run.from%c.period].time
			}
		}
		if !c.endless {
			codeTimes(s, &c.times, &t.times, touched)
			s.Check(int64(t.times.n) <= t.next, "a sequence has more times than events")
		}
	})
}
