package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/loopgauge/loopgauge/window"
)

var toolCallForm = Gateway{
	Name: "tool-call", Form: "an environment file with TOOL_LOOP_ variables, or a configuration with model_defaults",
	profiles: []string{"tool-call-shipped", "tool-call"},
	read:     readToolCall, settings: toolCallSettings, write: writeToolCall,
}

var toolCallVariables = []string{"TOOL_LOOP_DETECTION_ENABLED", "TOOL_LOOP_MAX_REPEATS", "TOOL_LOOP_TTL_SECONDS", "TOOL_LOOP_MODE"}

// toolCallLoop is what the proxy knows of loops, for the server or a model.
type toolCallLoop struct {
	enabled      bool
	repeats, ttl int64
	action       window.Action
}

// defaultToolCallLoop is the proxy's own.
var defaultToolCallLoop = toolCallLoop{true, 4, 120, window.Break}

func readToolCall(in *imported) {
	if _, names, wrong := readEnvironment(in.text); wrong == 0 || len(names) > 0 {
		in.toolCallServer()
		return
	}
	in.toolCallModels()
}

// toolCallServer reads the environment. The proxy passes over values that it
// cannot read, and so does this, saying so.
func (in *imported) toolCallServer() {
	vars := in.ours("TOOL_LOOP_", toolCallVariables)
	loop, found := defaultToolCallLoop, false
	for i, name := range toolCallVariables {
		v, ok := vars[name]
		if !ok {
			continue
		}
		found = true
		value := strings.ToLower(v.value)
		switch i {
		case 0:
			loop.enabled = value == "true" || value == "1" || value == "yes"
		case 1, 2:
			to := []*int64{&loop.repeats, &loop.ttl}[i-1]
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				in.say(name, "is %q, no number: the proxy keeps %d", v.value, *to)
				continue
			}
			*to = n
		case 3:
			if action, ok := toolCallMode(value); ok {
				loop.action = action
			} else {
				in.say(name, "is %q, no mode: the proxy keeps break", v.value)
			}
		}
	}
	if !found {
		return
	}
	if !loop.enabled {
		in.say(toolCallVariables[0], "is off, and so is the rule")
	}
	in.toolCallRule("tool-call", "TOOL_LOOP_MAX_REPEATS", "TOOL_LOOP_TTL_SECONDS", loop)
}

// toolCallMode reads a mode; chance is short for chance_then_break.
func toolCallMode(text string) (window.Action, bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "break":
		return window.Break, true
	case "chance", "chance_then_break":
		return window.ChanceThenBreak, true
	}
	return "", false
}

// toolCallRule adds a rule, with the proxy's own words for what it refuses.
func (in *imported) toolCallRule(name, repeatsField, ttlField string, loop toolCallLoop, more ...yaml.MapItem) {
	if loop.repeats < 2 {
		in.refuse(repeatsField, "max_repeats must be at least 2")
	}
	if loop.ttl < 1 {
		in.refuse(ttlField, "ttl_seconds must be positive")
	}
	if loop.ttl > mostSeconds {
		in.refuse(ttlField, "is more than a policy can say")
		return
	}
	in.rule(name, loop.enabled, loop.ttl, loop.repeats, loop.action, more...)
}

// toolCallModels reads the defaults per backend and model of the proxy's
// configuration. Its other settings are not looked at.
func (in *imported) toolCallModels() {
	s := NewStrict(in.file, in.text, "a configuration of the tool-call proxy", "model_defaults", "docs/policy.md")
	if s.doc != nil {
		for _, m := range s.doc.Values {
			if keyText(m.Key) != "model_defaults" {
				continue
			}
			Value{s.r, m.Value, placeOf(m.Value, "model_defaults")}.Members(func(name string, v Value) { in.toolCallModel(name, v) })
		}
	}
	in.errors = append(in.errors, s.r.errors.sorted()...)
}

func (in *imported) toolCallModel(name string, v Value) {
	loop, found := defaultToolCallLoop, false
	path := "model_defaults." + name
	v.Members(func(field string, v Value) {
		if !strings.HasPrefix(field, "tool_loop_") {
			return // what else a model has
		}
		if kindOf(v.node) == "empty" {
			return // as not given
		}
		found = true
		switch field {
		case "tool_loop_detection_enabled":
			v.r.boolean(&loop.enabled)(v.node, v.at)
		case "tool_loop_detection_max_repeats":
			loop.repeats = int64(v.Integer(2))
		case "tool_loop_detection_ttl_seconds":
			loop.ttl = int64(v.Integer(1))
		case "tool_loop_detection_mode":
			text := v.Text()
			action, ok := toolCallMode(text)
			if !ok {
				in.say(path+"."+field, "is %q, no mode: the proxy takes break", text)
				return
			}
			loop.action = action
		default:
			in.say(path+"."+field, "is no setting of loops that is known, and not in the policy")
		}
	})
	if !found || len(v.r.errors) > 0 {
		return
	}
	in.toolCallRule(name, path, path, loop, yaml.MapItem{Key: "match", Value: modelCondition(name)})
}

// modelCondition is what backend:model, or a model alone, stands for.
func modelCondition(name string) string {
	backend, model, ok := strings.Cut(name, ":")
	if !ok {
		return "model == " + celText(name)
	}
	return "backend == " + celText(backend) + " && model == " + celText(model)
}

func toolCallSettings(f *fitted) {
	f.takeAction("the proxy", window.Break, window.ChanceThenBreak)
	if f.rule.match != "" && f.rule.match != modelCondition(f.rule.name) {
		f.refuse("match", "the proxy tells requests by backend and model only: a rule named %s may have match: %s", Quoted("backend:model"), modelCondition("backend:model"))
	}
	f.again.match = f.rule.match
}

func writeToolCall(x *exported) []byte {
	d := x.rules[0]
	if d.match == "" {
		x.only("the environment")
		return fmt.Appendf(nil, "TOOL_LOOP_DETECTION_ENABLED=%t\nTOOL_LOOP_MAX_REPEATS=%d\nTOOL_LOOP_TTL_SECONDS=%d\nTOOL_LOOP_MODE=%s\n", d.enabled, d.threshold, d.window/time.Second, d.action)
	}
	var b strings.Builder
	b.WriteString("model_defaults:\n")
	for _, d := range x.rules {
		if d.match == "" {
			x.refuse(d, "match", "is missing: it is the server's, which is set in the environment; choose with --rule")
		}
		fmt.Fprintf(&b, "  %s:\n    tool_loop_detection_enabled: %t\n    tool_loop_detection_max_repeats: %d\n    tool_loop_detection_ttl_seconds: %d\n    tool_loop_detection_mode: %s\n",
			Quoted(d.name), d.enabled, d.threshold, d.window/time.Second, d.action)
	}
	return []byte(b.String())
}
