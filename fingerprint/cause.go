package fingerprint

// Cause says why an identity or a scope is not computable for a request. It is
// part of the report, so the texts are stable.
type Cause uint8

const (
	Computable Cause = iota
	NoMethod
	NoPath
	NoQuery
	NoBody
	NoCaller
	NoUser
	NoModel
	NoBackend
	NoSession
	NoTools
	NoMessages
	NoResponse
	NoToolCall
	NoToolTurn
	NoAttribute
	NoConversation
	RepeatedName
	NotCanonical
	TruncatedContent
	RedactedContent
	BrokenJSON
	LossyContent
	HistoryElsewhere
	EncryptedContent
	SpooledBody
	ToolTurn
	NoAnswer
	DroppedAttributes
	causes
)

var causeTexts = [causes]string{
	Computable:        "",
	NoMethod:          "no method",
	NoPath:            "no path",
	NoQuery:           "no query",
	NoBody:            "no body",
	NoCaller:          "no caller",
	NoUser:            "no user",
	NoModel:           "no model",
	NoBackend:         "no backend",
	NoSession:         "no session",
	NoTools:           "no list of tools",
	NoMessages:        "no messages",
	NoResponse:        "no response logged",
	NoToolCall:        "no tool call",
	NoToolTurn:        "no tool result at the end of the messages",
	NoAttribute:       "attribute missing",
	NoConversation:    "neither session nor messages",
	RepeatedName:      "a query name is repeated",
	NotCanonical:      "arguments have no canonical form",
	TruncatedContent:  "content truncated by the logger",
	RedactedContent:   "content redacted by the logger",
	BrokenJSON:        "messages or query are broken JSON",
	LossyContent:      "parts of the messages lost by the logger",
	HistoryElsewhere:  "history kept by the provider, not in the request",
	EncryptedContent:  "content encrypted by the logger",
	SpooledBody:       "body spooled to disk, not in the log",
	ToolTurn:          "a tool result at the end of the messages",
	NoAnswer:          "the last answer was not given before",
	DroppedAttributes: "attributes of the span dropped at a limit",
}

func (c Cause) String() string { return causeTexts[c] }

// ByLogger says that the log had what is missing, and lost or hid it.
func (c Cause) ByLogger() bool {
	switch c {
	case TruncatedContent, RedactedContent, LossyContent, EncryptedContent, SpooledBody, DroppedAttributes:
		return true
	}
	return false
}

// Unlogged says whether the log lacks what the request may have had. Of a cause
// that is not, the request itself gives nothing to compare.
func (c Cause) Unlogged() bool {
	switch c {
	case Computable, RepeatedName, NotCanonical:
		return false
	}
	return !c.NothingToRepeat()
}

// NothingToRepeat says that a request has nothing of what the identity looks at,
// and that the log is right about that.
func (c Cause) NothingToRepeat() bool {
	return c == NoToolCall || c == NoToolTurn || c.ForOthers()
}

// ForOthers says that a request is one that the identity leaves to others, which
// look at it.
func (c Cause) ForOthers() bool { return c == ToolTurn || c == NoAnswer }

// Causes is how many causes there are; every Cause is below it.
const Causes = int(causes)
