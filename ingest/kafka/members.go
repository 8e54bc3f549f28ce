package kafka

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

// members is our place in a consumer group. kafka-go always asks the first broker
// that takes its connection who coordinates the group, though it may never answer: so
// after a failure the list begins with the next one.
type members struct {
	config kafka.ConsumerGroupConfig

	mutex  sync.Mutex
	group  *kafka.ConsumerGroup
	closed bool
}

// members joins a group. More is what is asked of it beyond what all have.
func (c *client) members(group string, more kafka.ConsumerGroupConfig) (*members, error) {
	m := &members{config: more}
	m.config.ID, m.config.Brokers, m.config.Dialer, m.config.Topics = group, slices.Clone(c.config.Brokers), c.dialer, []string{c.config.Topic}
	m.config.HeartbeatInterval, m.config.SessionTimeout, m.config.RebalanceTimeout = c.config.heartbeat(), c.config.session(), c.config.session()
	m.config.JoinGroupBackoff = time.Second
	if err := m.join(); err != nil {
		return nil, err
	}
	return m, nil
}

// join becomes a new member, unless the membership has ended.
func (m *members) join() (err error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.closed {
		return kafka.ErrGroupClosed
	}
	m.group, err = kafka.NewConsumerGroup(m.config)
	return err
}

func (m *members) current() *kafka.ConsumerGroup {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.group
}

// Next is the next generation of the group. One goroutine calls it.
func (m *members) Next(ctx context.Context) (*kafka.Generation, error) {
	g := m.current()
	generation, err := g.Next(ctx)
	if err == nil || ctx.Err() != nil || answered(err) || errors.Is(err, kafka.ErrGroupClosed) {
		return generation, err
	}
	// kafka-go is no member any more.
	_ = g.Close() // its only error is nil
	if pause(ctx, len(m.config.Brokers)) != nil {
		return nil, err
	}
	brokers := m.config.Brokers
	m.config.Brokers = append(slices.Clone(brokers[1:]), brokers[0])
	if again := m.join(); again != nil {
		return nil, again
	}
	return nil, err
}

// Close ends the membership.
func (m *members) Close() {
	m.mutex.Lock()
	m.closed = true
	g := m.group
	m.mutex.Unlock()
	_ = g.Close() // its only error is nil
}

// bounded is a connection on which nobody waits for ever: kafka-go sets no deadline
// while it says who we are.
type bounded struct{ net.Conn }

// SetReadDeadline sets one also where there is to be none.
func (b bounded) SetReadDeadline(t time.Time) error {
	if t.IsZero() {
		t = time.Now().Add(dialTime)
	}
	return b.Conn.SetReadDeadline(t)
}
