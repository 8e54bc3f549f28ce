package tune

import "github.com/loopgauge/loopgauge/window"

// reached are, for each session or conversation with a label, the highest counts
// by cell that its own requests had, by target. A repeat is of all who send the
// same where a rule counts them together.
type reached map[conversation][][]uint8

// newReached is nil without labels.
func newReached(labels Labels) reached {
	if labels == nil {
		return nil
	}
	of := make(reached, len(labels))
	for name := range labels { // any order: a set
		of[conversationOf(name)] = nil
	}
	return of
}

// note takes in a request of a session that repeats.
func (of reached) note(r *window.Finding, who conversation) {
	targets, labelled := of[who]
	if !labelled {
		return
	}
	for len(targets) <= r.Target {
		targets = append(targets, nil)
	}
	if targets[r.Target] == nil {
		targets[r.Target] = make([]uint8, len(r.Counts))
	}
	window.Raise(targets[r.Target], r.Counts)
	of[who] = targets
}

// flagged says whether a setting that is advised fires in a session.
func (of reached) flagged(a *Advice, session string) bool {
	targets := of[conversationOf(session)]
	return a.Found && a.Target < len(targets) && targets[a.Target] != nil && int(targets[a.Target][a.Cell]) >= a.Threshold
}
