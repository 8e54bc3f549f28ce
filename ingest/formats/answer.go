package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// answer reads the body of a response, or what was kept of one: calls and tokens, of
// JSON or of a stream of events. It has scanners of its own, because the body may lie in
// the memory of the line's.
type answer struct {
	usage rawjson.Scanner
	calls rawjson.Scanner
	parts streamed
}

// read takes the body apart. What is neither says nothing.
func (p *answer) read(body []byte, r *fingerprint.Request, reads fingerprint.Field) {
	body = bytes.TrimLeft(body, " \t\r\n")
	s := &p.calls
	s.Reset(body)
	switch {
	case wrap.IsEvents(body):
		p.parts.read(body, r, reads)
		return
	case s.Kind() == rawjson.Object:
		p.tokens(body, r)
		readResponse(s, r, reads)
	case isAnswers(s, body):
		p.tokens(body, r)
		readAnswers(s, r, reads)
	case s.Kind() == rawjson.Array: // of Google, if it is not asked for events
		p.parts.readList(body, r, reads)
		return
	}
	if s.End() != nil { // cut: the last call may lack its end
		r.ToolCalls, r.ToolCallsLogged = r.ToolCalls[:0], false
	}
}

// isAnswers tells a list of messages, choices, candidates, items or whole responses, as
// OpenAI's Agents SDK keeps them, from one of the events of a stream, and leaves s at its
// start.
func isAnswers(s *rawjson.Scanner, list []byte) (are bool) {
	if s.Array(); s.NextElement() {
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "role", "finish_reason", "finishReason":
				are = true
			case "object":
				switch string(s.Text(nil)) {
				case "chat.completion", "response":
					are = true
				}
			case "type":
				switch string(s.Text(nil)) {
				case "message", "reasoning", "function_call", "custom_tool_call", "text", "thinking", "tool_use", "function", "tool_call", "tool-call":
					are = true
				}
			}
		}
	}
	s.Reset(list)
	return are
}

// readAnswers reads a list of answers, or of the parts of one. What comes behind the
// results of tools is the next: the AI SDK has those of the steps before in front.
func readAnswers(s *rawjson.Scanner, r *fingerprint.Request, reads fingerprint.Field) {
	r.ToolCallsLogged = true
	if reads&fingerprint.ReadsResponse == 0 {
		s.Skip()
		return
	}
	first, answered := len(r.ToolCalls), false
	for s.Array(); s.NextElement(); {
		keep, result := len(r.ToolCalls), false
		var item itemCall
		for s.Object(); s.NextKey(); {
			if string(s.Key) == "role" {
				result = string(s.Text(nil)) == "tool"
			} else {
				readAnswerMember(s, &item, r, keep, reads)
			}
		}
		item.keep(r)
		if answered && !result {
			r.ToolCalls = append(r.ToolCalls[:first], r.ToolCalls[keep:]...)
		}
		answered = result
	}
}

// tokens reads those of a response, or the sum of those in a list: each is of a call.
func (p *answer) tokens(body []byte, r *fingerprint.Request) {
	s := &p.usage
	s.Reset(body)
	if s.Kind() != rawjson.Array {
		p.counts(r)
		return
	}
	const none = fingerprint.Unknown
	in, out, cached := int64(none), int64(none), int64(none)
	for s.Array(); s.NextElement(); {
		one := fingerprint.Request{TokensIn: none, TokensOut: none, TokensCached: none}
		p.counts(&one)
		in, out, cached = plus(in, one.TokensIn), plus(out, one.TokensOut), plus(cached, one.TokensCached)
	}
	keepTokens(r, in, out, cached)
}

// plus adds counts of which each may be unknown.
func plus(a, b int64) int64 {
	if a == fingerprint.Unknown || b == fingerprint.Unknown {
		return max(a, b)
	}
	return min(a+b, maxCount)
}

func (p *answer) counts(r *fingerprint.Request) {
	s := &p.usage
	for s.Object(); s.NextKey(); {
		if string(s.Key) != "response" {
			readUsageField(s, r)
			continue
		}
		for s.Object(); s.NextKey(); { // of Gemini CLI
			readUsageField(s, r)
		}
	}
}

// readAnswer reads a response, a message, or an item that is a call.
func readAnswer(s *rawjson.Scanner, r *fingerprint.Request, reads fingerprint.Field) {
	readAnswerBehind(s, r, len(r.ToolCalls), reads)
}

// readAnswerBehind reads it behind the first keep calls of r.
func readAnswerBehind(s *rawjson.Scanner, r *fingerprint.Request, keep int, reads fingerprint.Field) {
	var item itemCall
	for s.Object(); s.NextKey(); {
		readAnswerMember(s, &item, r, keep, reads)
	}
	item.keep(r)
}

// readAnswerMember reads a member of an answer, item being what the answer is if it is
// an item. Calls beside the content of a message of LangChain's are in it once more,
// as the provider wrote them, and in additional_kwargs.
func readAnswerMember(s *rawjson.Scanner, item *itemCall, r *fingerprint.Request, keep int, reads fingerprint.Field) {
	called := len(r.ToolCalls) > keep
	switch string(s.Key) {
	case "choices", "messages", "candidates": // the last of Google
		for s.Array(); s.NextElement(); {
			readAnswer(s, r, reads)
		}
	case "generations": // of LangChain, those of each call in a list
		for s.Array(); s.NextElement(); {
			for s.Array(); s.NextElement(); {
				readAnswer(s, r, reads)
			}
		}
	case "message", "kwargs", "data": // the last two of a message of LangChain's
		readAnswerBehind(s, r, keep, reads)
	case "output", "content":
		switch {
		case s.Kind() == rawjson.Object: // a message, or of Google's ADK
			readAnswerBehind(s, r, keep, reads)
		case s.Kind() == rawjson.Array && !called:
			readItemCalls(s, r)
		}
	case "parts":
		r.ToolCalls = readFunctionCalls(s, r.ToolCalls)
	case "tool_calls", "toolCalls": // the second of OpenRouter
		readToolCalls(s, r, keep, reads)
	case "function_call", "additional_kwargs":
		switch {
		case called:
		case string(s.Key) == "function_call":
			r.ToolCalls = readToolCall(s, r.ToolCalls)
		default:
			readMessageCalls(s, r, reads)
		}
	default:
		item.field(s)
	}
}
