package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/loopgauge/loopgauge/ingest"
)

// Share is a topic whose partitions are shared out among the members of a
// consumer group, for readers that need one partition at a time only.
type Share struct{ f *Feed }

// OpenShare opens a topic to be shared in the consumer group of the config.
func OpenShare(ctx context.Context, config Config) (*Share, error) {
	f, err := openFeed(ctx, config, nil, false)
	if err != nil {
		return nil, err
	}
	return &Share{f}, nil
}

// Partitions is how many the topic has, when it was last asked.
func (s *Share) Partitions() int { return s.f.current.Load().partitions }

// Close ends all connections.
func (s *Share) Close() error { return s.f.Close() }

// Run is a member of the group until the context ends, which is no error, or
// serve fails. serve is called for each partition that becomes ours, beside
// those for the others. It returns nil soon after its context has ended, when
// the partition is to be given up: nobody reads it before it has. joined, if
// not nil, is told how many partitions are ours before they are served, each
// time that the group shares them out anew.
func (s *Share) Run(ctx context.Context, joined func(partitions int), serve func(context.Context, *Part) error) error {
	c := &s.f.config
	m, err := s.join()
	if err != nil {
		return c.fail(err, "")
	}
	defer m.leave()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var t trouble
	var gone absence // of the topic
	for {
		g, err := m.Next(ctx)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			if err := m.judge(err); err != nil {
				return err
			}
			t.joins(c, err)
			continue
		}
		parts, err := s.parts(ctx, g, m.ranges.of.Swap(notOurs))
		if err != nil && ctx.Err() == nil {
			if !passes(err) {
				return c.refuse(err)
			}
			if gone.note(missing(err)); gone.lasts() {
				return c.fail(errGone, goneHint)
			}
			t.lasts(c, "", err)
			g.Start(func(context.Context) { _ = pause(ctx, 3) }) // which ends the generation
			continue
		}
		t, gone = trouble{}, absence{}
		if joined != nil && ctx.Err() == nil {
			joined(len(parts))
		}
		m.serve(ctx, g, parts, func(ours context.Context, p *Part) {
			if err := serve(ours, p); err != nil {
				stop(err)
			}
		})
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// membership is that of one Run.
type membership struct {
	*members
	ranges  *ranges
	serving sync.WaitGroup
}

func (s *Share) join() (*membership, error) {
	shared := &ranges{topic: s.f.config.Topic}
	shared.of.Store(notOurs)
	all, err := s.f.c.members(kafka.ConsumerGroupConfig{
		GroupBalancers:        []kafka.GroupBalancer{shared},
		WatchPartitionChanges: true, PartitionWatchInterval: watchEvery,
	})
	if err != nil {
		return nil, err
	}
	return &membership{members: all, ranges: shared}, nil
}

// ranges shares the partitions out, of all topics that members of the group read, and
// keeps of how many of ours. kafka-go looks whether they change only from a little later
// on: of a topic that was created in between, and had none before, nobody would ever get
// any.
type ranges struct {
	kafka.RangeGroupBalancer
	topic string
	of    atomic.Int64 // notOurs if another member did
}

const notOurs = -1

// AssignGroups is asked of the member that shares out.
func (r *ranges) AssignGroups(members []kafka.GroupMember, partitions []kafka.Partition) kafka.GroupMemberAssignments {
	ours := int64(0)
	for _, p := range partitions {
		if p.Topic == r.topic {
			ours++
		}
	}
	r.of.Store(ours)
	return r.RangeGroupBalancer.AssignGroups(members, partitions)
}

// serve begins to serve the partitions of a generation, each until the generation
// or the context ends.
func (m *membership) serve(ctx context.Context, g *kafka.Generation, parts []*Part, serve func(context.Context, *Part)) {
	var others sync.WaitGroup
	others.Add(len(parts))
	for _, p := range parts {
		p.others, p.ready = &others, sync.OnceFunc(others.Done)
		m.serving.Add(1)
		g.Start(func(ended context.Context) {
			defer m.serving.Done()
			defer p.ready()
			ours, done := context.WithCancel(ended)
			defer done()
			defer context.AfterFunc(ctx, done)()
			serve(ours, p)
		})
	}
}

// leave returns when all partitions are given up and the group knows it, or does
// not answer.
func (m *membership) leave() {
	defer close(m.ended)
	closed := make(chan struct{})
	go func() {
		m.Close()
		close(closed)
	}()
	m.serving.Wait()
	if m.name != "" {
		// While it waits for the group to be shared out it cannot leave over its
		// own connection.
		defer time.AfterFunc(leaveTime/2, func() { _ = m.c.remove(m.name) }).Stop()
	}
	select {
	case <-closed:
	case <-time.After(leaveTime):
	}
}

// parts are our partitions of a generation in which so many were shared out, with what
// was committed for them.
func (s *Share) parts(ctx context.Context, g *kafka.Generation, shared int64) ([]*Part, error) {
	topic := s.f.config.Topic
	if err := s.f.look(ctx); err != nil {
		return nil, err
	}
	if n := s.Partitions(); shared != notOurs && shared != int64(n) {
		return nil, fmt.Errorf("%d partitions were shared out, and there are %d", shared, n)
	}
	var ours []int
	for _, a := range g.Assignments[topic] {
		ours = append(ours, a.ID)
	}
	if len(ours) == 0 {
		return nil, nil
	}
	slices.Sort(ours)
	if last := ours[len(ours)-1]; last >= s.Partitions() {
		return nil, fmt.Errorf("the broker that was asked knows no partition %d yet", last)
	}
	res, err := s.f.c.kafka.OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: s.f.config.Group, Topics: map[string][]int{topic: ours}})
	if err == nil {
		err = res.Error
	}
	if err != nil {
		return nil, err
	}
	var parts []*Part
	for _, o := range res.Topics[topic] {
		if o.Error != nil {
			return nil, o.Error
		}
		parts = append(parts, &Part{Index: o.Partition, Offset: o.CommittedOffset, Meta: o.Metadata, s: s, generation: int(g.ID), member: g.MemberID})
	}
	if len(parts) != len(ours) {
		return nil, errors.New("the brokers do not say what was committed for all partitions")
	}
	return parts, nil
}

// Part is a partition that is ours for a while.
type Part struct {
	Index  int
	Offset int64  // that was committed last; -1 if none was
	Meta   string // that was committed with it

	s          *Share
	generation int
	member     string
	others     *sync.WaitGroup // the partitions that became ours with it, and it
	ready      func()          // it need not be waited for
}

// Together returns when all partitions that became ours with this one have
// called it, or are served no more.
func (p *Part) Together() {
	p.ready()
	p.others.Wait()
}

// Name is topic/partition.
func (p *Part) Name() string { return p.s.f.config.partition(p.Index) }

// Turn is the generation of the group in which the partition is ours: each
// that has it later has a higher one, for as long as the group is remembered.
func (p *Part) Turn() int { return p.generation }

// Open reads the partition from a mark on, or from where the config says if
// nothing was committed: from its first record where the topic was created again
// since.
func (p *Part) Open(mark *ingest.Mark) ingest.Live {
	f := p.s.f
	m := ingest.Mark{Stream: int32(p.Index), Name: p.Name(), Topic: f.current.Load().id.String()}
	if m.Topic == f.begun.String() {
		m.Offset = f.starts[p.Index]
	}
	if mark != nil {
		m = *mark
	}
	return f.open(m)
}

// ErrLost is that a partition is no longer ours: nothing more may come of it.
var ErrLost = errors.New("the partition is no longer ours")

// Commit commits an offset with a text, unless the partition has gone to
// somebody else: then the error is ErrLost. It tries until the context ends.
func (p *Part) Commit(ctx context.Context, offset int64, meta string) error {
	c := &p.s.f.config
	final := func(err error) error {
		switch {
		case slices.ContainsFunc(taken, func(t kafka.Error) bool { return errors.Is(err, t) }):
			return fmt.Errorf("%w: %w", ErrLost, err)
		case errors.Is(err, kafka.OffsetMetadataTooLarge):
			return c.refuse(err)
		}
		return c.final(err)
	}
	return c.again(ctx, cannotCommit, final, func() error {
		res, err := p.s.f.c.kafka.OffsetCommit(ctx, &kafka.OffsetCommitRequest{
			GroupID: c.Group, GenerationID: p.generation, MemberID: p.member,
			Topics: map[string][]kafka.OffsetCommit{c.Topic: {{Partition: p.Index, Offset: offset, Metadata: meta}}},
		})
		switch {
		case err != nil:
			return err
		case len(res.Topics[c.Topic]) != 1:
			return errors.New("the broker does not answer for the partition")
		}
		return res.Topics[c.Topic][0].Error
	})
}

// taken are the answers to who commits for a partition that is not his.
var taken = []kafka.Error{kafka.IllegalGeneration, kafka.UnknownMemberId, kafka.RebalanceInProgress, kafka.FencedInstanceID}
