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

	Coverage float64
	Cause    fingerprint.Cause // why it could not look at most of the rest
}

// gatewayCounts follow the verdicts of the gateways' rules.
type gatewayCounts struct {
	gateways []Gateway
	byRule   map[*window.Rule]int
	requests []int64
	last     []fingerprint.Position
	some     []bool
	flagged  []map[string]bool
	episodes []int64
	current  string // conversation of the event that is judged next
}

func newGatewayCounts(gateways []Gateway) *gatewayCounts {
	n := len(gateways)
	c := &gatewayCounts{
		gateways: gateways, byRule: map[*window.Rule]int{}, requests: make([]int64, n),
		last: make([]fingerprint.Position, n), some: make([]bool, n), flagged: make([]map[string]bool, n), episodes: make([]int64, n),
	}
	for i, g := range gateways {
		c.flagged[i] = map[string]bool{}
		for _, r := range g.Rules {
			c.byRule[r] = i
		}
	}
	return c
}

func (c *gatewayCounts) verdict(v *window.Verdict) error {
	if !v.Fired {
		return nil
	}
	i, ok := c.byRule[v.Rule]
	if !ok {
		return nil
	}
	if !c.some[i] || c.last[i] != v.Event.Position {
		c.some[i], c.last[i] = true, v.Event.Position
		c.requests[i]++
	}
	if c.current != "" {
		c.flagged[i][c.current] = true
	}
	return nil
}

func (c *gatewayCounts) episode(e *window.Episode) error {
	if i, ok := c.byRule[e.Rule]; ok {
		c.episodes[i]++
	}
	return nil
}

// compare puts the gateways side by side. A conversation has a loop if a rule
// of ours found one in it.
func (r *Report) compare(c *gatewayCounts, conversations map[string]int) {
	loops := map[string]bool{}
	for _, k := range r.Repeats {
		if who := cmp.Or(k.Conversation, k.Session); who != "" && r.isLoop(k) {
			loops[who] = true
		}
	}
	for i, g := range c.gateways {
		row := GatewayReport{Gateway: g, Requests: c.requests[i], Episodes: c.episodes[i], Conversations: len(c.flagged[i])}
		for who, requests := range conversations { // any order: each is counted alike
			flagged := c.flagged[i][who]
			switch {
			case loops[who]:
				row.Loops++
				if flagged {
					row.Caught++
				}
			default:
				row.Normal++
				long := requests >= g.threshold()
				if long {
					row.Long++
				}
				if flagged {
					row.Wrong++
				}
				if flagged && long {
					row.LongWrong++
				}
			}
		}
		for j := range r.Result.Rules {
			a := &r.Result.Rules[j]
			if !slices.Contains(g.Rules, a.Rule) {
				continue
			}
			row.Coverage = max(row.Coverage, coverage(a))
			if _, cause, most := a.Blind(); most > 0 {
				row.Cause = cause
			}
		}
		r.Gateways = append(r.Gateways, row)
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
	text := fmt.Sprintf("%s flags %s of %s without a loop (%s)", g.Gateway.Name, term.Count(int64(g.Wrong)),
		term.Plural(int64(g.Normal), "conversation", "conversations"), term.Percent(int64(g.Wrong), int64(g.Normal)))
	if most(g.Wrong, g.Normal) {
		return text
	}
	return text + fmt.Sprintf(", and %s of the %s with %d requests or more (%s)",
		term.Count(int64(g.LongWrong)), term.Count(int64(g.Long)), g.Gateway.threshold(), term.Percent(int64(g.LongWrong), int64(g.Long)))
}
