package policy

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/window"
)

// The bundle as it is written.
type (
	fairvisorBundle struct {
		Version  int               `json:"bundle_version"`
		Policies []fairvisorPolicy `json:"policies"`
	}
	fairvisorPolicy struct {
		ID   string        `json:"id"`
		Spec fairvisorSpec `json:"spec"`
	}
	fairvisorSpec struct {
		Selector fairvisorSelector `json:"selector"`
		Mode     string            `json:"mode"`
		Rules    []fairvisorRule   `json:"rules"`
		Loop     fairvisorLoop     `json:"loop_detection"`
	}
	fairvisorSelector struct {
		PathExact  string   `json:"pathExact,omitempty"`
		PathPrefix string   `json:"pathPrefix,omitempty"`
		Methods    []string `json:"methods,omitempty"`
	}
	fairvisorRule struct {
		Name      string          `json:"name"`
		LimitKeys []string        `json:"limit_keys"`
		Algorithm string          `json:"algorithm"`
		Config    fairvisorBucket `json:"algorithm_config"`
	}
	fairvisorBucket struct {
		PerSecond int `json:"tokens_per_second"`
		Burst     int `json:"burst"`
	}
	fairvisorLoop struct {
		Enabled       bool          `json:"enabled"`
		WindowSeconds int64         `json:"window_seconds"`
		Threshold     int64         `json:"threshold_identical_requests"`
		Action        window.Action `json:"action"`
		Similarity    string        `json:"similarity"`
	}
)

// condition is the selector in CEL. A prefix ends at a slash: /v1 is /v1/.
func (s fairvisorSelector) condition() string {
	var path, all []string
	if s.PathExact != "" {
		path = append(path, "path == "+celText(s.PathExact))
	}
	if s.PathPrefix != "" {
		prefix := strings.TrimSuffix(s.PathPrefix, "/") + "/"
		path = append(path, "path.startsWith("+celText(prefix)+")")
	}
	switch {
	case s.PathPrefix == "/": // everything
	case len(path) == 2:
		all = append(all, "("+strings.Join(path, " || ")+")")
	default:
		all = append(all, path...)
	}
	if len(s.Methods) > 0 {
		var methods []string
		for _, m := range s.Methods {
			methods = append(methods, celText(m))
		}
		all = append(all, "method in ["+strings.Join(methods, ", ")+"]")
	}
	return strings.Join(all, " && ")
}

// celText quotes a text as CEL reads it; JSON's escapes are CEL's too.
func celText(text string) string { return string(rawjson.AppendString(nil, []byte(text))) }

// selectorOf reads a condition that condition wrote, or somebody in its place.
func selectorOf(match string) (s fairvisorSelector, ok bool) {
	rest := match
	quoted := func(before, after string) (text string, ok bool) {
		tail, found := strings.CutPrefix(rest, before)
		if !found {
			return "", false
		}
		decoder := json.NewDecoder(strings.NewReader(tail))
		if decoder.Decode(&text) != nil || !strings.HasPrefix(tail[decoder.InputOffset():], after) {
			return "", false
		}
		rest = tail[int(decoder.InputOffset())+len(after):]
		return text, true
	}
	if match == "" {
		return fairvisorSelector{PathPrefix: "/"}, true
	}
	if exact, both := quoted("(path == ", " || "); both {
		s.PathExact = exact
		s.PathPrefix, _ = quoted("path.startsWith(", "))")
	} else if s.PathExact, ok = quoted("path == ", ""); !ok {
		s.PathPrefix, _ = quoted("path.startsWith(", ")")
	}
	rest = strings.TrimPrefix(rest, " && ")
	if first, found := strings.CutPrefix(rest, "method in ["); found {
		rest = ", " + first
		for strings.HasPrefix(rest, ", ") {
			method, ok := quoted(", ", "")
			if !ok {
				return s, false
			}
			s.Methods = append(s.Methods, method)
		}
		rest = strings.TrimPrefix(rest, "]")
	}
	if s.PathExact == "" && s.PathPrefix == "" {
		s.PathPrefix = "/"
	}
	// Whatever was let through above, it means the same only if it is this.
	return s, s.condition() == match
}

func fairvisorSettings(f *fitted) {
	if f.rule.action != window.Record { // which is shadow mode
		f.takeAction("Fairvisor", fairvisorActions...)
	}
	if f.rule.threshold < window.LeastThreshold {
		f.refuse("threshold", "must be 2 or more for Fairvisor, is %d", f.rule.threshold)
	}
	f.again.limitKeys = f.rule.limitKeys
	for _, key := range f.rule.limitKeys {
		if !descriptorKey.MatchString(key) {
			f.refuse("limit_keys", "%q is no descriptor of Fairvisor: write jwt:NAME, header:NAME, query:NAME, ip:... or ua:...", key)
		}
	}
	f.again.match = f.rule.match
	if s, ok := selectorOf(f.rule.match); !ok {
		f.refuse("match", `is more than a selector can say: path == "/x", path.startsWith("/x/"), method in ["POST"], joined by &&`)
	} else if s.PathPrefix != "" && !strings.HasPrefix(s.PathPrefix, "/") || s.PathExact != "" && !strings.HasPrefix(s.PathExact, "/") {
		f.refuse("match", "a path of a selector starts with /")
	}
}

// unlimited is a rate that limits nobody: a policy's descriptors are had by
// its limits only.
const unlimited = 1_000_000

func writeFairvisor(x *exported) []byte {
	bundle := fairvisorBundle{Version: 1}
	for _, d := range x.rules {
		p := fairvisorPolicy{ID: d.name, Spec: fairvisorSpec{Mode: "enforce", Rules: []fairvisorRule{}}}
		p.Spec.Selector, _ = selectorOf(d.match)
		p.Spec.Loop = fairvisorLoop{d.enabled, int64(d.counter.Window / time.Second), int64(d.threshold), d.action, "exact"}
		if d.action == window.Record {
			p.Spec.Mode, p.Spec.Loop.Action = "shadow", window.Reject
		}
		switch {
		case len(d.limitKeys) > 0:
			p.Spec.Rules = append(p.Spec.Rules, fairvisorRule{"descriptors", d.limitKeys, "token_bucket", fairvisorBucket{unlimited, unlimited}})
			x.say(d, "limit_keys", "are had by a limit only: rule descriptors limits nobody and is there for them")
		case d.limitKeys == nil:
			x.say(d, "limit_keys", "here all attributes of the log count, in the bundle none: name the headers and claims that your limits use")
		}
		if d.bodyHash != "ignore" {
			x.say(d, "body_hash", "is "+d.bodyHash+", as the documents read: no setting says so, and what is shipped leaves the body out")
		}
		bundle.Policies = append(bundle.Policies, p)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(bundle); err != nil {
		panic(err) // it is made of texts and numbers
	}
	return rawjson.Printable(b.Bytes())
}
