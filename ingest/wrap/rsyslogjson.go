package wrap

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// rsyslog's JSON templates name their members as the administrator likes, after
// its properties: the line is in message or msg. The format-json of syslog-ng
// names them after its macros.
func detectRsyslogJSON(line []byte) bool {
	m := membersOf(line)
	return (m["message"] == rawjson.String || m["msg"] == rawjson.String) &&
		m.any("host", "hostname", "fromhost", "fromhost-ip", "syslogtag", "programname", "program", "app-name", "tag", "severity", "facility") ||
		m["MESSAGE"] == rawjson.String && m.any("HOST", "PROGRAM")
}
