package formats

import "github.com/loopgauge/loopgauge/fingerprint"

// tells says whether a name, a key or an address tells a caller from others. What
// stands for none, as in a header of a variable that is not set, is the same for all.
func tells(text []byte) bool {
	return fingerprint.NamesSession(text) && !equalFold(text, "bearer") && !equalFold(text, "basic") // and nothing behind it
}

// isNone tells what stands for a body that was not there. An empty one was.
func isNone(body []byte) bool {
	return len(body) > 0 && !fingerprint.NamesSession(body) && !isHidden(body)
}
