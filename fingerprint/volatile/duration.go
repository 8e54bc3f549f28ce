package volatile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// Units of time, as they stand right behind a number. Behind a space there are
// those of two letters or more, and s: "3 d" and "5 m" are something else.
var timeUnits = func() []string {
	units := []string{"ns", "us", "µs", "μs", "ms", "s", "m", "h", "d"}
	for _, name := range []string{"nanosecond", "microsecond", "millisecond", "usec", "msec", "second", "sec", "minute", "min", "hour", "hr", "day"} {
		units = append(units, name, name+"s")
	}
	slices.SortFunc(units, func(a, b string) int { return len(b) - len(a) }) // the longest that matches is meant
	return units
}()

// MatchDuration takes for one how long something took or goes on: numbers with
// units, one behind the other, or a clock that shows hours or parts of a second.
// 12:30 may as well be a place in a file.
func MatchDuration(t []byte) int {
	if n := matchClock(t); n > 0 {
		return n
	}
	end, at := 0, 0
	for range mostUnits {
		n := timeWithUnit(t[at:])
		if n == 0 {
			break
		}
		if at += n; !chars.BeginsWithWord(t[at:]) {
			end = at // what does not end with a word is none
		}
		at += spaces(t[at:])
	}
	return end
}

// mostUnits is how many one duration has, from days to nanoseconds.
const mostUnits = 7

func spaces(t []byte) int {
	if len(t) > 0 && t[0] == ' ' {
		return 1
	}
	return 0
}

func timeWithUnit(t []byte) int {
	n := chars.Digits(t, len(t))
	if n == 0 {
		return 0
	}
	n += fraction(t[n:])
	space := spaces(t[n:])
	rest := t[n+space:]
	for _, unit := range timeUnits {
		if bytes.HasPrefix(rest, []byte(unit)) && (space == 0 || len(unit) > 1 || unit == "s") {
			if end := len(unit); !chars.BeginsWithWord(rest[end:]) || space == 0 && chars.IsDigit(rest[end]) {
				return n + space + end
			}
		}
	}
	return 0
}

// fraction is how long the decimals are that a number goes on with.
func fraction(t []byte) int {
	if len(t) > 1 && t[0] == '.' && chars.IsDigit(t[1]) {
		return 1 + chars.Digits(t[1:], len(t))
	}
	return 0
}

func matchClock(t []byte) int {
	n := chars.Digits(t, len(t))
	if n == 0 {
		return 0
	}
	parts := 0
	for parts < 2 && len(t) >= n+3 && t[n] == ':' && chars.Digits(t[n+1:], 2) == 2 && strings.IndexByte("012345", t[n+1]) >= 0 {
		n += 3
		parts++
	}
	decimals := fraction(t[n:])
	if parts == 0 || parts == 1 && decimals == 0 {
		return 0
	}
	return n + decimals
}
