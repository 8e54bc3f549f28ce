package formats

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// chat turns messages of OpenTelemetry into chat messages. What it gives lies
// in its own memory until reset.
type chat struct {
	scan  rawjson.Scanner // of the messages
	parts rawjson.Scanner // of one message
	part  rawjson.Scanner // of one part
	json  []byte
	calls []rawjson.Value // of one message
	rest  []rawjson.Value // parts of one message that are neither calls nor results
	texts []byte          // of them, those that were made here
	mute  bool            // a text is without its content: the logger was told to keep none
	found []flat          // attributes that are a part of a message each
	ends  []int           // in json, of the messages made
}

func (c *chat) reset() { c.json, c.found, c.ends, c.mute = c.json[:0], c.found[:0], c.ends[:0], false }

// messages reads a list of messages with parts, as gen_ai.input.messages has
// them since version 1.37, or of chat messages.
func (c *chat) messages(list []byte, r *fingerprint.Request, reads fingerprint.Field) {
	s := &c.scan
	s.Reset(list)
	if s.Kind() == rawjson.Object { // a request, of which some instrumentations keep more
		return
	}
	r.Messages.Logged = true
	if reads&fingerprint.ReadsMessages == 0 {
		return
	}
	r.Messages.Items, c.ends = r.Messages.Items[:0], c.ends[:0]
	from := len(c.json)
	if s.Kind() == rawjson.String {
		c.json = append(c.json, s.Value()...)
		c.ends = append(c.ends, len(c.json))
	}
	tail, lost := -1, false // from where on all is there, and whether something is missing there
	for s.Array(); s.NextElement(); {
		message := orNull(s.Value())
		if c.message(message) {
			continue
		}
		if lost = !isUsers(&c.part, message); !lost {
			tail = len(c.ends)
		}
	}
	c.take(r, from)
	switch {
	case s.End() != nil:
		r.Lost = fingerprint.TruncatedContent
	case r.Lost != fingerprint.Computable:
	case c.mute, lost || tail == len(c.ends):
		r.Lost = fingerprint.LossyContent
	case tail >= 0:
		r.Messages.Tail = true
		r.Messages.Items = append(r.Messages.Items[:0], r.Messages.Items[tail:]...)
	}
}

// isUsers tells the message of a user from an answer, which may have called.
func isUsers(s *rawjson.Scanner, message rawjson.Value) (users bool) {
	s.Reset(message)
	for s.Object(); s.NextNamed("role"); {
		users = string(s.Text(nil)) == "user"
	}
	return users
}

// take hands the messages out that were made since json had length from.
func (c *chat) take(r *fingerprint.Request, from int) {
	for _, end := range c.ends {
		r.Messages.Items = append(r.Messages.Items, c.json[from:end:end])
		from = end
	}
}

// message appends a message: those of the results in it, and itself. It is
// false if the logger kept nothing of what was in the message.
func (c *chat) message(message rawjson.Value) bool {
	s := &c.parts
	s.Reset(message)
	var role, name, parts, content, toolCalls, callID rawjson.Value
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "role":
			role = s.Value()
		case "name":
			name = s.Value()
		case "parts":
			parts = s.Value()
		case "content":
			content = s.Value()
		case "tool_calls": // LiteLLM's otel keeps them beside the parts
			toolCalls = s.Value()
		case "tool_call_id":
			callID = s.Value()
		default:
			s.Skip()
		}
	}
	if isSDK(content) {
		parts = content
	}
	if parts.Kind() != rawjson.Array {
		c.json = append(c.json, message...) // a chat message
		c.ends = append(c.ends, len(c.json))
		return true
	}
	c.calls, c.rest, c.texts = c.calls[:0], c.rest[:0], c.texts[:0]
	some, mute := false, c.mute
	s.Reset(parts)
	for s.Array(); s.NextElement(); some = true {
		c.sort(s.Value())
	}
	if string(role) == `"assistant"` { // who may say nothing beside a call
		c.mute = mute
	}
	if toolCalls.Kind() == rawjson.Array && len(c.calls) == 0 {
		s.Reset(toolCalls)
		for s.Array(); s.NextElement(); some = true {
			c.calls = append(c.calls, s.Value())
		}
	}
	if len(c.calls) == 0 && len(c.rest) == 0 {
		return some
	}
	c.json = append(append(c.json, `{"role":`...), orNull(role)...)
	if name != nil {
		c.json = append(append(c.json, `,"name":`...), name...)
	}
	if callID != nil {
		c.json = append(append(c.json, `,"tool_call_id":`...), callID...)
	}
	for i, part := range c.rest {
		c.json = append(c.json, start(i, `,"content":[`)...)
		c.json = append(c.json, part...)
	}
	if len(c.rest) > 0 {
		c.json = append(c.json, ']')
	}
	for i, call := range c.calls {
		c.json = append(c.json, start(i, `,"tool_calls":[`)...)
		c.json = append(c.json, call...)
	}
	if len(c.calls) > 0 {
		c.json = append(c.json, ']')
	}
	c.json = append(c.json, '}')
	c.ends = append(c.ends, len(c.json))
	return true
}

func start(i int, opening string) string {
	if i == 0 {
		return opening
	}
	return ","
}

var null = []byte("null")

// orNull is a value as it is written, null if there is none.
func orNull(v rawjson.Value) rawjson.Value {
	if v == nil {
		return null
	}
	return v
}

// sort puts a part where it belongs. A result becomes a message of its own.
func (c *chat) sort(part rawjson.Value) {
	s := &c.part
	s.Reset(part)
	var kind []byte
	var id, tool, arguments, content, text, response, result rawjson.Value
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "type":
			kind = s.Text(kind)
		case "id", "toolCallId":
			id = s.Value()
		case "toolName":
			tool = s.Value()
		case "input", "args":
			arguments = s.Value()
		case "content":
			content = s.Value()
		case "text":
			text = s.Value()
		case "response":
			response = s.Value()
		case "result", "output":
			result = s.Value()
		default:
			s.Skip()
		}
	}
	switch string(kind) {
	case "tool_call":
		c.calls = append(c.calls, part)
	case "tool-call":
		from := len(c.texts)
		c.texts = append(append(c.texts, `{"id":`...), orNull(id)...)
		c.texts = append(append(c.texts, `,"name":`...), orNull(tool)...)
		c.texts = append(append(append(c.texts, `,"arguments":`...), orNull(arguments)...), '}')
		c.calls = append(c.calls, c.texts[from:])
	case "tool_call_response", "tool-result":
		if response == nil {
			response = result
		}
		c.json = append(c.json, `{"role":"tool"`...)
		if id != nil {
			c.json = append(append(c.json, `,"tool_call_id":`...), id...)
		}
		c.json = append(append(c.json, `,"content":`...), orNull(response)...)
		c.json = append(c.json, '}')
		c.ends = append(c.ends, len(c.json))
	case "text":
		if text != nil {
			c.rest = append(c.rest, part)
			break
		}
		c.mute = c.mute || content == nil
		from := len(c.texts)
		c.texts = append(append(c.texts, `{"type":"text","text":`...), orNull(content)...)
		c.texts = append(c.texts, '}')
		c.rest = append(c.rest, c.texts[from:])
	case "reasoning", "thinking":
	default:
		c.rest = append(c.rest, part)
	}
}

// issued reads the calls in a list of messages with parts.
func (c *chat) issued(list []byte, r *fingerprint.Request, reads fingerprint.Field) {
	r.ToolCallsLogged = true
	if reads&fingerprint.ReadsResponse == 0 {
		return
	}
	called := false
	s := &c.scan
	s.Reset(list)
	for s.Array(); s.NextElement(); {
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "parts":
				for s.Array(); s.NextElement(); {
					readPartCall(s, r)
				}
			case "tool_calls":
				readToolCalls(s, r, len(r.ToolCalls), reads)
			case "function_call":
				readToolCall(s, r)
			case "finish_reason":
				called = called || endsInCall(s.Text(nil))
			default:
				s.Skip()
			}
		}
	}
	if called && len(r.ToolCalls) == 0 { // LiteLLM keeps that it called, and not what
		r.ToolCallsLogged = false
	}
	wholeCalls(s, r)
}

// wholeCalls drops the calls of a text that was cut: the last may lack its end.
func wholeCalls(s *rawjson.Scanner, r *fingerprint.Request) {
	if s.End() != nil {
		r.ToolCalls, r.ToolCallsLogged = r.ToolCalls[:0], false
		r.Lost = fingerprint.TruncatedContent
	}
}

// readPartCall reads a part of a message, and keeps it if it is a call.
func readPartCall(s *rawjson.Scanner, r *fingerprint.Request) {
	var call fingerprint.ToolCall
	isCall := false
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "type":
			isCall = string(s.Text(nil)) == "tool_call"
		case "id":
			call.ID = s.Text(call.ID)
		default:
			readCallField(s, &call)
		}
	}
	if isCall && call.Name != nil {
		r.ToolCalls = append(r.ToolCalls, call)
	}
}

// isSDK tells the parts of a message in Vercel's AI SDK, whose names of calls
// and results nobody else has.
func isSDK(content rawjson.Value) bool {
	return content.Kind() == rawjson.Array && (bytes.Contains(content, []byte(`"tool-call"`)) || bytes.Contains(content, []byte(`"tool-result"`)))
}

// sdkCalls reads the calls of a response as Vercel's AI SDK has them.
func (c *chat) sdkCalls(list []byte, r *fingerprint.Request) {
	r.ToolCallsLogged = true
	s := &c.scan
	s.Reset(list)
	for s.Array(); s.NextElement(); {
		var call fingerprint.ToolCall
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "toolCallId":
				call.ID = s.Text(call.ID)
			case "toolName":
				call.Name = s.Text(call.Name)
			case "input", "args":
				call.Arguments = readArguments(s, call.Arguments)
			default:
				s.Skip()
			}
		}
		if call.Name != nil {
			r.ToolCalls = append(r.ToolCalls, call)
		}
	}
	wholeCalls(s, r)
}

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
	n, ok = number(digits, 0, len(digits))
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
		c.flatMessage(rest[:n])
		c.ends = append(c.ends, len(c.json))
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
	c.take(r, from)
}

func role(fields []flat) []byte {
	for _, f := range fields {
		if f.kind == flatOwn && string(f.name) == "role" {
			return f.value
		}
	}
	return nil
}

// flatMessage makes one message.
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
				if parts, ok := appendPython(c.json, list); ok {
					c.json = append(parts, ',')
					continue
				}
			} else if bytes.HasPrefix(list, []byte("[{")) && isJSON(&c.part, list) {
				c.json = append(append(c.json, list...), ',')
				continue
			}
			c.json = append(rawjson.AppendString(c.json, f.value), ',')
		case "role", "tool_call_id", "name":
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

// isJSON tells JSON from a text that only has brackets like it, which is all that
// a Scanner looks at where it skips.
func isJSON(s *rawjson.Scanner, text []byte) bool {
	s.Reset(text)
	return isValue(s) && s.End() == nil
}

func isValue(s *rawjson.Scanner) bool {
	switch s.Kind() {
	case rawjson.Object:
		for s.Object(); s.NextKey(); {
			if !isValue(s) {
				return false
			}
		}
	case rawjson.Array:
		for s.Array(); s.NextElement(); {
			if !isValue(s) {
				return false
			}
		}
	case rawjson.String:
		s.Text(nil)
	case rawjson.Number:
		return rawjson.ValidNumber(s.Value())
	default:
		return s.Word("null") || s.Word("true") || s.Word("false")
	}
	return true
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
		if f.kind == flatCall && call.Name != nil {
			r.ToolCalls = append(r.ToolCalls, call)
		}
	}
	r.ToolCallsLogged = len(r.ToolCalls) > 0 || said && !called
}
