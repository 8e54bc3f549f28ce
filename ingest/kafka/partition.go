package kafka

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
)

// partition reads the records of a partition in their order. It does not try
// again: its caller does, by calling once more.
type partition struct {
	c      *client
	id     topicID
	index  int
	offset int64 // of the next record
	end    int64 // offset behind the last that is to be read
	high   int64 // offset behind the last record, when that was last asked
	epoch  int32 // of the leader that took what was read last
	began  int64 // offset where that epoch began

	maxBytes int32    // of the next fetch
	got      *fetched // what is not read of the last fetch; nil if nothing
	records  opened   // of the batch that is being read
	memory   []byte   // that they are unpacked into
	fetched  int64    // bytes of batches that were fetched
	bad      int      // times that the batch at hand was damaged

	quota *throttled // that was told last; nil if none is to be waited for

	tooLong *ingest.Block // of a stream: what was lost and is not told yet; nil if nothing

	ctx   context.Context // of what goes on between calls
	ahead chan answer     // of the fetch that is under way; nil if none
}

type answer struct {
	from int64
	got  *fetched
	err  error
}

func newPartition(ctx context.Context, c *client, id topicID, index int, offset, end int64) *partition {
	return &partition{c: c, id: id, index: index, offset: offset, end: end, high: -1, epoch: noEpoch, maxBytes: fetchBytes, ctx: ctx}
}

// forever is the end of a partition that goes on.
const forever = math.MaxInt64

// errNothing is an answer without records where there are some. A new leader does
// not know at first which of its records are on all replicas, and a remote store may
// be slow. Or there are none, where the last of a compacted topic are gone.
var errNothing = errors.New("the broker gives none of the records that should be there")

// counts are what stood in a partition besides records.
type counts struct {
	control, transactional, lost int64
	behind                       int64 // offset behind the last that was lost
	why                          string
}

// atEnd tells that nothing more was there when it was last asked.
func (p *partition) atEnd() bool { return p.offset >= p.high && p.got == nil && p.records.left == 0 }

// seek goes on from another offset.
func (p *partition) seek(offset int64) {
	p.drop()
	p.offset, p.high, p.epoch = offset, -1, noEpoch
}

// agreed is up to where the leader has what was read.
func (p *partition) agreed(l *lost) int64 {
	if l.epoch < p.epoch { // it has nothing of that epoch
		return min(l.end, p.offset, p.began)
	}
	return min(l.end, p.offset)
}

// drop forgets what was fetched.
func (p *partition) drop() {
	p.done()
	p.records, p.ahead = opened{}, nil
}

// done gives back what was fetched last.
func (p *partition) done() {
	if p.got != nil {
		p.got.release()
		p.got = nil
	}
}

// fetch sees that there is something to read, or that there is nothing, as there
// cannot be before an end.
func (p *partition) fetch(ctx context.Context) error {
	if p.got != nil || p.records.left > 0 {
		return nil
	}
	var a answer
	if p.ahead != nil {
		select {
		case a = <-p.ahead:
		case <-ctx.Done():
			return ctx.Err()
		}
		p.ahead = nil
	}
	if a.from != p.offset || a.got == nil {
		if a.got != nil {
			a.got.release()
		}
		if err := p.wait(ctx); err != nil {
			return err
		}
		if a.got, a.err = p.c.fetch(ctx, p.id, p.index, p.offset, p.epoch, p.maxBytes); a.err != nil {
			p.quota, _ = errors.AsType[*throttled](a.err)
			return a.err
		}
	}
	p.high = a.got.high
	if len(a.got.batches) == 0 {
		a.got.release()
		if p.offset < p.high || p.end != forever {
			return errNothing
		}
		return nil
	}
	if _, _, err := nextBatch(a.got.batches); errors.Is(err, errCut) {
		a.got.release()
		return p.grow()
	}
	p.got = a.got
	p.fetched += int64(len(p.got.batches))
	p.fetchAhead()
	return nil
}

// wait waits for the quota, a second at most: then the error is that it is not over.
func (p *partition) wait(ctx context.Context) error {
	if p.quota == nil {
		return nil
	}
	left := time.Until(p.quota.until)
	select {
	case <-time.After(min(left, time.Second)):
	case <-ctx.Done():
		return ctx.Err()
	}
	if left > time.Second {
		return p.quota
	}
	p.quota = nil
	return nil
}

// fetchAhead asks for what comes next, while what was fetched is read, unless
// that is all.
func (p *partition) fetchAhead() {
	next, epoch := p.offset, p.epoch
	for rest := p.got.batches; ; {
		b, behind, err := nextBatch(rest)
		if err != nil {
			break
		}
		next, epoch, rest = b.next, b.epoch, behind
	}
	if next <= p.offset || next >= min(p.high, p.end) {
		return
	}
	ahead, id, maxBytes := make(chan answer, 1), p.id, p.maxBytes
	p.ahead = ahead
	go func() {
		got, err := p.c.fetch(p.ctx, id, p.index, next, epoch, maxBytes)
		ahead <- answer{next, got, err}
	}()
}

// grow asks for more where what was asked for holds no whole batch.
func (p *partition) grow() error {
	if p.maxBytes >= largest/2 {
		return p.damaged(fmt.Errorf("%d bytes hold no whole batch", p.maxBytes))
	}
	p.maxBytes *= 4
	return nil
}

// errDamaged is what cannot be read however often it is fetched.
var errDamaged = errors.New("the topic cannot be read on")

func (p *partition) damaged(err error) error {
	return fmt.Errorf("%w at %s offset %d: %w", errDamaged, p.c.config.partition(p.index), p.offset, err)
}

// read reads about a block's worth of records that were fetched. The block is
// nil if there are none.
func (p *partition) read(n *counts) (block *ingest.Block, err error) {
	for err == nil && p.offset < p.end && (block == nil || !full(block)) {
		if p.records.left == 0 {
			var more bool
			if more, err = p.open(n); !more {
				break
			}
		}
		if block == nil {
			block = ingest.NewBlock()
			block.Stream, block.MaxLine, block.Zone = int32(p.index), p.c.config.maxLine(), p.c.config.Zone
		}
		if p.offset, err = p.records.read(block, p.offset); err != nil {
			err = p.damaged(err)
		}
		if p.records.left > 0 {
			break
		}
	}
	if p.got != nil && len(p.got.batches) == 0 && p.records.left == 0 {
		p.done()
	}
	if block == nil {
		return nil, err
	}
	p.cut(block)
	if len(block.Records) == 0 {
		block.Release()
		return nil, err
	}
	block.Line, block.Offset = block.Records[0].Offset, block.Records[0].Offset
	return block, err
}

// cut takes the records from the end on out of the block.
func (p *partition) cut(block *ingest.Block) {
	n, size := len(block.Records), 0
	for n > 0 && block.Records[n-1].Offset >= p.end {
		n--
	}
	if n > 0 {
		size = block.Records[n-1].End
	}
	block.Records, block.Data = block.Records[:n], block.Data[:size]
}

// open opens the next batch that holds records from the offset on; what
// control batches there are before are passed over. There may be none.
func (p *partition) open(n *counts) (more bool, err error) {
	for p.got != nil {
		b, rest, err := nextBatch(p.got.batches)
		if errors.Is(err, errCut) {
			p.done()
			// What is cut is fetched again, whole; if nothing else was there
			// it does not fit.
			return false, nil
		}
		if err != nil {
			return false, p.damaged(err)
		}
		if b.next > p.offset && !intact(p.got.batches) {
			// Perhaps it was damaged on its way.
			p.drop()
			if p.bad++; p.bad < 3 {
				return false, nil
			}
			return false, p.damaged(errors.New("its batch does not match its checksum"))
		}
		p.bad = 0
		p.got.batches = rest
		if b.epoch != p.epoch {
			p.epoch, p.began = b.epoch, b.first
		}
		switch {
		case b.next <= p.offset:
		case b.attributes&control != 0:
			n.control += int64(b.count)
			p.offset = b.next
		default:
			if b.attributes&transactional != 0 {
				n.transactional++
			}
			if err := p.unpack(b, n); err != nil {
				return false, err
			}
		}
		if p.records.left > 0 {
			return true, nil
		}
		if len(rest) == 0 {
			p.done()
		}
	}
	return false, nil
}

// keptMemory is how much a partition keeps for unpacking.
const keptMemory = 32 << 20

func (p *partition) unpack(b batch, n *counts) error {
	if cap(p.memory) > keptMemory {
		p.memory = nil
	}
	data, err := unpack(b.attributes&compression, b.data, p.memory)
	if errors.Is(err, errTooLong) {
		n.lost += b.next - max(b.first, p.offset)
		n.behind = b.next
		n.why = fmt.Sprintf("%s offset %d: %v", p.c.config.partition(p.index), b.first, err)
		p.offset = b.next
		return nil
	}
	if err != nil {
		return p.damaged(err)
	}
	if b.attributes&compression != 0 {
		p.memory = data[:0]
	}
	if b.count < 0 {
		return p.damaged(errRecord)
	}
	p.records = opened{first: b.first, next: b.next, left: b.count, w: wire{b: data}}
	if b.count == 0 { // all were compacted away
		p.offset = b.next
	}
	return nil
}
