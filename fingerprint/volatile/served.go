package volatile

import "bytes"

// Searches tell how long they took though they find the same, or nothing: Tavily
// "response_time": 0.98, Elasticsearch and OpenSearch "took":5,"timed_out":false.

var responseTime = []byte("response_time")

// spanResponseTime is how long it took Tavily, which writes follow_up_questions in
// front and that at the end.
func spanResponseTime(text []byte, at int) (start, end int) {
	const far = 256
	from := max(at, len(text)-far)
	n := bytes.Index(text[from:], responseTime)
	if n < 0 {
		return 0, 0
	}
	return spanNumber(text, from+n+len(responseTime))
}

// spanTook is how long it took Elasticsearch, whose k of "took" stands at text[at].
func spanTook(text []byte, at int) (start, end int) {
	if !bytes.HasSuffix(text[:at], []byte("too")) {
		return 0, 0
	}
	start, end = spanNumber(text, at+1)
	// Between the two may be a line's end and its tabs, which JSON escapes.
	between, _, found := bytes.Cut(text[end:min(len(text), end+128)], []byte("timed_out"))
	if !found || len(bytes.Trim(between, "\"\\, nrt\n\r\t")) > 0 {
		return 0, 0
	}
	return start, end
}

// spanNumber is the number behind a name that ends at text[at].
func spanNumber(text []byte, at int) (start, end int) {
	start = at + lenSeparator(text[at:])
	return start, start + MatchNumber(text[start:])
}
