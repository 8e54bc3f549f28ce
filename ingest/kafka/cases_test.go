package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
)

// The cases that were met on a real broker, each pinned.

// TestCodecs: records come as they were written, whatever packed them.
func TestCodecs(t *testing.T) {
	b := kafkatest.Start(t)
	for name, codec := range map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	} {
		t.Run(name, func(t *testing.T) {
			topic := b.Topic(t, 1)
			var records []*kgo.Record
			var want []string
			for i := range 3000 {
				value := line(i) + strings.Repeat(" ", i)
				want = append(want, value)
				records = append(records, &kgo.Record{Topic: topic, Key: []byte("key"), Value: []byte(value), Headers: []kgo.RecordHeader{{Key: "h", Value: []byte("v")}}})
			}
			records = append(records, &kgo.Record{Topic: topic, Key: []byte("key")}) // a tombstone
			b.ProduceRecords(t, records, kgo.ProducerBatchCompression(codec), kgo.ProducerLinger(20*time.Millisecond))
			r := until(t, accept(t, open(t, config(b, topic))), atEnd)
			same(t, r.values, append(want, ""))
			for i, o := range r.offsets {
				if o != int64(i) {
					t.Fatalf("record %d has offset %d", i, o)
				}
			}
		})
	}
}

// TestControlRecords: a partition that ends in control records has an end, and
// what an aborted transaction wrote is delivered and counted.
func TestControlRecords(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 1)
	b.Transaction(t, topic, 0, true, lines(0, 3)...)
	b.Transaction(t, topic, 0, false, lines(3, 5)...)
	l := accept(t, open(t, config(b, topic)))
	// The broker writes the control record of a transaction when it has ended.
	r := until(t, l, func(r *read) bool { return atEnd(r) && r.chunk.Control == 2 })
	same(t, r.values, lines(0, 5))
	if c := r.chunk; c.Control != 2 || c.Transactional < 2 || c.Mark.Offset != 7 {
		t.Errorf("%d control records, %d transactional batches, offset %d", c.Control, c.Transactional, c.Mark.Offset)
	}
	// At the end it waits for the broker, instead of asking it again at once.
	began, chunks := time.Now(), 0
	until(t, l, func(*read) bool { chunks++; return time.Since(began) > 2*time.Second })
	if chunks > 10 {
		t.Errorf("%d fetches in two seconds at the end", chunks)
	}
}

// TestCompacted: batches whose last records were compacted away, and batches
// without any, are passed even where no fetch holds more than one of them.
func TestCompacted(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 1, "cleanup.policy=compact", "segment.ms=300", "min.cleanable.dirty.ratio=0.01", "min.compaction.lag.ms=0", "max.compaction.lag.ms=500", "delete.retention.ms=0")
	const n = 50
	round := func(from int) {
		var records []*kgo.Record
		for i := range n {
			records = append(records, &kgo.Record{Topic: topic, Key: fmt.Appendf(nil, "key%d", i%10), Value: []byte(line(from + i))})
		}
		b.ProduceRecords(t, records, kgo.MaxBufferedRecords(n), kgo.ProducerLinger(20*time.Millisecond))
	}
	for i := range 5 {
		round(i * n)
		time.Sleep(400 * time.Millisecond) // the segment is closed by the next write
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		f := open(t, config(b, topic))
		l := accept(t, f).(*live)
		l.p.maxBytes = 100 // less than any batch
		r := until(t, l, atEnd)
		_ = f.Close()
		if r.chunk.Mark.Offset != 5*n || r.values[len(r.values)-1] != line(5*n-1) {
			t.Fatalf("stopped at %d", r.chunk.Mark.Offset)
		}
		if len(r.values) <= 2*n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d records are left: the broker does not compact", len(r.values))
		}
	}
}

// TestStart: where a feed begins that goes on from nothing.
func TestStart(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 2)
	at := time.Now().Add(-3 * time.Hour).Truncate(time.Second) // retention counts
	var records []*kgo.Record
	for i := range 10 {
		records = append(records, &kgo.Record{Topic: topic, Value: []byte(line(i)), Timestamp: at.Add(time.Duration(i) * time.Minute)})
	}
	b.ProduceRecords(t, records)
	f := func(start Start, want int) {
		t.Helper()
		c := config(b, topic)
		c.Start = start
		feed := open(t, c)
		defer func() { _ = feed.Close() }()
		r := until(t, accept(t, feed), atEnd)
		same(t, r.values, lines(want, 10))
		if one := accept(t, feed); one.Mark().Offset != 0 { // it is empty: there is nothing later
			t.Errorf("the empty partition begins at %d", one.Mark().Offset)
		}
	}
	f(Start{Earliest: true}, 0)
	f(Start{}, 10)
	f(Start{Time: at.Add(3 * time.Minute)}, 3)
	f(Start{Time: at.Add(3*time.Minute + time.Second)}, 4)
	f(Start{Time: at.Add(time.Hour)}, 10)
	f(Start{Time: at.Add(-time.Hour)}, 0)
	f(Start{Time: time.UnixMilli(-1)}, 0) // which is the end, to the brokers
}

// TestNoCommit: a group that has committed nothing says -1; kafka-go's
// assignment shows another number then, which must not be used.
func TestNoCommit(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 1)
	if got := b.Committed(t, topic, topic, 1)[0]; got != -1 {
		t.Errorf("nothing committed is %d", got)
	}
	c := config(b, topic)
	c.Group, c.Start = topic, Start{}
	b.Produce(t, topic, 0, lines(0, 5)...)
	f := open(t, c)
	if at := accept(t, f).Mark().Offset; at != 5 {
		t.Errorf("begins at %d", at)
	}
	if err := f.Commit(t.Context(), []ingest.Mark{{Offset: 5}}); err != nil {
		t.Error(err)
	}
}

// TestRetention: what was deleted before it was read is counted and said.
func TestRetention(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 1)
	b.Produce(t, topic, 0, lines(0, 100)...)
	mark := ingest.Mark{Name: topic + "/0", Offset: 10}
	b.DeleteRecords(t, topic, 0, 60)
	r := until(t, accept(t, open(t, config(b, topic), mark)), atEnd)
	same(t, r.values, lines(60, 100))
	if r.chunk.Lost != 50 || len(r.whys) != 1 || !strings.Contains(r.whys[0], "records 10 to 59 were deleted") {
		t.Errorf("%d lost, %q", r.chunk.Lost, r.whys)
	}
}

// TestRecreated: a topic that was deleted and created again is another one.
func TestRecreated(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 2)
	b.Produce(t, topic, 0, lines(0, 10)...)
	f := open(t, config(b, topic))
	l := accept(t, f)
	r := until(t, l, atEnd)
	one := accept(t, f).Mark()
	again := func() {
		b.DeleteTopic(t, topic)
		time.Sleep(time.Second)
		b.CreateTopic(t, topic, 1)
		b.Produce(t, topic, 0, lines(100, 120)...) // more than there were
	}
	again()
	r2 := until(t, l, func(r *read) bool { return len(r.values) >= 20 })
	same(t, r2.values, lines(100, 120))
	if !strings.Contains(strings.Join(r2.whys, "\n"), "deleted and created again") || r2.chunk.Mark.Topic == r.chunk.Mark.Topic {
		t.Errorf("%q, mark %+v", r2.whys, r2.chunk.Mark)
	}
	_ = f.Close()
	// The same between two runs, and with a partition less.
	f = open(t, config(b, topic), r.chunk.Mark, one)
	zero, over := accept(t, f), accept(t, f)
	if c, err := over.Next(t.Context()); err != nil || !strings.Contains(c.Why, "with fewer partitions") {
		t.Errorf("%+v %v", c, err)
	}
	if _, err := over.Next(t.Context()); err == nil {
		t.Error("it goes on")
	}
	r3 := until(t, zero, atEnd)
	same(t, r3.values, lines(100, 120))
	if len(r3.whys) != 1 {
		t.Errorf("%q", r3.whys)
	}
}

// TestBrokerKilled: kill -9 of the broker, and restarts in good order, while
// it is written and read: nothing is missing, nothing comes twice.
func TestBrokerKilled(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 1)
	const n = 30000
	var made atomic.Int64
	done := make(chan error, 1)
	client := b.Client(t, kgo.RecordDeliveryTimeout(patience))
	go func() {
		for i := range n {
			client.Produce(context.Background(), &kgo.Record{Topic: topic, Value: []byte(line(i))}, func(_ *kgo.Record, err error) {
				if err != nil {
					t.Error(err)
				}
				made.Add(1)
			})
			if i%100 == 0 {
				time.Sleep(30 * time.Millisecond)
			}
		}
		done <- client.Flush(context.Background())
	}()
	c := config(b, topic)
	c.Group = topic
	f := open(t, c)
	l := accept(t, f)
	hurt := make(chan struct{})
	go func() {
		defer close(hurt)
		for i := range 3 {
			time.Sleep(1500 * time.Millisecond)
			if i != 1 {
				b.Kill9(t)
			}
			b.Restart(t)
		}
	}()
	r := until(t, l, func(r *read) bool { return len(r.values) == n })
	<-hurt
	must(t, <-done)
	same(t, r.values, lines(0, n))
	if r.chunk.Lost != 0 {
		t.Errorf("%d lost", r.chunk.Lost)
	}
	// The commit does not wait for the session of the member we were before.
	began := time.Now()
	must(t, f.Commit(t.Context(), []ingest.Mark{r.chunk.Mark}))
	t.Logf("committed after %s; said: %q", time.Since(began), r.whys)
	if got := b.Committed(t, topic, topic, 1)[0]; got != n {
		t.Errorf("committed %d", got)
	}
}

// TestSecond: a second instance is refused, with the way out; when the first
// is dead it takes over.
func TestSecond(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 2)
	c := config(b, topic)
	c.Group, c.State = topic, "one"
	first := open(t, c)
	other := c
	other.State, other.SessionTimeout = "two", 2*time.Second // it is refused after two of them
	_, err := Open(t.Context(), other, nil)
	var e *ingest.Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), fmt.Sprintf("%q", topic)) || !strings.Contains(err.Error(), "process ") || !strings.Contains(e.Hint, "extract") {
		t.Errorf("the second: %v", err)
	}
	if err := first.Commit(t.Context(), []ingest.Mark{{Offset: 0}}); err != nil {
		t.Errorf("the first: %v", err)
	}
	// The same state: the first must be dead, whoever holds it now knows.
	c.SessionTimeout = 29 * time.Minute // brokers take no more than 30
	again := open(t, c)
	if err := again.Commit(t.Context(), []ingest.Mark{{Offset: 0}}); err != nil {
		t.Error(err)
	}
	if err := first.Commit(t.Context(), []ingest.Mark{{Offset: 0}}); !errors.Is(err, errReplaced) {
		t.Errorf("the dead one commits: %v", err)
	}
	accept(t, first)
	if _, err := first.Accept(t.Context()); !errors.Is(err, errReplaced) { // waits for a partition that comes
		t.Errorf("the dead one goes on: %v", err)
	}
	// It leaves cleanly: the next one need not wait for the session's end. That
	// it leaves takes its time.
	_ = again.Close()
	for deadline := time.Now().Add(patience); ; {
		next, err := Open(t.Context(), other, nil)
		if err == nil {
			_ = next.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("nobody reads, and nobody can: %v", err)
		}
	}
}

// TestZombie: a member whose session timed out cannot commit, and the one that
// waited reads in its place.
func TestZombie(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 1)
	c := config(b, topic)
	c.Group, c.State = topic, "one"
	c.SessionTimeout, c.Heartbeat = 4*time.Second, time.Hour // it is silent
	zombie := open(t, c)
	c.State, c.SessionTimeout, c.Heartbeat = "two", session, 200*time.Millisecond
	next := open(t, c)
	if err := next.Commit(t.Context(), []ingest.Mark{{Offset: 0}}); err != nil {
		t.Error(err)
	}
	if err := zombie.Commit(t.Context(), []ingest.Mark{{Offset: 0}}); !errors.Is(err, errReplaced) || !errors.Is(err, kafka.UnknownMemberId) {
		t.Errorf("the zombie commits: %v", err)
	}
	if err := next.Commit(t.Context(), []ingest.Mark{{Offset: 0}}); err != nil {
		t.Error(err)
	}
}

// TestForeignGroup: a group that another program is in.
func TestForeignGroup(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 1)
	joined := make(chan struct{}, 1)
	b.Client(t, kgo.ConsumerGroup(topic), kgo.ConsumeTopics(topic), kgo.OnPartitionsAssigned(func(context.Context, *kgo.Client, map[string][]int32) {
		select {
		case joined <- struct{}{}:
		default:
		}
	}))
	select {
	case <-joined:
	case <-time.After(patience):
		t.Fatal("the other program does not join its group")
	}
	c := config(b, topic)
	c.Group = topic
	if _, err := Open(t.Context(), c, nil); err == nil || !strings.Contains(err.Error(), "in use by another program") {
		t.Errorf("%v", err)
	}
}

// TestNowhere: what is not there is said.
func TestNowhere(t *testing.T) {
	b := kafkatest.Start(t)
	if _, err := Open(t.Context(), config(b, "nothing"), nil); err == nil || !strings.Contains(err.Error(), "/nothing: there is no such topic") {
		t.Errorf("%v", err)
	}
}

// TestLostRecords: records of a leader that lacked some which were read already are
// read, though it gave them the offsets of those. They were passed over, and nothing
// was said.
func TestLostRecords(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 1)
	for i := range 10 {
		b.Produce(t, topic, 0, lines(10*i, 10*i+10)...)
	}
	l := accept(t, open(t, config(b, topic)))
	same(t, until(t, l, atEnd).values, lines(0, 100))
	b.Lose(t, topic, 0, 60)
	b.Produce(t, topic, 0, lines(1000, 1080)...)
	r := until(t, l, func(r *read) bool { return len(r.values) > 0 && atEnd(r) })
	same(t, r.values, lines(1000, 1080))
	if got := strings.Join(r.whys, "; "); !strings.Contains(got, "has other records from 60 on, before 100, up to where it was read: brokers lost those") {
		t.Errorf("said %q", got)
	}
}
