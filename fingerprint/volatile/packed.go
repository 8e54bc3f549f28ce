package volatile

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint/chars"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// Letta packs what a tool returned together with the time, as JSON of three lines:
// {"status": "OK", "message": "...", "time": "2026-11-21 10:00:00 AM UTC+0000"}.

// packages are what these begin with, as they are and as they stand in JSON.
var packages = [][]byte{
	[]byte("{\n  \"status\": \"OK\""), []byte(`{\n  \"status\": \"OK\"`),
	[]byte("{\n  \"status\": \"Failed\""), []byte(`{\n  \"status\": \"Failed\"`),
}

// unpacked is what is in such a package, or the text itself if it is none. A call that
// failed says so in what is in it.
func (c *Cleaner) unpacked(text []byte) []byte {
	if !chars.BeginsWithAny(text, packages) {
		return text
	}
	var message rawjson.Value
	s, n, timed := &c.scan, 0, false
	s.Reset(text)
	for s.Object(); s.NextKey(); n++ {
		switch string(s.Key) {
		case "status":
			s.Skip()
		case "message":
			start := s.Offset()
			s.Skip()
			message = s.Since(start) // null, too
		case "time":
			timed = isZoned(s.Text(nil))
		default:
			return text
		}
	}
	if n != 3 || !timed || s.End() != nil {
		return text
	}
	if message.Kind() != rawjson.String {
		return message
	}
	from := len(c.made)
	c.made, _ = rawjson.AppendText(c.made, message[1:len(message)-1])
	if text := c.made[from:]; len(bytes.TrimSpace(text)) > 0 {
		return text
	}
	return message // its quotes: nothing is what was said
}

// isZoned tells the time that Letta writes, with its zone behind: what tools of others
// have there may be a time that was asked for.
func isZoned(text []byte) bool {
	const offset = len("+0000")
	sign := len(text) - offset
	return MatchTimestamp(text) > 0 && (text[sign] == '+' || text[sign] == '-') && chars.Digits(text[sign+1:], offset) == offset-1
}
