package kafkatest

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Client is a client of the broker for the test's time. Records go to the
// partition that they name.
func (b *Broker) Client(tb testing.TB, options ...kgo.Opt) *kgo.Client {
	tb.Helper()
	client := b.newClient(tb, options...)
	tb.Cleanup(client.Close)
	return client
}

func (b *Broker) newClient(tb testing.TB, options ...kgo.Opt) *kgo.Client {
	tb.Helper()
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(b.Address),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.MetadataMinAge(100 * time.Millisecond),
	}, options...)...)
	if err != nil {
		tb.Fatal(err)
	}
	return client
}

var topics atomic.Int64

// Topic creates a topic of a new name, with configuration "key=value".
func (b *Broker) Topic(tb testing.TB, partitions int, config ...string) string {
	tb.Helper()
	name := fmt.Sprintf("%s-%d", strings.NewReplacer("/", "-", "#", "-", "=", "-").Replace(tb.Name()), topics.Add(1))
	b.CreateTopic(tb, name, partitions, config...)
	return name
}

// CreateTopic creates a topic with configuration "key=value" and waits until
// it can be written.
func (b *Broker) CreateTopic(tb testing.TB, name string, partitions int, config ...string) {
	tb.Helper()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, int32(partitions), 1
	for _, c := range config {
		entry := kmsg.NewCreateTopicsRequestTopicConfig()
		key, value, _ := strings.Cut(c, "=")
		entry.Name, entry.Value = key, &value
		topic.Configs = append(topic.Configs, entry)
	}
	request := kmsg.NewPtrCreateTopicsRequest()
	request.Topics = append(request.Topics, topic)
	insist(tb, b, "create topic "+name, request.RequestWith, func(r *kmsg.CreateTopicsResponse) int16 { return r.Topics[0].ErrorCode }, kerr.TopicAlreadyExists)
	b.made(tb, name)
}

// insist asks the broker until it has done what it was asked for, and returns
// its answer, in which code finds whether it has. A broker that gets too little
// time takes itself for dead for a moment, and says so in many words. done is
// what it answers if it has done so before, and its answer was lost.
func insist[R any](tb testing.TB, b *Broker, what string, ask func(context.Context, kmsg.Requestor) (R, error), code func(R) int16, done error) R {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), startTime)
	defer cancel()
	client := b.newClient(tb)
	defer client.Close()
	for again := false; ; again = true {
		response, err := ask(ctx, client)
		refused := false
		if err == nil {
			err = kerr.ErrorForCode(code(response))
			refused = !kerr.IsRetriable(err) && !errors.Is(err, kerr.InvalidReplicationFactor)
		}
		switch {
		case err == nil, again && errors.Is(err, done):
			return response
		case refused, ctx.Err() != nil:
			tb.Fatalf("%s: %v\n%s", what, err, b.said())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// made waits until what was created can be written.
func (b *Broker) made(tb testing.TB, name string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), startTime)
	defer cancel()
	if err := b.ready(ctx); err != nil {
		tb.Fatalf("topic %s: %v", name, err)
	}
}

// DeleteTopic deletes a topic.
func (b *Broker) DeleteTopic(tb testing.TB, name string) {
	tb.Helper()
	topic := kmsg.NewDeleteTopicsRequestTopic()
	topic.Topic = &name
	request := kmsg.NewPtrDeleteTopicsRequest()
	request.TopicNames, request.Topics = []string{name}, append(request.Topics, topic)
	insist(tb, b, "delete topic "+name, request.RequestWith, func(r *kmsg.DeleteTopicsResponse) int16 { return r.Topics[0].ErrorCode }, kerr.UnknownTopicOrPartition)
}

// AddPartitions makes it that many partitions in all.
func (b *Broker) AddPartitions(tb testing.TB, name string, partitions int) {
	tb.Helper()
	topic := kmsg.NewCreatePartitionsRequestTopic()
	topic.Topic, topic.Count = name, int32(partitions)
	request := kmsg.NewPtrCreatePartitionsRequest()
	request.Topics = append(request.Topics, topic)
	insist(tb, b, "add partitions to "+name, request.RequestWith, func(r *kmsg.CreatePartitionsResponse) int16 { return r.Topics[0].ErrorCode }, kerr.InvalidPartitions)
	b.made(tb, name)
}

// DeleteRecords deletes what stands before an offset, as retention does.
func (b *Broker) DeleteRecords(tb testing.TB, name string, partition int32, before int64) {
	tb.Helper()
	p := kmsg.NewDeleteRecordsRequestTopicPartition()
	p.Partition, p.Offset = partition, before
	topic := kmsg.NewDeleteRecordsRequestTopic()
	topic.Topic, topic.Partitions = name, append(topic.Partitions, p)
	request := kmsg.NewPtrDeleteRecordsRequest()
	request.Topics = append(request.Topics, topic)
	insist(tb, b, "delete records of "+name, request.RequestWith, func(r *kmsg.DeleteRecordsResponse) int16 { return r.Topics[0].Partitions[0].ErrorCode }, nil)
}

// Produce writes values to a partition, each once, in this order.
func (b *Broker) Produce(tb testing.TB, topic string, partition int32, values ...string) {
	tb.Helper()
	records := make([]*kgo.Record, len(values))
	for i, v := range values {
		records[i] = &kgo.Record{Topic: topic, Partition: partition, Value: []byte(v)}
	}
	b.ProduceRecords(tb, records)
}

// produceTime is long enough for a broker that is killed again and again.
const produceTime = 15 * time.Minute

// ProduceRecords writes records to the partitions that they name, each once,
// in this order, however often the broker goes down meanwhile; options say how,
// with which compression for one.
func (b *Broker) ProduceRecords(tb testing.TB, records []*kgo.Record, options ...kgo.Opt) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), produceTime)
	defer cancel()
	options = append([]kgo.Opt{kgo.RequestRetries(math.MaxInt), kgo.RetryTimeout(0)}, options...)
	for {
		err := b.Client(tb, options...).ProduceSync(ctx, records...).FirstErr()
		if err == nil {
			return
		}
		// A broker killed between a connection and its first answer is taken for
		// one that wants TLS. Before there is a producer ID nothing was written.
		if ctx.Err() != nil || !strings.Contains(err.Error(), "unable to initialize a producer ID") { //nolint:misspell // franz-go's
			tb.Fatalf("%v\n%s", err, b.said())
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// Transaction writes values to a partition in one transaction, which is
// committed or aborted.
func (b *Broker) Transaction(tb testing.TB, topic string, partition int32, commit bool, values ...string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), produceTime)
	defer cancel()
	client := b.Client(tb, kgo.TransactionalID(topic))
	if err := client.BeginTransaction(); err != nil {
		tb.Fatal(err)
	}
	for _, v := range values {
		client.Produce(ctx, &kgo.Record{Topic: topic, Partition: partition, Value: []byte(v)}, nil)
	}
	err := client.Flush(ctx)
	if err == nil {
		err = client.EndTransaction(ctx, kgo.TransactionEndTry(commit))
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// Committed is what a group has committed for each partition of a topic; -1 if
// nothing.
func (b *Broker) Committed(tb testing.TB, group, topic string, partitions int) []int64 {
	tb.Helper()
	t := kmsg.NewOffsetFetchRequestGroupTopic()
	t.Topic = topic
	for p := range partitions {
		t.Partitions = append(t.Partitions, int32(p))
	}
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group, g.Topics = group, append(g.Topics, t)
	request := kmsg.NewPtrOffsetFetchRequest()
	request.Groups = append(request.Groups, g)
	response := insist(tb, b, "what "+group+" has committed", request.RequestWith, func(r *kmsg.OffsetFetchResponse) int16 { return r.Groups[0].ErrorCode }, nil)
	offsets := make([]int64, partitions)
	for _, p := range response.Groups[0].Topics[0].Partitions {
		offsets[p.Partition] = p.Offset
	}
	return offsets
}

// HasTopic tells whether there is such a topic.
func (b *Broker) HasTopic(tb testing.TB, name string) bool {
	tb.Helper()
	topic := kmsg.NewMetadataRequestTopic()
	topic.Topic = &name
	request := kmsg.NewPtrMetadataRequest()
	request.Topics = append(request.Topics, topic)
	response, err := request.RequestWith(tb.Context(), b.Client(tb))
	return err == nil && len(response.Topics) == 1 && response.Topics[0].ErrorCode == 0
}

// Records are all that a topic holds now, partition by partition. It has no
// transactions.
func (b *Broker) Records(tb testing.TB, topic string) (list []*kgo.Record) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), startTime)
	defer cancel()
	client := b.newClient(tb)
	defer client.Close()
	last, err := lastOffsets(ctx, client, topic)
	for ; err != nil; last, err = lastOffsets(ctx, client, topic) {
		if ctx.Err() != nil {
			tb.Fatalf("topic %s: %v\n%s", topic, err, b.said())
		}
		time.Sleep(100 * time.Millisecond)
	}
	ends, left := last[topic], map[int32]kgo.Offset{}
	for p, end := range ends {
		if end > 0 {
			left[p] = kgo.NewOffset().At(0)
		}
	}
	client.AddConsumePartitions(map[string]map[int32]kgo.Offset{topic: maps.Clone(left)})
	for len(left) > 0 {
		for r := range client.PollFetches(ctx).RecordsAll() {
			if r.Offset < ends[r.Partition] {
				list = append(list, r)
			}
			if r.Offset >= ends[r.Partition]-1 {
				delete(left, r.Partition)
			}
		}
		if ctx.Err() != nil {
			tb.Fatalf("topic %s: %d records, and partitions %v are not read to their ends\n%s", topic, len(list), slices.Sorted(maps.Keys(left)), b.said())
		}
	}
	slices.SortFunc(list, func(a, b *kgo.Record) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
	})
	return list
}

// Lose ends the broker and cuts a partition's log so that it ends at an offset, where a
// batch begins: as a replica has it that became the leader though it lacked what
// came behind. Then it starts the broker again.
func (b *Broker) Lose(tb testing.TB, topic string, partition int32, end int64) {
	tb.Helper()
	b.Kill9(tb)
	name := filepath.Join(b.dir, "data", fmt.Sprintf("%s-%d", topic, partition), fmt.Sprintf("%020d.log", 0))
	log, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	size := 0
	for size < len(log) && int64(binary.BigEndian.Uint64(log[size:])) < end {
		size += 12 + int(binary.BigEndian.Uint32(log[size+8:]))
	}
	if err := os.Truncate(name, int64(size)); err != nil {
		tb.Fatal(err)
	}
	b.Restart(tb)
}
