package fingerprint

import (
	"strings"
	"testing"
)

// TestNonces: what is new each time by its form is no part of a result.
func TestNonces(t *testing.T) {
	id := mustNew(t, "", Options{Parts: []string{"last_messages:1"}})
	is := func(text, want string) {
		t.Helper()
		want = string(rawJSON(t, want))
		quoted := string(rawJSON(t, text))
		for _, content := range []string{quoted, strings.ReplaceAll(quoted, "e", `\u0065`), `[{"type":"text","text":` + quoted + `}]`} {
			wantCanonicals(t, id, request(t, "messages", `[{"role":"tool","tool_call_id":"a","content":`+content+`}]`), `[["last_messages:1",[{"role":"tool","text":`+want+`}]]]`)
		}
	}
	same := func(text string) { t.Helper(); is(text, text) }

	is(`{"error":"no","request_id":"req_011CQa-7"}`, `{"error":"no","request_id":"<request-id>"}`)
	is(`{"requestId": "6a1f"}`, `{"requestId": "<request-id>"}`)
	is(`"{\"request_id\":\"6a1f\"}"`, `"{\"request_id\":\"<request-id>\"}"`)
	is(`no (Request ID: 123e4567-e89b-12d3-a456-426614174000)`, `no (Request ID: <request-id>)`)
	is("x-amzn-RequestId: 6a1f\nX-Request-ID=7b\nrequest id 8c.", "x-amzn-RequestId: <request-id>\nX-Request-ID=<request-id>\nrequest id <request-id>.")
	is("Request-Id='7'", "Request-Id='<request-id>'")
	is("request_id=1 failed in 0.41s", "request_id=<request-id> failed in <duration>")

	same("request_id: null")
	same("request id is missing, 3 of 4")
	same("requests: 12")
	same("request_ids: 12")
	same("request_id7")
	same("equest_id: 7")
	same("request_id")
	same("request_id: " + strings.Repeat("7", longestRequestID+1))
	same("quest id: 7")

	is("<A object at 0x7f3c2a1b> and <B at 0x7f3c2a1b5566>.", "<A object at <address>> and <B at <address>>.")
	same("0x7f3c2a1b sent 0x7f3c2a1b, at 0x7f, at 0x7f3c2a1bxy")

	is("Cell In[12], line 1\n----> 1 a", "Cell In[<number>], line 1\n----> 1 a")
	same("Cell In[]: In[1], Cell In[1, Cell 7")

	is("HTTP/1.0 404 no\r\nDate: Wed, 25 Nov 2026 20:39:17 GMT\r\n", "HTTP/1.0 404 no\r\nDate: <timestamp>")
	same("Last-Modified: Wed, 25 Nov 2026 20:39:17 GMT; date: today, GMT")

	const meter = "  % Total    % Received % Xferd  Average Speed   Time    Total    Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0\r100   335  100   335    0     0  50788      0 --:--:-- --:--:-- --:--:-- 55833\n"
	is(meter+"404\nno", "<progress>404\nno")
	is("404\n"+meter, "404\n<progress>")
	is(meter+"curl: (7) Failed to connect after 0 ms", "<progress>curl: (7) Failed to connect after <duration>")
	same("a % Xferd")

	wantCanonicals(t, id, request(t, "messages", `[{"role":"user","content":"request_id: 7"}]`), `[["last_messages:1",[{"role":"user","text":"request_id: 7"}]]]`)

	// Hostile texts take no time that grows faster than they.
	hostile(t, func(size int) {
		for _, part := range []string{"q", "request_id", "request_id: 7 ", "request_id:7", "x", " at 0x", " at 0x7f3c2a1b", "Cell In[1]", "date: Wed, 25 Nov 2026 20:39:17 GMT", meter, "X"} {
			canonicals(id, request(t, "messages", `[{"role":"tool","tool_call_id":"a","content":`+string(rawJSON(t, strings.Repeat(part, size)))+`}]`))
		}
	})
}
