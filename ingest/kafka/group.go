package kafka

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

// group is our membership of the consumer group. One member owns the whole
// topic; reading does not wait for the group, but what is read may have effects
// only as long as commits succeed.
type group struct {
	c       *client
	members *members
	commits chan commit
	owned   chan struct{} // closed when we own the topic
	refused chan struct{} // closed when somebody else does, at the beginning
	failed  chan struct{} // closed when we will not own it any more
	err     error         // why; set before

	mutex sync.Mutex
	claim claim
}

type commit struct {
	offsets map[int]int64
	answer  chan error
}

// claim is what a member says of itself to the one that shares out.
type claim struct {
	State string `json:"state"`           // of the state directory, which one process at a time may use
	Start int64  `json:"start"`           // when the process began, in microseconds
	Since int64  `json:"since,omitempty"` // since when it owns the topic; 0 if it does not
	Where string `json:"where"`           // for people
}

func join(c *client) (*group, error) {
	host, _ := os.Hostname()
	g := &group{
		c: c, commits: make(chan commit), owned: make(chan struct{}), refused: make(chan struct{}),
		failed: make(chan struct{}),
		claim:  claim{State: c.config.State, Start: time.Now().UnixMicro(), Where: fmt.Sprintf("process %d on %s", os.Getpid(), host)},
	}
	var err error
	if g.members, err = c.members(kafka.ConsumerGroupConfig{GroupBalancers: []kafka.GroupBalancer{balancer{g}}}); err != nil {
		return nil, err
	}
	go g.run()
	return g, nil
}

// leaveTime is how long leaving may take. A member that waits for the group to
// be shared out cannot be called back; it is dead to the group when our process
// is.
const leaveTime = 2 * time.Second

// leave ends the membership.
func (g *group) leave() {
	left := make(chan struct{})
	go func() {
		g.members.Close()
		<-g.members.ended
		close(left)
	}()
	select {
	case <-left:
	case <-time.After(leaveTime):
	}
}

// fail is the end: we will not own the topic any more.
func (g *group) fail(err error) {
	if g.err == nil {
		g.err = err
		close(g.failed)
	}
}

func (g *group) run() {
	defer close(g.members.ended)
	defer g.members.Close() // it would come back as a new member
	var t trouble
	for {
		generation, err := g.members.Next(context.Background())
		switch {
		case errors.Is(err, kafka.ErrGroupClosed):
			return
		case errors.Is(err, kafka.UnknownMemberId) && isClosed(g.owned):
			g.fail(g.c.config.fail(errReplaced, ""))
			return
		case err != nil:
			if err := g.members.judge(err); err != nil {
				g.fail(err)
				return
			}
			t.joins(g.c.config, err)
			continue
		}
		t = trouble{}
		if len(generation.Assignments[g.c.config.Topic]) == 0 {
			if isClosed(g.owned) {
				g.fail(g.c.config.fail(errReplaced, ""))
				return
			}
			if !isClosed(g.refused) {
				close(g.refused)
			}
			generation.Start(func(ctx context.Context) { <-ctx.Done() })
			continue
		}
		if !isClosed(g.owned) {
			g.mutex.Lock()
			g.claim.Since = time.Now().UnixMicro()
			g.mutex.Unlock()
			close(g.owned)
		}
		generation.Start(func(ctx context.Context) { g.serve(ctx, generation) })
	}
}

// errReplaced is what a member finds that was silent for too long.
var errReplaced = errors.New("another instance reads in our place: this one was silent for longer than the session timeout")

// serve commits for the time of a generation. When it returns the generation
// ends, and we join the next one over a new connection.
func (g *group) serve(ctx context.Context, generation *kafka.Generation) {
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-g.commits:
			err := generation.CommitOffsets(map[string]map[int]int64{g.c.config.Topic: c.offsets})
			c.answer <- err
			if err != nil {
				return
			}
		}
	}
}

// commit commits in the generation that there is, or in the next.
func (g *group) commit(ctx context.Context, offsets map[int]int64) error {
	config := g.c.config
	final := func(err error) error {
		switch {
		case isClosed(g.failed):
			return g.err
		case errors.Is(err, kafka.UnknownMemberId):
			return config.fail(fmt.Errorf("%w: %w", errReplaced, err), "")
		}
		return config.final(err)
	}
	return config.again(ctx, cannotCommit, final, func() error {
		c := commit{offsets, make(chan error, 1)}
		select {
		case g.commits <- c:
			return <-c.answer
		case <-g.failed:
			return g.err
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// wait waits until we own the topic. If another member owns it and may be
// dead, it waits until that would have shown.
func (g *group) wait(ctx context.Context) error {
	var late <-chan time.Time
	refused := g.refused
	for {
		select {
		case <-g.owned:
			return nil
		case <-g.failed:
			return g.err
		case <-ctx.Done():
			return ctx.Err()
		case <-refused:
			refused = nil
			patience := 2 * g.c.config.session()
			if say := g.c.config.Say; say != nil {
				say(fmt.Sprintf("%s reads %s already; waiting up to %s, should it be dead", g.owner(ctx), g.c.config, patience))
			}
			late = time.After(patience)
		case <-late:
			return g.c.config.fail(fmt.Errorf("%s reads it already, in the consumer group %q", g.owner(ctx), g.c.config.Group),
				"one process reads all partitions of a topic, since a loop may be spread over them: stop the other, or give this one its own group: under kafka:. Past one process, loopgauge extract turns the log into a topic of events that several can share")
		}
	}
}

// owner is what is known of the member that owns the topic.
func (g *group) owner(ctx context.Context) string {
	for _, m := range g.c.listMembers(ctx) {
		if slices.ContainsFunc(m.MemberAssignments.Topics, func(t kafka.GroupMemberTopic) bool { return t.Topic == g.c.config.Topic }) {
			var other claim
			if json.Unmarshal(m.MemberMetadata.UserData, &other) == nil && other.Where != "" {
				return other.Where
			}
			return "a client on " + m.ClientHost
		}
	}
	return "another instance"
}

// balancer gives a whole topic to one member.
type balancer struct{ g *group }

// ProtocolName tells members that share out in this way from others.
func (balancer) ProtocolName() string { return "loopgauge-one" }

// UserData is our claim.
func (b balancer) UserData() ([]byte, error) {
	b.g.mutex.Lock()
	defer b.g.mutex.Unlock()
	return json.Marshal(b.g.claim)
}

// AssignGroups gives all partitions of a topic to one of the members that read it,
// the others none.
func (balancer) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	shares := kafka.GroupMemberAssignments{}
	readers := map[string][]string{} // of a topic
	claims := map[string][]claim{}
	for _, m := range members {
		var c claim
		_ = json.Unmarshal(m.UserData, &c) // one that cannot be read claims nothing
		shares[m.ID] = map[string][]int{}
		for _, topic := range m.Topics {
			readers[topic], claims[topic] = append(readers[topic], m.ID), append(claims[topic], c)
		}
	}
	for topic, ids := range readers {
		all := []int{}
		for _, p := range partitions {
			if p.Topic == topic {
				all = append(all, p.ID)
			}
		}
		if len(all) == 0 {
			all = []int{0} // the brokers do not know the topic for a moment; the owner is the owner
		}
		shares[ids[choose(claims[topic])]][topic] = all
	}
	return shares
}

// choose picks the member that owns the topic. Of those with the same state
// only the one that started last is alive. Of different states the one that
// took the topic last keeps it, so that one that was silent for too long does
// not take it back; if none has it, the one that has waited longest gets it.
func choose(claims []claim) int {
	best := 0
	states := map[string]claim{}
	for _, c := range claims {
		s, known := states[c.State]
		if !known {
			s = c
		}
		s.Since, s.Start = max(s.Since, c.Since), min(s.Start, c.Start)
		states[c.State] = s
	}
	for i := range claims {
		a, b := claims[i], claims[best]
		if c := cmp.Or(
			-cmp.Compare(states[a.State].Since, states[b.State].Since),
			cmp.Compare(states[a.State].Start, states[b.State].Start),
			cmp.Compare(a.State, b.State),
			-cmp.Compare(a.Start, b.Start),
		); c < 0 {
			best = i
		}
	}
	return best
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// final are errors that no waiting cures.
var final = []error{
	errDamaged,
	kafka.TopicAuthorizationFailed, kafka.GroupAuthorizationFailed, kafka.ClusterAuthorizationFailed,
	kafka.SASLAuthenticationFailed, kafka.UnsupportedSASLMechanism, kafka.IllegalSASLState,
	kafka.UnsupportedVersion, kafka.InvalidTopic, kafka.InvalidGroupId,
}

// passes tells an error that may pass from one that will not.
func passes(err error) bool {
	return !slices.ContainsFunc(final, func(f error) bool { return errors.Is(err, f) }) && !isTLS(err)
}

// final is an error that will not pass, as refuse has it; nil for one that may.
func (c *Config) final(err error) error {
	if passes(err) {
		return nil
	}
	return c.refuse(err)
}
