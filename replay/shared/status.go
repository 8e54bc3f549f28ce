package shared

import (
	"slices"
	"sync"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// Status is what a Watch can be asked while it runs: all partitions that this
// process has, as one run. Any goroutine may ask.
type Status struct {
	mu      sync.Mutex
	member  bool // of the group
	ours    int  // partitions that the group gave us last
	parts   []*live.Status
	past    live.Now // the counts of partitions that were given up: counters never fall
	dropped func() int64
}

// Get is how the process stands, at most a second ago. It is ready when it is
// a member of the group and each partition that it was given is being judged.
// One that was given none is ready too: it waits in case another dies.
func (s *Status) Get() live.Now {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := live.Now{Heartbeat: time.Now(), Newest: fingerprint.NoTime, Frontier: fingerprint.NoTime}
	count(&now, &s.past)
	now.Gone = s.past.Gone
	reading := 0
	for i, part := range s.parts {
		p := part.Get()
		count(&now, &p)
		stand(&now, &p, i == 0)
		if p.Ready {
			reading++
		}
	}
	now.Ready = s.member && reading == s.ours
	if s.dropped != nil {
		now.Dropped = s.dropped()
	}
	return now
}

// count adds what never falls.
func count(sum, p *live.Now) {
	sum.Began.Account, sum.Began.Rules = plus(&sum.Began, &p.Began)
	sum.Account, sum.Rules = plus(&sum.Report, &p.Report)
	sum.Streams = append(sum.Streams, p.Streams...)
	addAll(&sum.Alerts, p.Alerts)
	addAll(&sum.Loops, p.Loops)
	if len(sum.Sinks) == 0 {
		sum.Sinks = slices.Clone(p.Sinks)
	} else {
		for i := range p.Sinks {
			to, from := &sum.Sinks[i], &p.Sinks[i]
			to.Waiting += from.Waiting
			to.Sent += from.Sent
			to.Failed += from.Failed
			to.Refused += from.Refused
			to.Dropped += from.Dropped
		}
	}
	sum.Checkpoints += p.Checkpoints
	if p.CheckpointTime.After(sum.CheckpointTime) {
		sum.CheckpointTime, sum.CheckpointTook, sum.CheckpointBytes = p.CheckpointTime, p.CheckpointTook, p.CheckpointBytes
	}
}

// addAll adds to counts, of which there may be none yet.
func addAll[K comparable](sum *map[K]int64, more map[K]int64) {
	for k, n := range more { // any order: they are added up
		if *sum == nil {
			*sum = map[K]int64{}
		}
		(*sum)[k] += n
	}
}

// plus adds up two reports.
func plus(a, b *replay.Report) (replay.Account, []window.RuleAccount) {
	account := a.Account
	account.Add(&b.Account)
	rules := slices.Clone(a.Rules)
	if rules == nil {
		return account, slices.Clone(b.Rules)
	}
	for i := range b.Rules {
		rules[i].Add(&b.Rules[i])
	}
	return account, rules
}

// stand adds how a partition stands; first says that there was none before.
func stand(sum, p *live.Now, first bool) {
	sum.Lanes = append(sum.Lanes, p.Lanes...)
	sum.Waiting += p.Waiting
	sum.Incidents += p.Incidents
	sum.Newest = max(sum.Newest, p.Newest)
	if first || p.Frontier < sum.Frontier {
		sum.Frontier = p.Frontier
	}
	if !p.Heartbeat.IsZero() && p.Heartbeat.Before(sum.Heartbeat) {
		sum.Heartbeat = p.Heartbeat
	}
	if !p.Unsaved.IsZero() && (sum.Unsaved.IsZero() || p.Unsaved.Before(sum.Unsaved)) {
		sum.Unsaved = p.Unsaved
	}
}

// begin makes ready for a process that judges by the options.
func (s *Status) begin(o *WatchOptions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range o.Plan.Rules {
		s.past.Rules = append(s.past.Rules, window.RuleAccount{Rule: r})
	}
	s.past.Began.Rules = slices.Clone(s.past.Rules)
	s.past.Sinks = sinks.NewOutbox(o.Log, o.Sinks...).Stats()
	if o.Topic != nil {
		s.dropped = o.Topic.Dropped
	}
}

// joined tells how many partitions the group gave us.
func (s *Status) joined(partitions int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.member, s.ours = true, partitions
}

// enter adds a partition.
func (s *Status) enter() *live.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	part := &live.Status{}
	part.Update(func(n *live.Now) { n.Newest, n.Frontier = fingerprint.NoTime, fingerprint.NoTime })
	s.parts = append(s.parts, part)
	return part
}

// leave keeps the counts of a partition that is given up.
func (s *Status) leave(part *live.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts = slices.DeleteFunc(s.parts, func(p *live.Status) bool { return p == part })
	n := part.Get()
	for i := range n.Rules {
		n.Rules[i].LiveKeys = 0 // here
	}
	for i := range n.Sinks {
		n.Sinks[i].Waiting = 0 // for this process
	}
	// One number for all partitions that were ever given up.
	streams := n.Streams
	n.Streams = nil
	count(&s.past, &n)
	if len(s.past.Streams) == 0 {
		s.past.Streams = make([]replay.StreamResult, 1)
	}
	for _, st := range streams {
		s.past.Streams[0].Bytes += st.Bytes
	}
	for _, l := range n.Lanes {
		s.past.Gone.Leave(l)
	}
}

// refresh is how often a status is brought up to date.
const refresh = time.Second

// begin tells what the partition goes on from.
func (j *judge) begin() {
	j.status.Update(func(n *live.Now) {
		n.Began = j.Pipeline.Report()
		n.Report = n.Began
	})
}

// works says that the judge is at work from now on, and not waiting for
// brokers: how long they take says nothing of how we are.
func (j *judge) works() { j.status.Update(func(n *live.Now) { n.Heartbeat = time.Now() }) }

// waits says that it waits for brokers.
func (j *judge) waits() { j.status.Update(func(n *live.Now) { n.Heartbeat = time.Time{} }) }

// heard counts what came in a chunk.
func (j *judge) heard(chunk *ingest.Chunk) {
	j.lane.Add(chunk)
	if chunk.Block != nil {
		j.bytes += int64(len(chunk.Block.Data))
	}
}

// tell tells how the partition stands.
func (j *judge) tell() {
	j.told = time.Now()
	j.status.Update(func(n *live.Now) {
		n.Report = j.Pipeline.Report()
		n.Streams = []replay.StreamResult{{Name: j.p.Name(), Lines: j.Pipeline.Account.Lines, Bytes: j.bytes}}
		n.Lanes = []live.LaneStatus{j.lane}
		n.Look(j.told, j.Judging)
	})
}
