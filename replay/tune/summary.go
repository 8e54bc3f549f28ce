package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// Summary is what a person reads in a terminal: what repeats in the log, what
// each gateway would do with it, what each setting would catch, and last the
// recommendation.
type Summary struct {
	Report *Report
	Colour bool
	Paged  bool // the page is written beside it: no need to propose that
}

// String lays the summary out for 80 columns or more.
func (s Summary) String() string {
	var b strings.Builder
	s.data(&b)
	s.kinds(&b)
	s.gateways(&b)
	s.settings(&b)
	s.labels(&b)
	if s.Report.Against != nil {
		b.WriteString(strings.TrimPrefix(s.Report.Against.String(), "\n") + "\n")
	}
	s.recommendation(&b)
	return b.String()
}

func (s Summary) data(b *strings.Builder) {
	r := s.Report.Result
	if r.First == fingerprint.NoTime {
		fmt.Fprintf(b, "%s\n", r.Account)
		replay.Lost(b, r, s.Colour)
		b.WriteByte('\n')
		return
	}
	replay.Zones(b, r)
	b.WriteString(term.Period(r.First, r.Last))
	if n := s.Report.Conversations; n > 0 {
		fmt.Fprintf(b, ", %s", term.Plural(n, "conversation", "conversations"))
		if s.Report.OneIn > 1 {
			fmt.Fprintf(b, ", one in %d of all", s.Report.OneIn)
		}
	}
	fmt.Fprintf(b, "\n%s\n", replay.Wrapped(r.Account.String()))
	replay.Lost(b, r, s.Colour)
	replay.Order(b, r, s.Report.Lateness)
	b.WriteString(replay.UnpricedLine(r.Unpriced))
	b.WriteByte('\n')
}

// kindsIndent is where the evidence of a kind stands: behind the longest name
// and two numbers.
const kindsIndent = 37

// kinds shows what repeats, each kind by its largest.
func (s Summary) kinds(b *strings.Builder) {
	r := s.Report
	t := term.Table{Right: map[int]bool{1: true, 2: true}}
	t.Add("what repeats", "repeats", "longest")
	whys := []string{"why it is that"}
	for _, kind := range window.Kinds {
		longest, n := r.longest(func(_ int, of window.Kind) bool { return of == kind })
		if n == 0 {
			continue
		}
		t.Add(string(kind), term.Count(n), term.Count(longest.Requests))
		whys = append(whys, longest.Rule.Name+": "+longest.Evidence)
	}
	t.AddWrapped(whys, term.Width-kindsIndent)
	if n := r.keysDropped(); n > 0 {
		line(b, "%s keys had to make room in memory: the longer windows may count too little; narrow the log with --since and --until", term.Count(n))
		b.WriteByte('\n')
	}
	if len(r.Repeats) == 0 {
		return
	}
	t.Write(b, "")
	if len(r.Sweep) > 1 {
		line(b, "one loop that several rules see is as many repeats")
	}
	if r.Options.Labels == nil {
		line(b, "loops are stuck, and retry from %d requests on; to stop an outage or a shorter retry is neither right nor wrong, to stop the rest is wrong", window.LeastRepeats)
	}
	b.WriteByte('\n')
}

// gateways shows each gateway as it is.
func (s Summary) gateways(b *strings.Builder) {
	r := s.Report
	if len(r.Gateways) == 0 || r.Result.Account.Judged == 0 {
		return
	}
	of, columns := "requests", 3
	if r.Conversations > 0 {
		of, columns = "requests, and conversations", 5
	}
	fmt.Fprintf(b, "what each gateway would have stopped, as it is: %s\n", of)
	t := term.Table{Right: map[int]bool{2: true, 3: true, 4: true}}
	add := func(row ...string) { t.Add(row[:columns]...) }
	add("gateway", "reading", "requests", "with a loop", "without")
	for _, g := range r.Gateways {
		if g.Coverage == 0 {
			add(g.Gateway.Name, g.Gateway.Reading, "-", "-", "-")
			continue
		}
		add(g.Gateway.Name, g.Gateway.Reading, term.Percent(g.Requests, r.Result.Account.Judged), part(g.Caught, g.Loops), without(&g))
	}
	t.Write(b, "")
	lines(b, r.GatewayGaps())
	for i := range r.Gateways {
		if excess := r.Gateways[i].Excess(); excess != "" {
			line(b, "%s", excess)
		}
		for _, m := range r.Gateways[i].Matter {
			line(b, "%s", m.String(r.Gateways[i].Gateway.Name))
		}
	}
	b.WriteByte('\n')
}

// without says in how many conversations without a loop a gateway would have
// acted. Of how many is left out where there is no room: the share says it too.
func without(g *GatewayReport) string {
	if g.Normal == 0 {
		return "-"
	}
	n := part(g.Wrong, g.Normal)
	if g.Normal > 999 {
		n = term.Count(g.Wrong)
	}
	return n + " (" + term.Percent(g.Wrong, g.Normal) + ")"
}

func part(some, whole int) string {
	return term.Count(some) + " of " + term.Count(whole)
}

// String says what a difference of a gateway does to the log.
func (m Matter) String(gateway string) string {
	var parts []string
	if m.More > 0 {
		parts = append(parts, term.Plural(m.More, "request", "requests")+" more")
	}
	if m.Less > 0 {
		parts = append(parts, term.Plural(m.Less, "request", "requests")+" fewer")
	}
	return fmt.Sprintf("%s stops %s than documented: %s, where its documents say that %s", gateway, strings.Join(parts, " and "), m.Shipped, m.Documented)
}

func (s Summary) labels(b *strings.Builder) {
	l := s.Report.Labelled
	if l == nil || l.strange() { // of which [Report.Caveats] tell
		return
	}
	text := fmt.Sprintf("%s, %s", term.Plural(l.Sessions, "labelled session", "labelled sessions"), term.Plural(l.Loops, "loop", "loops"))
	if l.Unseen > 0 {
		text += "; " + term.Plural(l.Unseen, "is", "are") + " not in the log"
	}
	if l.UnseenLoops > 0 {
		text += ": of the loops " + term.Plural(l.UnseenLoops, "counts", "count") + " as missed for that"
	}
	line(b, "%s", text)
	t := l.Together
	score := func(name string, value float64, part, whole int) {
		if math.IsNaN(value) {
			fmt.Fprintf(b, "  %-9s -\n", name)
			return
		}
		low, high := Interval(part, whole)
		fmt.Fprintf(b, "  %-9s %.2f  (%d of %d; 95 %% interval %.2f to %.2f)\n", name, value, part, whole, low, high)
	}
	score("precision", t.Precision(), t.TruePositive, t.TruePositive+t.FalsePositive)
	score("recall", t.Recall(), t.TruePositive, t.TruePositive+t.FalseNegative)
	if f1 := t.F1(); !math.IsNaN(f1) {
		fmt.Fprintf(b, "  %-9s %.2f\n", "F1", f1)
	}
	if misjudged := l.Misjudged(); misjudged != "" {
		line(b, "  %s", misjudged)
	}
	b.WriteByte('\n')
}

// fewRequests is below what advice can rest on.
const fewRequests = 100

func (s Summary) recommendation(b *strings.Builder) {
	r := s.Report
	verdict := r.Verdict()
	b.WriteString(term.Bold(s.Colour, string(verdict)) + "\n")
	switch verdict {
	case Recommends:
	case NothingFound, Doubled:
		s.tooLittle(b)
		lines(b, r.Caveats())
		lines(b, r.Ways())
		return
	default:
		lines(b, r.Caveats())
		for _, why := range r.Refusals() {
			line(b, "%s", term.Safe(why))
		}
		lines(b, r.Ways())
		return
	}
	b.WriteString(s.Advice(r.Recommended))
	if r.Options.Budget > 0 && len(r.Sweep) > 1 { // with another there may be another rule
		b.WriteString("  a rule's loops are those that it sees itself: other rules have others\n")
	}
	for _, x := range r.Exclusions {
		hides := "hides no loop"
		if !x.inPolicy() {
			hides = fmt.Sprintf("would hide %s, so it is not in the policy", term.Plural(x.Hides, "loop", "loops"))
		}
		line(b, "  exclude %s: takes out %s, %s", term.Safe(x.Name), term.Plural(x.Mutes, "repeat", "repeats"), hides)
	}
	if slices.ContainsFunc(r.Exclusions, func(x Exclusion) bool { return x.inPolicy() }) {
		b.WriteString("  requests and alerts above are counted as if nothing were excluded\n")
	}
	if r.Spared > 0 {
		fmt.Fprintf(b, "  and %s that poll less\n", term.Plural(r.Spared, "path", "paths"))
	}
	lines(b, r.Caveats())
	lines(b, r.Ways())
	b.WriteString("\n" + r.Policy() + s.next())
}

// tooLittle says why nothing follows from it that no loop was found.
func (s Summary) tooLittle(b *strings.Builder) {
	r := s.Report
	switch judged := r.Result.Account.Judged; {
	case r.Result.MuchLate():
		fmt.Fprintf(b, "too little to conclude from: %s of the lines came too late to be judged\n", term.Percent(r.Result.Account.Late, r.Result.Account.Lines))
	case r.keysDropped() > 0:
		line(b, "too little to conclude from: %s keys had to make room in memory, and loops among them may be missed", term.Count(r.keysDropped()))
	case judged < fewRequests:
		fmt.Fprintf(b, "too little to conclude from: %s\n", term.Plural(judged, "request", "requests"))
	}
}

// Advice says of rules with an advised setting what that does, and what it rests
// on.
func (s Summary) Advice(rules []int) string {
	var b strings.Builder
	r := s.Report
	for _, i := range rules {
		s.advice(&b, &r.Advice[i])
	}
	if slices.Equal(rules, r.Recommended) && len(rules) > 1 {
		b.WriteString("  " + r.Together() + "\n")
	}
	if judged := r.Result.Account.Judged; judged < fewRequests || r.Days < 1 {
		fmt.Fprintf(&b, "little to go by: %s over %s\n", term.Plural(judged, "request", "requests"), term.Span(r.Result.Last-r.Result.First))
	}
	return b.String()
}

// next is what to do with a policy, as comments in it: what is printed last may
// then be copied to the end.
func (s Summary) next() string {
	page := `
#       loopgauge tune --html report.html LOG          look around, share it`
	if s.Paged {
		page = ""
	}
	return `
# next: save this as policy.yaml, then
#       loopgauge replay --policy policy.yaml LOG      the loops; --json has ids
#       loopgauge explain --policy policy.yaml ID LOG  what counted, and why` + page + `
#       loopgauge tune --export GATEWAY LOG            in a gateway's own form
`
}

func (s Summary) advice(b *strings.Builder, a *Advice) {
	r := s.Report
	o := &a.Outcome
	line(b, "  %s, %s", term.Safe(a.Rule.Name), r.setting(a.Cell, a.Threshold))
	at := &a.Setting
	if looks := r.LooksFor(a); looks != "" {
		line(b, "    %s", looks)
	}
	line(b, "    catches %s; %s", caught(o), r.costs(o))
	line(b, "    fires %s after the first repeat (median; 95 %% within %s)", term.Span(int64(1e6**at.DelayMedian)), term.Span(int64(1e6**at.DelayP95)))
	stopped := at.Requests
	if r.Options.ForGateway { // it is to run in the gateway, which does what it does on tripping
		stopped = *at.Stopped
	}
	line(b, "    would have stopped %s in %s", term.Plural(stopped, "request", "requests"), touched(a.Rule, at))
	if runs, as, ok := r.asRun(a.Rule, a.Cell); ok {
		does := r.Setting(runs, as, a.Threshold)
		line(b, "    as shipped (%s) it catches %s; would have stopped %s in %s", term.Safe(r.Sweep[runs].Rule.Name),
			caught(&r.outcomes[runs][as][a.Threshold]), term.Plural(*does.Stopped, "request", "requests"), touched(r.Sweep[runs].Rule, &does))
	}
	if at.TokensBefore+at.TokensAfter > 0 {
		line(b, "    repeats used %s until it fired, %s after", spent(at.TokensBefore, at.CostBefore), spent(at.TokensAfter, at.CostAfter))
	}
	line(b, "    %s", r.Proof(a))
	if beside := r.Beside(a); beside != "" {
		line(b, "    %s", beside)
	}
}

// caught says how right a setting is.
func caught(o *Outcome) string {
	wrong := "nothing wrongly"
	if o.Wrong > 0 {
		wrong = term.Count(o.Wrong) + " wrongly"
	}
	if o.Excluded > 0 {
		wrong += " but what the policy excludes"
	}
	if n := o.Neither(); n > 0 {
		wrong += fmt.Sprintf(", and %s that it is neither right nor wrong to stop", term.Plural(n, "other", "others"))
	}
	return fmt.Sprintf("%s of %s, %s", term.Count(o.Caught), term.Plural(o.Loops, "loop", "loops"), wrong)
}

// line writes a line, broken for a terminal.
func line(b *strings.Builder, format string, args ...any) {
	b.WriteString(replay.Wrapped(fmt.Sprintf(format, args...)) + "\n")
}

func lines(b *strings.Builder, texts []string) {
	for _, text := range texts {
		line(b, "%s", text)
	}
}

// touched says where a setting of a rule fires. Not all conversations need have a
// session.
func touched(rule *window.Rule, s *Setting) string {
	where := term.Plural(s.Scopes, "scope", "scopes")
	switch {
	case slices.Equal(rule.Scope.Fields, []string{"conversation"}) && s.Scopes > s.Sessions:
		where = term.Plural(s.Scopes, "conversation", "conversations")
	case s.Sessions > 0:
		where = term.Plural(s.Sessions, "session", "sessions")
	}
	if s.Callers > 0 {
		where += " of " + term.Plural(s.Callers, "caller", "callers")
	}
	return where
}

func spent(tokens int64, usd float64) string {
	text := term.Plural(tokens, "token", "tokens")
	if usd > 0 {
		text += " (" + term.Money(usd) + ")"
	}
	return text
}

func rate(perDay float64) string {
	switch {
	case perDay == 0:
		return "0"
	case perDay < 0.1:
		return fmt.Sprintf("%.2g", perDay)
	}
	return fmt.Sprintf("%.1f", perDay)
}
