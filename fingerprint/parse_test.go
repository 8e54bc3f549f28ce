package fingerprint_test

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// What an identity writes is read back as the same; nothing else is read.
func TestParse(t *testing.T) {
	read := func(text string, size int) {
		t.Helper()
		f, ok := fingerprint.Parse(text)
		if !ok || f.String() != text || len(f.Bytes()) != size {
			t.Errorf("%s is read as %s of %d bytes, %t; want %d bytes", text, f, len(f.Bytes()), ok, size)
		}
	}
	read("0", 4)
	read("4294967295", 4)
	read("00000000000000000000000000000001", 16) // digits alone, and no number
	read(strings.Repeat("ab", 32), 32)
	for _, text := range []string{"", "-1", "+1", "01", "4294967296", "0x1", "abcdef", strings.Repeat("AB", 16), strings.Repeat("g", 32), strings.Repeat("a", 31), strings.Repeat("a", 66)} {
		if f, ok := fingerprint.Parse(text); ok {
			t.Errorf("%q is read as %s", text, f)
		}
	}
}

func TestParseCause(t *testing.T) {
	for c := range fingerprint.Cause(fingerprint.Causes) {
		if got, ok := fingerprint.ParseCause(c.String()); !ok || got != c {
			t.Errorf("%q is read as %d, want %d", c, got, c)
		}
	}
	if c, ok := fingerprint.ParseCause("no luck"); ok {
		t.Errorf("an unknown cause is read as %q", c)
	}
}
