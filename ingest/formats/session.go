package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// sessionHeaders are the request headers that name a session, in the order in
// which gateways look for them: the first that is there counts.
var sessionHeaders = []string{
	"x-claude-code-session-id",
	"x-litellm-session-id",
	"x-litellm-trace-id",
	"x-session-id",
	"agent-session-id",
	"helicone-session-id",
	"x-zelyx-session-id",
	"session-id", // Codex, and its older versions
	"session_id",
}

// codexHeader is JSON that Codex sends along: LiteLLM keeps no other header of
// its that names the session.
const codexHeader = "x-codex-turn-metadata"

// mcpHeader is what a server of MCP gave a client that connected: several sessions of
// a model may share it.
const mcpHeader = "mcp-session-id"

// isVendorSession tells the header x-NAME-session-id, for any NAME, which goes
// behind those.
func isVendorSession(name []byte) bool {
	const prefix, suffix = "x-", "-session-id"
	return len(name) > len(prefix)+len(suffix) && equalFold(name[:len(prefix)], prefix) && equalFold(name[len(name)-len(suffix):], suffix)
}

// Other places that name a session go after the headers, in this order.
const (
	ownField          = iota // a field that the log's owner called session
	metadataField            // metadata.session_id of the request
	userIDField              // inside Anthropic's metadata.user_id
	conversationField        // conversation of OpenAI's Responses
	cacheKeyField            // prompt_cache_key
	codexField               // inside Codex's header
	mcpField
	otherPlaces
)

// naming collects what may name a session while a record is read, in whatever
// order it comes. Its zero value is ready.
type naming struct {
	value []byte
	rank  int // of the place it stands in, counted from the last one; higher wins

	trace []byte // of one trace, be it the client's or LiteLLM's own: no session
	sent  bool   // the headers that the client sent are logged
}

func (n *naming) note(rank int, value []byte) {
	if fingerprint.NamesSession(value) && rank >= n.rank { // of a name given twice the last counts
		n.value, n.rank = value, rank
	}
}

// readSession reads a text that names a session, if it does.
func readSession(s *rawjson.Scanner, old []byte) []byte {
	if t := s.Text(nil); fingerprint.NamesSession(t) {
		return t
	}
	return old
}

// agentHeaders are the request headers that name an agent in a session: Claude
// Code sends its own with the requests of subagents alone, Codex with all, those
// of the main agent with the session's.
var agentHeaders = []string{"x-claude-code-agent-id", "thread-id", "thread_id"}

// header notes a header's value. Names are compared without case.
func (n *naming) header(r *fingerprint.Request, name, value []byte) {
	for _, h := range agentHeaders {
		if equalFold(name, h) {
			r.Agent = value
			return
		}
	}
	switch {
	case equalFold(name, codexHeader):
		n.other(codexField, sessionMember(value))
	case equalFold(name, mcpHeader):
		n.other(mcpField, value)
	default:
		n.sessionHeader(name, value)
	}
}

// sessionHeader notes a header's value if that names a session.
func (n *naming) sessionHeader(name, value []byte) {
	for i, h := range sessionHeaders {
		if equalFold(name, h) {
			n.note(otherPlaces+1+len(sessionHeaders)-i, value)
			return
		}
	}
	if isVendorSession(name) {
		n.note(otherPlaces+1, value)
	}
}

func (n *naming) other(place int, value []byte) { n.note(otherPlaces-place, value) }

// orTrace is the session or, where none is named, the trace: the client's own, and not
// one that LiteLLM made up.
func (n *naming) orTrace(trace []byte) []byte {
	if n.value == nil && fingerprint.NamesSession(trace) && !isMadeUp(trace) && !bytes.Equal(trace, n.trace) {
		return trace
	}
	return n.value
}

// bodyPlaces are the names that policies have for the places in a body.
var bodyPlaces = [otherPlaces][]byte{
	metadataField:     []byte("metadata.session_id"),
	userIDField:       []byte("metadata.user_id"),
	conversationField: []byte("conversation"),
	cacheKeyField:     []byte("prompt_cache_key"),
}

// body notes a place in a request's body. It becomes an attribute as well, so
// that a policy may look there first, or not at all.
func (n *naming) body(r *fingerprint.Request, place int, value []byte, reads fingerprint.Field) {
	n.other(place, value)
	if len(value) > 0 {
		setAttribute(r, bodyPlaces[place], value, reads)
	}
}

// headers notes an object of headers. They become attributes as well.
func (n *naming) headers(s *rawjson.Scanner, r *fingerprint.Request, reads fingerprint.Field) {
	for s.Object(); s.NextKey(); {
		name := s.Key
		value := s.Text(nil)
		n.header(r, name, value)
		if reads&fingerprint.ReadsAttributes != 0 {
			setAttribute(r, s.Join("header:", name), value, reads)
		}
	}
}

// requester notes what LiteLLM keeps of what a client sent along: the request's
// metadata, and its headers.
func (n *naming) requester(s *rawjson.Scanner, r *fingerprint.Request, reads fingerprint.Field) {
	for s.Object(); s.NextKey(); {
		n.sentAlong(s, r, reads)
	}
}

// sentAlong notes one member of that.
func (n *naming) sentAlong(s *rawjson.Scanner, r *fingerprint.Request, reads fingerprint.Field) {
	switch string(s.Key) {
	case "session_id":
		n.body(r, metadataField, s.Text(nil), reads)
	case "user_id":
		n.body(r, userIDField, anthropicSession(s.Text(nil)), reads)
	case "headers":
		n.sent = true
		n.headers(s, r, reads)
	case "trace_id":
		n.trace = s.Text(n.trace)
	}
}

func equalFold(text []byte, lower string) bool {
	if len(text) != len(lower) {
		return false
	}
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// readConversation reads the id of a conversation that OpenAI keeps, by itself or in an
// object. Elsewhere a member of that name may be what was said.
func readConversation(s *rawjson.Scanner, old []byte) []byte {
	id := old
	if s.Kind() == rawjson.Object {
		for s.Object(); s.NextKey(); {
			if string(s.Key) == "id" {
				id = s.Text(id)
			}
		}
	} else {
		id = s.Text(id)
	}
	if !bytes.HasPrefix(id, []byte("conv_")) || bytes.ContainsAny(id, " \n") {
		return old
	}
	return id
}

// anthropicSession finds the session in metadata.user_id as Anthropic's
// clients write it: user_..._session_ID, or a JSON text with session_id.
func anthropicSession(userID []byte) []byte {
	if _, id, ok := bytes.Cut(userID, []byte("_session_")); ok {
		return id
	}
	return sessionMember(userID)
}

// sessionMember is session_id of a JSON text, nil if it has none.
func sessionMember(text []byte) []byte {
	_, rest, ok := bytes.Cut(text, []byte(`"session_id"`))
	if !ok {
		return nil
	}
	rest = bytes.TrimLeft(rest, " :\t")
	if len(rest) == 0 || rest[0] != '"' {
		return nil
	}
	id, _, ok := bytes.Cut(rest[1:], []byte(`"`))
	if !ok {
		return nil
	}
	return id
}
