package replay

import (
	"log/slog"

	"github.com/loopgauge/loopgauge/window"
)

// Resume says what a changed policy made of a saved state, and ends the loops
// that no rule follows any more.
func Resume(log *slog.Logger, r *window.Restored, incidents *window.Incidents) {
	for _, x := range r.Reset {
		log.Warn("rule begins anew", "rule", x.Rule, "why", x.Why)
	}
	for _, name := range r.New {
		log.Info("rule is new", "rule", name)
	}
	for _, name := range r.Gone {
		log.Warn("rule is gone", "rule", name)
	}
	for _, e := range r.Ended {
		incidents.Closed(e)
	}
}
