package window

import (
	"math"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// DelayStep and DelayCap are how throttle slows a loop down: so much for each
// hit counted, up to a bound.
const (
	DelayStep = 100 * time.Millisecond
	DelayCap  = 30 * time.Second
)

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
	// grow and what the gateway would have done: Allow if it would only have
	// taken note. It is called before Verdict, and the Episode is valid during
	// the call. Nil: nobody asks.
	Fired func(ep *Episode, action Action, opened bool)
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
}

// NewEngine makes an engine for the plan's rules.
func NewEngine(plan *Plan, o EngineOptions) *Engine {
	e := &Engine{plan: plan, o: o, quiet: math.MaxInt64}
	if plan.evidence {
		e.witness = plan.NewWitness()
		e.witness.keep = evidenceMinutes
	}
	for i, r := range plan.Rules {
		var evidence *evidence
		if plan.evidence {
			evidence = newEvidence(e.witness, i, r, o.MaxKeys)
		}
		e.rules = append(e.rules, newJudge(r, evidence, o))
	}
	return e
}

// Judge shows an event to every rule. Events must come in release order.
func (e *Engine) Judge(ev *Event) {
	e.closeEpisodes(ev.Time)
	e.judged++
	if e.witness != nil {
		e.witness.Seen(ev)
	}
	for i, j := range e.rules {
		j.account.Judged++
		choice := ev.Rules[i]
		if choice == NotMatched {
			j.account.NotMatched++
			continue
		}
		prints, scope := &ev.Prints[e.plan.identity[i]], &ev.Scopes[e.plan.scope[i]]
		if cause := prints.Cause; cause != fingerprint.Computable {
			j.account.NotComputable[cause]++
			continue
		}
		if cause := scope.Cause; cause != fingerprint.Computable {
			j.account.NotComputable[cause]++
			continue
		}
		j.account.Counted++
		if scope.FellBack {
			j.account.FellBack++
		}
		threshold, action := j.rule.InForce(choice)
		for k := range prints.Fingerprints {
			h := &e.hit
			*h = Hit{Scope: scope.Key, Print: prints.Fingerprints[k], Time: ev.Time, Limit: threshold, Record: true}
			var facts *Facts
			if j.evidence != nil {
				facts = j.evidence.note(ev, h)
			}
			out := j.hit(h, action)
			var episode *Episode
			if out.fired {
				j.account.Fired++
				var opened bool
				episode, opened = j.episodes.fired(ev, scope, h, out.count, prints.Name(k), prints.Text(k))
				e.quiet = min(e.quiet, j.episodes.open.ends())
				episode.facts = facts
				if e.o.Fired != nil {
					if j.evidence != nil {
						j.evidence.tell(episode)
					}
					e.o.Fired(episode, out.action, opened)
				}
			}
			if e.o.Verdict != nil {
				e.report(ev, j.rule, scope, h, out, episode)
			}
		}
	}
}

// report builds the verdict of an outcome.
func (e *Engine) report(ev *Event, rule *Rule, scope *Scope, h *Hit, out outcome, episode *Episode) {
	v := &e.verdict
	*v = Verdict{
		Event: ev, Rule: rule, Scope: scope, Fingerprint: h.Print, Count: out.count.N,
		Fired: out.fired, Action: out.action, Reason: out.reason, RetryAfter: -1, DelayMS: -1,
	}
	if out.fired {
		v.Episode = episode.ID
		switch out.action {
		case Reject:
			v.RetryAfter = int64((out.retry + time.Second - 1) / time.Second)
		case Throttle:
			v.DelayMS = min(time.Duration(max(out.count.N, 1))*DelayStep, DelayCap).Milliseconds()
		}
	}
	e.o.Verdict(v)
}

// closeEpisodes closes the episodes that have been quiet for too long at time
// t, in the order in which they ended, then by rule, then in the order in which
// they fired last. That order does not depend on which events come between.
func (e *Engine) closeEpisodes(t int64) {
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

// Advance says that no event comes any more that is older than t, so that
// episodes end without one.
func (e *Engine) Advance(t int64) { e.closeEpisodes(t) }

// Close closes the open episodes, when the streams are at their end.
func (e *Engine) Close() { e.closeEpisodes(math.MaxInt64) }

// Account is what became of the requests, by rule.
func (e *Engine) Account() []RuleAccount {
	accounts := make([]RuleAccount, len(e.rules))
	for i, j := range e.rules {
		accounts[i] = j.sum()
	}
	return accounts
}

func (e *Engine) save(w *snapshot.Writer) {
	w.Uvarint(uint64(e.judged))
	w.Section("witness", func() {
		if e.witness != nil {
			e.witness.save(&saver{Writer: w})
		}
	})
	for _, j := range e.rules {
		w.Section("rule", func() { j.save(w) })
	}
}

// load reads the rules of then; from says, by rule, which of them it goes on
// from, -1 if from none. It returns the open episodes of those from which none
// does.
func (e *Engine) load(r *snapshot.Reader, then *savedPlan, from []int) (ended []*Episode) {
	l := &loader{Reader: r}
	e.judged = l.int64()
	r.Section("witness", func() {
		if e.witness != nil && r.Left() > 0 {
			e.witness.load(l)
		} else {
			r.Skip()
		}
	})
	for i := range then.rules {
		r.Section("rule", func() {
			if k := slices.Index(from, i); k >= 0 {
				e.rules[k].load(r, then.rules[i].cooldown)
				return
			}
			gone := newEpisodes(then.rule(i), 0, nil)
			r.Section("episodes", func() { gone.load(l) })
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
