package shared

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// ExtractOptions say what is turned into events, and for which rules.
type ExtractOptions struct {
	From       kafka.Config // the raw topic, with the group that shares it
	To         kafka.Config // the events topic
	Partitions int          // of the events topic if it is not there yet

	Plan     *window.Plan
	Extract  window.ExtractOptions
	Lateness time.Duration // how far a stream may be out of order
	Idle     time.Duration // silence after which a stream holds the others back no longer

	Log *slog.Logger
}

// Extracted says what became of the lines that this process has read. A line
// that is read again after a crash counts again.
type Extracted struct {
	replay.Account       // judged are those that were handed on
	Records        int64 // that were written of them: a request may go to several partitions
}

const (
	// DefaultPartitions is more than most will run processes.
	DefaultPartitions = 12
	// markEvery is between marks while a stream comes on, and markAgain while
	// it does not.
	markEvery = 500 * time.Millisecond
	markAgain = 10 * time.Second
	// commitEvery is between commits: what is done again after a crash.
	commitEvery = time.Second
	// lastTime is for what is left to do when a partition is given up.
	lastTime = 5 * time.Second
	// sayEvery is between lines about what was done.
	sayEvery = time.Minute
)

// Extract turns the raw topic into events until the context ends, which is no
// error.
func Extract(ctx context.Context, o ExtractOptions) (Extracted, error) {
	x := &extract{o: o}
	x.unjudged.Begin(x.sum.Account)
	var err error
	if x.out, err = kafka.OpenOut(ctx, o.To, &kafka.Create{Partitions: o.Partitions}); err != nil {
		return x.sum, err
	}
	defer x.out.Close()
	if err := createCheckpoints(ctx, o.To, x.out.Partitions()); err != nil {
		return x.sum, err
	}
	if x.in, err = kafka.OpenShare(ctx, o.From); err != nil {
		return x.sum, err
	}
	defer x.in.Close() //nolint:errcheck // it has nothing to write
	var beside sync.WaitGroup
	saying, stop := context.WithCancel(ctx)
	beside.Go(func() { x.say(saying) })
	err = x.in.Run(ctx, nil, x.serve)
	stop()
	beside.Wait()
	x.unjudged.Say(o.Log, x.sum.Account)
	return x.sum, err
}

type extract struct {
	o   ExtractOptions
	in  *kafka.Share
	out *kafka.Out

	mu       sync.Mutex
	sum      Extracted
	unjudged live.Unjudged
}

// say tells now and then what was done.
func (x *extract) say(ctx context.Context) {
	tick := time.NewTicker(sayEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			x.mu.Lock()
			s := x.sum
			x.mu.Unlock()
			x.o.Log.Info("extracted", s.Attrs()...)
		}
	}
}

// Attrs are the counts for a log.
func (s *Extracted) Attrs() []any {
	return []any{"lines", s.Lines, "requests", s.Judged, "blank", s.Blank, "malformed", s.Malformed, "late", s.Late, "records", s.Records}
}

// origin is one raw partition that is being extracted.
type origin struct {
	x     *extract
	p     *kafka.Part
	codec *codec
	parse func(*ingest.Block) *replay.Batch

	mark  ingest.Mark   // behind all that was written
	state string        // as it was there, to be committed
	front *window.Front // how far the stream has come, with what is being written
	epoch int64
	count int64       // of its requests that were written: numbers them
	skip  ingest.Skip // the last line that is not judged

	silence   ingest.Silence
	marked    time.Time // when the last marks were written
	last      record    // what they said
	written   [][]kafka.Message
	committed time.Time
	dirty     bool // something came since
}

// serve extracts a partition for as long as it is ours.
func (x *extract) serve(ctx context.Context, p *kafka.Part) error {
	s := &origin{
		x: x, p: p, codec: newCodec(x.o.Plan, x.o.Extract, x.o.Lateness), parse: replay.NewParser(x.o.Plan, x.o.Extract, window.NewSpare()),
		front: window.NewFront(x.o.Lateness), written: make([][]kafka.Message, x.out.Partitions()), dirty: true,
	}
	var from *ingest.Mark
	if p.Offset >= 0 {
		s.mark = ingest.Mark{Stream: int32(p.Index), Name: p.Name(), Offset: p.Offset}
		if err := fromText(p.Meta, s.code); err != nil {
			return &ingest.Error{
				Path: x.o.From.String(), Err: fmt.Errorf("what its group has committed is not from extract: %w", err),
				Hint: "go on with the version that committed it, or give extract a group of its own: group: under kafka:",
			}
		}
		from = &s.mark
	}
	stream := p.Open(from)
	s.mark = stream.Mark()
	if from == nil {
		s.epoch = epochOf(s.mark.Topic)
		// Beyond the numbers of a group before this one, and far from those of a
		// topic before this one, which Kafka has forgotten.
		s.count = s.epoch%(numbers/2) + s.mark.Offset
	}
	s.state = textOf(s.code)
	x.o.Log.Info("extracting", "partition", p.Name(), "offset", s.mark.Offset)
	err := s.begin(ctx)
	if err == nil {
		err = s.run(ctx, stream)
	}
	if isLost(err) {
		x.o.Log.Warn("partition has gone to another process", "partition", p.Name())
		return nil
	}
	if ctx.Err() == nil {
		return err
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTime)
	defer cancel()
	if err := s.commit(last); err != nil {
		x.o.Log.Warn("last commit failed: some records will be written again, and dropped", "partition", p.Name(), "error", err)
	}
	x.o.Log.Info("given up", "partition", p.Name(), "offset", s.mark.Offset)
	return nil
}

// begin says that the partition is idle no more, before any of ours is
// extracted: what came while nobody looked at it may be older than what the
// first of them brings.
func (s *origin) begin(ctx context.Context) error {
	s.addMarks(&s.mark)
	_, err := s.x.out.Write(ctx, s.written)
	s.p.Together()
	return err
}

func (s *origin) run(ctx context.Context, stream ingest.Live) error {
	for {
		chunk, err := stream.Next(ctx)
		if err == nil {
			err = s.take(ctx, &chunk)
		}
		if err != nil {
			return err
		}
	}
}

// take writes what there is in a chunk, with marks if it is time.
func (s *origin) take(ctx context.Context, chunk *ingest.Chunk) error {
	live.Tell(s.x.o.Log, s.p.Name(), chunk)
	clear(s.written)
	var sum Extracted
	next := chunk.Mark
	switch {
	case next.Topic != s.mark.Topic:
		s.epoch = epochOf(next.Topic)
	case next.Offset < s.mark.Offset:
		s.epoch++ // brokers lost records
	}
	if block := chunk.Block; block != nil {
		batch := s.parse(block)
		defer block.Release()
		if !s.front.Opened() && len(batch.Events) > 0 {
			// Whoever reads this again begins with the same, wherever a block
			// may end for it.
			s.front.Open(batch.First())
			s.mark.Offset, s.mark.Format, s.mark.Topic, s.mark.Leader = block.Offset, next.Format, next.Topic, 0
			s.state, s.dirty = textOf(s.code), true
			if err := s.commit(ctx); err != nil {
				return err
			}
		}
		sum = s.add(batch)
		batch.Release()
	}
	s.silence.Look(time.Now(), chunk)
	s.addMarks(&next)
	if _, err := s.x.out.Write(ctx, s.written); err != nil {
		return err
	}
	s.dirty = s.dirty || next != s.mark
	s.mark = next
	s.state = textOf(s.code)
	s.x.add(s, sum)
	if s.dirty && time.Since(s.committed) >= commitEvery {
		return s.commit(ctx)
	}
	return nil
}

// add adds what an origin has extracted to the sum.
func (x *extract) add(s *origin, sum Extracted) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sum.Add(&sum.Account)
	x.sum.Records += sum.Records
	if sum.Malformed+sum.Late > 0 {
		x.unjudged.Skip(s.p.Name(), s.skip)
	}
	x.unjudged.Look(x.o.Log, x.sum.Account)
}

// add puts the records of a batch into what is to be written.
func (s *origin) add(b *replay.Batch) (sum Extracted) {
	sum.Lines, sum.Blank, sum.Malformed = b.Tally.Lines, b.Tally.Blank, b.Tally.Malformed
	for _, skip := range b.Skipped {
		s.skipped(skip)
	}
	var parts []addressed // of an event
	most := 0             // the longest of them
	for i := range b.Events {
		ev := &b.Events[i]
		if !s.front.Push(ev) {
			sum.Late++
			s.skipped(ingest.Skip{Line: ev.Position.Line, Why: "late: further behind its stream than the lateness"})
			continue
		}
		ev.Portion = &window.Portion{Number: numberOf(s.p.Index, s.count)}
		s.count++
		r := s.record()
		r.at = place{s.epoch, ev.Position.Offset, int64(ev.Position.Item)}
		parts, most = parts[:0], 0
		s.x.o.Plan.Spread(ev, len(s.written), func(to int, ev *window.Event) {
			r.event = ev
			part := addressed{to, s.codec.write(&r)}
			parts, most = append(parts, part), max(most, len(part.value))
		})
		if most > longestRecord {
			sum.Malformed++
			s.skipped(ingest.Skip{Line: ev.Position.Line, Why: tooLong})
			continue
		}
		sum.Judged++
		sum.Records += int64(len(parts))
		for _, part := range parts {
			s.written[part.to] = append(s.written[part.to], kafka.Message{Value: part.value})
		}
	}
	return sum
}

// addressed is a record for a partition.
type addressed struct {
	to    int
	value []byte
}

// longestRecord is what brokers take in a batch unless told otherwise, less what
// stands around a record there. With one that they do not take every process that
// comes to it would end.
const longestRecord = 1<<20 - 1<<10

// tooLong is why a request is not extracted that needs more: each of its calls is in
// the record, by a hash for each rule.
const tooLong = "more calls in it than a record of the events topic holds"

func (s *origin) skipped(line ingest.Skip) {
	s.skip = line
	s.x.o.Log.Debug("line not judged", "stream", s.p.Name(), "line", line.Line, "column", line.Column, "why", line.Why)
}

// numbers is how many events of an origin have one: enough for seven years of
// 10,000 requests a second, wherever they begin, and for a million origins.
const numbers = 1 << 42

// numberOf is the number of an event, given its origin and the count of that.
func numberOf(origin int, count int64) int64 { return int64(origin)*numbers + count }

// epochOf is that of a topic, by its id: Kafka forgets with a topic what was
// committed for it, so nothing else tells the next one of its name. It is 0
// where brokers tell no ids.
func epochOf(topic string) int64 {
	if topic == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(topic))
	return int64(binary.BigEndian.Uint64(sum[:]) >> 2) // what brokers lose adds to it
}

// record is what every record says.
func (s *origin) record() record {
	return record{origin: s.p.Index, origins: max(s.x.in.Partitions(), s.p.Index+1), targets: len(s.written), newest: s.front.Newest()}
}

// addMarks adds a mark to every partition if there is something to say. A
// partition that its topic, created again, does not have any more holds nothing
// back, whatever a mark before said of it.
func (s *origin) addMarks(next *ingest.Mark) {
	r := s.record()
	r.at = place{s.epoch, next.Offset, -1}
	r.idle, r.name = s.p.Index >= s.x.in.Partitions() || s.silence.Lasts(s.x.o.Idle), s.p.Name()
	since := time.Since(s.marked)
	if since < markEvery || r == s.last && since < markAgain {
		return
	}
	s.last, s.marked = r, time.Now()
	value := s.codec.write(&r)
	for p := range s.written {
		s.written[p] = append(s.written[p], kafka.Message{Value: value})
	}
}

// commit says that all before the mark is written.
func (s *origin) commit(ctx context.Context) error {
	if !s.dirty {
		return nil
	}
	if err := s.p.Commit(ctx, s.mark.Offset, s.state); err != nil {
		return err
	}
	s.dirty, s.committed = false, time.Now()
	return nil
}

// extractVersion is of what is committed for an origin.
const extractVersion = 2

func (s *origin) code(c *snapshot.Codec) {
	codeVersion(c, extractVersion)
	snapshot.Text(c, &s.mark.Topic)
	snapshot.Text(c, &s.mark.Format)
	c.Varint(&s.epoch)
	c.Varint(&s.count)
	s.front.Code(c)
	if c.More() { // at first it was not said
		c.Varint(&s.mark.Leader)
	}
}
