package main

import (
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestEvidenceIsThatOfTune: when an episode closes, the kind that the engine
// names, and why, are those that tune finds out of the whole log. What comes in a
// row tune counts in an hour at least.
func TestEvidenceIsThatOfTune(t *testing.T) {
	if raced {
		t.Skip("reads many logs with one rule after the other")
	}
	t.Parallel()
	profiles, err := policy.FromProfiles([]string{"loopgauge", "tool-call", "fairvisor", "aisg", "zelyx"})
	if err != nil {
		t.Fatal(err)
	}
	companions, err := policy.FromProfiles([]string{"loopgauge", "tool-call"})
	if err != nil {
		t.Fatal(err)
	}
	compared := map[window.Kind]int{}
	rules := slices.Clone(profiles.Rules)
	for _, rule := range profiles.Rules {
		wide := *rule
		wide.Name, wide.Counter.Window = rule.Name+" in an hour", time.Hour
		rules = append(rules, &wide)
	}
	for _, log := range kindLogs(t) {
		for _, rule := range rules {
			why := func(evidence string) string {
				if rule.Counter.Window < time.Hour {
					return inRow.ReplaceAllString(evidence, "n times in a row")
				}
				return evidence
			}
			run := func() replay.Options {
				u := newUI(strings.NewReader(""), io.Discard, io.Discard)
				streams, failed, err := new(logFlags).open(t.Context(), u, []string{log})
				if err != nil || len(failed) > 0 {
					t.Fatal(err, failed)
				}
				o, _, err := runOptions(&policy.Policy{Rules: []*window.Rule{rule}, LatenessSet: true, Lateness: 10 * time.Minute}, &input{streams: streams}, nil)
				if err != nil {
					t.Fatal(err)
				}
				return o
			}
			var episodes []window.Episode
			o := run()
			o.Plan = o.Plan.WithEvidence()
			o.Episode = func(e *window.Episode) error {
				episodes = append(episodes, *e)
				return nil
			}
			if _, err := replay.Run(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			found, err := tune.Run(t.Context(), tune.Options{
				Run: run(), Rules: []*window.Rule{rule}, Gateways: []tune.Gateway{{Name: "companions", Rules: companions.Rules}},
				Windows: []time.Duration{rule.Counter.Window}, Least: 2, Most: 4,
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range episodes {
				e := &episodes[i]
				// An episode may run through several stretches: it is what the
				// last that was a loop is, or the last if none was.
				var stretch *tune.Repeat
				last := int64(0)
				for _, r := range found.Repeats {
					if r.Fingerprint != e.Fingerprint || !slices.Equal(r.Scope, e.Scope) || r.Last < e.First || e.Last < r.First {
						continue
					}
					last = max(last, r.Last)
					if stretch == nil || r.Kind.IsLoop() || !stretch.Kind.IsLoop() {
						stretch = r
					}
				}
				switch {
				case stretch == nil:
					t.Errorf("%s, %s: tune does not know of %s", log, rule.Name, e.ID)
				case last != e.Last: // the repeat went on and fired no more
				case stretch.Kind != e.Kind || why(stretch.Evidence) != why(e.Evidence):
					t.Errorf("%s, %s, %s: %s, because %s; tune: %s, because %s", log, rule.Name, e.ID, e.Kind, e.Evidence, stretch.Kind, stretch.Evidence)
				default:
					compared[e.Kind]++
				}
			}
		}
	}
	for _, kind := range window.Kinds {
		if compared[kind] == 0 {
			t.Errorf("no episode was of the kind %s: %v", kind, compared)
		}
	}
}

var inRow = regexp.MustCompile(`\d+ times in a row`)

// kindLogs are logs of agents, and one for each kind that a gateway can log.
func kindLogs(t *testing.T) (logs []string) {
	t.Helper()
	for _, name := range []string{"tau2/agents.jsonl.zst", "formats/litellm/litellm_callback.jsonl.zst", "formats/nginx-json/nginx_json.log"} {
		logs = append(logs, filepath.Join(fixtures, name))
	}
	add := func(n int, step func(i int) float64, line func(i int) string) {
		name := filepath.Join(t.TempDir(), "log.jsonl")
		var b strings.Builder
		at := 1700000000.0
		for i := range n {
			at += step(i)
			fmt.Fprintf(&b, `{"time":%.3f,"id":"r%d",%s}`+"\n", at, i, line(i))
		}
		write(t, name, b.String())
		logs = append(logs, name)
	}
	uneven := func(i int) float64 { return 1 + float64(i*i%7)/3 }
	request := func(session, caller string, status int) string {
		return fmt.Sprintf(`"session":%q,"caller":%q,"model":"m","path":"/v1/chat/completions","method":"POST","messages":[{"role":"user","content":"hi"}],"has_tools":true,"status":%d`, session, caller, status)
	}
	add(80, uneven, func(int) string { return request("s", "k", 200) })
	add(80, func(int) float64 { return 2 }, func(int) string { return request("s", "k", 200) })
	add(80, uneven, func(i int) string { return request("s", "k", []int{400, 400, 500}[i%3]) })
	add(80, uneven, func(i int) string { return request("s", fmt.Sprint("k", i%2), 503) })
	add(80, uneven, func(int) string { return request("s", "k", 200) + `,"max_tokens":1` })
	add(80, uneven, func(i int) string { return request(fmt.Sprint("s", i), "k", 200) })
	add(81, func(i int) float64 { return 1.301 * float64((i+1)%2) }, func(int) string { return request("s", "k", 200) })
	add(80, uneven, func(int) string { return `"caller":"k","method":"GET","path":"/v1/models","status":200` })
	add(80, uneven, func(i int) string { // different ones, the same, different ones again
		if i < 20 || i >= 60 {
			return strings.Replace(request("s", "k", 200), "hi", fmt.Sprint("hi ", i), 1)
		}
		return request("s", "k", 200)
	})
	call := func(result int) string {
		return fmt.Sprintf(`"session":"s","caller":"k","status":200,"tool_calls":[{"name":"f","arguments":"{}"}],"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"%d"}]`, result)
	}
	add(80, uneven, call)
	add(80, uneven, func(i int) string { return call(i / 9) })
	add(80, func(int) float64 { return 2 }, func(i int) string { return call(i / 9) })
	add(8, uneven, func(i int) string { // an agent is named first amid the loop of another
		if i == 3 {
			return strings.Replace(call(0), `"f"`, `"g"`, 2) + `,"agent":"a"`
		}
		return call(0)
	})
	return logs
}
