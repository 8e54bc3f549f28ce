package sinks

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/loopgauge/loopgauge/window"
)

// Outbox holds alerts until every sink has them. An alert leaves only after it
// was allowed to: once a checkpoint holds it. So none is lost, and a crash
// between sending and the next checkpoint repeats it under the same id.
//
// Nothing waits for a sink: a sink that takes nothing has so many alerts
// waiting and no more.
type Outbox struct {
	log    *slog.Logger
	sinks  []*sinkState
	states map[string]*sinkState // of sinks, by their own names

	mu      sync.Mutex
	changed chan struct{} // closed when there is something to look at
	entries []*entry      // oldest first
	last    int64         // number of the newest entry
	allowed int64         // up to this number
	most    int           // alerts that may wait for a sink
	moved   bool          // see Moved
}

// SinkStats are how a sink stands. The counts begin with the process.
type SinkStats struct {
	Name    string // as people know it
	Waiting int    // alerts that it does not have yet
	Sent    int64  // alerts that it took
	Failed  int64  // attempts that failed and are repeated
	Refused int64  // alerts that it did not want
	Dropped int64  // alerts that did not fit into the outbox any more
}

type sinkState struct {
	SinkStats
	to   Sink
	sink string            // its own name
	open map[string]*Alert // the last it took of each that is open, by ID; nil unless it is a Resender

	trouble trouble // its server's
}

// trouble is what a sink fails with, in a row.
type trouble struct {
	since        time.Time // zero: it does not
	down, denied time.Time // when that was said last
}

type entry struct {
	number int64
	alert  *Alert
	to     []string // sinks that do not have it yet
}

// retries are how long a sink is left alone after its first and its last
// failure in a row: short enough for a restart, long enough for an outage.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = time.Minute
)

// maxWaiting is how many alerts may wait for a sink: of a storm that makes a
// digest, a night and more; some 10 MB.
const maxWaiting = 10_000

// resendInterval is Prometheus' own: an Alertmanager takes an alert for
// resolved that it was not told of for five minutes.
const resendInterval = time.Minute

// sayAgain is how often it is said that a sink goes on failing.
const sayAgain = time.Hour

// LongestLater is how long a receiver may ask to be left alone.
const LongestLater = time.Hour

// NewOutbox makes an empty outbox for sinks whose names differ.
func NewOutbox(log *slog.Logger, list ...Sink) *Outbox {
	o := &Outbox{log: log, changed: make(chan struct{}), states: map[string]*sinkState{}, most: maxWaiting}
	for _, s := range list {
		state := &sinkState{SinkStats: SinkStats{Name: Called(s)}, to: s, sink: s.Name()}
		if named, ok := s.(Named); ok {
			state.to = named.Sink
		}
		if _, ok := state.to.(Resender); ok {
			state.open = map[string]*Alert{}
		}
		o.sinks = append(o.sinks, state)
		o.states[state.sink] = state
	}
	return o
}

// Names are those of the sinks.
func (o *Outbox) Names() []string {
	var names []string
	for _, s := range o.sinks {
		names = append(names, s.sink)
	}
	return names
}

// Add puts an alert in for sinks, by name.
func (o *Outbox) Add(a *Alert, to ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(a, to)
}

func (o *Outbox) add(a *Alert, to []string) {
	if len(to) == 0 {
		return
	}
	for _, name := range to {
		s := o.states[name]
		if s.Waiting >= o.most {
			o.drop(s)
		}
		s.Waiting++
	}
	o.last++
	o.entries = append(o.entries, &entry{o.last, a, to})
}

// drop makes room for a sink. What goes first are all alerts of the oldest
// incident that is over; only where none is, the oldest alert.
func (o *Outbox) drop(s *sinkState) {
	over := map[string]bool{}
	victim := ""
	for _, e := range o.entries {
		if e.alert.State == window.Closed && e.waitsFor(s.sink) {
			over[e.alert.ID] = true
		}
	}
	all := len(over) > 0
	for _, e := range o.entries {
		if e.waitsFor(s.sink) && (!all || over[e.alert.ID]) {
			victim = e.alert.ID
			break
		}
	}
	for _, e := range slices.Clone(o.entries) {
		if e.alert.ID != victim || !e.waitsFor(s.sink) {
			continue
		}
		o.log.Error("alert dropped: too many wait for its sink", "sink", s.Name, "id", e.alert.ID, "revision", e.alert.Revision, "waiting", s.Waiting)
		s.Dropped++
		o.leave(e, s)
		if !all {
			return
		}
	}
}

// leave takes a sink off an entry, which is gone when none is left. What is over
// is told no more, whether the sink took the end or not.
func (o *Outbox) leave(e *entry, s *sinkState) {
	if e.alert.State == window.Closed {
		delete(s.open, e.alert.ID)
	}
	s.Waiting--
	o.moved = true
	e.to = slices.DeleteFunc(e.to, func(name string) bool { return name == s.sink })
	if len(e.to) == 0 {
		o.entries = slices.DeleteFunc(o.entries, func(x *entry) bool { return x == e })
		o.wake()
	}
}

func (e *entry) waitsFor(sink string) bool { return slices.Contains(e.to, sink) }

// Last is the number of the newest alert: what Allow takes.
func (o *Outbox) Last() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last
}

// Waiting is how many alerts some sink does not have yet; Held how many of
// these may not leave yet.
func (o *Outbox) Waiting() (waiting, held int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.entries {
		if e.number > o.allowed {
			held++
		}
	}
	return len(o.entries), held
}

// Moved tells whether sinks have taken alerts, or done without them, since the
// outbox was last saved: who goes on from there would send these again.
func (o *Outbox) Moved() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.moved
}

// Stats are how the sinks stand, in their order.
func (o *Outbox) Stats() []SinkStats {
	o.mu.Lock()
	defer o.mu.Unlock()
	var list []SinkStats
	for _, s := range o.sinks {
		list = append(list, s.SinkStats)
	}
	return list
}

// Allow lets the alerts up to a number leave.
func (o *Outbox) Allow(number int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.allowed = max(o.allowed, number)
	o.wake()
}

func (o *Outbox) wake() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// Run sends what may leave, until the context ends. Sinks do not wait for each
// other.
func (o *Outbox) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, s := range o.sinks {
		wg.Go(func() { o.serve(ctx, s) })
	}
	wg.Wait()
}

func (o *Outbox) serve(ctx context.Context, s *sinkState) {
	var resend <-chan time.Time
	if _, ok := s.to.(Resender); ok {
		ticker := time.NewTicker(resendInterval)
		defer ticker.Stop()
		resend = ticker.C
	}
	wait := firstRetry
	for {
		e, changed := o.next(s)
		if e == nil {
			select {
			case <-changed:
			case <-resend:
				o.resend(ctx, s)
			case <-ctx.Done():
				return
			}
			continue
		}
		err := s.to.Send(ctx, e.alert)
		if ctx.Err() != nil && err != nil {
			return
		}
		if pause := o.outcome(e, s, err, wait); pause > 0 {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
			wait = min(2*wait, lastRetry)
			continue
		}
		wait = firstRetry
	}
}

// outcome takes down what became of an attempt, and says how long to wait
// before the next; 0 is that there is none.
func (o *Outbox) outcome(e *entry, s *sinkState, err error, wait time.Duration) time.Duration {
	if _, ok := errors.AsType[*Refused](err); ok || err == nil {
		if err != nil {
			o.log.Error("alert refused", "sink", s.Name, "id", e.alert.ID, "revision", e.alert.Revision, "error", err)
		}
		o.mended(s)
		o.done(e, s, err == nil)
		return 0
	}
	o.failed(s, err)
	pause := wait/2 + rand.N(wait)
	if later, ok := errors.AsType[*Later](err); ok {
		pause = max(pause, later.Pause())
	}
	return pause
}

// failed takes a failure down, and says it when it is the first of those that a person
// must mend, or of others, and each hour: an outage may last for days.
func (o *Outbox) failed(s *sinkState, err error) {
	o.mu.Lock()
	s.Failed++
	waiting := s.Waiting
	o.mu.Unlock()
	x, now := &s.trouble, time.Now()
	if x.since.IsZero() {
		x.since = now
	}
	_, denied := errors.AsType[*Denied](err)
	said := &x.down
	if denied {
		said = &x.denied
	}
	if now.Sub(*said) < sayAgain {
		return
	}
	*said = now
	about := []any{"sink", s.Name, "since", x.since, "waiting", waiting, "error", err}
	if denied {
		o.log.Error("the sink lets no alert in: look at its settings; they wait and are tried again", about...)
	} else {
		o.log.Warn("alerts are not taken, and are tried again", about...)
	}
}

// mended notes that a sink answers.
func (o *Outbox) mended(s *sinkState) {
	if !s.trouble.since.IsZero() {
		o.log.Info("alerts are taken again", "sink", s.Name, "since", s.trouble.since)
		s.trouble = trouble{}
	}
}

// resend says again what is open, to a Resender.
func (o *Outbox) resend(ctx context.Context, s *sinkState) {
	o.mu.Lock()
	open := o.open(s)
	o.mu.Unlock()
	switch err := s.to.(Resender).Resend(ctx, open); {
	case err == nil && len(open) > 0:
		o.mended(s)
	case err != nil && ctx.Err() == nil:
		o.failed(s, err)
	}
}

// open are the last alerts of what is open, by ID.
func (o *Outbox) open(s *sinkState) (list []*Alert) {
	for _, id := range slices.Sorted(maps.Keys(s.open)) {
		list = append(list, s.open[id])
	}
	return list
}

// next is the oldest alert that may leave and that the sink does not have; nil
// if there is none before something changes.
func (o *Outbox) next(s *sinkState) (*entry, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.entries {
		if e.number > o.allowed {
			break
		}
		if e.waitsFor(s.sink) {
			return e, nil
		}
	}
	return nil, o.changed
}

func (o *Outbox) done(e *entry, s *sinkState, sent bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if sent {
		s.Sent++
	} else {
		s.Refused++
	}
	if !e.waitsFor(s.sink) {
		return // it was dropped meanwhile, and maybe its end, too
	}
	if sent && s.open != nil {
		s.open[e.alert.ID] = e.alert
	}
	o.leave(e, s)
}

// Flush hands out all that waits, in its order, for who sends it himself.
func (o *Outbox) Flush(send func(a *Alert, to []string)) {
	o.mu.Lock()
	waiting := o.entries
	o.entries = nil
	for _, s := range o.sinks {
		s.Waiting = 0
	}
	o.mu.Unlock()
	for _, e := range waiting {
		send(e.alert, e.to)
	}
}

// Drain waits until everything that may leave has left, or the context ends.
func (o *Outbox) Drain(ctx context.Context) error {
	for {
		o.mu.Lock()
		left, changed := len(o.entries), o.changed
		if left > 0 && o.entries[0].number > o.allowed {
			left = 0
		}
		o.mu.Unlock()
		if left == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// savedOutbox is an outbox as a checkpoint holds it.
type savedOutbox struct {
	Waiting []savedEntry        `json:"waiting"`
	Open    map[string][]*Alert `json:"open,omitempty"` // by sink
}

type savedEntry struct {
	Alert *Alert   `json:"alert"`
	To    []string `json:"to"`
}

func (o *Outbox) save() savedOutbox {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.moved = false
	saved := savedOutbox{Waiting: make([]savedEntry, len(o.entries)), Open: map[string][]*Alert{}}
	for i, e := range o.entries {
		saved.Waiting[i] = savedEntry{e.alert, slices.Clone(e.to)}
	}
	for _, s := range o.sinks {
		if len(s.open) > 0 {
			saved.Open[s.sink] = o.open(s)
		}
	}
	return saved
}

// load puts back what save has saved, and lets it leave: a checkpoint holds
// it.
func (o *Outbox) load(saved savedOutbox) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range saved.Waiting {
		o.add(e.Alert, slices.DeleteFunc(e.To, func(name string) bool { return o.states[name] == nil }))
	}
	for name, open := range saved.Open {
		if s := o.states[name]; s != nil && s.open != nil {
			for _, a := range open {
				s.open[a.ID] = a
			}
		}
	}
	o.allowed = o.last
	o.wake()
}
