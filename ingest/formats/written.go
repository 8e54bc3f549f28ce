package formats

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// Written is one field of a request as the native format names it.
type Written struct {
	Name  string
	Value any // as encoding/json writes it
}

// NativeFields are the fields of the native format, in its order.
var NativeFields = []string{
	"time", "end", "id", "method", "path", "query", "body", "body_hash", "caller", "user", "session", "agent", "model", "backend", "messages", "has_tools", "tool_calls",
	"status", "error", "tokens_in", "tokens_out", "tokens_cached", "cost", "stream", "cached", "max_tokens", "attributes",
}

// Write gives the fields of r that its log carries. What people and models
// wrote is there with show alone, else its length and hash; keys never are.
func Write(r *fingerprint.Request, show bool) []Written {
	w := writer{show: show}
	w.time("time", r.Time)
	w.time("end", r.End)
	w.plain("id", r.ID)
	w.plain("method", r.Method)
	w.plain("path", r.Path)
	switch {
	case r.Query.Object != nil:
		w.add("query", w.value(r.Query.Object))
	case r.Query.Raw != nil:
		w.add("query", w.text(r.Query.Raw))
	}
	if r.Body != nil {
		w.add("body", w.text(r.Body))
	}
	w.plain("body_hash", r.BodyHash)
	w.plain("caller", r.CallerName(&fingerprint.Writer{}))
	w.plain("user", r.User)
	w.plain("session", r.Session)
	w.plain("agent", r.Agent)
	w.plain("model", r.Model)
	w.plain("backend", r.Backend)
	if r.Messages.Logged {
		w.add("messages", w.messages(&r.Messages))
	}
	w.tri("has_tools", r.HasTools)
	if r.ToolCallsLogged {
		calls := []map[string]any{}
		for _, c := range r.ToolCalls {
			calls = append(calls, map[string]any{"name": valid(c.Name), "arguments": w.text(c.Arguments)})
		}
		w.add("tool_calls", calls)
	}
	w.count("status", int64(r.Status))
	if r.Error != nil {
		w.add("error", w.text(r.Error))
	}
	w.count("tokens_in", r.TokensIn)
	w.count("tokens_out", r.TokensOut)
	w.count("tokens_cached", r.TokensCached)
	if !math.IsNaN(r.Cost) {
		w.add("cost", r.Cost)
	}
	w.tri("stream", r.Stream)
	w.tri("cached", r.Cached)
	w.count("max_tokens", r.MaxTokens)
	if len(r.Attributes) > 0 {
		attributes := map[string]any{}
		for _, a := range r.Attributes {
			if secretName.Match(a.Name) {
				attributes[valid(a.Name)] = "key-" + digest(a.Value)
			} else {
				attributes[valid(a.Name)] = w.text(a.Value)
			}
		}
		w.add("attributes", attributes)
	}
	return w.fields
}

type writer struct {
	show   bool
	fields []Written
}

func (w *writer) add(name string, value any) { w.fields = append(w.fields, Written{name, value}) }

func (w *writer) plain(name string, text []byte) {
	if text != nil {
		w.add(name, valid(text))
	}
}

func (w *writer) time(name string, t int64) {
	if t >= minTime && t < maxTime {
		w.add(name, time.UnixMicro(t).UTC().Format(time.RFC3339Nano))
	}
}

func (w *writer) count(name string, n int64) {
	if n != fingerprint.Unknown {
		w.add(name, n)
	}
}

func (w *writer) tri(name string, t fingerprint.Tri) {
	if t != fingerprint.NotLogged {
		w.add(name, t == fingerprint.Yes)
	}
}

// messages has the role of each message in clear.
func (w *writer) messages(m *fingerprint.Messages) []any {
	list := []any{}
	if m.System != nil {
		list = append(list, map[string]any{"role": "system", "content": w.value(m.System)})
	}
	for _, item := range m.Items {
		if w.show && json.Valid(item) {
			list = append(list, json.RawMessage(withoutKeys(string(item))))
			continue
		}
		role := roleOf(&rawjson.Scanner{}, item)
		list = append(list, map[string]any{"role": valid(role), "content": w.text(item)})
	}
	return list
}

var (
	// secretName are names of attributes whose values let one in.
	secretName = regexp.MustCompile(`(?i)auth|api-?_?key|cookie|token|secret|password|(^|[-_:])key$`)
	// secretText is what keys look like inside of texts.
	secretText = regexp.MustCompile(`(?i)\b(sk|pk|rk)-[A-Za-z0-9_-]{6,}|\bAIza[A-Za-z0-9_-]{30,}|\bbearer +[A-Za-z0-9._~+/=-]{6,}`)
)

func withoutKeys(text string) string { return secretText.ReplaceAllString(text, "(a key)") }

// text is a text that people or models wrote.
func (w *writer) text(text []byte) string {
	if w.show {
		return withoutKeys(valid(text))
	}
	return fmt.Sprintf("(%d bytes, sha256 %s)", len(text), digest(text))
}

// value is JSON as it stands where texts are shown.
func (w *writer) value(v rawjson.Value) any {
	if w.show && json.Valid(v) {
		return json.RawMessage(withoutKeys(string(v)))
	}
	return w.text(v)
}

// digest is the first 12 hex digits of a text's SHA-256.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

func valid(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }
