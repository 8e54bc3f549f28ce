package tune

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// GatewayReport is what one gateway, as it is, would have done to the log.
type GatewayReport struct {
	Gateway  Gateway
	Requests int64 // it would have acted on
	Episodes int64

	Conversations int // it would have acted in
	Caught, Loops int // conversations with a loop
	Wrong, Normal int // conversations without
	// Of those, the ones with as many requests as a threshold of its, below which
	// none can fire by itself.
	LongWrong, Long int

	Coverage float64 // share of the requests that it could look at, or leaves out on purpose

	Matter []Matter // the differences from its documents that matter on this log
}

// Matter is a difference that matters: as documented the gateway would have
// acted on other requests.
type Matter struct {
	Difference
	More int64 `json:"more"` // requests that only what is shipped acts on
	Less int64 `json:"less"` // requests that only the documented behaviour would have acted on
}

// gatewayCounts follow the firings of the gateways' rules, which are judged, or which
// the sweep tells.
type gatewayCounts struct {
	of      []gatewayCount
	flagged sampled[uint64] // by bits: the gateways that acted in it
}

type gatewayCount struct {
	Gateway
	told               bool // the sweep tells of all its rules: what is judged of them counts for others
	requests, episodes int64
	last               fingerprint.Position // at which it fired
	some               bool                 // it has
	judging            []*differs           // by difference
}

// differs counts where two rules part, request by request, of those that the log
// says enough of for both. The gateway's own comes first.
type differs struct {
	own, documented *window.Rule
	identity        int // of the documented rule, in the plan
	more, less      int64
	at              fingerprint.Position
	ownActs, doc    bool
}

// fired takes in that one of the two fires on an event.
func (d *differs) fired(rule *window.Rule, ev *window.Event) {
	if len(ev.Prints[d.identity].Fingerprints) == 0 {
		return
	}
	if d.at != ev.Position {
		d.settle()
		d.at = ev.Position
	}
	if rule == d.own {
		d.ownActs = true
	} else {
		d.doc = true
	}
}

// settle closes a request.
func (d *differs) settle() {
	switch {
	case d.ownActs && !d.doc:
		d.more++
	case d.doc && !d.ownActs:
		d.less++
	}
	d.ownActs, d.doc = false, false
}

// judged are the rules to judge the log by: those swept, and those of the
// gateways that differ from all before them. The gateways come back with the
// rules that judge in place of theirs.
func judged(swept []*window.Rule, gateways []Gateway) (rules []*window.Rule, with []Gateway) {
	rules = slices.Clone(swept)
	in := func(r *window.Rule) *window.Rule {
		if i := slices.IndexFunc(rules, r.Alike); i >= 0 {
			return rules[i]
		}
		rules = append(rules, r)
		return r
	}
	for _, g := range gateways {
		own := g
		own.Rules, own.Differences = nil, nil
		for _, r := range g.Rules {
			own.Rules = append(own.Rules, in(r))
		}
		for _, d := range g.Differences {
			d.Rule = in(d.Rule)
			own.Differences = append(own.Differences, d)
		}
		with = append(with, own)
	}
	return rules, with
}

func newGatewayCounts(gateways []Gateway, plan *window.Plan) *gatewayCounts {
	c := &gatewayCounts{of: make([]gatewayCount, len(gateways)), flagged: newSampled[uint64](mostConversations)}
	if len(gateways) > 64 {
		panic("tune: more than 64 gateways")
	}
	for i, g := range gateways {
		one := &c.of[i]
		one.Gateway = g
		for _, d := range g.Differences {
			one.judging = append(one.judging, &differs{own: g.Rules[0], documented: d.Rule, identity: plan.IdentityOf(slices.Index(plan.Rules, d.Rule))})
		}
	}
	return c
}

// fired takes in that a rule fires on an event of a conversation, for the gateways
// that are told, or for the others.
func (c *gatewayCounts) fired(rule *window.Rule, ev *window.Event, who conversation, told bool) {
	for i := range c.of {
		one := &c.of[i]
		if one.told != told {
			continue
		}
		for _, d := range one.judging {
			if rule == d.own || rule == d.documented {
				d.fired(rule, ev)
			}
		}
		if !slices.Contains(one.Rules, rule) {
			continue
		}
		if !one.some || one.last != ev.Position {
			one.some, one.last = true, ev.Position
			one.requests++
		}
		if who != 0 && c.flagged.wants(who) {
			c.flagged.of[who] |= 1 << i
			c.flagged.fit()
		}
	}
}

// episodes takes in so many of a rule, likewise.
func (c *gatewayCounts) episodes(rule *window.Rule, n int64, told bool) {
	for i := range c.of {
		if one := &c.of[i]; one.told == told && slices.Contains(one.Rules, rule) {
			one.episodes += n
		}
	}
}

// compare puts the gateways side by side, in the conversations whose requests are
// known. A conversation has a loop if one of the repeats in it is one.
func (r *Report) compare(c *gatewayCounts, conversations *sampled[uint32], loops map[conversation]bool) {
	r.looping = len(loops)
	conversations.thin(c.flagged.zeros)
	r.Conversations, r.OneIn = len(conversations.of), 1<<conversations.zeros
	for i := range c.of {
		g := &c.of[i]
		row := GatewayReport{Gateway: g.Gateway, Requests: g.requests, Episodes: g.episodes}
		threshold := g.threshold()
		for who, requests := range conversations.of { // any order: each is counted alike
			flagged := c.flagged.of[who]&(1<<i) != 0
			row.count(loops[who], flagged, int(requests) >= threshold)
		}
		for j := range r.Result.Rules {
			if a := &r.Result.Rules[j]; slices.Contains(g.Rules, a.Rule) {
				row.Coverage = max(row.Coverage, coverage(a))
			}
		}
		for k, d := range g.Differences {
			one := g.judging[k]
			if one.settle(); one.more+one.less > 0 {
				row.Matter = append(row.Matter, Matter{d, one.more, one.less})
			}
		}
		r.Gateways = append(r.Gateways, row)
	}
}

// count adds a conversation: whether it has a loop, the gateway acted in it, and it
// is long enough for that.
func (g *GatewayReport) count(loops, flagged, long bool) {
	if flagged {
		g.Conversations++
	}
	if loops {
		g.Loops++
		if flagged {
			g.Caught++
		}
		return
	}
	g.Normal++
	if flagged {
		g.Wrong++
	}
	if long {
		g.Long++
	}
	if flagged && long {
		g.LongWrong++
	}
}

// threshold is the lowest of its rules.
func (g *Gateway) threshold() int {
	return slices.MinFunc(g.Rules, func(a, b *window.Rule) int { return cmp.Compare(a.Threshold, b.Threshold) }).Threshold
}

// fewConversations are too few to speak of most of them.
const fewConversations = 10

// Excess says in words that a gateway fires in most conversations without a
// loop, or in most of those that are long enough for it; "" if it does not.
func (g *GatewayReport) Excess() string {
	most := func(part, whole int) bool { return whole >= fewConversations && 2*part > whole }
	if !most(g.Wrong, g.Normal) && !most(g.LongWrong, g.Long) {
		return ""
	}
	text := fmt.Sprintf("%s flags %s of %s without a loop (%s)", g.Gateway.Name, term.Count(g.Wrong),
		term.Plural(g.Normal, "conversation", "conversations"), term.Percent(g.Wrong, g.Normal))
	if most(g.Wrong, g.Normal) {
		return text
	}
	return text + fmt.Sprintf(", and %s of the %s with %d requests or more (%s)",
		term.Count(g.LongWrong), term.Count(g.Long), g.Gateway.threshold(), term.Percent(g.LongWrong, g.Long))
}
