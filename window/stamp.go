package window

import "time"

// stamp is the layout of the times in all that is written for programs.
const stamp = "2006-01-02T15:04:05.000000Z"

// Stamp is a time, microseconds since 1970, in UTC as RFC 3339 with six digits
// of the second.
func Stamp(micros int64) string { return time.UnixMicro(micros).UTC().Format(stamp) }

// AppendStamp appends [Stamp].
func AppendStamp(b []byte, micros int64) []byte {
	return time.UnixMicro(micros).UTC().AppendFormat(b, stamp)
}
