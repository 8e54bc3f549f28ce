package report

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCountsText(t *testing.T) {
	f := func(want string, counts ...uint8) {
		t.Helper()
		if got := countsText(counts); got != want {
			t.Errorf("%v is written %q, want %q", counts, got, want)
		}
	}
	f("")
	f("+", 2)
	f("+3=", 2, 3, 4, 4)
	f("=2+", 1, 1, 2)
	f("+4-2+", 2, 3, 4, 5, 4, 3, 4)
	f("+3^1+", 2, 3, 4, 1, 2)
	f("^9^4=2", 9, 4, 4, 4)
	f("+254=3", ramp(255, 255, 255)...)
}

// ramp counts from 2 to 255 and goes on with more.
func ramp(more ...uint8) (list []uint8) {
	for n := 2; n <= 255; n++ {
		list = append(list, uint8(n))
	}
	return append(list, more...)
}

func TestRuns(t *testing.T) {
	f := func(values []int, want ...int) {
		t.Helper()
		got := runs(values)
		if len(got) != len(want) {
			t.Fatalf("%v is written %v, want %v", values, got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%v is written %v, want %v", values, got, want)
			}
		}
	}
	f(nil)
	f([]int{200}, 200, 1)
	f([]int{200, 200, 429, 200}, 200, 2, 429, 1, 200, 1)
}

func TestCommand(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		if got := command(args); got != want {
			t.Errorf("%q is written %s, want %s", args, got, want)
		}
	}
	f("loopgauge tune access.log", "loopgauge", "tune", "access.log")
	f("loopgauge '' 'a b' 'it'\\''s' '$x' --budget=2/day", "loopgauge", "", "a b", "it's", "$x", "--budget=2/day")
	f(`'`+`\u202e`+`'`, "\u202e")
}

// Names are cut at 160 characters, not within one.
func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("ü", 160): strings.Repeat("ü", 160),
		strings.Repeat("ü", 161): strings.Repeat("ü", 160) + "…",
	} {
		if got := shown(text); got != want {
			t.Errorf("%d characters are shown as %q", utf8.RuneCountInString(text), got)
		}
	}
}
