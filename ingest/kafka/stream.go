package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// stream is a partition up to where it ended when it was opened.
type stream struct {
	c      *client
	open   *atomic.Int32 // streams that share the client
	ctx    context.Context
	cancel context.CancelFunc

	index  int32 // among the streams of the run
	from   int64
	p      *partition
	format *formats.Format
	first  int64
	size   int64 // estimated
	read   atomic.Int64
	closed bool
}

var _ ingest.Stream = (*stream)(nil)

// sinceSlack is how much earlier than a time the records are read that were
// written then: producers may stamp a record with the beginning of a request.
const sinceSlack = time.Hour

// Streams opens the partitions of a topic that hold records, from the first
// written at a time on (the zero time: the first there is), or between the
// offsets of the configuration, up to where they end now. Records that were
// written late are no later than that, so there is no time to end at. The
// streams have the indices from the given one on.
func Streams(ctx context.Context, config Config, since time.Time, index int32) (_ []ingest.Stream, err error) {
	c, err := newClient(&config)
	if err != nil {
		return nil, err
	}
	var streams []ingest.Stream
	open := &atomic.Int32{}
	defer func() {
		if err != nil || len(streams) == 0 {
			ingest.CloseAll(streams)
			c.close()
		}
	}()
	t, err := c.find(ctx)
	if err != nil {
		return nil, err
	}
	spans, err := c.spans(ctx, t, since)
	if err != nil {
		return nil, err
	}
	for _, span := range spans {
		if span.From >= span.To {
			continue
		}
		s := newStream(ctx, c, t.id, span)
		s.index, s.open = index+int32(len(streams)), open
		err := s.look()
		if errors.Is(err, io.EOF) { // there are control records alone
			s.cancel()
			continue
		}
		open.Add(1)
		streams = append(streams, s)
		if err != nil {
			return nil, err
		}
	}
	if len(streams) == 0 {
		return nil, config.fail(errors.New("no records there"), "")
	}
	return streams, nil
}

func newStream(ctx context.Context, c *client, id topicID, span Span) *stream {
	s := &stream{c: c, from: span.From}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.p = newPartition(s.ctx, c, id, span.Partition, span.From, span.To)
	return s
}

// spans are the partitions to read, each with its bounds.
func (c *client) spans(ctx context.Context, t topic, since time.Time) ([]Span, error) {
	spans := slices.Clone(c.config.Offsets)
	if len(spans) == 0 {
		for i := range t.partitions {
			spans = append(spans, Span{Partition: i, From: -1, To: -1})
		}
	}
	var all []int
	for _, s := range spans {
		if s.Partition >= t.partitions {
			return nil, c.config.fail(fmt.Errorf("there is no partition %d", s.Partition), fmt.Sprintf("there are %d, from 0 on", t.partitions))
		}
		all = append(all, s.Partition)
	}
	var first map[int]int64
	err := c.insist(ctx, func() (err error) {
		if first, err = c.offsets(ctx, kafka.FirstOffset, all...); err != nil {
			return err
		}
		last, err := c.offsets(ctx, kafka.LastOffset, all...)
		if err != nil {
			return err
		}
		begin := first
		if !since.IsZero() {
			if begin, err = c.offsets(ctx, millis(since.Add(-sinceSlack)), all...); err != nil {
				return err
			}
		}
		for i := range spans {
			s := &spans[i]
			if s.From < 0 {
				s.From = begin[s.Partition]
			}
			if s.To < 0 || s.To > last[s.Partition] {
				s.To = last[s.Partition]
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, s := range spans {
		if begin := first[s.Partition]; s.From < begin { // as it was asked for
			err := fmt.Errorf("record %d of partition %d is there no more: its first is %d", s.From, s.Partition, begin)
			return nil, c.config.fail(err, fmt.Sprintf("its retention has deleted it: for what is left leave out where to begin, as in offsets=%d:-", s.Partition))
		}
	}
	return spans, nil
}

// headBlocks is in how many blocks a record that says something must come.
const headBlocks = 8

// look reads the beginning to recognise the format and the first time. The error is
// io.EOF if there is no record.
func (s *stream) look() error {
	p := newPartition(s.ctx, s.c, s.p.id, s.p.index, s.from, s.p.end)
	defer p.drop()
	metrics, why, wayOut := "", "", ""
	for i := range headBlocks {
		b, err := s.next(p)
		if errors.Is(err, io.EOF) && i > 0 {
			break
		}
		if err != nil {
			return err
		}
		lines := b.Head(headRecords)
		s.format, _ = ingest.DetectAs(s.c.config.Format, lines)
		bytes := p.fetched * (s.p.end - s.from) / max(1, p.offset-s.from)
		s.size = max(s.size, bytes)
		b.Format = s.format
		if s.format != nil {
			b.Records = b.Records[:min(len(b.Records), headRecords)]
			s.first, _ = ingest.FirstTimes(b)
		}
		metrics = cmp.Or(metrics, ingest.IfMetrics(lines))
		if s.format == nil && why == "" {
			why, wayOut = b.Unknown()
		}
		b.Release()
		if s.format != nil {
			return nil
		}
	}
	unknown := fmt.Sprintf("no known log format in partition %d", s.p.index)
	if why != "" && metrics == "" {
		unknown += ": " + why
	}
	return s.c.config.fail(errors.New(unknown),
		cmp.Or(metrics, wayOut, "name it with --format, if it is one of those that 'loopgauge formats' lists, or describe it with --format my.yaml: docs/formats.md\na topic that loopgauge extract wrote is for loopgauge watch"))
}

// headRecords is how many records the format and the first time are told from.
const headRecords = 100

// next returns the next block of p.
func (s *stream) next(p *partition) (*ingest.Block, error) {
	for p.tooLong != nil || p.offset < p.end {
		if block := p.tooLong; block != nil {
			p.tooLong = nil
			return block, nil
		}
		if err := s.fetch(p); err != nil {
			return nil, err
		}
		var n counts
		block, err := p.read(&n)
		if n.lost > 0 { // maybe among others
			p.tooLong = &ingest.Block{Stream: s.index, Format: s.format, Line: n.behind - 1, TooLong: true, Why: errTooLong.Error()}
		}
		if block != nil {
			block.Stream, block.Format = s.index, s.format
			return block, nil
		}
		if err != nil {
			return nil, s.c.config.fail(err, "")
		}
	}
	return nil, io.EOF
}

// fetch sees that there is something to read of p, and tries again where that helps.
func (s *stream) fetch(p *partition) error {
	c := s.c.config
	var since time.Time // of the first failure
	return c.again(s.ctx, "", func(err error) error {
		_, diverged := errors.AsType[*lost](err)
		switch {
		case diverged:
			return c.fail(fmt.Errorf("partition %d: %w", p.index, err), "a replica without them became the leader while the topic was read: read it again")
		case errors.Is(err, kafka.OffsetOutOfRange):
			return c.fail(fmt.Errorf("record %d of partition %d is there no more", p.offset, p.index), "its retention deleted it while it was to be read")
		case !passes(err):
			return c.refuse(err)
		case since.IsZero():
			since = time.Now()
		case time.Since(since) > openTime:
			hint := ""
			if errors.Is(err, errNothing) {
				hint = fmt.Sprintf("if the topic is compacted, the last ones may be gone: bound what is read by offsets, this partition by %d:-%d", p.index, p.offset)
			}
			return c.fail(fmt.Errorf("partition %d, from record %d on: %w", p.index, p.offset, err), hint)
		}
		return nil
	}, func() error {
		err := p.fetch(s.ctx)
		for isThrottled(err) { // which the next one waits for
			err = p.fetch(s.ctx)
		}
		return err
	})
}

// Only leaves of the stream the record at an offset: nothing before it is read,
// and nothing behind it.
func (s *stream) Only(offset int64) error {
	if offset < s.from || offset >= s.p.end {
		err := fmt.Errorf("no record %d is read of partition %d: there are %d to %d", offset, s.p.index, s.from, s.p.end-1)
		return s.c.config.fail(err, "older ones may have been deleted by the topic's retention, or be left out by --since or offsets")
	}
	s.p.seek(offset)
	s.p.end = offset + 1
	return nil
}

// Name is topic/partition.
func (s *stream) Name() string { return s.c.config.partition(s.p.index) }

// Format is that of the first records.
func (s *stream) Format() *formats.Format { return s.format }

// First is the smallest time among the first records.
func (s *stream) First() int64 { return s.first }

// Next returns the next block.
func (s *stream) Next() (*ingest.Block, error) {
	if s.closed {
		return nil, io.EOF
	}
	b, err := s.next(s.p)
	done := float64(s.p.offset-s.from) / float64(s.p.end-s.from)
	s.read.Store(int64(min(1, done) * float64(s.size)))
	return b, err
}

// Probe shows evenly spaced pieces.
func (s *stream) Probe(budget int64, visit func(*ingest.Block)) error {
	pieces := ingest.ProbePieces(s.size, budget)
	share := budget / pieces
	for i := int64(0); i < pieces; i++ {
		at := s.from
		if i > 0 {
			at += i * (s.p.end - s.from) / pieces
		}
		p := newPartition(s.ctx, s.c, s.p.id, s.p.index, at, s.p.end)
		for seen := int64(0); seen < share; {
			b, err := s.next(p)
			if errors.Is(err, io.EOF) {
				if i == 0 { // that was all of it
					pieces = 1
				}
				break
			}
			if err != nil {
				return err
			}
			seen += int64(len(b.Data))
			visit(b)
			b.Release()
		}
		p.drop()
	}
	return nil
}

// Size is about how long the records are as they lie on the broker, told from
// the first.
func (s *stream) Size() int64 { return s.size }

// Read is the part of Size that has been read.
func (s *stream) Read() int64 { return s.read.Load() }

// Close ends the reading.
func (s *stream) Close() {
	if s.closed {
		return
	}
	s.closed = true
	s.cancel()
	s.p.drop()
	if s.open.Add(-1) == 0 {
		s.c.close()
	}
}
