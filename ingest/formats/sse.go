package formats

import (
	"bytes"
	"iter"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// streamed puts the tool calls of a streamed response together again, from the
// server-sent events as they went over the line: chunks of Chat Completions,
// Anthropic's content blocks, items of Responses, Google's candidates, Converse's
// blocks.
type streamed struct {
	scan  rawjson.Scanner // of one event
	calls []streamedCall
	done  bool                   // the stream was not cut off
	lost  bool                   // not all is put together: Google's arguments in parts, more calls than mostCalls
	found []fingerprint.ToolCall // in a chunk of Google's
}

// streamedCall is a call in the making. A stream tells calls apart by index.
type streamedCall struct {
	choice, index int64
	id, name      []byte
	begun         []byte // Anthropic's arguments as the block starts: whole if no more come
	arguments     []byte // as far as they have come
}

// eventData are the lines of data of the events of a stream.
func eventData(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(text) > 0 {
			var line []byte
			line, text, _ = bytes.Cut(text, []byte("\n"))
			if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && !yield(bytes.TrimSpace(data)) {
				return
			}
		}
	}
}

// read notes the calls and the tokens of a response. One that breaks off says
// nothing of its calls: the last of them may lack its end.
func (p *streamed) read(text []byte, r *fingerprint.Request, reads fingerprint.Field) {
	p.reset()
	for data := range eventData(text) {
		if string(data) == "[DONE]" {
			p.done = true
			continue
		}
		p.scan.Reset(data)
		p.event(r)
	}
	p.finish(r, reads)
}

func (p *streamed) reset() {
	p.calls, p.done, p.lost = p.calls[:0], false, false
}

// readList is read for a stream that is logged as a list of its events.
func (p *streamed) readList(list rawjson.Value, r *fingerprint.Request, reads fingerprint.Field) {
	p.reset()
	s := &p.scan
	s.Reset(list)
	for s.Array(); s.NextElement(); {
		p.event(r)
	}
	p.finish(r, reads)
}

// finish puts the calls together.
func (p *streamed) finish(r *fingerprint.Request, reads fingerprint.Field) {
	if !p.done || p.lost {
		return
	}
	r.ToolCallsLogged = true
	if reads&fingerprint.ReadsResponse == 0 {
		return
	}
	for i := range p.calls {
		c := &p.calls[i]
		if len(c.name) == 0 {
			continue
		}
		arguments := c.arguments
		if len(arguments) == 0 {
			arguments = append([]byte{}, c.begun...) // there, if they are empty
		}
		r.ToolCalls = append(r.ToolCalls, fingerprint.ToolCall{ID: first(c.id), Name: c.name, Arguments: arguments})
	}
}

// mostCalls bounds the calls that each part of one is looked for among. No model
// makes as many.
const mostCalls = 1000

// call is the last call with the given index, which is made if there is none.
func (p *streamed) call(choice, index int64) *streamedCall {
	for i := len(p.calls) - 1; i >= 0; i-- {
		if c := &p.calls[i]; c.choice == choice && c.index == index {
			return c
		}
	}
	return p.begin(choice, index)
}

func (p *streamed) begin(choice, index int64) *streamedCall {
	if len(p.calls) >= mostCalls {
		p.lost = true
		return &p.calls[0]
	}
	n := len(p.calls)
	p.calls = slices.Grow(p.calls, 1)[:n+1]
	c := &p.calls[n] // with the memory of one of an earlier stream
	*c = streamedCall{choice, index, c.id[:0], c.name[:0], c.begun[:0], c.arguments[:0]}
	return c
}

// event reads one event. The members of all dialects have names of their own.
func (p *streamed) event(r *fingerprint.Request) {
	s := &p.scan
	var index int64
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "choices":
			for s.Array(); s.NextElement(); {
				p.choice(s)
			}
		case "type":
			switch string(s.Text(nil)) {
			case "message_stop", "response.completed", "response.failed", "response.incomplete":
				p.done = true
			}
		case "index", "output_index":
			index = readCount(s, index)
		case "content_block", "item":
			p.block(s, index)
		case "delta":
			for s.Object(); s.NextNamed("partial_json"); {
				c := p.call(0, index)
				c.arguments = append(c.arguments, s.Text(nil)...)
			}
		case "contentBlockStart", "contentBlockDelta":
			p.converse(s)
		case "messageStop":
			p.done = true
		case "candidates":
			p.candidates(s)
		case "promptFeedback": // Google refused to answer, and there are no candidates
			for s.Object(); s.NextNamed("blockReason"); {
				p.done = true
			}
		case "message", "response", "metadata": // Anthropic's first event, the last of Responses, Gemini CLI's, the last of Converse
			for s.Object(); s.NextKey(); {
				if string(s.Key) == "candidates" {
					p.candidates(s)
				} else {
					readUsageField(s, r)
				}
			}
		default:
			readUsageField(s, r)
		}
	}
}

// choice reads a choice of a chunk.
func (p *streamed) choice(s *rawjson.Scanner) {
	var choice int64
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "index":
			choice = readCount(s, choice)
		case "finish_reason": // not everybody sends [DONE] behind it
			p.done = len(s.Text(nil)) > 0 || p.done
		case "delta":
			for s.Object(); s.NextKey(); {
				switch string(s.Key) {
				case "tool_calls":
					for s.Array(); s.NextElement(); {
						p.delta(s, choice)
					}
				case "function_call": // the older form, of one call
					p.delta(s, choice)
				}
			}
		}
	}
}

// delta reads a part of a call of a chunk.
func (p *streamed) delta(s *rawjson.Scanner, choice int64) {
	var index int64
	var part fingerprint.ToolCall
	for s.Object(); s.NextKey(); {
		if string(s.Key) == "index" {
			index = readCount(s, index)
		} else {
			readCallMember(s, &part)
		}
	}
	// Gateways to other providers give each of several calls the index 0.
	if len(part.ID) > 0 && len(part.Name) > 0 {
		if c := p.call(choice, index); len(c.id) > 0 && !bytes.Equal(c.id, part.ID) {
			p.begin(choice, index)
		}
	}
	p.call(choice, index).add(&part)
}

// add adds to a call what there is of it.
func (c *streamedCall) add(part *fingerprint.ToolCall) {
	if len(part.ID) > 0 {
		c.id = append(c.id[:0], part.ID...)
	}
	if len(part.Name) > 0 {
		c.name = append(c.name[:0], part.Name...)
	}
	c.arguments = append(c.arguments, part.Arguments...)
}

// block reads a content block of Anthropic as it starts, or an item of
// Responses, which comes once empty and once whole.
func (p *streamed) block(s *rawjson.Scanner, index int64) {
	item := readItem(s)
	if !item.isCall() {
		return
	}
	c := p.call(0, index)
	if string(item.kind) == "tool_use" {
		c.begun = append(c.begun[:0], item.call.Arguments...)
		item.call.Arguments = nil
	} else {
		c.arguments = c.arguments[:0]
	}
	c.add(&item.call)
}

// converse reads a block of Converse as it starts, or what comes to it. Its index
// stands in front or behind.
func (p *streamed) converse(s *rawjson.Scanner) {
	var index int64
	var call fingerprint.ToolCall
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "contentBlockIndex":
			index = readCount(s, index)
		case "start", "delta":
			for s.Object(); s.NextNamed("toolUse"); {
				readCall(s, &call)
			}
		}
	}
	if call.ID != nil || call.Arguments != nil {
		p.call(0, index).add(&call)
	}
}

// candidates reads the candidates of a chunk of Google's, in which calls stand
// whole, unless the client asked for their arguments in parts.
func (p *streamed) candidates(s *rawjson.Scanner) {
	for s.Array(); s.NextElement(); {
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "content":
				p.found = readParts(s, p.found[:0])
				for _, call := range p.found {
					p.lost = p.lost || call.Arguments == nil
					p.begin(0, 0).add(&call)
				}
			case "finishReason", "finish_reason":
				p.done = len(s.Text(nil)) > 0 || p.done
			}
		}
	}
}
