package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// responseText reads a response body that a log holds as text: JSON, or the
// server-sent events of a streamed answer, put together again. Calls alias its
// memory until the next read.
type responseText struct {
	scan  rawjson.Scanner
	inner rawjson.Scanner
	calls []streamedCall
	n     int // calls in use; those behind keep their memory

	one   fingerprint.Request // scratch of block
	items []fingerprint.ToolCall
}

// streamedCall is a call that comes in pieces.
type streamedCall struct {
	index               int64 // of the call or content block, as the provider counts
	id, name, arguments []byte
	done                bool // Anthropic said that nothing more comes
}

// read takes the tool calls and the token counts out of the text of a
// response. Of a stream that broke off, calls whose arguments are not complete
// are no calls: nobody has carried them out.
func (p *responseText) read(text []byte, r *fingerprint.Request, reads fingerprint.Field) {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 {
		return
	}
	s := &p.scan
	if text[0] == '{' {
		s.Reset(text)
		readResponse(s, r, reads)
		if s.End() != nil {
			r.ToolCalls, r.ToolCallsLogged = r.ToolCalls[:0], false
		}
		return
	}
	p.n = 0
	events := false
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte{'\n'})
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if data = bytes.TrimSpace(data); !ok || len(data) == 0 || data[0] != '{' {
			continue
		}
		events = true
		s.Reset(data)
		p.event(s, r)
	}
	if !events {
		return
	}
	r.ToolCallsLogged = true
	if reads&fingerprint.ReadsResponse == 0 {
		return
	}
	for i := range p.calls[:p.n] {
		c := &p.calls[i]
		if len(c.name) == 0 {
			continue
		}
		call := fingerprint.ToolCall{ID: c.id, Name: c.name}
		switch {
		case len(c.arguments) > 0:
			s.Reset(c.arguments)
			if s.Skip(); s.End() != nil {
				continue
			}
			call.Arguments = c.arguments
		case c.done:
			call.Arguments = []byte("{}")
		}
		r.ToolCalls = append(r.ToolCalls, call)
	}
}

// event reads one event of a stream: a chunk of Chat Completions, or an event
// of Responses or Anthropic's Messages.
func (p *responseText) event(s *rawjson.Scanner, r *fingerprint.Request) {
	var index int64 = -1
	stop := false
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "type":
			stop = string(s.Text(nil)) == "content_block_stop"
		case "index", "output_index":
			if n, ok := s.Int(); ok {
				index = n
			}
		case "choices":
			for s.Array(); s.NextElement(); {
				for s.Object(); s.NextKey(); {
					if string(s.Key) == "delta" {
						p.delta(s)
					} else {
						s.Skip()
					}
				}
			}
		case "content_block", "item":
			p.block(s, index)
		case "delta":
			if s.Kind() != rawjson.Object {
				s.Skip() // of Responses: item, when it is done, has all of it
				continue
			}
			for s.Object(); s.NextKey(); {
				if string(s.Key) == "partial_json" {
					c := p.call(index)
					c.arguments = append(c.arguments, s.Text(nil)...)
				} else {
					s.Skip()
				}
			}
		case "usage":
			readUsage(s, r)
		case "message", "response":
			for s.Object(); s.NextKey(); {
				if string(s.Key) == "usage" {
					readUsage(s, r)
				} else {
					s.Skip()
				}
			}
		default:
			s.Skip()
		}
	}
	for i := range p.calls[:p.n] {
		if stop && p.calls[i].index == index {
			p.calls[i].done = true
		}
	}
}

// delta reads what a chunk of Chat Completions adds to the message.
func (p *responseText) delta(s *rawjson.Scanner) {
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "tool_calls":
			for s.Array(); s.NextElement(); {
				p.piece(s)
			}
		case "function_call":
			p.function(s, p.call(-1))
		default:
			s.Skip()
		}
	}
}

// piece reads one entry of a chunk's list of calls. Its index may come last.
func (p *responseText) piece(s *rawjson.Scanner) {
	piece := s.Value()
	if piece == nil {
		return
	}
	var index int64
	in := &p.inner
	in.Reset(piece)
	for in.Object(); in.NextKey(); {
		if string(in.Key) == "index" {
			if n, ok := in.Int(); ok {
				index = n
			}
		} else {
			in.Skip()
		}
	}
	c := p.call(index)
	in.Reset(piece)
	for in.Object(); in.NextKey(); {
		switch string(in.Key) {
		case "id":
			c.id = keepText(c.id, in)
		case "function":
			p.function(in, c)
		default:
			in.Skip()
		}
	}
}

// keepText copies a text that the next event would overwrite, if there is none yet.
func keepText(old []byte, s *rawjson.Scanner) []byte {
	if text := s.Text(nil); len(old) == 0 {
		return append(old, text...)
	}
	return old
}

func (p *responseText) function(s *rawjson.Scanner, c *streamedCall) {
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "name":
			c.name = keepText(c.name, s)
		case "arguments":
			c.arguments = append(c.arguments, s.Text(nil)...)
		default:
			s.Skip()
		}
	}
}

// block reads a content block of Anthropic, or an output item of Responses,
// which comes twice: without arguments when it is added, with them when it is
// done.
func (p *responseText) block(s *rawjson.Scanner, index int64) {
	p.items = p.items[:0]
	p.one.ToolCalls = p.items
	readItemCall(s, &p.one)
	if p.items = p.one.ToolCalls; len(p.items) == 0 {
		return
	}
	c, call := p.call(index), &p.items[0]
	c.id, c.name = append(c.id[:0], call.ID...), append(c.name[:0], call.Name...)
	if len(call.Arguments) > 0 && string(call.Arguments) != "{}" {
		c.arguments = append(c.arguments[:0], call.Arguments...)
	}
}

// call is the call with the index, made where it is new.
func (p *responseText) call(index int64) *streamedCall {
	for i := range p.calls[:p.n] {
		if p.calls[i].index == index {
			return &p.calls[i]
		}
	}
	if p.n == len(p.calls) {
		p.calls = append(p.calls, streamedCall{})
	}
	c := &p.calls[p.n]
	p.n++
	*c = streamedCall{index: index, id: c.id[:0], name: c.name[:0], arguments: c.arguments[:0]}
	return c
}

// readUsage reads the token counts of any dialect.
func readUsage(s *rawjson.Scanner, r *fingerprint.Request) {
	for s.Object(); s.NextKey(); {
		switch string(s.Key) {
		case "prompt_tokens", "input_tokens":
			r.TokensIn = readCount(s, r.TokensIn)
		case "completion_tokens", "output_tokens":
			r.TokensOut = readCount(s, r.TokensOut)
		default:
			s.Skip()
		}
	}
}
