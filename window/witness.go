package window

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// Witness knows what the rest of a log says of a repeat: what else its
// requests carried, whether others had errors at the time, and how fine the
// clock is. Show it every request that is judged, in release order.
type Witness struct {
	plan *Plan

	quiet   []int64   // by rule: the longest pause inside one episode
	senders []senders // by rule

	// The identities and the scope that tell more of a request than the rule's
	// own: their places in the plan, -1 if it has none.
	results, answers, messages, steps, conversation int

	errors        errorMinutes
	asked         []*asked // by rule; nil of those that look at no calls
	judged, whole int64    // requests; of those, that began or ended at a whole second

	ordinals ordinals // of the request at work
}

// NewWitness makes a Witness for the requests of a plan. keys caps the
// conversations that wait for what comes of their calls, of each rule; 0 is no cap.
func (p *Plan) NewWitness(keys int) *Witness {
	w := &Witness{plan: p, errors: newErrorMinutes(), conversation: p.conversation()}
	for _, r := range p.Rules {
		w.quiet, w.senders = append(w.quiet, r.quiet().Microseconds()), append(w.senders, p.senders(r))
	}
	for i, at := range []*int{&w.results, &w.answers, &w.messages} {
		*at = p.companion(companions[i])
	}
	w.steps = slices.IndexFunc(p.Identities, func(id *fingerprint.Identity) bool { return id.Name == "stuck-step" })
	w.asked = make([]*asked, len(p.Rules))
	for i, r := range p.Rules {
		if w.results >= 0 && r.Identity.Sees == fingerprint.SeesCalls {
			w.asked[i] = newAsked(keys)
		}
	}
	return w
}

// Seen takes a request in.
func (w *Witness) Seen(ev *Event) {
	w.judged++
	if ev.whole() {
		w.whole++
	}
	w.errors.seen(ev, w.Conversation)
}

// whole tells that the request began or ended at a whole second.
func (ev *Event) whole() bool { return whole(ev.Time, ev.Start) }

func whole(end, start int64) bool { return WholeSecond(end) || WholeSecond(start) }

// WholeSecond tells a time of whole seconds, also one that was cut to the millisecond
// below on its way through a fraction, as some of Mooncake's.
func WholeSecond(t int64) bool { return t%second == 0 || t%second >= second-1000 }

// coarse tells that the stretch is from a log of whole seconds, in which sharing one's
// time means nothing. With a duration, which is finer, only one end is whole. In a finer
// log hardly a request is at a whole second: where a tenth are, one of the logs has no
// other times, and however small it is, where the stretch begins at one and ends at another.
func (w *Witness) coarse(f *Facts) bool {
	return whole(f.last, f.start) && (WholeSecond(f.First) && f.First != f.last || 10*w.whole > w.judged)
}

// Conversation names the conversation of a request, "" if it has none, or no
// rule looks at it. A dataset that was written without conversations names
// sessions.
func (w *Witness) Conversation(ev *Event) string {
	switch {
	case len(ev.Scopes) == 0:
		return ""
	case w.conversation < 0:
		return ev.Session
	case len(ev.Scopes[w.conversation].Values) == 0:
		return ""
	}
	return ev.Scopes[w.conversation].Values[0]
}

// Begin makes the facts of a key whose first request was at a time.
func (*Witness) Begin(first int64) *Facts { return begin(first, 0) }

// begin makes the facts of a stretch whose first request said that.
func begin(first int64, said uint64) *Facts {
	return &Facts{Requests: 1, First: first, last: first, start: fingerprint.NoTime, said: said}
}

// Note adds one more request of a key of a rule. round is how it comes round, as
// a cycle counter tells; in a row is a round, too. It returns the facts to go on
// with: f, or those of the new stretch that the request is in. What is said of a
// stretch must not be watered down by what comes an hour before or after it, so a
// stretch ends
//   - with a pause that is long for the rule, and beside those before it;
//   - where the rule does not look at what is said, or by whom, with
//     the beginning and the end of [LeastRepeats] requests or more in a row
//     that said the same in one session.
//
// A new stretch begins with this request, unless its Requests tell that it has
// some of those before.
func (w *Witness) Note(f *Facts, ev *Event, rule int, print *fingerprint.Fingerprint, round Round) *Facts {
	identity := w.plan.identity[rule]
	at := w.ordinals.find(print, ev, identity)
	x := w.asked[rule]
	if x == nil {
		return w.goOn(f, ev, rule, round, at.first < at.last, nil)
	}
	call, shown := issuedAs(&ev.Prints[identity], print, at.last), []uint64(nil)
	var room [fewPrints]uint64
	issued := w.issued(ev)
	told := w.hears(ev, rule) && slices.Contains(x.told, f)
	if !issued || !told && round.Period == 1 && round.N > 1 {
		shown = call.came(room[:0], &ev.Prints[w.results])
	}
	f = w.goOn(f, ev, rule, round, at.first < at.last, shown)
	if issued {
		key := pairKey{ev.Scopes[w.plan.scope[rule]].Key, printKeyOf(print)}
		x.wait(w.conversationKey(ev, rule), ev.Time, askedCall{key, f, call})
	}
	return f
}

// hears tells whether a request may say what came of calls before it, or that
// nothing will: one that an error answered is sent again.
func (w *Witness) hears(ev *Event, rule int) bool {
	return w.asked[rule] != nil && w.plan.saysResults(ev, w.results, rule)
}

// saysResults is hears of a rule that looks at calls.
func (p *Plan) saysResults(ev *Event, results, rule int) bool {
	if ev.Status >= 400 {
		return false
	}
	switch r := &ev.Prints[results]; {
	case len(r.Fingerprints) > 0:
		return true
	case r.Cause == fingerprint.NoToolTurn: // does the agent go on?
		return len(ev.Prints[p.identity[rule]].Fingerprints) > 0
	default:
		return r.Cause != fingerprint.Computable
	}
}

// Hear takes in what a request says of the calls before it, if it hears any, and
// before any is noted of it.
func (w *Witness) Hear(ev *Event, rule int) {
	x := w.asked[rule]
	if x.told = x.told[:0]; x.scopes.live > 0 {
		x.hear(w.conversationKey(ev, rule), &ev.Prints[w.results])
	}
}

// issued tells whether the calls of a request are those of its response. A
// dataset does not say so, but has the steps of agents, which are of responses,
// or why there are none.
func (w *Witness) issued(ev *Event) bool {
	if ev.Issued || w.steps < 0 {
		return ev.Issued
	}
	switch p := &ev.Prints[w.steps]; p.Cause {
	case fingerprint.Computable:
		return len(p.Fingerprints) > 0
	case fingerprint.NoResponse, fingerprint.NoToolCall:
		return false
	}
	return true
}

// conversationKey is that of the conversation of a request, or of the scope of a
// rule where none is known.
func (w *Witness) conversationKey(ev *Event, rule int) fingerprint.ScopeKey {
	if w.conversation >= 0 && len(ev.Scopes[w.conversation].Values) > 0 {
		return ev.Scopes[w.conversation].Key
	}
	return ev.Scopes[w.plan.scope[rule]].Key
}

// goOn is Note where it is known what the request shows of the call before.
// again says that it has the same call more than once.
func (w *Witness) goOn(f *Facts, ev *Event, rule int, round Round, again bool, shown []uint64) *Facts {
	said := w.said(ev, rule)
	differs, long := f.differs(said), ev.Time-f.last > w.quiet[rule] && f.paused(ev.Time)
	switch {
	case long || differs && f.equal():
		next := begin(ev.Time, said)
		if next.loop = f.loop; f.equal() && (f.loop == nil || w.KindAlone(w.plan.Rules[rule], f).IsLoop()) {
			next.loop, f.loop = f, nil
		}
		f.End()
		return next
	case differs:
		f.keepBefore()
		f.mixed, f.since, f.run = true, ev.Time, nil
	case f.mixed:
		if f.run == nil {
			f.run = begin(f.since, f.said)
		}
		if w.add(f.run, ev, rule, round, again, shown, said); f.run.equal() {
			f.run.loop = f.loop
			run := f.run
			f.back()
			return run
		}
	}
	w.add(f, ev, rule, round, again, shown, said)
	return f
}

// said is what a request says that the rule does not look at, as a hash: to what
// path, if the log does not show what; 0 if neither is known.
func (w *Witness) said(ev *Event, rule int) (hash uint64) {
	if w.plan.Rules[rule].Identity.Sees == 0 {
		switch list := prints(ev, w.messages); {
		case len(list) > 0:
			hash = printHash(&list[0])
		case ev.Path != "":
			hash = textHash(ev.Path)
		default:
			return 0
		}
	}
	if of := w.senders[rule].of(ev); of != "" {
		hash ^= textHash(of)
	}
	return hash
}

// add adds one more request to a stretch.
func (w *Witness) add(f *Facts, ev *Event, rule int, round Round, again bool, shown []uint64, said uint64) {
	parallel := again && ev.Time == f.last // the same call, in one request
	if f.count(ev, again); w.issued(ev) {
		f.issued++
	}
	if said != 0 {
		f.said = said
	}
	if w.plan.Rules[rule].Identity.Sees == 0 {
		for _, p := range prints(ev, w.messages) {
			f.toHear().messages.add(printHash(&p))
		}
	}
	if w.asked[rule] != nil && !parallel {
		f.toHear().results.see(shown, ev.Prints[w.results].Cause)
	}
	for _, p := range prints(ev, w.answers) {
		f.toHear().answers.add(printHash(&p))
	}
	if n := int64(round.N); n > f.cycle {
		f.cycle, f.period = n, int64(round.Period)
	}
}

func prints(ev *Event, identity int) []fingerprint.Fingerprint {
	if identity < 0 {
		return nil
	}
	list := ev.Prints[identity].Fingerprints
	return list[:min(len(list), fewPrints)]
}

// fewPrints of a request are enough to tell whether it differs from another; a
// hostile one has a hundred thousand.
const fewPrints = 4

func (w *Witness) code(c *snapshot.Codec) {
	c.Varint(&w.judged)
	c.Varint(&w.whole)
	w.errors.code(c)
}
