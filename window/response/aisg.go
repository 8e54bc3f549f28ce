package response

import (
	"fmt"

	"github.com/loopgauge/loopgauge/window"
)

// aisg is AISG's loop guard: "What the Client Sees" of
// aisecuritygateway.ai/docs/recursive-loop-protection.
func aisg(c *Case) *Response {
	if c.Action != window.Reject {
		return nil
	}
	if c.Count < 1 {
		return &Response{
			Gateway: "AISG", Status: 429, Headers: map[string]string{"Content-Type": "application/json"},
			Note: "in a cooldown it does not count, and its pages do not show what the body says then",
		}
	}
	type detail struct {
		Error           string `json:"error"`
		Message         string `json:"message"`
		Fingerprint     string `json:"fingerprint"`
		HitCount        int    `json:"hit_count"`
		CooldownSeconds int64  `json:"cooldown_seconds"`
	}
	return &Response{
		Gateway: "AISG", Status: 429, Headers: map[string]string{"Content-Type": "application/json"},
		Body: object(map[string]detail{"detail": {
			"recursive_loop_detected",
			fmt.Sprintf("Blocked: identical request sent %d times in %d seconds. This usually indicates an agent retry loop, infinite recursion, or misconfigured automation.", c.Count, seconds(c.Window)),
			c.Fingerprint, c.Count, seconds(c.Cooldown),
		}}),
	}
}
