package fingerprint

import "bytes"

// Searches tell how long they took though they find the same, or nothing: Tavily
// "response_time": 0.98, Elasticsearch and OpenSearch "took":5,"timed_out":false.

var besideResponseTime = [][]byte{[]byte("follow_up_questions")} // Tavily has that, too

func isSearch(text []byte) bool { return has(text, besideResponseTime) }

func spanResponseTime(text []byte, at int) (start, end int) {
	return spanNumber(text, at+len("response_time"))
}

func spanTook(text []byte, at int) (start, end int) {
	if start, end = spanNumber(text, at+len("took")); bytes.HasPrefix(bytes.TrimLeft(text[end:], `"\, `), []byte("timed_out")) {
		return start, end
	}
	return 0, 0
}

// spanNumber is the number behind a name that ends at text[at].
func spanNumber(text []byte, at int) (start, end int) {
	start = at + lenSeparator(text[at:])
	return start, start + matchNumber(text[start:])
}
