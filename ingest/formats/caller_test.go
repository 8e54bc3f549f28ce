package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// callerLines are lines of gateways with a place for the consumer, one for the key
// and one for the address, in this order, and one for the body.
var callerLines = map[string]string{
	"apisix":     `{"start_time":1000,"route_id":"","consumer":{"username":"%s"},"request":{"headers":{"authorization":"%s"},"body":"%[4]s"},"client_ip":"%[3]s"}`,
	"kong":       `{"started_at":1000,"latencies":{},"consumer":{"username":"%s"},"request":{"headers":{"authorization":"%s"},"body":"%[4]s"},"client_ip":"%[3]s"}`,
	"envoy-json": `{"start_time":"1970-01-01T00:00:01Z","response_code":200,"method":"POST","ai_log":"{\"consumer\":\"%s\"}","authorization":"%s","x_forwarded_for":"%s","request_body":"%s"}`,
	"nginx-json": `{"msec":1,"method":"POST","uri":"/","status":200,"remote_user":"%s","http_authorization":"%s","remote_addr":"%s","request_body":"%s"}`,
	"caddy":      `{"ts":1,"msg":"handled request","user_id":"%s","request":{"headers":{"Authorization":["%s"]},"client_ip":"%s"},"request_body":"%s"}`,
}

// callerOf is who called by a line with these.
func callerOf(t *testing.T, format, consumer, key, address, body string) *fingerprint.Request {
	t.Helper()
	return parse(t, format, fmt.Sprintf(callerLines[format], consumer, key, address, body))
}

// TestCallersOfNobody: what stands for no consumer, key or body is none, and the next
// place is asked: all callers would be one, and all their bodies.
func TestCallersOfNobody(t *testing.T) {
	for format := range callerLines {
		f := func(want, consumer, key, address string) {
			t.Helper()
			if r := callerOf(t, format, consumer, key, address, "{}"); string(r.Caller) != want {
				t.Errorf("%s, %q, %q, %q: %q, want %q", format, consumer, key, address, r.Caller, want)
			}
		}
		f("team", "team", "Bearer k", "192.0.2.7")
		f("basic", "basic", "Bearer k", "192.0.2.7") // a name, and no scheme
		f("192.0.2.7", "", "Basic", "192.0.2.7")
		for _, none := range []string{"", "-", "null", "nil", "None", "undefined", "[REDACTED]"} {
			f("k", none, "Bearer k", "192.0.2.7")
			f("192.0.2.7", none, strings.TrimSpace("Bearer "+none), "192.0.2.7")
			f("192.0.2.7", none, none, "192.0.2.7")
			f("", none, none, strings.ReplaceAll(none, "[REDACTED]", "-"))
			switch r := callerOf(t, format, "", "", "192.0.2.7", none); {
			case none == "[REDACTED]":
				if r.Lost != fingerprint.RedactedContent {
					t.Errorf("%s: a body that is hidden: %q, %s", format, r.Body, r.Lost)
				}
			case r.Body != nil:
				t.Errorf("%s: a body %q for %q", format, r.Body, none)
			}
		}
	}
}

// TestCallersOfOneKind: a port is another with each connection, and what is left of a
// key that was hidden is the same for all callers.
func TestCallersOfOneKind(t *testing.T) {
	for format := range callerLines {
		f := func(want, key, address string) {
			t.Helper()
			if r := callerOf(t, format, "", key, address, "{}"); string(r.Caller) != want {
				t.Errorf("%s, %q, %q: %q, want %q", format, key, address, r.Caller, want)
			}
		}
		f("192.0.2.7", "", "192.0.2.7:53211")
		f("192.0.2.7", "", "192.0.2.7")
		f("[2001:db8::1]", "", "[2001:db8::1]:53211")
		f("2001:db8::1", "", "2001:db8::1")
		f("gw:8080", "", "gw:8080") // a name of somebody's own
		for _, hidden := range []string{"***", "[REDACTED]", "sk-...****", "sk-****", "sk-proj-********", "sk-ant-api03-...", "sk-…", "sk-xxxxxxxx", "AIza****", "<redacted>", "--", "00000000"} {
			f("192.0.2.7", "Bearer "+hidden, "192.0.2.7")
			f("192.0.2.7", hidden, "192.0.2.7")
		}
		for _, key := range []string{"sk-...ab12", "****ab12", "sk-ab12****", "sk-1", "k", "sk-proj-x1"} {
			f(key, "Bearer "+key, "192.0.2.7")
		}
	}
}
