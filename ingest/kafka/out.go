package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
)

// Out is a topic of ours that is written, and read here and there.
type Out struct {
	config Config
	c      *client
	topic  topic
}

// Create says what a topic is to be like that is not there yet.
type Create struct {
	Partitions int
	Compacted  bool // the newest record of each key is kept, however old
}

// OpenOut opens a topic, and creates it if there is none and create is not nil.
func OpenOut(ctx context.Context, config Config, create *Create) (_ *Out, err error) {
	o := &Out{config: config}
	if o.c, err = newClient(&o.config); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			o.Close()
		}
	}()
	if create != nil {
		if err = o.create(ctx, create); err != nil {
			return nil, err
		}
	}
	o.topic, err = o.c.find(ctx)
	return o, err
}

func (o *Out) create(ctx context.Context, create *Create) error {
	t := kafka.TopicConfig{Topic: o.config.Topic, NumPartitions: create.Partitions, ReplicationFactor: -1}
	if create.Compacted {
		t.ConfigEntries = []kafka.ConfigEntry{{ConfigName: "cleanup.policy", ConfigValue: "compact"}}
	}
	return o.c.insist(ctx, func() error {
		if found, err := o.exists(ctx); found || err != nil {
			return err
		}
		res, err := o.c.kafka.CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{t}})
		if err == nil {
			err = res.Errors[t.Topic]
		}
		if errors.Is(err, kafka.TopicAlreadyExists) {
			return nil
		}
		return err
	})
}

// exists asks whether there is such a topic.
func (o *Out) exists(ctx context.Context) (bool, error) {
	_, err := o.c.describeOld(ctx)
	if missing(err) {
		return false, nil
	}
	return err == nil, err
}

// Exists tells whether there is such a topic.
func Exists(ctx context.Context, config Config) (found bool, err error) {
	o := &Out{config: config}
	if o.c, err = newClient(&o.config); err != nil {
		return false, err
	}
	defer o.Close()
	err = o.c.insist(ctx, func() (err error) {
		found, err = o.exists(ctx)
		return err
	})
	return found, err
}

// Close ends all connections.
func (o *Out) Close() { o.c.close() }

// Partitions is how many the topic had when it was opened.
func (o *Out) Partitions() int { return o.topic.partitions }

// Message is a record to be written. A nil value removes what was written
// under the key.
type Message struct{ Key, Value []byte }

// batchBytes is how much is written at once: half of what brokers take unless
// told otherwise.
const batchBytes = 512 << 10

// Write appends records to partitions, by index, and waits until all replicas
// have them. It tries until the context ends; what did not seem to arrive is
// written again, so a record may come twice, and even later than those that
// follow it. Within a partition the first of each come in the given order. It
// returns the offset of the first record of each partition.
func (o *Out) Write(ctx context.Context, records [][]Message) ([]int64, error) {
	offsets, errs := make([]int64, len(records)), make([]error, len(records))
	var wg sync.WaitGroup
	for p, list := range records {
		if len(list) > 0 {
			wg.Go(func() { offsets[p], errs[p] = o.write(ctx, p, list) })
		}
	}
	wg.Wait()
	return offsets, errors.Join(errs...)
}

func (o *Out) write(ctx context.Context, partition int, list []Message) (first int64, err error) {
	first = -1
	for len(list) > 0 {
		n, size := 0, 0
		for n < len(list) && (n == 0 || size+len(list[n].Value) <= batchBytes) {
			size += len(list[n].Key) + len(list[n].Value)
			n++
		}
		at, err := o.batch(ctx, partition, list[:n])
		if err != nil {
			return -1, err
		}
		if first < 0 {
			first = at
		}
		list = list[n:]
	}
	return first, nil
}

// ErrRecord is the error of a record that the brokers never take, as of one that
// is longer than the topic allows.
var ErrRecord = errors.New("the brokers do not take a record")

// writeTime is how long a broker may take to answer.
const writeTime = 10 * time.Second

func (o *Out) batch(ctx context.Context, partition int, list []Message) (at int64, err error) {
	began := time.Now()
	final := func(err error) error {
		switch {
		case errors.Is(err, kafka.MessageSizeTooLarge), errors.Is(err, kafka.InvalidRecord):
			return o.config.fail(fmt.Errorf("%w: %w", ErrRecord, err), "")
		case missing(err) && time.Since(began) > goneTime:
			return o.config.fail(errGone, "")
		}
		return o.config.final(err)
	}
	err = o.config.again(ctx, "nothing can be written, it is tried again and again", final, func() (err error) {
		at, err = o.try(ctx, partition, list)
		return err
	})
	if half := len(list) / 2; half > 0 && errors.Is(err, kafka.MessageSizeTooLarge) { // together: the topic takes less at once
		if at, err = o.batch(ctx, partition, list[:half]); err == nil {
			_, err = o.batch(ctx, partition, list[half:])
		}
	}
	return at, err
}

func (o *Out) try(ctx context.Context, partition int, list []Message) (int64, error) {
	records := make([]kafka.Record, len(list))
	now := time.Now()
	for i, m := range list {
		records[i] = kafka.Record{Time: now, Key: kafka.NewBytes(m.Key), Value: kafka.NewBytes(m.Value)}
	}
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	res, err := o.c.kafka.Produce(ctx, &kafka.ProduceRequest{
		Topic: o.config.Topic, Partition: partition, RequiredAcks: kafka.RequireAll,
		Records: kafka.NewRecordReader(records...), Compression: kafka.Zstd,
	})
	if err != nil {
		return -1, err
	}
	return res.BaseOffset, res.Error
}

// Read reads a partition from an offset on, until visit returns false or its
// end is reached. It tries until the context ends.
func (o *Out) Read(ctx context.Context, partition int, from int64, visit func(offset int64, value []byte) bool) error {
	p := newPartition(ctx, o.c, o.topic.id, partition, from, forever)
	defer p.drop()
	return o.config.again(ctx, "nothing can be read, it is tried again and again", o.config.final, func() error { return o.read(ctx, p, visit) })
}

// read goes on with a partition until visit returns false, its end is reached
// or something fails.
func (o *Out) read(ctx context.Context, p *partition, visit func(offset int64, value []byte) bool) error {
	for {
		err := p.fetch(ctx)
		if _, diverged := errors.AsType[*lost](err); diverged || errors.Is(err, kafka.OffsetOutOfRange) || errors.Is(err, errNothing) {
			return nil // there is no more of it
		}
		if err != nil {
			return err
		}
		var c counts
		block, err := p.read(&c)
		if err != nil {
			return err
		}
		if block != nil {
			more := true
			for offset, value := range block.Each() {
				if more = visit(offset, value); !more {
					break
				}
			}
			block.Release()
			if !more {
				return nil
			}
		}
		if p.atEnd() {
			return nil
		}
	}
}

// First returns a record of the topic, the first of a partition; nil if there
// is none.
func First(ctx context.Context, config Config) (value []byte, err error) {
	o, err := OpenOut(ctx, config, nil)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	for p := 0; p < o.topic.partitions && value == nil && err == nil; p++ {
		var at map[int]int64
		if err = o.c.insist(ctx, func() (err error) {
			at, err = o.c.offsets(ctx, kafka.FirstOffset, p)
			return err
		}); err != nil {
			break
		}
		from := newPartition(ctx, o.c, o.topic.id, p, at[p], forever)
		err = o.c.insist(ctx, func() error {
			return o.read(ctx, from, func(_ int64, v []byte) bool {
				value = append([]byte{}, v...)
				return false
			})
		})
		from.drop()
	}
	return value, err
}

// Partition is where a key goes: where Kafka's own producers put it.
func (o *Out) Partition(key []byte) int {
	return kafka.Murmur2Balancer{Consistent: true}.Balance(kafka.Message{Key: key}, o.topic.all()...)
}
