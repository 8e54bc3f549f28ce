package kafka

import (
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

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
