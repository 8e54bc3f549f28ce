package window

import "testing"

// TestUnjudged: a rule that is not judged has the same account of its requests,
// and no verdicts, firings and episodes.
func TestUnjudged(t *testing.T) {
	n := newNames(t)
	rule := func(name string) *Rule {
		return &Rule{Name: name, Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding", Window: quietDefault}, Threshold: 2, Action: Warn}
	}
	plan := NewPlan([]*Rule{rule("judged"), rule("not")}, nil)
	said := map[string]int{}
	e := NewEngine(plan, EngineOptions{
		Unjudged: []bool{false, true},
		Verdict:  func(v *Verdict) { said[v.Rule.Name]++ },
		Episode:  func(ep *Episode) { said[ep.Rule.Name]++ },
	})
	for i := range 5 {
		e.Judge(n.event(int64(i), "s", []string{"A"}, 2))
	}
	e.Close()
	if said["judged"] != 6 || said["not"] != 0 {
		t.Errorf("verdicts and episodes: %v; want 6 of the rule that is judged", said)
	}
	accounts := e.Account()
	judged, not := accounts[0], accounts[1]
	if judged.Fired != 4 || judged.Episodes != 1 {
		t.Errorf("judged: %+v", judged)
	}
	judged.Rule, judged.Fired, judged.Episodes, judged.LiveKeys = not.Rule, 0, 0, 0
	if judged != not {
		t.Errorf("not judged: %+v; want %+v", not, judged)
	}
}
