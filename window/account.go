package window

import (
	"fmt"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// RuleAccount says what became of every request under one rule. All but Fired,
// Episodes, ChatInvalid and the keys are numbers of requests.
type RuleAccount struct {
	Rule          *Rule
	Before        int64 // requests judged before the rule was there, where state was loaded that did not have it
	Judged        int64 // requests the rule was shown
	Counted       int64 // had at least one fingerprint and a scope
	NotMatched    int64 // match is false, or an override or the session switches the rule off
	NotComputable [fingerprint.Causes]int64

	FellBack int64 // counted in a conversation told by its beginning
	ChatSet  int64 // whose user message set or unset something for the session
	Fired    int64 // verdicts that fired: one per request and fingerprint
	Episodes int64

	ChatInvalid int64 // commands about loops in user messages that make no sense, and were passed over

	LiveKeys    int   // keys the counter holds at the end
	DroppedKeys int64 // counts, cooldowns, chances and open episodes dropped to stay within the cap: loops among them may be missed, or reported as two
}

// Check says whether judged = counted + not matched + not computable. That it
// is not is a bug.
func (a *RuleAccount) Check() error {
	blind, _, _ := a.Blind()
	if sum := a.Counted + a.NotMatched + blind; sum != a.Judged {
		return fmt.Errorf("rule %s: the account does not add up: %d judged, %d accounted for: please report this", a.Rule.Name, a.Judged, sum)
	}
	return nil
}

// Add adds the counts of another part of the same run.
func (a *RuleAccount) Add(b *RuleAccount) {
	more := b.numbers()
	for i, n := range a.numbers() {
		*n += *more[i]
	}
	for c, n := range b.NotComputable {
		a.NotComputable[c] += n
	}
	a.ChatSet += b.ChatSet
	a.ChatInvalid += b.ChatInvalid
	a.LiveKeys += b.LiveKeys
}

// Causes are how many requests were not computable, by the names of their causes.
func (a *RuleAccount) Causes() map[string]int64 {
	causes := map[string]int64{}
	for c, n := range a.NotComputable {
		if n > 0 {
			causes[fingerprint.Cause(c).String()] = n
		}
	}
	return causes
}

// Blind is how many requests the rule could not look at, and why it could not
// at most of them; where it could at none, and of some all but the session is
// there, the session.
func (a *RuleAccount) Blind() (requests int64, main fingerprint.Cause, most int64) {
	for c, n := range a.NotComputable {
		requests += n
		if n > most {
			main, most = fingerprint.Cause(c), n
		}
	}
	if n := a.NotComputable[fingerprint.NoSession]; n > 0 && a.Counted == 0 {
		main, most = fingerprint.NoSession, n
	}
	return requests, main, most
}

// Unlogged is how many requests the rule could not look at for what the log
// lacks, and what it lacks of most of them.
func (a *RuleAccount) Unlogged() (requests int64, main fingerprint.Cause) {
	for c, n := range a.NotComputable {
		if c := fingerprint.Cause(c); c.Unlogged() {
			requests += n
			if n > a.NotComputable[main] {
				main = c
			}
		}
	}
	return requests, main
}

func (a *RuleAccount) code(c *coder) {
	for _, n := range a.numbers() {
		c.count(n)
	}
	// By name: their numbers are of one version only.
	n := c.Items(len(a.Causes()), 2)
	if c.Reads() {
		for range n {
			c.count(&a.NotComputable[readCause(c.From, c.From.String())])
		}
		return
	}
	for cause, n := range a.NotComputable {
		if n > 0 {
			c.To.String(fingerprint.Cause(cause).String())
			c.count(&n)
		}
	}
}

// numbers are those that a checkpoint holds of the account itself.
func (a *RuleAccount) numbers() [8]*int64 {
	return [...]*int64{&a.Before, &a.Judged, &a.Counted, &a.NotMatched, &a.FellBack, &a.Fired, &a.Episodes, &a.DroppedKeys}
}
