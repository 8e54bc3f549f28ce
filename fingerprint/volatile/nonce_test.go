package volatile

import (
	"strings"
	"testing"
)

// TestNonces: what is new each time by its form is no part of a result.
func TestNonces(t *testing.T) {
	is := func(text, want string) { t.Helper(); wantCleaned(t, text, want) }
	same := func(text string) { t.Helper(); is(text, text) }

	is(`{"error":"no","request_id":"req_011CQa-7"}`, `{"error":"no","request_id":"<request-id>"}`)
	is(`{"requestId": "6a1f93c0"}`, `{"requestId": "<request-id>"}`)
	is(`"{\"request_id\":\"6a1f93c0\"}"`, `"{\"request_id\":\"<request-id>\"}"`)
	is(`no (Request ID: 123e4567-e89b-12d3-a456-426614174000)`, `no (Request ID: <request-id>)`)
	is("x-amzn-RequestId: 6a1f93c0\nX-Request-ID=7b93c0d1\nrequest id 8c93c0d1.", "x-amzn-RequestId: <request-id>\nX-Request-ID=<request-id>\nrequest id <request-id>.")
	is("Request-Id='7a93c0d1'", "Request-Id='<request-id>'")
	is("request_id=1a93c0d1 failed in 0.41s", "request_id=<request-id> failed in <duration>")

	is(`{"title":"Not Found","status":404,"traceId":"00-4bf92f3577b34da6-00f067aa-00"}`, `{"title":"Not Found","status":404,"traceId":"<request-id>"}`) // ASP.NET
	is("no. Trace ID: 7a93c0d1-a1 Correlation ID: 8b93c0d1 x-correlation-id=9c93c0d1", "no. Trace ID: <request-id> Correlation ID: <request-id> x-correlation-id=<request-id>")
	is("Error 1020\nCloudflare Ray ID: **7a93c0d1e2f3a4b5**", "Error 1020\nCloudflare Ray ID: **<request-id>**")
	is("<RequestId>4442587FB7D0A2F9</RequestId><HostId>Txa2cbhz/Kk+4=</HostId>", "<RequestId><request-id></RequestId><HostId><request-id></HostId>")

	same("Traceback: trace 7a93c0d1, trace_id: 0af7, X-Ray: 7a93c0d1, race_id: 7a93c0d1, array_id: 7a93c0d1, arrayId: 7a93c0d1")
	same("<HostId>Txa2cbhz <HostId>") // cut
	same("request_id: null")          // none, and a word
	same("request_id: upstream")
	same("request id is missing, 3 of 4")
	same("requests: 12")
	same("request_ids: 12")
	same("request_id7")
	same("equest_id: 7")
	same("request_id")
	same("request_id: " + strings.Repeat("7a", longestRequestID))
	same("quest id: 7a93c0d1")
	same(`{"pull_request_id":12,"state":"open"}`)
	same("Leave request ID: LR-1042")
	same("request_id: 20261121001")

	is("<A object at 0x7f3c2a1b> and <B at 0x7f3c2a1b5566>, object at 0x7f3c2a1b is", "<A object at <address>> and <B at <address>>, object at <address> is")
	is("<A at 0x7f3c2a1b>", "<A at <address>>")
	same("stopped at 0x7f3c2a1b, match at 0x7f3c2a1b")
	same("0x7f3c2a1b sent 0x7f3c2a1b, at 0x7f, at 0x7f3c2a1bxy")

	is("npm error A complete log of this run can be found in: /var/a/.npm/_logs/2026-11-21T10_00_00_123Z-debug-0.log", "npm error A complete log of this run can be found in: /var/a/.npm/_logs/<timestamp>-debug-0.log")
	is(`C:\npm-cache\_logs\2026-11-21T10_00_00_123Z-debug-0.log and _logs/2026-11-21T10_00_00_123Z-debug.log`, `C:\npm-cache\_logs\<timestamp>-debug-0.log and _logs/<timestamp>-debug.log`)
	same("_logs/a-debug.log _logs/2026-11-21.log _logs")

	is("Cell In[12], line 1\n----> 1 a", "Cell In[<number>], line 1\n----> 1 a")
	same("Cell In[]: In[1], Cell In[1, Cell 7")

	is("HTTP/1.0 500 Internal Server Error\r\nDate: Wed, 25 Nov 2026 20:39:17 GMT\r\n", "HTTP/1.0 500 Internal Server Error\r\nDate: <timestamp>")
	same("HTTP/1.0 200 OK\r\nDate: Wed, 25 Nov 2026 20:39:17 GMT") // it may be watched
	same("Last-Modified: Wed, 25 Nov 2026 20:39:17 GMT; date: today, GMT")

	is(`404 {"timestamp":"2026-11-21T10:00:00.123+00:00","status":404,"error":"Not Found","path":"/a"}`, `404 {"timestamp":"<timestamp>","status":404,"error":"Not Found","path":"/a"}`)                   // Spring
	is(`{"statusCode": 500, "timestamp": "2026-11-21T10:00:00.123Z", "path": "/a"}`, `{"statusCode": 500, "timestamp": "<timestamp>", "path": "/a"}`)                                                      // NestJS
	is(`{"error":{"innerError":{"date":"2026-11-21T10:00:00","request-id":"7a93c0d1"}}}`, `{"error":{"innerError":{"date":"<timestamp>","request-id":"<request-id>"}}}`)                                   // Microsoft
	is(`{"error":"no. Trace ID: 7a93c0d1 Timestamp: 2026-11-21 10:00:00Z","timestamp":"2026-11-21 10:00:00Z"}`, `{"error":"no. Trace ID: <request-id> Timestamp: <timestamp>","timestamp":"<timestamp>"}`) // Microsoft
	is("<Error><ServerTime>2026-11-21T10:00:00Z</ServerTime><RequestId>4442587FB7D0A2F9</RequestId>", "<Error><ServerTime><timestamp></ServerTime><RequestId><request-id></RequestId>")                    // S3
	is(`{"error":"no","status_code":404,"timestamp":"2026-11-21T10:00:00Z"}`, `{"error":"no","status_code":404,"timestamp":"<timestamp>"}`)
	is(`{"a":"{\"timestamp\":\"2026-11-21T10:00:00Z\",\"status\":503}"}`, `{"a":"{\"timestamp\":\"<timestamp>\",\"status\":503}"}`)

	is("--2026-11-21 10:00:00--  http://a/b\nawaiting response... 404 Not Found\n2026-11-21 10:00:01 ERROR 404: Not Found.", "--<timestamp>--  http://a/b\nawaiting response... 404 Not Found\n<timestamp> ERROR 404: Not Found.")
	same("--2026-11-21--  a --2026-11-21 10:00:00-- b --2026-11-21T10:00:00Z--  c, 2026-11-21 10:00:01 ERROR 404")

	is("trace_id=7a93c0d1"+strings.Repeat("\n", mostRefusal-18)+".", "trace_id=<request-id>"+strings.Repeat("\n", mostRefusal-18)+".")
	same("trace_id=7a93c0d1" + strings.Repeat("\n", mostRefusal-17) + ".")
	same(`{"timestamp":"2026-11-21T10:00:00Z","status":200}`) // it may be watched
	is(`{"requestId":"7a93c0d1","points":[{"timestamp":"2026-11-21T10:00:00Z","value":0}]}`, `{"requestId":"<request-id>","points":[{"timestamp":"2026-11-21T10:00:00Z","value":0}]}`)
	same(`{"timestamp":"2026-11-21T10:00:00Z","level":"error","status":503}`) // a log goes on
	same(`{"time":"2026-11-21T10:00:00Z","status":"404"}` + "\n" + `{"time":"2026-11-21T10:00:09Z","status":"404"}`)
	same(`{"status":"failed","status2":404,"a_status":4040,"statusText":"404","time":"2026-11-21T10:00:00Z"}`)
	same(`{"status":404,"created_at":"2026-11-21T10:00:00Z","time":"2026-11-21","date":"2026-11-21T10:00","a":{"2026-11-21T10:00:00Z":1}}`)

	is(`{"query":"a","follow_up_questions":null,"results":[],"response_time":0.98}`, `{"query":"a","follow_up_questions":null,"results":[],"response_time":<duration>}`) // Tavily
	is(`{"follow_up_questions":null,"results":["`+strings.Repeat("a ", 999)+`"],"response_time":0.98,"request_id":"7a93c0d1"}`, `{"follow_up_questions":null,"results":["`+strings.Repeat("a ", 999)+`"],"response_time":<duration>,"request_id":"<request-id>"}`)
	is(`{"took":5,"timed_out":false,"hits":[]}`, `{"took":<duration>,"timed_out":false,"hits":[]}`) // Elasticsearch
	is("{\n\t\"took\" : 12,\n\t\"timed_out\" : false\n}", "{\n\t\"took\" : <duration>,\n\t\"timed_out\" : false\n}")
	is(`{"a":"{\n  \"took\": 5,\n  \"timed_out\": false}"}`, `{"a":"{\n  \"took\": <duration>,\n  \"timed_out\": false}"}`)

	same(`{"status":"up","response_time":0.98,"took":5,"timed":1}`) // it may be watched
	same("it took 5, timed out, response_time follow_up_questions")

	const meter = "  % Total    % Received % Xferd  Average Speed   Time    Total    Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0\r100   335  100   335    0     0  50788      0 --:--:-- --:--:-- --:--:-- 55833\n"
	is(meter+"404\nError", "<progress>404\nError")
	is("404 Error\n"+meter, "404 Error\n  <progress>")
	is(meter+"curl: (7) Failed to connect after 0 ms", "<progress>curl: (7) Failed to connect after <duration>")
	is("Error\nOutput: "+strings.TrimSpace(meter), "Error\nOutput: <progress>") // Gemini CLI
	is("  % Total    % Received % Xferd  Average Speed\n                                 Dload  Upload\n\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0*   Trying 127.0.0.1:80...\n< HTTP/1.1 500 Error\n{ [110 bytes data]\n\r100   110  100   110    0     0  16188      0 --:--:-- --:--:-- --:--:--  107k\n* Connection #0 left intact",
		"<progress>*   Trying 127.0.0.1:80...\n< HTTP/1.1 500 Error\n{ [110 bytes data]\n\r<progress>\n* Connection #0 left intact") // curl -v
	same("a % Xferd")
	same("404 Error\nexpires: Wed, 25 Nov 2026 20:39:17 GMT")
	is(meter[:strings.Index(meter, "\r")]+"404\nError", "<progress>404\nError")
	same("Error from --:--:-- to 1 --:--:-- 2")
	same(strings.TrimSpace(meter)) // it may be watched

	const saved = "/a/.gemini/tool-outputs/session-07a268a1/run_shell_command__46bf3eea.txt"
	long := strings.Repeat("a line\n", leastShortened/7)
	is(long+"Output too large. Showing first 8,000 and last 32,000 characters. For full output see: "+saved+"\na", long+"Output too large. Showing first 8,000 and last 32,000 characters. For full output see: <file>\na")
	is(long+"The full output has been saved to: "+saved+"\na", long+"The full output has been saved to: <file>\na")
	is(long+"...output truncated...\n\nFull output saved to: "+saved, long+"...output truncated...\n\nFull output saved to: <file>")
	same(long + "full output is saved, for full output see:")
	same("full output saved to: " + saved) // it is short

	const tmp = "/tmp" + "/"
	is("/usr/bin/ld: "+tmp+"ccpCePMG.o: in function `main': undefined reference to `f'", "/usr/bin/ld: "+tmp+"cc<file>.o: in function `main': undefined reference to `f'")
	is("no '"+tmp+"tmpspnz60vi/a' in "+tmp+"tmp.G98KnQ5XyA", "no '"+tmp+"tmp<file>/a' in "+tmp+"tmp.<file>")
	is(tmp+"pip-req-build-50clh4ev/setup.py, "+tmp+"pip-install-p9uny82o/a.b-c_caa84c89a3e947889a8d37b91f626ed6/setup.py, "+tmp+"pip-build-env-p9un_82o/overlay", tmp+"pip-<file>/setup.py, "+tmp+"pip-<file>/setup.py, "+tmp+"pip-<file>/overlay")
	for _, other := range []string{"cc,", "ccpCePMG", "ccpCePM.o", "tmp", "tmpfile", "tmpspnz60vi7", "tmp.txt", "pip-", "pip-50clh4ev", "pip-req-build-50clh4"} {
		same(tmp + other)
	}
	same("ccpCePMG.o")

	// Hostile texts take no time that grows faster than they.
	hostile(t, func(size int) {
		for _, part := range []string{"q", "request_id", "request_id: 7a93c0d1 ", "request_id:7a93c0d1", "trace", "trace_id:", "Ray ID: ", "I", "correlationId", "-id", "ttook", "<HostId>", "status:404 time=2026-11-21 10:00:00", "time=2026-11-21 10:00:00", "status", "took:1", "--2026-11-21 10:00:00--  ", "--2026-11-21 10:00:00--  2026-11-21 10:00:00 ERROR ", "_up_questions", "_up_questions response_time:1", "x", " at 0x", " at 0x7f3c2a1b", " at 0x7f3c2a1b>", "_logs", "_logs/", "/", "_logs/2-debug", "Cell In[1]", "Error date: Wed, 25 Nov 2026 20:39:17 GMT", "Error" + meter, "ErrorX", tmp, tmp + "tmpspnz60vi ", tmp + "tmp.", "Error--:--:--", "1 --:--:-- ", "full output see: "} {
			cleaned(verbatim(strings.Repeat(part, size)), false)
		}
	})
}
