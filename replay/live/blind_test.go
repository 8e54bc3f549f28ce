package live

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// TestBlind: that a rule cannot look at most requests is said when enough of
// them have come, and once until it was otherwise. What the requests themselves
// do not have is no lack.
func TestBlind(t *testing.T) {
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	a := window.RuleAccount{Rule: &window.Rule{Name: "a"}, Judged: 7000, Counted: 7000}
	var b blind
	b.begin([]window.RuleAccount{a}, false)
	f := func(cause fingerprint.Cause, lacking, seen, notMatched int64, want string) {
		t.Helper()
		said.Reset()
		a.Judged += lacking + seen + notMatched
		a.NotComputable[cause] += lacking
		a.Counted += seen
		a.NotMatched += notMatched
		b.say(log, []window.RuleAccount{a})
		if got := said.String(); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%d of %d, %s: %q, want %q", lacking, lacking+seen, cause, got, want)
		}
	}
	f(fingerprint.NoMessages, 99, 0, 1000, "")
	f(fingerprint.NoMessages, 1, 0, 0, `rule=a requests=100 of=100 why="no messages" hint="log the request's messages"`)
	f(fingerprint.NoMessages, 500, 0, 0, "")
	f(fingerprint.NoMessages, 100, 100, 0, "")
	f(fingerprint.RedactedContent, 101, 100, 0, `requests=101 of=201 why="content redacted by the logger"`)
	f(fingerprint.Computable, 0, 100, 0, "")
	f(fingerprint.NoToolCall, 500, 0, 0, "")
}

// TestDropsKeys: that a rule drops keys is said once, and of a restart when it
// drops more.
func TestDropsKeys(t *testing.T) {
	var said bytes.Buffer
	var b blind
	a := window.RuleAccount{Rule: &window.Rule{Name: "a"}, DroppedKeys: 7}
	b.begin([]window.RuleAccount{a}, false)
	for _, dropped := range []int64{7, 10, 12} {
		a.DroppedKeys = dropped
		b.say(slog.New(slog.NewTextHandler(&said, nil)), []window.RuleAccount{a})
	}
	if text := said.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "may be missed\" rule=a dropped=3") {
		t.Errorf("said %q", text)
	}
}

// TestMatchesNone: that a rule matches no request is said once, when many have
// come, but for one that is switched off, and where others judge a part.
func TestMatchesNone(t *testing.T) {
	f := func(judged, notMatched int64, off, part bool, want int) {
		t.Helper()
		var said bytes.Buffer
		var b blind
		a := window.RuleAccount{Rule: &window.Rule{Name: "a", Off: off}}
		b.begin([]window.RuleAccount{a}, part)
		for range 3 {
			a.Judged, a.NotMatched, a.Counted = a.Judged+judged, a.NotMatched+notMatched, a.Counted+judged-notMatched
			b.say(slog.New(slog.NewTextHandler(&said, nil)), []window.RuleAccount{a})
		}
		if n := strings.Count(said.String(), "rule looks at no request"); n != want {
			t.Errorf("%d of %d left out: said %d times, want %d:\n%s", notMatched, judged, n, want, &said)
		}
	}
	f(400, 400, false, false, 1)
	f(4000, 4000, false, false, 1)
	f(300, 300, false, false, 0)
	f(400, 399, false, false, 0)
	f(4000, 4000, true, false, 0)
	f(4000, 4000, false, true, 0)
}
