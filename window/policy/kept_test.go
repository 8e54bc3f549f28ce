package policy

import (
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

const keptRules = `version: 1
rules:
  - {name: all, identity: prompt, scope: [session], counter: {kind: sliding, window: 1m}, threshold: 3}
  - {name: some, identity: tool-call, scope: [caller], counter: {kind: sliding, window: 1m}, threshold: 3, match: has_tools}
  - {name: company, profile: zelyx, scope: ["attr:company"]}
  - {name: user, identity: request, scope: [user], counter: {kind: sliding, window: 1m}, threshold: 3, match: caller != "x"}
  - {name: disabled, identity: [user], scope: [backend], counter: {kind: sliding, window: 1m}, threshold: 3, overrides: [{match: caller == "x", enabled: false}]}
  - {name: shipped, profile: fairvisor}
`

func TestKeptLack(t *testing.T) {
	have := parse(t, keptRules)
	f := func(rule, want string) {
		t.Helper()
		p := parse(t, "version: 1\nrules:\n  - {name: r, counter: {kind: streak, window: 1h}, threshold: 9, "+rule+"}\n")
		for _, hashed := range []bool{false, true} {
			kept := window.Kept{Plan: window.NewPlan(have.Rules, nil), Hashed: hashed}
			if got := kept.Lack(p.Rules[0]); got != want {
				t.Errorf("%s: lacks %q, want %q", rule, got, want)
			}
		}
	}
	f("identity: prompt, scope: [session]", "")
	f("identity: prompt, scope: [\"attr:company\"]", "") // the scope of one, the identity of another
	f("identity: prompt, scope: []", "")                 // that of fairvisor
	f("identity: prompt, scope: [user]", "scope [user] of every request: only rules with a match have it")
	f("identity: prompt, scope: [model]", "scope [model]")
	f("identity: prompt, scope: [session, user]", "scope [session, user]")
	f("identity: prompt, mask: [uuids], scope: [session]", "identity prompt with the same options")
	f("identity: fairvisor, scope: []", "identity fairvisor with the same options")
	f("identity: fairvisor, body_hash: ignore, scope: []", "")
	f("identity: stuck-step, scope: []", "identity stuck-step")
	f("identity: tool-call, scope: [caller]", "identity tool-call of every request: only rules with a match have it")
	f("identity: tool-call, scope: [caller], match: has_tools", "")
	f("identity: tool-call, scope: [session], match: has_tools", "")
	f("identity: tool-call, scope: [caller], match: has_tools && true", "identity tool-call of every request: only rules with a match have it")
	f("identity: prompt, scope: [session], match: has_tools", "")
	f("identity: prompt, scope: [session], match: '!has_tools'", "has_tools as logged, which its match and overrides look at")
	f("identity: prompt, scope: [session], match: status == 200 && caller == \"x\"", "caller as logged, which its match and overrides look at")
	f("identity: prompt, scope: [session], match: cost > 1.0", "cost as logged, which its match and overrides look at")
	f("identity: prompt, scope: [session], match: 'attributes[\"a\"] == \"x\"'", "attributes as logged, which its match and overrides look at")
	f("identity: prompt, scope: [session], overrides: [{match: query == \"\", threshold: 4}]", "query as logged, which its match and overrides look at")
	f("identity: prompt, scope: [session], match: status == 200 && max_tokens > 1 && stream", "")
	f("identity: session-model-tools, scope: [session], overrides: [{match: session == \"\", threshold: 7, action: record}]", "") // zelyx's
	f("identity: request, scope: [user], match: caller != \"x\"", "")
	// What an override switches off was computed all the same.
	f("identity: [user], scope: [backend], overrides: [{match: caller == \"x\", enabled: false}]", "")
	f("identity: [user], scope: [backend]", "")

	// Who was hashed is not compared with a name.
	p := parse(t, "version: 1\nrules:\n  - {name: r, identity: prompt, scope: [session], counter: {kind: streak, window: 1h}, threshold: 9, match: session != \"a\"}\nexclude: [{name: a, match: user == \"x\"}, {name: b, match: path == \"/\"}]\n")
	for hashed, want := range map[bool][2]string{false: {"", ""}, true: {"session as logged, which its match and overrides look at", "user as logged, which its match look at"}} {
		kept := window.Kept{Plan: window.NewPlan(have.Rules, nil), Hashed: hashed}
		if got := [2]string{kept.Lack(p.Rules[0]), kept.LackExclusion(&p.Exclude[0])}; got != want {
			t.Errorf("hashed %t: lacks %q, want %q", hashed, got, want)
		}
		if got := kept.LackExclusion(&p.Exclude[1]); got != "" {
			t.Errorf("hashed %t: an exclusion by path lacks %q", hashed, got)
		}
	}
}

// Every variable either comes back from an event as it was in the request, or
// is known to be lost.
func TestKeptFields(t *testing.T) {
	var empty fingerprint.Request
	empty.Reset()
	empty.Time = 1
	full := logged()
	full.End = full.Time + 9_000_000

	have := window.NewPlan(parse(t, keptRules).Rules, nil)
	want := parse(t, "version: 1\nrules:\n  - {name: r, identity: prompt, scope: [session], counter: {kind: streak, window: 1h}, threshold: 9}\n")
	kept := window.Kept{Plan: have}
	for i := range Variables {
		v := &Variables[i]
		var saw []any
		x := window.Exclusion{Name: "x", Fields: []string{v.Name}, Match: func(r *fingerprint.Request) bool {
			saw = append(saw, v.value(r))
			return false
		}}
		if kept.LackExclusion(&x) != "" {
			continue
		}
		answers := kept.Answers(window.NewPlan(want.Rules, []window.Exclusion{x}))
		for _, r := range []*fingerprint.Request{full, &empty} {
			saw = nil
			ev := window.Event{}
			have.NewExtractor(window.ExtractOptions{}).Event(r, &ev)
			ev.Rules = make([]window.Choice, 1)
			answers.Choose(&ev)
			if want := v.value(r); len(saw) != 1 || saw[0] != want {
				t.Errorf("%s is %v, was %v", v.Name, saw, want)
			}
		}
	}
}
