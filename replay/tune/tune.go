package tune

import (
	"context"
	_ "embed" // for Rules
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// DefaultWindows are swept unless told otherwise: from a burst to an hour.
var DefaultWindows = []time.Duration{
	10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, longestDefault,
}

// longestDefault is the longest of them.
const longestDefault = time.Hour

// Rules are swept by default beside those of the profiles, as a policy.
//
//go:embed rules.yaml
var Rules []byte

// DefaultMost is the highest threshold swept unless told otherwise.
const DefaultMost = 50

// Options say what to find out.
type Options struct {
	// Run is the run over the log. Tune sets its plan and its sinks; Event is
	// called as well, and Episode for those of Rules.
	Run     replay.Options
	Exclude []window.Exclusion

	Frame policy.Frame // of the policy that is printed

	Rules    []*window.Rule // to sweep and to advise on
	Gateways []Gateway      // to compare, as they are

	Windows []time.Duration // as window.SweepOptions has them, and Most and MaxKeys
	Least   int             // the lowest threshold reported, 2 or more
	Most    int             // the highest
	MaxKeys int

	MaxRepeats int // that have ended and are kept one by one, 0 is defaultRepeats

	Budget float64 // most alerts a day that advice may cost; 0 is no bound
	// ForGateway tells that what is advised is to run in a gateway: its counter
	// is no setting of it, and it has no exclusions that would excuse anything.
	ForGateway bool

	MaxWrong float64 // most requests hit wrongly, as a share of all
	Labels   Labels  // nil for none
}

func (o *Options) longest() time.Duration { return o.Windows[len(o.Windows)-1] }

// narrow tells that loops may be too slow for every window that is swept.
func (o *Options) narrow() bool { return o.longest() < longestDefault }

// recommended is the reading of our own profile.
const recommended = "recommended"

// Gateway is a profile: one gateway's loop detection.
type Gateway struct {
	Name, Reading string
	Rules         []*window.Rule
	Differences   []Difference // of what is shipped, as far as a rule can do otherwise
}

// compared are its rules, and those of its documents that it is held against.
func (g *Gateway) compared() []*window.Rule {
	rules := slices.Clone(g.Rules)
	for _, d := range g.Differences {
		rules = append(rules, d.Rule)
	}
	return rules
}

// Difference is one thing that a gateway does otherwise than documented.
type Difference struct {
	Of         string       `json:"of"`
	Shipped    string       `json:"shipped"`
	Documented string       `json:"documented"`
	Rule       *window.Rule `json:"-"` // the gateway's, as documented in this
}

// Report is what came of it.
type Report struct {
	Options  Options
	Result   *replay.Result
	Lateness replay.Lateness
	Cells    []window.SweepCell
	Sweep    []window.SweepTarget
	Repeats  []*Repeat // but for those of which only sums are left

	Conversations int // that are counted: one in OneIn of all
	OneIn         int
	Days          float64 // of the log
	Advice        []Advice
	Recommended   []int // indexes into Advice, the rules worth having
	Gateways      []GatewayReport
	Exclusions    []Exclusion
	Spared        int          // more of the same that were left out
	Labelled      *Labelled    // nil without labels
	Against       *replay.Diff // nil without a policy to compare with

	sums       sums
	reached    reached
	looping    int           // conversations with a loop, found by these rules or not
	outcomes   [][][]Outcome // by target, cell and threshold
	passedOver *passedOver   // nil if nothing is
}

// Run reads the log once and reports.
func Run(ctx context.Context, o Options) (*Report, error) {
	rules, gateways := judged(o.Rules, o.Gateways)
	plan := window.NewPlan(rules, o.Exclude)
	swept := make([]int, len(o.Rules))
	for i := range swept {
		swept[i] = i
	}
	witness := plan.NewWitness(o.MaxKeys)
	c := newCollector(plan, swept, len(o.Windows)*len(window.SweepKinds), witness)
	sweep := c.sweep(o.Windows, o.Most, o.MaxKeys)
	c.told, c.reached = newTold(&o, plan, sweep.Cells(), gateways), newReached(o.Labels)
	// What has a loop is no matter of which rules are swept, nor of in how short windows.
	own, longest := o.Rules, o.longest()
	if o.narrow() {
		own, longest = nil, longestDefault
	}
	ours := newCollector(plan, unswept(plan, own, gateways), len(window.SweepKinds), witness)
	kept := []*keeper{newKeeper(c, &o), newKeeper(ours, &o)}
	batch, batches := batching(&o.Run)
	p := pass{
		o: o, witness: witness, sweeping: startSweeping(batch, batches, kept, sweep, ours.sweep([]time.Duration{longest}, window.LeastRepeats, o.MaxKeys)),
		requests: newRequestsOf(mostConversations), gateways: c.told.gateways,
	}

	o.Run.Plan, o.Run.Brief, o.Run.Hold = plan, o.Run.Event == nil, batches*batch
	switch {
	case o.Run.Episode == nil:
		o.Run.Unjudged = c.told.unjudged(rules)
	case o.Run.Kept == nil: // a dataset holds no more than its rules need
		o.Run.Plan = plan.WithEvidence()
	}
	o.Run.Event, o.Run.Verdict, o.Run.Episode = p.event, p.verdict, p.episode
	result, err := replay.Run(ctx, o.Run)
	p.sweeping.end()
	if err != nil {
		return nil, err
	}
	repeats, conversations := kept[0].repeats(), p.requests.counts() // repeats before their sums
	r := &Report{
		Options: o, Result: result, Cells: sweep.Cells(), Sweep: sweep.Result(), Repeats: repeats, sums: kept[0].sums, reached: c.reached,
		Days: result.Days(),
	}
	c.told.episodes(r.Sweep)
	r.exclude()
	r.advise()
	kept[1].repeats()
	r.compare(p.gateways, &conversations, looping(kept, result.Rules))
	r.label(&conversations)
	return r, nil
}

// unswept are the rules of the plan that we recommend and that are not swept,
// in this or another setting.
func unswept(plan *window.Plan, own []*window.Rule, gateways []Gateway) (rules []int) {
	type looks struct{ identity, scope int }
	swept := map[looks]bool{}
	for i := range own {
		swept[looks{plan.IdentityOf(i), plan.ScopeOf(i)}] = true
	}
	for _, g := range gateways {
		for _, rule := range g.Rules {
			i := slices.Index(plan.Rules, rule)
			if g.Reading == recommended && !swept[looks{plan.IdentityOf(i), plan.ScopeOf(i)}] {
				rules = append(rules, i)
			}
		}
	}
	return rules
}

// pass is what is kept of a log beside its repeats.
type pass struct {
	o        Options
	witness  *window.Witness
	sweeping *sweeping
	requests *requestsOf
	gateways *gatewayCounts
	current  conversation // of the event at work
}

func (p *pass) event(ev *window.Event) error {
	if p.current = conversationOf(whoseIs(ev, p.witness)); p.current != 0 {
		p.requests.add(p.current)
	}
	p.witness.Seen(ev)
	p.sweeping.add(ev)
	if p.o.Run.Event != nil {
		return p.o.Run.Event(ev)
	}
	return nil
}

func (p *pass) verdict(v *window.Verdict) error {
	if v.Fired {
		p.gateways.fired(v.Rule, v.Event, p.current, false)
	}
	return nil
}

func (p *pass) episode(e *window.Episode) error {
	p.gateways.episodes(e.Rule, 1, false)
	if p.o.Run.Episode != nil && slices.Contains(p.o.Rules, e.Rule) {
		return p.o.Run.Episode(e)
	}
	return nil
}

// keysDropped is how many keys had to make room before they were quiet: above
// 0, the numbers of the longer windows may be too low.
func (r *Report) keysDropped() (n int64) {
	for i := range r.Sweep {
		n += r.Sweep[i].Dropped
	}
	return n
}

// coverage is the share of requests that a rule could look at, or leaves out on
// purpose; 0 where it could look at none of the others.
func coverage(a *window.RuleAccount) float64 {
	not, _, _ := a.Blind()
	if a.Judged == 0 || not > 0 && a.Counted == 0 {
		return 0
	}
	return 1 - float64(not)/float64(a.Judged)
}
