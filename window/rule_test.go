package window

import (
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// What decides how a rule judges makes it another rule; what it is called does
// not, nor what its counter does not look at.
func TestAlike(t *testing.T) {
	f := func(what string, want bool, change func(*Rule)) {
		t.Helper()
		made := func() *Rule {
			return &Rule{
				Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding", Window: time.Minute},
				Threshold: 4, Action: Warn, Cooldown: time.Minute, Quiet: time.Hour, Selection: `"model == \"m\""`,
				Overrides: []Override{{Threshold: 9, Reason: "because"}},
			}
		}
		a, b := made(), made()
		if change(b); a.Alike(b) != want || b.Alike(a) != want {
			t.Errorf("%s: alike %t and %t, want %t", what, a.Alike(b), b.Alike(a), want)
		}
	}
	f("nothing", true, func(*Rule) {})
	f("its name", true, func(r *Rule) { r.Name, r.Profile = "other", "p" })
	f("a cycle's period", true, func(r *Rule) { r.Counter.Period = 3 })
	f("identity", false, func(r *Rule) { r.Identity, _ = fingerprint.New("prompt", fingerprint.Options{}) })
	f("scope", false, func(r *Rule) { r.Scope, _ = fingerprint.NewScope([]string{"caller"}) })
	f("kind", false, func(r *Rule) { r.Counter.Kind = "fixed" })
	f("window", false, func(r *Rule) { r.Counter.Window++ })
	f("closed", false, func(r *Rule) { r.Counter.Closed = true })
	f("threshold", false, func(r *Rule) { r.Threshold = 5 })
	f("action", false, func(r *Rule) { r.Action = Break })
	f("cooldown", false, func(r *Rule) { r.Cooldown = 0 })
	f("cooldown_counts", false, func(r *Rule) { r.SkipInCooldown = true })
	f("blocked_counts", false, func(r *Rule) { r.SkipBlocked = true })
	f("reset_on_fire", false, func(r *Rule) { r.ResetOnFire = true })
	f("quiet", false, func(r *Rule) { r.Quiet = 0 })
	f("chat_overrides", false, func(r *Rule) { r.ChatOverrides = true })
	f("off", false, func(r *Rule) { r.Off = true })
	f("match", false, func(r *Rule) { r.Selection = `"model == \"n\""` })
	f("why an override is there", true, func(r *Rule) { r.Overrides[0].Reason = "" })
	f("an override's threshold", false, func(r *Rule) { r.Overrides[0].Threshold = 8 })
	f("an override's action", false, func(r *Rule) { r.Overrides[0].Action = Break })
	f("an override's window", false, func(r *Rule) { r.Overrides[0].Window = time.Second })
	f("an override that is off", false, func(r *Rule) { r.Overrides[0].Disabled = true })
	f("an override that is on", false, func(r *Rule) { r.Overrides[0].Enabled = true })
	f("an override's end", false, func(r *Rule) { r.Overrides[0].Until = time.Unix(1, 0) })
	f("overrides", false, func(r *Rule) { r.Overrides = nil })
	f("a match of which nothing is known", false, func(r *Rule) {
		r.Selection, r.Match = "", func(*fingerprint.Request) bool { return true }
	})
}

// A loop that is counted for longer, by an override or without a window, is one
// episode.
func TestQuiet(t *testing.T) {
	n := newNames(t)
	f := func(window time.Duration, overrides ...Override) {
		t.Helper()
		rule := &Rule{
			Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "streak", Window: window},
			Threshold: 3, Action: Warn, Overrides: overrides,
		}
		episodes := 0
		e := NewEngine(NewPlan([]*Rule{rule}, nil), EngineOptions{Episode: func(*Episode) { episodes++ }})
		for i := range int64(9) {
			ev := n.event(i*10*time.Minute.Microseconds(), "s", []string{"A"}, 1)
			ev.Rules[0] = Plain + Choice(len(overrides))
			e.Judge(ev)
		}
		if e.Close(); episodes != 1 {
			t.Errorf("%d episodes", episodes)
		}
	}
	f(time.Minute, Override{Window: time.Hour})
	f(0)
}
