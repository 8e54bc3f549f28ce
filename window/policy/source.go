package policy

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/window"

	"github.com/goccy/go-yaml"
)

// items are the members of a mapping that is written, in their order.
type items yaml.MapSlice

func (m *items) add(key string, value any, when bool) {
	if when {
		*m = append(*m, yaml.MapItem{Key: key, Value: value})
	}
}

// lines are the items as a rule has them, one a line.
func (m items) lines() (text string) {
	for _, item := range m {
		text += fmt.Sprintf("    %s: %s\n", item.Key, flow(item.Value))
	}
	return text
}

// source writes the draft out as a policy: every field that says something,
// in the order of docs/policy.md, profiles written out.
func (d *draft) source() []byte {
	var rules, exclude []yaml.MapSlice
	for _, rule := range d.rules {
		rules = append(rules, rule.source())
	}
	for _, x := range d.exclude {
		exclude = append(exclude, yaml.MapSlice{{Key: "name", Value: x.name}, {Key: "match", Value: x.match}})
	}
	var prices yaml.MapSlice
	for _, model := range slices.Sorted(maps.Keys(d.prices)) { // any order: sorted
		prices = append(prices, yaml.MapItem{Key: model, Value: priceFields(d.prices[model])})
	}
	var doc items
	doc.add("version", Version, true)
	doc.add("lateness", window.Lasting(d.lateness), d.latenessGiven)
	doc.add("event_time", string(d.eventTime), true)
	doc.add("duplicates", window.Lasting(d.duplicates), true)
	doc.add("session", d.session, d.session != nil)
	doc.add("rules", rules, true)
	doc.add("exclude", exclude, len(exclude) > 0)
	doc.add("prices", prices, len(prices) > 0)
	text, err := yaml.Marshal(quoteOdd(yaml.MapSlice(doc)))
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	return text
}

// keepsProfile tells that the rule cannot be written without its profile: the
// tracker and a threshold of 1 are had by their profiles only.
func (d *ruleDraft) keepsProfile() bool {
	return d.counter.Kind == window.TrackerKind || d.minThreshold != window.LeastThreshold
}

// source is the rule as it is written: what it says or, where its profile is kept,
// all that this may say otherwise.
func (d *ruleDraft) source() yaml.MapSlice {
	var out items
	for _, f := range d.fields() {
		out.add(f.name, f.value, f.said || d.keepsProfile() && f.name != "limit_keys" && f.name != "chat_overrides")
	}
	return yaml.MapSlice(out)
}

// counterFields are the fields of a counter that say something, or all of them,
// where a profile may say otherwise.
func counterFields(c window.CounterSpec, all bool) yaml.MapSlice {
	var fields items
	fields.add("kind", c.Kind, true)
	fields.add("window", window.Lasting(c.Window), c.Window > 0 || all)
	fields.add("closed", c.Closed, c.Closed || all)
	fields.add("period", c.Period, window.CounterNamed(c.Kind).Periodic && c.Period > 0 && c.Period != window.DefaultPeriod)
	return yaml.MapSlice(fields)
}

// CounterText writes a counter as a policy has it, on one line: what says something
// of it, or all, where a profile may say otherwise.
func CounterText(c window.CounterSpec, all bool) string { return flow(counterFields(c, all)) }

// priceFields are the fields of a price: that of cached tokens only where it
// is another.
func priceFields(p window.Price) yaml.MapSlice {
	var fields items
	fields.add("input", p.Input, true)
	fields.add("output", p.Output, true)
	fields.add("cached", p.Cached, p.Cached != p.Input)
	return yaml.MapSlice(fields)
}

func (o *overrideDraft) source() yaml.MapSlice {
	var out items
	out.add("match", o.match, o.match != "")
	out.add("threshold", o.threshold, o.threshold > 0)
	out.add("window", window.Lasting(o.window), o.window > 0)
	out.add("action", string(o.action), o.action != "")
	out.add("enabled", o.enabled, !o.enabled || o.switchesOn())
	out.add("until", o.until.Format(time.RFC3339Nano), !o.until.IsZero())
	out.add("reason", o.reason, o.reason != "")
	return yaml.MapSlice(out)
}
