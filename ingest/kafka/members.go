package kafka

import (
	"context"
	"errors"
	"fmt"
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
	c      *client
	config kafka.ConsumerGroupConfig
	name   string        // ours in the last generation
	ended  chan struct{} // closed when we are none any more

	mutex  sync.Mutex
	group  *kafka.ConsumerGroup
	closed bool
}

// members joins the group. More is what is asked of it beyond what all have.
func (c *client) members(more kafka.ConsumerGroupConfig) (*members, error) {
	m := &members{c: c, config: more, ended: make(chan struct{})}
	m.config.ID, m.config.Brokers, m.config.Dialer, m.config.Topics = c.config.Group, slices.Clone(c.config.Brokers), c.dialer, []string{c.config.Topic}
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
	if err == nil {
		m.name = generation.MemberID
		return generation, nil
	}
	if ctx.Err() != nil || answered(err) || errors.Is(err, kafka.ErrGroupClosed) {
		return nil, err
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

// judge tells errors of Next that pass from those that do not, which it returns.
func (m *members) judge(err error) error {
	c := m.c.config
	switch {
	case errors.Is(err, kafka.InconsistentGroupProtocol):
		return c.fail(fmt.Errorf("the consumer group %q is in use by another program", c.Group), "choose a group that only loopgauge uses")
	case errors.Is(err, kafka.InvalidSessionTimeout):
		return c.fail(fmt.Errorf("the brokers do not allow a session timeout of %s", c.session()), "")
	case !passes(err):
		return c.refuse(err)
	}
	if m.name != "" && !errors.Is(err, kafka.RebalanceInProgress) {
		// kafka-go comes back as a new member; the group would wait for the old
		// one until its session has timed out.
		go m.forget(m.name)
		m.name = ""
	}
	return nil
}

// forget removes a member that we were, as soon as the brokers are there.
func (m *members) forget(name string) {
	for n := 0; !isClosed(m.ended); n++ {
		if err := m.c.remove(name); err == nil || !passes(err) {
			return
		}
		_ = pause(context.Background(), n)
	}
}

// Close ends the membership.
func (m *members) Close() {
	m.mutex.Lock()
	m.closed = true
	g := m.group
	m.mutex.Unlock()
	_ = g.Close() // its only error is nil
}

// listMembers are those of the group, as far as the brokers say.
func (c *client) listMembers(ctx context.Context) []kafka.DescribeGroupsResponseMember {
	res, err := c.kafka.DescribeGroups(ctx, &kafka.DescribeGroupsRequest{GroupIDs: []string{c.config.Group}})
	if err != nil || len(res.Groups) == 0 {
		return nil
	}
	return res.Groups[0].Members
}

// bury removes members of our state: their process is dead, since we hold the
// state, and the group need not wait until their sessions time out. They are
// told by their names, which the brokers know of members that died while the
// group was being shared out, too.
func (c *client) bury(ctx context.Context) {
	if c.config.State == "" {
		return
	}
	for _, m := range c.listMembers(ctx) {
		if m.ClientID == c.config.memberName() {
			_ = c.remove(m.MemberID) // then it times out
		}
	}
}

// remove takes a member out of the group, if it is there.
func (c *client) remove(member string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	res, err := c.kafka.LeaveGroup(ctx, &kafka.LeaveGroupRequest{GroupID: c.config.Group, Members: []kafka.LeaveGroupRequestMember{{ID: member}}})
	if err != nil {
		return err
	}
	// kafka-go reads the time that the answer begins with behind the code, and so
	// has the code in its lower half.
	switch code := kafka.Error(int16(res.Throttle / time.Millisecond)); code {
	case kafka.GroupLoadInProgress, kafka.GroupCoordinatorNotAvailable, kafka.NotCoordinatorForGroup:
		return code
	}
	return nil // it is none any more
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
