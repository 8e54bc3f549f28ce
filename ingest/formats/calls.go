package formats

import (
	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// readResponse reads the tool calls that the model issued: choices of Chat
// Completions, output items of Responses, content blocks of Anthropic,
// candidates of Google, the output of Converse, the message of Ollama. It returns the
// member usage, nil if there is none.
func readResponse(s *rawjson.Scanner, r *fingerprint.Request, reads fingerprint.Field) (usage rawjson.Value) {
	// Also where it is empty, null or a text: what failed issued no calls, and
	// the calls of the request's past are not its own.
	r.ToolCallsLogged = true
	if reads&fingerprint.ReadsResponse == 0 {
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "previous_response_id":
				if reads&fingerprint.ReadsMessages != 0 {
					continues(s, r)
				}
			case "usage":
				usage = s.Value()
			}
		}
		return usage
	}
	if s.Kind() != rawjson.Object {
		s.Skip()
		return nil
	}
	called := false
	keep := len(r.ToolCalls)
	var item itemCall
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "previous_response_id":
			continues(s, r)
		case "usage":
			usage = s.Value()
		case "text":
			// All that LiteLLM leaves of a response that it cannot redact in
			// parts: whether there were calls is not known.
			if string(s.Text(nil)) == redacted {
				r.ToolCallsLogged, r.Lost = false, fingerprint.RedactedContent
			}
		case "choices": // a text where syslog-ng's json-parser has taken the line apart
			list, whole := s, true
			if s.Kind() == rawjson.String {
				list, whole = jsonIn(s, &rawjson.Scanner{}, "[")
			}
			if !whole {
				r.ToolCallsLogged = false
				continue
			}
			for list.Array(); list.NextElement(); {
				for list.Object(); list.NextKey(); {
					switch string(list.Key) {
					case "message":
						readMessageCalls(list, r, reads)
					case "finish_reason":
						called = endsInCall(list.Text(nil)) || called
					}
				}
			}
		case "stop_reason", "stopReason", "finish_reason": // of Anthropic, of Converse, of a choice alone
			called = endsInCall(s.Text(nil)) || called
		case "response": // what Gemini CLI gets, and the last event of Responses
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "candidates", "output":
					readAnswerMember(s, &item, r, keep, reads)
				}
			}
		default:
			readAnswerMember(s, &item, r, keep, reads)
		}
	}
	item.keep(r)
	if called && len(r.ToolCalls) == 0 { // the text of a stream alone was kept
		r.ToolCallsLogged = false
	}
	return usage
}

// redacted is what LiteLLM writes with turn_off_message_logging.
const redacted = "redacted-by-litellm"

// continues reads what a response says of the one before it: the provider keeps
// what was said up to there.
func continues(s *rawjson.Scanner, r *fingerprint.Request) {
	if s.Kind() == rawjson.String && r.Lost == fingerprint.Computable {
		r.Lost = fingerprint.HistoryElsewhere
	}
	s.Skip()
}

// endsInCall tells the reason for which an answer ended that calls tools.
func endsInCall(reason []byte) bool {
	switch string(reason) {
	case "tool_calls", "tool_call", "tool-calls", "function_call", "tool_use":
		return true
	}
	return false
}

func readMessageCalls(s *rawjson.Scanner, r *fingerprint.Request, reads fingerprint.Field) {
	before := len(r.ToolCalls) // those of other choices
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "tool_calls":
			readToolCalls(s, r, before, reads)
		case "function_call":
			r.ToolCalls = readToolCall(s, r.ToolCalls)
		}
	}
}

// readToolCalls reads a list of calls: OpenAI's with function {name, arguments}
// or custom {name, input}, or with name and arguments (input) in the object
// itself. They stand behind the first keep calls of r, in the place of what a
// list of the same name gave before; an empty list does not erase that.
func readToolCalls(s *rawjson.Scanner, r *fingerprint.Request, keep int, reads fingerprint.Field) {
	if reads&fingerprint.ReadsResponse == 0 {
		s.Skip()
		return
	}
	for s.Array(); s.NextElement(); keep = len(r.ToolCalls) {
		r.ToolCalls = readToolCall(s, r.ToolCalls[:keep])
	}
}

// readToolCall reads a call, and appends it to others if it has a name.
func readToolCall(s *rawjson.Scanner, calls []fingerprint.ToolCall) []fingerprint.ToolCall {
	var call fingerprint.ToolCall
	readCall(s, &call)
	return keepCall(calls, call)
}

func readCall(s *rawjson.Scanner, call *fingerprint.ToolCall) {
	for s.Object(); s.NextKey(); {
		readCallMember(s, call)
	}
}

// keepCall appends a call to others if it has a name.
func keepCall(calls []fingerprint.ToolCall, call fingerprint.ToolCall) []fingerprint.ToolCall {
	if call.Name == nil {
		return calls
	}
	return append(calls, call)
}

func readCallMember(s *rawjson.Scanner, call *fingerprint.ToolCall) {
	switch string(s.Key) {
	case "id", "call_id", "toolCallId", "toolUseId", "ref": // the last two of Converse and Genkit
		call.ID = s.Text(call.ID)
	case "function", "custom":
		for s.Object(); s.NextKey(); {
			readCallField(s, call)
		}
	default:
		readCallField(s, call)
	}
}

func readCallField(s *rawjson.Scanner, call *fingerprint.ToolCall) {
	switch string(s.Key) {
	case "name", "toolName", "tool_name": // the last of Haystack
		call.Name = s.Text(call.Name)
	case "arguments", "input", "args": // the last of LangChain and the AI SDK
		call.Arguments = readArguments(s, call.Arguments)
	}
}

// readItemCalls reads a list of output items or content blocks, and keeps those that
// are calls.
func readItemCalls(s *rawjson.Scanner, r *fingerprint.Request) {
	for s.Array(); s.NextElement(); {
		item := readItem(s)
		item.keep(r)
	}
}

var toolUse = []byte("tool_use")

// itemCall is an output item or content block that may be a call.
type itemCall struct {
	call   fingerprint.ToolCall
	kind   []byte
	action []byte // of a builtin tool
}

// readItem reads all of one.
func readItem(s *rawjson.Scanner) (i itemCall) {
	for s.Object(); s.NextKey(); {
		i.field(s)
	}
	return i
}

func (i *itemCall) field(s *rawjson.Scanner) {
	switch string(s.Key) {
	case "type":
		i.kind = s.Text(i.kind)
	case "id": // of Responses: the item's
		i.call.ID = first(i.call.ID, s.Text(nil))
	case "call_id", "toolCallId": // the second of the AI SDK
		i.call.ID = s.Text(i.call.ID)
	case "action", "actions", "operation":
		i.action = readArguments(s, i.action)
	case "function": // of Chat Completions, in a list of nothing but calls
		for s.Object(); s.NextKey(); {
			readCallField(s, &i.call)
		}
	case "toolUse": // of Converse, a block that is nothing but this
		i.kind = toolUse
		readCall(s, &i.call)
	default:
		readCallField(s, &i.call)
	}
}

// isCall tells whether it is one, once all of it was read: that of a builtin tool
// gets its name and arguments.
func (i *itemCall) isCall() bool {
	switch string(i.kind) {
	case "function_call", "custom_tool_call", "tool_use", "function",
		"tool-call", "tool_call", "toolCall": // of the AI SDK, of OpenTelemetry and LangChain, and of pi
		return true
	}
	if !fingerprint.IsBuiltinCall(i.kind) {
		return false
	}
	i.call.Name, i.call.Arguments = i.kind, i.action
	return true
}

// keep appends it to the calls of r if it is one.
func (i *itemCall) keep(r *fingerprint.Request) {
	if i.isCall() {
		r.ToolCalls = keepCall(r.ToolCalls, i.call)
	}
}
