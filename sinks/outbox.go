package sinks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Outbox holds alerts until every sink has them. An alert leaves only after it
// was allowed to: once a checkpoint holds it. So none is lost, and a crash
// between sending and the next checkpoint repeats it under the same id.
type Outbox struct {
	log   *slog.Logger
	sinks []Sink

	mu      sync.Mutex
	changed chan struct{} // closed when there is something to look at
	entries []*entry      // oldest first
	last    int64         // number of the newest entry
	allowed int64         // up to this number
	refused int64
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

// longestLater is how long a receiver may ask to be left alone.
const longestLater = time.Hour

// NewOutbox makes an empty outbox for sinks whose names differ.
func NewOutbox(log *slog.Logger, list ...Sink) *Outbox {
	return &Outbox{log: log, sinks: list, changed: make(chan struct{})}
}

// Add puts an alert in, for every sink.
func (o *Outbox) Add(a *Alert) {
	if len(o.sinks) == 0 {
		return
	}
	e := &entry{alert: a}
	for _, s := range o.sinks {
		e.to = append(e.to, s.Name())
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last++
	e.number = o.last
	o.entries = append(o.entries, e)
}

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

// Refused is how many alerts a sink did not want.
func (o *Outbox) Refused() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.refused
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

func (o *Outbox) serve(ctx context.Context, s Sink) {
	wait := firstRetry
	for {
		e, changed := o.next(s.Name())
		if e == nil {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		err := s.Send(ctx, e.alert)
		if _, ok := errors.AsType[*Refused](err); ok {
			o.log.Error("alert refused", "sink", s.Name(), "id", e.alert.ID, "revision", e.alert.Revision, "error", err)
		} else if err != nil {
			if ctx.Err() != nil {
				return
			}
			o.log.Warn("alert not sent, will be tried again", "sink", s.Name(), "id", e.alert.ID, "revision", e.alert.Revision, "error", err)
			pause := wait/2 + rand.N(wait)
			if later, ok := errors.AsType[*Later](err); ok {
				pause = max(pause, min(later.After, longestLater))
			}
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
			wait = min(2*wait, lastRetry)
			continue
		}
		wait = firstRetry
		o.done(e, s.Name(), err != nil)
	}
}

// next is the oldest alert that may leave and that the sink does not have; nil
// if there is none before something changes.
func (o *Outbox) next(sink string) (*entry, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.entries {
		if e.number > o.allowed {
			break
		}
		if slices.Contains(e.to, sink) {
			return e, nil
		}
	}
	return nil, o.changed
}

func (o *Outbox) done(e *entry, sink string, refused bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if refused {
		o.refused++
	}
	e.to = slices.DeleteFunc(e.to, func(name string) bool { return name == sink })
	if len(e.to) == 0 {
		o.entries = slices.DeleteFunc(o.entries, func(x *entry) bool { return x == e })
		o.wake()
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

// savedEntry is an entry as a checkpoint holds it.
type savedEntry struct {
	Alert *Alert   `json:"alert"`
	To    []string `json:"to"`
}

// Save is all that waits, for a checkpoint.
func (o *Outbox) Save() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	saved := make([]savedEntry, len(o.entries))
	for i, e := range o.entries {
		saved[i] = savedEntry{e.alert, e.to}
	}
	b, err := json.Marshal(saved)
	if err != nil {
		panic(err) // see Marshal
	}
	return b
}

// Load puts back what Save has saved, and lets it leave: a checkpoint holds
// it. What was for a sink that is no more is given to all that there are.
func (o *Outbox) Load(b []byte) error {
	var saved []savedEntry
	if err := json.Unmarshal(b, &saved); err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	for _, s := range saved {
		to := slices.DeleteFunc(s.To, func(name string) bool {
			return !slices.ContainsFunc(o.sinks, func(s Sink) bool { return s.Name() == name })
		})
		o.Add(s.Alert)
		if n := len(o.entries); n > 0 && len(to) > 0 {
			o.entries[n-1].to = to
		}
	}
	o.Allow(o.last)
	return nil
}
