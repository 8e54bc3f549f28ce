package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/replay/term"
)

// listLoops writes one line a loop. What the log knows of none is left out, and
// so are tokens where there are costs, and rules where but one is in force.
func listLoops(b *strings.Builder, loops []Loop, severalRules bool) {
	tokens := slices.ContainsFunc(loops, func(l Loop) bool { return l.Tokens >= 0 })
	cost := slices.ContainsFunc(loops, func(l Loop) bool { return l.Cost > 0 })
	field, when := scopeField(loops), timeLayout(loops)
	table := func(columns int) *term.Table {
		t := &term.Table{Right: map[int]bool{2: true, 3: true, 4: true, 5: tokens || cost}}
		row := []string{cmp.Or(field, "loop"), when.title, "lasted", "requests", "after"}
		switch {
		case cost:
			row = append(row, "cost")
		case tokens:
			row = append(row, "tokens")
		}
		t.Add(row...)
		for i := range loops {
			l := &loops[i]
			row := []string{
				shortScope(l, field, columns), term.Instant(l.Fired).Format(when.layout), term.Span(l.Last - l.First), term.Count(l.Requests), term.Count(l.After),
			}
			switch {
			case (cost || tokens) && l.After == 0:
				row = append(row, "-")
			case cost:
				row = append(row, term.Money(l.Cost))
			case tokens && l.Tokens < 0:
				row = append(row, "?")
			case tokens:
				row = append(row, term.Short(l.Tokens))
			}
			t.Add(row...)
		}
		return t
	}
	columns, rules := term.Width, -term.Gap // of a column that is not there
	if severalRules {
		columns, rules = mostScope, 0
		for i := range loops {
			name, more := ruleText(&loops[i])
			rules = min(max(rules, len(name+more)), leastRules)
		}
	}
	t := table(columns)
	for ; t.Room() < rules && columns > leastScope; t = table(columns) {
		columns--
	}
	if severalRules {
		addRules(t, loops, max(t.Room(), rules))
	}
	t.Write(b, "")
}

// The columns that a scope has at most, beside rules, and at least, and those that
// the names of rules have at least, if one is so long: last-messages is not cut.
const (
	mostScope  = 28
	leastScope = 7
	leastRules = 13
)

// scopeField is the field that is the scope of all loops; empty if there is no
// one.
func scopeField(loops []Loop) (field string) {
	for i := range loops {
		name, _, _ := strings.Cut(loops[i].Scope[0], " ")
		if len(loops[i].Scope) > 1 || i > 0 && name != field {
			return ""
		}
		field = name
	}
	return field
}

func shortScope(l *Loop, field string, columns int) string {
	return term.Middle(term.Safe(strings.TrimPrefix(strings.Join(l.Scope, " "), field+" ")), columns)
}

// layout is how a table writes times, and its title for them.
type layout struct{ title, layout string }

// timeLayout leaves out of times what is the same in all of them.
func timeLayout(loops []Loop) layout {
	first, last := term.Instant(loops[0].Fired), term.Instant(loops[0].Fired)
	for i := range loops {
		at := term.Instant(loops[i].Fired)
		if at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	switch {
	case first.Format(time.DateOnly) == last.Format(time.DateOnly):
		return layout{first.Format("Jan 2") + ", UTC", "15:04:05"}
	case first.Year() == last.Year():
		return layout{first.Format("2006") + ", UTC", "01-02 15:04"}
	}
	return layout{"fired, UTC", "2006-01-02 15:04"}
}

// ruleText is the name of a loop's first rule, and how many more there are.
func ruleText(l *Loop) (name, more string) {
	if n := len(l.Rules) - 1; n > 0 {
		more = fmt.Sprintf(" +%d", n)
	}
	return term.Safe(l.Rules[0]), more
}

// addRules adds the rules as the last column: as much of the first one's name
// as there is room for, and how many more there are.
func addRules(t *term.Table, loops []Loop, room int) {
	column := []string{"rule"}
	for i := range loops {
		name, more := ruleText(&loops[i])
		column = append(column, term.Shorten(name, room-len(more))+more)
	}
	t.AddColumn(column)
}
