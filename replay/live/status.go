package live

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// Status is what a run can be asked while it runs. Any goroutine may ask.
type Status struct {
	mu  sync.Mutex
	now Now
}

// Now is how a run stands.
type Now struct {
	replay.Report               // of all time
	Began         replay.Report // what the run went on from

	Heartbeat  time.Time // when the loop last came round; zero before the first time
	Ready      bool      // all streams that there were at the beginning are being read
	Lanes      []LaneStatus
	Gone       LaneStatus // what streams that are over have lost and passed over
	Waiting    int        // requests held back
	Unreadable int        // files that could not be read, or were gone, for a minute
	Newest     int64      // event time that the streams have come to; fingerprint.NoTime if nothing has come
	Frontier   int64      // event time up to which everything is judged; fingerprint.NoTime if nothing is
	Incidents  int        // open
	Alerts     map[window.IncidentState]int64
	Loops      map[LoopKind]int64 // incidents that are over
	Sinks      []sinks.SinkStats
	Dropped    int64 // verdicts that the topic did not take

	Checkpoints     int64
	CheckpointTime  time.Time
	CheckpointTook  time.Duration
	CheckpointBytes int
	Unsaved         time.Time // since when there is something that no checkpoint holds; zero if there is nothing
}

// LoopKind is what an incident was: the rule that fired first, and the kind of
// repeat.
type LoopKind struct{ Rule, Kind string }

// LaneStatus is how one stream stands.
type LaneStatus struct {
	Name          string
	Behind        int64 // records of a topic, or bytes of a file, that are known to follow; -1 if not known
	File          bool  // it is a file
	Idle, AtEnd   bool
	Lost          int64 // of a file, losses: how many records each took is not known
	Control       int64
	Transactional int64
}

// Get is how the run stands, at most a second ago.
func (s *Status) Get() Now {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.now
	n.Alerts, n.Loops = maps.Clone(n.Alerts), maps.Clone(n.Loops)
	n.Lanes = slices.Clone(n.Lanes)
	return n
}

// Update changes how the run stands. A nil Status is one that nobody asks.
func (s *Status) Update(f func(*Now)) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.now)
}

// Alert counts an alert that was made.
func (s *Status) Alert(a *sinks.Alert) {
	s.Update(func(n *Now) {
		if n.Alerts == nil {
			n.Alerts, n.Loops = map[window.IncidentState]int64{}, map[LoopKind]int64{}
		}
		n.Alerts[a.State]++
		if a.State == window.Closed {
			n.Loops[LoopKind{a.Rule, a.Kind}]++
		}
	})
}

// Checkpoint counts a checkpoint that was written.
func (s *Status) Checkpoint(bytes int, at time.Time, took time.Duration) {
	s.Update(func(n *Now) {
		n.Checkpoints++
		n.CheckpointBytes, n.CheckpointTime, n.CheckpointTook = bytes, at, took
		n.Unsaved = time.Time{}
	})
}

// Look tells of what judges and sends, at a time.
func (n *Now) Look(at time.Time, j *Judging) {
	order := j.Pipeline.Order
	n.Waiting, n.Incidents, n.Sinks = order.Waiting(), j.Incidents.Open(), j.Outbox.Stats()
	n.Newest = order.Newest()
	var held bool
	if n.Frontier, held = order.Frontier(); !held {
		n.Frontier = n.Newest
	}
	switch {
	case !j.Dirty:
		n.Unsaved = time.Time{}
	case n.Unsaved.IsZero():
		n.Unsaved = at
	}
}

// beginStatus tells what the run goes on from.
func (w *watch) beginStatus() {
	w.o.Status.Update(func(n *Now) {
		n.Began = w.reported()
		n.Report = n.Began
	})
}

// reported is a report that stays as it is.
func (w *watch) reported() replay.Report {
	r := w.report()
	r.Streams, r.Skipped, r.Excluded = slices.Clone(r.Streams), slices.Clone(r.Skipped), slices.Clone(r.Excluded)
	return r
}

// Add counts what a chunk says besides its records.
func (l *LaneStatus) Add(c *ingest.Chunk) {
	l.File, l.AtEnd, l.Behind = c.Mark.File != "", c.AtEnd, c.Behind
	if c.Lost < 0 {
		l.Lost++ // nobody knows how many
	} else {
		l.Lost += c.Lost
	}
	l.Control += c.Control
	l.Transactional += c.Transactional
}

// Leave keeps the counts of a stream that is over.
func (l *LaneStatus) Leave(gone LaneStatus) {
	l.Lost += gone.Lost
	l.Control += gone.Control
	l.Transactional += gone.Transactional
}

// refresh is how often the status is brought up to date.
var refresh = time.Second

// status tells how the run stands.
func (w *watch) status() {
	if time.Since(w.told) < refresh {
		return
	}
	w.told = time.Now()
	w.o.Status.Update(func(n *Now) {
		n.Report = w.reported()
		n.Heartbeat, n.Ready, n.Gone = w.told, w.ready, w.gone
		n.Lanes = n.Lanes[:0]
		for _, l := range w.lanes {
			l.status.Name, l.status.Idle = l.stream.Name(), l.idle
			n.Lanes = append(n.Lanes, l.status)
		}
		n.Look(w.told, w.Judging)
		if w.o.Topic != nil {
			n.Dropped = w.o.Topic.Dropped()
		}
	})
}
