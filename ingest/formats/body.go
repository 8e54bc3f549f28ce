package formats

import (
	"bytes"
	"encoding/base64"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// requestBody takes request bodies apart: those of OpenAI's Chat Completions
// and Responses, Anthropic's Messages, Google's generateContent, Bedrock's
// Converse and Amazon Titan's, and calls of MCP's tools. It has scanners of its own: the
// body may lie in the memory of the line's.
type requestBody struct {
	scan     rawjson.Scanner
	gemini   gemini
	converse converse
	tool     mcpCall
	path     []byte // of the URL, its escapes undone
	decoded  []byte // a body that was base64
	bedrock  bool   // the log is Bedrock's own: what was sent may be Converse in any case
	excerpts bool   // a body without a model may be a part of what was sent: what is not there is not known
}

// read takes r.Body apart. Fields that the record itself carried stay. A body
// that begins as JSON and does not end as such was cut by the logger, or by the
// client; one that is not JSON leaves r as it is, unless it is what stands in a
// body's place.
func (p *requestBody) read(r *fingerprint.Request, session *naming, reads fingerprint.Field) {
	if cause := fingerprint.Placeholder(r.Body); cause != fingerprint.Computable {
		r.Lost = cause
		return
	}
	r.Body = p.decode(r.Body)
	if body := bytes.TrimLeft(r.Body, " \t\r\n"); len(body) == 0 || body[0] != '{' {
		return
	}
	var b bodyFields
	b.Messages.Items = r.Messages.Items[:0]
	b.MaxTokens = fingerprint.Unknown
	s := &p.scan
	s.Reset(r.Body)
	for s.Object(); s.NextKey(); {
		b.field(s, reads)
	}
	if s.End() != nil {
		r.Lost = fingerprint.TruncatedContent
		return
	}
	if p.tool = b.tool; p.tool.isRPC() && !b.Messages.Logged {
		return
	}
	if b.elsewhere && r.Lost == fingerprint.Computable {
		r.Lost = fingerprint.HistoryElsewhere
	}
	p.reword(&b.native, &b.Request, reads)
	r.Messages = b.Messages
	whole := !p.excerpts || b.Model != nil
	if b.Model == nil || b.native.urlStreams() {
		model, stream := p.modelOf(r.Path)
		b.Model = first(b.Model, model)
		if b.Stream == fingerprint.NotLogged {
			b.Stream = stream
		}
	}
	r.Model = first(r.Model, b.Model)
	r.User = first(r.User, b.User)
	session.body(r, metadataField, b.sessionID, reads)
	session.body(r, userIDField, anthropicSession(b.userID), reads)
	r.Agent = first(r.Agent, b.conversation) // of several in a session that has a name of its own
	session.body(r, conversationField, b.conversation, reads)
	session.body(r, cacheKeyField, b.cacheKey, reads)
	if b.HasTools != fingerprint.NotLogged {
		r.HasTools = b.HasTools
	} else if r.HasTools == fingerprint.NotLogged && !b.native.cached && whole {
		r.HasTools = fingerprint.No
	}
	if r.MaxTokens == fingerprint.Unknown {
		r.MaxTokens = b.MaxTokens
	}
	if r.Stream == fingerprint.NotLogged {
		if r.Stream = b.Stream; r.Stream == fingerprint.NotLogged && !b.native.urlStreams() && whole {
			r.Stream = fingerprint.No
		}
	}
}

// decode undoes base64 around an object of JSON, in which HAProxy and Caddy can
// be told to log a body whose bytes are no text.
func (p *requestBody) decode(body []byte) []byte {
	if !bytes.HasPrefix(body, []byte("ey")) && !bytes.HasPrefix(body, []byte("ew")) { // {" or {, and a new line
		return body
	}
	decoded, err := base64.StdEncoding.AppendDecode(p.decoded[:0], body)
	if err != nil || len(decoded) < 2 || strings.IndexByte("\" \r\n", decoded[1]) < 0 { // a word that begins so
		return body
	}
	p.decoded = decoded
	return decoded
}

// bodyFields is what a body says. Of its Request the fields that a body may have
// are filled.
type bodyFields struct {
	fingerprint.Request
	native                      nativeBody
	tool                        mcpCall
	cacheKey, sessionID, userID []byte
	conversation                []byte
	elsewhere                   bool // the provider keeps the history, and the body names it
}

func (b *bodyFields) field(s *rawjson.Scanner, reads fingerprint.Field) {
	switch string(s.Key) {
	case "model":
		b.Model = s.Text(b.Model)
	case "messages", "input", "prompt", "inputText": // the last of Titan
		readMessages(s, &b.Request, reads)
	case "system", "instructions":
		b.Messages.System = s.Value()
	case "tools", "functions":
		b.HasTools = readTools(s, b.HasTools)
	case "max_tokens", "max_completion_tokens", "max_output_tokens":
		b.MaxTokens = readCount(s, b.MaxTokens)
	case "stream":
		b.Stream = readTri(s, b.Stream)
	case "user":
		b.User = s.Text(b.User)
	case "prompt_cache_key":
		b.cacheKey = s.Text(b.cacheKey)
	case "previous_response_id":
		b.elsewhere = b.elsewhere || s.Kind() != rawjson.Null
	case "conversation":
		b.elsewhere = b.elsewhere || s.Kind() != rawjson.Null
		b.conversation = readConversation(s, b.conversation)
	case "metadata":
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "session_id":
				b.sessionID = s.Text(b.sessionID)
			case "user_id":
				b.userID = s.Text(b.userID)
			}
		}
	case "request": // what Gemini CLI wraps
		for s.Object(); s.NextKey(); {
			switch string(s.Key) {
			case "session_id":
				b.sessionID = s.Text(b.sessionID)
			default:
				b.native.field(s, &b.Request)
			}
		}
	case "jsonrpc", "method", "id", "params":
		b.tool.field(s)
	default:
		b.native.field(s, &b.Request)
	}
}

// readParameter reads a member of those that a model was called with, by the names
// of OpenAI's APIs or as JavaScript has them.
func readParameter(s *rawjson.Scanner, r *fingerprint.Request) {
	switch string(s.Key) {
	case "max_tokens", "max_completion_tokens", "max_output_tokens", "maxTokens":
		r.MaxTokens = readCount(s, r.MaxTokens)
	case "stream":
		r.Stream = readTri(s, r.Stream)
	}
}

// readTools reads whether tools were offered, by this name or another: a list
// with entries, a single one that Google takes for a list, or true where the
// logger kept no more than that.
func readTools(s *rawjson.Scanner, old fingerprint.Tri) fingerprint.Tri {
	if s.Kind() == rawjson.Bool {
		return readTri(s, old)
	}
	some := false
	switch s.Kind() {
	case rawjson.Array:
		for s.Array(); s.NextElement(); s.Skip() {
			some = true
		}
	case rawjson.Object:
		for s.Object(); s.NextKey(); {
			some = true
		}
	default:
		s.Skip()
		return old
	}
	return max(old, fingerprint.TriOf(some))
}
