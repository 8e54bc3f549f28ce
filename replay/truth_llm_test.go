package replay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fixtures"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// planned is what the traffic behind the logs of gateways and instrumentations
// meant with a request. Request is the id that the log gives it, or its line.
type planned struct {
	Log, Request, Scenario, Label string
}

func readPlanned(tb testing.TB) map[string]map[string]planned {
	tb.Helper()
	all := map[string]map[string]planned{}
	for line := range bytes.Lines(fixtures.Read(tb, "formats/truth_llm.jsonl.zst")) {
		var p planned
		if err := json.Unmarshal(line, &p); err != nil {
			tb.Fatal(err)
		}
		if all[p.Log] == nil {
			all[p.Log] = map[string]planned{}
		}
		all[p.Log][p.Request] = p
	}
	return all
}

// scene is what became of one scenario in one log.
type scene struct {
	repeats  int // requests that are a part of its loop
	steps    int // of a cycle, of which two make a repeat
	fired    map[string]int
	innocent bool // all its requests are
	// blind counts, by rule, the causes why it could not see a repeat.
	blind map[string]map[string]int
}

// watchScenes replays a log with the given profiles.
func watchScenes(tb testing.TB, log string, truth map[string]planned, profiles ...string) map[string]*scene {
	tb.Helper()
	p, err := policy.FromProfiles(profiles)
	if err != nil {
		tb.Fatal(err)
	}
	scenes := map[string]*scene{}
	of := func(ev *window.Event) (*scene, planned) {
		t, ok := truth[ev.ID]
		if !ok {
			t = truth[fmt.Sprintf("line %d", ev.Position.Line)]
		}
		s := scenes[t.Scenario]
		if s == nil {
			s = &scene{fired: map[string]int{}, innocent: true, blind: map[string]map[string]int{}}
			scenes[t.Scenario] = s
		}
		return s, t
	}
	plan := window.NewPlan(p.Rules, nil)
	result, err := replay.Run(tb.Context(), replay.Options{Streams: []ingest.Stream{openLog(tb, fixtureDir+"formats/"+log)}, PipelineOptions: replay.PipelineOptions{
		Plan: plan, Duplicates: window.DefaultDuplicates,
		Lateness: 10 * time.Minute, // slices of a log
		Since:    fingerprint.NoTime, Until: fingerprint.NoTime,
		Event: func(ev *window.Event) error {
			s, t := of(ev)
			switch t.Label {
			case "cycle":
				s.steps++
				s.innocent = false
			case "loop", "retry_loop", "outage_retry":
				s.repeats++
				s.innocent = false
			case "normal", "client_error", "probe":
			default:
				s.innocent = false
			}
			for i, rule := range plan.Rules {
				cause := ev.Prints[plan.IdentityOf(i)].Cause
				if cause == fingerprint.Computable {
					cause = ev.Scopes[plan.ScopeOf(i)].Cause
				}
				if s.blind[rule.Name] == nil {
					s.blind[rule.Name] = map[string]int{}
				}
				s.blind[rule.Name][cause.String()]++
			}
			return nil
		},
		Verdict: func(v *window.Verdict) error {
			if v.Fired {
				s, _ := of(v.Event)
				s.fired[v.Rule.Name]++
			}
			return nil
		},
	}})
	if err != nil {
		tb.Fatal(err)
	}
	if err := result.Account.Check(); err != nil {
		tb.Error(err)
	}
	if n := result.Account.Malformed + result.Account.Late; n > 0 || result.Account.Judged == 0 {
		tb.Errorf("%s: %s", log, result.Account)
	}
	return scenes
}

// enough is how many repeats a loop has that the recommended rules fire on.
const enough = 4

// TestTruthOfModelLogs: the same traffic, as a gateway or an instrumentation
// logged it. Loops are found wherever the log carries the evidence, innocent
// scenarios are left alone, and what cannot be seen is said with its cause.
func TestTruthOfModelLogs(t *testing.T) {
	all := readPlanned(t)
	// Loops of enough repeats that nobody can see in a log, and why.
	blind := map[string]string{
		// The provider's own span of an Anthropic call has no content.
		"otel/langfuse_otlp_traces.jsonl.zst anthropic_tool_loop": "no messages",
		// Events without their spans, which have the model and the caller.
		"otel/litellm_otel_v1_logs.jsonl.zst stateless_retry":        "no caller",
		"otel/openai_v2_old_events_logs.jsonl.zst stateless_retry":   "no model",
		"otel/openai_v2_event_traces.jsonl.zst outage":               "no messages",
		"otel/openai_v2_old_events_traces.jsonl.zst outage":          "no messages",
		"otel/openai_v2_old_events_traces.jsonl.zst stateless_retry": "no messages",
		"otel/openai_v2_old_events_traces.jsonl.zst stuck_same_tool": "no messages",
		"otel/openai_v2_nocontent_traces.jsonl.zst stateless_retry":  "no messages",
		"otel/openai_v2_nocontent_traces.jsonl.zst stuck_same_tool":  "no messages",
	}
	for _, log := range slices.Sorted(maps.Keys(all)) {
		scenes := watchScenes(t, log, all[log], "loopgauge", "tool-call", "aisg")
		for _, name := range slices.Sorted(maps.Keys(scenes)) {
			s := scenes[name]
			place := log + " " + name
			if name == "" { // what could not be traced back to what was sent
				if len(s.fired) > 0 {
					t.Errorf("%s: %v fired for nobody", log, s.fired)
				}
				continue
			}
			why, isBlind := blind[place]
			switch {
			case s.innocent && len(s.fired) > 0:
				t.Errorf("%s: innocent, but %v fired", place, s.fired)
			case s.innocent || s.repeats+s.steps/2 < enough:
			case len(s.fired) > 0 && isBlind:
				t.Errorf("%s: found after all: %v", place, s.fired)
			case len(s.fired) > 0:
			case !isBlind:
				t.Errorf("%s: %d repeats and no loop: %v", place, s.repeats+s.steps/2, s.blind)
			default:
				for rule, causes := range s.blind {
					if rule == "last-messages" && 2*causes[why] < s.repeats {
						t.Errorf("%s: %s is blind for %v, want %q", place, rule, causes, why)
					}
				}
			}
		}
	}
}
