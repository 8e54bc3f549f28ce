package policy

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/window"
)

var zelyxForm = Gateway{
	Name: "zelyx", Form: `the settings of its page, as {"enabled": true, "threshold": 10, "window": 60, "action": "warn"}`,
	profiles: []string{"zelyx"},
	read:     readZelyx, settings: zelyxSettings, write: writeZelyx,
}

// zelyxSettingsPage is Settings, Loop detection: Zelyx keeps no file of it.
type zelyxSettingsPage struct {
	Enabled   bool   `json:"enabled"`
	Threshold int64  `json:"threshold"`
	Window    int64  `json:"window"`
	Action    string `json:"action"`
}

func readZelyx(in *imported) {
	s := NewStrict(in.File, in.Text, "Zelyx's settings", "enabled, threshold, window and action", "docs/policy.md")
	page := zelyxSettingsPage{true, 10, 60, "warn"}
	s.Read(
		Member{"enabled", boolean(&page.Enabled).read},
		Member{"threshold", func(v Value) { page.Threshold = int64(v.Integer(window.LeastThreshold)) }},
		Member{"window", func(v Value) {
			if page.Window = int64(v.Integer(1)); page.Window > mostSeconds {
				v.Reject("is more than a policy can say")
			}
		}},
		Member{"action", func(v Value) { page.Action = v.OneOf([]string{"warn", "block"}) }},
	)
	if err := s.Err(); err != nil {
		in.errors = s.r.errors.sorted()
		return
	}
	action := window.Warn
	if page.Action == "block" {
		action = window.Reject
	}
	in.rule("zelyx", page.Enabled, page.Window, page.Threshold, action)
}

func zelyxSettings(f *fitted) {
	f.takeAction("Zelyx", window.Warn, window.Reject)
	// Which field of a log is the company is the log's, not a setting.
	if scope := f.rule.scope; len(scope) == 1 && strings.HasPrefix(scope[0], "attr:") {
		f.again.scope = slices.Clone(scope)
	}
}

func writeZelyx(x *exported) []byte {
	d := x.only("Zelyx's page")
	page := zelyxSettingsPage{d.enabled, int64(d.threshold), int64(d.counter.Window / time.Second), "warn"}
	if d.action == window.Reject {
		page.Action = "block"
	}
	if d.scope[0] != "caller" {
		x.say(d, "scope", "is no setting: Zelyx counts by company, whatever your log calls it")
	}
	text, err := json.MarshalIndent(page, "", "  ")
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	return append(text, '\n')
}
