package volatile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// Servers that refuse a request tell when: Spring "timestamp", Microsoft "date", S3
// <ServerTime>. It is new each time, though they refuse it in the same way. When
// something was made or has changed has other names, and a line of a log is news.

var whens = [...]string{"timestamp", "date", "time", "servertime"}

// spanWhen is the time behind such a name, with the mark so far behind its first digit.
func spanWhen(before int) func(text []byte, at int) (start, end int) {
	return func(text []byte, at int) (start, end int) {
		start = max(0, at-before)
		return start, start + lenWhen(text, start)
	}
}

// lenWhen is how long the time is, to the second, that stands at text[at:] behind such
// a name; 0 if none does: "timestamp": "2026-11-21T10:00:00Z".
func lenWhen(text []byte, at int) int {
	const toTheSecond, far = len("2026-11-21T10:00:00"), 32
	n := MatchTimestamp(text[at:])
	if n < toTheSecond {
		return 0
	}
	least := max(0, at-far)
	behind := at // the name
	for behind > least && strings.IndexByte(`"'\:= >`, text[behind-1]) >= 0 {
		behind--
	}
	from := behind
	for from > least && chars.IsWord(text[from-1]) {
		from--
	}
	if behind == at || !isWhen(string(text[from:behind])) {
		return 0
	}
	return n
}

func isWhen(name string) bool {
	return slices.ContainsFunc(whens[:], func(when string) bool { return strings.EqualFold(when, name) })
}

// ofLogs are what lines of logs have, which are told by it from what a server
// answers.
var ofLogs = [][]byte{[]byte("level"), []byte("LEVEL"), []byte("severity")}

var requestIDPlaceholder = []byte("<request-id>")

// isRefusal tells whether a text has the status of a request that failed, or names one
// and says so: services name it in what they measured, too.
func isRefusal(text []byte) bool {
	return (hasErrorStatus(text) || bytes.Contains(text, requestIDPlaceholder) && hasVerdict(text)) && !chars.HasAny(text, ofLogs) && hasOneWhen(text)
}

// hasOneWhen tells whether a text names one time, once or more often. Of the requests
// in a log of a server each has its own.
func hasOneWhen(text []byte) bool {
	var one []byte
	for at := range text {
		if when := text[at : at+lenWhen(text, at)]; len(when) > 0 {
			if one != nil && !bytes.Equal(when, one) {
				return false
			}
			one = when
		}
	}
	return true
}

// hasErrorStatus tells whether a status of 400 or more is in a text: "status":404,
// "statusCode": 500, "status_code": 503.
func hasErrorStatus(text []byte) bool {
	for rest := text; ; {
		var found bool
		if _, rest, found = bytes.Cut(rest, []byte("status")); !found {
			return false
		}
		value, _ := cutFold(bytes.TrimPrefix(rest, []byte("_")), "code")
		n := lenSeparator(value)
		if value = value[n:]; n > 0 && len(value) > 0 && (value[0] == '4' || value[0] == '5') && chars.Digits(value, 4) == 3 {
			return true
		}
	}
}

const wgetTime = "2026-11-21 10:00:00"

// spanWget is when wget began: --2026-11-21 10:00:00--  http://a.
func spanWget(text []byte, at int) (start, end int) {
	start = at + len("--")
	if end = start + MatchTimestamp(text[start:]); end-start != len(wgetTime) || !bytes.HasPrefix(text[end:], []byte("--  ")) {
		return 0, 0
	}
	return start, end
}

// spanWgetError is when it failed: 2026-11-21 10:00:01 ERROR 404: Not Found.
func spanWgetError(text []byte, at int) (start, end int) {
	if start = at - len(wgetTime); start < 0 || MatchTimestamp(text[start:at]) != len(wgetTime) {
		return 0, 0
	}
	return start, at
}
