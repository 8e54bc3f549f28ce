package window

import (
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// GivesChances reports whether the rule's action, or an override's, is
// chance_then_break, or may become that.
func (rule *Rule) GivesChances() bool {
	return rule.ChatOverrides || rule.Action == ChanceThenBreak ||
		slices.ContainsFunc(rule.Overrides, func(o Override) bool { return o.Action == ChanceThenBreak })
}

// chancer remembers which signature was guided. A counter that keeps chances
// in its own way implements it.
type chancer interface {
	// Chance notes a hit that has been counted. If it tripped a rule that
	// gives a chance, Chance reports whether its signature had it before,
	// and notes that now it has.
	Chance(h *Hit, tripped bool) (given bool)
}

// newChances remembers the chances of a rule that counts so, in at most so many
// keys; 0 is no bound.
func newChances(counter Counter, keys int) chancer {
	if own, ok := counter.(chancer); ok {
		return own
	}
	return signatureChances{newTable[fingerprint.ScopeKey, fingerprint.Fingerprint](chanceLife.Microseconds(), keys, nil)}
}

// chanceLife is how long a chance is remembered in a scope that does nothing:
// a session that is silent for a day is over. Without a bound every scope that
// ever tripped would be kept.
const chanceLife = 24 * time.Hour

// signatureChances gives each scope's signature one chance: a different call
// in the scope clears it.
type signatureChances struct {
	guided *table[fingerprint.ScopeKey, fingerprint.Fingerprint]
}

func (c signatureChances) Chance(h *Hit, tripped bool) bool {
	c.guided.expire(h.Time)
	guided := c.guided.find(h.Scope)
	switch {
	case guided != nil && *guided == h.Print:
		c.guided.touch(h.Scope, h.Time)
		return tripped
	case tripped:
		*c.guided.touch(h.Scope, h.Time) = h.Print
	case guided != nil:
		c.guided.remove(h.Scope)
	}
	return false
}

func (c signatureChances) code(s *coder) {
	c.guided.code(s, 22, s.scope, func(print *fingerprint.Fingerprint, _ int64) { s.fingerprint(print) })
}
