package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// tuneJSON runs tune --json.
func tuneJSON(t *testing.T, args ...string) tune.Document {
	t.Helper()
	var d tune.Document
	unmarshal(t, loopgauge(t, "", append([]string{"tune", "--json"}, args...)...), &d)
	return d
}

// TestSweptProfiles: what any gateway counts is swept, in the scope in which it
// counts.
func TestSweptProfiles(t *testing.T) {
	swept, err := policy.FromProfiles(sweptProfiles)
	if err != nil {
		t.Fatal(err)
	}
	compared, err := gateways()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range compared {
		for _, rule := range g.Rules {
			if !slices.ContainsFunc(swept.Rules, rule.SameKey) {
				t.Errorf("%s: none of the profiles that tune sweeps counts what rule %s does, by %v", g.Name, rule.Name, rule.Scope.Fields)
			}
		}
	}
}

// The advice for real agents, without labels, finds every loop that the labels
// name and no session that they call calm; with them it says so.
func TestTuneAdvisesForRealAgents(t *testing.T) {
	t.Parallel()
	log := filepath.Join(fixtures, "tau2/tau2_litellm.jsonl.zst")
	labels := filepath.Join(fixtures, "tau2/tau2_labels.jsonl")
	runs := map[string]int{}
	for _, l := range rows[struct {
		Session string
		Loop    *bool
		Run     int `json:"run_same_call_and_result"`
	}](t, "tau2/tau2_labels.jsonl") {
		runs[l.Session] = l.Run
		if arguable := l.Run == 3; arguable != (l.Loop == nil) || !arguable && *l.Loop != (l.Run >= 4) {
			t.Errorf("session %s has %d equal calls and results in a row, and is labelled %v", l.Session, l.Run, l.Loop)
		}
	}

	d := tuneJSON(t, log)
	flagged := map[string]bool{}
	for _, e := range d.Episodes {
		flagged[*e.Session] = true
	}
	loops := 0
	for session, run := range runs {
		switch {
		case run >= 4:
			loops++
			if !flagged[session] {
				t.Errorf("session %s has %d equal calls and results in a row, and the advice misses it", session, run)
			}
		case run <= 2 && flagged[session]:
			t.Errorf("session %s has %d equal calls and results in a row, and the advice flags it", session, run)
		}
	}
	if loops == 0 {
		t.Fatal("no labelled loop: the test shows nothing")
	}

	labelled := tuneJSON(t, "--labels", labels, log)
	for i, a := range labelled.Advice {
		if d.Advice[i].Score != nil || a.Score == nil || a.Score.TruePositive+a.Score.FalseNegative != loops {
			t.Errorf("%s: %+v without labels, and with them %+v", a.Rule, d.Advice[i].Score, a.Score)
		}
		if a.Recommended && (a.Score.TruePositive != loops || a.Score.RecallLow <= 0.6 || a.Score.RecallHigh != 1) {
			t.Errorf("%s is recommended: %+v", a.Rule, a.Score)
		}
	}
	l := labelled.Labels
	if l.Recall == nil || *l.Recall != 1 || l.FalsePositive != 0 || l.TruePositive != loops || l.Unseen != 0 {
		t.Errorf("against the labels: %+v", l)
	}

	// A gateway that looks at no text stops the healthy.
	for _, p := range d.Profiles {
		switch p.Profile {
		case "loopgauge":
			if p.Missed > 1 || p.Wrong != 0 {
				t.Errorf("loopgauge as it is misses %d and stops %d normal conversations", p.Missed, p.Wrong)
			}
		case "fairvisor": // as documented it needs a body, which this log lacks
			if p.WrongShare < 0.5 {
				t.Errorf("%s stops %.0f %% of normal conversations", p.Profile, 100*p.WrongShare)
			}
		}
	}
}

// The same traffic through gateways: what each scenario is called.
func TestTuneTellsKindsApart(t *testing.T) {
	t.Parallel()
	want := map[string][]window.Kind{
		"stuck": {window.Stuck}, "streamstuck": {window.Stuck}, "anth": {window.Stuck}, "cycle": {window.Stuck},
		"retry": {window.Stuck, window.Retry}, "outage": {window.Outage, window.Retry},
	}
	for _, log := range []string{"litellm/litellm_callback.jsonl.zst", "litellm/generic_api.json_array.log", "nginx-json/nginx_json.log"} {
		d := tuneJSON(t, filepath.Join(fixtures, "formats", log))
		got := map[string][]window.Kind{}
		for _, e := range d.Episodes {
			if e.Session == nil {
				t.Fatalf("%s: an episode without a session", log)
			}
			s := scenarioOf(*e.Session)
			got[s] = append(got[s], e.Kind)
		}
		if strings.Contains(log, "array") && len(got) == 0 {
			continue // it holds only some scenarios
		}
		for scenario, kinds := range got {
			allowed, known := want[scenario]
			if !known {
				t.Errorf("%s: the advice flags %s as %s", log, scenario, kinds)
				continue
			}
			for _, k := range kinds {
				if !slices.Contains(allowed, k) {
					t.Errorf("%s: %s is called %s, want one of %s", log, scenario, k, allowed)
				}
			}
		}
		if !strings.Contains(log, "array") {
			for scenario := range want {
				if len(got[scenario]) == 0 {
					t.Errorf("%s: the advice misses %s", log, scenario)
				}
			}
		}
		for _, k := range d.Repeats {
			if k.Session == nil {
				continue
			}
			switch s := scenarioOf(*k.Session); {
			case s == "probe" && k.Kind != window.Probe,
				s == "progress" && k.Rule == "tool-call" && k.Kind != window.Polling, s == "poller" && k.Kind != window.Polling,
				(s == "healthy" || s == "image" || s == "twin") && k.Kind.IsLoop():
				t.Errorf("%s: %s by %s is called %s: %s", log, s, k.Rule, k.Kind, k.Evidence)
			}
		}
	}

	// Without bodies hardly anything can be known, and tune says so.
	d := tuneJSON(t, filepath.Join(fixtures, "formats/combined/nginx_combined.log"))
	polls := false
	for _, k := range d.Repeats {
		if k.Kind.IsLoop() {
			t.Errorf("combined: %s calls %s a loop: %s", k.Rule, k.Fingerprint, k.Evidence)
		}
		polls = polls || k.Kind == window.Polling
	}
	if !polls {
		t.Error("combined: the poller is not seen")
	}
}

// The same requests written twice, as by two loggers of one gateway: with ids
// they are judged once; without, they are called what they are and nothing is
// advised.
func TestTuneKnowsDoubleLogging(t *testing.T) {
	t.Parallel()
	log := filepath.Join(fixtures, "formats/nginx-json/nginx_json.log")
	text := read(t, log)
	dir := t.TempDir()
	var twice, bare []string
	ids := regexp.MustCompile(`"(x_)?request_id":"[^"]*",`)
	for _, name := range []string{"a.log", "b.log"} {
		for list, text := range map[*[]string]string{&twice: text, &bare: ids.ReplaceAllString(text, "")} {
			file := filepath.Join(dir, fmt.Sprintf("%d-%s", len(text), name))
			write(t, file, text)
			*list = append(*list, file)
		}
	}
	once := tuneJSON(t, log)
	d := tuneJSON(t, twice...)
	if d.Data.Duplicate != once.Data.Judged || !reflect.DeepEqual(d.Sweep, once.Sweep) {
		t.Errorf("with ids: %d duplicates of %d requests, or another sweep", d.Data.Duplicate, once.Data.Judged)
	}
	d = tuneJSON(t, bare...)
	if d.Data.Judged != 2*once.Data.Judged || len(d.Repeats) < 100 {
		t.Fatalf("without ids: %d requests, %d repeats", d.Data.Judged, len(d.Repeats))
	}
	for _, k := range d.Repeats {
		if k.Kind != window.DuplicateLogging {
			t.Errorf("without ids: %s calls %s %s: %s", k.Rule, k.Fingerprint, k.Kind, k.Evidence)
		}
	}
	if d.Policy != nil {
		t.Errorf("advised on the grounds of double logging:\n%s", *d.Policy)
	}
	if out := loopgauge(t, "", append([]string{"tune"}, bare...)...); !strings.Contains(out, "\nno loop found, as most of what repeats was logged twice\n") {
		t.Error(out)
	}
}

// Many sessions that begin with one prompt are a batch; parallel calls that are
// equal are not written twice; and who has no sessions cannot know.
func TestTuneKnowsBatches(t *testing.T) {
	t.Parallel()
	d := tuneJSON(t, filepath.Join(fixtures, "tau2/tau2_litellm.jsonl.zst"))
	batches := 0
	for _, k := range d.Repeats {
		switch k.Kind {
		case window.Batch:
			batches++
			if _, ok := k.Scope["session"]; ok || k.Scope["conversation"] != "" {
				t.Errorf("%s calls repeats of one session a batch: %s", k.Rule, k.Evidence)
			}
		case window.DuplicateLogging:
			t.Errorf("%s in %v: %s", k.Rule, k.Scope, k.Evidence)
		}
	}
	if batches < 100 {
		t.Errorf("%d batches", batches)
	}
	d = tuneJSON(t, filepath.Join(fixtures, "mooncake/mooncake_conversation.jsonl.zst"))
	if want := map[window.Kind]int{window.Unknown: len(d.Repeats)}; !reflect.DeepEqual(d.Data.Kinds, want) {
		t.Errorf("without sessions: %v", d.Data.Kinds)
	}
}

func scenarioOf(session string) string {
	scenario, _, _ := strings.Cut(strings.TrimPrefix(session, "A-"), "-")
	return strings.TrimRight(scenario, "0123456789")
}

// A production hour without loops: prompts that come two, three and four times.
func TestTuneMooncake(t *testing.T) {
	t.Parallel()
	d := tuneJSON(t, filepath.Join(fixtures, "mooncake/mooncake_conversation.jsonl.zst"))
	episodes := map[int]int64{}
	for _, c := range d.Sweep {
		if c.Rule == "same-messages" && c.Kind == "sliding" && c.WindowSeconds == 60 {
			episodes[c.Threshold] = c.Episodes
		}
	}
	for threshold, want := range map[int]int64{2: 40, 3: 5, 4: 1, 5: 0} {
		if episodes[threshold] != want {
			t.Errorf("%d prompts come %d times within a minute, want %d", episodes[threshold], threshold, want)
		}
	}
	for _, a := range d.Advice {
		if a.Threshold != nil && *a.Threshold < 5 {
			t.Errorf("%s: advised to alert at %d", a.Rule, *a.Threshold)
		}
	}
}

// Every count of the sweep is DuckDB's, for the same fingerprints.
func TestSweepAgreesWithDuckDB(t *testing.T) {
	t.Parallel()
	python := pythonOf(t)
	log := filepath.Join(fixtures, "tau2/tau2_litellm.jsonl.zst")
	dir := t.TempDir()
	policy := policyFile(t, `version: 1
rules:
  - {name: texts, identity: aisg, scope: [], counter: {kind: sliding, window: 1m}, threshold: 6, action: warn}
  - {name: calls, identity: tool-call, scope: [session], counter: {kind: sliding, window: 1m}, threshold: 6, action: warn}
`)
	events := filepath.Join(dir, "dataset")
	loopgauge(t, "", "replay", "--quiet", "--policy", policy, "--out", events, log)
	doc := filepath.Join(dir, "tune.json")
	write(t, doc, loopgauge(t, "", "tune", "--json", "--policy", policy, log))
	out, err := exec.Command(python, "testdata/duckdb_sweep.py", events, doc).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "equal") {
		t.Errorf("the comparison says: %s", out)
	}
}

// What tune prints is the whole of the rules it was given but for their setting,
// and for what a gateway does on tripping, as they warn: it loads, and judges as
// they do.
func TestPrintedPolicy(t *testing.T) {
	t.Parallel()
	log := filepath.Join(fixtures, "tau2/agents.jsonl.zst")
	// own writes the rules with their settings: counter, threshold and action.
	own := func(calls, steps string) string {
		return `version: 1
event_time: start
duplicates: 5m
lateness: 1m
rules:
  - name: "yes: calls"
    identity: [tool_call, last_turn]
    mask: [numbers, uuids]
    scope: [session, model]
    ` + calls + `
    match: 'model != "x, {y}: \"z\"" && !session.startsWith("9")'
    overrides:
      - {match: 'session.startsWith("a")', threshold: 6, reason: "why, {not}"}
      - {match: 'session.startsWith("b")', enabled: false, until: 2027-01-01}
  - name: steps
    profile: loopgauge/last-messages
    scope: [session]
    cooldown: 5s
    ` + steps + `
exclude:
  - {name: "quota, probes", match: 'max_tokens == 1 || session == "c"'}
prices: {"m:x": {input: 2, output: 0.0000008}}
`
	}
	given := policyFile(t, own("counter: {kind: streak, window: 10m, closed: true}\n    threshold: 5", "threshold: 7"))
	d := tuneJSON(t, "--policy", given, log)
	settings := map[string]string{}
	text := "version: 1\nevent_time: start\nduplicates: 5m\nlateness: 1m\nrules:\n"
	for _, a := range d.Advice {
		if a.Policy == nil {
			t.Fatalf("%s is not advised: the test shows nothing", a.Rule)
		}
		closed := ""
		if a.Rule != "steps" {
			closed = ", closed: true"
		}
		settings[a.Rule] = fmt.Sprintf("counter: {kind: %s, window: %gs%s}\n    threshold: %d\n    action: warn", *a.Kind, *a.WindowSeconds, closed, *a.Threshold)
		text += *a.Policy
	}
	text += "exclude: [{name: x, match: 'max_tokens == 1 || session == \"c\"'}]\n"
	verdicts := func(policy string) string {
		t.Helper()
		return loopgauge(t, "", "replay", "--quiet", "--verdicts", "-", "--policy", policyFile(t, policy), log)
	}
	want := verdicts(strings.ReplaceAll(own(settings["yes: calls"], settings["steps"]), "    cooldown: 5s\n", ""))
	if !strings.Contains(want, `"fired":true`) {
		t.Fatal("nothing fires: the test shows nothing")
	}
	if got := verdicts(text); got != want {
		t.Errorf("by the rules of the advice other verdicts come out:\n%s", text)
	}
	if d.Policy == nil {
		t.Fatal("nothing is recommended: the test shows nothing")
	}
	printed := *d.Policy
	for _, part := range []string{"event_time: start\n", "duplicates: 5m\n", "lateness: 1m\n", "  - {name: 'quota, probes', match: 'max_tokens == 1 || session == \"c\"'}\n", "prices:\n  'm:x': {input: 2, output: 0.0000008}\n"} {
		if !strings.Contains(printed, part) {
			t.Errorf("%q is not in\n%s", part, printed)
		}
	}
	loopgauge(t, "", "policy", "check", policyFile(t, printed))
	shown := loopgauge(t, "", "tune", "--policy", given, log)
	_, next, ok := strings.Cut(shown, "\n\n"+printed)
	if !ok || !strings.HasPrefix(next, "\n# next: ") {
		t.Fatalf("the terminal does not end with the policy, and what to do next:\n%s\n%s", shown, printed)
	}
	loopgauge(t, "", "policy", "check", policyFile(t, printed+next)) // to the end is copied easily
	shown = loopgauge(t, "", "tune", "--policy", given, "--html", filepath.Join(t.TempDir(), "page.html"), log)
	if _, paged, _ := strings.Cut(shown, "\n\n"+printed); !strings.Contains(next, "--html") || paged != deleteLine(next, "--html") {
		t.Errorf("with the page made, what is next is\n%s\nwhich was\n%s", paged, next)
	}
}

// deleteLine is a text without the lines that hold something.
func deleteLine(text, with string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, with) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func TestTuneDocument(t *testing.T) {
	wantNames(t, "tune --json", column(docTable(t, "tune.md", "## The document of --json", "field")), fieldPaths(reflect.TypeFor[tune.Document](), ""))
	wantNames(t, "kinds", column(docTable(t, "tune.md", "## What kind of repeat it is", "kind")), names(window.Kinds, func(k window.Kind) string { return string(k) }))
}

// TestStopped: what a gateway does on tripping is simulated where it can be, at
// the gateway's own setting as the gateway does, and null where it cannot.
func TestStopped(t *testing.T) {
	t.Parallel()
	log := filepath.Join(fixtures, "tau2/agents.jsonl.zst")
	fired := map[string]int64{}
	for _, p := range tuneJSON(t, log).Profiles {
		fired[p.Profile] = p.Requests
	}
	f := func(profile, kind, within string, threshold int, want func(c *tune.DocumentCell) bool) {
		t.Helper()
		some := false
		for _, c := range tuneJSON(t, "--profile", profile, "--window", within, log).Sweep {
			if c.Kind == kind && c.Threshold == threshold {
				if some = true; !want(&c) {
					t.Errorf("%s, %s at %d: %+v", profile, kind, threshold, c)
				}
			}
		}
		if !some {
			t.Errorf("%s: no cell %s at %d", profile, kind, threshold)
		}
	}
	is := func(profile string) func(c *tune.DocumentCell) bool {
		return func(c *tune.DocumentCell) bool {
			return fired[profile] > 0 && c.Stopped != nil && *c.Stopped == fired[profile]
		}
	}
	null := func(c *tune.DocumentCell) bool { return c.Stopped == nil }
	f("aisg", "sliding", "1m", 6, is("aisg"))
	f("aisg", "streak", "1m", 2, null)
	f("aisg-article", "fixed", "1m", 6, is("aisg-article"))
	f("tool-call-shipped", "streak", "1m", 2, null)
	f("tool-call-shipped", "tracker", "2m", 4, is("tool-call-shipped"))
	f("zelyx", "sliding", "1m", 6, func(c *tune.DocumentCell) bool { return c.Stopped != nil && *c.Stopped == c.Requests })
}

// A loop of more requests than are kept one by one has used what all of them
// used, and sums of money have no tails.
func TestSpendingOfLongLoops(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, `{"time":%.3f,"id":"r%d","session":"s","caller":"k","model":"m","status":200,"tokens_in":10,"cost":0.1,"messages":[{"role":"user","content":"hi"}]}`+"\n", 1700000000+2*float64(i)+float64(i*i%7)/10, i)
	}
	episodes := tuneDocument(t, b.String()).Episodes
	if len(episodes) != 1 {
		t.Fatalf("%d episodes", len(episodes))
	}
	for _, e := range episodes {
		if after := e.RequestsAfter; after < 390 || e.TokensAfter != 10*after || e.CostAfter != float64(after)/10 {
			t.Errorf("%s: %d requests after, %d tokens, %v USD", e.Rule, after, e.TokensAfter, e.CostAfter)
		}
	}
}
