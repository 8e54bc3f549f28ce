package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/loopgauge/loopgauge/window"
)

func parse(tb testing.TB, text string) *Policy {
	tb.Helper()
	p, err := Parse("policy.yaml", []byte(text))
	if err != nil {
		tb.Fatalf("%v\n%s", err, text)
	}
	return p
}

// fields are a rule in one line.
func fields(r *window.Rule) string {
	c := r.Counter
	text := fmt.Sprintf("%s of %s by %v, %s %v", r.Name, r.Identity.Name, r.Scope.Fields, c.Kind, c.Window)
	add := func(when bool, format string, args ...any) {
		if when {
			text += " " + fmt.Sprintf(format, args...)
		}
	}
	add(c.Closed, "closed")
	add(c.Period > 0, "period %d", c.Period)
	text += fmt.Sprintf(", %d: %s", r.Threshold, r.Action)
	add(r.Cooldown > 0, "cooldown %v", r.Cooldown)
	add(r.SkipInCooldown, "uncounted")
	add(r.SkipBlocked, "unrecorded")
	add(r.ResetOnFire, "reset")
	add(r.Quiet > 0, "quiet %v", r.Quiet)
	add(r.Match != nil, "match")
	for _, o := range r.Overrides {
		text += " ["
		add(o.Match != nil, "match")
		add(o.Threshold > 0, "%d", o.Threshold)
		add(o.Action != "", "%s", o.Action)
		add(o.Disabled, "disabled")
		add(!o.Until.IsZero(), "until %s", o.Until.Format(time.RFC3339))
		add(o.Reason != "", "%q", o.Reason)
		text += " ]"
	}
	return text
}

func all(p *Policy) string {
	var lines []string
	for _, r := range p.Rules {
		lines = append(lines, fields(r))
	}
	return strings.Join(lines, "\n")
}

func TestProfiles(t *testing.T) {
	want := map[string]string{
		"aisg":                 "aisg of aisg by [], sliding 1m0s, 6: reject cooldown 30s uncounted",
		"aisg-article":         "aisg-article of aisg by [], fixed 1m0s closed, 6: reject cooldown 30s uncounted",
		"fairvisor":            "fairvisor of fairvisor by [], fixed 1m0s, 10: reject",
		"fairvisor-documented": "fairvisor-documented of fairvisor by [], refresh 1m0s, 10: reject",
		"cline": `cline-soft of tool-call by [session], streak 0s, 3: warn
cline-hard of tool-call by [session], streak 0s, 5: break`,
		"gemini-cli":             "gemini-cli of tool-call by [session], cycle 0s, 5: break",
		"litellm-max-iterations": "litellm-max-iterations of session by [session], fixed 1h0m0s closed, 26: reject",
		"node9":                  "node9 of tool-call by [caller], sliding 2m0s closed, 5: break",
		"obsidian-gemini":        "obsidian-gemini of tool-call by [session], sliding 30s, 4: break unrecorded",
		"opencode":               "opencode of tool-call by [session], streak 0s, 3: break",
		"openhands":              "openhands of tool-call-result by [session], streak 0s, 4: break",
		"roo-code":               "roo-code of tool-call by [session], streak 0s, 4: break reset",
		"loopgauge": `tool-call-result of tool-call-result by [conversation], cycle 10m0s, 4: warn
stuck-step of stuck-step by [conversation], streak 10m0s, 3: warn
last-exchange of last-exchange by [conversation], cycle 10m0s, 3: warn [ match disabled "probes repeat on purpose" ]
last-messages of last-messages by [conversation], sliding 1m0s, 4: warn [ match disabled "probes repeat on purpose" ]`,
		"tool-call":         "tool-call of tool-call-python by [session], streak 2m0s closed, 4: break",
		"tool-call-shipped": "tool-call-shipped of tool-call-python by [session], tracker 2m0s, 4: break",
		"zelyx":             `zelyx of session-model-tools by [caller], sliding 1m0s, 10: warn [ match 100 "calls without a session" ]`,
	}
	files, err := os.ReadDir("profiles")
	if err != nil || len(files) != len(want) {
		t.Errorf("%d profiles, want %d; %v", len(files), len(want), err)
	}
	for _, p := range Profiles() {
		got, err := FromProfiles([]string{p.Name})
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		if all(got) != want[p.Name] {
			t.Errorf("%s:\n%s\nwant:\n%s", p.Name, all(got), want[p.Name])
		}
		for _, r := range got.Rules {
			if r.Profile != p.Name {
				t.Errorf("%s: rule %s is of profile %q", p.Name, r.Name, r.Profile)
			}
		}
		if p.Title == "" || p.Reading == "" || p.Kind == "" || p.Source == "" || p.Notes == "" {
			t.Errorf("%s: needs a title, a reading, a source and notes", p.Name)
		}
	}
}

func TestFromProfiles(t *testing.T) {
	p, err := FromProfiles([]string{"fairvisor", "aisg", "fairvisor", "loopgauge/stuck-step"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range p.Rules {
		names = append(names, r.Name)
	}
	if got, want := strings.Join(names, " "), "fairvisor aisg fairvisor/fairvisor stuck-step"; got != want {
		t.Errorf("rules %s, want %s", got, want)
	}
	if p.LatenessSet || p.Lateness != 10*time.Second || p.Duplicates != 10*time.Minute || p.EventTime != End {
		t.Errorf("lateness %v %v, duplicates %v, event time %v", p.LatenessSet, p.Lateness, p.Duplicates, p.EventTime)
	}
	f := func(name, want string) {
		t.Helper()
		if _, err := FromProfiles([]string{name}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	f("fairvizor", `--profile: no profile is called "fairvizor"; did you mean fairvisor?`)
	f("loopgauge/stuckstep", `--profile: profile "loopgauge" has no rule "stuckstep"; did you mean stuck-step?`)
}

// A rule over a profile changes what it names, and nothing else.
func TestRuleOverProfile(t *testing.T) {
	f := func(rule, want string) {
		t.Helper()
		if got := all(parse(t, "version: 1\nrules: [{name: a, "+rule+"}]\n")); got != "a of "+want {
			t.Errorf("%s:\n%s\nwant:\na of %s", rule, got, want)
		}
	}
	f("profile: fairvisor", "fairvisor by [], fixed 1m0s, 10: reject")
	f("profile: fairvisor, counter: {window: 4s}", "fairvisor by [], fixed 4s, 10: reject")
	f("counter: {window: 4s}, profile: fairvisor", "fairvisor by [], fixed 4s, 10: reject")
	f("profile: fairvisor, counter: {kind: sliding}", "fairvisor by [], sliding 1m0s, 10: reject")
	f("profile: fairvisor, threshold: 4, action: warn", "fairvisor by [], fixed 1m0s, 4: warn")
	f("profile: fairvisor, scope: [caller]", "fairvisor by [caller], fixed 1m0s, 10: reject")
	f("profile: fairvisor, identity: prompt, body_hash: use", "prompt by [], fixed 1m0s, 10: reject")
	f("profile: aisg, cooldown: 5m", "aisg by [], sliding 1m0s, 6: reject cooldown 5m0s uncounted")
	f("profile: aisg, cooldown: 0s", "aisg by [], sliding 1m0s, 6: reject")
	f("profile: aisg-article, threshold: 1", "aisg by [], fixed 1m0s closed, 1: reject cooldown 30s uncounted")
	f("profile: tool-call, counter: {closed: false}", "tool-call-python by [session], streak 2m0s, 4: break")
	f("profile: tool-call-shipped, action: chance_then_break", "tool-call-python by [session], tracker 2m0s, 4: chance_then_break")
	f("profile: zelyx, overrides: []", "session-model-tools by [caller], sliding 1m0s, 10: warn")
	f(`profile: zelyx, scope: ["attr:company"]`, `session-model-tools by [attr:company], sliding 1m0s, 10: warn [ match 100 "calls without a session" ]`)
	f("profile: loopgauge/stuck-step", "stuck-step by [conversation], streak 10m0s, 3: warn")
	f("profile: loopgauge/last-messages, quiet: 5m", `last-messages by [conversation], sliding 1m0s, 4: warn quiet 5m0s [ match disabled "probes repeat on purpose" ]`)
}

const example = `# yaml-language-server: $schema=./loopgauge.schema.json
version: 1
lateness: 10s
event_time: end
rules:
  - name: stuck-tool-call
    identity: tool-call-result
    scope: [session]
    counter: {kind: streak, window: 10m}
    threshold: 4
    action: warn
    match: 'path.startsWith("/v1/")'           # CEL over the request's fields
    overrides:                                   # first match wins; may not change identity, scope or counter
      - {match: 'model == "gpt-oss-120b"', threshold: 6}
      - {match: 'session.startsWith("batch-")', enabled: false, until: 2026-12-01, reason: nightly batch}
  - name: as-fairvisor
    profile: fairvisor
    threshold: 4
exclude:
  - {name: quota probes, match: 'max_tokens == 1'}
prices: {gpt-4.1: {input: 2.0, output: 8.0}}     # USD per million tokens, where the log has no cost
sinks:
  - slack: {channel: "#agents", token: "${SLACK_TOKEN}"}
`

// full says everything that a policy can say.
const full = `version: 1
lateness: 1m30s
event_time: start
duplicates: 0s
rules:
  - name: "1"
    identity: ["last_messages:2", model, "attr:header:x-team"]
    mask: [numbers, uuids]
    normalize: lower
    scope: [user, "attr:jwt:org"]
    counter: {kind: cycle, window: 1d, closed: true, period: 3}
    threshold: 2
    cooldown: 90s
    cooldown_counts: false
    blocked_counts: false
    reset_on_fire: true
    quiet: 1h
    action: throttle
    match: |
      status == 200 &&
        path != "/a # b"
    overrides:
      - {until: 2026-12-01T08:00:00+01:00, action: record}
      - {match: 'true', enabled: false}
  - {name: "yes", enabled: false, profile: fairvisor, limit_keys: [a, "b: c"], body_hash: use}
  - {name: t, profile: tool-call-shipped, threshold: 3}
  - {name: one, profile: aisg-article, threshold: 1, cooldown: 0s}
exclude: [{name: 'a "b"', match: cached}]
prices: {"a: b": {input: 0.000001}, "7": {input: 2, output: 1e3}}
kafka:
  group: gateway-loops
  start: 2026-11-21T10:00:00Z
  session_timeout: 1m
  tls: {ca: ca.pem, cert: client.pem, key: client.key, server_name: kafka.test}
  sasl: {mechanism: scram-sha-512, user: loopgauge, password: "${KAFKA_PASSWORD}"}
`

// The ends of what brokers take belong to it.
func TestSessionTimeout(t *testing.T) {
	for _, timeout := range []string{"6s", "30m"} {
		parse(t, "version: 1\nrules: [{name: a, profile: fairvisor}]\nkafka: {session_timeout: "+timeout+"}\n")
	}
}

func TestEveryField(t *testing.T) {
	p := parse(t, full)
	want := `1 of model+last_messages:2+attr:header:x-team by [user attr:jwt:org], cycle 24h0m0s closed period 3, 2: throttle cooldown 1m30s uncounted unrecorded reset quiet 1h0m0s match [ record until 2026-12-01T07:00:00Z ] [ match disabled ]
t of tool-call-python by [session], tracker 2m0s, 3: break
one of aisg by [], fixed 1m0s closed, 1: reject`
	if got := all(p); got != want {
		t.Errorf("rules:\n%s\nwant:\n%s", got, want)
	}
	if p.Lateness != 90*time.Second || !p.LatenessSet || p.EventTime != Start || p.Duplicates != 0 {
		t.Errorf("lateness %v %v, event time %s, duplicates %v", p.Lateness, p.LatenessSet, p.EventTime, p.Duplicates)
	}
	if len(p.Exclude) != 1 || p.Exclude[0].Name != `a "b"` || p.Exclude[0].Match == nil {
		t.Errorf("exclude %v", p.Exclude)
	}
	price, ok := p.Price("a: b")
	in, out := price.Input, price.Output
	if in != 0.000001 || out != 0 || !ok {
		t.Errorf("price %v, %v, %v", in, out, ok)
	}
	k := p.Kafka
	if k.Group != "gateway-loops" || k.Start != "2026-11-21T10:00:00Z" || k.Session != time.Minute ||
		*k.TLS != (KafkaTLS{"ca.pem", "client.pem", "client.key", "kafka.test"}) ||
		*k.SASL != (KafkaSASL{"scram-sha-512", "loopgauge", Secret{Env: "KAFKA_PASSWORD"}}) {
		t.Errorf("kafka %+v, %+v, %+v", k, k.TLS, k.SASL)
	}
	if price, _ := p.Price("7"); price.Input != 2 || price.Output != 1000 {
		t.Errorf("price %v", price)
	}
	if _, ok := p.Price("c"); ok {
		t.Error("a price of a model without one")
	}
	if got := parse(t, example).Sinks; len(got) != 1 || got[0].Kind != "slack" || got[0].Name != "slack" || got[0].Settings["channel"] != "#agents" {
		t.Errorf("sinks %v", got)
	}
}

// policies are texts that Parse accepts.
func policies(tb testing.TB) map[string]string {
	tb.Helper()
	list := map[string]string{
		"example": example, "full": full,
		"latest": "version: 1\nkafka: {start: latest}\nrules: [{name: a, profile: aisg}]\n",
	}
	for _, p := range Profiles() {
		for _, rule := range p.rules {
			name := p.Name + "/" + rule.name
			list[name] = "version: 1\nrules:\n  - name: a\n    profile: " + name + "\n"
		}
	}
	list["bench"] = string(read(tb, filepath.Join("..", "..", "scripts", "bench", "policy.yaml")))
	return list
}

// The source is a policy that means the same, and is its own source.
func TestSource(t *testing.T) {
	for name, text := range policies(t) {
		p := parse(t, text)
		again := parse(t, string(p.Source))
		if string(again.Source) != string(p.Source) || again.Hash != p.Hash {
			t.Errorf("%s: source\n%s\nhas source\n%s", name, p.Source, again.Source)
		}
		if all(again) != all(p) {
			t.Errorf("%s:\n%s\nfrom its source:\n%s", name, all(p), all(again))
		}
		if strings.Contains(string(p.Source), "SLACK_TOKEN") {
			t.Errorf("%s: its source has settings of sinks", name)
		}
	}
}

// The hash is of what a policy means. A changed one means that the language of
// sources changed, and runs can no longer be told apart by it.
func TestHash(t *testing.T) {
	p := parse(t, "version: 1\nrules:\n  - {name: a, profile: fairvisor}\n")
	const want = "b1f9a5be0a3c9f8707835959d7ee95280cbf7fbfa708b740ee6aebff6e76245e"
	if p.Hash != want {
		t.Errorf("hash %s, want %s, of\n%s", p.Hash, want, p.Source)
	}
	same := func(text string) {
		t.Helper()
		if got := parse(t, text).Hash; got != p.Hash {
			t.Errorf("another hash: %s", text)
		}
	}
	other := func(text string) {
		t.Helper()
		if got := parse(t, text).Hash; got == p.Hash {
			t.Errorf("the same hash: %s", text)
		}
	}
	same("# what it is for\nrules: [{profile: fairvisor, name: 'a'}] # there\n\nversion: 1\n")
	same("version: 1\nevent_time: end\nduplicates: 600s\nrules: [{profile: fairvisor, name: a, counter: {window: 60000ms}, enabled: true}]\nsinks: [{log: }]\n")
	same("version: 1\nsession: [log]\nrules: [{profile: fairvisor, name: a}]\n")
	other("version: 1\nrules: [{profile: fairvisor, name: b}]\n")
	other("version: 1\nrules: [{profile: fairvisor, name: a, counter: {window: 61s}}]\n")
	other("version: 1\nrules: [{profile: fairvisor, name: a, enabled: true}, {profile: fairvisor, name: b, enabled: false}]\n")
	other("version: 1\nlateness: 10s\nrules: [{profile: fairvisor, name: a}]\n")
	other("version: 1\nprices: {m: {input: 1}}\nrules: [{profile: fairvisor, name: a}]\n")
	other("version: 1\nrules: [{profile: fairvisor, name: a, quiet: 1m}]\n") // though it is what holds

	p = parse(t, "version: 1\nprices: {m: {input: 1}, n: {input: 2}}\nrules: [{profile: fairvisor, name: a}]\n")
	same("version: 1\nprices: {n: {input: 2}, m: {input: 1}}\nrules: [{profile: fairvisor, name: a}]\n")
	p = parse(t, "version: 1\nrules: [{profile: fairvisor, name: a, limit_keys: [a, b], match: status == 1}]\n")
	other("version: 1\nrules: [{profile: fairvisor, name: a, limit_keys: [b, a], match: status == 1}]\n")
	other("version: 1\nrules: [{profile: fairvisor, name: a, limit_keys: [a, b], match: status==1}]\n")
	p = parse(t, "version: 1\nrules: [{profile: fairvisor, name: a, counter: {kind: cycle}}]\n")
	same("version: 1\nrules: [{profile: fairvisor, name: a, counter: {kind: cycle, period: 5}}]\n")
	other("version: 1\nrules: [{profile: fairvisor, name: a, counter: {kind: cycle, period: 6}}]\n")
	p = parse(t, "version: 1\nrules: [{profile: fairvisor, name: a, counter: {window: 36h}}]\n")
	same("version: 1\nrules: [{profile: fairvisor, name: a, counter: {window: 1d12h}}]\n")
	until := func(t string) string {
		return "version: 1\nrules: [{profile: fairvisor, name: a, overrides: [{match: has_tools, threshold: 3, until: " + t + "}]}]\n"
	}
	p = parse(t, until("2026-12-01"))
	same(until("2026-12-01T01:00:00+01:00"))
	other(until("2026-12-01T00:00:00.5Z"))
}

// A colon in a list inside braces begins no mapping but before a blank, as
// anywhere.
func TestColonInBraces(t *testing.T) {
	rule := func(list string) string {
		return "version: 1\nrules: [{name: a, profile: fairvisor, scope: [session, " + list + "], threshold: 3}]\n"
	}
	for _, list := range []string{"attr:host", "attr:header:x", "attr:0x1F", "attr:a b", "attr:true"} {
		if got, want := parse(t, rule(list)).Hash, parse(t, rule(strconv.Quote(list))).Hash; got != want {
			t.Errorf("%s is not what it is in quotes", list)
		}
	}
	f := func(list, want string) {
		t.Helper()
		if _, err := Parse("policy.yaml", []byte(rule(list))); err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", list, err, want)
		}
	}
	const mapping = "policy.yaml:2:56: rules[0].scope[1]: must be a text, is a mapping"
	for _, list := range []string{"attr: host", `attr:"host"`, `"attr":host`, "attr:[host]", "{attr:host}"} {
		f(list, mapping)
	}
	f("atr:host", `policy.yaml:2:56: rules[0].scope[1]: no request field is called "atr:host"; there are session, conversation, caller, user, model, backend, method, path, attr:NAME`)
}

// What lacks quotes is no YAML, or other YAML; the message says what is missing.
func TestQuotesWanted(t *testing.T) {
	f := func(lines, want string) {
		t.Helper()
		if _, err := Parse("policy.yaml", []byte("version: 1\n"+lines+"\n")); err == nil || err.Error() != "policy.yaml:"+want {
			t.Errorf("%s: %v\nwant policy.yaml:%s", lines, err, want)
		}
	}
	const inside = "not YAML: ',' or '}' must be specified"
	f("prices: {qwen2.5:7b: {input: 1}}", "2:22: "+inside+`; inside braces a name with a colon in it wants quotes: "qwen2.5:7b"`)
	f("prices: {é: {input: 1}, a/b:c:d : {input: 1}}", "2:35: "+inside+`; inside braces a name with a colon in it wants quotes: "a/b:c:d"`)
	f(`prices: {"a:b": {input: 1} c: {input: 1}}`, "2:28: "+inside)
	condition := func(text, want string) {
		t.Helper()
		f("rules:\n  - profile: aisg\n    match: "+text, want)
	}
	const hint = "; put the condition in single quotes: match: '...'"
	condition(`"header:x" in attributes`, "4:23: not YAML: value is not allowed in this context. map key-value is pre-defined"+hint)
	condition(`attributes["a"] == "b: c"`, "4:12: not YAML: mapping value is not allowed in this context"+hint)
	condition(`stream ? cached : false`, "4:12: not YAML: mapping value is not allowed in this context"+hint)
	condition(`'"header:x" in attributes' && stream`, "4:39: not YAML: value is not allowed in this context. map key-value is pre-defined")
	condition(`!stream`, "4:12: there must be no tags: a text that begins with ! wants quotes")

	// What the library takes, and YAML does not.
	f("rules:\n  - name: %pc", "3:11: a text that begins with % wants quotes")
	f("rules:\n  - {name: %pc}", "3:12: a text that begins with % wants quotes")
	f("rules:\n  - name: }", "3:11: a text that begins with } wants quotes")
	f("rules:\n  - {profile: aisg, name: a: b}", "3:27: a text with a colon at the end of a word wants quotes")
	f("rules:\n  - {profile: aisg, name: b:}", "3:27: a text with a colon at the end of a word wants quotes")
	for _, name := range []string{`"%pc"`, "'a: b'", "a%:b", "{name: 'a: b'}", "|\n      %a: b", ">\n      }: b"} {
		if problems := NewStrict("a.yaml", []byte("name: "+name+"\n"), "", "", "").Err(); problems != nil {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

func TestFormat(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		got, err := Format("policy.yaml", []byte(text))
		if err != nil || string(got) != want {
			t.Errorf("%s\nis formatted, %v:\n%s\nwant:\n%s", text, err, got, want)
		}
	}
	f("version:   1\nrules:\n- name: a # why\n  profile:    'fairvisor'\n", "version: 1\nrules:\n  - name: a # why\n    profile: fairvisor\n")
	f("# head\nversion: 1\n# before\nrules: [{name: a, profile: fairvisor}]\n# end\n", "# head\nversion: 1\n# before\nrules:\n  - name: a\n    profile: fairvisor\n# end\n")
	// What stands around the marks of a document the library loses.
	f("# head\n---\nversion: 1\nrules:\n  - name: a\n    profile: aisg\n...\n# end\n", "# head\nversion: 1\nrules:\n  - name: a\n    profile: aisg\n# end\n")
	f("# head\r\n--- # more\r\nversion: 1\r\nrules:\r\n- name: a\r\n  profile: aisg\r\n", "# head\n# more\nversion: 1\nrules:\n  - name: a\n    profile: aisg\n")
	f("--- {version: 1, rules: [{name: a, profile: aisg}]}\n", "version: 1\nrules:\n  - name: a\n    profile: aisg\n")
	// Lines of Windows are folded as all are.
	f("version: 1\r\nrules:\r\n- name: \"a\r\n    b\"\r\n  profile: aisg\r\n  match: |\r\n    stream &&\r\n    cached\r\n", "version: 1\nrules:\n  - name: a b\n    profile: aisg\n    match: |\n      stream &&\n      cached\n")
	// What stands behind a closing brace the library writes where it loses it, and
	// it takes a colon in a list inside braces for one of a mapping.
	f("version: 1\nrules:\n- name: a\n  profile: aisg\n  overrides:\n  - {match: stream, threshold: 3} # x\n  - {match: cached, threshold: 4} # y\n",
		"version: 1\nrules:\n  - name: a\n    profile: aisg\n    overrides:\n      # x\n      - match: stream\n        threshold: 3\n      # y\n      - match: cached\n        threshold: 4\n")
	f("version: 1\nrules:\n- {name: a, profile: aisg} # why\n", "version: 1\nrules:\n  # why\n  - name: a\n    profile: aisg\n")
	f("version: 1\nrules:\n- {name: a, profile: aisg, scope: [session, attr:header:x]}\n", "version: 1\nrules:\n  - name: a\n    profile: aisg\n    scope:\n      - session\n      - attr:header:x\n")
	// What the library would write as it does not read it, and what a terminal obeys.
	for _, name := range []string{`"a\tb"`, `"a\rb"`, `" a\nb"`, `"\n"`, `"a \nb"`, `"a\nb "`, `"\e[1mb"`, `"\u202eb"`, `"\0"`, `"\u0085"`, `"\U000E0001'\"\\"`} {
		var v string
		if err := yaml.Unmarshal([]byte(name), &v); err != nil {
			t.Fatal(err)
		}
		f("version: 1\nrules:\n- name: "+name+" # why\n  profile: aisg\n", "version: 1\nrules:\n  - name: "+strconv.Quote(v)+" # why\n    profile: aisg\n")
	}
	f("version: 1\nrules:\n  - name: \"a\\n  b\"\n    profile: aisg\n", "version: 1\nrules:\n  - name: |-\n      a\n        b\n    profile: aisg\n")
	if got, err := Format("policy.yaml", []byte("version: 1\nprices: {\"a\\tb\": {input_per_token: 1, output_per_token: 1}}\n")); err == nil || !strings.Contains(err.Error(), "not formatted") || !strings.Contains(err.Error(), "at prices") {
		t.Errorf("%v:\n%q", err, got)
	}
	for name, text := range policies(t) {
		once, err := Format(name, []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		twice, err := Format(name, once)
		if err != nil || string(twice) != string(once) {
			t.Errorf("%s: once\n%s\ntwice, %v\n%s", name, once, err, twice)
		}
		if got, want := parse(t, string(once)).Hash, parse(t, text).Hash; got != want {
			t.Errorf("%s means another thing once formatted:\n%s", name, once)
		}
		if got, want := strings.Count(string(once), "#"), strings.Count(text, "#"); got != want {
			t.Errorf("%s: %d comments of %d left:\n%s", name, got, want, once)
		}
	}
	for text, want := range map[string]string{
		"version: 1\nrules: [ # why\n  {name: a, profile: aisg}]\n":                       "2:10",
		"version: 1\nrules:\n- {name: a,\n   # why\n   profile: aisg}\n":                  "4:4",
		"version: 1\nrules:\n- name: a\n  profile: aisg\n  match: | # why\n    stream\n":  "5:10",
		"version: 1\nrules:\n- name: a\n  profile: aisg\n  match: >- # why\n    stream\n": "5:10",
	} {
		got, err := Format("policy.yaml", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), "policy.yaml:"+want+": not ") {
			t.Errorf("%s\nis formatted, %v:\n%s\nwant an error at %s", text, err, got, want)
		}
	}
	if _, err := Format("policy.yaml", []byte("version: [1\n")); err == nil || !strings.HasPrefix(err.Error(), "policy.yaml:1:10: not YAML: ") {
		t.Errorf("not YAML: %v", err)
	}
}

// FuzzParse: no text makes it panic; what is accepted means the same as its
// source, and as its usual form.
func FuzzParse(f *testing.F) {
	for _, text := range policies(f) {
		f.Add(text)
	}
	files, _ := filepath.Glob("testdata/errors/*.yaml")
	for _, file := range files {
		f.Add(string(read(f, file)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return // only slower
		}
		p, err := Parse("p", []byte(text))
		if formatted, ferr := Format("p", []byte(text)); ferr == nil && err == nil {
			q, err := Parse("p", formatted)
			if err != nil {
				t.Fatalf("its usual form is no policy: %v\n%s", err, formatted)
			}
			if q.Hash != p.Hash {
				t.Fatalf("its usual form means another thing:\n%s", formatted)
			}
		}
		if err != nil {
			return
		}
		q, err := Parse("p", p.Source)
		if err != nil {
			t.Fatalf("its source is no policy: %v\n%s", err, p.Source)
		}
		if q.Hash != p.Hash || all(q) != all(p) {
			t.Fatalf("its source means another thing:\n%s", p.Source)
		}
	})
}

// TestSecret: a secret is read from where the policy says, and from nowhere
// else.
func TestSecret(t *testing.T) {
	f := func(s Secret, want string) {
		t.Helper()
		got, err := s.Read()
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("pa ss\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LOOPGAUGE_TEST_A", "a b")
	t.Setenv("LOOPGAUGE_TEST_B", "")
	f(Secret{File: file}, "pa ss")
	f(Secret{Env: "LOOPGAUGE_TEST_A"}, "a b")
	f(Secret{Env: "LOOPGAUGE_TEST_B"}, "LOOPGAUGE_TEST_B is empty in the environment")
	f(Secret{Env: "LOOPGAUGE_TEST_C"}, "LOOPGAUGE_TEST_C is not set in the environment")
}
