package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// live is a partition of a feed.
type live struct {
	f      *Feed
	p      *partition
	mark   ingest.Mark
	format *formats.Format // nil while nobody knows

	slow bool // that a quota slows it was said
	outage
}

// outage is what has failed since the last success.
type outage struct {
	failures int
	since    time.Time // of the first of them
	said     bool      // that it fails
	gone     absence   // of the topic
	lacks    absence   // of the partition
	withheld absence   // of records that should be there
	over     bool      // and that was said: the partition holds nothing back
}

// Name is topic/partition.
func (l *live) Name() string { return l.f.config.partition(l.p.index) }

// Mark is where the partition begins.
func (l *live) Mark() ingest.Mark { return l.mark }

// Next reads on. While the brokers cannot be asked it returns, about once a
// second, a chunk without a block that is not at the end.
func (l *live) Next(ctx context.Context) (ingest.Chunk, error) {
	var n counts
	if err := l.p.fetch(ctx); err != nil {
		if err = l.ride(ctx, err, &n); err != nil {
			return ingest.Chunk{}, err
		}
		return l.chunk(nil, n), nil
	}
	l.f.heard.Store(time.Now().UnixNano())
	if l.said {
		n.why = fmt.Sprintf("%s is read again, after %s", l.Name(), time.Since(l.since).Round(time.Second))
	}
	l.outage = outage{}
	block, err := l.p.read(&n)
	if err != nil && block == nil {
		return ingest.Chunk{}, l.f.config.fail(err, "")
	}
	return l.chunk(block, n), nil // an error comes again
}

func (l *live) chunk(block *ingest.Block, n counts) ingest.Chunk {
	if block != nil {
		block.Format = l.format
		if l.format == nil {
			var sure bool
			if block.Format, sure = ingest.DetectAs(l.f.config.Format, block.Head(headRecords)); sure {
				l.format, l.mark.Format = block.Format, block.Format.Name
			}
		}
	}
	l.mark.Offset, l.mark.Name, l.mark.Leader = l.p.offset, l.Name(), int64(l.p.epoch)+1
	behind := int64(-1)
	if l.p.high >= 0 {
		behind = max(0, l.p.high-l.p.offset)
	}
	return ingest.Chunk{
		Behind: behind,
		Block:  block, Mark: l.mark, AtEnd: l.p.atEnd() && l.failures == 0 || l.over,
		Lost: n.lost, Why: n.why, Control: n.control, Transactional: n.transactional,
	}
}

var errGone = errors.New("the topic is there no more")

const goneHint = "if it was deleted on purpose, stop watching it"

// ride rides an error out, or returns it.
func (l *live) ride(ctx context.Context, err error, n *counts) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !l.f.passes(err) {
		return l.f.config.refuse(err)
	}
	if l.failures == 0 {
		l.since = time.Now()
	}
	l.failures++
	if isThrottled(err) {
		if !l.slow {
			l.slow = true
			n.why = fmt.Sprintf("%s is read more slowly than it could be: %v", l.Name(), err)
		}
		return nil
	}
	lost, diverged := errors.AsType[*lost](err)
	switch {
	case diverged:
		l.diverge(lost, n)
		err = nil
	case errors.Is(err, kafka.OffsetOutOfRange):
		err = l.gap(ctx, n)
	case missing(err), isUnplaced(err):
		err = l.search(ctx, err, n)
	}
	l.withheld.note(errors.Is(err, errNothing))
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	away := time.Since(l.since)
	if l.gone.lasts() {
		return l.f.config.fail(errGone, goneHint)
	}
	switch {
	case !l.over && l.lacks.lasts():
		l.over = true
		n.why = fewerPartitions(l.Name())
	case !l.over && l.withheld.lasts():
		l.over = true
		n.why = fmt.Sprintf("%s gives no records from %d on, though it goes up to %d: it holds back no others until it does", l.Name(), l.p.offset, l.p.high)
	case !l.said && away > quietTime:
		l.said = true
		n.why = fmt.Sprintf("%s cannot be read since %s, it is tried again and again: %v", l.Name(), l.since.UTC().Format(time.TimeOnly), err)
	}
	return pause(ctx, l.failures)
}

// gap goes on where there are records, if the next one is there no more, or
// was never there.
func (l *live) gap(ctx context.Context, n *counts) error {
	if err := l.search(ctx, nil, n); err != nil || n.why != "" {
		return err
	}
	first, err := l.f.c.offsets(ctx, kafka.FirstOffset, l.p.index)
	if err != nil {
		return err
	}
	last, err := l.f.c.offsets(ctx, kafka.LastOffset, l.p.index)
	if err != nil {
		return err
	}
	at := l.p.offset
	switch from, to := first[l.p.index], last[l.p.index]; {
	case at < from:
		n.lost = from - at
		n.why = fmt.Sprintf("%s: records %d to %d were deleted before they could be read: its retention is too short for this delay", l.Name(), at, from-1)
		l.p.seek(from)
	case at > to && l.p.id != (topicID{}):
		n.why = fmt.Sprintf("%s ends at %d, before %d, up to where it was read: brokers lost records", l.Name(), to, at)
		l.p.seek(to)
	case at > to:
		// Without ids of topics that is the likelier.
		n.why = fmt.Sprintf("%s ends at %d, before %d, up to where it was read: the topic was deleted and created again, and is read from its beginning", l.Name(), to, at)
		l.p.seek(from)
	default: // brokers do not agree, or know nothing of the epoch
		l.p.epoch = noEpoch
		return kafka.OffsetOutOfRange
	}
	return nil
}

// diverge goes on where the leader has others than the records that were read.
func (l *live) diverge(by *lost, n *counts) {
	from := l.p.agreed(by)
	n.lost = max(0, l.p.high-l.p.offset)
	n.why = fmt.Sprintf("%s has other records from %d on, before %d, up to where it was read: brokers lost those that were there", l.Name(), from, l.p.offset)
	l.p.seek(from)
}

// search looks whether the topic is another one by now. The error is why, or
// that there is none.
func (l *live) search(ctx context.Context, why error, n *counts) error {
	if err := l.f.look(ctx); err != nil {
		if missing(err) {
			l.gone.note(true)
		}
		return err
	}
	l.gone.note(false)
	t := l.f.current.Load()
	l.lacks.note(l.p.index >= t.partitions)
	if t.id != l.p.id && t.id != (topicID{}) && l.p.id != (topicID{}) {
		l.recreated(t.id, n)
		return nil
	}
	return why
}

// recreated begins with the topic that has come in the place of ours.
func (l *live) recreated(id topicID, n *counts) {
	n.lost = max(0, l.p.high-l.p.offset)
	n.why = fmt.Sprintf("%s: the topic was deleted and created again; it is read from its beginning", l.Name())
	l.p.id, l.mark.Topic = id, id.String()
	l.p.seek(0)
}

// isUnplaced tells that kafka-go does not know which broker to ask.
func isUnplaced(err error) bool {
	return errors.Is(err, protocol.ErrNoTopic) || errors.Is(err, protocol.ErrNoPartition) || errors.Is(err, protocol.ErrNoLeader)
}
