package window

import "github.com/loopgauge/loopgauge/fingerprint"

// Sought says which events are looked for among those that are kept: whoever keeps
// them may leave out others.
type Sought struct {
	Line   *fingerprint.Position  // those of its line; nil for none
	Time   *int64                 // those of this time; nil for none
	Scopes []fingerprint.ScopeKey // those in one of these scopes
}
