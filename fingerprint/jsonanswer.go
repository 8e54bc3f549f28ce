package fingerprint

import (
	"bytes"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// Agents whose model answers in JSON have it write a thought, which is another at each
// step, and beside it the tool with what that is given: {"thoughts": [...],
// "tool_name": "search", "tool_args": {...}}. What holds anything else may say something
// new by that.

// The names of such members: of thoughts, of a tool, of what that is given, and of an
// object that has both.
var (
	jsonThoughtNames = []string{"thought", "thoughts", "thinking", "reasoning", "reflection"}
	jsonToolNames    = []string{"tool_name", "tool", "action", "function", "command"}
	jsonGivenNames   = []string{"tool_args", "tool_input", "action_input", "args", "arguments", "parameters", "input"}
	jsonCallNames    = []string{"action", "tool_call", "function_call", "command", "tool"}
)

// jsonDeed is what a trimmed answer in JSON does, nil if it is none that has thoughts and
// a call alone. Where the tool is given nothing (wait, go on) the thoughts may be the work.
func (w *Writer) jsonDeed(t spoken) []byte {
	if !bytes.HasPrefix(t.text, []byte("{")) || !bytes.HasSuffix(t.text, []byte("}")) {
		return nil
	}
	var tool, given, call rawjson.Value
	thoughts, headline := false, false // Agent Zero's headline is one of its thoughts
	s := &w.leaves
	s.Reset(w.decoded(t))
	for s.Object(); s.NextKey(); {
		name, v := string(bytes.ToLower(s.Key)), s.Value()
		switch kind := v.Kind(); {
		case v == nil:
		case name == "headline":
			headline = true
		case slices.Contains(jsonThoughtNames, name):
			thoughts = thoughts || name == "thoughts"
		case slices.Contains(jsonToolNames, name) && kind == rawjson.String && tool == nil:
			tool = v
		case slices.Contains(jsonGivenNames, name) && given == nil:
			given = v
		case slices.Contains(jsonCallNames, name) && kind == rawjson.Object && call == nil:
			call = v
		default:
			return nil
		}
	}
	if s.End() != nil || (tool == nil) != (given == nil) || (tool == nil) == (call == nil) || headline && !thoughts {
		return nil
	}
	if isEmpty(given) || call != nil && !w.givesSome(call) {
		return nil
	}
	from := len(w.made)
	w.made = append(w.made, '[')
	for _, v := range []rawjson.Value{tool, given, call} {
		if v != nil {
			w.made = append(w.appendJSON(w.made, v), ',')
		}
	}
	w.made = append(bytes.TrimSuffix(w.made, []byte(",")), ']')
	return w.made[from:]
}

// isEmpty tells an object, a list or a text that has nothing.
func isEmpty(v rawjson.Value) bool {
	switch v.Kind() {
	case rawjson.Object, rawjson.Array, rawjson.String:
		return len(bytes.TrimSpace(v[1:len(v)-1])) == 0
	}
	return false
}

// givesSome tells whether a call in an object has more than the name of a tool.
func (w *Writer) givesSome(call rawjson.Value) bool {
	s, n := &w.leaves, 0
	s.Reset(call)
	for s.Object(); s.NextKey(); {
		switch v := s.Value(); {
		case v == nil || isEmpty(v):
		case v.Kind() == rawjson.Object || v.Kind() == rawjson.Array:
			return true
		default:
			n++
		}
	}
	return n > 1
}
