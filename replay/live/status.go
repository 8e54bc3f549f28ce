package live

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
)

// Status is what a run can be asked while it runs. Any goroutine may ask.
type Status struct {
	mu  sync.Mutex
	now Now
}

// Now is how a run stands.
type Now struct {
	Report
	Ready     bool // all streams that there were at the beginning are being read
	Lanes     []LaneStatus
	Waiting   int   // requests held back
	Frontier  int64 // event time up to which is judged; fingerprint.NoTime if nothing is
	Incidents int   // open
	Alerts    map[window.IncidentState]int64
	Outbox    int   // alerts that some sink does not have yet
	Refused   int64 // alerts that a sink did not want

	Checkpoints     int64
	CheckpointTime  time.Time
	CheckpointTook  time.Duration
	CheckpointBytes int
}

// LaneStatus is how one stream stands.
type LaneStatus struct {
	Name          string
	Offset        int64
	Behind        int64 // records or bytes that are known to follow; -1 if not known
	Idle, AtEnd   bool
	Lost          int64
	Control       int64
	Transactional int64
}

// Get is how the run stands, at most a second ago.
func (s *Status) Get() Now {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.now
	n.Alerts = maps.Clone(n.Alerts)
	n.Lanes = slices.Clone(n.Lanes)
	return n
}

func (s *Status) update(f func(*Now)) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.now)
}

func (s *Status) alert(state window.IncidentState) {
	s.update(func(n *Now) {
		if n.Alerts == nil {
			n.Alerts = map[window.IncidentState]int64{}
		}
		n.Alerts[state]++
	})
}

func (s *Status) checkpoint(bytes int, at time.Time, took time.Duration) {
	s.update(func(n *Now) {
		n.Checkpoints++
		n.CheckpointBytes, n.CheckpointTime, n.CheckpointTook = bytes, at, took
	})
}

// add counts what a chunk says besides its records.
func (l *LaneStatus) add(c *ingest.Chunk) {
	l.Offset, l.AtEnd, l.Behind = c.Mark.Offset, c.AtEnd, c.Behind
	l.Lost += c.Lost
	l.Control += c.Control
	l.Transactional += c.Transactional
}

// refresh is how often the status is brought up to date.
var refresh = time.Second

// status tells how the run stands.
func (w *watch) status() {
	if w.o.Status == nil || time.Since(w.told) < refresh {
		return
	}
	w.told = time.Now()
	w.o.Status.update(func(n *Now) {
		n.Report = w.report()
		n.Streams = slices.Clone(n.Streams)
		n.Skipped = slices.Clone(n.Skipped)
		n.Excluded = slices.Clone(n.Excluded)
		n.Ready = w.known
		n.Lanes = n.Lanes[:0]
		for _, l := range w.lanes {
			l.status.Name, l.status.Idle = l.stream.Name(), l.idle
			n.Lanes = append(n.Lanes, l.status)
		}
		n.Waiting, n.Incidents = w.pipeline.Order.Waiting(), w.incidents.Open()
		n.Frontier = w.pipeline.Last
		n.Outbox, _ = w.outbox.Waiting()
		n.Refused = w.outbox.Refused()
	})
}
