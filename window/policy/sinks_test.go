package policy

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/window"
)

func TestRoutes(t *testing.T) {
	p := parse(t, `version: 1
rules: [{name: a, profile: aisg}]
sinks:
  - log:
  - webhook: {name: team, url: https://a.example, min_severity: warning}
routes:
  - {match: 'scope["session"] == "s" && rule.startsWith("a") && severity != "info"', to: [team, log]}
  - {match: '"attr:header:x-team" in scope || caller == "probe"', to: []}
`)
	if s := p.Sinks[1]; s.Kind != "webhook" || s.Name != "team" || s.Least != window.Warning || len(s.Settings) != 1 {
		t.Errorf("%+v", s)
	}
	alert := func(change ...string) map[string]any {
		a := map[string]any{"scope": map[string]string{"session": "s"}, "rule": "aisg", "severity": "critical", "caller": "c"}
		for i := 0; i+1 < len(change); i += 2 {
			a[change[i]] = change[i+1]
		}
		return a
	}
	f := func(route int, a map[string]any, want bool) {
		t.Helper()
		if got := p.Routes[route].Match(a); got != want {
			t.Errorf("route %d of %v: %t", route, a, got)
		}
	}
	f(0, alert(), true)
	f(0, alert("severity", "info"), false)
	f(0, alert("rule", "b"), false)
	f(0, map[string]any{"scope": map[string]string{}, "rule": "a", "severity": "critical"}, false) // no such field
	f(1, alert(), false)
	f(1, alert("caller", "probe"), true)
	f(1, map[string]any{"scope": map[string]string{"attr:header:x-team": "t"}}, true)
	if strings.Join(p.Routes[0].To, " ") != "team log" || p.Routes[1].To != nil {
		t.Errorf("to %q and %q", p.Routes[0].To, p.Routes[1].To)
	}
}
