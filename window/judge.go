package window

import (
	"fmt"
	"math"
	"time"

	"github.com/loopgauge/loopgauge/window/snapshot"
)

// judge is one rule at work: its counter and what the gateway remembers
// besides.
type judge struct {
	rule     *Rule
	settings []Settings // by choice, from Plain on
	counter  Counter
	cooling  *table[pairKey, int64] // until when a key cools down; nil without cooldown
	chances  chancer                // nil if no hit of the rule can be given a chance
	chats    *chats                 // nil if sessions may set nothing
	episodes *episodes
	evidence *evidence // nil unless the plan asks for it
	account  RuleAccount
	prints   int // bytes of the rule's fingerprints, as far as they are keys
}

// outcome is what a gateway would have done with one hit.
type outcome struct {
	count  Count
	fired  bool
	action Action
	reason Reason
	retry  time.Duration // what a rejected client is told to wait
}

func newJudge(rule *Rule, evidence *evidence, o EngineOptions) *judge {
	kind := CounterNamed(rule.Counter.Kind)
	if kind.New == nil {
		panic(fmt.Sprintf("window: rule %q has the unknown counter kind %q", rule.Name, rule.Counter.Kind))
	}
	j := &judge{rule: rule, counter: kind.New(rule.Counter, o.MaxKeys), evidence: evidence, account: RuleAccount{Rule: rule}}
	for choice := range 1 + len(rule.Overrides) {
		j.settings = append(j.settings, rule.InForce(Plain+Choice(choice)))
	}
	if rule.Varies() {
		j.counter.(varying).keep(rule.longest().Microseconds())
	}
	if rule.ChatOverrides {
		j.chats = newChats(&j.account, o.MaxKeys)
	}
	if rule.Cooldown > 0 {
		j.cooling = newTable[pairKey, int64](rule.Cooldown.Microseconds(), o.MaxKeys, nil)
	}
	if rule.GivesChances() {
		j.chances = newChances(j.counter, o.MaxKeys)
	}
	closed := o.Episode
	if evidence != nil && closed != nil {
		closed = func(ep *Episode) {
			evidence.tell(ep)
			o.Episode(ep)
		}
	}
	j.episodes = newEpisodes(rule, o.MaxKeys, closed)
	if o.After != nil {
		j.episodes.tellAfter(o.MaxKeys)
	}
	return j
}

// inForce is what the rule says of a request that it sees as choice. It is not
// made anew for each: to copy it would wait until all of it is written.
func (j *judge) inForce(choice Choice) *Settings { return &j.settings[choice-Plain] }

// hit judges one fingerprint of one request. A cooldown begins with a hit at
// the threshold; the hits inside it fire but do not prolong it, and the hit
// that comes exactly at its end is judged by its count again, unless the
// counter is closed.
func (j *judge) hit(h *Hit, in *Settings) (out outcome) {
	r, action := j.rule, in.Action
	j.prints = max(j.prints, min(len(h.Print.Bytes()), len(printKey{})))
	if left, cools := j.coolsFor(h); cools {
		out = outcome{count: Count{-1, h.Time}, fired: true, reason: ByCooldown, retry: left}
		if !r.SkipInCooldown {
			h.Record = !r.SkipBlocked
			out.count = j.counter.Count(h)
		}
		out.action = j.act(h, action, true)
		return out
	}
	var n Count
	if r.SkipBlocked {
		h.Record = false
		n = j.counter.Count(h)
		h.Record = true
		if n.N < h.Limit {
			n = j.counter.Count(h)
		}
	} else {
		n = j.counter.Count(h)
	}
	out.count, out.fired, out.retry = n, n.N >= h.Limit, in.Window
	out.action = j.act(h, action, out.fired)
	if !out.fired {
		return out
	}
	out.reason = ByThreshold
	if j.cooling != nil {
		*j.cooling.touch(pairKeyOf(h), h.Time) = r.cooled(h.Time)
		out.retry = r.Cooldown
	}
	if r.ResetOnFire {
		j.counter.Forget(h)
	}
	return out
}

// pass judges a hit that gets through whatever the rule says: it is counted and
// recorded as plainly as can be.
func (j *judge) pass(h *Hit, in *Settings) (out outcome) {
	h.Limit = math.MaxInt
	n := j.counter.Count(h)
	h.Limit = in.Threshold
	out.count, out.fired, out.retry = n, n.N >= h.Limit, in.Window
	out.action = j.act(h, in.Action, out.fired)
	if out.fired {
		out.reason = ByThreshold
	}
	return out
}

// coolsFor is how long the cooldown of the hit's key lasts yet, and whether it
// does: a closed one has nothing left at its end, and is not over.
func (j *judge) coolsFor(h *Hit) (left time.Duration, cools bool) {
	if j.cooling == nil {
		return 0, false
	}
	until := j.cooling.find(pairKeyOf(h))
	if until == nil || h.Time >= *until {
		return 0, false
	}
	return j.rule.Cooldown - time.Duration(j.rule.cooled(h.Time)-*until)*time.Microsecond, true
}

// dropped is how many keys the cap took away, wherever they were.
func (j *judge) dropped() int64 {
	n := j.account.DroppedKeys + j.counter.Dropped() + j.episodes.open.dropped
	if j.cooling != nil {
		n += j.cooling.dropped
	}
	if own, ok := j.chances.(signatureChances); ok {
		n += own.guided.dropped
	}
	if j.chats != nil {
		n += j.chats.sessions.dropped
	}
	return n
}

// act says what the gateway would do.
func (j *judge) act(h *Hit, action Action, fired bool) Action {
	given := j.chances != nil && j.chances.Chance(h, fired && action == ChanceThenBreak)
	switch {
	case !fired || action == Record:
		return Allow
	case action != ChanceThenBreak:
		return action
	case given:
		return Break
	}
	return Guide
}

// code codes what the gateway of the rule remembers, and the account, as a version
// does. cooldown is how long the rule's is in the snapshot.
func (j *judge) code(codec *snapshot.Codec, version uint64, cooldown time.Duration) {
	c := &coder{Codec: codec}
	c.Section("account", func() {
		a := j.sum()
		if a.code(c); c.Reads() {
			j.account = a
		}
	})
	c.Section("counter", func() {
		snapshot.Size(c.Codec, &j.prints, len(printKey{}))
		c.prints = j.prints
		j.counter.code(c)
	})
	c.Part("cooling", j.cooling != nil && j.rule.Cooldown == cooldown, func() {
		j.cooling.code(c, 17, c.pair, func(until *int64, touched int64) {
			if c.Reads() {
				*until = j.rule.cooled(touched)
			}
		})
	})
	chances, own := j.chances.(signatureChances)
	c.Part("chances", own, func() { chances.code(c) })
	c.Part("chats", j.chats != nil, func() { j.chats.code(c) })
	c.Section("episodes", func() { j.episodes.code(c) })
	c.Part("evidence", j.evidence != nil && version >= 10, func() { j.evidence.code(c, j.episodes.open) })
	if version >= 5 {
		c.Section("own", func() { j.episodes.codeOwn(c, version) })
	} else {
		for _, ep := range j.episodes.all() {
			ep.own = ep.whole()
		}
	}
}

// sum is the account with what stands elsewhere.
func (j *judge) sum() RuleAccount {
	a := j.account
	a.LiveKeys, a.DroppedKeys = j.counter.Keys(), j.dropped()
	return a
}
