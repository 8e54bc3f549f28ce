package kafka

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// Verdicts writes verdicts into a topic, beside the run that judges, which
// waits for no broker: what a broker does not take for long is dropped, the
// oldest first, and counted.
type Verdicts struct {
	topic topic
	log   *slog.Logger

	mu      sync.Mutex
	changed chan struct{}   // closed when there is something to look at
	writing []kafka.Message // before all that waits
	waiting []kafka.Message
	bytes   int   // of what waits
	failing bool  // the last attempt failed
	dropped int64 // since the process began
}

const (
	// maxBytes is how much waits: some 200,000 verdicts.
	maxBytes = 64 << 20
	// atOnce is how many are written at once.
	atOnce = 5000
	// retry is how long a broker that takes nothing is left alone.
	retry = time.Second
)

// NewVerdicts makes a writer to a topic, which is opened when there is
// something to write.
func NewVerdicts(config kafka.Config, log *slog.Logger) *Verdicts {
	return &Verdicts{topic: topic{config: config}, log: log, changed: make(chan struct{})}
}

// Add takes a verdict in, and never waits.
func (v *Verdicts) Add(d *window.Verdict) {
	key, err := json.Marshal(d.Rule.Scope.Named(d.Scope.Values))
	if err != nil {
		panic(err) // it is texts
	}
	line := sinks.AppendVerdict(nil, d)
	v.add(kafka.Message{Key: key, Value: line[:len(line)-1]})
}

func (v *Verdicts) add(m kafka.Message) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.waiting = append(v.waiting, m)
	v.bytes += len(m.Key) + len(m.Value)
	for v.bytes > maxBytes {
		v.next()
		if v.dropped++; v.dropped == 1 {
			v.log.Error("verdicts are dropped: the topic takes none, and no more can wait", "topic", v.topic.config.String())
		}
	}
	v.wake()
}

// next takes out the first that waits.
func (v *Verdicts) next() kafka.Message {
	first := v.waiting[0]
	v.bytes -= len(first.Key) + len(first.Value)
	v.waiting = v.waiting[1:]
	return first
}

func (v *Verdicts) wake() {
	close(v.changed)
	v.changed = make(chan struct{})
}

// Dropped is how many verdicts were dropped.
func (v *Verdicts) Dropped() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.dropped
}

// Run writes what comes until the context ends. What waits then is dropped.
func (v *Verdicts) Run(ctx context.Context) {
	defer v.end()
	for {
		v.mu.Lock()
		for len(v.writing) < atOnce && len(v.waiting) > 0 {
			v.writing = append(v.writing, v.next())
		}
		list, changed := v.writing, v.changed
		v.mu.Unlock()
		if len(list) == 0 {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		attempt, cancel := context.WithTimeout(ctx, sinks.AttemptTime)
		err := v.topic.write(attempt, list)
		cancel()
		if ctx.Err() != nil && err != nil {
			return
		}
		v.wrote(err)
		if err != nil {
			select {
			case <-time.After(retry):
			case <-ctx.Done():
				return
			}
		}
	}
}

// end says how many verdicts no broker took.
func (v *Verdicts) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if left := len(v.writing) + len(v.waiting); left > 0 {
		v.dropped += int64(left)
		v.log.Error("verdicts are dropped: the topic did not take them before the end", "topic", v.topic.config.String(), "verdicts", left)
	}
}

// wrote takes down what became of an attempt.
func (v *Verdicts) wrote(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil && !v.failing {
		v.log.Warn("verdicts not written, will be tried again", "topic", v.topic.config.String(), "error", err)
	}
	if v.failing = err != nil; !v.failing {
		v.writing = nil
	}
	v.wake()
}

// Settle waits until all that was added is written, or the context ends. It
// does not wait for a broker that takes nothing.
func (v *Verdicts) Settle(ctx context.Context) {
	for {
		v.mu.Lock()
		left, failing, changed := len(v.writing)+len(v.waiting), v.failing, v.changed
		v.mu.Unlock()
		if left == 0 || failing {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
