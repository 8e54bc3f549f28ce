package window

// Partition counts a part of the events of a log that stand sorted: rule after
// rule and key after key, the events of a key in release order. A key is a
// scope and a fingerprint, or, for the kinds that look at the order in a scope,
// the scope. Nothing outlives its key, so what parts count adds up to what the
// whole would count, however the keys are dealt out.
//
// Each event has one fingerprint. A request with several is several events, one
// after the other: hits are counted here, where a [Sweep] counts requests.
type Partition struct {
	plan   *Plan
	keying Keying
	sweep  *Sweep
	judges []*judge // by rule; nil if the rule counts by another keying
	rule   int      // at work; -1 before the first
	hit    Hit      // the last one
	hits   []int64  // by rule
}

// NewPartition makes a Partition that sweeps every rule of plan by the kinds of
// a keying, and judges the rules that count so. episode is called for every
// episode, as [EngineOptions] says.
func NewPartition(plan *Plan, keying Keying, o SweepOptions, episode func(*Episode)) *Partition {
	p := &Partition{plan: plan, keying: keying, rule: -1, judges: make([]*judge, len(plan.Rules)), hits: make([]int64, len(plan.Rules))}
	all := make([]int, len(plan.Rules))
	for i := range all {
		all[i] = i
	}
	p.sweep = NewSweep(plan, all, o)
	for i, rule := range plan.Rules {
		if CounterNamed(rule.Counter.Kind).Keying == keying {
			p.judges[i] = newJudge(rule, nil, EngineOptions{MaxKeys: o.MaxKeys, Episode: episode})
		} else {
			p.sweep.targets[i].trips = nil
		}
	}
	return p
}

// Add counts an event for a rule. All other rules of the plan are NotMatched in
// it.
func (p *Partition) Add(rule int, ev *Event) {
	scope, prints := &ev.Scopes[p.plan.scope[rule]], &ev.Prints[p.plan.identity[rule]]
	h := Hit{Scope: scope.Key, Print: prints.Fingerprints[0], Time: ev.Time, Record: true}
	if rule != p.rule || h.Scope != p.hit.Scope || p.keying == ByScopeAndFingerprint && h.Print != p.hit.Print {
		p.forget()
	}
	p.rule, p.hit = rule, h
	p.hits[rule]++
	p.sweep.Add(ev)
	j := p.judges[rule]
	if j == nil {
		return
	}
	j.episodes.open.expire(ev.Time)
	in := j.inForce(ev.Rules[rule])
	h.Limit, h.Window = in.Threshold, in.Window
	if out := j.hit(&h, in); out.fired {
		j.episodes.fired(ev, scope, &h, out.count, prints.Name(0), prints.Text(0))
	}
}

// Close ends the last key.
func (p *Partition) Close() { p.forget() }

// forget lets go of the key at work. Its episodes close; sums stay.
func (p *Partition) forget() {
	if p.rule < 0 {
		return
	}
	p.sweep.targets[p.rule].forget(&p.hit)
	if j := p.judges[p.rule]; j != nil {
		j.forget(&p.hit)
	}
}

// forget ends what is known of the only key, whose last hit h is.
func (j *judge) forget(h *Hit) {
	if j.episodes != nil {
		j.episodes.open.clear()
	}
	j.counter.Forget(h)
	if j.cooling != nil {
		j.cooling.clear()
	}
	if own, ok := j.chances.(signatureChances); ok {
		own.guided.clear()
	}
}

func (t *sweepTarget) forget(h *Hit) {
	t.seen.clear()
	for _, r := range t.reached {
		r.highest.clear()
	}
	if t.trips != nil {
		t.trips.forget(h)
	}
}

// Tally is what a Partition has counted for one rule.
type Tally struct {
	Rule    *Rule
	Hits    int64
	Dropped int64   // keys of a scope that had to make room, with what they had counted
	Cells   []Swept // of the partition's kinds; of Swept, only Requests, Episodes and Stopped add up
}

// Result is what has been counted, by rule.
func (p *Partition) Result() []Tally {
	list := make([]Tally, len(p.plan.Rules))
	for i, r := range p.sweep.Result() {
		list[i] = Tally{Rule: r.Rule, Hits: p.hits[i], Dropped: r.Dropped, Cells: r.Tracker}
		for _, cell := range r.Cells {
			if CounterNamed(cell.Kind).Keying == p.keying {
				list[i].Cells = append(list[i].Cells, cell)
			}
		}
	}
	return list
}
