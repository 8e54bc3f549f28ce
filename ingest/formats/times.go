package formats

import (
	"bytes"
	"math"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// parseTime reads RFC 3339 or a number of seconds since 1970, in microseconds.
func parseTime(text []byte) (micros int64, ok bool) {
	if micros, ok = parseSeconds(text); ok {
		return micros, true
	}
	return parseRFC3339(text)
}

// parseZonedTime reads a time in the forms that proxies can be told to write:
// seconds, milliseconds, microseconds or nanoseconds since 1970, which are told
// apart by their size, RFC 3339, or as nginx and Apache have it; Apache's %t is in
// brackets. Those without a zone are no times.
func parseZonedTime(text []byte) (micros int64, ok bool) {
	if micros, ok = parseTime(text); !ok {
		return parseCLF(bytes.Trim(text, "[]"))
	}
	if micros < maxTime {
		return micros, true
	}
	if n, ok := rawjson.ParseInt(text); ok && n >= 1e17 {
		return n / 1e3, true
	}
	switch f, _ := rawjson.ParseFloat(text); {
	case f >= 1e17: // in no unit
	case f >= 1e14:
		return int64(math.Round(f)), true
	case f >= 1e11:
		return int64(math.Round(f * 1e3)), true
	}
	return micros, true
}

// parseSeconds reads a number of seconds to the microsecond, rounding what is
// finer. Decimal digits are taken as they stand: through a float64 today's
// times would be off by a tenth of a microsecond.
func parseSeconds(text []byte) (micros int64, ok bool) {
	if !rawjson.ValidNumber(text) {
		return 0, false
	}
	i := 0
	for ; i < len(text) && isDigit(text[i]); i++ {
		if micros > math.MaxInt64/10_000_000 {
			return outOfRange, true
		}
		micros = micros*10 + int64(text[i]-'0')
	}
	micros *= 1_000_000
	if i < len(text) && text[i] == '.' {
		i++
		scale := int64(100_000)
		for ; i < len(text) && isDigit(text[i]); i++ {
			if scale > 0 {
				micros += int64(text[i]-'0') * scale
			} else if scale == 0 && text[i] >= '5' {
				micros++
			}
			if scale > 0 {
				scale /= 10
			} else {
				scale = -1
			}
		}
	}
	if i < len(text) { // an exponent, or a sign
		f, ok := rawjson.ParseFloat(text)
		f = math.Round(f * 1e6)
		if !ok || math.Abs(f) >= math.MaxInt64 {
			return outOfRange, true
		}
		return int64(f), true
	}
	return micros, true
}

// readMillis is parseMillis of what comes next.
func readMillis(s *rawjson.Scanner, old int64) int64 { return parseMillis(s.Text(nil), old) }

// parseMillis reads a duration in milliseconds, in microseconds.
func parseMillis(text []byte, old int64) int64 {
	if d, ok := parseSeconds(text); ok && d >= 0 {
		return (d + 500) / 1000
	}
	return old
}

// parseRFC3339 reads 2006-01-02T15:04:05.999999Z with any fraction and zone.
// Digits beyond the microsecond are cut off. Years of more than four digits,
// as ISO 8601 writes them with a sign, are times too, but out of range.
func parseRFC3339(t []byte) (micros int64, ok bool) {
	signed := len(t) > 0 && (t[0] == '+' || t[0] == '-')
	if signed {
		_, ok = parseRFC3339(bytes.TrimLeft(t, "+-"))
		return outOfRange, ok
	}
	i := 0
	for i < len(t) && isDigit(t[i]) {
		i++
	}
	year, ok := number(t[:i])
	if !ok || i < 4 || i > 9 || len(t) < i+15 || t[i] != '-' || t[i+3] != '-' || t[i+9] != ':' || t[i+12] != ':' {
		return 0, false
	}
	if c := t[i+6]; c != 'T' && c != 't' && c != ' ' {
		return 0, false
	}
	d := digits{text: t[i:]}
	seconds, ok := civil(year, d.at(1, 3), d.at(4, 6), d.at(7, 9), d.at(10, 12), d.at(13, 15))
	if !ok || d.bad {
		return 0, false
	}
	if year > 9999 {
		return outOfRange, true
	}
	i += 15
	fraction := int64(0)
	if i < len(t) && (t[i] == '.' || t[i] == ',') {
		i++
		from, scale := i, int64(100_000)
		for ; i < len(t) && isDigit(t[i]); i++ {
			fraction += int64(t[i]-'0') * scale
			scale /= 10
		}
		if i == from {
			return 0, false
		}
	}
	offset, ok := zone(t[i:])
	if !ok {
		return 0, false
	}
	return (seconds-offset)*1_000_000 + fraction, true
}

// zone reads Z, +hh:mm or +hhmm, in seconds.
func zone(t []byte) (seconds int64, ok bool) {
	if len(t) == 1 && (t[0] == 'Z' || t[0] == 'z') {
		return 0, true
	}
	if len(t) != 5 && (len(t) != 6 || t[3] != ':') || t[0] != '+' && t[0] != '-' {
		return 0, false
	}
	d := digits{text: t}
	hours, minutes := d.at(1, 3), d.at(len(t)-2, len(t))
	seconds = hours*3600 + minutes*60
	if t[0] == '-' {
		seconds = -seconds
	}
	return seconds, !d.bad && hours < 24 && minutes < 60
}

// civil is the number of seconds since 1970 of a date and time of the
// Gregorian calendar in UTC; ok is false if there is none such.
func civil(year, month, day, hour, minute, second int64) (seconds int64, ok bool) {
	date := time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC) // another one if there is no such day
	ok = date.Month() == time.Month(month) && date.Day() == int(day) && hour <= 23 && minute <= 59 && second <= 60
	return date.Unix() + (hour*60+minute)*60 + second, ok
}

// readTime reads the time that comes next.
func readTime(s *rawjson.Scanner, old int64) int64 { return readAs(parseTime, s, old) }

// readZonedTime is readTime in the forms that proxies write.
func readZonedTime(s *rawjson.Scanner, old int64) int64 { return readAs(parseZonedTime, s, old) }

// readAs reads the time that comes next as parse does.
func readAs(parse func([]byte) (int64, bool), s *rawjson.Scanner, old int64) int64 {
	if t, ok := parse(s.Text(nil)); ok {
		return t
	}
	return old
}
