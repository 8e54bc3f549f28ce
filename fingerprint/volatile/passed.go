package volatile

import "bytes"

// passed ends a line in which Rust says that a test passed: "test a ... ok".
var passed = []byte(" ... ok")

// withoutPassed leaves these lines out of a text. Tests that run side by side end in
// another order each time; how many passed is said at the end.
func withoutPassed(text []byte) []byte {
	kept, rest := text[:0], text
	for {
		n := bytes.Index(rest, passed)
		if n < 0 {
			break
		}
		start, end := startOfLine(rest[:n], lineEnds), n+len(passed)
		if bytes.HasPrefix(rest[start:], []byte("test ")) {
			end += lenLineEnd(rest[end:])
		} else {
			start = end
		}
		kept, rest = append(kept, rest[:start]...), rest[end:]
	}
	return append(kept, rest...)
}
