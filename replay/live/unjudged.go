package live

import (
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
)

// sayEvery is how often it is said that lines are not judged.
const sayEvery = time.Minute

// unjudged is what of the lines that were not judged has been said.
type unjudged struct {
	at      time.Time
	account replay.Account
	skip    ingest.Skip // the last
}

// sayUnjudged says that more than one in a hundred lines since it was last
// looked at were not judged: a log that cannot be read, or a clock that ran
// ahead, must not pass for one without loops.
func (w *watch) sayUnjudged() {
	now, u := &w.pipeline.Account, &w.unjudged
	lines, malformed, late := now.Lines-u.account.Lines, now.Malformed-u.account.Malformed, now.Late-u.account.Late
	if (malformed+late)*100 > lines {
		w.log.Warn("lines are not judged: --verbose says why of each", "of", lines, "malformed", malformed, "late", late,
			"stream", w.name(u.skip.Stream), "line", u.skip.Line, "why", u.skip.Why)
	}
	u.at, u.account = time.Now(), *now
}
