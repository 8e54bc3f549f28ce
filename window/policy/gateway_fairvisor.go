package policy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/loopgauge/loopgauge/window"
)

var fairvisorForm = Gateway{
	Name: "fairvisor", Form: "a policy bundle, or one policy of it, as JSON",
	profiles: []string{"fairvisor", "fairvisor-documented"},
	read:     readFairvisor, settings: fairvisorSettings, write: writeFairvisor,
}

// fairvisorActions are those of loop_detection, and ours for them.
var fairvisorActions = []window.Action{window.Reject, window.Throttle, window.Warn}

// descriptorKey is what may stand in limit_keys.
var descriptorKey = regexp.MustCompile(`^((jwt|header|query):[A-Za-z0-9_-]+|ip:(address|country|asn|type|tor)|ua:(bot|bot_category))$`)

// isLogged tells that a descriptor is mostly in a log: Fairvisor takes others out of
// tokens and its own tables.
func isLogged(key string) bool {
	return strings.HasPrefix(key, "header:") || strings.HasPrefix(key, "query:")
}

// table is an object of JSON, as Fairvisor's Lua calls it.
type table = map[string]any

func readFairvisor(in *imported) {
	decoder := json.NewDecoder(bytes.NewReader(in.Text))
	decoder.UseNumber()
	var doc any
	at := len(in.Text) // where it goes wrong, unless that is known
	err := decoder.Decode(&doc)
	if err == nil {
		if _, err = decoder.Token(); err == nil {
			err, at = errors.New("more than one document"), int(decoder.InputOffset())-1
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if errors.Is(err, io.EOF) {
		in.refuse("", "empty: it holds no bundle")
		return
	}
	if err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = max(0, int(syntax.Offset)-1) // it counts what was read
		}
		line, column := lineColumn(in.Text, at)
		in.errors = append(in.errors, Problem{File: in.File, Line: line, Column: column, What: "not JSON: " + err.Error()})
		return
	}
	defer in.placeErrors()
	bundle, ok := doc.(table)
	if !ok {
		in.refuse("", "bundle must be a table")
		return
	}
	if bundle["spec"] != nil && bundle["policies"] == nil { // one policy alone
		in.fairvisorPolicy(bundle, "", 1)
		return
	}
	if n, ok := number(bundle["bundle_version"]); !ok || n <= 0 {
		in.refuse("bundle_version", "bundle_version must be a positive number")
	}
	policies, ok := bundle["policies"].([]any)
	if !ok {
		in.refuse("policies", "policies must be a table")
	}
	in.leaves(bundle, "", "bundle_version", "issued_at", "expires_at", "policies")
	for i, p := range policies {
		in.fairvisorPolicy(p, fmt.Sprintf("policies[%d].", i), i+1)
	}
}

// placeErrors says where in the bundle what is wrong stands.
func (in *imported) placeErrors() {
	if len(in.errors) == 0 {
		return
	}
	places := placesOfJSON(in.Text)
	for i := range in.errors {
		p := &in.errors[i]
		p.Line, p.Column = places.of(p.Path)
	}
	in.errors = in.errors.sorted()
}

// leaves says what an object holds besides what is read of it.
func (in *imported) leaves(object table, path string, read ...string) {
	for _, field := range slices.Sorted(maps.Keys(object)) { // any order: sorted
		if !slices.Contains(read, field) && something(object[field]) {
			in.say(path+field, "is no loop rule, and not in the policy")
		}
	}
}

// something tells whether a value is there and not empty.
func something(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) > 0
	case table:
		return len(v) > 0
	}
	return v != nil
}

func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// fairvisorPolicy reads one policy; n counts from 1, as Fairvisor does.
func (in *imported) fairvisorPolicy(v any, path string, n int) {
	before := len(in.errors)
	p, ok := v.(table)
	if !ok {
		in.refuse(strings.TrimSuffix(path, "."), "policy[%d]: must be a table", n)
		return
	}
	id, _ := p["id"].(string)
	spec, isTable := p["spec"].(table)
	switch {
	case id == "":
		in.refuse(path+"id", "policy[%d]: missing id", n)
		return
	case !isTable:
		in.refuse(path+"spec", "policy=%s: missing spec", id)
		return
	}
	path += "spec."
	selector, ok := spec["selector"].(table)
	if !ok {
		in.refuse(path+"selector", "policy=%s: missing selector", id)
	}
	mode, isText := spec["mode"].(string)
	if spec["mode"] != nil && (!isText || mode != "enforce" && mode != "shadow") {
		in.refuse(path+"mode", "policy=%s: invalid mode", id)
	}
	rules, ok := spec["rules"].([]any)
	if t, isTable := spec["rules"].(table); isTable && len(t) == 0 {
		ok = true // Lua writes an empty array so
	}
	if !ok {
		in.refuse(path+"rules", "policy=%s: rules must be a table", id)
	}
	keys := in.limitKeys(path, id, rules, spec["fallback_limit"])
	match := ""
	if selector != nil {
		match = in.selector(path+"selector", selector)
	}
	loop, found := spec["loop_detection"]
	if !found || loop == nil {
		if len(in.errors) == before {
			in.say(path+"loop_detection", "is not there: policy %s has no loop rule", Quoted(id))
		}
		return
	}
	d := in.loopDetection(path+"loop_detection", loop)
	if len(in.errors) > before {
		return
	}
	if len(rules) > 0 {
		in.say(path+"rules", "are rate limits, and not in the policy but for their limit_keys")
	}
	if something(spec["fallback_limit"]) { // its limit_keys are read, like those of rules
		in.say(path+"fallback_limit", "is no loop rule, and not in the policy")
	}
	if some := slices.DeleteFunc(slices.Clone(keys), isLogged); len(some) > 0 {
		in.say(path+"limit_keys", "name %s, which are told apart only where the log has attributes of these names: see loopgauge formats LOG", strings.Join(some, ", "))
	}
	in.leaves(spec, path, "selector", "mode", "rules", "fallback_limit", "loop_detection")
	in.leaves(p, strings.TrimSuffix(path, "spec."), "id", "spec")
	action := d.Action
	if mode == "shadow" {
		if action != window.Reject {
			in.say(path+"loop_detection.action", "is %s once it is out of shadow: the policy has record for both", action)
		}
		action = window.Record
	}
	more := []yaml.MapItem{{Key: "limit_keys", Value: keys}}
	if match != "" {
		more = append(more, yaml.MapItem{Key: "match", Value: match})
	}
	in.rule(id, d.Enabled, d.WindowSeconds, d.Threshold, action, more...)
}

// limitKeys are the descriptors that a policy takes: those of all its limits.
func (in *imported) limitKeys(path, id string, rules []any, fallback any) []string {
	keys := []string{}
	take := func(at string, limit, name any) {
		rule, _ := limit.(table)
		list, _ := rule["limit_keys"].([]any)
		for _, v := range list {
			key, ok := v.(string)
			if !ok || !descriptorKey.MatchString(key) {
				in.refuse(path+at+".limit_keys", "policy=%s rule=%v invalid_limit_keys: %v", id, cmp.Or(rule["name"], name), v)
				continue
			}
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	for i, rule := range rules {
		take(fmt.Sprintf("rules[%d]", i), rule, nil)
	}
	take("fallback_limit", fallback, "fallback_limit")
	return keys
}

// loopDetection checks a block as Fairvisor does, in its order and words. What
// a block says that is off is not checked there.
func (in *imported) loopDetection(path string, v any) fairvisorLoop {
	off := fairvisorLoop{WindowSeconds: 60, Threshold: 10, Action: window.Reject, Similarity: "exact"}
	block, ok := v.(table)
	if !ok {
		in.refuse(path, "loop_detection must be a table")
		return off
	}
	d, wrong := checkLoopDetection(block)
	if block["enabled"] == nil || block["enabled"] == false {
		if wrong != "" {
			d = off
			in.say(path, "is off and says no more that can be read: window, threshold and action are those of Fairvisor's example")
		}
		d.Enabled = false
		return d
	}
	if wrong != "" {
		in.refuse(path, "%s", wrong)
	}
	in.leaves(block, path+".", "enabled", "window_seconds", "threshold_identical_requests", "action", "similarity")
	return d
}

func checkLoopDetection(block table) (d fairvisorLoop, wrong string) {
	d = fairvisorLoop{Enabled: true, Action: window.Reject, Similarity: "exact"}
	if block["enabled"] != nil {
		if d.Enabled, _ = block["enabled"].(bool); block["enabled"] != d.Enabled {
			return d, "enabled must be a boolean"
		}
	}
	for _, field := range []struct {
		name string
		to   *int64
	}{{"window_seconds", &d.WindowSeconds}, {"threshold_identical_requests", &d.Threshold}} {
		if block[field.name] == nil {
			return d, "when enabled is true, " + field.name + " is required"
		}
		n, ok := number(block[field.name])
		if !ok || n <= 0 || n != math.Floor(n) {
			return d, field.name + " must be a positive integer"
		}
		if n > float64(mostSeconds) {
			return d, field.name + " is more than a policy can say"
		}
		*field.to = int64(n)
	}
	if d.Threshold < window.LeastThreshold {
		return d, "threshold_identical_requests must be >= 2"
	}
	if v := block["action"]; v != nil {
		action, _ := v.(string)
		d.Action = window.Action(action)
	}
	if !slices.Contains(fairvisorActions, d.Action) {
		return d, "action must be one of reject, throttle, warn"
	}
	if v := block["similarity"]; v != nil && v != "exact" {
		return d, "similarity must be exact"
	}
	return d, ""
}

// selector writes what a policy applies to as a condition; empty is all.
func (in *imported) selector(path string, selector table) string {
	var s fairvisorSelector
	for _, field := range []struct {
		name string
		to   *string
	}{{"pathExact", &s.PathExact}, {"pathPrefix", &s.PathPrefix}} {
		if v := selector[field.name]; v != nil {
			*field.to, _ = v.(string)
			if !strings.HasPrefix(*field.to, "/") {
				in.refuse(path+"."+field.name, "must start with /")
			}
		}
	}
	if s.PathExact == "" && s.PathPrefix == "" && len(in.errors) == 0 {
		in.refuse(path, "needs a pathExact or a pathPrefix: Fairvisor never comes to this policy")
	}
	list, _ := selector["methods"].([]any)
	for _, v := range list {
		if method, ok := v.(string); ok && method != "" {
			s.Methods = append(s.Methods, method)
		}
	}
	if selector["methods"] != nil && len(s.Methods) == 0 {
		in.refuse(path+".methods", "name no method: Fairvisor never comes to this policy")
	}
	in.leaves(selector, path+".", "pathExact", "pathPrefix", "methods", "hosts")
	if something(selector["hosts"]) {
		in.say(path+".hosts", "is not in the policy: logs name the host in ways of their own; add it to match, as in attributes[\"header:host\"] == \"api.example.com\"")
	}
	return s.condition()
}
