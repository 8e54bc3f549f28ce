package formats

import (
	"bytes"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// converse puts the blocks of Bedrock's Converse into Anthropic's words. What
// it gives lies in its own memory until the next.
type converse struct {
	messages rawjson.Scanner
	blocks   rawjson.Scanner
	text     []byte // messages in other words, one behind the other
	ends     []int  // of each
}

// all puts those messages into other words that have blocks of Converse.
func (c *converse) all(items []rawjson.Value) {
	c.text, c.ends = c.text[:0], c.ends[:0]
	for _, m := range items {
		if hasConverse(m) {
			c.message(m)
		}
		c.ends = append(c.ends, len(c.text))
	}
	from := 0
	for i, end := range c.ends { // the text moves no more
		if end > from {
			items[i] = c.text[from:end:end]
		}
		from = end
	}
}

// hasConverse tells whether there may be blocks of Converse in a message.
func hasConverse(text []byte) bool {
	return bytes.Contains(text, []byte(`"toolUse`)) || bytes.Contains(text, []byte(`"toolResult`)) || bytes.Contains(text, []byte(`"reasoningContent"`))
}

// message writes a message with the blocks toolUse and toolResult in
// Anthropic's words; all else stays.
func (c *converse) message(m rawjson.Value) {
	if m.Kind() != rawjson.Object {
		c.text = append(c.text, m...)
		return
	}
	s := &c.messages
	s.Reset(m)
	c.text = append(c.text, '{')
	more := ""
	for s.Object(); s.NextKey(); {
		c.text = rawjson.AppendString(append(c.text, more...), s.Key)
		c.text = append(c.text, ':')
		more = ","
		if string(s.Key) != "content" || s.Kind() != rawjson.Array {
			c.text = append(c.text, orNull(s.Value())...)
			continue
		}
		c.text = append(c.text, '[')
		comma := ""
		for s.Array(); s.NextElement(); comma = "," {
			c.text = append(c.text, comma...)
			c.block(s.Value())
		}
		c.text = append(c.text, ']')
	}
	c.text = append(c.text, '}')
}

func (c *converse) block(b rawjson.Value) {
	s := &c.blocks
	s.Reset(b)
	for s.Object(); s.NextKey(); {
		kind, id := `{"type":"tool_use"`, `,"id":`
		switch string(s.Key) {
		case "toolUse":
		case "toolResult":
			kind, id = `{"type":"tool_result"`, `,"tool_use_id":`
		case "reasoningContent":
			c.text = append(c.text, `{"type":"thinking"}`...)
			return
		default:
			continue
		}
		c.text = append(c.text, kind...)
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "toolUseId":
				c.text = append(c.text, id...)
			case "status": // success or error
				c.text = strconv.AppendBool(append(c.text, `,"is_error":`...), string(s.Text(nil)) == "error")
				continue
			default:
				c.text = rawjson.AppendString(append(c.text, ','), s.Key)
				c.text = append(c.text, ':')
			}
			c.text = append(c.text, orNull(s.Value())...)
		}
		c.text = append(c.text, '}')
		return
	}
	c.text = append(c.text, orNull(b)...)
}
