package formats

import (
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// A body that a logger left out is lost for the reason that stands in its place.
func TestPlaceholderForBody(t *testing.T) {
	f := func(body string, want fingerprint.Cause) {
		t.Helper()
		var r fingerprint.Request
		r.Reset()
		line := `{"time":"2026-11-21T03:24:39Z","method":"POST","uri":"/v1/chat/completions","status":200,"request_body":"` + body + `"}`
		if _, why := ByName("nginx-json").New(fingerprint.AllFields).Parse([]byte(line), &r); why != "" || r.Lost != want {
			t.Errorf("%s: lost by %q, want %q; %s", body, r.Lost, want, why)
		}
	}
	f("[REDACTED]", fingerprint.RedactedContent)
	f(" *** ", fingerprint.RedactedContent)
	f("[truncated]", fingerprint.TruncatedContent)
	f("<This value has been dropped>", fingerprint.TruncatedContent)
	f("[body omitted]", fingerprint.LossyContent)
	f("grant_type=password", fingerprint.Computable)
	f(`{\"model\":\"m\"}`, fingerprint.Computable)
}
