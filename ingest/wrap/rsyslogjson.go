package wrap

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// rsyslog's JSON templates name their members as the administrator likes, after
// its properties: the line is in message or msg. The format-json of syslog-ng
// names them after its macros.
func isRsyslogJSON(m Members) bool {
	return (m["message"].Kind() == rawjson.String || m["msg"].Kind() == rawjson.String) &&
		m.Any("host", "hostname", "fromhost", "fromhost-ip", "syslogtag", "programname", "program", "app-name", "tag", "severity", "facility") ||
		m["MESSAGE"].Kind() == rawjson.String && m.Any("HOST", "PROGRAM")
}
