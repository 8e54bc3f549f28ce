package fingerprint

import "bytes"

// passed ends a line in which Rust says that a test passed: "test a ... ok".
var passed = []byte(" ... ok")

// withoutPassed leaves these lines out of a text. Tests that run side by side end in
// another order each time; how many passed is said at the end.
func withoutPassed(t spoken) spoken {
	kept, rest := t.text[:0], t.text
	for {
		n := bytes.Index(rest, passed)
		if n < 0 {
			break
		}
		start, end := startOfLine(rest[:n]), n+len(passed)
		if bytes.HasPrefix(rest[start:], []byte("test ")) {
			end += lenLineEnd(rest[end:])
		} else {
			start = end
		}
		kept, rest = append(kept, rest[:start]...), rest[end:]
	}
	t.text = append(kept, rest...)
	return t
}

// lineEnds are ends of lines, as they are and as in JSON.
var lineEnds = [][]byte{[]byte("\n"), []byte(`\n`)}

// startOfLine is where the last line of a text begins.
func startOfLine(text []byte) int {
	start := 0
	for _, end := range lineEnds {
		if n := bytes.LastIndex(text, end); n >= 0 {
			start = max(start, n+len(end))
		}
	}
	return start
}

// lenLineEnd is how long the end of a line is that a text begins with; 0 if there is
// none.
func lenLineEnd(text []byte) int {
	for _, end := range lineEnds {
		if bytes.HasPrefix(text, end) {
			return len(end)
		}
	}
	return 0
}
