package formats

import (
	"bytes"
	"slices"
)

// parseCLF reads 21/Nov/2026:10:00:00 +0000, and with a fraction, as Apache can
// be told to write it.
func parseCLF(t []byte) (micros int64, ok bool) {
	local, z, _ := bytes.Cut(t, []byte(" "))
	micros, ok = parseZonelessCLF(local)
	offset, ok2 := zone(z)
	return micros - offset*1_000_000, ok && ok2
}

var months = []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}

// parseZonelessCLF reads 21/Nov/2026:10:00:00, with a fraction or without, as if it
// were in UTC.
func parseZonelessCLF(t []byte) (micros int64, ok bool) {
	t, fraction, _ := bytes.Cut(t, []byte("."))
	if len(t) != 20 || t[2] != '/' || t[6] != '/' || t[11] != ':' || t[14] != ':' || t[17] != ':' || len(fraction) > 6 {
		return 0, false
	}
	month := int64(slices.Index(months, string(t[3:6])) + 1)
	day, ok1 := number(t, 0, 2)
	year, ok2 := number(t, 7, 11)
	hour, ok3 := number(t, 12, 14)
	minute, ok4 := number(t, 15, 17)
	second, ok5 := number(t, 18, 20)
	seconds, ok := civil(year, month, day, hour, minute, second)
	micros = seconds * 1_000_000
	scale := int64(100_000)
	for _, c := range fraction {
		ok = ok && isDigit(c)
		micros += int64(c-'0') * scale
		scale /= 10
	}
	return micros, ok && ok1 && ok2 && ok3 && ok4 && ok5
}
