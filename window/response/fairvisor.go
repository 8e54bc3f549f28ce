package response

import (
	"fmt"
	"strconv"

	"github.com/loopgauge/loopgauge/window"
)

// fairvisor is Fairvisor edge 0.1.0: _build_decision in
// src/fairvisor/rule_engine.lua, _prepare_reject_headers and access_handler in
// src/fairvisor/decision_api.lua, docs/decision-api-reference.md and
// docs/reject-reasons.md, of github.com/fairvisor/edge. The header RateLimit
// names the policy's id, which is not known here, and is left out. The body is
// that of nginx.
func fairvisor(c *Case) *Response {
	r := &Response{Gateway: "Fairvisor", Status: 200, Headers: map[string]string{}}
	switch c.Action {
	case window.Reject:
		retry := seconds(c.Window)
		after := strconv.FormatInt(retry, 10)
		r.Status = 429
		r.Headers["Retry-After"], r.Headers["RateLimit-Reset"] = after, after
		r.Headers["X-Fairvisor-Reason"] = "loop_detected"
		r.Note = fmt.Sprintf("Retry-After is made longer by up to half, by client: %d to %d", retry, (3*retry+1)/2)
		if c.Profile == "fairvisor" {
			r.Note += "; as shipped X-Fairvisor-Reason is there in a debug session only, and is in the documents always"
		}
	case window.Throttle:
		r.DelayMS = window.Delay(c.Count).Milliseconds()
		r.Note = "the request goes on after the delay"
	default:
		return nil
	}
	return r
}
