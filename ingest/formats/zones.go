package formats

import (
	"bytes"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// Zoned is a parser of times that may have no zone.
type Zoned interface {
	// In says in which zone such times are; without it they are in UTC.
	In(*time.Location)
	// Again sets how much later the times of the request that was parsed last may be as
	// well, since clocks of the zone show them twice; 0 if they do not.
	Again(*fingerprint.Request)
}

// zoned is what the Zoned share.
type zoned struct {
	zone  *time.Location
	again int64
	// Clocks that show a time from since on and before until are ahead of UTC by offset,
	// and show it once.
	since, until, offset int64
}

// In sets the zone of times that have none.
func (z *zoned) In(zone *time.Location) {
	if zone != z.zone {
		*z = zoned{zone: zone}
	}
}

// Again is said once of each record. What ends before it began says itself that its
// clocks were set back in between.
func (z *zoned) Again(r *fingerprint.Request) {
	r.Again, z.again = z.again, 0
	if r.End < r.Time && r.Time <= r.End+r.Again {
		r.End, r.Again = r.End+r.Again, 0
	}
}

// readTime reads a time that may lack its zone.
func (z *zoned) readTime(s *rawjson.Scanner, old int64) int64 {
	t, zoneless, ok := parseZoneless(s.Text(nil))
	switch {
	case !ok:
		return old
	case zoneless:
		return z.inZone(t)
	}
	return t
}

// inZone is the time that clocks of the zone show as local, which is in
// microseconds as if it were UTC. Of an hour that comes twice it is the first.
func (z *zoned) inZone(local int64) int64 {
	if z.zone == nil || z.zone == time.UTC {
		return local
	}
	if local >= z.since && local < z.until {
		return local - z.offset
	}
	t := time.UnixMicro(local).UTC()
	t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), z.zone)
	from, to := t.ZoneBounds()
	if back := setBack(to); back > 0 && !t.Add(back).Before(to) {
		z.again = back.Microseconds()
	} else if back := setBack(from); back > 0 && t.Add(-back).Before(from) {
		z.again = back.Microseconds()
		t = t.Add(-back)
	} else if !from.IsZero() && !to.IsZero() {
		_, ahead := t.Zone() // local may be of an hour that was left out
		z.offset = int64(ahead) * 1_000_000
		z.since = from.Add(max(0, setBack(from))).UnixMicro() + z.offset
		z.until = to.Add(-max(0, setBack(to))).UnixMicro() + z.offset
	}
	return t.UnixMicro()
}

// setBack is by how much clocks were set back at a time; 0 if there is none.
func setBack(at time.Time) time.Duration {
	if at.IsZero() {
		return 0
	}
	_, before := at.Add(-time.Second).Zone()
	_, after := at.Zone()
	return time.Duration(before-after) * time.Second
}

// parseZoneless reads a time that may lack its zone, and is then read as if it were in
// UTC, or have it as databases print it: PostgreSQL +00, BigQuery and Athena UTC,
// Snowflake Z or +0000, behind a blank.
func parseZoneless(t []byte) (micros int64, zoneless, ok bool) {
	if micros, ok = parseTime(t); ok {
		return micros, false, true
	}
	var buf [48]byte
	const date, hours = len("2026-11-21"), len("+00")
	if len(t)+hours > len(buf) {
		return 0, false, false
	}
	text := append(buf[:0], t...)
	if inUTC, is := bytes.CutSuffix(text, []byte(" UTC")); is {
		text = append(inUTC, 'Z')
	} else if at := bytes.LastIndexByte(text, ' '); at > date { // the zone is behind it
		text = append(text[:at], text[at+1:]...)
	} else if at := len(text) - hours; at > date && (text[at] == '+' || text[at] == '-') {
		text = append(text, ":00"...)
	} else {
		text, zoneless = append(text, 'Z'), true
	}
	micros, ok = parseRFC3339(text)
	return micros, zoneless, ok
}
