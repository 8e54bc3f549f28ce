package replay

import (
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
)

// Lateness is how far out of order a run lets its streams be, and why.
type Lateness struct {
	Value    time.Duration
	Measured bool
	Disorder time.Duration // what was measured
}

// latenesses are the values that MeasureLateness picks from: the default of a
// live run, and what a log that is sorted by minute, or put together from
// several buffers, needs.
var latenesses = []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute}

// measureBudget is how many bytes are looked at in all. Reading a log twice to
// be sure would halve the speed.
const measureBudget = 64 << 20

// MeasureLateness looks at parts of the streams, without reading them, and
// picks the smallest lateness that their disorder fits into, or the largest
// there is.
func MeasureLateness(streams []ingest.Stream, o *window.ExtractOptions) (Lateness, error) {
	l := Lateness{Measured: true}
	reader := ingest.NewReader(0)
	var d window.Disorder
	for _, s := range streams {
		place := int64(-1)
		err := s.Probe(measureBudget/int64(len(streams)), func(b *ingest.Block) {
			if b.Offset <= place {
				d.Next()
			}
			place = b.Offset
			reader.Read(b, func(r *fingerprint.Request) { d.Add(o.TimeOf(r), r.Again) }, nil)
		})
		if err != nil {
			return l, err
		}
		d.Next()
	}
	l.Disorder = d.Worst
	for _, l.Value = range latenesses {
		if l.Disorder <= l.Value {
			break
		}
	}
	return l, nil
}

// EnoughLateness is a lateness with which no line would have come too late, but
// for those whose times are far off, as it is written; empty if there is none.
func (r *Result) EnoughLateness() string {
	if worst := r.Order.WorstLate; worst > 0 && worst <= window.MaxLateness {
		return window.Lasting(roundUp(worst))
	}
	return ""
}

// Again says how late lines come to be judged; empty if no lateness would do. The
// order of a dataset is that in which it was written.
func (r *Result) Again() string {
	switch enough := r.EnoughLateness(); {
	case enough == "":
		return ""
	case r.Kept:
		return "write the dataset anew from the logs with --lateness " + enough
	default:
		return "run again with --lateness " + enough
	}
}

// MuchLate tells that more than one in a hundred lines came too late, so that
// what is said of the others says little of the log.
func (r *Result) MuchLate() bool { return r.Account.Late*100 > r.Account.Lines }

// maybeSetBack tells that lines are as late as where clocks were set back, of logs whose
// times were read as if theirs never were.
func (r *Result) maybeSetBack() bool {
	late := r.Order.WorstLate
	return late > 30*time.Minute && late <= time.Hour+time.Minute &&
		slices.ContainsFunc(r.Streams, func(s StreamResult) bool { return s.Zone == "UTC" })
}

// roundUp gives a duration that one would write into a policy.
func roundUp(d time.Duration) time.Duration {
	for _, unit := range []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour} {
		if d <= 60*unit {
			return (d + unit - 1).Truncate(unit)
		}
	}
	return (d + 24*time.Hour - 1).Truncate(24 * time.Hour)
}
