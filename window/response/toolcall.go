package response

import (
	"fmt"

	"github.com/loopgauge/loopgauge/window"
)

// toolCall is the tool-call proxy, github.com/matdev83/llm-interactive-proxy.
// As shipped, up to commit 269092a7 of 2026-06-20, which took it out: the texts
// of src/tool_call_loop/tracker.py (_format_block_reason, _format_chance_reason),
// in the ToolCallLoopError of src/core/services/tool_call_loop_middleware.py,
// which src/core/common/exceptions.py makes a 400. The design document puts the
// text into an assistant's message instead ("Error response shape").
func toolCall(c *Case) *Response {
	r := &Response{Gateway: "llm-interactive-proxy", Headers: map[string]string{}}
	tool, ttl := c.Tool, seconds(c.Window)
	switch {
	case c.Action == window.Guide:
		text := fmt.Sprintf("Tool call loop warning: '%s' has been called with identical parameters %d times. Please modify your approach or parameters. If the next call uses the same parameters, the session will be stopped.", tool, c.Count)
		r.Status, r.Body = 200, &text
		r.Note = "the text goes to the model as the failure of its call"
	case c.Action != window.Break:
		return nil
	case c.Profile == "tool-call":
		text := fmt.Sprintf("Tool call loop detected: '%s' invoked with identical params %d times within %ds. Session stopped to prevent unintended looping.", tool, c.Count, ttl)
		r.Status, r.Body = 200, &text
		r.Note = "the text is that of one choice, an assistant's message"
	default:
		type details struct {
			Tool        string `json:"tool_name"`
			Repetitions int    `json:"repetitions"`
			Mode        string `json:"mode"`
		}
		type failure struct {
			Message string  `json:"message"`
			Type    string  `json:"type"`
			Details details `json:"details"`
		}
		r.Status, r.Headers["Content-Type"] = 400, "application/json"
		r.Body = object(map[string]failure{"error": {
			fmt.Sprintf("Tool call loop detected: Tool call loop detected: '%s' invoked with identical parameters %d times within %ds. Session stopped to prevent unintended looping. Try changing your inputs or approach.", tool, c.Count, ttl),
			"ToolCallLoopError",
			details{tool, c.Count, "break"},
		}})
		r.Note = "a streamed response has it as its last event"
	}
	return r
}
