package policy

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/loopgauge/loopgauge/window"
)

var toolCallForm = Gateway{
	Name: "tool-call", Form: "an environment file with TOOL_LOOP_ variables, a configuration with model_defaults, or both",
	profiles: []string{"tool-call-shipped", "tool-call"}, files: 2,
	read: readToolCall, settings: toolCallSettings, write: writeToolCall,
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

// readToolCall puts the server's settings, from the environment, and those of
// models, from the configuration, into one rule.
func readToolCall(in *imported) {
	loop, server, models := defaultToolCallLoop, "", ""
	var overrides []yaml.MapSlice
	found := false
	for _, in.Settings = range in.files {
		kind, other := &models, "configuration"
		_, names, wrong := readEnvironment(in.Text)
		environment := wrong == 0 || len(names) > 0
		if environment {
			kind, other = &server, "environment file"
		}
		if *kind != "" {
			in.refuse("", "is a second %s, beside %s", other, *kind)
			continue
		}
		*kind = in.File
		if environment {
			loop, found = in.toolCallServer()
		} else {
			overrides = in.toolCallModels()
		}
	}
	switch {
	case len(in.errors) > 0 || !found && len(overrides) == 0:
		return
	case server == "":
		in.say("model_defaults", "overrule the server's settings, which stand in the environment: the policy has the proxy's own for them; name that file, too")
	}
	var more []yaml.MapItem
	if len(overrides) > 0 {
		more = []yaml.MapItem{{Key: "overrides", Value: overrides}}
	}
	in.rule("tool-call", loop.enabled, loop.ttl, loop.repeats, loop.action, more...)
}

// toolCallServer reads the environment; found is that it says something. The
// proxy passes over values that it cannot read, and so does this, saying so.
func (in *imported) toolCallServer() (loop toolCallLoop, found bool) {
	vars := in.ours("TOOL_LOOP_", toolCallVariables)
	loop = defaultToolCallLoop
	for i, name := range toolCallVariables {
		v, ok := vars[name]
		if !ok {
			continue
		}
		found = true
		value := strings.ToLower(v.value)
		switch i {
		case 0:
			switch value {
			case "true", "1", "yes", "on":
				loop.enabled = true
			case "false", "0", "no", "off", "":
				loop.enabled = false
			default:
				in.say(name, "is %q, neither true nor false: the proxy keeps %t", v.value, loop.enabled)
			}
		case 1, 2:
			to := []*int64{&loop.repeats, &loop.ttl}[i-1]
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				in.say(name, "is %q, no number: the proxy keeps %d", v.value, *to)
				continue
			}
			*to = n
		case 3:
			if action, ok := window.ParseMode(value); ok {
				loop.action = action
			} else {
				in.say(name, "is %q, no mode: the proxy keeps break", v.value)
			}
		}
	}
	if !loop.enabled {
		in.say(toolCallVariables[0], "is off, and so is the rule")
	}
	if loop.repeats < 2 {
		in.refuse("TOOL_LOOP_MAX_REPEATS", "max_repeats must be at least 2")
	}
	if loop.ttl < 1 {
		in.refuse("TOOL_LOOP_TTL_SECONDS", "ttl_seconds must be positive")
	}
	if loop.ttl > mostSeconds {
		in.refuse("TOOL_LOOP_TTL_SECONDS", "is more than a policy can say")
	}
	return loop, found
}

// toolCallModels reads the defaults per backend and model of the proxy's
// configuration: each overrules the server, which is set in the environment,
// in what it says. Its other settings are not looked at.
func (in *imported) toolCallModels() (overrides []yaml.MapSlice) {
	s := NewStrict(in.File, in.Text, "a configuration of the tool-call proxy", "model_defaults", "docs/policy.md")
	if s.doc != nil {
		list, _ := Value{r: s.r, node: s.doc}.members()
		for _, x := range list {
			if x.name != "model_defaults" {
				continue
			}
			x.Members(func(name string, v Value) {
				if o := in.toolCallModel(name, v); len(o) > 1 {
					overrides = append(overrides, o)
				}
			})
		}
	}
	in.errors = append(in.errors, s.r.errors.sorted()...)
	return overrides
}

// toolCallModel is what a model overrules.
func (in *imported) toolCallModel(name string, v Value) yaml.MapSlice {
	o := overrideDraft{match: modelCondition(name), enabled: true}
	path := "model_defaults." + name
	v.Members(func(field string, v Value) {
		if !strings.HasPrefix(field, "tool_loop_") {
			return // what else a model has
		}
		if kindOf(v.node) == "empty" {
			return // as not given
		}
		switch field {
		case "tool_loop_detection_enabled":
			o.enabledGiven = true
			boolean(&o.enabled).read(v)
		case "tool_loop_detection_max_repeats":
			o.threshold = v.Integer(2)
		case "tool_loop_detection_ttl_seconds":
			ttl := int64(v.Integer(1))
			if ttl > mostSeconds {
				in.refuse(path+"."+field, "is more than a policy can say")
				return
			}
			o.window = time.Duration(ttl) * time.Second
		case "tool_loop_detection_mode":
			text := v.Text()
			action, ok := window.ParseMode(text)
			if !ok {
				in.say(path+"."+field, "is %q, no mode: the proxy takes break", text)
				action = window.Break
			}
			o.action = action
		default:
			in.say(path+"."+field, "is no setting of loops that is known, and not in the policy")
		}
	})
	return o.source()
}

// modelCondition is what backend:model, or a model alone, stands for.
func modelCondition(name string) string {
	backend, model, ok := strings.Cut(name, ":")
	if !ok {
		return "model == " + celText(name)
	}
	return "backend == " + celText(backend) + " && model == " + celText(model)
}

// modelNamed is the model that a condition stands for.
func modelNamed(match string) (name string, ok bool) {
	rest, backend := match, ""
	if after, is := strings.CutPrefix(rest, "backend == "); is {
		d := json.NewDecoder(strings.NewReader(after))
		if d.Decode(&backend) != nil {
			return "", false
		}
		rest, backend = strings.TrimPrefix(after[d.InputOffset():], " && "), backend+":"
	}
	var model string
	if json.Unmarshal([]byte(strings.TrimPrefix(rest, "model == ")), &model) != nil {
		return "", false
	}
	return backend + model, modelCondition(backend+model) == match
}

func toolCallSettings(f *fitted) {
	f.takeAction("the proxy", window.Break, window.ChanceThenBreak)
	models := map[string]bool{}
	for i := range f.rule.overrides {
		o := &f.rule.overrides[i]
		field := fmt.Sprintf("overrides[%d]", i)
		name, ok := modelNamed(o.match)
		switch {
		case !ok || !o.until.IsZero():
			f.refuse(field, "the proxy tells requests by backend and model only: %s", modelCondition("backend:model"))
		case models[name]:
			f.refuse(field, "the proxy has one for each model, and %s has one before: take this out", Quoted(name))
		case !o.changes():
			f.refuse(field, "changes nothing, which the proxy has no form for")
		}
		models[name] = true
		if o.window%time.Second != 0 {
			f.refuse(field+".window", "must be whole seconds for tool-call, is %s", window.Lasting(o.window))
		}
		if o.action != "" && o.action != window.Break && o.action != window.ChanceThenBreak {
			f.refuse(field+".action", "the proxy has no %s; it can do break, chance_then_break", o.action)
		}
	}
	f.again.overrides = f.rule.overrides
}

func writeToolCall(x *exported) []byte {
	d := x.only("the environment")
	server := fmt.Sprintf("TOOL_LOOP_DETECTION_ENABLED=%t\nTOOL_LOOP_MAX_REPEATS=%d\nTOOL_LOOP_TTL_SECONDS=%d\nTOOL_LOOP_MODE=%s\n", d.enabled, d.threshold, d.counter.Window/time.Second, d.action)
	if len(d.overrides) == 0 {
		return []byte(server)
	}
	x.say(d, "overrides", "are the models', and what is written; the server's settings belong into the environment: "+strings.ReplaceAll(strings.TrimSpace(server), "\n", " "))
	var b strings.Builder
	b.WriteString("model_defaults:\n")
	for i := range d.overrides {
		o := &d.overrides[i]
		name, _ := modelNamed(o.match)
		var model items
		model.add("tool_loop_detection_enabled", o.enabled, !o.enabled || o.switchesOn())
		model.add("tool_loop_detection_max_repeats", o.threshold, o.threshold > 0)
		model.add("tool_loop_detection_ttl_seconds", int64(o.window/time.Second), o.window > 0)
		model.add("tool_loop_detection_mode", string(o.action), o.action != "")
		fmt.Fprintf(&b, "  %s:\n%s", Quoted(name), model.lines())
	}
	return []byte(b.String())
}
