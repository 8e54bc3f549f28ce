package replay

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// shownLoops is how many loops the summary lists: a screen, not a scroll.
const shownLoops = 20

// Summary is what a person reads after a run: what was read, how well the
// rules could see it, and, last, the loops.
type Summary struct {
	Result   *Result
	Lateness Lateness
	Episodes []window.Episode
	Total    *Total // of all loops: Episodes may be but some
	Colour   bool
	Against  *Diff // nil without a policy to compare with
}

// String lays the summary out for a terminal of 80 columns or more.
func (s Summary) String() string {
	var b strings.Builder
	if s.Result.Enforced != nil {
		fmt.Fprintf(&b, "%s: what if these rules had been in force, each by itself\n", UpperBound)
	}
	s.streams(&b)
	Zones(&b, s.Result)
	s.account(&b)
	b.WriteByte('\n')
	if s.Result.Account.Judged > 0 { // else its rows are zeros
		s.rules(&b)
		b.WriteByte('\n')
	}
	s.loops(&b)
	if s.Against != nil {
		b.WriteString(s.Against.String())
	}
	s.enforced(&b)
	return b.String()
}

func (s Summary) streams(b *strings.Builder) {
	r := s.Result
	when := ""
	if r.First != fingerprint.NoTime {
		when = ", " + term.Period(r.First, r.Last)
	}
	if len(r.Streams) == 1 {
		rest := fmt.Sprintf(": %s%s", r.Streams[0].Format, when)
		fmt.Fprintln(b, term.Ending(term.Safe(r.Streams[0].Name), term.Width-len(rest))+rest)
		return
	}
	formats := map[string]int{}
	var names []string
	for _, st := range r.Streams {
		if formats[st.Format]++; formats[st.Format] == 1 {
			names = append(names, st.Format)
		}
	}
	fmt.Fprintf(b, "%d logs: %s%s\n", len(r.Streams), strings.Join(names, ", "), when)
}

// Zones says of which formats the times were read in a zone that is not in the
// log.
func Zones(b *strings.Builder, r *Result) {
	var names []string
	zone := ""
	for _, st := range r.Streams {
		if st.Zone != "" && !slices.Contains(names, st.Format) {
			names, zone = append(names, st.Format), st.Zone
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "times of %s may have no zone: read as %s (--timezone)\n", strings.Join(names, ", "), zone)
	}
	if n := r.Order.Alike; n > 0 {
		fmt.Fprintln(b, Wrapped(term.Plural(n, "request is", "requests are")+" of an hour that clocks there show twice, and that their log shows once: what repeats in it may be of two hours; cat the files of a rotation into one, in their order"))
	}
}

func (s Summary) account(b *strings.Builder) {
	r := s.Result
	fmt.Fprintln(b, Wrapped(r.Account.String()))
	Lost(b, r, s.Colour)
	Order(b, r, s.Lateness)
	if r.Twice != "" {
		fmt.Fprintln(b, term.Bold(s.Colour, Wrapped(r.Twice)))
	}
}

// Order says how far the log could be out of order, and how much of its order
// its times leave open.
func Order(b *strings.Builder, r *Result, l Lateness) {
	how := ""
	switch {
	case l.Measured && l.Disorder == 0:
		how = " (the log is in order)"
	case l.Measured:
		how = fmt.Sprintf(" (the log is up to %s out of order)", term.Span(l.Disorder.Microseconds()))
	}
	fmt.Fprintln(b, Wrapped(fmt.Sprintf("lateness %s%s; %s of requests share their time with the one before", window.Lasting(l.Value), how, term.Percent(r.Order.Tied, r.Account.ordered()))))
}

// Lost says which lines came too late, with the lateness that would have saved
// them, which could not be read, that these are many, and that most were there before.
func Lost(b *strings.Builder, r *Result, colour bool) {
	switch late, enough := r.Account.Late, r.EnoughLateness(); {
	case r.MuchLate():
		line := term.Percent(late, r.Account.Lines) + " of the lines came too late to be judged"
		if enough != "" {
			line += ": " + r.Again()
		}
		fmt.Fprintln(b, term.Bold(colour, line))
	case late > 0 && enough != "":
		fmt.Fprintf(b, "late lines would have been judged with --lateness %s\n", enough)
	}
	if r.maybeSetBack() {
		fmt.Fprintln(b, Wrapped("unless clocks were set back there, which makes lines late by up to an hour: then give their --timezone, as a longer lateness counts them among those of the hour before"))
	}
	if most := r.Account.MostlyDuplicate(); most != "" {
		fmt.Fprintln(b, term.Bold(colour, Wrapped(most)))
	}
	if much := r.Account.MuchMalformed(); much != "" && r.Account.Judged > 0 {
		fmt.Fprintln(b, term.Bold(colour, much))
	}
	if r.FarOff > 0 {
		fmt.Fprintln(b, Wrapped(fmt.Sprintf("%s, years behind the log: the first is %s:%d",
			term.Plural(r.FarOff, "line has a time far off", "lines have times far off"), term.Safe(r.Streams[r.FirstFar.Stream].Name), r.FirstFar.Line)))
	}
	for _, skip := range r.Skipped {
		fmt.Fprintf(b, "  %s:%d: %s\n", term.Safe(r.Streams[skip.Stream].Name), skip.Line, skip.Why)
	}
	if more := r.Account.Malformed - int64(len(r.Skipped)); more > 0 && len(r.Skipped) > 0 {
		fmt.Fprintf(b, "  and %s more: loopgauge explain --skipped lists them\n", term.Count(more))
	}
}

// Wrapped breaks a line that is too long for a terminal.
func Wrapped(line string) string { return term.Hanging(line, term.Width) }

func (s Summary) rules(b *strings.Builder) {
	t := term.Table{Right: map[int]bool{2: true, 3: true}}
	t.Add("rule", "fires at", "counted", "fired")
	whys := []string{"not computable"}
	for i := range s.Result.Rules {
		a := &s.Result.Rules[i]
		t.Add(term.Shorten(term.Safe(a.Rule.Name), 24), SettingOf(a.Rule), term.Count(a.Counted), term.Count(a.Fired))
		whys = append(whys, notComputable(a))
	}
	t.AddWrapped(whys, max(t.Room(), 12))
	t.Write(b, "")
	for i := range s.Result.Rules {
		a := &s.Result.Rules[i]
		if a.NotMatched == a.Judged && a.Judged > 0 {
			fmt.Fprintln(b, Wrapped(term.Safe(a.Rule.Name)+": its match, or an override, leaves out all requests"))
		}
		if a.DroppedKeys > 0 {
			fmt.Fprintln(b, Wrapped(fmt.Sprintf("%s dropped %s to stay within memory: loops among them that repeat slowly may be missed",
				term.Safe(a.Rule.Name), term.Plural(a.DroppedKeys, "key", "keys"))))
		}
		if a.ChatSet > 0 || a.ChatInvalid > 0 {
			fmt.Fprintf(b, "%s: %s for their sessions, %s passed over as invalid\n", term.Shorten(term.Safe(a.Rule.Name), 24),
				term.Plural(a.ChatSet, "message changed settings", "messages changed settings"), term.Plural(a.ChatInvalid, "command was", "commands were"))
		}
	}
	if s.Total.spends() {
		b.WriteString(UnpricedLine(s.Result.Unpriced))
	}
	if apart := ToldApart(s.Result.Rules, s.Result.Account.Judged); apart != "" {
		fmt.Fprintln(b, Wrapped(apart))
	}
	for _, why := range s.Result.Unseen() {
		fmt.Fprintln(b, Wrapped(why))
	}
}

// ToldApart says of how many of the requests judged the rules told the
// conversation by how it begins, for want of a session; empty if of none.
func ToldApart(rules []window.RuleAccount, judged int64) string {
	var fellBack int64
	for i := range rules {
		fellBack = max(fellBack, rules[i].FellBack)
	}
	if fellBack == 0 {
		return ""
	}
	return term.Percent(fellBack, judged) + " of requests, which name no session, were told apart by caller, end user, system prompt and first user message"
}

// SettingOf writes a rule's setting: "4 in 10m streak".
func SettingOf(r *window.Rule) string {
	return Setting(r.Threshold, r.Counter.Window, r.Counter.Kind)
}

// Setting writes a threshold with its counter.
func Setting(threshold int, within time.Duration, kind string) string {
	if within == 0 {
		return fmt.Sprintf("%d %s", threshold, kind)
	}
	return fmt.Sprintf("%d in %s %s", threshold, window.Lasting(within), kind)
}

// notComputable writes the share and its main cause.
func notComputable(a *window.RuleAccount) string {
	sum, main, most := a.Blind()
	if sum == 0 {
		return "0 %"
	}
	if most == sum {
		return fmt.Sprintf("%s: %s", term.Percent(sum, a.Judged), main)
	}
	return fmt.Sprintf("%s: %s (%s), …", term.Percent(sum, a.Judged), main, term.Percent(most, a.Judged))
}

// Blind says that there were requests, and that no rule could look at any.
func (s Summary) Blind() bool {
	var counted int64
	for i := range s.Result.Rules {
		counted += s.Result.Rules[i].Counted
	}
	return counted == 0 && s.Result.Account.Judged > 0
}

// Bodiless is what to do about a log of paths alone.
const Bodiless = "for a log of paths without bodies write a rule with identity: [method, path, query] (docs/policy.md#where-only-paths-are-logged)"

// LeftOut says of when the log is, where --since or --until leaves all of it out;
// empty where neither does.
func (t *Totals) LeftOut() string {
	if t.First != fingerprint.NoTime || t.FirstOut == fingerprint.NoTime {
		return ""
	}
	return "--since or --until leaves out all of the log, which is of " + term.Period(t.FirstOut, t.LastOut)
}

func (s Summary) loops(b *strings.Builder) {
	loops := Loops(s.Episodes)
	if len(loops) == 0 {
		if s.Blind() {
			if s.Result.Routed && slices.ContainsFunc(s.Result.Rules, func(a window.RuleAccount) bool { return a.NotComputable[fingerprint.NoMessages] == a.Judged }) {
				fmt.Fprintln(b, Wrapped(Bodiless))
			}
			if slices.ContainsFunc(s.Result.Rules, func(a window.RuleAccount) bool { return a.NotMatched < a.Judged }) {
				fmt.Fprintln(b, "'loopgauge formats LOG' names what to log")
			}
			fmt.Fprintln(b, term.Bold(s.Colour, "no rule could look at this log: see above"))
			return
		}
		switch a := s.Result.Account; {
		case a.Judged > 0 && a.MuchMalformed() != "":
			fmt.Fprintln(b, term.Bold(s.Colour, "no loops in the lines that could be read"))
		case a.Judged > 0:
			fmt.Fprintln(b, term.Bold(s.Colour, "no loops"))
		case a.Lines == a.Blank+a.Malformed:
			fmt.Fprintln(b, term.Bold(s.Colour, "nothing was read: no line holds a request"))
		default:
			if out := s.Result.LeftOut(); out != "" {
				fmt.Fprintln(b, Wrapped(out))
			}
			fmt.Fprintln(b, term.Bold(s.Colour, "nothing was judged: the account above says where the requests went"))
		}
		return
	}
	var all int64
	for i := range s.Result.Rules {
		all += s.Result.Rules[i].Episodes
	}
	among := ""
	if all > int64(len(s.Episodes)) {
		fmt.Fprintf(b, "of %s episodes only the first %s are listed here; --out has all\n", term.Count(all), term.Count(int64(len(s.Episodes))))
		among = " among these" // the last line is of all
	}
	shown := loops
	if len(loops) > shownLoops {
		shown = loops[len(loops)-shownLoops:]
		fmt.Fprintf(b, "the %d costliest of %s loops%s\n", shownLoops, term.Count(int64(len(loops))), among)
	}
	for i := range shown {
		if l := &shown[i]; l.free() && s.Result.NoPrice(l.episodes[0].Model) {
			l.Cost = math.NaN()
		}
	}
	listLoops(b, shown, len(s.Result.Rules) > 1)
	b.WriteByte('\n')
	if among == "" && !s.Total.isOf(loops) {
		fmt.Fprintln(b, Wrapped("each row counts by the rule that saw most; the sum counts each request once"))
	}
	bound := ""
	if s.Result.Enforced != nil {
		bound = " (" + UpperBound + ")"
	}
	fmt.Fprintln(b, term.Bold(s.Colour, Wrapped(s.Total.Text(s.Result.someNoPrice())+bound)))
}
