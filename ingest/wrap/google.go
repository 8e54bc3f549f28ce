package wrap

// Google's Cloud Logging gives a line in textPayload, and one that is JSON as
// an object in jsonPayload.
func detectGoogle(line []byte) bool {
	m := membersOf(line)
	return m.any("textPayload", "jsonPayload") && m.any("logName", "insertId")
}
