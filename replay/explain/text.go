package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// What explain shows of a long list on a terminal: where it began, and how it
// ended. --json has all that is kept.
const (
	shownFirst = 6
	shownLast  = 6
)

// Text lays the explanation out for a terminal of 80 columns. The answer comes
// last, in bold if it shows colours.
func (e *Explanation) Text(colour bool) string {
	var b strings.Builder
	e.head(&b)
	for i := range e.Rules {
		b.WriteByte('\n')
		e.Rules[i].write(&b, e.short())
	}
	b.WriteByte('\n')
	for _, line := range term.Wrap(e.Answer, term.Width) {
		b.WriteString(term.Bold(colour, line) + "\n")
	}
	return b.String()
}

// short names a log on a line of its own: not at all where it is the only one,
// else without the directories that all of them lie in.
func (e *Explanation) short() func(log string) string {
	if len(e.Logs) == 1 {
		return func(string) string { return "line " }
	}
	shared := e.Logs[0]
	for _, log := range e.Logs {
		for !strings.HasPrefix(log, shared) {
			shared = shared[:strings.LastIndexByte(strings.TrimSuffix(shared, "/"), '/')+1]
		}
	}
	shared = shared[:strings.LastIndexByte(shared, '/')+1]
	return func(log string) string { return strings.TrimPrefix(log, shared) + ":" }
}

func (e *Explanation) head(b *strings.Builder) {
	wrapped(b, "", e.Asked)
	if ep := e.Episode; ep != nil {
		wrapped(b, "  ", fmt.Sprintf("%s to %s UTC, %s, %d after it fired",
			clock(ep.First), clock(ep.Last), term.Plural(ep.Requests, "request", "requests"), ep.RequestsAfter))
		if who := logged([]field{{"tool", ep.Tool}, {"session", ep.Session}, {"caller", ep.Caller}, {"user", ep.User}, {"model", ep.Model}}); len(who) > 0 {
			wrapped(b, "  ", "fired first: "+strings.Join(who, ", "))
		}
		return
	}
	r := e.Request
	parts := append([]string{clock(r.Time) + " UTC"},
		logged([]field{{"id", r.ID}, {"session", r.Session}, {"caller", r.Caller}, {"user", r.User}, {"model", r.Model}})...)
	if r.Status != nil {
		parts = append(parts, fmt.Sprintf("status %d", *r.Status))
	}
	wrapped(b, "  ", strings.Join(parts, ", "))
}

// field is a field of the log; nil is not logged.
type field struct {
	name string
	text *string
}

// logged says those of the fields that the log has.
func logged(fields []field) (parts []string) {
	for _, f := range fields {
		if f.text != nil {
			parts = append(parts, f.name+" "+term.Shorten(term.Safe(*f.text), 60))
		}
	}
	return parts
}

// clock is a stamp as a person reads it, with milliseconds.
func clock(stamp string) string {
	t, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return stamp
	}
	return t.Format("2006-01-02 15:04:05.000")
}

func (r *Rule) write(b *strings.Builder, short func(log string) string) {
	wrapped(b, "", fmt.Sprintf("%s: %s, %s", r.Rule, r.setting, r.Action))
	if r.Override != nil {
		wrapped(b, "  ", "by "+*r.Override)
	}
	if r.Why != nil {
		wrapped(b, "  ", strings.ReplaceAll(r.State, "_", " ")+": "+*r.Why)
	}
	if r.Remedy != nil {
		remedy := *r.Remedy
		if r.changes {
			remedy = "to change that: " + remedy
		}
		wrapped(b, "  ", remedy)
	}
	for i := range r.Fingerprints {
		r.Fingerprints[i].write(b, short)
	}
	if r.LeftOut > 0 {
		wrapped(b, "  ", fmt.Sprintf("and %s more", term.Plural(r.LeftOut, "fingerprint", "fingerprints")))
	}
}

func (p *Print) write(b *strings.Builder, short func(log string) string) {
	scope := "all requests"
	if len(p.scope) > 0 {
		scope = strings.Join(p.scope, ", ")
	}
	if p.FellBack {
		scope += " (told by its beginning: no session was logged)"
	}
	wrapped(b, "  ", "fingerprint "+p.Fingerprint)
	wrapped(b, "  ", "scope "+scope)
	if masks := p.masks(); masks != "" {
		wrapped(b, "  ", "masks "+masks)
	}
	if p.Canonical != nil {
		wrapped(b, "  ", "text "+*p.Canonical)
	}
	p.lines(b, short)
	verb := "did not fire"
	if p.Fired {
		verb = "fired (" + p.Action + ")"
	}
	wrapped(b, "  ", verb+": "+p.Why)
	if p.Response != nil {
		wrapped(b, "  ", "the client would have seen, of "+p.Response.String())
	}
	wrapped(b, "  ", p.Nearest.String())
}

func (p *Print) masks() string {
	var list []string
	for _, m := range p.Masks {
		list = append(list, fmt.Sprintf("%s (replaced %d)", m.Name, m.Replaced))
	}
	return strings.Join(list, ", ")
}

// leastPlace are the columns that the place of a line has at least.
const leastPlace = 10

// lines writes the requests that counted as a table. What the places have no
// room for is left out in front: a number ends them.
func (p *Print) lines(b *strings.Builder, short func(log string) string) {
	const indent = "    "
	prints := slices.ContainsFunc(p.Lines, func(l Line) bool { return l.Fingerprint != p.Fingerprint }) // a round of several
	var rows [][]string
	row := func(cells ...string) { rows = append(rows, cells) }
	skip := 0
	if len(p.Lines) > shownFirst+shownLast+1 {
		skip = len(p.Lines) - shownFirst - shownLast
	}
	day := ""
	for i := range p.Lines {
		if skip > 0 && i >= shownFirst && i < shownFirst+skip {
			if i == shownFirst {
				row("…", term.Count(skip)+" more", "", "", "")
			}
			continue
		}
		l := &p.Lines[i]
		when := clock(l.Time)
		if when[:10] == day {
			when = strings.Repeat(" ", 11) + when[11:]
		} else {
			day = when[:10]
		}
		place := fmt.Sprintf("%d", l.Line)
		if l.Item > 0 {
			place += fmt.Sprintf(":%d", l.Item+1)
		}
		n := "-"
		if l.Count != nil {
			n = fmt.Sprint(*l.Count)
		}
		what := ""
		if l.Fired {
			what = "fired " + l.Action
			if *l.Reason == string(window.ByCooldown) {
				what += " (cooldown)"
			}
		}
		if l.Status != nil && *l.Status >= 400 {
			what = fmt.Sprint(*l.Status, " ", what)
		}
		if prints {
			what = term.Shorten(l.Fingerprint, 9) + " " + what
		}
		gap := ""
		if l.Gap != nil {
			gap = term.Span(int64(*l.Gap*1e6 + 0.5))
		}
		row(short(l.Log)+place, when, gap, fmt.Sprintf("%s of %d", n, l.Threshold), strings.TrimSpace(what))
	}
	var rest term.Table // what follows the places
	for _, row := range rows {
		rest.Add(row[1:]...)
	}
	room := max(rest.Room()-len(indent), leastPlace)
	t := term.Table{Right: map[int]bool{2: true, 3: true}}
	for _, row := range rows {
		row[0] = term.Ending(term.Safe(row[0]), room)
		t.Add(row...)
	}
	t.Write(b, indent)
	if p.LinesLeft > 0 {
		wrapped(b, "    ", "and "+term.Plural(p.LinesLeft, "more that is", "more that are")+" not kept")
	}
	if prints {
		wrapped(b, "  ", "another fingerprint is another step of the rounds, and counts for itself")
	}
}

// String says what would have changed the answer.
func (n *Nearest) String() string {
	if n.unknown {
		return "which setting would change that is not known: " + *n.WindowWhy
	}
	verb, edge := "would not have fired", " or less"
	if n.Fires {
		verb, edge = "would have fired", " or more"
	}
	if !n.exact {
		edge = ""
	}
	var ways, not []string
	if n.Threshold != nil {
		ways = append(ways, fmt.Sprintf("threshold %d", *n.Threshold))
	} else {
		not = append(not, "threshold: "+*n.ThresholdWhy)
	}
	if n.Window != nil {
		ways = append(ways, "a window of "+window.Lasting(time.Duration(*n.Window*1e6+0.5)*time.Microsecond)+edge)
	} else {
		not = append(not, "window: "+*n.WindowWhy)
	}
	s := "no setting nearby would have kept it from firing"
	switch {
	case len(ways) > 0:
		s = verb + " with " + strings.Join(ways, ", or ")
	case n.Fires && *n.ThresholdWhy == noThreshold && *n.WindowWhy == noWindow:
		return "no other threshold and no other window would have fired"
	case n.Fires:
		s = "no setting nearby would have fired"
	}
	if len(not) > 0 {
		s += " (" + strings.Join(not, "; ") + ")"
	}
	return s
}

// answer is the explanation in a sentence.
func (e *Explanation) answer() string {
	if e.Episode != nil {
		r := &e.Rules[0]
		p := &r.Fingerprints[0]
		return fmt.Sprintf("%s fired at %s: %s.", r.Rule, p.at, p.Why)
	}
	var fired, not, blind, unmatched []string
	for i := range e.Rules {
		r := &e.Rules[i]
		best, some := r.best()
		switch {
		case some:
			fired = append(fired, r.Rule+" ("+best+")")
		case r.State == stateCounted:
			if r.LeftOut > 0 {
				best += ", but " + term.Plural(r.LeftOut, "fingerprint was", "fingerprints were") + " not looked at"
			}
			not = append(not, r.Rule+" ("+best+")")
		case r.State == stateNotComputable:
			blind = append(blind, r.Rule)
		default:
			unmatched = append(unmatched, r.Rule)
		}
	}
	var parts []string
	add := func(what string, rules []string) {
		if len(rules) > 0 {
			parts = append(parts, what+": "+strings.Join(rules, ", "))
		}
	}
	add("fired", fired)
	add("did not fire", not)
	add("could not look", blind)
	add("does not look", unmatched)
	return strings.Join(parts, "; ") + "."
}

// best is the count of the fingerprint that fired, else of the one that came
// closest.
func (r *Rule) best() (tally string, fired bool) {
	most := 0
	for i := range r.Fingerprints {
		p := &r.Fingerprints[i]
		if p.Fired {
			return p.tally(), true
		}
		if *p.Count > most { // only one that fired has none
			most, tally = *p.Count, p.tally()
		}
	}
	return tally, false
}

func (p *Print) tally() string {
	if p.Count == nil {
		return *p.Reason
	}
	return fmt.Sprintf("%d of %d", *p.Count, p.Threshold)
}

// wrapped writes log text, made safe, in lines that fit the terminal.
func wrapped(b *strings.Builder, indent, text string) {
	for i, line := range term.Wrap(term.Safe(text), term.Width-len(indent)-2) {
		if i > 0 {
			b.WriteString("  ")
		}
		b.WriteString(indent + line + "\n")
	}
}
