package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// documentedBundle checks a bundle by the tables of Fairvisor's policy
// reference, field by field; it returns what they do not allow.
func documentedBundle(text []byte) (wrong []string) {
	var bundle map[string]any
	if err := json.Unmarshal(text, &bundle); err != nil {
		return []string{err.Error()}
	}
	is := func(ok bool, field string, v any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf("%s: %v", field, v))
		}
	}
	only := func(path string, v map[string]any, fields ...string) {
		for field := range v {
			is(slices.Contains(fields, field), path+"."+field, "is no field of the reference")
		}
	}
	is(!bytes.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }), "text", "has what a terminal obeys")
	integer := func(v any, least float64) bool {
		n, ok := v.(float64)
		return ok && n >= least && n == math.Floor(n)
	}
	word := func(v any, words ...string) bool {
		s, ok := v.(string)
		return ok && slices.Contains(words, s)
	}
	only("bundle", bundle, "bundle_version", "issued_at", "expires_at", "policies", "kill_switches", "global_shadow", "kill_switch_override", "defaults")
	is(integer(bundle["bundle_version"], 1), "bundle_version", bundle["bundle_version"])
	policies, ok := bundle["policies"].([]any)
	is(ok, "policies", bundle["policies"])
	for _, v := range policies {
		p, _ := v.(map[string]any)
		only("policy", p, "id", "spec")
		id, _ := p["id"].(string)
		is(id != "", "id", p["id"])
		spec, ok := p["spec"].(map[string]any)
		is(ok, "spec", p["spec"])
		only("spec", spec, "selector", "mode", "rules", "fallback_limit", "loop_detection", "circuit_breaker")
		is(spec["mode"] == nil || word(spec["mode"], "enforce", "shadow"), "mode", spec["mode"])

		selector, ok := spec["selector"].(map[string]any)
		is(ok, "selector", spec["selector"])
		only("selector", selector, "pathExact", "pathPrefix", "methods", "hosts")
		anchors := 0
		for _, field := range []string{"pathExact", "pathPrefix"} {
			if v := selector[field]; v != nil {
				path, _ := v.(string)
				is(strings.HasPrefix(path, "/"), field, v)
				anchors++
			}
		}
		is(anchors > 0, "selector has no anchor", selector)

		rules, ok := spec["rules"].([]any)
		is(ok, "rules", spec["rules"])
		for _, v := range rules {
			rule, _ := v.(map[string]any)
			only("rule", rule, "name", "limit_keys", "algorithm", "algorithm_config", "match")
			name, _ := rule["name"].(string)
			is(name != "", "name", rule["name"])
			keys, ok := rule["limit_keys"].([]any)
			is(ok, "limit_keys", rule["limit_keys"])
			for _, v := range keys {
				key, _ := v.(string)
				source, rest, _ := strings.Cut(key, ":")
				switch source {
				case "jwt", "header", "query":
					is(regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(rest), "limit_keys", key)
				default:
					is(word(key, "ip:address", "ip:country", "ip:asn", "ip:type", "ip:tor", "ua:bot", "ua:bot_category"), "limit_keys", key)
				}
			}
			is(rule["algorithm"] == "token_bucket", "algorithm", rule["algorithm"])
			bucket, ok := rule["algorithm_config"].(map[string]any)
			is(ok, "algorithm_config", rule["algorithm_config"])
			rate, _ := bucket["tokens_per_second"].(float64)
			burst, _ := bucket["burst"].(float64)
			is(rate > 0 && burst >= rate, "burst", bucket)
		}

		loop, ok := spec["loop_detection"].(map[string]any)
		is(ok, "loop_detection", spec["loop_detection"])
		only("loop_detection", loop, "enabled", "window_seconds", "threshold_identical_requests", "action", "similarity")
		_, ok = loop["enabled"].(bool)
		is(ok, "enabled", loop["enabled"])
		is(integer(loop["window_seconds"], 1), "window_seconds", loop["window_seconds"])
		is(integer(loop["threshold_identical_requests"], 2), "threshold_identical_requests", loop["threshold_identical_requests"])
		is(word(loop["action"], "reject", "throttle", "warn"), "action", loop["action"])
		is(loop["similarity"] == "exact", "similarity", loop["similarity"])
	}
	return wrong
}

// What is exported, Fairvisor's documents allow.
func TestFairvisorAllowsExports(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := settingsOf["fairvisor"](t)
		if wrong := documentedBundle([]byte(text)); len(wrong) > 0 {
			t.Fatalf("%s\n%s", strings.Join(wrong, "\n"), text)
		}
	})
}

func TestExportFairvisor(t *testing.T) {
	policy := `version: 1
rules:
  - {name: a, profile: fairvisor, limit_keys: ["header:x-api-key"], counter: {window: 2m}, threshold: 5, action: record, match: 'path == "/v1/chat"', quiet: 5m}
  - {name: "b\u202e", profile: fairvisor-documented, enabled: false}
`
	text, said, err := gateway(t, "fairvisor").Export("f", []byte(policy), "")
	if err != nil {
		t.Fatal(err)
	}
	if wrong := documentedBundle(text); len(wrong) > 0 {
		t.Errorf("%s\n%s", strings.Join(wrong, "\n"), text)
	}
	for _, want := range []string{`"pathExact": "/v1/chat"`, `"mode": "shadow"`, `"window_seconds": 120`, `"threshold_identical_requests": 5`, `"enabled": false`, `"header:x-api-key"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	want := `f:3:5: rule a: quiet: stays here: no gateway has it
f:3:5: rule a: limit_keys: are had by a limit only: rule descriptors limits nobody and is there for them
f:4:5: rule "b\u202e": limit_keys: here all attributes of the log count, in the bundle none: name the headers and claims that your limits use
f:4:5: rule "b\u202e": body_hash: is require, as the documents read: no setting says so, and what is shipped leaves the body out`
	if got := problems(said); got != want {
		t.Errorf("said\n%s\nwant\n%s", got, want)
	}
}
