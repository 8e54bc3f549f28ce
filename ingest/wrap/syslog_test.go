package wrap

import (
	"strings"
	"testing"
)

// unwrapped are what lines wrap, and of each that is refused why.
func unwrapped(u Unwrapper, lines ...string) string {
	var out []string
	for i, line := range lines {
		at := Line{Text: []byte(line)}
		at.At.Line = int64(i + 1)
		if why := u.Unwrap(at, func(line Line) { out = append(out, string(line.Text)) }); why != "" {
			out = append(out, "! "+why)
		}
	}
	return strings.Join(out, "\n")
}

// TestSyslogHeaders: headers as they are, and what is none.
func TestSyslogHeaders(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		if got := unwrapped(syslog{}, line); got != want {
			t.Errorf("%s\ngives %q\nwant  %q", line, got, want)
		}
		if is := !strings.HasPrefix(want, "! "); detectSyslog([]byte(line)) != is {
			t.Errorf("%s is told: %t", line, !is)
		}
	}
	const none = "! expected a syslog header"
	// What stands between priority and message may be left out, from the left.
	f("<6>2026-11-21T10:00:00Z h nginx: a", "a")
	f("<6>2026-11-21T10:00:00Z nginx: a", "a")
	f("<6>2026-11-21T10:00:00Z a", "a")
	f("<6>2026-11-21T10:00:00Z nginx:", "nginx:") // no tag: nothing is behind it
	f("<6>a", "a")
	f("2026-11-21T10:00:00Z h nginx: a", "a")
	f("2026-11-21T10:00:00Z nginx: a", none) // a stream's, with a time in front
	f("2026-11-21T10:00:00Z a", none)
	f("a", none)
	f("<6a", none)
	f("<1234>a", none)
	f("<>a", none)
	f("", none)
	// RFC 5424.
	f("<6>1 - h a 1 m - x", "x")
	f("<6>1 2026-11-21T10:00:00Z h a 1 m - x", "x")
	f("<6>1 yesterday h a 1 m - x", none)
	f("<6>1 - h a  m - x", none)
	f(`<6>1 - h a 1 m [b c="]\"" d="e"][f] x`, "x")
	f(`<6>1 - h a 1 m [b c="x`, none)
	f("<6>1 - h a 1 m ", none)
	f("<6>1 - h a 1 m x", none)
	f("<6>1 - h a 1 m - \uFEFFx", "x")
}

// TestSyslogFrames: lengths in front of messages, as RFC 6587 has them, are believed
// where they lead to an end.
func TestSyslogFrames(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		if got := unwrapped(syslog{}, line); got != want {
			t.Errorf("%s\ngives %q\nwant  %q", line, got, want)
		}
	}
	f("4 <6>a", "a")
	f("5 <6>a", "a") // its newline counts
	f("4 <6>a5 <6>bc", "a\nbc")
	f("4 <6>a 5 <6>bc", "a\nbc")
	f("3 <6>a5 <6>bc", "a\nbc") // goes on to where the next begins
	f("9 <6>a5 <6>bc", "a\nbc")
	f("4 <6>a5 <6bc", "a5 <6bc") // in the middle of something
	const none = "! expected a syslog header"
	f("04 <6>a", none)
	f("12345678 <6>a", none)
	f("1234567 <6>a", "a")
	f("4<6>a", none)
	f("4 a", none)
	f("4 <6>a5 <>b", "a5 <>b")
}
