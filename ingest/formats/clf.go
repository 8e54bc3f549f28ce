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
	d := digits{text: t}
	seconds, ok := civil(d.at(7, 11), month, d.at(0, 2), d.at(12, 14), d.at(15, 17), d.at(18, 20))
	micros = seconds * 1_000_000
	scale := int64(100_000)
	for _, c := range fraction {
		ok = ok && isDigit(c)
		micros += int64(c-'0') * scale
		scale /= 10
	}
	return micros, ok && !d.bad
}
