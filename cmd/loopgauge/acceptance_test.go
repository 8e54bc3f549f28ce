package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// verdict is a line of --verdicts.
type verdict struct {
	ID         string            `json:"id"`
	Rule       string            `json:"rule"`
	Scope      map[string]string `json:"scope"`
	Count      *int              `json:"count"`
	Fired      bool              `json:"fired"`
	Action     string            `json:"action"`
	Reason     *string           `json:"reason"`
	RetryAfter *int              `json:"retry_after_s"`
	DelayMS    *int              `json:"delay_ms"`
}

func verdicts(t *testing.T, policy, log string, more ...string) []verdict {
	t.Helper()
	args := append([]string{"replay", "--quiet", "--lateness", "0s", "--policy", policyFile(t, policy), "--verdicts", "-"}, more...)
	out := loopgauge(t, log, append(args, "-")...)
	var list []verdict
	for line := range strings.Lines(out) {
		var v verdict
		unmarshal(t, line, &v)
		list = append(list, v)
	}
	return list
}

// imported is the policy that a gateway's own settings amount to.
func imported(t *testing.T, from, settings string) string {
	t.Helper()
	return loopgauge(t, settings, "policy", "import", "--from", from, "-")
}

// variant is a way to the same verdicts.
type variant struct {
	name, policy string
	flags        []string
	other        bool // another reading, which differs somewhere
}

// variants are a gateway as shipped, as its own settings are imported, and
// with both as if they were in force; and as documented.
func variants(shipped, imported, documented string) []variant {
	enforce := []string{"--enforce"}
	return []variant{
		{"shipped", shipped, nil, false},
		{"shipped, in force", shipped, enforce, false},
		{"imported", imported, nil, false},
		{"imported, in force", imported, enforce, false},
		{"documented", documented, nil, true},
	}
}

// same compares pointers by what they point to.
func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func show[T any](p *T) string {
	if p == nil {
		return "null"
	}
	return fmt.Sprint(*p)
}

// holds wants of the verdicts on a log those of a row of vectors. Where the variant
// is another reading it says whether they differ.
func (v *variant) holds(t *testing.T, row int, log string, events int, right func(k int, g verdict) bool, want func(k int) string) (differs bool) {
	t.Helper()
	got := verdicts(t, v.policy, log, v.flags...)
	if len(got) != events {
		t.Fatalf("row %d: %d verdicts for %d events", row, len(got), events)
	}
	for k, g := range got {
		if right(k, g) {
			continue
		}
		if !v.other {
			t.Errorf("%s: row %d, event %d: count %s fired %t action %s reason %s retry %s delay %s, want %s",
				v.name, row, k, show(g.Count), g.Fired, g.Action, show(g.Reason), show(g.RetryAfter), show(g.DelayMS), want(k))
		}
		return v.other
	}
	return false
}

func TestFairvisorSequences(t *testing.T) {
	t.Parallel()
	type event struct {
		T          float64
		Count      int
		Detected   bool
		RetryAfter *int `json:"retry_after"`
		DelayMS    *int `json:"delay_ms"`
	}
	type sequence struct {
		Window    int `json:"window_seconds"`
		Threshold int `json:"threshold_identical_requests"`
		Action    string
		Events    []event
	}
	differ := 0
	for i, s := range fewer(rows[sequence](t, "vectors/fairvisor_sequences.jsonl")) {
		var log strings.Builder
		for k, e := range s.Events {
			fmt.Fprintf(&log, `{"time":%.3f,"id":"%d","method":"POST","path":"/v1/x","body_hash":"h"}`+"\n", e.T+1e9, k)
		}
		rule := func(profile string) string {
			return fmt.Sprintf("version: 1\nrules:\n  - {name: f, profile: %s, threshold: %d, action: %s, counter: {window: %ds}}\n", profile, s.Threshold, s.Action, s.Window)
		}
		settings := fmt.Sprintf(`{"id": "f", "spec": {"selector": {"pathPrefix": "/"}, "rules": [], "loop_detection": {"enabled": true, "window_seconds": %d, "threshold_identical_requests": %d, "action": %q}}}`, s.Window, s.Threshold, s.Action)
		for _, v := range variants(rule("fairvisor"), imported(t, "fairvisor", settings), rule("fairvisor-documented")) {
			// The documents say that each hit renews the window; the shipped counter
			// ends it so long after its first hit.
			if v.holds(t, i, log.String(), len(s.Events), func(k int, g verdict) bool {
				e := s.Events[k]
				return *g.Count == e.Count && g.Fired == e.Detected && same(g.RetryAfter, e.RetryAfter) && same(g.DelayMS, e.DelayMS)
			}, func(k int) string { return fmt.Sprintf("%+v", s.Events[k]) }) {
				differ++
			}
		}
	}
	if differ == 0 {
		t.Error("fairvisor-documented never differs from what was shipped: it is not another reading")
	}
}

func TestAISGSequences(t *testing.T) {
	t.Parallel()
	type event struct {
		T        float64
		HitCount *int `json:"hit_count"`
		Blocked  bool
		Why      *string
	}
	type sequence struct {
		Window   int `json:"window_seconds"`
		MaxHits  int `json:"max_hits"`
		Cooldown int `json:"cooldown_seconds"`
		Events   []event
	}
	differ := 0
	for i, s := range fewer(rows[sequence](t, "vectors/aisg_sequences.jsonl")) {
		var log strings.Builder
		for k, e := range s.Events {
			fmt.Fprintf(&log, `{"time":%.3f,"id":"%d","caller":"k","model":"m","messages":[{"role":"user","content":"x"}]}`+"\n", e.T+1e9, k)
		}
		rule := func(profile string) string {
			return fmt.Sprintf("version: 1\nrules:\n  - {name: a, profile: %s, threshold: %d, cooldown: %ds, counter: {window: %ds}}\n", profile, s.MaxHits+1, s.Cooldown, s.Window)
		}
		// The settings do not tell the readings apart: what they are imported as
		// is the documented one, and set is the article's here.
		settings := imported(t, "aisg", fmt.Sprintf("LOOP_GUARD_WINDOW_SECONDS=%d\nLOOP_GUARD_MAX_HITS=%d\nLOOP_GUARD_COOLDOWN_SECONDS=%d\n", s.Window, s.MaxHits, s.Cooldown))
		article := strings.Replace(settings, "profile: aisg\n", "profile: aisg-article\n", 1)
		for _, v := range variants(rule("aisg-article"), article, rule("aisg")) {
			// The documents describe a rolling window, the article a fixed one.
			if v.holds(t, i, log.String(), len(s.Events), func(k int, g verdict) bool {
				e := s.Events[k]
				return same(g.Count, e.HitCount) && g.Fired == e.Blocked && same(g.Reason, e.Why)
			}, func(k int) string {
				return fmt.Sprintf("count %s blocked %t why %s", show(s.Events[k].HitCount), s.Events[k].Blocked, show(s.Events[k].Why))
			}) {
				differ++
			}
		}
	}
	if differ == 0 {
		t.Error("aisg never differs from aisg-article: it is not another reading")
	}
}

func TestToolCallSequences(t *testing.T) {
	t.Parallel()
	type event struct {
		T         float64
		Name      string
		Arguments string
		Signature string
		Verdict   string
		Repeats   *int `json:"repeat_count"`
	}
	type sequence struct {
		MaxRepeats int `json:"max_repeats"`
		TTL        int `json:"ttl_seconds"`
		Mode       string
		Events     []event
	}
	differ := 0
	for i, s := range fewer(rows[sequence](t, "vectors/toolcall_tracker_sequences.jsonl")) {
		var log strings.Builder
		for k, e := range s.Events {
			arguments, err := json.Marshal(e.Arguments)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&log, `{"time":%.6f,"id":"%d","session":"s","tool_calls":[{"name":"%s","arguments":%s}]}`+"\n", e.T+1e9, k, e.Name, arguments)
		}
		rule := func(profile string) string {
			return fmt.Sprintf("version: 1\nrules:\n  - {name: t, profile: %s, threshold: %d, action: %s, counter: {window: %ds}}\n", profile, s.MaxRepeats, s.Mode, s.TTL)
		}
		all := variants(rule("tool-call-shipped"),
			imported(t, "tool-call", fmt.Sprintf("TOOL_LOOP_MAX_REPEATS=%d\nTOOL_LOOP_TTL_SECONDS=%d\nTOOL_LOOP_MODE=%s\n", s.MaxRepeats, s.TTL, s.Mode)), rule("tool-call"))
		// The same as a model's, over a server that says otherwise.
		all = append(all, variant{name: "model", policy: imported(t, "tool-call", fmt.Sprintf(
			"model_defaults:\n  'b:m': {tool_loop_detection_max_repeats: %d, tool_loop_detection_ttl_seconds: %d, tool_loop_detection_mode: %s}\n", s.MaxRepeats, s.TTL, s.Mode))})
		// And as the session's own.
		all = append(all, variant{name: "session", policy: "version: 1\nrules:\n  - {name: t, profile: tool-call-shipped, enabled: false, chat_overrides: true}\n"})
		chat := fmt.Sprintf("!/set(tool-loop-detection=true, tool-loop-max-repeats=%d) !/set(tool-loop-ttl=%d, tool-loop-mode=%s)", s.MaxRepeats, s.TTL, s.Mode)
		for _, v := range all {
			text := log.String()
			switch v.name {
			case "model":
				text = strings.ReplaceAll(text, `"session":"s"`, `"session":"s","model":"m","backend":"b"`)
			case "session":
				text = strings.Replace(text, `"session":"s"`, `"session":"s","messages":[{"role":"user","content":"`+chat+`"}]`, 1)
			}
			// The design counts calls in a row only, and records blocked ones.
			if v.holds(t, i, text, len(s.Events), func(k int, g verdict) bool {
				e := s.Events[k]
				return g.Action == e.Verdict && g.Fired == (e.Verdict != "allow") && (e.Repeats == nil || same(g.Count, e.Repeats))
			}, func(k int) string { return fmt.Sprintf("%s count %s", s.Events[k].Verdict, show(s.Events[k].Repeats)) }) {
				differ++
			}
		}
	}
	if differ == 0 {
		t.Error("tool-call never differs from tool-call-shipped: it is not another reading")
	}
}

// In shadow nothing is stopped, whatever the profile does on tripping: counts
// are those of a plain recount, with --enforce too.
func TestShadowCountsPlainly(t *testing.T) {
	t.Parallel()
	type event struct{ T float64 }
	type sequence struct {
		Window   int `json:"window_seconds"`
		Cooldown int `json:"cooldown_seconds"`
		TTL      int `json:"ttl_seconds"`
		Events   []struct {
			event
			Name, Arguments, Signature string
		}
	}
	const threshold = 3
	f := func(file, profile, more string, plain func(s sequence, k int) int) {
		t.Helper()
		fired := 0
		for i, s := range fewer(rows[sequence](t, "vectors/"+file)) {
			var log strings.Builder
			for k, e := range s.Events {
				arguments, _ := json.Marshal(e.Arguments)
				fmt.Fprintf(&log, `{"time":%.6f,"id":"%d","session":"s","caller":"k","model":"m","method":"POST","path":"/v1/x","messages":[{"role":"user","content":"x"}],"tool_calls":[{"name":%q,"arguments":%s}]}`+"\n", e.T+1e9, k, e.Name, arguments)
			}
			got := verdicts(t, fmt.Sprintf("version: 1\nrules:\n  - {name: r, profile: %s, threshold: %d, action: record, counter: {window: %ds}%s}\n",
				profile, threshold, max(s.Window, s.TTL), strings.Replace(more, "%d", fmt.Sprint(s.Cooldown), 1)), log.String(), "--enforce")
			for k := range s.Events {
				want := plain(s, k)
				v := got[k]
				if v.Count == nil || *v.Count != want || v.Fired != (want >= threshold) || v.Action != "allow" {
					t.Errorf("%s: row %d, hit %d: count %s fired %t %s, want %d", profile, i, k, show(v.Count), v.Fired, v.Action, want)
					break
				}
				if v.Fired {
					fired++
				}
			}
		}
		if fired == 0 {
			t.Errorf("%s: nothing fired, so nothing was tried", profile)
		}
	}
	// A fixed window: the first hit opens it.
	fixed := func(s sequence, k int) int {
		opened, n := 0, 0
		for i := range s.Events[:k+1] {
			if n++; micros(s.Events[i].T-s.Events[opened].T) >= int64(s.Window)*1e6 {
				opened, n = i, 1
			}
		}
		return n
	}
	f("fairvisor_sequences.jsonl", "fairvisor", "", fixed)
	f("aisg_sequences.jsonl", "aisg-article", ", cooldown: %ds", fixed)
	f("aisg_sequences.jsonl", "aisg", ", cooldown: %ds", func(s sequence, k int) (n int) {
		for i := range s.Events[:k+1] {
			if micros(s.Events[k].T-s.Events[i].T) < int64(s.Window)*1e6 {
				n++
			}
		}
		return n
	})
	// The tracker with every call on record: how often a call was made among
	// the last hundred that are young enough.
	f("toolcall_tracker_sequences.jsonl", "tool-call-shipped", "", func(s sequence, k int) (n int) {
		n = 1
		for i := max(k-100, 0); i < k; i++ {
			if s.Events[i].Signature == s.Events[k].Signature && micros(s.Events[k].T-s.Events[i].T) <= int64(s.TTL)*1e6 {
				n++
			}
		}
		return n
	})
}

func micros(seconds float64) int64 { return int64(math.Round(seconds * 1e6)) }

// document is what the tests need of replay --json.
type document struct {
	Data struct {
		Lines, Judged, Blank, Malformed, Duplicate, Late, Excluded int
	}
	Rules []struct {
		Name  string
		Fired int
	}
	Episodes []struct {
		Rule    string
		Session string
		Scope   map[string]string
	}
}

func replayJSON(t *testing.T, args ...string) document {
	t.Helper()
	var d document
	unmarshal(t, loopgauge(t, "", append([]string{"replay", "--json"}, args...)...), &d)
	return d
}

// Real agents, labelled by a separate program: every session with four equal
// calls and results in a row is found, no session with at most two is flagged.
func TestTau2Labels(t *testing.T) {
	t.Parallel()
	type label struct {
		Session string
		Run     int `json:"run_same_call_and_result"`
	}
	d := replayJSON(t, filepath.Join(fixtures, "tau2/tau2_litellm.jsonl.zst"))
	if d.Data.Judged != 5381 {
		t.Errorf("judged %d of 5381 requests", d.Data.Judged)
	}
	flagged := map[string]string{}
	for _, e := range d.Episodes {
		flagged[e.Session] = e.Rule
	}
	loops := 0
	for _, l := range rows[label](t, "tau2/tau2_labels.jsonl") {
		rule, found := flagged[l.Session]
		switch {
		case l.Run >= 4:
			loops++
			if !found {
				t.Errorf("session %s: %d equal calls and results in a row, no episode", l.Session, l.Run)
			}
		case l.Run <= 2 && found:
			t.Errorf("session %s: %d equal calls and results in a row, flagged by %s", l.Session, l.Run, rule)
		}
	}
	if loops == 0 {
		t.Error("no labelled loop: the test shows nothing")
	}
}

// One traffic through a real LiteLLM proxy: the loops fire, the innocent
// scenarios do not.
func TestLiteLLMScenarios(t *testing.T) {
	d := replayJSON(t, filepath.Join(fixtures, "formats/litellm/litellm_callback.jsonl.zst"))
	fired := map[string]bool{}
	for _, e := range d.Episodes {
		scenario := strings.TrimPrefix(e.Session, "A-")
		scenario, _, _ = strings.Cut(scenario, "-")
		fired[strings.TrimRight(scenario, "0123456789")] = true
	}
	for _, want := range []string{"stuck", "streamstuck", "anth", "cycle", "retry", "outage"} {
		if !fired[want] {
			t.Errorf("%s: no episode", want)
		}
	}
	for _, calm := range []string{"healthy", "twin", "image", "progress", "probe"} {
		if fired[calm] {
			t.Errorf("%s: flagged", calm)
		}
	}
}

// The project's own scenarios: every loop named in them is found, every
// innocent repeat left alone.
func TestScenarios(t *testing.T) {
	t.Parallel()
	out := loopgauge(t, "", "test", filepath.Join(fixtures, "scenarios"))
	if last := "\n11 fixtures: 11 ok\n"; !strings.HasSuffix(out, last) {
		t.Errorf("the last line is not %q:\n%s", last, out)
	}
}
