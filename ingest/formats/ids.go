package formats

import "bytes"

// drawn tells an id that Anthropic or OpenAI has drawn. Those of proxies for other
// models may be numbers, which come again.
func drawn(id []byte, prefix string) bool {
	return bytes.HasPrefix(id, []byte(prefix)) && len(id) >= len(prefix)+len("01")+22
}

// isMadeUp tells an id as LiteLLM makes them, a UUID, or one of OpenTelemetry:
// 32 hex digits with hyphens or without.
func isMadeUp(id []byte) bool {
	digits := 0
	for _, c := range id {
		if _, ok := hexDigit(c); ok {
			digits++
		} else if c != '-' {
			return false
		}
	}
	return digits == 32
}
