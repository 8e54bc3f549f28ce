package window

import (
	"container/heap"
	"math"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Enforced is what a rule would have done had its gateway acted: an upper
// bound, for an agent that is blocked or waits behaves differently from then
// on. Every rule is looked at by itself, as the only one in force.
type Enforced struct {
	Rule *Rule

	Blocked int64         // requests that would have been rejected, or whose turn ended
	Guided  int64         // requests whose model would have been told to try something else
	Delayed int64         // requests that would have had to wait
	Delay   time.Duration // how long, all together
	Moved   int64         // requests that came later for that, since their session had waited before

	Tokens int64   // of the requests that would have been rejected: nothing of them reaches a model; -1 unknown
	Cost   float64 // USD of those; NaN unknown
}

// enforcer is an engine's what-if: each rule acts. What is throttled takes
// longer, so what its session does next comes later by as much, and counts
// then. Where the log names no session nobody can tell who waited, and nothing
// moves.
type enforcer struct {
	done   []Enforced                 // by rule
	shifts []map[string]time.Duration // by rule: by how much a session is behind
	held   heldEvents
	seq    int64
	after  map[fingerprint.Position]bool // the requests that came after a firing
}

// heldEvent is an event that one rule sees later than it was logged.
type heldEvent struct {
	time, seq int64
	rule      int
	logged    int64 // its time in the log
	event     *Event
}

func newEnforcer(plan *Plan) *enforcer {
	f := &enforcer{shifts: make([]map[string]time.Duration, len(plan.Rules)), after: map[fingerprint.Position]bool{}}
	for i, r := range plan.Rules {
		f.done = append(f.done, Enforced{Rule: r, Tokens: -1, Cost: math.NaN()})
		f.shifts[i] = map[string]time.Duration{}
	}
	return f
}

// first says that nobody was told before of this request, that it came after a
// firing.
func (f *enforcer) first(ev *Event) bool {
	told := f.after[ev.Position]
	f.after[ev.Position] = true
	return !told
}

// hold keeps an event back for a rule, if its session is behind.
func (f *enforcer) hold(rule int, ev *Event) bool {
	behind := f.shifts[rule][ev.Session]
	if behind == 0 {
		return false
	}
	f.seq++
	one := ev.Clone()
	heap.Push(&f.held, heldEvent{ev.Time + behind.Microseconds(), f.seq, rule, ev.Time, one})
	return true
}

// next is the first of the held events, if it comes at t or before. Its time
// is the one at which the gateway sees it.
func (f *enforcer) next(t int64) (ev *Event, rule int, ok bool) {
	for len(f.held) > 0 && f.held[0].time <= t {
		h := heap.Pop(&f.held).(heldEvent)
		// Its session may have waited again since.
		if at := h.logged + f.shifts[h.rule][h.event.Session].Microseconds(); at > h.time {
			h.time = at
			heap.Push(&f.held, h)
			continue
		}
		f.done[h.rule].Moved++
		h.event.Time = h.time
		return h.event, h.rule, true
	}
	return nil, 0, false
}

// did takes in what a rule would have done with an event: the hardest of what
// it would have done with its fingerprints, and the longest delay.
func (f *enforcer) did(rule int, ev *Event, hardest Action, delay time.Duration) {
	d := &f.done[rule]
	switch hardest {
	case Reject:
		d.Blocked++
		if in, out := max(ev.TokensIn, 0), max(ev.TokensOut, 0); ev.TokensIn >= 0 || ev.TokensOut >= 0 {
			d.Tokens = max(d.Tokens, 0) + in + out
		}
		if !math.IsNaN(ev.Cost) {
			if math.IsNaN(d.Cost) {
				d.Cost = 0
			}
			d.Cost += ev.Cost
		}
	case Break:
		d.Blocked++
	case Guide:
		d.Guided++
	case Throttle:
		d.Delayed++
		d.Delay += delay
		if ev.Session != "" {
			f.shifts[rule][ev.Session] += delay
		}
	}
}

// hardness orders what may be done with the fingerprints of one request.
var hardness = []Action{Allow, Warn, Throttle, Guide, Break, Reject}

func harder(a, b Action) Action {
	if slices.Index(hardness, a) > slices.Index(hardness, b) {
		return a
	}
	return b
}

// stops tells that a request does not get through, or its answer does not, if
// the rule acts on it. What is let through is counted and recorded like any
// other, and begins no cooldown.
func (a Action) stops() bool { return a == Reject || a == Break || a == ChanceThenBreak }

type heldEvents []heldEvent

func (h heldEvents) Len() int { return len(h) }
func (h heldEvents) Less(i, k int) bool {
	return h[i].time < h[k].time || h[i].time == h[k].time && h[i].seq < h[k].seq
}
func (h heldEvents) Swap(i, k int) { h[i], h[k] = h[k], h[i] }
func (h *heldEvents) Push(x any)   { *h = append(*h, x.(heldEvent)) }
func (h *heldEvents) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = heldEvent{}
	*h = (*h)[:last]
	return x
}
