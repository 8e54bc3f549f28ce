package window

import (
	"cmp"
	"slices"

	"github.com/loopgauge/loopgauge/window/snapshot"
)

// stateVersion is the version of what State.Save writes. Each number says what
// changed with it. A snapshot of an older version is read as that version
// wrote it; testdata/snapshot holds one of each. The number goes up, too, when
// the state of a counter comes to mean something else. It need not when an identity
// comes to give another fingerprint to the same request: what was counted under
// the one before is over with its window.
//
//	1  the first
//	2  aisg of messages that are no more than a text; the form is that of 1
//	3  evidence by stretches, and by what comes of calls turn by turn; that of
//	   older versions begins anew
//	4  evidence tells answers apart by another identity, and has no streak
//	   beside its cycle; that of older versions begins anew
//	5  what each episode has added to its loop; of older versions all of it
//	6  evidence knows classes of errors and what calls wait for; that of older
//	   versions begins anew
//	7  evidence knows the places of calls among those of their response; that of
//	   older versions begins anew. tool-call-result has equal calls of one turn,
//	   with equal results, once
//	8  duplicates know the spans of a call
//	9  evidence of each episode by the stretch in which it fired last; that of
//	   older versions begins anew. last-exchange has no thoughts before an action.
//	   What each episode has added tells calls of one request that are equal
//	10 evidence knows the latest pauses one by one; that of older versions begins
//	   anew
//	11 the order knows what came last of each stream; of older versions the newest
const stateVersion = 11

// State is all that judging remembers of its streams. Saved, and loaded into a
// fresh one in another process, it goes on as if there had been no break.
type State struct {
	Plan       *Plan
	Extract    ExtractOptions // that the events were made with
	Order      *Order
	Duplicates *Duplicates
	Engine     *Engine
}

// Save writes the state, as a section of its own. It changes nothing, and
// equal states give equal bytes.
func (s *State) Save(w *snapshot.Writer) {
	c := w.Codec()
	w.Section("window", func() {
		w.Uvarint(stateVersion)
		w.Section("plan", func() { describe(s.Plan, s.Extract).code(c) })
		w.Section("order", func() { s.Order.code(&coder{Codec: c}, &s.Plan.NewEventWriter().eventCoder, nil) })
		w.Section("duplicates", func() { s.Duplicates.code(&coder{Codec: c}, stateVersion) })
		w.Section("engine", func() { s.Engine.save(w) })
	})
}

// Load reads what Save wrote into a fresh state: nothing may have been pushed
// or judged, and no stream opened. The numbers of streams must mean the same
// streams, and these are live, idle or closed as they were: open those that are
// new, and close those that are no more, or they hold the others back. After an
// error the state is of no use; make a new one.
//
// The plan may be another. A rule whose name, identity, scope and counter are
// what they were goes on with what it has counted; threshold, action, match,
// overrides, cooldown and quiet time may be others, and a cooldown of another
// length begins with no key cooling down. Every other rule begins anew. With
// another fingerprint key, hashing of ids or event time all rules begin anew;
// names that should be hashed now are.
// Lateness, duplicate horizon and cap may be others, too; a lower cap drops
// keys, and ends episodes, at once.
//
// Events that wait in the Order were made for the plan of then. Rules that go
// on and select requests as they did see them as they would have; others see
// them as not matched. What an exclusion took out stays out; if there is no
// such exclusion any more, the event is judged and no rule matches it.
func (s *State) Load(r *snapshot.Reader) (*Restored, error) {
	restored := &Restored{}
	c := r.Codec()
	r.Section("window", func() {
		v := r.Uvarint()
		if v == 0 || v > stateVersion {
			r.Failf("the state has version %d, and this program knows versions up to %d: go on with the program that wrote it, or begin without this state", v, stateVersion)
			return
		}
		then, now := &savedPlan{}, describe(s.Plan, s.Extract)
		r.Section("plan", func() { then.code(c) })
		if r.Err() != nil {
			return
		}
		from := restored.compare(then, now)
		var hide *Extractor
		if now.hashIDs && !then.hashIDs {
			hide = s.Plan.NewExtractor(s.Extract)
		}
		r.Section("order", func() {
			s.Order.code(&coder{Codec: c}, &eventCoder{shape: then.shape()}, then.remap(s.Plan, now, from, hide).apply)
		})
		r.Section("duplicates", func() { s.Duplicates.code(&coder{Codec: c}, v) })
		r.Section("engine", func() { restored.Ended = s.Engine.load(r, v, then, from) })
		if hide != nil {
			for _, ep := range restored.Ended {
				ep.hidden(hide)
			}
		}
	})
	if err := r.Err(); err != nil {
		return nil, err
	}
	return restored, nil
}

// Restored says what became of a saved state.
type Restored struct {
	Kept  []string // rules that go on, in the order of the plan
	Reset []Reset  // rules that begin anew, likewise
	New   []string // rules that the saved state knows nothing of, likewise
	Gone  []string // rules that the plan does not have any more, in the order of then

	// Ended are the open episodes of the rules that were reset or are gone, and
	// those for which a lower cap has no room, in the order of then, each rule's by
	// their last firing. They are not passed to EngineOptions.Episode. The Rule of
	// the former is as it was then, as far as that is known: name, counter, cooldown,
	// and by name identity and scope.
	Ended []*Episode
}

// Reset is a rule that begins anew.
type Reset struct {
	Rule string
	Why  string // as in "counter was streak 10m, is streak 5m"
}

// compare says what becomes of each rule, and from which rule of then it goes
// on, -1 if from none.
func (restored *Restored) compare(then, now *savedPlan) (from []int) {
	all := then.changed(now)
	known := make([]bool, len(then.rules))
	for k := range now.rules {
		name := now.rules[k].name
		i := slices.IndexFunc(then.rules, func(r savedRule) bool { return r.name == name })
		if i < 0 || known[i] {
			restored.New = append(restored.New, name)
			from = append(from, -1)
			continue
		}
		known[i] = true
		if why := cmp.Or(all, then.changedRule(i, now, k)); why == "" {
			restored.Kept = append(restored.Kept, name)
			from = append(from, i)
		} else {
			restored.Reset = append(restored.Reset, Reset{name, why})
			from = append(from, -1)
		}
	}
	for i := range then.rules {
		if !known[i] {
			restored.Gone = append(restored.Gone, then.rules[i].name)
		}
	}
	return from
}
