package policy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/window"
)

// tier is what the server, a model or a session says, in its own form.
type tier struct{ rule, override, chat string }

// TestPrecedence: server < backend and model < session, setting by setting, in
// all 64 combinations of what the three may say: nothing, on, off, or all
// other settings. What is expected is written down for each way to speak, and
// the last to speak wins.
func TestPrecedence(t *testing.T) {
	tiers := [3]string{"server", "model", "session"}
	// The numbers tell who spoke.
	says := func(who, what int) (tier, window.Settings, map[string]bool) {
		n := 3 + who
		mode := []string{"chance_then_break", "break", "chance_then_break"}[who]
		switch what {
		case 1:
			return tier{"enabled: true, ", ", enabled: true", "tool-loop-detection=true"}, window.Settings{}, map[string]bool{"off": true}
		case 2:
			return tier{"enabled: false, ", ", enabled: false", "tool-loop-detection=false"}, window.Settings{Off: true}, map[string]bool{"off": true}
		case 3:
			return tier{
					fmt.Sprintf("threshold: %d, counter: {window: %ds}, action: %s, ", n, 10*n, mode),
					fmt.Sprintf(", threshold: %d, window: %ds, action: %s", n, 10*n, mode),
					fmt.Sprintf("tool-loop-max-repeats=%d, tool-loop-ttl=%d, tool-loop-mode=%s", n, 10*n, mode),
				}, window.Settings{Threshold: n, Window: time.Duration(10*n) * time.Second, Action: window.Action(mode)},
				map[string]bool{"rest": true}
		}
		return tier{}, window.Settings{}, nil
	}
	for combination := range 64 {
		want := window.Settings{Threshold: 4, Window: 120 * time.Second, Action: window.Break} // the profile's
		var text [3]tier
		var name []string
		for who := range 3 {
			what := combination >> (2 * who) & 3
			says, says2, of := says(who, what)
			text[who] = says
			name = append(name, fmt.Sprint(tiers[who], []string{" silent", " on", " off", " sets"}[what]))
			if of["off"] {
				want.Off = says2.Off
			}
			if of["rest"] {
				want.Threshold, want.Window, want.Action = says2.Threshold, says2.Window, says2.Action
			}
		}
		override := ""
		if text[1].override != "" {
			override = `overrides: [{match: 'backend == "b" && model == "m"'` + text[1].override + `}, {match: 'backend == "b"', threshold: 9}], `
		}
		p := parse(t, "version: 1\nrules:\n  - {name: r, profile: tool-call-shipped, "+text[0].rule+override+"chat_overrides: true}\n")
		if want.Off {
			want = window.Settings{Off: true}
		}
		if got := inForce(t, p, text[2].chat); got != want {
			t.Errorf("%s: %+v, want %+v", strings.Join(name, ", "), got, want)
		}
		if text[2].chat == "" { // what sessions may not say, they need not be asked
			without := strings.Replace(string(p.Source), "chat_overrides: true", "chat_overrides: false", 1)
			p, err := Parse("p", []byte(without))
			if err != nil && want.Off && strings.Contains(err.Error(), "every rule is disabled") {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			if got := inForce(t, p, ""); got != want {
				t.Errorf("%s, no chat: %+v, want %+v", strings.Join(name, ", "), got, want)
			}
		}
	}
}

// inForce finds out by trying what is in force for a session of model m at
// backend b that has said something: the threshold by the call that fires, the
// action by what is done then, the window by how long a call counts.
func inForce(t *testing.T, p *Policy, said string) (in window.Settings) {
	t.Helper()
	run := func(pause time.Duration) (fired int, did []window.Action) {
		var judged int
		plan := window.NewPlan(p.Rules, nil)
		e := window.NewEngine(plan, window.EngineOptions{Verdict: func(v *window.Verdict) {
			judged++
			if v.Fired {
				did = append(did, v.Action)
				if fired == 0 {
					fired = judged
				}
			}
		}})
		x := plan.NewExtractor(window.ExtractOptions{})
		for i := range 8 {
			r := &fingerprint.Request{}
			r.Reset()
			r.Time, r.End = int64(i)*pause.Microseconds(), fingerprint.NoTime
			r.Session, r.Model, r.Backend = []byte("s"), []byte("m"), []byte("b")
			r.ToolCallsLogged, r.ToolCalls = true, []fingerprint.ToolCall{{Name: []byte("f"), Arguments: []byte("{}")}}
			text := "go on"
			if i == 0 {
				text = "first !/set(" + said + ") then go on"
			}
			r.Messages = fingerprint.Messages{Logged: true, Items: []rawjson.Value{rawjson.Value(fmt.Sprintf(`{"role":"user","content":%q}`, text))}}
			var ev window.Event
			x.Event(r, &ev)
			e.Judge(&ev)
		}
		in.Off = judged == 0 && in.Threshold == 0
		return fired, did
	}
	fired, did := run(time.Microsecond)
	if in.Off {
		return in // and what else is in force nobody can tell
	}
	in.Threshold, in.Action = fired, window.Break
	if did[0] == window.Guide {
		in.Action = window.ChanceThenBreak
	}
	for _, seconds := range []int{30, 40, 50, 120} {
		// Of threshold calls the oldest is as old as the window.
		gap := time.Duration(seconds) * time.Second / time.Duration(fired-1)
		within, _ := run(gap)
		beyond, _ := run(gap + time.Second)
		if within == fired && beyond == 0 {
			in.Window = time.Duration(seconds) * time.Second
		}
	}
	return in
}
