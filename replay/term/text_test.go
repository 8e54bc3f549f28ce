package term

import (
	"testing"
)

func TestSafe(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := Safe(in); got != want {
			t.Errorf("Safe(%q) = %q, want %q", in, got, want)
		}
	}
	f("plain text", "plain text")
	f("漢字 é 🎉", "漢字 é 🎉")
	f("\x1b[31mred", `\x1b[31mred`)
	f("a\nb\tc\rd", `a\x0ab\x09c\x0dd`)
	f("evil\u202Etxt", `evil\u202etxt`)
	f("zero\u200bwidth", `zero\u200bwidth`)
	f("bad\xff", `bad\xff`)
	f("a real \uFFFD", "a real \uFFFD")
}

func TestPeriod(t *testing.T) {
	f := func(seconds int64, want string) {
		t.Helper()
		if got := Period(0, seconds*1e6); got != want {
			t.Errorf("Period of %d s = %q, want %q", seconds, got, want)
		}
	}
	f(5, "1970-01-01 00:00:00 to 1970-01-01 00:00:05 UTC")
	f(3600, "1970-01-01 00:00 to 1970-01-01 01:00 UTC")
}

// A duration is the nearest that is written: "95 % within 5 s" may not be 5.9 s.
func TestSpan(t *testing.T) {
	f := func(micros int64, want string) {
		t.Helper()
		if got := Span(micros); got != want {
			t.Errorf("Span(%d) = %q, want %q", micros, got, want)
		}
	}
	f(0, "0 ms")
	f(1_600, "2 ms")
	f(2_720_000, "3 s")
	f(5_110_000, "5 s")
	f(5_900_000, "6 s")
	f(119_400_000, "119 s")
	f(179_000_000, "3 min")
	f(2*3600e6, "2 h")
	f(47.6*3600e6, "48 h")
	f(48*3600e6, "2 days")
	f(378.44*86400e6, "378 days")
}

func TestShort(t *testing.T) {
	f := func(n int64, want string) {
		t.Helper()
		if got := Short(n); got != want {
			t.Errorf("Short(%d) = %q, want %q", n, got, want)
		}
	}
	f(-1, "?")
	f(9_999, "9,999")
	f(10_000, "10k")
	f(999_499, "999k")
	f(999_500, "1.0M")
	f(1_700_000, "1.7M")
	f(9_950_000, "10M")
	f(2_345_000_000_000, "2.35T")
}

func TestPercent(t *testing.T) {
	f := func(part, whole int64, want string) {
		t.Helper()
		if got := Percent(part, whole); got != want {
			t.Errorf("Percent(%d, %d) = %q, want %q", part, whole, got, want)
		}
	}
	f(0, 0, "0 %")
	f(0, 10, "0 %")
	f(10, 10, "100 %")
	f(1, 100_000, "<0.1 %")
	f(99_999, 100_000, ">99.9 %")
	f(995, 1000, "99 %")
	f(1, 3, "33 %")
	f(3, 100, "3.0 %")
}

func TestCount(t *testing.T) {
	f := func(in int64, want string) {
		t.Helper()
		if got := Count(in); got != want {
			t.Errorf("Count(%d) = %q, want %q", in, got, want)
		}
	}
	f(-1, "?")
	f(0, "0")
	f(999, "999")
	f(1000, "1,000")
	f(1234567, "1,234,567")
}

func TestHanging(t *testing.T) {
	f := func(line string, width int, want string) {
		t.Helper()
		if got := Hanging(line, width); got != want {
			t.Errorf("%q in %d columns: %q, want %q", line, width, got, want)
		}
	}
	f("ab cd ef", 8, "ab cd ef")
	f("ab cd ef", 7, "ab cd\n  ef")
	f("  ab cd ef gh", 8, "  ab cd\n    ef\n    gh")
	f("abcdefgh", 5, "abcde\n  fgh")
	f("abcdefghijk", 5, "abcde\n  fgh\n  ijk")
	f("", 5, "")
}

func TestMiddle(t *testing.T) {
	f := func(text string, columns int, want string) {
		t.Helper()
		if got := Middle(text, columns); got != want {
			t.Errorf("%q in %d columns is %q, want %q", text, columns, got, want)
		}
	}
	f("", 8, "")
	f("abcdefgh", 8, "abcdefgh")
	f("abcdefghi", 8, "abcd…ghi")
	f("abcdefghij", 9, "abcde…hij")
	f("01a212f2-d9e1-75a3-b0c4/agent-7", 20, "01a212f2-d…4/agent-7")
	f("日本語日本語", 8, "日本… 語")
}
