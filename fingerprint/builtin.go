package fingerprint

// The built-in identities that are compositions.

func newToolCall(o Options) (*Identity, error) { return named("tool-call", o, toolCallPart) }

func newLastMessages(o Options) (*Identity, error) {
	return named("last-messages", o, callerOrNone, "model", "last_messages:3")
}

func newRequest(o Options) (*Identity, error) {
	return named("request", o, "method", "path", "query", "body")
}
func newPrompt(o Options) (*Identity, error) { return named("prompt", o, "messages") }

func named(name string, o Options, parts ...string) (*Identity, error) {
	o.Parts = parts
	id, err := compose(o)
	if err != nil {
		return nil, err
	}
	id.Name = name
	return id, nil
}
