package window

import (
	"cmp"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Rule is identity + scope + counter + threshold + what a gateway would do.
// A threshold of N fires on the Nth repeat: a gateway that says "more than 5"
// has threshold 6.
type Rule struct {
	Name     string
	Profile  string // the profile it was made from, empty if none
	Identity *fingerprint.Identity
	Scope    *fingerprint.Scope
	Counter  CounterSpec

	Threshold int
	Action    Action

	// Cooldown makes a rule fire on every hit until so long after a firing.
	Cooldown time.Duration
	// SkipInCooldown leaves those hits uncounted (cooldown_counts: false).
	SkipInCooldown bool
	// SkipBlocked does not record a hit that fires (blocked_counts: false).
	SkipBlocked bool
	// ResetOnFire starts counting anew after a firing.
	ResetOnFire bool

	// Quiet is the longest pause inside one episode.
	Quiet time.Duration

	// ChatOverrides lets sessions change what is in force for them, by commands
	// in user messages: see Chat. The counter's window must be one that Varies.
	ChatOverrides bool
	// Off is where sessions begin that may switch the rule on; only with
	// ChatOverrides.
	Off bool

	// Match tells whether the rule looks at a request at all; nil is always.
	Match func(*fingerprint.Request) bool
	// Reads is what Match and the overrides need beyond identity and scope.
	Reads     fingerprint.Field
	Fields    []string // the fields of a request that they look at, as expressions name them
	Overrides []Override
	// Selection is what Match and the overrides were made of. Rules that have
	// it in common see every request alike; empty is not known.
	Selection string
	Written   Written
}

// Written is a rule as a policy has it: its name, and as whole lines all but its
// setting, for which there is room between Head and Tail: counter, threshold
// and action. A rule that was not read from a policy has none.
type Written struct {
	Name, Head, Tail string
	// Warns is Tail of the rule as it would be if its gateway let through what
	// trips it: none of that changes a later count.
	Warns string
	// Closed tells that Head names a profile whose counter is closed: one that is not
	// has to say so.
	Closed bool
}

// Override changes a rule for some requests. The first that matches wins.
type Override struct {
	Match     func(*fingerprint.Request) bool
	Threshold int           // 0 keeps the rule's
	Action    Action        // "" keeps the rule's
	Window    time.Duration // 0 keeps the counter's; only if it is one that Varies
	Disabled  bool          // the rule does not look at the request
	Enabled   bool          // it does, though it is Off
	Until     time.Time     // zero is for ever; compared with the event's time
	Reason    string
}

// cooled is when a cooldown that began at t is over. Its end belongs to it
// where that of the window does (Redis: a key lives yet when its time is up).
func (rule *Rule) cooled(t int64) int64 {
	t += rule.Cooldown.Microseconds()
	if rule.Counter.Closed {
		t++
	}
	return t
}

// ChangesCounts says that the rule's gateway counts otherwise once it has
// tripped.
func (rule *Rule) ChangesCounts() bool {
	return rule.Cooldown > 0 || rule.SkipBlocked || rule.ResetOnFire || rule.Counter.Kind == TrackerKind
}

// SameKey says that two rules count by the same identity in the same scope.
func (rule *Rule) SameKey(other *Rule) bool {
	return rule.Identity.Same(other.Identity) && rule.Scope.Same(other.Scope)
}

// Alike says that two rules, whatever they are called, judge every request in
// the same way.
func (rule *Rule) Alike(other *Rule) bool {
	type plain struct {
		counter                                       CounterSpec
		threshold                                     int
		action                                        Action
		cooldown, quiet                               time.Duration
		skipInCooldown, skipBlocked, reset, chat, off bool
		selection                                     string
	}
	of := func(r *Rule) plain {
		return plain{
			r.Counter.effective(), r.Threshold, r.Action, r.Cooldown, r.Quiet,
			r.SkipInCooldown, r.SkipBlocked, r.ResetOnFire, r.ChatOverrides, r.Off, r.selection(),
		}
	}
	return of(rule) == of(other) && rule.selection() != "" &&
		rule.SameKey(other) &&
		slices.EqualFunc(rule.Overrides, other.Overrides, func(o, p Override) bool { // selection says what they match
			return o.Threshold == p.Threshold && o.Action == p.Action && o.Window == p.Window &&
				o.Disabled == p.Disabled && o.Enabled == p.Enabled && o.Until.Equal(p.Until)
		})
}

// Settings are what is in force of a rule for one request. What the rule says
// is overruled by an override that matches, which mostly is a model's, and that
// by what the session has set.
type Settings struct {
	Off       bool // the rule does not look at it
	Threshold int
	Window    time.Duration
	Action    Action
}

// InForce is what the rule says of a request that it sees as choice.
func (rule *Rule) InForce(choice Choice) Settings {
	in := Settings{rule.Off, rule.Threshold, rule.Counter.Window, rule.Action}
	if choice < 0 {
		return in
	}
	o := &rule.Overrides[choice]
	in.Off = rule.off(choice)
	in.Threshold, in.Window, in.Action = cmp.Or(o.Threshold, in.Threshold), cmp.Or(o.Window, in.Window), cmp.Or(o.Action, in.Action)
	return in
}

// off tells whether the rule does not look at a request that it sees as choice.
func (rule *Rule) off(choice Choice) bool {
	if choice < 0 {
		return rule.Off
	}
	o := &rule.Overrides[choice]
	return (rule.Off || o.Disabled) && !o.Enabled
}

// Varies tells that the window is not the same for every hit.
func (rule *Rule) Varies() bool {
	return rule.ChatOverrides || slices.ContainsFunc(rule.Overrides, func(o Override) bool { return o.Window > 0 })
}

// widest is the longest window that the rule has, or one of its overrides.
func (rule *Rule) widest() time.Duration {
	d := rule.Counter.Window
	for i := range rule.Overrides {
		d = max(d, rule.Overrides[i].Window)
	}
	return d
}

// longest is the longest window that keys are kept for.
func (rule *Rule) longest() time.Duration {
	if rule.ChatOverrides {
		return max(rule.widest(), sessionLife)
	}
	return rule.widest()
}

// quietDefault is the least quiet time of a rule that sets none, and quietEndless
// that of one that counts without a window: shorter pauses would cut one loop
// into many alerts.
const (
	quietDefault = time.Minute
	quietEndless = 10 * time.Minute
)

// quiet is the longest pause inside one episode of the rule: what it says,
// else as long as it still counts or cools down.
func (rule *Rule) quiet() time.Duration {
	if rule.Quiet > 0 {
		return rule.Quiet
	}
	least := quietDefault
	if rule.Counter.Window == 0 {
		least = quietEndless
	}
	return max(rule.widest(), rule.Cooldown, least)
}

// LeastThreshold is the smallest threshold that means a repeat.
const LeastThreshold = 2

// Action is what the gateway would have done. All of them are hypothetical.
type Action string

const (
	Warn            Action = "warn"
	Throttle        Action = "throttle"          // delay of count x 100 ms, at most 30 s
	Reject          Action = "reject"            // 429 with Retry-After
	Break           Action = "break"             // end the turn
	ChanceThenBreak Action = "chance_then_break" // guide once, break the second time
	Record          Action = "record"            // no alert
)

// Actions are the actions a rule can have.
var Actions = []Action{Warn, Throttle, Reject, Break, ChanceThenBreak, Record}
