package kafkatest

import (
	"context"
	"fmt"
	"math"
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
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(b.Address),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.MetadataMinAge(100 * time.Millisecond),
	}, options...)...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(client.Close)
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
	response, err := request.RequestWith(tb.Context(), b.Client(tb))
	if err == nil {
		err = kerr.ErrorForCode(response.Topics[0].ErrorCode)
	}
	b.made(tb, name, err)
}

// made waits until what was created can be written.
func (b *Broker) made(tb testing.TB, name string, err error) {
	tb.Helper()
	if err == nil {
		err = b.ready(tb.Context())
	}
	if err != nil {
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
	response, err := request.RequestWith(tb.Context(), b.Client(tb))
	if err == nil {
		err = kerr.ErrorForCode(response.Topics[0].ErrorCode)
	}
	if err != nil {
		tb.Fatalf("topic %s: %v", name, err)
	}
}

// AddPartitions makes it that many partitions in all.
func (b *Broker) AddPartitions(tb testing.TB, name string, partitions int) {
	tb.Helper()
	topic := kmsg.NewCreatePartitionsRequestTopic()
	topic.Topic, topic.Count = name, int32(partitions)
	request := kmsg.NewPtrCreatePartitionsRequest()
	request.Topics = append(request.Topics, topic)
	response, err := request.RequestWith(tb.Context(), b.Client(tb))
	if err == nil {
		err = kerr.ErrorForCode(response.Topics[0].ErrorCode)
	}
	b.made(tb, name, err)
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
	response, err := request.RequestWith(tb.Context(), b.Client(tb))
	if err == nil {
		err = kerr.ErrorForCode(response.Topics[0].Partitions[0].ErrorCode)
	}
	if err != nil {
		tb.Fatalf("topic %s: %v", name, err)
	}
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
const produceTime = 5 * time.Minute

// ProduceRecords writes records to the partitions that they name, each once,
// in this order, however often the broker goes down meanwhile; options say how,
// with which compression for one.
func (b *Broker) ProduceRecords(tb testing.TB, records []*kgo.Record, options ...kgo.Opt) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), produceTime)
	defer cancel()
	options = append([]kgo.Opt{kgo.RequestRetries(math.MaxInt), kgo.RetryTimeout(0)}, options...)
	if err := b.Client(tb, options...).ProduceSync(ctx, records...).FirstErr(); err != nil {
		tb.Fatal(err)
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
	response, err := request.RequestWith(tb.Context(), b.Client(tb))
	if err == nil {
		err = kerr.ErrorForCode(response.Groups[0].ErrorCode)
	}
	if err != nil {
		tb.Fatal(err)
	}
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
