package wrap

// Google's Cloud Logging gives a line in textPayload, and one that is JSON as
// an object in jsonPayload.
func isGoogle(m Members) bool {
	return m.Any("textPayload", "jsonPayload") && m.Any("logName", "insertId")
}
