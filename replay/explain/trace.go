package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// maxHits bounds what a trace keeps: so many requests up to the first that is
// asked about, and so many from there on.
const maxHits = 10_000

// hit is one fingerprint of one request, as one rule judged it.
type hit struct {
	pos       fingerprint.Position
	id        string
	time      int64
	print     fingerprint.Fingerprint
	tool      string // that was called, where the rule looks at calls
	choice    window.Choice
	status    int
	threshold int // in force

	count  int // -1 where the gateway does not count
	fired  bool
	action window.Action
	reason window.Reason
}

// trace follows what one rule makes of one fingerprint in one scope. It judges
// with an engine of its own, so that what it shows is what replay says.
type trace struct {
	rule            *window.Rule
	kind            window.CounterKind // of the rule's counter
	choice          int                // of the rule in the events' plan
	identity, scope int                // likewise
	of, nth         int                // what it is told of: the rule, and its fingerprint

	key       fingerprint.ScopeKey
	print     fingerprint.Fingerprint
	values    []string
	fellBack  bool
	wholeOne  bool // the order of all fingerprints of the scope matters
	engine    *window.Engine
	verdict   window.Verdict // of the last hit
	episode   *window.Episode
	wanted    string // id of the episode asked for; empty for none
	within    string // id of that which the request asked about is in; empty for none
	hits      []hit
	forgotten int64 // hits dropped before the first of hits
	unkept    int64 // hits of the episode that came after the last of hits
	asked     int   // index in hits of the first that is asked about, -1 if it has not come
	closed    bool
}

// newTrace follows rule i of the plan.
func newTrace(plan *window.Plan, i int, scope *window.Scope, print fingerprint.Fingerprint, episode string) *trace {
	r := plan.Rules[i]
	t := &trace{
		rule: r, kind: window.CounterNamed(r.Counter.Kind), choice: i, key: scope.Key, values: slices.Clone(scope.Values), fellBack: scope.FellBack, print: print, wanted: episode, asked: -1,
		identity: plan.IdentityOf(i), scope: plan.ScopeOf(i),
	}
	// A different call in the scope takes a chance back.
	t.wholeOne = t.kind.Keying == window.ByScope || r.GivesChances()
	t.engine = window.NewEngine(window.NewPlan([]*window.Rule{r}, nil), window.EngineOptions{
		Verdict: func(v *window.Verdict) { t.verdict = *v },
		Episode: func(e *window.Episode) {
			if e.ID == t.wanted {
				t.episode, t.closed = new(*e), true
			}
		},
	})
	return t
}

// add shows the trace an event. asked says that the event is asked about.
func (t *trace) add(ev *window.Event, asked bool) {
	prints, scope, choice := &ev.Prints[t.identity], &ev.Scopes[t.scope], ev.Rules[t.choice]
	heard := ev.Chat != nil && t.rule.ChatOverrides && choice != window.NotMatched && prints.Cause != fingerprint.Computable
	if heard && scope.Cause == fingerprint.Computable && scope.Key == t.key {
		one := *ev
		one.Rules, one.Scopes, one.Prints = []window.Choice{choice}, []window.Scope{*scope}, []window.Prints{{Cause: prints.Cause}}
		t.engine.Judge(&one)
		return
	}
	if choice == window.NotMatched || prints.Cause != fingerprint.Computable || scope.Cause != fingerprint.Computable || scope.Key != t.key {
		if t.asked >= 0 && t.wanted != "" {
			// Time passes: the episode may be over.
			t.engine.Judge(&window.Event{Time: ev.Time, Rules: []window.Choice{window.NotMatched}})
		}
		return
	}
	one := *ev
	one.Rules, one.Scopes = []window.Choice{choice}, []window.Scope{*scope}
	for k, print := range prints.Fingerprints {
		if print != t.print && !t.wholeOne {
			continue
		}
		one.Prints = []window.Prints{{Fingerprints: prints.Fingerprints[k : k+1], Tools: []string{prints.Name(k)}}}
		t.verdict = window.Verdict{}
		t.engine.Judge(&one)
		if t.closed {
			return // the episode ended before this event
		}
		v := &t.verdict
		if v.Rule == nil {
			return // for its session the rule is switched off
		}
		h := hit{
			pos: ev.Position, id: strings.Clone(ev.ID), time: ev.Time, print: print, tool: prints.Name(k), choice: choice, status: ev.Status,
			threshold: v.Threshold, count: v.Count, fired: v.Fired, action: v.Action, reason: v.Reason,
		}
		if asked && print == t.print && v.Fired {
			t.within = v.Episode
		}
		t.keep(h, print == t.print && (asked || t.wanted != "" && v.Episode == t.wanted))
	}
}

// keep keeps a hit within the bounds.
func (t *trace) keep(h hit, asked bool) {
	switch {
	case asked && t.asked < 0:
		t.asked = len(t.hits)
	case t.asked >= 0 && len(t.hits)-t.asked >= maxHits:
		if asked {
			t.unkept++
		}
		return
	}
	t.hits = append(t.hits, h)
	if t.asked < 0 && len(t.hits) >= 2*maxHits {
		n := len(t.hits) - maxHits
		t.forgotten += int64(n)
		t.hits = append(t.hits[:0], t.hits[n:]...)
	}
}

// first is where the first hit that is asked about stands.
func (t *trace) first() fingerprint.Position { return t.hits[t.asked].pos }

// recorded tells whether the gateway kept a hit for later counts.
func (t *trace) recorded(h *hit) bool {
	switch {
	case h.reason == window.ByCooldown:
		return !t.rule.SkipInCooldown && !t.rule.SkipBlocked
	case h.fired:
		return !t.rule.SkipBlocked && !t.tracker()
	}
	return true
}

// tracker tells that a hit that fires is not recorded, and yet makes the run of
// its call longer.
func (t *trace) tracker() bool { return t.rule.Counter.Kind == window.TrackerKind }

// counted are the hits that made the count of hit i, itself the last; of one
// in a cooldown that does not count, the hits that began the cooldown and all
// since. missing is how many more there were than are kept.
func (t *trace) counted(i int) (list []int, missing int64) {
	h := &t.hits[i]
	if h.count < 0 {
		for j := i - 1; j >= 0; j-- {
			if p := &t.hits[j]; p.print == h.print && p.reason == window.ByThreshold {
				list, missing = t.counted(j)
				for k := j + 1; k <= i; k++ {
					if t.hits[k].print == h.print {
						list = append(list, k)
					}
				}
				return list, missing
			}
		}
		return []int{i}, t.forgotten
	}
	n, every := h.count, false
	if t.kind.Periodic {
		n, every = n*t.period(i, n), true
	}
	run := t.tracker() && t.runs(i, n)
	list = []int{i}
	for j := i - 1; j >= 0 && len(list) < n; j-- {
		p := &t.hits[j]
		if (every || p.print == h.print) && (run || t.recorded(p)) {
			list = append(list, j)
		}
	}
	slices.Reverse(list)
	return list, int64(n - len(list))
}

// runs tells whether the n hits up to i are equal, none other in between.
func (t *trace) runs(i, n int) bool {
	for k := i; k > i-n; k-- {
		if k < 0 || t.hits[k].print != t.hits[i].print {
			return false
		}
	}
	return true
}

// period is the shortest that repeats n times up to hit i.
func (t *trace) period(i, n int) int {
	tail := []*hit{&t.hits[i]} // the last first
	most := cmp.Or(t.rule.Counter.Period, window.DefaultPeriod)
	for j := i - 1; j >= 0 && len(tail) < n*most; j-- {
		if t.recorded(&t.hits[j]) {
			tail = append(tail, &t.hits[j])
		}
	}
	for p := 1; n > 1 && p <= most && n*p <= len(tail); p++ {
		equal := true
		for k := p; k < n*p && equal; k++ {
			equal = tail[k].print == tail[k-p].print
		}
		if equal {
			return p
		}
	}
	return 1
}

// breaker is the hit of the same scope with another fingerprint that ended the
// streak before hit i's; -1 if there is none.
func (t *trace) breaker(i int) int {
	if !t.kind.Unbroken {
		return -1
	}
	list, _ := t.counted(i)
	for j := list[0] - 1; j >= 0; j-- {
		if t.recorded(&t.hits[j]) {
			if t.hits[j].print != t.print {
				return j
			}
			return -1
		}
	}
	return -1
}
