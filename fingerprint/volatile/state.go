package volatile

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// A state is an object in a result that is no output of a program: who asked for it
// may wait for what it measures, so that its times stay, though an error is named or
// counted in it.

// endsMeasured tells whether a text ends with such a time that stands in no state:
// agents put lines around what a program said, and it may have been asked for one.
func (c *Cleaner) endsMeasured(text []byte) bool {
	return c.measured(text, max(0, len(text)-stopwatchEnd), mostNested)
}

// mostNested is how deep states are looked for in objects: MCP has what a program said
// in the second.
const mostNested = 3

// measured tells it of a text from a place on. Members of objects are no states of
// their own.
func (c *Cleaner) measured(text []byte, last, nested int) bool {
	if nested == 0 {
		return hasTook(text, last, len(text))
	}
	for from := 0; from < len(text); {
		start, end := nextObject(text, from)
		if hasTook(text, max(from, last), start) {
			return true
		}
		object := text[start:end]
		member := nested < mostNested && isMember(object)
		if len(object) > 0 && (member || !c.isState(object)) && c.measured(object[1:], last-start-1, nested-1) {
			return true
		}
		from = end
	}
	return false
}

// isMember tells an object that is a member of one from what stands in a string, where a
// quote is escaped.
func isMember(object []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(object, "{ \n\r\t"), []byte(`"`))
}

// nextObject is from where to where the next object stands in a text, at its end if
// there is none, or one that does not end.
func nextObject(text []byte, from int) (start, end int) {
	n := bytes.IndexByte(text[from:], '{')
	if n < 0 {
		return len(text), len(text)
	}
	depth, quoted := 0, false
	for end = from + n; end < len(text); end++ {
		switch c := text[end]; {
		case c == '\\':
			end++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return from + n, end + 1
			}
		}
	}
	return len(text), len(text)
}

// outputs stand, behind a quote, in an object of JSON that holds what a program said.
// What is in it is escaped.
var outputs = [][]byte{
	[]byte(`returncode`), // mini-swe-agent
	[]byte(`exit_code`),  // Codex
	[]byte(`stdout`),
	[]byte(`isError`),      // MCP
	[]byte(`type":"text"`), // a part of that, which OpenAI's Agents SDK hands on
	[]byte(`type": "text"`),
	[]byte(`type\":\"text\"`), // the same in JSON
	[]byte(`type\": \"text\"`),
}

// isState tells whether an object is none of these.
func (c *Cleaner) isState(object []byte) bool {
	return !chars.HasAny(object, outputs) && !isMastras(object) && !isThrown(object) && !c.isReport(object)
}

// isMastras tells an object in which Mastra says that its tool failed. A state may name
// the code for what failed in it.
func isMastras(object []byte) bool {
	return bytes.HasPrefix(object, []byte(`{"message":`)) && bytes.HasSuffix(object, []byte(`,"code":"TOOL_EXECUTION_FAILED"}`))
}

// isThrown tells an object in which Inngest's AgentKit says what its tool threw.
func isThrown(object []byte) bool {
	return bytes.HasPrefix(object, []byte(`{"error":{"name":`)) && bytes.HasSuffix(object, []byte(`,"__serialized":true}}`)) //nolint:misspell // as AgentKit has it
}

// isReport tells whether an object has what a tool returned and nothing else, as
// Google's ADK, AgentKit, Upsonic and, with the tool's name, Agent Zero wrap it, or says
// that it is an error. A state has members of other names for what goes on, objects or
// lists among them, or one that is a measure; or it is said in a line.
func (c *Cleaner) isReport(object []byte) bool {
	s, n, returned, failed := &c.scan, 0, false, false
	s.Reset(object)
	for s.Object(); s.NextKey(); n++ {
		v := s.Value()
		switch v.Kind() {
		case rawjson.Object, rawjson.Array:
			return false
		case rawjson.String:
			if text := v[1 : len(v)-1]; len(text) > 0 && (text[0] == '{' || text[0] == '[' || isMeasure(text)) {
				return false
			}
		}
		switch string(s.Key) {
		case "result", "output", "data", "func", "tool_result":
			_, below, _ := bytes.Cut(v, []byte(`\n`))
			returned = len(below) > len(`"`)
		case "tool_name":
			n--
		case "error":
			returned, failed = true, failed || string(v) == "true"
		case "status":
			failed = failed || string(v) == `"error"`
		}
	}
	return s.End() == nil && (failed || n == 1 && returned)
}

// isMeasure tells a text that is a time, with a word or two beside it at most, of which
// none is a verdict: "0.41s", "ready in 0.41s".
func isMeasure(text []byte) bool {
	return bytes.Count(text, []byte(" ")) <= 2 && endsTimed(text) && !hasVerdict(text)
}
