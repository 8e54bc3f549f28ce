package tune

import (
	"cmp"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
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
	Coverage      float64
	Cause         fingerprint.Cause // why it could not look at most of the rest
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
func (r *Report) compare(c *gatewayCounts, conversations map[string]bool) {
	loops := map[string]bool{}
	for _, k := range r.Repeats {
		if who := cmp.Or(k.Conversation, k.Session); who != "" && r.isLoop(k) {
			loops[who] = true
		}
	}
	for i, g := range c.gateways {
		row := GatewayReport{Gateway: g, Requests: c.requests[i], Episodes: c.episodes[i], Conversations: len(c.flagged[i])}
		for who := range conversations { // any order: each is counted alike
			flagged := c.flagged[i][who]
			switch {
			case loops[who]:
				row.Loops++
				if flagged {
					row.Caught++
				}
			default:
				row.Normal++
				if flagged {
					row.Wrong++
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
