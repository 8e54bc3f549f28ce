package window

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// Sum tells events that were made for this plan, with these options, from
// others that could not be judged by it. Thresholds, actions, counters and
// names of rules do not matter to an event.
func (p *Plan) Sum(o ExtractOptions) (sum [8]byte) {
	d := describe(p, o)
	for i := range d.rules {
		r := &d.rules[i]
		r.name, r.counter, r.cooldown = "", CounterSpec{}, 0
	}
	w := snapshot.NewWriter(nil)
	d.code(w.Codec())
	all := sha256.Sum256(w.Bytes())
	return [8]byte(all[:8])
}

// Spread says which of n processes must see an event, so that each of them has
// all that counts together, and all that makes one incident: for each of them
// yield gets the event with the rules that it has to judge, valid during the
// call. Every rule that looks at the event is judged by one process. An event
// that no rule can count goes to one process, so that it is accounted for. One
// of the processes is its home, which its portion says; the number stays what
// it was.
func (p *Plan) Spread(ev *Event, n int, yield func(to int, ev *Event)) {
	part, portion := *ev, Portion{Home: true}
	if ev.Portion != nil {
		portion.Number = ev.Portion.Number
	}
	part.Portion = &portion
	if ev.Exclude > 0 || len(ev.Rules) == 0 {
		yield(homeless(ev, n), &part)
		return
	}
	to := make([]int, len(p.Rules)) // by rule; -1 if it can be judged anywhere
	home := -1
	for i := range p.Rules {
		to[i] = -1
		scope := &ev.Scopes[p.scope[i]]
		if ev.Rules[i] == NotMatched || scope.Cause != fingerprint.Computable {
			continue
		}
		heard := ev.Chat != nil && p.Rules[i].ChatOverrides
		if ev.Prints[p.identity[i]].Cause != fingerprint.Computable && !heard && !p.tells(ev, i) {
			continue
		}
		if to[i] = share(scopeText(p.Scopes[p.scope[i]].Fields, scope.Values), n); home < 0 {
			home = to[i]
		}
	}
	if home < 0 {
		yield(homeless(ev, n), &part)
		return
	}
	part.Rules = make([]Choice, len(ev.Rules))
	for i, t := range to {
		if t < 0 {
			to[i] = home
		}
	}
	for i, t := range to {
		if slices.Contains(to[:i], t) {
			continue
		}
		for k := range part.Rules {
			if part.Rules[k] = ev.Rules[k]; to[k] != t {
				part.Rules[k] = NotMatched
			}
		}
		portion.Home, portion.All = t == home, nil
		if portion.Home && !slices.Equal(part.Rules, ev.Rules) {
			portion.All = ev.Rules
		}
		yield(t, &part)
	}
}

// tells says whether an event may say what came of calls that a rule counts: their
// kind is told by who counts them.
func (p *Plan) tells(ev *Event, rule int) bool {
	return p.evidence && p.Rules[rule].Identity.Sees == fingerprint.SeesCalls && p.saysResults(ev, p.companion(companions[0]), rule)
}

// homeless is where an event goes that no rule counts. Those of one id go to
// one place, where they are found to be duplicates.
func homeless(ev *Event, n int) int {
	if ev.ID != "" {
		return share(ev.ID, n)
	}
	return share(strconv.FormatInt(ev.Position.Offset, 10), n)
}

// share spreads keys that differ in their last digits alone, too: of FNV, whose
// factor three, five and seven divide, most of them have the same remainder.
func share(key string, n int) int {
	sum := sha256.Sum256([]byte(key))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(n))
}
