package volatile

import (
	"strings"
	"testing"
)

// TestColours: colours are no part of a result, and hide no time in it.
func TestColours(t *testing.T) {
	is := func(text, want string) { t.Helper(); wantCleaned(t, text, want) }

	is("\x1b[31m×\x1b[39m failed adds\x1b[32m 40\x1b[2mms\x1b[22m\x1b[0m\n\x1b[2m   Start at \x1b[22m 21:18:28\n\x1b[2m   Duration \x1b[22m 1.01s\x1b[1;2m", "× failed adds <duration>\n   Start at  <timestamp>\n   Duration  <duration>")
	is(`{"returncode": 1, "output": "failed\u001b[32m 40\u001b[2mms\u001b[22m"}`, `{"returncode": 1, "output": "failed <duration>"}`)
	is("\x1b[2K, [31m and \x1b[31", "\x1b[2K, [31m and \x1b[31")

	hostile(t, func(size int) {
		for _, part := range []string{"[", "\x1b[", "\x1b[31m", "\x1b[1;"} {
			cleaned(verbatim(strings.Repeat(part, size)), false)
		}
	})
}
