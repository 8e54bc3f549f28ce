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
	done   []Enforced           // by rule
	behind []map[string]*behind // by rule: the sessions that are
	held   waitings
	seq    int64
	after  map[fingerprint.Position]bool // the requests that came after a firing
}

// behind is a session that has waited, as one rule has it. Its events keep their
// order, however long it waits: only the first can be the next.
type behind struct {
	rule int
	by   time.Duration
	held []heldEvent
}

// heldEvent is an event that one rule sees later than it was logged.
type heldEvent struct {
	seq   int64
	event *Event // at its time in the log
}

// due is when the first of the held events comes.
func (b *behind) due() int64 { return b.held[0].event.Time + b.by.Microseconds() }

func newEnforcer(plan *Plan) *enforcer {
	f := &enforcer{behind: make([]map[string]*behind, len(plan.Rules)), after: map[fingerprint.Position]bool{}}
	for i, r := range plan.Rules {
		f.done = append(f.done, Enforced{Rule: r, Tokens: -1, Cost: math.NaN()})
		f.behind[i] = map[string]*behind{}
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
	b := f.behind[rule][ev.Session]
	if b == nil {
		return false
	}
	f.seq++
	b.held = append(b.held, heldEvent{f.seq, ev.Clone()})
	if len(b.held) == 1 {
		heap.Push(&f.held, b)
	}
	return true
}

// until shows rules the held events that come at t or before, each at the time
// at which the gateway sees it.
func (f *enforcer) until(t int64, show func(rule int, ev *Event)) {
	for len(f.held) > 0 && f.held[0].due() <= t {
		b := f.held[0]
		ev := b.held[0].event
		ev.Time = b.due()
		b.held[0], b.held = heldEvent{}, b.held[1:]
		f.done[b.rule].Moved++
		show(b.rule, ev) // which may put off all behind it
		if len(b.held) == 0 {
			heap.Pop(&f.held)
		} else {
			heap.Fix(&f.held, 0)
		}
	}
}

// did takes in what a rule would have done with an event: the hardest of what
// it would have done with its fingerprints, and the longest delay.
func (f *enforcer) did(rule int, ev *Event, hardest Action, delay time.Duration) {
	d := &f.done[rule]
	switch hardest {
	case Reject:
		d.Blocked++
		if tokens, known := ev.Tokens(); known {
			d.Tokens = max(d.Tokens, 0) + tokens
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
			b := f.behind[rule][ev.Session]
			if b == nil {
				b = &behind{rule: rule}
				f.behind[rule][ev.Session] = b
			}
			b.by += delay
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

// waitings are the sessions of which events are held, the one whose first comes
// next on top.
type waitings []*behind

func (w waitings) Len() int { return len(w) }
func (w waitings) Less(i, k int) bool {
	a, b := w[i].due(), w[k].due()
	return a < b || a == b && w[i].held[0].seq < w[k].held[0].seq
}
func (w waitings) Swap(i, k int) { w[i], w[k] = w[k], w[i] }
func (w *waitings) Push(x any)   { *w = append(*w, x.(*behind)) }
func (w *waitings) Pop() any {
	last := len(*w) - 1
	x := (*w)[last]
	*w = (*w)[:last]
	return x
}
