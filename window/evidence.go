package window

// evidence gathers, for one rule, the facts of the keys that repeat, so that an
// alert can name the kind while the loop goes on. A key is kept for as long as
// an episode of it could be open.
type evidence struct {
	witness *Witness
	rule    int
	keys    *table[pairKey, keyEvidence]
	rounds  *rounds
}

// keyEvidence is what is known of a key: nothing but its first time as long as
// it has come once.
type keyEvidence struct {
	first int64 // + 1
	facts *Facts
}

// end says that the key is forgotten.
func (k *keyEvidence) end() {
	if k.facts != nil {
		k.facts.End()
	}
}

// evidenceMinutes is how long the errors of a log are remembered: a day.
const evidenceMinutes = 24 * 60

func newEvidence(w *Witness, index int, rule *Rule, keys int) *evidence {
	spec := rule.Counter.effective()
	spec.Window, spec.Closed = rule.widest(), rule.Counter.EdgeCounts()
	return &evidence{
		witness: w, rule: index, keys: newTable[pairKey](rule.quiet().Microseconds(), keys, (*keyEvidence).end),
		rounds: newRounds(w.senders[index], spec, keys),
	}
}

// hear takes in what an event says of the calls before it.
func (e *evidence) hear(ev *Event) {
	if e.witness.hears(ev, e.rule) {
		e.witness.Hear(ev, e.rule)
	}
}

// note takes a hit in, and returns the facts of its key; nil if it came for the
// first time. An open episode whose last firing a new stretch takes over is told by
// that.
func (e *evidence) note(ev *Event, h *Hit, open *table[pairKey, Episode]) *Facts {
	pair := pairKeyOf(h)
	round := e.rounds.count(ev, pair.scope, pair.print)
	key := e.keys.touch(pair, ev.Time)
	if key.first == 0 { // a key not seen before
		key.first = ev.Time + 1
		return nil
	}
	if key.facts == nil {
		key.facts = e.witness.Begin(key.first - 1)
	}
	was := key.facts
	key.facts = e.witness.Note(was, ev, e.rule, &h.Print, round)
	if key.facts != was && key.facts.Requests > 1 {
		if ep := open.find(pair); ep != nil && ep.Last >= key.facts.First {
			ep.facts = key.facts
		}
	}
	return key.facts
}

// tell names what an episode is, as far as it is known now. That it has been a
// loop is not forgotten because it is none at the moment.
func (e *evidence) tell(ep *Episode) {
	if ep.facts == nil {
		return
	}
	ep.Kind, ep.Evidence = e.witness.Kind(ep.Rule, ep.facts)
	if was := ep.facts.loop; was != nil && was.last >= ep.First && !ep.Kind.IsLoop() {
		if kind, why := e.witness.Kind(ep.Rule, was); kind.IsLoop() {
			ep.Kind, ep.Evidence = kind, why
		}
	}
}

// code codes it, where it reads when the open episodes are there, but for the first,
// if there is no room for so many.
func (e *evidence) code(c *coder, open *table[pairKey, Episode]) {
	c.Section("cycle", func() { e.rounds.cycle.code(c) })
	c.Section("keys", func() {
		e.keys.code(c, 19, c.pair, func(key *keyEvidence, _ int64) {
			c.Varint(&key.first)
			codeStretch(c, &key.facts)
			f := key.facts
			c.Check(f == nil || !f.mixed || f.before != nil, "a stretch of requests that differ has none before those that do not")
		})
	})
	c.Section("asked", func() {
		if x := e.witness.asked[e.rule]; x != nil {
			x.code(c, e.factsOf)
		}
	})
	c.Section("told", func() {
		// Those of its key are the facts of an episode, unless it has its own.
		told := func(facts, ofKey *Facts) *Facts {
			own := facts != ofKey
			if c.Bool(&own); !own {
				return ofKey
			}
			codeStretch(c, &facts)
			return facts
		}
		n := c.Items(open.live, 1)
		c.Check(n >= open.live, "an episode is told by nothing")
		for range n - open.live {
			told(nil, nil)
		}
		for entry := range open.all() {
			entry.state.facts = told(entry.state.facts, e.factsOf(entry.key))
		}
	})
}

// factsOf are those of a key, nil if there are none.
func (e *evidence) factsOf(k pairKey) *Facts {
	if key := e.keys.find(k); key != nil {
		return key.facts
	}
	return nil
}
