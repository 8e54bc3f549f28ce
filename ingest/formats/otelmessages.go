package formats

import (
	"bytes"
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
	bare  int             // length of json if the last of them is calls alone

	inContent bool // messages have their parts there, as Genkit's and Haystack's
}

func (c *chat) reset() {
	c.json, c.found, c.ends, c.mute, c.inContent = c.json[:0], c.found[:0], c.ends[:0], false, false
}

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
	r.Messages.Items, c.ends, c.bare = r.Messages.Items[:0], c.ends[:0], 0
	if s.Kind() == rawjson.String {
		if text := s.Value(); s.End() == nil {
			r.Messages.Items = append(r.Messages.Items, text)
		} else {
			r.Lost = fingerprint.TruncatedContent
		}
		return
	}
	from := len(c.json)
	tail, lost := -1, false // from where on all is there, and whether something is missing there
	for s.Array(); s.NextElement(); {
		message := orNull(s.Value())
		if c.message(message) {
			continue
		}
		c.bare = 0
		// An answer may have called.
		if lost = string(roleOf(&c.part, message)) != "user"; !lost {
			tail = len(c.ends)
		}
	}
	r.Messages.Items = apart(r.Messages.Items, c.json, from, c.ends)
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

// reword puts the messages of r into other words if they are in those of LlamaIndex,
// Vercel's AI SDK, TensorZero or Datadog.
func (c *chat) reword(r *fingerprint.Request) {
	items := r.Messages.Items
	if !slices.ContainsFunc(items, func(message rawjson.Value) bool {
		return bytes.Contains(message, []byte(`"block_type"`)) || bytes.Contains(message, []byte(`"tool_results"`)) || isSDK(message)
	}) {
		return
	}
	from := len(c.json)
	c.ends, c.bare = c.ends[:0], 0
	for _, message := range items {
		c.message(message)
	}
	r.Messages.Items = apart(items[:0], c.json, from, c.ends)
}

// message appends a message: those of the results in it, and itself. It is
// false if the logger kept nothing of what was in the message.
func (c *chat) message(message rawjson.Value) bool {
	s := &c.parts
	s.Reset(message)
	var role, name, parts, content, toolCalls, callID, results rawjson.Value
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "role":
			role = s.Value()
		case "name":
			name = s.Value()
		case "parts", "blocks": // the second of LlamaIndex
			parts = s.Value()
		case "content":
			content = s.Value()
		case "tool_calls": // LiteLLM's otel keeps them beside the parts
			toolCalls = s.Value()
		case "tool_call_id":
			callID = s.Value()
		case "tool_results": // of Datadog, beside an empty content
			results = s.Value()
		case "additional_kwargs": // of LlamaIndex
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "tool_calls":
					toolCalls = s.Value()
				case "tool_call_id":
					callID = s.Value()
				}
			}
		}
	}
	if content.Kind() == rawjson.Array && isSDK(content) || c.inContent {
		parts = content
	}
	if c.results(results) && len(content) <= len(`""`) && toolCalls == nil {
		return true
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
		c.sort(orNull(s.Value()))
	}
	if len(c.calls) > 0 || string(role) == `"model"` { // Gemini CLI calls what the model said a system's
		role = assistant
	}
	if string(role) == `"assistant"` { // who may say nothing beside a call
		c.mute = mute
	}
	if toolCalls.Kind() == rawjson.Array && len(c.calls) == 0 {
		s.Reset(toolCalls)
		for s.Array(); s.NextElement(); some = true {
			c.calls = append(c.calls, orNull(s.Value()))
		}
	}
	if len(c.calls) == 0 && len(c.rest) == 0 {
		return some
	}
	calls := len(c.rest) == 0 && name == nil && callID == nil && string(role) == `"assistant"`
	if calls && len(c.ends) > 0 && c.bare == len(c.json) { // OpenLLMetry's of the Responses API are a message each
		c.json = bytes.TrimSuffix(c.json, []byte("]}"))
		for _, call := range c.calls {
			c.json = append(append(c.json, ','), call...)
		}
		c.json = append(c.json, "]}"...)
		c.bare, c.ends[len(c.ends)-1] = len(c.json), len(c.json)
		return true
	}
	c.json = fill(c.json, `{"role":%`, role)
	if name != nil {
		c.json = fill(c.json, `,"name":%`, name)
	}
	if callID != nil {
		c.json = fill(c.json, `,"tool_call_id":%`, callID)
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
	if calls {
		c.bare = len(c.json)
	}
	return true
}

var assistant = []byte(`"assistant"`)

// sort puts a part where it belongs. A result becomes a message of its own.
func (c *chat) sort(part rawjson.Value) {
	s := &c.part
	s.Reset(part)
	var kind []byte
	block := false
	var id, tool, arguments, content, text, response, result rawjson.Value
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "type":
			kind = s.Text(kind)
		case "block_type": // of LlamaIndex
			if kind = s.Text(kind); string(kind) == "tool_call" {
				kind = []byte("tool-call")
			}
			block = true
		case "id", "toolCallId", "tool_call_id":
			id = s.Value()
		case "toolName", "tool_name":
			tool = s.Value()
		case "input", "args", "tool_kwargs":
			arguments = s.Value()
		case "content":
			content = s.Value()
		case "text":
			text = s.Value()
		case "response":
			response = s.Value()
		case "result", "output":
			result = s.Value()
		case "toolRequest", "toolResponse", "tool_call", "tool_call_result": // of Genkit and Haystack
			kind = []byte("tool-call")
			if string(s.Key) == "toolResponse" || string(s.Key) == "tool_call_result" {
				kind = []byte("tool-result")
			}
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "ref", "id":
					id = s.Value()
				case "name", "tool_name":
					tool = s.Value()
				case "input", "arguments":
					arguments = s.Value()
				case "output", "result":
					result = s.Value()
				case "origin": // the call
					for s.Object(); s.NextNamed("id"); {
						id = s.Value()
					}
				}
			}
		}
	}
	switch string(kind) {
	case "tool_call":
		c.calls = append(c.calls, part)
	case "tool-call":
		from := len(c.texts)
		c.texts = fill(c.texts, `{"id":%,"name":%,"arguments":%}`, id, tool, arguments)
		c.calls = append(c.calls, c.texts[from:])
	case "tool_call_response", "tool-result", "tool_result":
		if content != nil { // Anthropic's
			c.rest = append(c.rest, part)
			break
		}
		if response == nil {
			response = result
		}
		c.result(id, response)
	case "text":
		if block {
			text, content = nil, text
		}
		if text != nil {
			c.rest = append(c.rest, part)
			break
		}
		c.mute = c.mute || content == nil
		from := len(c.texts)
		c.texts = fill(c.texts, `{"type":"text","text":%}`, content)
		c.rest = append(c.rest, c.texts[from:])
	case "reasoning", "thinking":
	default:
		c.rest = append(c.rest, part)
	}
}

// results appends those in a list of Datadog's, each a message.
func (c *chat) results(list rawjson.Value) (some bool) {
	s := &c.part
	s.Reset(list)
	for s.Array(); s.NextElement(); {
		var id, result rawjson.Value
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "tool_id":
				id = s.Value()
			case "result":
				result = s.Value()
			}
		}
		if result != nil {
			c.result(id, result)
			some = true
		}
	}
	return some
}

// result appends the message of a result.
func (c *chat) result(id, content rawjson.Value) {
	c.json = append(c.json, `{"role":"tool"`...)
	if id != nil {
		c.json = fill(c.json, `,"tool_call_id":%`, id)
	}
	c.json = fill(c.json, `,"content":%}`, content)
	c.ends = append(c.ends, len(c.json))
}

// issued reads the calls in a list of messages with parts, or of what the provider
// answered, as Laminar keeps it: choices, items, or Anthropic's message.
func (c *chat) issued(list []byte, r *fingerprint.Request, reads fingerprint.Field) {
	r.ToolCallsLogged = true
	if reads&fingerprint.ReadsResponse == 0 {
		return
	}
	called := false
	s := &c.scan
	s.Reset(list)
	for s.Array(); s.NextElement(); {
		var item itemCall
		keep := len(r.ToolCalls)
		for s.Object(); s.NextKey(); {
			if string(s.Key) == "finish_reason" {
				called = endsInCall(s.Text(nil)) || called
			} else {
				readAnswerMember(s, &item, r, keep, reads)
			}
		}
		item.keep(r)
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

// isSDK tells a message in Vercel's AI SDK, or its parts, whose names of calls and
// results nobody else has, or one of TensorZero's, whose results have Anthropic's.
func isSDK(message rawjson.Value) bool {
	return bytes.Contains(message, []byte(`"tool-call"`)) || bytes.Contains(message, []byte(`"tool-result"`)) ||
		bytes.Contains(message, []byte(`"tool_call"`)) || bytes.Contains(message, []byte(`"tool_result"`)) && bytes.Contains(message, []byte(`"result"`))
}

// sdkCalls reads the calls of a response as Vercel's AI SDK has them.
func (c *chat) sdkCalls(list []byte, r *fingerprint.Request) {
	r.ToolCallsLogged = true
	s := &c.scan
	s.Reset(list)
	readToolCalls(s, r, len(r.ToolCalls), fingerprint.AllFields)
	wholeCalls(s, r)
}
