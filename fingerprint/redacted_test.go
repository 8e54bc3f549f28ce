package fingerprint

import "testing"

// TestRedactedArguments: a logger that puts the same word in the place of all
// arguments must not make every call of a tool the same.
func TestRedactedArguments(t *testing.T) {
	f := func(identity, arguments string, want Cause) {
		t.Helper()
		id := mustNew(t, identity, Options{})
		var r Request
		r.Reset()
		r.ToolCallsLogged = true
		r.ToolCalls = []ToolCall{{Name: []byte("ok"), Arguments: []byte("{}")}, {Name: []byte("lookup"), Arguments: []byte(arguments)}}
		if got := id.Compute(&r, NewWriter(nil)); got != want {
			t.Errorf("%s of %q: %q, want %q", identity, arguments, got, want)
		}
	}
	for _, identity := range []string{"tool-call", "tool-call-python", "openrouter", "stuck-step"} {
		f(identity, "redacted-by-litellm", RedactedContent)
	}
	for _, identity := range []string{"tool-call", "tool-call-python", "openrouter"} {
		f(identity, `{"query":"[REDACTED]","filters":[{"mail":"<EMAIL_ADDRESS_1>"},null]}`, RedactedContent)
		f(identity, `{"query":"<truncated 513 bytes>"}`, TruncatedContent)
		// With anything besides, calls differ as far as can be told.
		f(identity, `{"query":"[REDACTED]","limit":10}`, Computable)
		f(identity, `{"query":"","limit":"***"}`, Computable)
		f(identity, `{"text":"my mail is [EMAIL]"}`, Computable)
		// Words in brackets that no detector writes are what the agent wrote.
		for _, text := range []string{"[TAX]", "[HEALTH CHECK]", "<INSURANCE>", "[SOCIAL]", "{ORDER_NUMBER}"} {
			f(identity, `{"text":"`+text+`"}`, Computable)
		}
		f(identity, `{}`, Computable)
		f(identity, `[]`, Computable)
	}
}
