package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// The parts of docs/profiles.md that are made of the profiles stand between
// such lines.
const (
	partBegins = "<!-- made of the profiles: %s -->\n"
	partEnds   = "<!-- end -->\n"
)

// TestProfilesDocument: docs/profiles.md is made of the profiles, and says
// what they say. With -update it is made anew.
func TestProfilesDocument(t *testing.T) {
	file := filepath.Join(docs, "profiles.md")
	old := read(t, file)
	text := old
	for name, part := range map[string]string{"table": profileTable(t), "differences": differenceTable(), "sources": profileSources()} {
		before, rest, ok := strings.Cut(text, fmt.Sprintf(partBegins, name))
		_, after, closed := strings.Cut(rest, partEnds)
		if !ok || !closed {
			t.Fatalf("%s has no part %q", file, name)
		}
		text = before + fmt.Sprintf(partBegins, name) + part + partEnds + after
	}
	if text == old {
		return
	}
	if !*update {
		t.Errorf("%s is not what the profiles say: run this test with -update", file)
		return
	}
	write(t, file, text)
}

func profileTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n| profile | of | reading | two requests are the same by | whose counter | counts | fires at | does |\n|---|---|---|---|---|---|---|---|\n")
	for _, p := range policy.Profiles() {
		rules, err := policy.FromProfiles([]string{p.Name})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rules.Rules {
			name := "`" + p.Name + "`"
			if len(rules.Rules) > 1 {
				name = "`" + p.Name + "/" + r.Name + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | `%s`%s | %s | %s | %s | %s |\n",
				name, p.Kind, p.Reading, r.Identity.Name, identityNote(r), scopeOf(r), countsOf(r), ordinal(r.Threshold), doesOf(r))
		}
	}
	return b.String() + "\n"
}

func identityNote(r *window.Rule) string {
	switch spec := r.Identity.Spec(); {
	case strings.Contains(spec, "ignore"):
		return " without body"
	case strings.Contains(spec, "call_ids"):
		return " without ids of calls"
	}
	return ""
}

func scopeOf(r *window.Rule) string {
	if len(r.Scope.Fields) == 0 {
		return "one for all"
	}
	return strings.Join(r.Scope.Fields, ", ")
}

func countsOf(r *window.Rule) string {
	text := "`" + r.Counter.Kind + "`"
	if r.Counter.Window > 0 {
		text += " " + window.Lasting(r.Counter.Window)
	}
	if r.Counter.Closed {
		text += ", closed"
	}
	return text
}

func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n, suffix)
}

func doesOf(r *window.Rule) string {
	text := "`" + string(r.Action) + "`"
	if r.Cooldown > 0 {
		text += ", cooldown " + window.Lasting(r.Cooldown)
	}
	if r.SkipInCooldown {
		text += " that counts nothing"
	}
	if r.SkipBlocked || r.Counter.Kind == "tracker" {
		text += ", what it stops is not recorded"
	}
	if r.ResetOnFire {
		text += ", then begins anew"
	}
	for _, o := range r.Overrides {
		at := "not counted"
		if !o.Disabled {
			at = ordinal(o.Threshold)
		}
		text += fmt.Sprintf("; %s: %s", o.Reason, at)
	}
	return text
}

func differenceTable() string {
	var b strings.Builder
	b.WriteString("\n| profile | of | the documents say | what is shipped does |\n|---|---|---|---|\n")
	for _, p := range policy.Profiles() {
		for _, d := range p.Differences {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.Name, d.Of, d.Documented, d.Shipped)
		}
	}
	return b.String() + "\n"
}

func profileSources() string {
	var b strings.Builder
	b.WriteString("\n")
	for _, p := range policy.Profiles() {
		fmt.Fprintf(&b, "- **`%s`**, %s. %s Source: %s.\n", p.Name, p.Title, strings.Join(strings.Fields(p.Notes), " "), p.Source)
	}
	return b.String() + "\n"
}
