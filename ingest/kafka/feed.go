package kafka

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/loopgauge/loopgauge/ingest"
)

// Feed is a topic that is read on and on.
type Feed struct {
	config Config
	c      *client
	group  *group // nil if it joined none
	ctx    context.Context
	cancel context.CancelFunc

	marks   map[int32]ingest.Mark
	over    []ingest.Mark // of partitions that there are no more
	starts  map[int]int64 // of partitions that go on from nothing
	begun   topicID       // of the topic that they are of
	given   int           // partitions that were accepted
	current atomic.Pointer[topic]
	heard   atomic.Int64 // when a partition was read last, in nanoseconds; 0 if none was
}

var _ ingest.Feed = (*Feed)(nil)

// watchEvery is how often the topic is asked for new partitions.
const watchEvery = 3 * time.Second

// Open opens a topic as a feed that goes on from the marks, of any order. It
// joins the consumer group and waits until it owns the topic there; with an
// empty group it joins none, and nobody hinders another to read the same.
func Open(ctx context.Context, config Config, marks []ingest.Mark) (*Feed, error) {
	return openFeed(ctx, config, marks, config.Group != "")
}

func openFeed(ctx context.Context, config Config, marks []ingest.Mark, enter bool) (_ *Feed, err error) {
	f := &Feed{config: config, marks: map[int32]ingest.Mark{}}
	if len(config.Offsets) > 0 {
		return nil, config.fail(errors.New("offsets bound what is read"), "replay and tune read between offsets; watch goes on from its state")
	}
	if f.c, err = newClient(&f.config); err != nil {
		return nil, err
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	t, err := f.c.find(ctx)
	if err != nil {
		return nil, err
	}
	f.current.Store(&t)
	for _, m := range marks {
		if f.marks[m.Stream] = m; int(m.Stream) >= t.partitions {
			f.over = append(f.over, m)
		}
	}
	slices.SortFunc(f.over, func(a, b ingest.Mark) int { return int(a.Stream) - int(b.Stream) })
	if enter {
		if err := f.enter(ctx); err != nil {
			return nil, err
		}
	}
	if len(marks) == 0 {
		f.begun = t.id
		err = f.begin(ctx, t.all())
	}
	return f, err
}

// enter joins the group and waits until we own the topic.
func (f *Feed) enter(ctx context.Context) (err error) {
	f.c.bury(ctx)
	if f.group, err = join(f.c); err != nil {
		return f.config.fail(err, "")
	}
	return f.group.wait(ctx)
}

// begin finds where to begin without any mark.
func (f *Feed) begin(ctx context.Context, all []int) error {
	at := kafka.LastOffset
	switch {
	case f.config.Start.Earliest:
		at = kafka.FirstOffset
	case !f.config.Start.Time.IsZero():
		at = millis(f.config.Start.Time)
	}
	return f.c.insist(ctx, func() (err error) {
		f.starts, err = f.c.offsets(ctx, at, all...)
		return err
	})
}

// Accept returns all partitions at once, then those that are added.
func (f *Feed) Accept(ctx context.Context) ([]ingest.Live, error) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var failed chan struct{} // of a group, if there is one
	if f.group != nil {
		failed = f.group.failed
	}
	for {
		var list []ingest.Live
		for ; f.given < f.current.Load().partitions; f.given++ {
			list = append(list, f.live(f.given))
		}
		for _, m := range f.over {
			list = append(list, &gone{m})
		}
		if f.over = nil; len(list) > 0 {
			return list, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-failed:
			return nil, f.group.err
		case <-tick.C:
		}
		if err := f.look(ctx); err != nil && !f.passes(err) {
			return nil, f.config.refuse(err)
		}
	}
}

// passes tells an error that may pass. That a broker cannot be trusted may, as long
// as partitions of others are read; if none is, our own certificates may be old, which
// are read when a process begins.
func (f *Feed) passes(err error) bool {
	return passes(err) || isTLS(err) && time.Since(time.Unix(0, f.heard.Load())) < goneTime
}

// look asks what has become of the topic.
func (f *Feed) look(ctx context.Context) error {
	t, err := f.c.describe(ctx)
	if err == nil {
		f.current.Store(&t)
	}
	return err
}

func (f *Feed) live(index int) *live {
	mark, known := f.marks[int32(index)]
	if !known {
		// A partition that came later is read from its first record.
		mark = ingest.Mark{Stream: int32(index), Name: f.config.partition(index), Offset: f.starts[index], Topic: f.current.Load().id.String()}
	}
	return f.open(mark)
}

func (f *Feed) open(mark ingest.Mark) *live {
	p := newPartition(f.ctx, f.c, parseID(mark.Topic), int(mark.Stream), mark.Offset, forever)
	p.epoch, p.began = int32(mark.Leader)-1, mark.Offset
	return &live{f: f, p: p, mark: mark, format: ingest.Known(f.config.Format, mark.Format)}
}

// Commit tells the group how far we are, for the eyes of other tools, and finds
// out whether we are still the one that reads.
func (f *Feed) Commit(ctx context.Context, marks []ingest.Mark) error {
	if f.group == nil {
		return nil
	}
	offsets := make(map[int]int64, len(marks))
	for _, m := range marks {
		if int(m.Stream) < f.current.Load().partitions { // what is there no more is refused, and all with it
			offsets[int(m.Stream)] = m.Offset
		}
	}
	return f.group.commit(ctx, offsets)
}

// Close leaves the group and ends all connections.
func (f *Feed) Close() error {
	f.cancel()
	if f.group != nil {
		f.group.leave()
	}
	f.c.close()
	return nil
}

// gone is a partition of the state that the topic does not have any more.
type gone struct{ mark ingest.Mark }

// Name is topic/partition.
func (g *gone) Name() string { return g.mark.Name }

// Mark is the state's.
func (g *gone) Mark() ingest.Mark { return g.mark }

// Next says it once.
func (g *gone) Next(context.Context) (ingest.Chunk, error) {
	if g.mark.Stream < 0 {
		return ingest.Chunk{}, io.EOF
	}
	chunk := ingest.Chunk{Mark: g.mark, AtEnd: true, Why: fewerPartitions(g.mark.Name)}
	g.mark.Stream = -1
	return chunk, nil
}

func fewerPartitions(name string) string {
	return name + " is there no more: the topic was created again with fewer partitions"
}
