package response

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/window"
)

// Response is what a gateway answers on tripping.
type Response struct {
	Gateway string            `json:"gateway"` // as its people call it
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"` // those that loop detection sets
	Body    *string           `json:"body"`    // nil: the provider's, or not documented
	DelayMS int64             `json:"delay_ms"`
	// Note says what differs from client to client, or is not documented.
	Note string `json:"note"`
}

// String is the answer on one line, for people: a body may hold a name of the
// log.
func (r *Response) String() string {
	text := fmt.Sprintf("%s: %d", r.Gateway, r.Status)
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) { // any order: sorted
		text += fmt.Sprintf(", %s: %s", name, r.Headers[name])
	}
	if r.DelayMS > 0 {
		text += fmt.Sprintf(", after %d ms", r.DelayMS)
	}
	if r.Body != nil {
		text += ", " + *r.Body
	}
	if r.Note != "" {
		text += " (" + r.Note + ")"
	}
	return text
}

// Case is a firing.
type Case struct {
	Profile     string // of the rule
	Action      window.Action
	Count       int // of equal requests; less than 1 if the gateway did not count
	Window      time.Duration
	Cooldown    time.Duration
	Fingerprint string
	Tool        string
}

// Gateway answers for the profiles of one gateway.
type Gateway struct {
	Profiles []string
	answer   func(*Case) *Response
}

// Gateways are those whose answers are known. A new one is one file and one
// line here.
var Gateways = []Gateway{
	{[]string{"fairvisor", "fairvisor-documented"}, fairvisor},
	{[]string{"aisg", "aisg-article"}, aisg},
	{[]string{"tool-call", "tool-call-shipped"}, toolCall},
	{[]string{"zelyx"}, zelyx},
}

// Of is what the client would have seen; nil if the rule is no gateway's, or
// the gateway would have let the request go on untouched.
func Of(c Case) *Response {
	for _, g := range Gateways {
		if slices.Contains(g.Profiles, c.Profile) {
			return g.answer(&c)
		}
	}
	return nil
}

func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// object is a JSON body.
func object(v any) *string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // texts and numbers
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return &text
}
