package wrap

// Google's Cloud Logging gives a line in textPayload, and one that is JSON as
// an object in jsonPayload.
func detectGoogle(line []byte) bool {
	m := MembersOf(line)
	return m.Any("textPayload", "jsonPayload") && m.Any("logName", "insertId")
}
