package policy

import (
	"maps"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/window"

	"github.com/goccy/go-yaml"
)

// source writes the draft out as a policy: every field that says something,
// in the order of docs/policy.md, profiles written out.
func (d *draft) source() []byte {
	doc := yaml.MapSlice{{Key: "version", Value: Version}}
	if d.latenessGiven {
		doc = append(doc, yaml.MapItem{Key: "lateness", Value: window.Lasting(d.lateness)})
	}
	doc = append(doc,
		yaml.MapItem{Key: "event_time", Value: string(d.eventTime)},
		yaml.MapItem{Key: "duplicates", Value: window.Lasting(d.duplicates)})
	if d.session != nil {
		doc = append(doc, yaml.MapItem{Key: "session", Value: d.session})
	}
	var rules []yaml.MapSlice
	for _, rule := range d.rules {
		rules = append(rules, rule.source())
	}
	doc = append(doc, yaml.MapItem{Key: "rules", Value: rules})
	if len(d.exclude) > 0 {
		var list []yaml.MapSlice
		for _, x := range d.exclude {
			list = append(list, yaml.MapSlice{{Key: "name", Value: x.name}, {Key: "match", Value: x.match}})
		}
		doc = append(doc, yaml.MapItem{Key: "exclude", Value: list})
	}
	if len(d.prices) > 0 {
		var prices yaml.MapSlice
		for _, model := range slices.Sorted(maps.Keys(d.prices)) { // any order: sorted
			prices = append(prices, yaml.MapItem{Key: model, Value: priceFields(d.prices[model])})
		}
		doc = append(doc, yaml.MapItem{Key: "prices", Value: prices})
	}
	text, err := yaml.Marshal(quoteOdd(doc))
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

func (d *ruleDraft) source() yaml.MapSlice {
	out := yaml.MapSlice{{Key: "name", Value: d.name}}
	// What the profile says must be said again then, even where the rule went
	// back to a default.
	kept := d.keepsProfile()
	add := func(key string, value any, when bool) {
		if when || kept {
			out = append(out, yaml.MapItem{Key: key, Value: value})
		}
	}
	if kept {
		add("profile", d.profile, true)
	}
	add("enabled", d.enabled, !d.enabled)
	if d.identity != "" {
		add("identity", d.identity, true)
	} else {
		add("identity", d.parts, true)
	}
	add("mask", slices.Concat([]string{}, d.mask), len(d.mask) > 0)
	add("normalize", d.normalize, d.normalize != "none")
	if d.limitKeys != nil { // none is not all
		out = append(out, yaml.MapItem{Key: "limit_keys", Value: d.limitKeys})
	}
	add("body_hash", d.bodyHash, d.bodyHash != "use")
	add("scope", slices.Concat([]string{}, d.scope), true)
	add("counter", counterFields(d.counter, kept), true)
	add("threshold", d.threshold, true)
	add("cooldown", window.Lasting(d.cooldown), d.cooldown > 0)
	add("cooldown_counts", d.cooldownCounts, !d.cooldownCounts)
	add("blocked_counts", d.blockedCounts, !d.blockedCounts)
	add("reset_on_fire", d.resetOnFire, d.resetOnFire)
	add("quiet", window.Lasting(d.quiet), d.quiet > 0)
	add("action", string(d.action), true)
	if d.chatOverrides {
		out = append(out, yaml.MapItem{Key: "chat_overrides", Value: true})
	}
	add("match", d.match, d.match != "")
	overrides := []yaml.MapSlice{}
	for i := range d.overrides {
		overrides = append(overrides, d.overrides[i].source())
	}
	add("overrides", overrides, len(overrides) > 0)
	return out
}

// counterFields are the fields of a counter that say something, or all of them,
// where a profile may say otherwise.
func counterFields(c window.CounterSpec, all bool) yaml.MapSlice {
	fields := yaml.MapSlice{{Key: "kind", Value: c.Kind}}
	add := func(key string, value any, when bool) {
		if when {
			fields = append(fields, yaml.MapItem{Key: key, Value: value})
		}
	}
	add("window", window.Lasting(c.Window), c.Window > 0 || all)
	add("closed", c.Closed, c.Closed || all)
	add("period", c.Period, window.CounterNamed(c.Kind).Periodic && c.Period > 0 && c.Period != window.DefaultPeriod)
	return fields
}

// CounterText writes a counter as a policy has it, on one line: what says something
// of it, or all, where a profile may say otherwise.
func CounterText(c window.CounterSpec, all bool) string { return flow(counterFields(c, all)) }

// priceFields are the fields of a price: that of cached tokens only where it
// is another.
func priceFields(p window.Price) yaml.MapSlice {
	fields := yaml.MapSlice{{Key: "input", Value: p.Input}, {Key: "output", Value: p.Output}}
	if p.Cached != p.Input {
		fields = append(fields, yaml.MapItem{Key: "cached", Value: p.Cached})
	}
	return fields
}

func (o *overrideDraft) source() yaml.MapSlice {
	var out yaml.MapSlice
	add := func(key string, value any, when bool) {
		if when {
			out = append(out, yaml.MapItem{Key: key, Value: value})
		}
	}
	add("match", o.match, o.match != "")
	add("threshold", o.threshold, o.threshold > 0)
	add("window", window.Lasting(o.window), o.window > 0)
	add("action", string(o.action), o.action != "")
	add("enabled", o.enabled, !o.enabled || o.switchesOn())
	add("until", o.until.Format(time.RFC3339Nano), !o.until.IsZero())
	add("reason", o.reason, o.reason != "")
	return out
}
