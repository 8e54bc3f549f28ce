package volatile

import "github.com/loopgauge/loopgauge/fingerprint/chars"

// How long a UUID, a time, a hexadecimal or a decimal number is that a text begins with, in
// bytes; 0 if it begins with none. The text before and behind is not looked at.

// MatchUUID matches 123e4567-e89b-12d3-a456-426614174000.
func MatchUUID(t []byte) int {
	if len(t) < 36 {
		return 0
	}
	for i, c := range t[:36] {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return 0
			}
		} else if !chars.IsHex(c) {
			return 0
		}
	}
	return 36
}

// MatchTimestamp matches a date, or one with a time of day and a zone as RFC 3339 has them.
func MatchTimestamp(t []byte) int {
	if len(t) < 10 || chars.Digits(t, 4) != 4 || t[4] != '-' || chars.Digits(t[5:], 2) != 2 || t[7] != '-' || chars.Digits(t[8:], 2) != 2 {
		return 0
	}
	n := 10
	if len(t) < 16 || t[10] != 'T' && t[10] != 't' && t[10] != ' ' || chars.Digits(t[11:], 2) != 2 || t[13] != ':' || chars.Digits(t[14:], 2) != 2 {
		return n
	}
	n = 16
	if len(t) >= 19 && t[16] == ':' && chars.Digits(t[17:], 2) == 2 {
		n = 19
		if len(t) > 20 && (t[19] == '.' || t[19] == ',') && chars.IsDigit(t[20]) {
			n = 20 + chars.Digits(t[20:], 9)
		}
	}
	switch {
	case n < len(t) && (t[n] == 'Z' || t[n] == 'z'):
		return n + 1
	case n+6 <= len(t) && (t[n] == '+' || t[n] == '-') && chars.Digits(t[n+1:], 2) == 2 && t[n+3] == ':' && chars.Digits(t[n+4:], 2) == 2:
		return n + 6
	case n+5 <= len(t) && (t[n] == '+' || t[n] == '-') && chars.Digits(t[n+1:], 4) == 4:
		return n + 5
	}
	return n
}

// MatchHex matches hexadecimal digits, 8 or more, with 0x before them or with digits and
// letters among them.
func MatchHex(t []byte) int {
	n, digit, letter := 0, false, false
	if len(t) > 2 && t[0] == '0' && (t[1] == 'x' || t[1] == 'X') {
		n, digit, letter = 2, true, true
	}
	from := n
	for n < len(t) && chars.IsHex(t[n]) {
		digit = digit || chars.IsDigit(t[n])
		letter = letter || !chars.IsDigit(t[n])
		n++
	}
	if n-from < 8 || !digit || !letter {
		return 0
	}
	return n
}

// MatchNumber matches a decimal number, with sign, fraction and exponent.
func MatchNumber(t []byte) int {
	n := 0
	if n < len(t) && (t[n] == '-' || t[n] == '+') {
		n++
	}
	k := chars.Digits(t[n:], len(t))
	if k == 0 {
		return 0
	}
	n += k
	n += fraction(t[n:])
	if n+1 < len(t) && (t[n] == 'e' || t[n] == 'E') {
		e := n + 1
		if t[e] == '+' || t[e] == '-' {
			e++
		}
		if e < len(t) && chars.IsDigit(t[e]) {
			n = e + chars.Digits(t[e:], len(t))
		}
	}
	return n
}
