package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func gateway(t interface{ Fatal(...any) }, name string) *Gateway {
	g, err := GatewayNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// settingsOf draws settings in a gateway's own form, as Export writes them.
var settingsOf = map[string]func(t *rapid.T) string{
	"aisg": func(t *rapid.T) string {
		most := rapid.IntRange(0, 1000).Draw(t, "most")
		return fmt.Sprintf("LOOP_GUARD_WINDOW_SECONDS=%d\nLOOP_GUARD_MAX_HITS=%d\nLOOP_GUARD_COOLDOWN_SECONDS=%d\n", drawSeconds(t), most, rapid.IntRange(0, 1<<20).Draw(t, "cooldown"))
	},
	"tool-call": func(t *rapid.T) string {
		modes := rapid.SampledFrom([]string{"break", "chance_then_break"})
		if rapid.Bool().Draw(t, "server") {
			return fmt.Sprintf("TOOL_LOOP_DETECTION_ENABLED=%t\nTOOL_LOOP_MAX_REPEATS=%d\nTOOL_LOOP_TTL_SECONDS=%d\nTOOL_LOOP_MODE=%s\n",
				rapid.Bool().Draw(t, "on"), drawThreshold(t), drawSeconds(t), modes.Draw(t, "mode"))
		}
		text := "model_defaults:\n"
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`([a-z]{1,3}:)?[a-z0-9/. "'-]{0,5}[a-z]`), 1, 4, rapid.ID).Draw(t, "models") {
			text += fmt.Sprintf("  %s:\n", Quoted(name))
			says := rapid.IntRange(1, 15).Draw(t, "says")
			for i, line := range []string{
				fmt.Sprintf("enabled: %t", rapid.Bool().Draw(t, "on")), fmt.Sprintf("max_repeats: %d", drawThreshold(t)),
				fmt.Sprintf("ttl_seconds: %d", drawSeconds(t)), "mode: " + modes.Draw(t, "mode"),
			} {
				if says>>i&1 == 1 {
					text += "    tool_loop_detection_" + line + "\n"
				}
			}
		}
		return text
	},
	"zelyx": func(t *rapid.T) string {
		return fmt.Sprintf("{\n  \"enabled\": %t,\n  \"threshold\": %d,\n  \"window\": %d,\n  \"action\": %q\n}\n",
			rapid.Bool().Draw(t, "on"), drawThreshold(t), drawSeconds(t), rapid.SampledFrom([]string{"warn", "block"}).Draw(t, "action"))
	},
	"fairvisor": func(t *rapid.T) string {
		x := &exported{}
		text := "version: 1\nrules:\n"
		for i := range rapid.IntRange(1, 3).Draw(t, "policies") {
			paths := rapid.StringMatching(`(/[a-z"\\ &<é]{1,4}){1,2}`)
			var s fairvisorSelector
			switch rapid.IntRange(0, 3).Draw(t, "selector") {
			case 0:
				s.PathPrefix = "/"
			case 1:
				s.PathPrefix = paths.Draw(t, "prefix") + "/"
			case 2:
				s.PathExact = paths.Draw(t, "exact")
			case 3:
				s.PathExact, s.PathPrefix = paths.Draw(t, "exact"), paths.Draw(t, "prefix")+"/"
			}
			s.Methods = rapid.SliceOfN(rapid.SampledFrom([]string{"GET", "POST", "PUT", `O"D, D]`}), 0, 3).Draw(t, "methods")
			keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"header:x-api-key", "jwt:org_id", "ip:address", "ua:bot", "query:q_1"}), 0, 4, rapid.ID).Draw(t, "keys")
			text += fmt.Sprintf("  - {name: %s, profile: fairvisor, enabled: %t, limit_keys: %s, counter: {window: %ds}, threshold: %d, action: %s, match: %s}\n",
				Quoted(rapid.StringMatching(`[a-zé'": -]{1,6}`).Draw(t, "id")+fmt.Sprint(i)), rapid.Bool().Draw(t, "on"), flow(keys), drawSeconds(t), drawThreshold(t),
				rapid.SampledFrom([]string{"reject", "throttle", "warn", "record"}).Draw(t, "action"), flow(s.condition()))
		}
		text = strings.ReplaceAll(text, ", match: ''", "")
		d, errs := readDraft("p", []byte(text))
		if len(errs) > 0 {
			t.Fatal(errs, text)
		}
		x.rules = d.rules
		return string(writeFairvisor(x))
	},
}

func drawSeconds(t *rapid.T) int   { return rapid.IntRange(1, 1<<20).Draw(t, "seconds") }
func drawThreshold(t *rapid.T) int { return rapid.IntRange(2, maxThreshold).Draw(t, "threshold") }

// What is imported is exported as it was, and imported as it was.
func TestImportExport(t *testing.T) {
	for i := range Gateways {
		g := &Gateways[i]
		t.Run(g.Name, rapid.MakeCheck(func(t *rapid.T) {
			own := settingsOf[g.Name](t)
			policy, _, err := g.Import(Settings{"own", []byte(own)})
			if err != nil {
				t.Fatalf("%v\n%s", err, own)
			}
			again, _, err := g.Export("policy", policy, "")
			if err != nil {
				t.Fatalf("%v\n%s", err, policy)
			}
			if string(again) != own {
				t.Fatalf("imported\n%s\nis exported\n%s\npolicy\n%s", own, again, policy)
			}
			twice, _, err := g.Import(Settings{"own", again})
			if err != nil || string(twice) != string(policy) {
				t.Fatalf("%v: exported\n%s\nis imported\n%s\nwas\n%s", err, again, twice, policy)
			}
		}))
	}
}

// All readings of a gateway can be written as they are.
func TestExportProfiles(t *testing.T) {
	for i := range Gateways {
		g := &Gateways[i]
		for _, profile := range g.profiles {
			if _, _, err := g.Export("p", []byte("version: 1\nrules: [{name: a, profile: "+profile+"}]\n"), ""); err != nil {
				t.Errorf("%s: %v", g.Name, err)
			}
		}
	}
}

// What a gateway has no setting for is said.
func TestExportSays(t *testing.T) {
	f := func(name, rule, said string) {
		t.Helper()
		_, notes, err := gateway(t, name).Export("p", []byte("version: 1\nrules: [{name: a, profile: "+name+rule+"}]\n"), "")
		if err != nil || problems(notes) != said {
			t.Errorf("%s%s: said %q, %v; want %q", name, rule, problems(notes), err, said)
		}
	}
	f("fairvisor", ", limit_keys: []", "")
	f("fairvisor", "", "f:2:9: rule a: limit_keys: here all attributes of the log count, in the bundle none: name the headers and claims that your limits use")
	f("tool-call", `, overrides: [{match: 'model == "b"', threshold: 5}]`, "f:2:9: rule a: overrides: are the models', and what is written; the server's settings belong into the environment: TOOL_LOOP_DETECTION_ENABLED=true TOOL_LOOP_MAX_REPEATS=4 TOOL_LOOP_TTL_SECONDS=120 TOOL_LOOP_MODE=break")
	f("zelyx", ", scope: [caller]", "")
	f("zelyx", ", scope: ['attr:header:x-company']", "f:2:9: rule a: scope: is no setting: Zelyx counts by company, whatever your log calls it")
}

// problems are what was said, without the file.
func problems(list []Problem) string {
	var lines []string
	for _, p := range list {
		p.File = "f"
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

func TestImport(t *testing.T) {
	f := func(name, own, want, said string) {
		t.Helper()
		policy, notes, err := gateway(t, name).Import(Settings{"f", []byte(own)})
		if err != nil {
			t.Errorf("%s: %v", own, err)
		}
		if got := strings.TrimPrefix(string(policy), "version: 1\nrules:\n"); got != want {
			t.Errorf("%s\nis imported\n%s\nwant\n%s", own, got, want)
		}
		if got := problems(notes); got != said {
			t.Errorf("%s\nsaid\n%s\nwant\n%s", own, got, said)
		}
	}
	f("aisg", "# guard\nexport LOOP_GUARD_MAX_HITS = '3' # few\nSECRET=x\nLOOP_GUARD_HITS=9\n",
		"  - name: aisg\n    profile: aisg\n    counter: {window: 1m}\n    threshold: 4\n    action: reject\n    cooldown: 30s\n",
		"f: LOOP_GUARD_HITS: is no setting of loops that is known, and not in the policy; did you mean LOOP_GUARD_MAX_HITS?")
	f("aisg", "LOOP_GUARD_MAX_HITS=0\n",
		"  - name: aisg\n    profile: aisg\n    enabled: false\n    counter: {window: 1m}\n    threshold: 6\n    action: reject\n    cooldown: 30s\n",
		"f: LOOP_GUARD_MAX_HITS: is 0, which switches the guard off: so is the rule")
	f("tool-call", "TOOL_LOOP_MODE=halt\n",
		"  - name: tool-call\n    profile: tool-call-shipped\n    counter: {window: 2m}\n    threshold: 4\n    action: break\n",
		`f: TOOL_LOOP_MODE: is "halt", no mode: the proxy keeps break`)
	f("tool-call", "TOOL_LOOP_MAX_REPEATS=many\nTOOL_LOOP_MODE=Chance\nTOOL_LOOP_DETECTION_ENABLED=YES\n",
		"  - name: tool-call\n    profile: tool-call-shipped\n    counter: {window: 2m}\n    threshold: 4\n    action: chance_then_break\n",
		`f: TOOL_LOOP_MAX_REPEATS: is "many", no number: the proxy keeps 4`)
	f("tool-call", "TOOL_LOOP_DETECTION_ENABLED=perhaps\n",
		"  - name: tool-call\n    profile: tool-call-shipped\n    counter: {window: 2m}\n    threshold: 4\n    action: break\n",
		`f: TOOL_LOOP_DETECTION_ENABLED: is "perhaps", neither true nor false: the proxy keeps true`)
	f("tool-call", "TOOL_LOOP_DETECTION_ENABLED=\"1\"\n",
		"  - name: tool-call\n    profile: tool-call-shipped\n    counter: {window: 2m}\n    threshold: 4\n    action: break\n", "")
	f("tool-call", "TOOL_LOOP_DETECTION_ENABLED=0\n",
		"  - name: tool-call\n    profile: tool-call-shipped\n    enabled: false\n    counter: {window: 2m}\n    threshold: 4\n    action: break\n",
		"f: TOOL_LOOP_DETECTION_ENABLED: is off, and so is the rule")
	f("tool-call", "host: 127.0.0.1\nmodel_defaults:\n  'openrouter:gpt-4':\n    loop_detection_enabled: true\n    tool_loop_detection_max_repeats: 6\n    tool_loop_mode: break\n  plain: {tool_loop_detection_mode: chance}\n  odd: {tool_loop_detection_mode: halt}\n  other: {reasoning: {}}\n",
		"  - name: tool-call\n    profile: tool-call-shipped\n    counter: {window: 2m}\n    threshold: 4\n    action: break\n"+
			"    overrides: [{match: 'backend == \"openrouter\" && model == \"gpt-4\"', threshold: 6}, {match: 'model == \"plain\"', action: chance_then_break}, {match: 'model == \"odd\"', action: break}]\n",
		"f: model_defaults.openrouter:gpt-4.tool_loop_mode: is no setting of loops that is known, and not in the policy\n"+
			"f: model_defaults.odd.tool_loop_detection_mode: is \"halt\", no mode: the proxy takes break\n"+
			"f: model_defaults: overrule the server's settings, which stand in the environment: the policy has the proxy's own for them; name that file, too")
	f("zelyx", `{"action": "block"}`, "  - name: zelyx\n    profile: zelyx\n    counter: {window: 1m}\n    threshold: 10\n    action: reject\n", "")
	f("fairvisor", `{"bundle_version": 1, "policies": [
	  {"id": "a", "spec": {"selector": {"pathPrefix": "/v1/chat", "methods": ["POST", 1], "hosts": ["x"]}, "mode": "shadow",
	    "rules": [{"name": "r", "limit_keys": ["header:x-api-key", "jwt:sub"]}, {"name": "s", "limit_keys": ["jwt:sub"]}], "fallback_limit": {"limit_keys": ["ip:address"]},
	    "loop_detection": {"enabled": true, "window_seconds": 90.0, "threshold_identical_requests": 3, "action": "warn"}, "circuit_breaker": {"enabled": true}}},
	  {"id": "b", "spec": {"selector": {"pathPrefix": "/"}, "rules": {}, "loop_detection": {"enabled": false}}},
	  {"id": "c", "spec": {"selector": {"pathPrefix": "/"}, "rules": []}}], "kill_switches": [{}]}`,
		"  - name: a\n    profile: fairvisor\n    counter: {window: 1m30s}\n    threshold: 3\n    action: record\n    limit_keys: ['header:x-api-key', 'jwt:sub', 'ip:address']\n    match: 'path.startsWith(\"/v1/chat/\") && method in [\"POST\"]'\n"+
			"  - name: b\n    profile: fairvisor\n    enabled: false\n    counter: {window: 1m}\n    threshold: 10\n    action: reject\n    limit_keys: []\n",
		`f: kill_switches: is no loop rule, and not in the policy
f: policies[0].spec.selector.hosts: is not in the policy: logs name the host in ways of their own; add it to match, as in attributes["header:host"] == "api.example.com"
f: policies[0].spec.rules: are rate limits, and not in the policy but for their limit_keys
f: policies[0].spec.fallback_limit: is no loop rule, and not in the policy
f: policies[0].spec.limit_keys: name jwt:sub, ip:address, which are told apart only where the log has attributes of these names: see loopgauge formats LOG
f: policies[0].spec.circuit_breaker: is no loop rule, and not in the policy
f: policies[0].spec.loop_detection.action: is warn once it is out of shadow: the policy has record for both
f: policies[1].spec.loop_detection: is off and says no more that can be read: window, threshold and action are those of Fairvisor's example
f: policies[2].spec.loop_detection: is not there: policy c has no loop rule`)
	f("fairvisor", `{"bundle_version": 1, "issued_at": "2026-11-21", "kill_swiches": [{}], "policies": [
	  {"id": "a", "note": "x", "spec": {"selector": {"pathPrefix": "/", "host": ["x"]}, "rules": [], "loop_detect": {"enabled": true},
	    "loop_detection": {"enabled": true, "window": 9, "window_seconds": 90, "threshold_identical_requests": 3}}}]}`,
		"  - name: a\n    profile: fairvisor\n    counter: {window: 1m30s}\n    threshold: 3\n    action: reject\n    limit_keys: []\n",
		`f: kill_swiches: is no loop rule, and not in the policy
f: policies[0].spec.selector.host: is no loop rule, and not in the policy
f: policies[0].spec.loop_detection.window: is no loop rule, and not in the policy
f: policies[0].spec.loop_detect: is no loop rule, and not in the policy
f: policies[0].note: is no loop rule, and not in the policy`)
}

// TestImportTogether: the proxy's environment and configuration are one rule,
// in whatever order they come.
func TestImportTogether(t *testing.T) {
	env := Settings{"e", []byte("TOOL_LOOP_DETECTION_ENABLED=no\nTOOL_LOOP_MAX_REPEATS=7\nTOOL_LOOP_TTL_SECONDS=30\nTOOL_LOOP_MODE=chance\n")}
	models := Settings{"m", []byte("model_defaults:\n  b:m: {tool_loop_detection_enabled: true, tool_loop_detection_max_repeats: 3}\n")}
	const want = "version: 1\nrules:\n  - name: tool-call\n    profile: tool-call-shipped\n    enabled: false\n    counter: {window: 30s}\n    threshold: 7\n    action: chance_then_break\n" +
		"    overrides: [{match: 'backend == \"b\" && model == \"m\"', threshold: 3, enabled: true}]\n"
	f := func(want, said string, files ...Settings) {
		t.Helper()
		got, notes, err := gateway(t, "tool-call").Import(files...)
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != want || problems(notes) != said {
			t.Errorf("%v\nis imported\n%s\nsaid\n%s", files, got, problems(notes))
		}
	}
	off := "f: TOOL_LOOP_DETECTION_ENABLED: is off, and so is the rule"
	f(want, off, env, models)
	f(want, off, models, env)
	f("m: is a second configuration, beside m", "", models, models)
	f("e: is a second environment file, beside e", off, env, env)
	f("m: is one file too many: tool-call has its settings in an environment file with TOOL_LOOP_ variables, a configuration with model_defaults, or both", "", env, models, models)
}

func TestImportRefuses(t *testing.T) {
	f := func(name, own, want string) {
		t.Helper()
		_, _, err := gateway(t, name).Import(Settings{"f", []byte(own)})
		if err == nil || err.Error() != want {
			t.Errorf("%s: error\n%v\nwant\n%s", own, err, want)
		}
	}
	f("aisg", "", "f: has no loop settings of aisg: an environment file with LOOP_GUARD_ variables is expected")
	f("aisg", "LOOP_GUARD_MAX_HITS=-1\nLOOP_GUARD_WINDOW_SECONDS=0\n", "f:1:1: LOOP_GUARD_MAX_HITS: must be a whole number from 0 to 999999, is \"-1\"\nf:2:1: LOOP_GUARD_WINDOW_SECONDS: must be a whole number from 1 to 315360000, is \"0\"")
	f("aisg", "LOOP_GUARD_MAX_HITS=1000000\n", "f:1:1: LOOP_GUARD_MAX_HITS: must be a whole number from 0 to 999999, is \"1000000\"")
	f("aisg", "a b\n", "f:1:1: must be NAME=value")
	f("aisg", "LOOP_GUARD_MAX_HITS=3\nX='3\n", "f:2:1: must be NAME=value")
	f("tool-call", "TOOL_LOOP_MAX_REPEATS=1\nTOOL_LOOP_TTL_SECONDS=0\n", "f: TOOL_LOOP_MAX_REPEATS: max_repeats must be at least 2\nf: TOOL_LOOP_TTL_SECONDS: ttl_seconds must be positive")
	f("tool-call", "TOOL_LOOP_TTL_SECONDS=315360001\n", "f: TOOL_LOOP_TTL_SECONDS: is more than a policy can say")
	f("tool-call", "model_defaults:\n  m: {tool_loop_detection_ttl_seconds: 315360001}\n", "f: model_defaults.m.tool_loop_detection_ttl_seconds: is more than a policy can say")
	f("tool-call", "model_defaults:\n  m: {tool_loop_detection_max_repeats: 1}\n", "f:2:40: model_defaults.m.tool_loop_detection_max_repeats: must be at least 2, is 1")
	f("tool-call", "model_defaults: 3\n", "f:1:17: model_defaults: must be a mapping, is a number")
	f("zelyx", `{"action": "reject", "widow": 3}`, "f:1:12: action: \"reject\" is unknown; there are warn, block\nf:1:22: widow: unknown field; did you mean window?")
	f("zelyx", `{"window": 315360001}`, "f:1:12: window: is more than a policy can say")
	f("zelyx", `{"threshold": 1000001}`, "f: rules[0].threshold: must be at most 1000000")
	f("fairvisor", "[]", "f:1:1: bundle must be a table")
	f("fairvisor", "\n", "f: empty: it holds no bundle")
	f("fairvisor", "{\n", "f:2:1: not JSON: unexpected EOF")
	f("fairvisor", "{\n  \"a\": 1,}", "f:2:10: not JSON: invalid character '}' looking for beginning of object key string")
	f("fairvisor", "{\n}\n{}", "f:3:1: not JSON: more than one document")
	f("fairvisor", `{"bundle_version": 0}`, "f:1:1: policies: policies must be a table\nf:1:20: bundle_version: bundle_version must be a positive number")

	f("fairvisor", `{"bundle_version": 1, "policies": [1, {}, {"id": "a"}, {"id": "b", "spec": {"mode": "observe"}}]}`,
		"f:1:36: policies[0]: policy[1]: must be a table\nf:1:39: policies[1].id: policy[2]: missing id\nf:1:43: policies[2].spec: policy=a: missing spec\n"+
			"f:1:76: policies[3].spec.selector: policy=b: missing selector\nf:1:76: policies[3].spec.rules: policy=b: rules must be a table\nf:1:85: policies[3].spec.mode: policy=b: invalid mode")
	f("fairvisor", `{"id": "a", "spec": {"selector": {"pathPrefix": "/", "methods": [""]}, "rules": []}}`, "f:1:65: spec.selector.methods: name no method: Fairvisor never comes to this policy")
	f("fairvisor", `{"id": "a", "spec": {"selector": {}, "rules": []}}`, "f:1:34: spec.selector: needs a pathExact or a pathPrefix: Fairvisor never comes to this policy")
	f("fairvisor", `{"id": "a", "spec": {"selector": {"pathExact": "v1"}, "rules": [{"name": "r", "limit_keys": ["x y"]}], "fallback_limit": {"limit_keys": ["jwt:"]}}}`,
		"f:1:48: spec.selector.pathExact: must start with /\nf:1:93: spec.rules[0].limit_keys: policy=a rule=r invalid_limit_keys: x y\n"+
			"f:1:137: spec.fallback_limit.limit_keys: policy=a rule=fallback_limit invalid_limit_keys: jwt:")
	f("fairvisor", "{\n  \"bundle_version\": 1,\n  \"policies\": [\n    {\"id\": \"a.b\", \"spec\": {\n      \"selector\": {\"pathPrefix\": \"/\"},\n      \"rules\": [],\n      \"mode\" :\t\"off\"\n    }},\n    {}\n  ]\n}\n",
		"f:7:16: policies[0].spec.mode: policy=a.b: invalid mode\nf:9:5: policies[1].id: policy[2]: missing id")

	// The messages are those of Fairvisor's loop detector.
	g := func(loop, want string) {
		t.Helper()
		f("fairvisor", `{"id": "a", "spec": {"selector": {"pathPrefix": "/"}, "rules": [], "loop_detection": `+loop+`}}`, "f:1:86: spec.loop_detection: "+want)
	}
	g(`[]`, "loop_detection must be a table")
	g(`{"enabled": 1}`, "enabled must be a boolean")
	g(`{"enabled": true}`, "when enabled is true, window_seconds is required")
	g(`{"enabled": true, "window_seconds": 1.5}`, "window_seconds must be a positive integer")
	g(`{"enabled": true, "window_seconds": 315360001}`, "window_seconds is more than a policy can say")
	g(`{"enabled": true, "window_seconds": "60"}`, "window_seconds must be a positive integer")
	g(`{"enabled": true, "window_seconds": 60}`, "when enabled is true, threshold_identical_requests is required")
	g(`{"enabled": true, "window_seconds": 60, "threshold_identical_requests": 0}`, "threshold_identical_requests must be a positive integer")
	g(`{"enabled": true, "window_seconds": 60, "threshold_identical_requests": 1}`, "threshold_identical_requests must be >= 2")
	g(`{"enabled": true, "window_seconds": 60, "threshold_identical_requests": 2, "action": "block"}`, "action must be one of reject, throttle, warn")
	g(`{"enabled": true, "window_seconds": 60, "threshold_identical_requests": 2, "similarity": "fuzzy"}`, "similarity must be exact")
}

func TestExportRefuses(t *testing.T) {
	f := func(name, rule string, want ...string) {
		t.Helper()
		_, _, err := gateway(t, name).Export("f", []byte("version: 1\nrules:\n  - "+rule+"\n"), "")
		if err == nil {
			t.Errorf("%s: exported", rule)
			return
		}
		got := strings.Split(err.Error(), "\n")
		for i := range got {
			_, got[i], _ = strings.Cut(got[i], "rule a: ")
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: refused\n%s\nwant\n%s", rule, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	f("fairvisor", `{name: a, profile: fairvisor, scope: [caller], counter: {kind: sliding, window: 1500ms}, action: break, match: 'status == 1', limit_keys: ["x y"], cooldown: 3s}`,
		"scope: is [caller]; fairvisor has only []",
		"counter.kind: is sliding; fairvisor has only fixed",
		"counter.window: must be whole seconds for fairvisor, is 1.5s",
		"action: Fairvisor has no break; it can do reject, throttle, warn",
		`match: is more than a selector can say: path == "/x", path.startsWith("/x/"), method in ["POST"], joined by &&`,
		`limit_keys: "x y" is no descriptor of Fairvisor: write jwt:NAME, header:NAME, query:NAME, ip:... or ua:...`,
		"cooldown: is 3s; fairvisor has only 0s")
	f("fairvisor", `{name: a, profile: fairvisor, match: 'path == "v1"'}`, "match: a path of a selector starts with /")
	f("fairvisor", `{name: a, profile: fairvisor, match: 'method in ["POST", path]'}`, `match: is more than a selector can say: path == "/x", path.startsWith("/x/"), method in ["POST"], joined by &&`)
	f("aisg", `{name: a, profile: aisg-article, threshold: 1}`, "threshold: must be 2 or more for AISG, is 1: a maximum of 0 switches the guard off")
	f("aisg", `{name: a, profile: aisg, identity: [model]}`, "identity: is [model]; aisg has only aisg")
	f("aisg", `{name: a, profile: aisg, cooldown: 1500ms}`, "cooldown: must be whole seconds for AISG, is 1.5s")
	f("aisg", `{name: a, profile: aisg, match: 'status == 1'}`, "match: is 'status == 1'; aisg has only 'all requests'")
	f("zelyx", `{name: a, profile: zelyx, scope: [caller, user]}`, "scope: is [caller, user]; zelyx has only [caller]")
	f("zelyx", `{name: a, profile: zelyx, overrides: [], action: throttle}`,
		"action: Zelyx has no throttle; it can do warn, reject",
		`overrides: is []; zelyx has only [{match: 'session == ""', threshold: 100, reason: 'calls without a session'}]`)
	f("tool-call", `{name: a, profile: tool-call, match: 'model == "b"', action: reject}`,
		`match: is 'model == "b"'; tool-call has only 'all requests'`, "action: the proxy has no reject; it can do break, chance_then_break")
	f("tool-call", `{name: a, profile: tool-call, overrides: [{match: 'model == "b"', until: 2026-12-01, action: warn, window: 1500ms}]}`,
		`overrides[0]: the proxy tells requests by backend and model only: backend == "backend" && model == "model"`,
		"overrides[0].window: must be whole seconds for tool-call, is 1.5s", "overrides[0].action: the proxy has no warn; it can do break, chance_then_break")
	f("tool-call", `{name: a, profile: tool-call, overrides: [{match: 'model == "b"'}, {match: 'model == "c"', threshold: 5}, {match: 'model == "c"', threshold: 6}]}`,
		"overrides[0]: changes nothing, which the proxy has no form for", "overrides[2]: the proxy has one for each model, and c has one before: take this out")
}
