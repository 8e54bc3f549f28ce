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

// zoneless tells whether times of a layout have no zone.
func zoneless(layout string) bool {
	if layout == "" || layout == "rfc3339" || unixLayouts[layout] != 0 {
		return false
	}
	at := time.Date(2021, 11, 23, 17, 48, 59, 0, time.UTC)
	return at.Format(layout) == at.In(time.FixedZone("X", 3600)).Add(-time.Hour).Format(layout)
}

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

// layout reads a time as package time does.
func (p *custom) layout(layout string, text []byte) (micros int64, ok bool) {
	t, err := time.ParseInLocation(layout, string(bytes.TrimSpace(text)), cmp.Or(p.zone, p.c.Zone, time.UTC))
	if err != nil {
		return 0, false
	}
	if t.Year() < 1970 || t.Year() > 2200 {
		return outOfRange, true
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
