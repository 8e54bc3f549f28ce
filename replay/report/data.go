package report

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/window"
)

// page is the data in the page, for its script alone. Text from the log is in
// Texts, made fit to be shown; times are milliseconds.
type page struct {
	Version     string               `json:"version"`
	Command     string               `json:"command"`
	Verdict     string               `json:"verdict"`
	Refusals    []string             `json:"refusals"` // why each rule that it rests on is not recommended
	Ways        []string             `json:"ways"`     // what may help then
	Caveats     []string             `json:"caveats"`
	First       int64                `json:"first"`
	Last        int64                `json:"last"`
	Empty       bool                 `json:"empty"` // nothing was judged
	Days        float64              `json:"days"`
	Account     replay.Account       `json:"account"`
	Talks       int                  `json:"conversations"`
	OneIn       int                  `json:"one_in"`
	Lateness    lateness             `json:"lateness"`
	Streams     []stream             `json:"streams"`
	Budget      float64              `json:"budget"`
	MaxWrong    float64              `json:"maxWrong"`
	Windows     []string             `json:"windows"`
	Counters    []string             `json:"counters"`
	Thresholds  []int                `json:"thresholds"`
	Kinds       []window.Kind        `json:"kinds"`
	Rules       []rule               `json:"rules"`
	Picked      []int                `json:"recommended"` // of Rules
	Together    string               `json:"together"`    // what these cost
	Gateways    []gateway            `json:"gateways"`
	GatewayGaps []string             `json:"gatewayGaps"` // what theirs could not look at
	Exclusions  []exclusion          `json:"exclusions"`
	Labels      *tune.DocumentLabels `json:"labels"`    // without names of sessions
	Misjudged   string               `json:"misjudged"` // which names those that the recommendation gets wrong
	Against     *against             `json:"against"`
	PolicyHead  string               `json:"policyHead"`
	PolicyTail  string               `json:"policyTail"`
	Tokens      bool                 `json:"tokens"`   // some are counted
	Cost        bool                 `json:"cost"`     // something has a price
	Unpriced    string               `json:"unpriced"` // which models have none then
	All         int                  `json:"all"`      // repeats found
	Longer      int                  `json:"longer"`   // repeats with more requests than were kept
	Texts       []string             `json:"texts"`
	Counts      []string             `json:"counts"`  // see countsText
	Rows        []string             `json:"rows"`    // index into Counts by cell, as index, times, ...
	Repeats     []rawRepeat          `json:"repeats"` // by rule, those that matter most first
	Rest        []restOfRepeats      `json:"rest"`    // the others, added up
}

type lateness struct {
	Value    string `json:"value"`
	Measured bool   `json:"measured"`
	Tied     int64  `json:"tied"`
	Enough   string `json:"enough"` // with which nothing would have been late; empty if there is none
	Again    string `json:"again"`  // what to do about it
}

type stream struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Lines  int64  `json:"lines"`
	Error  string `json:"error,omitempty"`
}

type rule struct {
	Name     string    `json:"name"`
	Identity string    `json:"identity"`
	Scope    []string  `json:"scope"`
	Policy   string    `json:"policy"`   // what stands before its setting
	Rest     string    `json:"rest"`     // and after it
	Counters []int     `json:"counters"` // by cell, in Texts
	Advised  *setting  `json:"advised"`
	Now      *setting  `json:"now"`
	Least    int       `json:"least"` // the lowest threshold that is suggested
	NowText  string    `json:"nowText"`
	Loops    int       `json:"loops"`
	Looks    string    `json:"looks"`  // what the advised setting looks for
	Proof    string    `json:"proof"`  // of it
	Beside   string    `json:"beside"` // what the thresholds next to it do
	Coverage coverage  `json:"coverage"`
	Cells    [][][]any `json:"cells"` // by cell: a list for each of columns in page.js by threshold, to the last that is not 0
}

type setting struct {
	Cell      int `json:"cell"`
	Threshold int `json:"threshold"`
}

type coverage struct {
	Judged     int64   `json:"judged"`
	Counted    int64   `json:"counted"`
	NotMatched int64   `json:"notMatched"`
	Causes     []cause `json:"causes"`
}

type cause struct {
	Why      string `json:"why"`
	Requests int64  `json:"requests"`
}

type gateway struct {
	Name     string   `json:"name"`
	Reading  string   `json:"reading"`
	Requests int64    `json:"requests"`
	Caught   int      `json:"caught"`
	Loops    int      `json:"loops"`
	Wrong    int      `json:"wrong"`
	Normal   int      `json:"normal"`
	Coverage float64  `json:"coverage"`
	Excess   string   `json:"excess"`
	Rules    []int    `json:"rules"`  // of page.Rules, those that come from it
	Matter   []string `json:"matter"` // what is shipped otherwise than documented, if it matters
}

type exclusion struct {
	Name  string `json:"name"`
	Match string `json:"match"`
	Mutes int    `json:"mutes"`
	Hides int    `json:"hides"` // if none, it is in the policy
}

// against is the recommended policy beside another.
type against struct {
	Policy string `json:"policy"`
	New    int    `json:"new"`
	Lost   int    `json:"lost"`
	Same   int    `json:"same"`
	Loops  []loop `json:"loops"` // new and lost ones, the costliest first
	Until  *int64 `json:"until"` // see replay.Diff, in milliseconds; null is none
}

type loop struct {
	What     string `json:"what"`
	Who      string `json:"who"`
	Fired    int64  `json:"fired"`
	Requests int64  `json:"requests"`
	Rules    string `json:"rules"`
}

// mostLoops is how many new ones are listed, and how many lost ones.
const mostLoops = 200

func newAgainst(d *replay.Diff) *against {
	if d == nil {
		return nil
	}
	a := &against{Policy: shown(d.Old), New: len(d.New), Lost: len(d.Lost), Same: len(d.Same), Loops: []loop{}}
	add := func(what string, loops []replay.Loop) {
		for i := len(loops) - 1; i >= max(0, len(loops)-mostLoops); i-- {
			l := &loops[i]
			a.Loops = append(a.Loops, loop{what, shown(strings.Join(l.Scope, " ")), l.Fired / 1000, l.Requests, shown(strings.Join(l.Rules, ", "))})
		}
	}
	if d.Until != 0 {
		a.Until = new(d.Until / 1000)
	}
	add("lost", d.Lost)
	add("new", d.New)
	return a
}

// detail is how much a page tells.
type detail struct {
	repeats    int // bytes
	thresholds []int
}

// mostText is how many characters of a text from the log are shown.
const mostText = 160

type builder struct {
	r    *tune.Report
	p    *page
	size int // of the repeats and what they share

	texts, counts, rows map[string]int // index into what the page has of that name
}

// safe are texts that may be shown; none is an empty list.
func safe(texts []string) []string {
	list := []string{}
	for _, text := range texts {
		list = append(list, term.Safe(text))
	}
	return list
}

func newPage(r *tune.Report, o Options, d detail) *page {
	p := &page{
		Version: o.Version, Command: command(o.Command), Verdict: string(r.Verdict()), Refusals: safe(r.Refusals()), Ways: safe(r.Ways()),
		Caveats: safe(r.Caveats()), Picked: append([]int{}, r.Recommended...), Together: r.Together(),
		Empty: r.Result.First == fingerprint.NoTime, Days: r.Days, Account: r.Result.Account, Talks: r.Conversations, OneIn: r.OneIn,
		Lateness: lateness{window.Lasting(r.Lateness.Value), r.Lateness.Measured, r.Result.Order.Tied, r.Result.EnoughLateness(), r.Result.Again()},
		Budget:   r.Options.Budget, MaxWrong: r.Options.MaxWrong, Counters: window.SweepKinds, Kinds: window.Kinds,
		GatewayGaps: safe(r.GatewayGaps()), Against: newAgainst(r.Against),
		Unpriced: replay.UnpricedText(r.Result.Unpriced), All: len(r.Repeats) + r.Summed(),

		Streams: []stream{}, Windows: []string{}, Rules: []rule{}, Gateways: []gateway{}, Exclusions: []exclusion{},
		Texts: []string{}, Counts: []string{}, Rows: []string{}, Repeats: []rawRepeat{}, Rest: []restOfRepeats{},
	}
	if r.Labelled != nil {
		p.Labels, p.Misjudged = r.Labelled.Document(), r.Labelled.Misjudged()
		p.Labels.Missed, p.Labels.Wrong = nil, nil
	}
	if !p.Empty {
		p.First, p.Last = r.Result.First/1000, r.Result.Last/1000
	}
	p.PolicyHead, p.PolicyTail = r.PolicyFrame()
	for _, w := range r.Options.Windows {
		p.Windows = append(p.Windows, window.Lasting(w))
	}
	for _, s := range r.Result.Streams {
		st := stream{Name: term.Safe(s.Name), Format: s.Format, Lines: s.Lines}
		if s.Err != nil {
			st.Error = term.Safe(s.Err.Error())
		}
		p.Streams = append(p.Streams, st)
	}
	for _, err := range o.Unread {
		p.Streams = append(p.Streams, stream{Error: term.Safe(err.Error())})
	}
	for _, x := range r.Exclusions {
		p.Exclusions = append(p.Exclusions, exclusion{shown(x.Name), shown(x.Match), x.Mutes, x.Hides})
	}
	b := &builder{r: r, p: p, texts: map[string]int{}, counts: map[string]int{}, rows: map[string]int{}}
	b.thresholds(d.thresholds)
	b.rules()
	b.gateways()
	b.repeats(d.repeats)
	return p
}

// thresholds picks those that were swept, and adds those that are named.
func (b *builder) thresholds(wanted []int) {
	o := b.r.Options
	list := slices.Clone(wanted)
	for i := range b.r.Advice {
		a := &b.r.Advice[i]
		if a.Found {
			list = append(list, a.Threshold)
		}
		if a.HasCurrent {
			list = append(list, a.Rule.Threshold)
		}
	}
	list = slices.DeleteFunc(list, func(t int) bool { return t < o.Least || t > o.Most })
	if len(list) == 0 {
		list = append(list, o.Least)
	}
	slices.Sort(list)
	b.p.Thresholds = slices.Compact(list)
}

func (b *builder) rules() {
	r := b.r
	for i := range r.Advice {
		a := &r.Advice[i]
		t := &r.Sweep[a.Target]
		one := rule{
			Name: term.Safe(a.Rule.Name), Identity: term.Safe(a.Rule.Identity.Name), Scope: append([]string{}, a.Rule.Scope.Fields...),
			Loops: a.Outcome.Loops, NowText: replay.SettingOf(a.Rule), Least: a.Rule.LeastCount(), Coverage: newCoverage(&r.Result.Rules[i]),
		}
		one.Policy, one.Rest = r.PolicyParts(i)
		if a.Found {
			one.Advised = &setting{a.Cell, a.Threshold}
			one.Looks, one.Proof, one.Beside = r.LooksFor(a), r.Proof(a), r.Beside(a)
		}
		if a.HasCurrent && slices.Contains(b.p.Thresholds, a.Rule.Threshold) {
			one.Now = &setting{a.CurrentCell, a.Rule.Threshold}
		}
		for j := range t.Cells {
			one.Counters = append(one.Counters, b.shared(b.texts, &b.p.Texts, r.PolicyCounter(i, j)))
			one.Cells = append(one.Cells, b.cell(a.Target, j))
		}
		b.p.Rules = append(b.p.Rules, one)
	}
}

// cell is what one cell counted, by the thresholds of the page up to the last
// that anything reaches.
func (b *builder) cell(target, cell int) [][]any {
	var list [][]any
	for _, t := range b.p.Thresholds {
		s := b.r.Setting(target, cell, t)
		if s.Requests == 0 {
			break
		}
		b.p.Tokens = b.p.Tokens || s.TokensBefore+s.TokensAfter > 0
		b.p.Cost = b.p.Cost || s.CostBefore+s.CostAfter > 0
		row := []any{
			s.Requests, s.Episodes, s.Scopes, s.TokensAfter, micros(s.CostAfter), s.Caught, s.Wrong, s.Excluded,
			s.Sessions, s.Callers, s.TokensBefore, micros(s.CostBefore), s.DelayMedian, s.DelayP95, s.Alerts,
		}
		if list == nil {
			list = make([][]any, len(row))
		}
		for i, v := range row {
			list[i] = append(list[i], v)
		}
	}
	return list
}

// micros rounds dollars to what a page shows.
func micros(usd float64) float64 { return math.Round(usd*1e6) / 1e6 }

func newCoverage(a *window.RuleAccount) coverage {
	c := coverage{Judged: a.Judged, Counted: a.Counted, NotMatched: a.NotMatched, Causes: []cause{}}
	for why, n := range a.NotComputable {
		if n > 0 {
			c.Causes = append(c.Causes, cause{fingerprint.Cause(why).String(), n})
		}
	}
	slices.SortStableFunc(c.Causes, func(a, b cause) int { return cmp.Compare(b.Requests, a.Requests) })
	return c
}

func (b *builder) gateways() {
	for _, g := range b.r.Gateways {
		one := gateway{
			Name: term.Safe(g.Gateway.Name), Reading: term.Safe(g.Gateway.Reading), Requests: g.Requests,
			Caught: g.Caught, Loops: g.Loops, Wrong: g.Wrong, Normal: g.Normal, Coverage: g.Coverage, Excess: term.Safe(g.Excess()), Rules: []int{}, Matter: []string{},
		}
		for i := range b.r.Advice {
			if from, _, _ := strings.Cut(b.r.Advice[i].Rule.Profile, "/"); from == g.Gateway.Name {
				one.Rules = append(one.Rules, i)
			}
		}
		for _, m := range g.Matter {
			one.Matter = append(one.Matter, m.String(g.Gateway.Name))
		}
		b.p.Gateways = append(b.p.Gateways, one)
	}
}

func (b *builder) shown(text string) int { return b.shared(b.texts, &b.p.Texts, shown(text)) }

// shared numbers a text that is written once.
func (b *builder) shared(known map[string]int, list *[]string, text string) int {
	n, ok := known[text]
	if !ok {
		n = len(*list)
		known[text] = n
		*list = append(*list, text)
		b.size += len(jsonText(text)) + 1
	}
	return n
}

// shown is text from the log as a page may show it: it cannot be long, and
// what turns the writing direction or does not show is written as an escape.
func shown(text string) string {
	n := 0
	for i := range text {
		if n++; n > mostText {
			return term.Safe(text[:i]) + "…"
		}
	}
	return term.Safe(text)
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers and texts always have one
	}
	return string(text)
}

// command is a command line that a shell would read as it was.
func command(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = term.Quoted(a)
	}
	return strings.Join(quoted, " ")
}
