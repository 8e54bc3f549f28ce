package tune

import (
	"fmt"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// inCommon says what two requests have in common that are the same to an identity.
var inCommon = map[string]string{
	"tool-call":           "the same call of a tool",
	"tool-call-python":    "the same call of a tool",
	"tool-call-result":    "the same call of a tool with the same result",
	"stuck-step":          "the same call of a tool in answer to the same results",
	"last-exchange":       "the same answer as before, with nothing new done",
	"last-messages":       "the same last messages",
	"session-model-tools": "any request of the same session and model",
	"aisg":                "the same last messages",
	"fairvisor":           "requests of the same method, path, query%s and limit keys",
}

// howOften says which of them a counter of [window.SweepKinds] counts.
var howOften = map[string]string{
	"sliding": "within %s",
	"fixed":   "within %s of the first",
	"refresh": "with no pause of %s",
	"streak":  "in a row within %s",
	"cycle":   "in a row or in rounds within %s",
}

// LooksFor says in words what the advised setting of a rule fires on; empty where
// there are none for what it compares.
func (r *Report) LooksFor(a *Advice) string {
	what := inCommon[a.Rule.Identity.Name]
	if what == "" {
		return ""
	}
	if a.Rule.Identity.Name == "fairvisor" { // as shipped it has no body
		body := ""
		if a.Rule.Identity.Reads&fingerprint.ReadsBody != 0 {
			body = ", body"
		}
		what = fmt.Sprintf(what, body)
	}
	c := r.Cells[a.Cell]
	return fmt.Sprintf("looks for %s, %d times "+howOften[c.Kind], what, a.Threshold, window.Lasting(c.Window))
}
