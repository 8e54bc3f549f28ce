package window

// evidence gathers, for one rule, the facts of the keys that repeat, so that an
// alert can name the kind while the loop goes on. A key is kept for as long as
// an episode of it could be open.
type evidence struct {
	witness *Witness
	rule    int
	keys    *table[pairKey, keyEvidence]
	inRow   *inRow
}

// keyEvidence is what is known of a key: nothing but its first time as long as
// it has come once.
type keyEvidence struct {
	first int64 // + 1
	facts *Facts
}

// evidenceMinutes is how long the errors of a log are remembered: a day.
const evidenceMinutes = 24 * 60

func newEvidence(w *Witness, index int, rule *Rule, keys int) *evidence {
	spec := rule.Counter.effective()
	spec.Window, spec.Closed = rule.widest(), rule.Counter.EdgeCounts()
	return &evidence{
		witness: w, rule: index, keys: newTable[pairKey, keyEvidence](rule.quiet().Microseconds(), keys, nil),
		inRow: newInRow(w.within[index], spec, keys),
	}
}

// hear takes in what an event says of the calls before it.
func (e *evidence) hear(ev *Event) {
	if e.witness.hears(ev, e.rule) {
		e.witness.Hear(ev, e.rule)
	}
}

// note takes a hit in, and returns the facts of its key; nil if it came for the
// first time.
func (e *evidence) note(ev *Event, h *Hit) *Facts {
	round := e.inRow.count(ev, h)
	key := e.keys.touch(pairKeyOf(h), ev.Time)
	if key.first == 0 { // a key not seen before
		key.first = ev.Time + 1
		return nil
	}
	if key.facts == nil {
		key.facts = e.witness.Begin(key.first - 1)
	}
	key.facts = e.witness.Note(key.facts, ev, e.rule, &h.Print, round)
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

func (e *evidence) save(s *saver) {
	s.Section("cycle", func() { e.inRow.cycle.save(s) })
	s.Section("keys", func() {
		e.keys.save(s, func(entry *tableEntry[pairKey, keyEvidence]) {
			s.pair(&entry.key)
			s.Varint(entry.state.first)
			saveStretch(s, entry.state.facts)
		})
	})
	s.Section("asked", func() {
		if x := e.witness.asked[e.rule]; x != nil {
			x.save(s, e.factsOf)
		}
	})
}

func (e *evidence) load(l *loader) {
	l.Section("cycle", func() { e.inRow.cycle.load(l) })
	l.Section("keys", func() {
		e.keys.load(l, 19, l.pair, func(key *keyEvidence, _ int64) {
			key.first = l.Varint()
			key.facts = loadStretch(l)
		})
	})
	l.Section("asked", func() {
		if x := e.witness.asked[e.rule]; x != nil {
			x.load(l, e.factsOf)
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

// link gives the open episodes the facts of their keys again.
func (e *evidence) link(open *table[pairKey, Episode]) {
	for i := open.oldest; i != 0; i = open.entries.at(i).prev {
		entry := open.entries.at(i)
		if key := e.keys.find(entry.key); key != nil {
			entry.state.facts = key.facts
		}
	}
}
