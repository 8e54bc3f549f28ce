package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// gemini puts the contents of Google's generateContent into Anthropic's words,
// by the names of its REST API or, in snake case, of its Python SDK. What it
// gives lies in its own memory until the next.
type gemini struct {
	list rawjson.Scanner // of contents
	part rawjson.Scanner // of a call or a result
	text []byte          // system prompt and messages, one behind the other
	ends []int           // of each message in it
	// Names stand for ids unless every call and every result has one: clients
	// answer without the id that a call had, and older models give none.
	byName, unnamed bool
}

// read puts contents and a system prompt into other words.
func (g *gemini) read(contents, instruction rawjson.Value, m *fingerprint.Messages) {
	g.text = g.text[:0]
	if instruction != nil {
		g.instruction(instruction)
	}
	end := len(g.text)
	g.contents(contents)
	m.Items = apart(m.Items, g.text, end, g.ends)
	if end > 0 {
		m.System = g.text[:end:end]
	}
}

// bare puts contents without a request around them into other words.
func (g *gemini) bare(contents rawjson.Value, m *fingerprint.Messages, reads fingerprint.Field) {
	*m = fingerprint.Messages{Items: m.Items[:0], Logged: true, Reworded: true}
	if reads&fingerprint.ReadsMessages != 0 {
		g.read(contents, nil, m)
	}
}

// areContents tells a whole list of contents from one of messages, which have
// content, or parts that say their type.
func areContents(s *rawjson.Scanner, list []byte) bool {
	parts, others := false, false
	s.Reset(list)
	for s.Array(); s.NextElement(); {
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "parts":
				parts = true
				for s.Array(); s.NextElement(); {
					for s.Object(); s.NextNamed("type"); {
						others = true
					}
				}
			case "content":
				others = true
			}
		}
	}
	return parts && !others && s.End() == nil
}

// contents puts a list of contents into other words. A single one may stand
// there as it is, and a text for it.
func (g *gemini) contents(list rawjson.Value) {
	from := len(g.text)
	for g.byName = false; ; g.byName = true {
		g.text, g.ends, g.unnamed = g.text[:from], g.ends[:0], false
		s := &g.list
		s.Reset(list)
		if s.Kind() == rawjson.Array {
			for s.Array(); s.NextElement(); {
				g.content(s)
			}
		} else {
			g.content(s)
		}
		if g.byName || !g.unnamed {
			return
		}
	}
}

// instruction writes a system prompt: contents without a role, or, as Google's
// SDK takes it, a text or a list of parts.
func (g *gemini) instruction(v rawjson.Value) {
	s := &g.list
	s.Reset(v)
	switch s.Kind() {
	case rawjson.String:
		g.text = append(g.text, s.Value()...)
	case rawjson.Array:
		g.parts(s)
	default:
		for s.Object(); s.NextNamed("parts"); {
			g.text = g.text[:0]
			g.parts(s)
		}
	}
}

// content writes one of the contents as a message. Without a role it is the
// user's, as Google has it, and so is one with the role function.
func (g *gemini) content(s *rawjson.Scanner) {
	role := "user"
	g.text = append(g.text, '{')
	if s.Kind() == rawjson.String {
		g.text = fill(g.text, `"content":%,`, s.Value())
	} else {
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "role":
				switch text := s.Text(nil); {
				case equalFold(text, "model"), equalFold(text, "assistant"):
					role = "assistant"
				case equalFold(text, "system"):
					role = "system"
				}
			case "parts":
				if s.Kind() == rawjson.Null {
					continue
				}
				g.text = append(g.text, `"content":`...)
				g.parts(s)
				g.text = append(g.text, ',')
			}
		}
	}
	g.text = append(append(append(g.text, `"role":"`...), role...), `"}`...)
	g.ends = append(g.ends, len(g.text))
}

// parts writes a list of parts; a single one may stand there as it is.
func (g *gemini) parts(s *rawjson.Scanner) {
	g.text = append(g.text, '[')
	if s.Kind() == rawjson.Array {
		n := 0
		for s.Array(); s.NextElement(); n++ {
			g.text = append(g.text, start(n, "")...)
			g.block(s)
		}
	} else {
		g.block(s)
	}
	g.text = append(g.text, ']')
}

// block writes a part. What is neither text nor call nor result stays as it
// is, but for its signature, which is new each time.
func (g *gemini) block(s *rawjson.Scanner) {
	var text, call, result rawjson.Value
	thought := false
	from := len(g.text)
	if s.Kind() == rawjson.String {
		g.text = fill(g.text, `{"type":"text","text":%}`, s.Value())
		return
	}
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "text":
			text = s.Value()
		case "thought":
			thought, _ = s.Bool()
		case "functionCall", "function_call":
			call = s.Value()
		case "functionResponse", "function_response":
			result = s.Value()
		case "thoughtSignature", "thought_signature":
		default:
			name := len(g.text)
			g.text = append(g.text, start(name-from, "{")...)
			g.text = append(rawjson.AppendString(g.text, s.Key), ':')
			if v := s.Value(); v != nil { // the SDK writes all that there is not
				g.text = append(g.text, v...)
			} else {
				g.text = g.text[:name]
			}
		}
	}
	switch {
	case call != nil:
		g.text = g.text[:from]
		g.call(call)
	case result != nil:
		g.text = g.text[:from]
		g.result(result)
	case thought, text == nil && len(g.text) == from:
		g.text = append(g.text[:from], `{"type":"thinking"}`...)
	case text != nil:
		g.text = fill(g.text[:from], `{"type":"text","text":%}`, text)
	default:
		g.text = append(g.text, '}')
	}
}

// call writes a call. Arguments that are left out are none.
func (g *gemini) call(v rawjson.Value) {
	id, name, arguments, _ := g.members(v, "args")
	if arguments == nil {
		arguments = noArguments
	}
	g.text = fill(g.text, `{"type":"tool_use","id":%,"name":%,"input":%}`, g.id(id, name), name, arguments)
}

// noArguments are those of a call without any, which other APIs write.
var noArguments = []byte("{}")

// result writes a result. By Google's words the member output is what came out,
// and error what went wrong; its own SDK says result. Beside others they are
// left where they are.
func (g *gemini) result(v rawjson.Value) {
	id, name, response, parts := g.members(v, "response")
	g.text = fill(g.text, `{"type":"tool_result","tool_use_id":%`, g.id(id, name))
	var text rawjson.Value
	failed, members := false, 0
	s := &g.part
	s.Reset(response)
	for s.Object(); s.NextKey(); members++ {
		switch string(s.Key) {
		case "output", "result", "error":
			failed = string(s.Key) == "error"
			text = s.Value()
		}
	}
	if members == 1 && text.Kind() == rawjson.String {
		response = text
		if failed {
			g.text = append(g.text, `,"is_error":true`...)
		}
	}
	if parts == nil {
		g.text = fill(g.text, `,"content":%}`, response)
	} else {
		g.text = fill(g.text, `,"content":[{"response":%},{"parts":%}]}`, response, parts)
	}
}

// members are those of a call or a result: what was sent or came out goes by
// the name of what, and beside it may be parts, images and the like.
func (g *gemini) members(v rawjson.Value, what string) (id, name, value, parts rawjson.Value) {
	s := &g.part
	s.Reset(v)
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "id":
			id = s.Value()
		case "name":
			name = s.Value()
		case "parts":
			parts = s.Value()
		case what:
			value = s.Value()
		}
	}
	return id, name, value, parts
}

// id is what ties a result to its call.
func (g *gemini) id(id, name rawjson.Value) rawjson.Value {
	if len(id) <= len(`""`) {
		g.unnamed = true
	}
	if g.byName {
		return name
	}
	return id
}

// readParts appends the calls in one of the contents.
func readParts(s *rawjson.Scanner, calls []fingerprint.ToolCall) []fingerprint.ToolCall {
	for s.Object(); s.NextNamed("parts"); {
		calls = readFunctionCalls(s, calls)
	}
	return calls
}

// readFunctionCalls appends the calls in a list of parts.
func readFunctionCalls(s *rawjson.Scanner, calls []fingerprint.ToolCall) []fingerprint.ToolCall {
	for s.Array(); s.NextElement(); {
		if call, ok := readFunctionCall(s); ok {
			calls = append(calls, call)
		}
	}
	return calls
}

// readFunctionCall reads a part that may be a call, also in OpenTelemetry's words. It
// has no arguments if they come in parts, with the chunks of a stream.
func readFunctionCall(s *rawjson.Scanner) (call fingerprint.ToolCall, ok bool) {
	continued, isCall := false, false
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "functionCall", "function_call":
			call.Arguments, isCall = noArguments, true
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "willContinue", "will_continue":
					more, _ := s.Bool()
					continued = continued || more
				case "partialArgs", "partial_args":
					continued = continued || s.Kind() != rawjson.Null
				default:
					readCallMember(s, &call)
				}
			}
		case "type":
			isCall = isCall || string(s.Text(nil)) == "tool_call"
		default:
			readCallMember(s, &call)
		}
	}
	if continued {
		call.Arguments = nil
	}
	return call, isCall && call.Name != nil
}
