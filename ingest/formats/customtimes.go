package formats

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// Layouts of times that are numbers.
var unixLayouts = map[string]time.Duration{
	"unix_s": time.Second, "unix_ms": time.Millisecond, "unix_us": time.Microsecond, "unix_ns": time.Nanosecond,
}

// CheckLayout says what is wrong with the layout of a time, or "".
func CheckLayout(layout string) string {
	if layout == "rfc3339" || unixLayouts[layout] != 0 {
		return ""
	}
	want := time.Date(2021, 11, 23, 17, 48, 59, 0, time.UTC)
	got, err := time.Parse(layout, want.Format(layout))
	if err != nil || !got.Equal(want) && !got.Equal(want.Truncate(time.Minute)) { // spreadsheets show no seconds
		return "is no layout: write unix_s, unix_ms, unix_us, unix_ns, rfc3339, or how 2 January 2006, 15:04:05 looks in the log, with its date and second: 02/Jan/2006:15:04:05 -0700"
	}
	return ""
}

// zoneOf is what times of a layout say of their zone.
type zoneOf int8

const (
	offset   zoneOf = iota // how far it is from UTC, or no zone is needed
	nickname               // what it is called there, as CEST: IST is three zones
	noZone
)

func zoneOfLayout(layout string) zoneOf {
	if layout == "" || layout == "rfc3339" || unixLayouts[layout] != 0 {
		return offset
	}
	in := func(name string, hours int) string {
		return time.Date(2021, 11, 23, 17, 48, 59, 0, time.FixedZone(name, hours*3600)).Format(layout)
	}
	switch {
	case in("X", 1) != in("X", 2):
		return offset
	case in("X", 1) != in("Y", 1):
		return nickname
	}
	return noZone
}

// unknownZone is why a time with a nickname is not read that is not one of its zone's.
const unknownZone = "no time: it has a zone's short name, as CEST, which is not known everywhere: give --timezone, as Europe/Warsaw"

// time reads a time by the field's layout.
func (p *custom) time(f *CustomField, v found, old int64) int64 {
	text := p.text(v)
	switch unit := unixLayouts[f.Layout]; {
	case f.Layout == "" || f.Layout == "rfc3339":
		if t, ok := parseTime(text); ok {
			return t
		}
	case unit != 0:
		if t, ok := scaled(text, unit); ok {
			return t
		}
	default:
		if t, ok := p.layout(f.Layout, text); ok {
			return t
		}
	}
	return old
}

// layout reads a time as package time does, which takes nicknames that it does not know
// for UTC.
func (p *custom) layout(layout string, text []byte) (micros int64, ok bool) {
	says, in := p.zones[layout], time.UTC
	if says == nickname {
		in = cmp.Or(p.zone, in)
	}
	t, err := time.ParseInLocation(layout, string(bytes.TrimSpace(text)), in)
	if err != nil {
		return 0, false
	}
	if is := t.Location(); says == nickname && is != in && is != time.UTC && !strings.HasPrefix(is.String(), "GMT") {
		p.nicknamed = true
	}
	switch {
	case t.Year() < 1970 || t.Year() > 2200:
		return outOfRange, true
	case says == noZone:
		return p.inZone(t.UnixMicro()), true
	}
	return t.UnixMicro(), true
}

// duration reads a number of the field's units, or a text such as 1.5s.
func (p *custom) duration(f *CustomField, v found) int64 {
	text := p.text(v)
	if d, ok := scaled(text, cmp.Or(f.Unit, time.Second)); ok && d >= 0 {
		return d
	}
	if d, err := time.ParseDuration(strings.ReplaceAll(string(text), " ", "")); err == nil && d >= 0 {
		return d.Microseconds()
	}
	return fingerprint.NoTime
}

// scaled reads a number of units as microseconds. Whole numbers are exact.
func scaled(text []byte, unit time.Duration) (micros int64, ok bool) {
	if unit == time.Second {
		return parseSeconds(text)
	}
	if n, ok := rawjson.ParseInt(text); ok {
		switch {
		case unit == time.Nanosecond:
			return n / 1000, true
		case unit == time.Microsecond:
			return n, true
		case n > maxTime || n < -maxTime:
			return outOfRange, true
		}
		return n * 1000, true
	}
	f, ok := rawjson.ParseFloat(text)
	if f = f * float64(unit) / 1000; !ok || f > maxTime || f < -maxTime {
		return outOfRange, ok
	}
	return int64(f), true
}
