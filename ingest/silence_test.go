package ingest

import (
	"strings"
	"testing"
	"time"
)

// TestSilence: a stream is silent for as long as it was seen to be at its end;
// -1 stands for one that is not.
// What a look gives is "r" for records, "e" for the end, "x" if nobody can tell;
// what follows is how long after the one before.
func TestSilence(t *testing.T) {
	f := func(looks string, want time.Duration) {
		t.Helper()
		var s Silence
		at := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
		for look := range strings.FieldsSeq(looks) {
			kind, after, _ := strings.Cut(look, "+")
			pause, err := time.ParseDuration(after)
			must(t, err)
			at = at.Add(pause)
			c := &Chunk{AtEnd: strings.Contains(kind, "e")}
			if strings.Contains(kind, "r") {
				c.Block = &Block{}
			}
			s.Look(at, c)
		}
		if want < 0 && s.Lasts(0) || want >= 0 && (!s.Lasts(want) || s.Lasts(want+1)) {
			t.Errorf("%s: not silent for %s", looks, want)
		}
	}
	f("", -1)
	f("e+0s", 0)
	f("e+0s e+500ms e+700ms", 1200*time.Millisecond)
	f("re+0s e+500ms", 500*time.Millisecond)
	f("e+0s e+1s re+1s", 0)
	f("e+0s e+1s r+1s", -1)
	f("e+0s e+1s x+1s", -1)
	f("e+0s e+1s x+1s e+1s", 0)
	f("e+0s e+1s x+1s e+1s e+900ms", 900*time.Millisecond)
	// Who was stopped for an hour has not looked for an hour.
	f("e+0s e+1s e+1h", 2*time.Second)
	f("e+0s e+1h e+1s", 2*time.Second)
}
