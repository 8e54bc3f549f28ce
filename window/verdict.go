package window

import "github.com/loopgauge/loopgauge/fingerprint"

// Verdict is what one rule says of one request and fingerprint.
type Verdict struct {
	Event       *Event
	Rule        *Rule
	Scope       *Scope
	Fingerprint fingerprint.Fingerprint

	Count      int    // including this request; -1 where the gateway does not count
	Threshold  int    // in force for this request
	Fired      bool   // the gateway would have acted
	Action     Action // what it would have done: allow if it did not fire
	Reason     Reason
	RetryAfter int64  // seconds, only for reject, -1 otherwise
	DelayMS    int64  // only for throttle, -1 otherwise
	Episode    string // id of the episode it belongs to, empty if none
}

// Repeats tells a verdict on a repeat, or on what a cooldown holds, from one on
// a request that was the first of its kind.
func (v *Verdict) Repeats() bool { return v.Count >= 2 || v.Fired }

// Reason says why a verdict fired.
type Reason string

const (
	ByThreshold Reason = "threshold"
	ByCooldown  Reason = "cooldown"
)

const (
	// Allow is the action of a verdict that did not fire.
	Allow Action = "allow"
	// Guide is the first firing of chance_then_break.
	Guide Action = "guide"
)
