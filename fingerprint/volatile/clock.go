package volatile

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
)

// ZeroClocks writes zeros for the digits of the times of day in JSON that tell
// the time: now 13:40, time 1:40:11 PM, 2026-11-25T13:40:11.123456Z. Dates stay:
// they change once a day, and tell more.
func ZeroClocks(json []byte) {
	for from := 0; ; {
		n := bytes.IndexByte(json[from:], ':')
		if n < 0 {
			return
		}
		from += n
		start, end := clockAround(json, from)
		if !tellsTime(json[:start]) {
			start = end
		}
		for i := start; i < end; i++ {
			if chars.IsDigit(json[i]) {
				json[i] = '0'
			}
		}
		from = max(from+1, end)
	}
}

// tellsTime says whether what stands before a time of day says that it is the
// time, or has a date: others may be what a request is about.
func tellsTime(before []byte) bool {
	const far = 40
	before = before[max(0, len(before)-far):]
	for i, c := range before {
		for _, word := range [...]string{"time", "date", "today", "now", "clock", "20"} {
			if c|0x20 != word[0]|0x20 || len(before)-i < len(word) || !bytes.EqualFold(before[i:i+len(word)], []byte(word)) {
				continue
			}
			if word != "20" || len(before)-i >= 4 && chars.IsDigit(before[i+2]) && chars.IsDigit(before[i+3]) {
				return true
			}
		}
	}
	return false
}

// clockAround is the time of day whose first colon stands there, from its first
// digit to behind its last; empty if it is none. Addresses have more colons.
func clockAround(t []byte, colon int) (start, end int) {
	start = colon
	for start > 0 && colon-start < 3 && chars.IsDigit(t[start-1]) {
		start--
	}
	switch {
	case colon-start != 1 && colon-start != 2, colon-start == 2 && string(t[start:colon]) > "23":
		return 0, 0
	case start > 0 && (t[start-1] == '.' || t[start-1] == ':'), !isSixtieth(t[colon+1:]):
		return 0, 0
	}
	end = colon + len(":00")
	if end < len(t) && t[end] == ':' && isSixtieth(t[end+1:]) {
		end += len(":00")
		if end+1 < len(t) && (t[end] == '.' || t[end] == ',') {
			end += 1 + chars.Digits(t[end+1:], len(t))
		}
	}
	if end < len(t) && (t[end] == ':' || chars.IsDigit(t[end])) {
		return 0, 0
	}
	return start, end
}

// isSixtieth tells two digits up to 59 at the start of t.
func isSixtieth(t []byte) bool { return chars.Digits(t, 2) == 2 && t[0] <= '5' }
