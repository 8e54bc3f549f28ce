package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// failedStatus is the status that the message of a failed call names, as the libraries
// of OpenAI and Anthropic, in Python and in others, and Google's have it (Error code: 429;
// 429 Rate limit reached; ClientError: 429 RESOURCE_EXHAUSTED), else the one that the
// class of the error stands for, which may stand in front of the message.
func failedStatus(class, message []byte) int {
	if status := statusSaid(message); status != fingerprint.Unknown {
		return status
	}
	said, _, _ := bytes.Cut(message, []byte(": "))
	class = bytes.TrimRight(first(class, said), "'>.") // <class 'openai.RateLimitError'>
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

// statusSaid is the status in a message: behind Error code or its like, or where the message
// begins, be it behind the class of the error. Node's and Java's libraries have what the
// provider said behind it, in whatever words.
func statusSaid(message []byte) int {
	for _, word := range []string{"Error code: ", "status_code: ", "HTTP ", "Error "} { // the second of Pydantic AI, the third of Spring AI, the last of Google's for Go
		if _, code, ok := bytes.Cut(message, []byte(word)); ok {
			if status := failedCode(code); status != fingerprint.Unknown {
				return status
			}
		}
	}
	if message = behindClass(message); len(message) > 3 && (message[3] == ' ' || message[3] == ':') {
		return failedCode(message)
	}
	return fingerprint.Unknown
}

// failedCode is the status of a failure that a text begins with.
func failedCode(text []byte) int {
	if len(text) == 3 || len(text) > 3 && !isDigit(text[3]) {
		if n, ok := number(text, 0, 3); ok && 400 <= n && n < 600 && n != 512 { // that counts tokens, and is no status
			return int(n)
		}
	}
	return fingerprint.Unknown
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
