package fingerprint

import "testing"

func TestSight(t *testing.T) {
	f := func(name string, parts []string, want Sight) {
		t.Helper()
		id := mustNew(t, name, Options{Parts: parts})
		if id.Sees != want {
			t.Errorf("%s %v sees %b, want %b", name, parts, id.Sees, want)
		}
	}
	named := map[string]Sight{
		"tool-call": SeesCalls, "tool-call-python": SeesCalls, "openrouter": SeesCalls,
		"tool-call-result": SeesResults, "stuck-step": SeesCalls | SeesResults,
		"last-messages": SeesText, "last-exchange": SeesText, "prompt": SeesText | SeesAll, "request": SeesText | SeesAll,
		"session-model-tools": 0, "fairvisor": 0, "aisg": 0,
	}
	for _, k := range Kinds {
		want, known := named[k.Name]
		if !known {
			t.Errorf("%s: say here what it sees", k.Name)
		}
		f(k.Name, nil, want)
	}
	f("", []string{"tool_call"}, SeesCalls)
	f("", []string{"session", "last_turn"}, SeesResults)
	f("", []string{"last_turn", "tool_call", "model"}, SeesCalls|SeesResults)
	f("", []string{"body"}, SeesText|SeesAll)
	f("", []string{"method", "path", "query", "attr:x", "has_tools"}, 0)
}
