package shared

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// checkpointVersion is of the text that is committed, of the chunks and of what
// is in them.
//
//	2  has rows
const checkpointVersion = 2

// checkpoint says where a checkpoint stands: what is committed with the offset
// up to which it goes. A checkpoint counts from that commit on.
type checkpoint struct {
	turn  int            // of the process that wrote it
	seq   int64          // of its checkpoints
	first int64          // offset of the first chunk, or of one before
	size  int            // bytes
	most  int            // chunks that any checkpoint of the turn had
	sum   [sumBytes]byte // SHA-256, half of it
	topic string         // id of the events topic

	leader int64 // that took the record before the offset, as marks have it
}

const sumBytes = sha256.Size / 2

func sumOf(b []byte) [sumBytes]byte {
	sum := sha256.Sum256(b)
	return [sumBytes]byte(sum[:])
}

func (c *checkpoint) code(to *snapshot.Codec) {
	codeVersion(to, checkpointVersion)
	snapshot.Number(to, &c.turn)
	to.Varint(&c.seq)
	to.Varint(&c.first)
	snapshot.Number(to, &c.size)
	snapshot.Number(to, &c.most)
	to.Fixed(c.sum[:])
	snapshot.Text(to, &c.topic)
	to.Check(c.size >= 0 && c.size <= 1<<40 && c.most >= 0, "its size is %d", c.size)
	if to.More() { // at first it was not said
		to.Varint(&c.leader)
	}
}

func codeVersion(c *snapshot.Codec, version uint64) {
	v := version
	c.Uvarint(&v)
	c.Check(v == version, "it has version %d, this program knows %d", v, version)
}

// textOf is what code writes as a text, to be committed with an offset.
func textOf(code func(*snapshot.Codec)) string {
	w := snapshot.NewWriter(nil)
	code(w.Codec())
	return base64.StdEncoding.EncodeToString(w.Bytes())
}

// fromText has code read such a text.
func fromText(text string, code func(*snapshot.Codec)) error {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	r := snapshot.NewReader(data)
	code(r.Codec())
	return r.Err()
}

// chunkBytes is what a record holds of a checkpoint: brokers take twice that
// unless told otherwise.
const chunkBytes = 512 << 10

func chunksOf(size int) int { return (size + chunkBytes - 1) / chunkBytes }

// checkpointsTopic holds the checkpoints of a topic.
func checkpointsTopic(events kafka.Config) kafka.Config {
	events.Topic += "-checkpoints"
	return events
}

func createCheckpoints(ctx context.Context, events kafka.Config, partitions int) error {
	out, err := openCheckpoints(ctx, events, partitions)
	if err == nil {
		out.Close()
	}
	return err
}

func openCheckpoints(ctx context.Context, events kafka.Config, partitions int) (*kafka.Out, error) {
	return kafka.OpenOut(ctx, checkpointsTopic(events), &kafka.Create{Partitions: partitions, Compacted: true})
}

// checkpoints are those of one partition, for as long as it is ours.
type checkpoints struct {
	out   *kafka.Out
	group string
	p     *kafka.Part
	last  *checkpoint // that was committed; nil if there is none
	seq   int64
	most  int
}

func (c *checkpoints) partition() int { return c.p.Index % c.out.Partitions() }

// key is that of a chunk. No other turn has the same, so that a process which
// has lost the partition and does not know it spoils nothing. Two places take
// turns: the checkpoint that counts is not compacted away before the next one
// counts.
func (c *checkpoints) key(turn int, slot int64, chunk int) []byte {
	return fmt.Appendf(nil, "%s/%d/%d/%d/%d", c.group, c.p.Index, turn, slot, chunk)
}

// id begins a chunk.
func (c *checkpoints) id(turn int, seq int64) []byte {
	return fmt.Appendf(nil, "%s/%d/%d/%d ", c.group, c.p.Index, turn, seq)
}

// load is the checkpoint that was committed last; nil if there is none.
func (c *checkpoints) load(ctx context.Context) (state []byte, err error) {
	if c.p.Offset < 0 {
		return nil, nil
	}
	c.last = &checkpoint{}
	if err := fromText(c.p.Meta, c.last.code); err != nil {
		return nil, &problem{
			fmt.Sprintf("%s: what its group has committed is not from watch: %v", c.p.Name(), err),
			"go on with the version that committed it, or give watch a group of its own: group: under kafka:",
		}
	}
	for began := time.Now(); ; {
		if state, err = c.read(ctx); state != nil || err != nil {
			return state, err
		}
		if time.Since(began) > newLeader {
			return nil, &problem{
				fmt.Sprintf("%s: the checkpoint of offset %d is not there as it was written: has its topic another cleanup.policy than compact?", c.p.Name(), c.p.Offset),
				anew(c.group),
			}
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// anew is the way out of a checkpoint that cannot be gone on from.
func anew(group string) string {
	return "to begin anew stop every watch of the group and delete the group: kafka-consumer-groups --delete --group " + group
}

// newLeader is how long a broker that has just become the leader of a partition
// may not know that what was written last is on all replicas: it does not give
// it out then.
const newLeader = 30 * time.Second

// read reads the checkpoint that was committed last; nil if it is not there.
func (c *checkpoints) read(ctx context.Context) ([]byte, error) {
	n := chunksOf(c.last.size)
	chunks, left := make([][]byte, n), n
	id := c.id(c.last.turn, c.last.seq)
	err := c.out.Read(ctx, c.partition(), c.last.first, func(_ int64, value []byte) bool {
		if len(value) < len(id) || string(value[:len(id)]) != string(id) {
			return left > 0
		}
		r := snapshot.NewReader(value[len(id):])
		index, data := r.Int(1<<30), r.Blob()
		if r.Err() == nil && index < n && chunks[index] == nil {
			chunks[index] = append([]byte{}, data...)
			left--
		}
		return left > 0
	})
	if err != nil {
		return nil, err
	}
	state := make([]byte, 0, c.last.size)
	for _, chunk := range chunks {
		state = append(state, chunk...)
	}
	if left > 0 || len(state) != c.last.size || sumOf(state) != c.last.sum {
		return nil, nil
	}
	return state, nil
}

// write writes a checkpoint and makes it count, together with the offset that the
// mark says.
func (c *checkpoints) write(ctx context.Context, state []byte, mark *ingest.Mark) error {
	c.seq++
	n := chunksOf(len(state))
	c.most = max(c.most, n)
	id := c.id(c.p.Turn(), c.seq)
	records := make([][]kafka.Message, c.out.Partitions())
	for i := range n {
		w := snapshot.NewWriter(nil)
		w.Fixed(id)
		w.Uvarint(uint64(i))
		w.Blob(state[i*chunkBytes : min((i+1)*chunkBytes, len(state))])
		records[c.partition()] = append(records[c.partition()], kafka.Message{Key: c.key(c.p.Turn(), c.seq%2, i), Value: w.Bytes()})
	}
	offsets, err := c.out.Write(ctx, records)
	if err != nil {
		return err
	}
	next := &checkpoint{turn: c.p.Turn(), seq: c.seq, first: offsets[c.partition()], size: len(state), most: c.most, sum: sumOf(state), topic: mark.Topic, leader: mark.Leader}
	if err := c.p.Commit(ctx, mark.Offset, textOf(next.code)); err != nil {
		return err
	}
	before := c.last
	c.last = next
	if before == nil || before.turn == next.turn {
		return nil
	}
	return c.discard(ctx, before)
}

// discard removes what the turn before has written.
func (c *checkpoints) discard(ctx context.Context, before *checkpoint) error {
	records := make([][]kafka.Message, c.out.Partitions())
	for slot := range int64(2) {
		for i := range before.most {
			records[c.partition()] = append(records[c.partition()], kafka.Message{Key: c.key(before.turn, slot, i)})
		}
	}
	_, err := c.out.Write(ctx, records)
	return err
}

// IsEvents tells an events topic from a raw one: by its records, or, as long as
// there are none, by the topic that extract makes beside it.
func IsEvents(ctx context.Context, topic kafka.Config) (bool, error) {
	value, err := kafka.First(ctx, topic)
	if err != nil || value != nil {
		return isRecord(value), err
	}
	return kafka.Exists(ctx, checkpointsTopic(topic))
}

func isLost(err error) bool { return errors.Is(err, kafka.ErrLost) }
