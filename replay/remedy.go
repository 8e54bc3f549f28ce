package replay

import (
	"cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// remedies say what to log, or to write into the policy, so that a rule can
// see a request it is blind to.
var remedies = [fingerprint.Causes]string{
	fingerprint.NoMethod:          "log the HTTP method",
	fingerprint.NoPath:            "log the URL path",
	fingerprint.NoQuery:           "log the URL with its query",
	fingerprint.NoBody:            "log the request body, or a hash of it (body_hash)",
	fingerprint.NoCaller:          "log the API key's hash or alias, or the consumer",
	fingerprint.NoUser:            "log the end user, or take user out of the rule",
	fingerprint.NoModel:           "log the model asked for",
	fingerprint.NoBackend:         "log the provider that served the request",
	fingerprint.NoSession:         "have clients send a session id and log it, or use scope: [conversation]",
	fingerprint.NoTools:           "log the request with its list of tools",
	fingerprint.NoMessages:        "log the request's messages",
	fingerprint.NoResponse:        "log the model's response",
	fingerprint.NoAttribute:       "log the field that the rule names as attr:NAME or in limit_keys",
	fingerprint.NoConversation:    "log a session, or the request's messages",
	fingerprint.RepeatedName:      "send each query name once; the gateway itself depends on their order here",
	fingerprint.TruncatedContent:  "raise the logger's limit on the length of messages and bodies (with OpenTelemetry OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT)",
	fingerprint.RedactedContent:   "have the logger keep messages, or write a hash in their place (body_hash)",
	fingerprint.LossyContent:      "raise the logger's limit on attributes, or log images and other parts as well",
	fingerprint.EncryptedContent:  "decrypt the log first",
	fingerprint.SpooledBody:       "raise client_body_buffer_size, so that nginx keeps bodies in memory and can log them",
	fingerprint.DroppedAttributes: "raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT, which is 128, of the program that writes the spans",
	fingerprint.HistoryElsewhere:  "send the history with each request instead of previous_response_id or item_reference (store: false), or go by stuck-step",
}

// unremedied say of the other causes why there is none.
var unremedied = [fingerprint.Causes]string{
	fingerprint.NoToolCall:   "nothing is missing: the model called no tool, so there is nothing to repeat",
	fingerprint.NoToolTurn:   "nothing is missing: the request answers no tool result",
	fingerprint.NotCanonical: "nothing to log: the gateway itself cannot compute it from this text",
	fingerprint.BrokenJSON:   "nothing to log: the client sent it so, or the logger cut it",
	fingerprint.ToolTurn:     "nothing is missing: tool-call-result looks at it",
	fingerprint.NoAnswer:     "nothing is missing: the model did not say the same before, or did something new in between",
}

// Remedy is what changes a cause: what to log, or to write into the policy; or why
// nothing does.
func Remedy(c fingerprint.Cause) string { return cmp.Or(remedies[c], unremedied[c]) }

// HasRemedy tells that something does.
func HasRemedy(c fingerprint.Cause) bool { return remedies[c] != "" }
