package window

import (
	"math"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// delayStep and delayCap are how throttle slows a loop down: so much for each
// hit counted, up to a bound.
const (
	delayStep = 100 * time.Millisecond
	delayCap  = 30 * time.Second
)

// Delay is how long throttle makes a request wait that has this count.
func Delay(count int) time.Duration {
	return min(time.Duration(max(count, 1))*delayStep, delayCap)
}

// Firing is what came of a hit on which a rule fired.
type Firing struct {
	Action Action        // what the gateway would have done: Allow if it would only have taken note
	window time.Duration // in force
	added  contribution  // to the loop
}

// EngineOptions say what an engine reports, and how much it may remember.
type EngineOptions struct {
	// MaxKeys caps the live keys of each rule; 0 is no cap.
	MaxKeys int
	// Verdict is called for each rule, request and fingerprint. The Verdict
	// is valid during the call. Nil: none are built.
	Verdict func(*Verdict)
	// Episode is called once for each episode, when it closes. The Episode is
	// valid during the call, what it points to for ever.
	Episode func(*Episode)
	// Fired is called for each firing, with the episode that it opened or made
	// grow. It is called before Verdict, and the Episode is valid during the
	// call. Nil: nobody asks.
	Fired func(ep *Episode, f Firing)
	// After is called once for each request that fired after another of its loop
	// had. What it goes by is not in a saved state. Nil: nobody asks.
	After func(*Event)
	// Enforce asks what the rules would have done, and then seen, had they been
	// in force: see Enforced. Such an engine is for replay: its state cannot be
	// saved.
	Enforce bool
	// Unjudged are rules, by their index, whose requests are accounted for and no
	// more; nil is none.
	Unjudged []bool
}

// Engine runs the rules of a plan over events in release order.
type Engine struct {
	plan    *Plan
	o       EngineOptions
	rules   []*judge
	witness *Witness // nil unless the plan asks for evidence
	judged  int64    // events
	quiet   int64    // no open episode ends before
	hit     Hit      // the one at work; here, so that none is allocated
	verdict Verdict

	after    firing    // the last request that o.After was called for
	enforcer *enforcer // nil unless the rules are to act
}

// NewEngine makes an engine for the plan's rules.
func NewEngine(plan *Plan, o EngineOptions) *Engine {
	e := &Engine{plan: plan, o: o, quiet: math.MaxInt64}
	if plan.evidence {
		e.witness = plan.NewWitness(o.MaxKeys)
		e.witness.errors.keep = evidenceMinutes
	}
	for i, r := range plan.Rules {
		var evidence *evidence
		if plan.evidence {
			evidence = newEvidence(e.witness, i, r, o.MaxKeys)
		}
		e.rules = append(e.rules, newJudge(r, evidence, o))
	}
	if o.Enforce {
		e.enforcer = newEnforcer(plan)
	}
	return e
}

// Judge shows an event to every rule. Events must come in release order.
func (e *Engine) Judge(ev *Event) {
	e.enforceUntil(ev.Time)
	e.Advance(ev.Time)
	e.judged++
	if e.witness != nil {
		e.witness.Seen(ev)
	}
	for i := range e.rules {
		if e.enforcer == nil || !e.enforcer.hold(i, ev) {
			e.show(i, ev)
		}
	}
}

// enforceUntil shows rules the events that were held back for them until t.
func (e *Engine) enforceUntil(t int64) {
	if e.enforcer == nil {
		return
	}
	e.enforcer.until(t, func(rule int, ev *Event) {
		e.Advance(ev.Time)
		e.show(rule, ev)
	})
}

// show shows an event to one rule.
func (e *Engine) show(i int, ev *Event) {
	j := e.rules[i]
	j.account.Judged++
	choice := ev.Rules[i]
	if choice == NotMatched {
		j.account.NotMatched++
		return
	}
	prints, scope := &ev.Prints[e.plan.identity[i]], &ev.Scopes[e.plan.scope[i]]
	in := j.inForce(choice)
	if j.chats != nil && scope.Cause == fingerprint.Computable {
		own := j.chats.hear(scope.Key, ev.Chat, ev.Time).over(*in)
		in = &own
	}
	if in.Off {
		j.account.NotMatched++
		return
	}
	if j.evidence != nil && scope.Cause == fingerprint.Computable {
		j.evidence.hear(ev)
	}
	if cause := prints.Cause; cause != fingerprint.Computable {
		j.account.NotComputable[cause]++
		return
	}
	if cause := scope.Cause; cause != fingerprint.Computable {
		j.account.NotComputable[cause]++
		return
	}
	j.account.Counted++
	if scope.FellBack {
		j.account.FellBack++
	}
	if e.o.Unjudged != nil && e.o.Unjudged[i] {
		return
	}
	hardest, delay := Allow, time.Duration(0)
	for k := range prints.Fingerprints {
		h := &e.hit
		h.Scope, h.Time, h.Limit, h.Window, h.Record = scope.Key, ev.Time, in.Threshold, in.Window, true
		h.Print = prints.Fingerprints[k]
		var facts *Facts
		if j.evidence != nil {
			facts = j.evidence.note(ev, h, j.episodes.open)
		}
		var out outcome
		if e.enforcer != nil && !in.Action.stops() {
			out = j.pass(h, in)
		} else {
			out = j.hit(h, in)
		}
		var episode *Episode
		if out.fired {
			hardest = harder(hardest, out.action)
			if out.action == Throttle {
				delay = max(delay, Delay(out.count.N))
			}
			j.account.Fired++
			episode = j.episodes.fired(ev, scope, h, out.count, prints.Name(k), prints.Text(k))
			e.quiet = min(e.quiet, j.episodes.open.ends())
			if j.episodes.opened {
				j.account.Episodes++
			}
			if j.episodes.after {
				e.tellAfter(ev)
			}
			if facts != nil {
				episode.facts = facts
			}
			if e.o.Fired != nil {
				if j.evidence != nil {
					j.evidence.tell(episode)
				}
				e.o.Fired(episode, Firing{out.action, h.Window, j.episodes.added})
			}
		}
		if e.o.Verdict != nil {
			e.report(ev, j.rule, scope, h, out, episode)
		}
	}
	if e.enforcer != nil {
		e.enforcer.did(i, ev, hardest, delay)
	}
}

// tellAfter tells of a request once, whatever rules fired. Rules that act see it
// at times of their own.
func (e *Engine) tellAfter(ev *Event) {
	if e.o.After == nil || e.after.any && e.after.at == ev.Position || e.enforcer != nil && !e.enforcer.first(ev) {
		return
	}
	e.after = firing{any: true, at: ev.Position}
	e.o.After(ev)
}

// report builds the verdict of an outcome.
func (e *Engine) report(ev *Event, rule *Rule, scope *Scope, h *Hit, out outcome, episode *Episode) {
	v := &e.verdict
	*v = Verdict{
		Event: ev, Rule: rule, Scope: scope, Fingerprint: h.Print, Count: out.count.N, Threshold: h.Limit,
		Fired: out.fired, Action: out.action, Reason: out.reason, RetryAfter: -1, DelayMS: -1,
	}
	if out.fired {
		v.Episode = episode.ID
		switch out.action {
		case Reject:
			v.RetryAfter = int64((out.retry + time.Second - 1) / time.Second)
		case Throttle:
			v.DelayMS = Delay(out.count.N).Milliseconds()
		}
	}
	e.o.Verdict(v)
}

// Advance says that no event comes any more that is older than t. It closes the
// episodes that have been quiet for too long then, in the order in which they
// ended, then by rule, then in the order in which they fired last. That order
// does not depend on which events come between.
func (e *Engine) Advance(t int64) {
	for t > e.quiet {
		var first *episodes
		e.quiet = math.MaxInt64
		for _, j := range e.rules {
			if at := j.episodes.open.ends(); at < e.quiet {
				first, e.quiet = j.episodes, at
			}
		}
		if t > e.quiet {
			first.open.removeEntry(first.open.oldest)
		}
	}
}

// Close closes the open episodes, when the streams are at their end.
func (e *Engine) Close() {
	e.enforceUntil(math.MaxInt64)
	e.Advance(math.MaxInt64)
}

// Enforced is what each rule would have done; nil without
// EngineOptions.Enforce. Call it after Close.
func (e *Engine) Enforced() []Enforced {
	if e.enforcer == nil {
		return nil
	}
	return e.enforcer.done
}

// Account is what became of the requests, by rule.
func (e *Engine) Account() []RuleAccount {
	accounts := make([]RuleAccount, len(e.rules))
	for i, j := range e.rules {
		accounts[i] = j.sum()
	}
	return accounts
}

func (e *Engine) save(w *snapshot.Writer) {
	c := w.Codec()
	e.code(c, stateVersion)
	for _, j := range e.rules {
		w.Section("rule", func() { j.code(c, stateVersion, j.rule.Cooldown) })
	}
}

// load reads the rules of then, as that version wrote them; from says, by rule,
// which of them it goes on from, -1 if from none. It returns the open episodes
// that are over: of those from which none does, and those that have no room.
func (e *Engine) load(r *snapshot.Reader, version uint64, then *savedPlan, from []int) (ended []*Episode) {
	c := r.Codec()
	e.code(c, version)
	for i := range then.rules {
		r.Section("rule", func() {
			if k := slices.Index(from, i); k >= 0 {
				open := e.rules[k].episodes.open
				closed := open.drop
				open.drop = func(ep *Episode) { ended = append(ended, new(*ep)) }
				e.rules[k].code(c, version, then.rules[i].cooldown)
				open.drop = closed
				return
			}
			gone := newEpisodes(then.rule(i), 0, nil)
			r.Section("episodes", func() { gone.code(&coder{Codec: c}) })
			ended = append(ended, gone.all()...)
		})
	}
	for k, j := range e.rules {
		if from[k] < 0 {
			j.account.Before = e.judged
		}
		e.quiet = min(e.quiet, j.episodes.open.ends())
	}
	return ended
}

// code codes what no rule has for itself.
func (e *Engine) code(c *snapshot.Codec, version uint64) {
	snapshot.Size(c, &e.judged, most)
	c.Part("witness", e.witness != nil && version >= 10, func() { e.witness.code(c) })
}
