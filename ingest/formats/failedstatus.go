package formats

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// failedStatus is the status that the message of a failed call names, else the one that
// the class of the error stands for, which may stand in front of the message, or inside
// as botocore has it: An error occurred (ThrottlingException) when calling ...
func failedStatus(class, message []byte) int {
	if status := statusSaid(message); status != fingerprint.Unknown {
		return status
	}
	said, _, _ := bytes.Cut(message, []byte(": "))
	_, inside, _ := bytes.Cut(message, []byte("An error occurred ("))
	inside, _, _ = bytes.Cut(inside, []byte(")"))
	for _, class := range [][]byte{first(class, said), inside} {
		if status := classStatus(class); status != fingerprint.Unknown {
			return status
		}
	}
	return fingerprint.Unknown
}

// classStatus is the status that the class of an error stands for.
func classStatus(class []byte) int {
	class = bytes.TrimRight(class, "'>.") // <class 'openai.RateLimitError'>
	class = class[bytes.LastIndexByte(class, '.')+1:]
	if status, ok := errorStatus[string(class)]; ok {
		return status
	}
	if isTimeout(class) {
		return 408
	}
	return fingerprint.Unknown
}

// isTimeout tells that the class of an error says that time was up, as in nearly every
// library: timeout in OpenTelemetry's words, ReadTimeout, TimeoutException.
func isTimeout(class []byte) bool {
	return bytes.Contains(class, []byte("imeout")) && bytes.IndexByte(class, ' ') < 0
}

// statusSaid is the status that a message begins with, be it behind the class of the error,
// or names. Libraries have what the provider said behind it, in whatever words.
func statusSaid(message []byte) int {
	if said := behindClass(message); len(said) > 3 && (said[3] == ' ' || said[3] == ':') {
		if status := failedCode(said); status != fingerprint.Unknown {
			return status
		}
	}
	for at := 0; ; at++ {
		next := bytes.IndexAny(message[at:], "45")
		if next < 0 {
			return fingerprint.Unknown
		}
		at += next
		if status := failedCode(message[at:]); status != fingerprint.Unknown && (namesStatus(message[:at]) || hasReason(message[at:], status)) {
			return status
		}
	}
}

// statusNames are the words behind which messages have a status: Error code: 503 of OpenAI's
// and Anthropic's libraries, status_code: 503 of Pydantic AI's and Cohere's, HTTP 503 of
// Spring AI's, Error 503 of Google's for Go, Server error '503 ...' of httpx, Status 503. of
// Mistral's, An error occurred (503) of botocore.
var statusNames = []string{"code", "status", "http", "error", "occurred"}

// namesStatus tells that a text ends in one of statusNames, a word of its own.
func namesStatus(text []byte) bool {
	text = bytes.TrimRight(text, ` :=('"`)
	for _, name := range statusNames {
		if at := len(text) - len(name); at >= 0 && strings.EqualFold(string(text[at:]), name) && (at == 0 || !isLower(text[at]) || !isLower(text[at-1])) {
			return true
		}
	}
	return false
}

// hasReason tells that HTTP's words for a status stand behind it, as in what OpenAI's and
// Anthropic's libraries for Go say: POST "https://...": 429 Too Many Requests, and .NET's: 429
// (Too Many Requests).
func hasReason(text []byte, status int) bool {
	reason := http.StatusText(status)
	return reason != "" && bytes.HasPrefix(bytes.TrimLeft(text[3:], " ("), []byte(reason))
}

// failedCode is the status of a failure that a text begins with: three digits alone, and
// no count or time.
func failedCode(text []byte) int {
	if len(text) < 3 || counts(text[3:]) {
		return fingerprint.Unknown
	}
	if n, ok := number(text[:3]); ok && 400 <= n && n < 600 && n != 512 { // that counts tokens, and is no status
		return int(n)
	}
	return fingerprint.Unknown
}

// counted is what numbers in messages are of.
var counted = []string{"ms", "milliseconds", "s", "seconds", "minutes", "times", "tokens", "characters", "bytes"}

// counts tells that a number goes on, or of what it is one: 500,000 or 500ms or 500 Tokens.
func counts(rest []byte) bool {
	switch {
	case len(rest) == 0:
		return false
	case rest[0] == '.' || rest[0] == ',':
		return len(rest) > 1 && isDigit(rest[1])
	case rest[0] != ' ':
		return isWord(rest[0])
	}
	unit := rest[1:]
	return slices.ContainsFunc(counted, func(name string) bool {
		return len(unit) >= len(name) && strings.EqualFold(string(unit[:len(name)]), name) && (len(unit) == len(name) || !isWord(unit[len(name)]))
	})
}

// behindClass is a message without the class of the error, as Python writes that in
// front of what it says, or around it.
func behindClass(message []byte) []byte {
	end := bytes.IndexAny(message, ":(")
	if end < 0 {
		return message
	}
	class := message[bytes.LastIndexByte(message[:end], '.')+1 : end]
	if len(class) == 0 || class[0] < 'A' || class[0] > 'Z' || bytes.IndexByte(class, ' ') >= 0 {
		return message
	}
	for _, between := range []string{": ", "('", `("`} {
		if said, ok := bytes.CutPrefix(message[end:], []byte(between)); ok {
			return said
		}
	}
	return message
}

// otherError is OpenTelemetry's word for an error of which nothing is said.
var otherError = []byte("_OTHER")

// errorStatus are the HTTP statuses that libraries raise their classes of errors for:
// first those of OpenAI, Anthropic and LiteLLM. InternalServerError is any of 5xx
// that has no class of its own. Calls that got no answer have those that LiteLLM gives
// them: a provider that is down is an outage.
var errorStatus = map[string]int{
	"BadRequestError":          400,
	"AuthenticationError":      401,
	"PermissionDeniedError":    403,
	"NotFoundError":            404,
	"ConflictError":            409,
	"RequestTooLargeError":     413,
	"UnprocessableEntityError": 422,
	"RateLimitError":           429,
	"RouterRateLimitError":     429, // of LiteLLM, which has no deployment left
	"_ResourceExhaustedError":  429, // of Google's ADK, in front of lines of advice
	"LMRateLimitError":         429, // of DSPy, as LMServerError and LMTransportError
	"RESOURCE_EXHAUSTED":       429, // of Genkit
	"LMServerError":            500,
	"LMTransportError":         500,
	"InternalServerError":      500,
	"ServiceUnavailableError":  503,
	"DeadlineExceededError":    504,
	"OverloadedError":          529,

	"Request timed out":   408, // says that
	"APIConnectionError":  500,
	"Connection error":    500,
	"ConnectError":        500, // of httpx, which Google's library lets out
	"ReadError":           500, // a connection that the server closed
	"RemoteProtocolError": 500,

	// Of Bedrock's runtime, as its API reference has them, and botocore.
	"AccessDeniedException":         403,
	"InternalServerException":       500,
	"ModelErrorException":           424,
	"ModelNotReadyException":        429,
	"ModelStreamErrorException":     424,
	"ModelTimeoutException":         408,
	"ResourceNotFoundException":     404,
	"ServiceQuotaExceededException": 400,
	"ServiceUnavailableException":   503,
	"ThrottlingException":           429,
	"ValidationException":           400,
}
