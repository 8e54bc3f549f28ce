package rawjson

import (
	"math"
	"strconv"
	"unsafe"
)

// Float reads the number that comes next, also one inside a string. ok is
// false for anything else.
func (s *Scanner) Float() (f float64, ok bool) { return ParseFloat(s.Text(nil)) }

// Int reads the integer that comes next, also one inside a string or written
// with a fraction of zero. ok is false for anything else.
func (s *Scanner) Int() (n int64, ok bool) { return ParseInt(s.Text(nil)) }

// Bool reads the literal that comes next. ok is false for anything but true
// and false.
func (s *Scanner) Bool() (value, ok bool) {
	if s.Kind() != Bool {
		s.Skip()
		return false, false
	}
	v := s.Value()
	return len(v) == 4, !s.bad
}

// ParseFloat reads text as a JSON number.
func ParseFloat(text []byte) (f float64, ok bool) {
	if !ValidNumber(text) {
		return 0, false
	}
	f, err := strconv.ParseFloat(view(text), 64)
	return f, err == nil
}

// ParseInt reads text as a JSON number that is an integer.
func ParseInt(text []byte) (n int64, ok bool) {
	if n, ok = parseDigits(text); ok {
		return n, true
	}
	if !ValidNumber(text) {
		return 0, false
	}
	n, err := strconv.ParseInt(view(text), 10, 64)
	if err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(view(text), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 { // beyond, floats leave integers out
		return 0, false
	}
	return int64(f), true
}

// parseDigits is ParseInt of what is no more than digits, as most integers are.
func parseDigits(text []byte) (n int64, ok bool) {
	const most = 18 // digits that fit whatever they are
	if len(text) == 0 || len(text) > most || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// ValidNumber reports whether text is a number as RFC 8259 writes it.
func ValidNumber(text []byte) bool {
	i := 0
	digits := func() bool {
		from := i
		for i < len(text) && '0' <= text[i] && text[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(text) && text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else if !digits() {
		return false
	}
	if i < len(text) && text[i] == '.' {
		i++
		if !digits() {
			return false
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(text)
}

// view is text as a string without a copy, for calls that do not keep it.
func view(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }
