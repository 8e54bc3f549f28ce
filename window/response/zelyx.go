package response

import "github.com/loopgauge/loopgauge/window"

// zelyx is Zelyx: zelyx.app/docs/loop-detection and
// zelyx.app/docs/response-codes. What the body of the 429 says is not
// documented, nor whether there is a Retry-After.
func zelyx(c *Case) *Response {
	if c.Action != window.Reject {
		return nil // warn: the call is forwarded, and the alert is all there is
	}
	return &Response{Gateway: "Zelyx", Status: 429, Headers: map[string]string{}, Note: "its body is not documented, but for a field detail"}
}
