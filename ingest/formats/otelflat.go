package formats

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// flat is an attribute that holds a part of a message: of
// gen_ai.prompt.3.tool_calls.0.name it is message 3, calls, 0, name.
type flat struct {
	message int64
	kind    flatKind
	n       int64
	name    []byte
	value   []byte
}

type flatKind uint8

const (
	flatOwn     flatKind = iota // a field of the message
	flatContent                 // of a part of its content
	flatCall                    // of a call
	flatResult                  // an object with a result and the call's id
)

// flat notes an attribute whose name goes on with rest behind the prefix.
func (c *chat) flat(rest, value []byte) {
	f := flat{value: value}
	var ok bool
	if f.message, rest, ok = cutNumber(rest); !ok {
		return
	}
	rest = bytes.TrimPrefix(rest, []byte("message."))
	if after, is := bytes.CutPrefix(rest, []byte("tool_calls.")); is {
		f.kind = flatCall
		f.n, rest, ok = cutNumber(after)
		rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte("tool_call.")), []byte("function."))
	} else if after, is := bytes.CutPrefix(rest, []byte("function_call.")); is { // LiteLLM: one a call
		f.kind, rest = flatCall, after
	} else if after, is := bytes.CutPrefix(rest, []byte("function_call_")); is { // OpenInference: likewise
		f.kind, rest = flatCall, bytes.TrimSuffix(after, []byte("_json"))
	} else if after, is := bytes.CutPrefix(rest, []byte("contents.")); is {
		f.kind = flatContent
		f.n, rest, ok = cutNumber(after)
		rest, is = bytes.CutPrefix(rest, []byte("message_content."))
		ok = ok && is // tool_call stands among the calls as well
	} else if after, is := bytes.CutPrefix(rest, []byte("function.")); is { // OpenInference of AutoGen
		f.kind = flatResult
		f.n, ok = number(after)
	}
	f.name = rest
	if ok {
		c.found = append(c.found, f)
	}
}

// cutNumber cuts 12. off the front.
func cutNumber(text []byte) (n int64, rest []byte, ok bool) {
	digits, rest, ok := bytes.Cut(text, []byte{'.'})
	if !ok || len(digits) > 9 {
		return 0, nil, false
	}
	n, ok = number(digits)
	return n, rest, ok
}

// order sorts what was found by messages, and inside by parts.
func (c *chat) order() {
	slices.SortStableFunc(c.found, func(a, b flat) int {
		return cmp.Or(cmp.Compare(a.message, b.message), cmp.Compare(a.kind, b.kind), cmp.Compare(a.n, b.n))
	})
}

// cutHead leaves out a message of which the first attributes were dropped, the role
// among them, and the results behind it: their calls may have been in it. It tells
// whether messages are missing.
func (c *chat) cutHead() bool {
	c.order()
	lost := c.found[0].message > 0
	for len(c.found) > 0 {
		n := 1
		for n < len(c.found) && c.found[n].message == c.found[0].message {
			n++
		}
		switch string(role(c.found[:n])) {
		case "", "tool", "function":
			lost, c.found = true, c.found[n:]
		default:
			return lost
		}
	}
	return lost
}

// flatMessages makes the messages of the attributes found.
func (c *chat) flatMessages(r *fingerprint.Request) {
	r.Messages.Logged = true
	r.Messages.Items, c.ends = r.Messages.Items[:0], c.ends[:0]
	from := len(c.json)
	c.order()
	called := true // by what the provider keeps, unless something was said
	for rest := c.found; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].message == rest[0].message {
			n++
		}
		if rest[n-1].kind == flatResult {
			c.flatResults(rest[:n])
		} else {
			c.flatMessage(rest[:n])
			c.ends = append(c.ends, len(c.json))
		}
		switch string(role(rest[:n])) {
		case "system", "developer":
		case "tool", "function":
			if !called && r.Lost == fingerprint.Computable {
				r.Lost = fingerprint.LossyContent // the call, as LiteLLM does with legacy ones and 1.80 with all
			}
		default:
			called = rest[n-1].kind == flatCall
		}
		rest = rest[n:]
	}
	r.Messages.Items = apart(r.Messages.Items, c.json, from, c.ends)
}

func role(fields []flat) []byte {
	for _, f := range fields {
		if f.kind == flatOwn && string(f.name) == "role" {
			return f.value
		}
	}
	return nil
}

// flatResults makes a message of each result in one.
func (c *chat) flatResults(fields []flat) {
	s := &c.part
	for _, f := range fields {
		if f.kind != flatResult {
			continue
		}
		c.json = append(c.json, `{"role":"tool"`...)
		if !isJSON(s, f.value) { // it was cut
			c.json = rawjson.AppendString(append(c.json, `,"content":`...), f.value)
		} else {
			s.Reset(f.value)
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "content":
					c.json = fill(c.json, `,"content":%`, s.Value())
				case "call_id":
					c.json = fill(c.json, `,"tool_call_id":%`, s.Value())
				}
			}
		}
		c.json = append(c.json, '}')
		c.ends = append(c.ends, len(c.json))
	}
}

func (c *chat) flatMessage(fields []flat) {
	c.json = append(c.json, '{')
	inParts := slices.ContainsFunc(fields, func(f flat) bool { return f.kind == flatContent })
	for len(fields) > 0 && fields[0].kind == flatOwn {
		f := fields[0]
		fields = fields[1:]
		switch string(f.name) {
		case "content":
			if inParts { // which LiteLLM writes beside the list as a text
				continue
			}
			c.json = append(c.json, `"content":`...)
			// A list of parts was written as a text, of JSON or of Python.
			list := bytes.TrimSpace(f.value)
			if bytes.HasPrefix(list, []byte("[{'")) {
				if parts, ok := rawjson.AppendPython(c.json, list); ok {
					c.json = append(parts, ',')
					continue
				}
			} else if bytes.HasPrefix(list, []byte("[{")) && isJSON(&c.part, list) {
				c.json = append(append(c.json, list...), ',')
				continue
			}
			c.json = append(rawjson.AppendString(c.json, f.value), ',')
		case "role":
			value := f.value
			switch string(value) { // smolagents' own, which it sends as these
			case "tool-call":
				value = []byte("assistant")
			case "tool-response":
				value = []byte("user")
			}
			c.json = append(rawjson.AppendString(append(c.json, `"role":`...), value), ',')
		case "tool_call_id", "name":
			c.json = append(rawjson.AppendString(c.json, f.name), ':')
			c.json = append(rawjson.AppendString(c.json, f.value), ',')
		}
	}
	fields = c.flatList(fields, flatContent, `"content":[`)
	c.flatList(fields, flatCall, `"tool_calls":[`)
	c.json = append(bytes.TrimSuffix(c.json, []byte{','}), '}')
}

// flatList makes a list of objects of the fields of one kind, and returns the
// fields behind them.
func (c *chat) flatList(fields []flat, kind flatKind, opening string) []flat {
	if len(fields) == 0 || fields[0].kind != kind {
		return fields
	}
	c.json = append(c.json, opening...)
	for len(fields) > 0 && fields[0].kind == kind {
		n := fields[0].n
		c.json = append(c.json, '{')
		for ; len(fields) > 0 && fields[0].kind == kind && fields[0].n == n; fields = fields[1:] {
			c.json = append(rawjson.AppendString(c.json, fields[0].name), ':')
			c.json = append(rawjson.AppendString(c.json, fields[0].value), ',')
		}
		c.json = append(bytes.TrimSuffix(c.json, []byte{','}), "},"...)
	}
	c.json = append(bytes.TrimSuffix(c.json, []byte{','}), "],"...)
	return fields
}

// flatCalls are the calls among the attributes found. That there were none is
// known if the answer says something else, and not that it ended in a call.
func (c *chat) flatCalls(r *fingerprint.Request) {
	c.order()
	said, called := false, false
	for i := 0; i < len(c.found); {
		f := c.found[i]
		var call fingerprint.ToolCall
		for ; i < len(c.found) && c.found[i].message == f.message && c.found[i].kind == f.kind && c.found[i].n == f.n; i++ {
			switch string(c.found[i].name) {
			case "id":
				call.ID = c.found[i].value
			case "name":
				call.Name = c.found[i].value
			case "arguments":
				call.Arguments = c.found[i].value
			case "role":
				continue
			case "finish_reason":
				called = called || endsInCall(c.found[i].value)
			}
			said = said || len(c.found[i].value) > 0
		}
		if f.kind == flatCall {
			r.ToolCalls = keepCall(r.ToolCalls, call)
		}
	}
	r.ToolCallsLogged = len(r.ToolCalls) > 0 || said && !called
}
