package volatile

import (
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// cleaned is the text of a result without what is none of it, or its frames if it has
// nothing else.
func cleaned(t Text, isError bool) string {
	var c Cleaner
	rest, frames := c.Unframe(t)
	if frames != nil {
		return string(frames)
	}
	return string(c.Decoded(c.Result(rest, nil, isError)))
}

// verbatim is a text as it stands in JSON.
func verbatim(text string) Text {
	quoted := rawjson.AppendString(nil, []byte(text))
	return Text{Bytes: quoted[1 : len(quoted)-1], Verbatim: true}
}

// wantCleaned holds a text to what is left of it, also where it stands in JSON.
func wantCleaned(tb testing.TB, text, want string) {
	tb.Helper()
	for _, t := range []Text{{Bytes: []byte(text)}, verbatim(text)} {
		if got := cleaned(t, false); got != want {
			tb.Errorf("%q (verbatim: %v) gives %q, want %q", text, t.Verbatim, got, want)
		}
	}
}

// hostile gives f a size that takes far too long if it works in the square of it.
func hostile(tb testing.TB, f func(size int)) {
	tb.Helper()
	size := 100_000
	if testing.Short() {
		size = 1000
	}
	f(size)
}
