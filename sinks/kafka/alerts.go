package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/sinks"
)

// Alerts is a sink that writes alerts into a topic.
type Alerts struct{ topic topic }

// NewAlerts makes a sink for a topic, which is opened when there is something
// to write: a broker that is down holds up no start.
func NewAlerts(config kafka.Config) *Alerts { return &Alerts{topic{config: config}} }

// Name implements sinks.Sink.
func (s *Alerts) Name() string { return s.topic.config.String() }

// Send implements sinks.Sink. The record's value is the alert, as webhooks get
// it.
func (s *Alerts) Send(ctx context.Context, a *sinks.Alert) error {
	key, err := json.Marshal(a.Scope) // its fields are sorted
	if err != nil {
		return &sinks.Refused{Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, sinks.AttemptTime)
	defer cancel()
	err = s.topic.write(ctx, []kafka.Message{{Key: key, Value: a.Marshal()}})
	switch {
	case errors.Is(err, kafka.ErrRecord):
		return &sinks.Refused{Err: err}
	case err != nil && ctx.Err() == nil:
		return &sinks.Denied{Err: err} // what passes is tried until the time is over
	}
	return err
}

// topic is a topic that is opened, and made if there is none, when it is
// needed.
type topic struct {
	config kafka.Config

	mu  sync.Mutex
	out *kafka.Out
}

// brokersChoice is as many partitions as the brokers give a new topic.
const brokersChoice = -1

// write writes records, each to the partition of its key.
func (t *topic) write(ctx context.Context, list []kafka.Message) (err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out == nil {
		out, err := kafka.OpenOut(ctx, t.config, &kafka.Create{Partitions: brokersChoice})
		if err != nil {
			return err
		}
		t.out = out
	}
	records := make([][]kafka.Message, t.out.Partitions())
	for _, m := range list {
		p := t.out.Partition(m.Key)
		records[p] = append(records[p], m)
	}
	if _, err := t.out.Write(ctx, records); err != nil {
		t.out.Close()
		t.out = nil // it may have been created again, with fewer partitions
		return fmt.Errorf("%s: %w", &t.config, err)
	}
	return nil
}
