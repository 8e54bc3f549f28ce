package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/window/policy"
)

// TestAgentVectors: what agents and limits would have done, worked out by hand
// from their published code.
func TestAgentVectors(t *testing.T) {
	type vector struct{ Profile, Rule, Why, Set, Calls, Actions string }
	tried := map[string]int{}
	for _, v := range rows[vector](t, "vectors/agents.jsonl") {
		tried[v.Profile]++
		var log, messages strings.Builder
		messages.WriteString(`{"role":"user","content":"go on"}`)
		for i, call := range strings.Fields(v.Calls) {
			n := strings.IndexAny(call, "ABC")
			at, name, result := call[:n], call[n:n+1], call[n+1:]
			issued := fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":"f","arguments":"{\"x\":\"%s\"}"}}`, i, name)
			if result != "" { // it is seen in the next request
				fmt.Fprintf(&messages, `,{"role":"assistant","tool_calls":[%s]},{"role":"tool","tool_call_id":"c%d","content":"%s"}`, issued, i, result)
			}
			fmt.Fprintf(&log, `{"time":%s,"id":"%d","session":"s","caller":"c","messages":[%s],"tool_calls":[{"name":"f","arguments":"{\"x\":\"%s\"}"}]}`+"\n", at, i, messages.String(), name)
		}
		profile := v.Profile
		if v.Rule != "" {
			profile += "/" + v.Rule
		}
		rule := fmt.Sprintf("version: 1\nrules:\n  - {name: r, profile: %s", profile)
		if v.Set != "" {
			rule += ", " + v.Set
		}
		var got []string
		for _, one := range verdicts(t, rule+"}\n", log.String()) {
			got = append(got, one.Action)
		}
		if all := strings.Join(got, " "); all != v.Actions {
			t.Errorf("%s: %s: %s\n%s, want\n%s", v.Profile, v.Why, v.Calls, all, v.Actions)
		}
	}
	for _, p := range policy.Profiles() {
		if !p.Compared() && tried[p.Name] == 0 {
			t.Errorf("%s has no vectors", p.Name)
		}
	}
}
