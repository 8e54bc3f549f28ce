package fingerprint

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// ScopeKey identifies a scope's value: the first 128 bits of SHA-256 over its
// length-prefixed parts.
type ScopeKey [16]byte

// Scope says whose counter it is: a list of request fields. The empty list is
// one scope for all requests.
type Scope struct {
	Fields []string // as a policy writes them: session, caller, attr:NAME, ...
	Reads  Field

	parts []scopePart
}

type scopePart struct {
	field *scopeField
	name  string // of the attribute
}

// scopeField gives its value for a request, or says why there is none. name is
// that of the attribute.
type scopeField struct {
	name  string
	reads Field
	value func(r *Request, name string, w *Writer) ([]byte, Cause)
}

// scopeFields are the fields a scope can be made of; attr:NAME comes on top.
var scopeFields = []scopeField{
	{"session", 0, textField(NoSession, func(r *Request) []byte { return r.Session })}, // the session that the client or the gateway named
	{"conversation", ReadsMessages, conversation},                                      // the session, with the agent in it where the log names one, else caller, end user if named, system prompt and first user message together
	{"caller", 0, textField(NoCaller, func(r *Request) []byte { return r.Caller })},    // API key, its hash, or the consumer it belongs to
	{"user", 0, textField(NoUser, func(r *Request) []byte { return r.User })},
	{"model", 0, textField(NoModel, func(r *Request) []byte { return r.Model })},       // model that the client asked for
	{"backend", 0, textField(NoBackend, func(r *Request) []byte { return r.Backend })}, // provider that served the request
	{"method", 0, textField(NoMethod, func(r *Request) []byte { return r.Method })},
	{"path", 0, textField(NoPath, func(r *Request) []byte { return r.Path })},
}

const attrPrefix = "attr:"

var attributeField = scopeField{
	"attr:NAME", ReadsAttributes, // any other field of the log, by its name
	func(r *Request, name string, _ *Writer) ([]byte, Cause) {
		return present(r.Attribute(name), NoAttribute)
	},
}

func textField(missing Cause, get func(*Request) []byte) func(*Request, string, *Writer) ([]byte, Cause) {
	return func(r *Request, _ string, _ *Writer) ([]byte, Cause) { return present(get(r), missing) }
}

// present is a value that tells one from others: a scope by an empty one, or by
// what stands in the place of each, would put strangers into one counter.
func present(value []byte, missing Cause) ([]byte, Cause) {
	switch {
	case len(value) == 0:
		return nil, missing
	case placeholder(value) != Computable:
		return nil, RedactedContent
	}
	return value, Computable
}

// ScopeNames lists the names a scope's fields can have.
func ScopeNames() []string {
	return append(namesOf(scopeFields, func(f *scopeField) string { return f.name }), attributeField.name)
}

// NewScope makes a scope of request fields.
func NewScope(fields []string) (*Scope, error) {
	s := &Scope{Fields: fields}
	for i, name := range fields {
		if slices.Contains(fields[:i], name) {
			return nil, fmt.Errorf("field %q is there twice", name)
		}
		if attr, ok := strings.CutPrefix(name, attrPrefix); ok && attr != "" {
			s.parts = append(s.parts, scopePart{&attributeField, attr})
			s.Reads |= ReadsAttributes
			continue
		}
		k := slices.IndexFunc(scopeFields, func(f scopeField) bool { return f.name == name })
		if k < 0 {
			return nil, fmt.Errorf("no request field is called %q", name)
		}
		s.parts = append(s.parts, scopePart{&scopeFields[k], ""})
		s.Reads |= scopeFields[k].reads
	}
	return s, nil
}

// ScopeValue is the value of a scope's field, as it may be shown.
type ScopeValue struct {
	Text []byte
	// FellBack says that a conversation was told by its beginning, for want
	// of a session.
	FellBack bool
}

// Same tells whether both are the same fields, so that both give the same keys.
func (s *Scope) Same(other *Scope) bool { return slices.Equal(s.Fields, other.Fields) }

// Named are values of the scope by their fields.
func (s *Scope) Named(values []string) map[string]string {
	named := make(map[string]string, len(s.Fields))
	for i, field := range s.Fields {
		named[field] = values[i]
	}
	return named
}

// Compute returns the key of the scope that r falls into and appends one value
// per field to values. The texts are valid until the Writer's next Reset.
func (s *Scope) Compute(r *Request, w *Writer, values []ScopeValue) (ScopeKey, []ScopeValue, Cause) {
	// A scope is the same whatever the rules of the identity computed last.
	w.scope, w.rules, w.broken = w.scope[:0], textRules{}, false
	w.asSent = r.isAsSent()
	start := len(values)
	for _, part := range s.parts {
		value, cause := part.field.value(r, part.name, w)
		if w.broken {
			cause = BrokenJSON
		}
		if cause != Computable {
			return ScopeKey{}, values[:start], r.why(cause)
		}
		w.scope = binary.AppendUvarint(w.scope, uint64(len(value)))
		w.scope = append(w.scope, value...)
		shown := ScopeValue{Text: value}
		switch part.field.name {
		case "caller":
			shown.Text = r.CallerName(w)
		case "conversation":
			shown.FellBack = !r.hasSession()
			if agent := r.agent(); agent != nil {
				w.scope = binary.AppendUvarint(w.scope, uint64(len(agent)))
				w.scope = append(w.scope, agent...)
				n := len(w.kept)
				w.kept = append(append(append(w.kept, value...), '/'), agent...)
				shown.Text = w.kept[n:len(w.kept):len(w.kept)]
			}
		}
		values = append(values, shown)
	}
	return w.scopeKey(), values, Computable
}

// mostScopes bounds the scopes whose keys a Writer remembers: a session's
// requests come close together.
const mostScopes = 1 << 12

// longestScope bounds the length of what is remembered of each, in bytes.
const longestScope = 256

// scopeKey is the key of the scope whose parts are in w.scope.
func (w *Writer) scopeKey() ScopeKey {
	if key, ok := w.scopes[string(w.scope)]; ok {
		return key
	}
	sum := sha256.Sum256(w.scope)
	key := ScopeKey(sum[:16])
	if len(w.scope) <= longestScope {
		if w.scopes == nil || len(w.scopes) >= mostScopes {
			w.scopes = make(map[string]ScopeKey, mostScopes)
		}
		w.scopes[string(w.scope)] = key
	}
	return key
}

// CallerName is what may be written of the caller: itself if it is a hash, an
// alias or an address, otherwise key- and the first 12 hex digits of its
// SHA-256. Nil if there is no caller.
func (r *Request) CallerName(w *Writer) []byte {
	if len(r.Caller) == 0 || r.CallerIsName || isHash(r.Caller) {
		return r.Caller
	}
	return w.nameOf("key-", sha256.Sum256(r.Caller))
}

// nameOf is a prefix and the first 12 hex digits of a hash.
func (w *Writer) nameOf(prefix string, sum [sha256.Size]byte) []byte {
	n := len(w.kept)
	w.kept = hex.AppendEncode(append(w.kept, prefix...), sum[:6])
	return w.kept[n:len(w.kept):len(w.kept)]
}

// isHash tells a hex digest (SHA-256 or longer) from a key in clear. Shorter
// hex is no proof: there are providers whose keys are 32 hex digits.
func isHash(text []byte) bool {
	for _, c := range text {
		if !chars.IsHex(c) {
			return false
		}
	}
	return len(text) >= 2*sha256.Size
}
