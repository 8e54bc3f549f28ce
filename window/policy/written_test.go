package policy

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A rule is written so that it reads as what it is, with its setting between.
func TestWritten(t *testing.T) {
	f := func(rule, head, tail string, warns ...string) {
		t.Helper()
		warns = append(warns, tail)
		p := parse(t, "version: 1\nrules:\n  - "+rule+"\n")
		w := p.Rules[0].Written
		if w.Head != head || w.Tail != tail || w.Warns != warns[0] {
			t.Errorf("%s: written\n%s...\n%s, or where it warns\n%s\nwant\n%s...\n%s or\n%s", rule, w.Head, w.Tail, w.Warns, head, tail, warns[0])
		}
		setting := fmt.Sprintf("    counter: {kind: %s, window: 7s}\n    threshold: 9\n    action: warn\n", p.Rules[0].Counter.Kind)
		if r := parse(t, "version: 1\nrules:\n  - name: "+w.Name+"\n"+w.Head+setting+w.Warns).Rules[0]; r.Cooldown > 0 || r.SkipBlocked || r.ResetOnFire || r.Quiet != p.Rules[0].Quiet || r.Selection != p.Rules[0].Selection {
			t.Errorf("%s: where it warns it is %+v", rule, r)
		}
		again := parse(t, "version: 1\nrules:\n  - name: "+w.Name+"\n"+w.Head+setting+w.Tail)
		if again.Rules[0].Written != w || again.Rules[0].Name != p.Rules[0].Name || !again.Rules[0].Identity.Same(p.Rules[0].Identity) || again.Rules[0].Selection != p.Rules[0].Selection {
			t.Errorf("%s: written again it is %+v", rule, again.Rules[0].Written)
		}
	}
	f(`{name: a, profile: aisg}`, "    profile: aisg\n", "", "    cooldown: 0s\n    cooldown_counts: true\n")
	f(`{name: a, profile: roo-code}`, "    profile: roo-code\n", "", "    reset_on_fire: false\n")
	f(`{name: a, profile: aisg-article, quiet: 2m}`, "    profile: aisg-article\n    identity: aisg\n    mask: []\n    normalize: none\n    body_hash: use\n    scope: []\n",
		"    cooldown: 30s\n    cooldown_counts: false\n    blocked_counts: true\n    reset_on_fire: false\n    quiet: 2m\n    match: ''\n    overrides: []\n",
		"    cooldown: 0s\n    cooldown_counts: true\n    blocked_counts: true\n    reset_on_fire: false\n    quiet: 2m\n    match: ''\n    overrides: []\n")
	f(`{name: a, profile: loopgauge/stuck-step, threshold: 7, action: record, counter: {window: 3m}}`, "    profile: loopgauge/stuck-step\n", "")
	f(`{name: a, profile: tool-call-shipped, threshold: 7}`, "    profile: tool-call-shipped\n", "")
	f(`{name: a, profile: aisg, cooldown: 1m}`, "    identity: aisg\n    scope: []\n", "    cooldown: 1m\n    cooldown_counts: false\n", "")
	f(`{name: a, profile: obsidian-gemini, quiet: 2m}`, "    identity: tool-call\n    scope: [session]\n", "    blocked_counts: false\n    quiet: 2m\n", "    quiet: 2m\n")
	f(`{name: a, profile: aisg, enabled: false, cooldown: 0s, overrides: [{match: has_tools, enabled: true}]}`, "    enabled: false\n    identity: aisg\n    scope: []\n", "    overrides:\n      - {match: has_tools, enabled: true}\n")
	f(`{name: a, profile: aisg-article, enabled: false, overrides: [{match: has_tools, enabled: true}]}`, "    profile: aisg-article\n    enabled: false\n    identity: aisg\n    mask: []\n    normalize: none\n    body_hash: use\n    scope: []\n",
		"    cooldown: 30s\n    cooldown_counts: false\n    blocked_counts: true\n    reset_on_fire: false\n    quiet: 0s\n    match: ''\n    overrides:\n      - {match: has_tools, enabled: true}\n",
		"    cooldown: 0s\n    cooldown_counts: true\n    blocked_counts: true\n    reset_on_fire: false\n    quiet: 0s\n    match: ''\n    overrides:\n      - {match: has_tools, enabled: true}\n")
	f(`{name: a, profile: fairvisor, limit_keys: ["header:x", "a b", "#"]}`, "    identity: fairvisor\n    limit_keys: ['header:x', 'a b', '#']\n    body_hash: ignore\n    scope: []\n", "")
	f(`{name: "null", identity: [tool_call, "attr:x", "last_messages:2"], mask: [uuids], normalize: lower, scope: [session, "attr:y"], counter: {kind: cycle, window: 7s}, threshold: 3, quiet: 90s,
     match: 'path != "it''s"', overrides: [{match: status == 429, threshold: 4, reason: "so, {so}: x"}, {match: status == 1, enabled: false, until: 2027-01-01}]}`,
		"    identity: [tool_call, 'attr:x', 'last_messages:2']\n    mask: [uuids]\n    normalize: lower\n    scope: [session, 'attr:y']\n",
		"    quiet: 1m30s\n    match: \"path != \\\"it's\\\"\"\n    overrides:\n      - {match: 'status == 429', threshold: 4, reason: 'so, {so}: x'}\n      - {match: 'status == 1', enabled: false, until: '2027-01-01T00:00:00Z'}\n")
}

// What decides how a rule sees a request is held against what saved state says: the
// same must be written as ever.
func TestSelection(t *testing.T) {
	f := func(rule, want string) {
		t.Helper()
		if got := parse(t, "version: 1\nrules:\n  - {name: a, profile: aisg"+rule+"}\n").Rules[0].Selection; got != want {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
	}
	f(``, `""`)
	f(`, match: has_tools`, `"has_tools"`)
	f(`, match: has_tools, overrides: [{match: cached, threshold: 9, enabled: true}, {match: stream, enabled: false, until: 2027-01-01}]`, `"has_tools" "cached" true 0001-01-01T00:00:00Z "stream" false 2027-01-01T00:00:00Z`)
	f(`, enabled: false, overrides: [{match: cached, enabled: true}, {match: stream, threshold: 9}]`, `enabled false chat false "" "cached" true 0001-01-01T00:00:00Z on "stream" true 0001-01-01T00:00:00Z`)
	f(`, scope: [session], counter: {kind: streak, window: 1m, closed: false}, chat_overrides: true`, `enabled true chat true ""`)
}

func TestProfilesAreWrittenByName(t *testing.T) {
	for _, profile := range Profiles() {
		p, err := FromProfiles([]string{profile.Name, profile.Name})
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range p.Rules {
			if want := "    profile: " + profile.Name; !strings.HasPrefix(rule.Written.Head, want) || rule.Written.Tail != "" {
				t.Errorf("%s: written %+v", rule.Name, rule.Written)
			}
			parse(t, "version: 1\nrules:\n  - name: x\n"+rule.Written.Head)
		}
	}
}

// Any text that a policy may hold reads as itself, and so it does in its source.
func TestQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.StringMatching(`[-?:,\[\]{}#&*!|>'"%@ a-c0-9.~\\\n\t]{1,8}`), rapid.String(), rapid.SampledFrom([]string{"yes", "NULL", "1", "0x1", "1.5", "10m", "1_000", "2027-01-01", "~", "a:b", "a: b", "1:30", ".inf", "-"}),
		).Filter(func(s string) bool { return s != "" && !strings.ContainsRune(s, 0) }).Draw(t, "text")
		p, err := Parse("p", []byte("version: 1\nrules: [{name: a, profile: aisg}]\nexclude:\n  - {name: "+Quoted(text)+", match: 'status == 1'}\n  - {name: b, match: "+Quoted("path == 'a'")+"}\n"))
		if err != nil {
			t.Fatalf("%q is written %s: %v", text, Quoted(text), err)
		}
		if p.Exclude[0].Name != text {
			t.Fatalf("%q is written %s, which is %q", text, Quoted(text), p.Exclude[0].Name)
		}
		if again, err := Parse("source", p.Source); err != nil || again.Exclude[0].Name != text {
			t.Fatalf("%q: %v in the source\n%s", text, err, p.Source)
		}
	})
}
