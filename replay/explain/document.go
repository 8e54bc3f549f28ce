package explain

import (
	"fmt"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/response"
)

// explanationVersion is the version of explain's --json document. Fields are
// added under the same version; any other change raises it.
const explanationVersion = 1

// Explanation is what explain prints of a request or an episode:
// docs/explain.md describes every field.
type Explanation struct {
	Version   int      `json:"version"`
	Loopgauge string   `json:"loopgauge"`
	Policy    string   `json:"policy_hash"`
	Asked     string   `json:"asked"`
	Logs      []string `json:"logs"`
	Lateness  float64  `json:"lateness_s"`

	Request *Request                `json:"request"` // null for an episode
	Episode *replay.DocumentEpisode `json:"episode"` // null for a request
	Rules   []Rule                  `json:"rules"`
	Answer  string                  `json:"answer"`
}

// Place is where in the logs a request stands, and when it came.
type Place struct {
	Log  string  `json:"log"`
	Line int64   `json:"line"`
	Item int32   `json:"item"`
	ID   *string `json:"id"`
	Time string  `json:"time"`
}

// Request is the request asked about.
type Request struct {
	Place
	Session *string `json:"session"`
	Caller  *string `json:"caller"`
	User    *string `json:"user"`
	Model   *string `json:"model"`
	Status  *int    `json:"status"`
}

// Rule is what one rule makes of it.
type Rule struct {
	Rule      string   `json:"rule"`
	Profile   *string  `json:"profile"`
	Identity  string   `json:"identity"`
	Scope     []string `json:"scope"`
	Kind      string   `json:"kind"`
	Window    float64  `json:"window_s"`
	Threshold int      `json:"threshold"`
	Action    string   `json:"action"`
	Cooldown  float64  `json:"cooldown_s"`
	Override  *string  `json:"override"`

	State        string  `json:"state"` // counted, not_matched or not_computable
	Why          *string `json:"why"`
	Remedy       *string `json:"remedy"`
	Fingerprints []Print `json:"fingerprints"`
	LeftOut      int     `json:"fingerprints_left_out"`

	setting string
	changes bool // Remedy changes that, and does not say why nothing does
}

// What a rule makes of a request.
const (
	stateCounted       = "counted"
	stateNotMatched    = "not_matched"
	stateNotComputable = "not_computable"
)

// Print is one fingerprint under one rule.
type Print struct {
	Fingerprint string            `json:"fingerprint"`
	Canonical   *string           `json:"canonical"`
	Masks       []Mask            `json:"masks"`
	Scope       map[string]string `json:"scope"`
	FellBack    bool              `json:"fell_back"`
	Threshold   int               `json:"threshold"`
	Count       *int              `json:"count"`
	Fired       bool              `json:"fired"`
	Action      string            `json:"action"`
	Reason      *string           `json:"reason"`
	Why         string            `json:"why"`
	Episode     *string           `json:"episode"`
	Lines       []Line            `json:"lines"`
	LinesLeft   int64             `json:"lines_left_out"`
	Nearest     *Nearest          `json:"nearest"`
	// Response is what the client would have seen; nil where the rule is no
	// gateway's, did not fire, or the gateway lets the request go on.
	Response *response.Response `json:"response"`

	scope []string
	at    string // place of the request that Why is about
}

// Mask is a mask of the identity, and how often it replaced text.
type Mask struct {
	Name     string `json:"name"`
	Replaced int    `json:"replaced"`
}

// Line is a request that counted.
type Line struct {
	Place
	Gap         *float64 `json:"gap_s"`
	Fingerprint string   `json:"fingerprint"`
	Count       *int     `json:"count"`
	Threshold   int      `json:"threshold"`
	Fired       bool     `json:"fired"`
	Action      string   `json:"action"`
	Reason      *string  `json:"reason"`
	Status      *int     `json:"status"`
}

// explainedRule is a rule with the override in force, if there is one.
func explainedRule(r *window.Rule, in window.Choice) Rule {
	out := Rule{
		Rule: r.Name, Profile: replay.TextOrNull(r.Profile), Identity: r.Identity.Name, Scope: append([]string{}, r.Scope.Fields...),
		Kind: r.Counter.Kind, Window: r.Counter.Window.Seconds(), Threshold: r.Threshold, Action: string(r.Action),
		Cooldown: r.Cooldown.Seconds(), Fingerprints: []Print{}, setting: replay.SettingOf(r),
	}
	if in >= 0 {
		out.Override = replay.TextOrNull(overrideName(r, int(in)))
	}
	return out
}

func (x *explaining) placed(p fingerprint.Position, id string, time int64) Place {
	return Place{x.names[p.Stream], p.Line, p.Item, replay.TextOrNull(id), window.Stamp(time)}
}

// explanation puts together what was collected.
func (x *explaining) explanation() *Explanation {
	e := &Explanation{Version: explanationVersion, Logs: x.names, Lateness: x.q.Run.Lateness.Seconds()}
	ev := &x.target
	if x.q.Episode == "" {
		e.Asked = x.place(ev.Position)
		e.Request = &Request{
			Place: x.placed(ev.Position, ev.ID, ev.Time), Session: replay.TextOrNull(ev.Session), Caller: replay.TextOrNull(ev.Caller), User: replay.TextOrNull(ev.User), Model: replay.TextOrNull(ev.Model), Status: countOrNull(ev.Status),
		}
	} else {
		e.Asked = x.q.Episode
		e.Episode = new(replay.NewDocumentEpisode(x.traces[0].episode))
	}
	for _, t := range x.traces {
		if rule := &x.rules[t.of]; t.asked >= 0 {
			x.explain(t, &rule.Fingerprints[t.nth])
		} else if rule.State == stateCounted {
			rule.State, rule.Why, rule.Fingerprints, rule.LeftOut = stateNotMatched, new(offForSession(t.rule)), []Print{}, 0
		}
	}
	e.Rules = x.rules
	e.Answer = e.answer()
	return e
}

// explain fills in what a trace has found.
func (x *explaining) explain(t *trace, out *Print) {
	out.Scope = t.rule.Scope.Named(t.values)
	for i, field := range t.rule.Scope.Fields {
		out.scope = append(out.scope, field+" "+t.values[i])
	}
	out.FellBack = t.fellBack
	// Of the equal calls of a request the last that fired tells, or the last; of an
	// episode the first firing.
	hi, at := t.asked, t.asked
	for i := t.asked; i < len(t.hits); i++ {
		if !t.mine(i) || t.wanted != "" && t.hits[i].time > t.episode.Last {
			continue
		}
		if hi = i; t.wanted == "" && (t.hits[i].fired || !t.hits[at].fired) {
			at = i
		}
	}
	h := &t.hits[at]
	list, left := t.counted(at)
	for i := at + 1; i <= hi; i++ {
		if t.mine(i) {
			list = append(list, i)
		}
	}
	out.LinesLeft = left + t.unkept
	for k, i := range list {
		before := -1
		if k > 0 {
			before = list[k-1]
		}
		out.Lines = append(out.Lines, x.explainedLine(t, i, before))
	}
	out.Threshold, out.Count, out.Fired, out.Action, out.Reason = h.threshold, countOrNull(h.count), h.fired, string(h.action), replay.TextOrNull(string(h.reason))
	if h.fired {
		out.Episode = replay.TextOrNull(t.within)
		if t.wanted != "" {
			out.Episode = &t.wanted
		}
	}
	out.Why, out.at = x.why(t, at), x.place(h.pos)
	out.Nearest = t.nearest(t.asked, hi)
	if h.fired {
		out.Response = response.Of(response.Case{
			Profile: t.rule.Profile, Action: h.action, Count: h.count, Window: t.rule.InForce(h.choice).Window, Cooldown: t.rule.Cooldown,
			Fingerprint: h.print.String(), Tool: h.tool,
		})
	}
}

func (x *explaining) explainedLine(t *trace, i, before int) Line {
	h := &t.hits[i]
	l := Line{
		Place: x.placed(h.pos, h.id, h.time), Fingerprint: h.print.String(), Count: countOrNull(h.count), Threshold: h.threshold, Fired: h.fired, Action: string(h.action), Reason: replay.TextOrNull(string(h.reason)), Status: countOrNull(h.status),
	}
	if before >= 0 {
		l.Gap = new(float64(h.time-t.hits[before].time) / 1e6)
	}
	return l
}

// why says in one sentence why hit i fired or not.
func (x *explaining) why(t *trace, i int) string {
	h := &t.hits[i]
	switch {
	case h.reason == window.ByCooldown:
		for j := i - 1; j >= 0; j-- {
			if p := &t.hits[j]; p.print == h.print && p.reason == window.ByThreshold {
				return fmt.Sprintf("in the cooldown of %s that began at %s", window.Lasting(t.rule.Cooldown), x.place(p.pos))
			}
		}
		return fmt.Sprintf("in a cooldown of %s", window.Lasting(t.rule.Cooldown))
	case h.fired:
		return fmt.Sprintf("its count of %d reached the threshold of %d", h.count, h.threshold)
	}
	why := fmt.Sprintf("its count of %d is below the threshold of %d", h.count, h.threshold)
	if b := t.breaker(i); b >= 0 {
		why += "; the " + t.kind.Name + " began anew after " + x.place(t.hits[b].pos)
	}
	return why
}

// countOrNull is null where a status or a count is not known: -1.
func countOrNull(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}
