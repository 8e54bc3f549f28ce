package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

func TestMain(m *testing.M) { kafkatest.Main(m) }

func config(t *testing.T, name string) kafka.Config {
	t.Helper()
	c, err := kafka.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// read reads n records of a topic: partition, key and value.
func read(t *testing.T, b *kafkatest.Broker, topic string, n int) (list []*kgo.Record) {
	t.Helper()
	c := b.Client(t, kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for len(list) < n {
		fetched := c.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			t.Fatalf("%d of %d records: %v", len(list), n, err)
		}
		list = append(list, fetched.Records()...)
	}
	return list
}

// TestAlerts writes alerts to a real broker: as webhooks get them, where a
// Java producer would put them.
func TestAlerts(t *testing.T) {
	b := kafkatest.Start(t)
	for _, topic := range []string{b.Topic(t, 6), "loops-made-by-us"} {
		s := NewAlerts(config(t, "kafka://"+b.Address+"/"+topic))
		want := map[string]string{}
		for i := range 20 {
			a := &sinks.Alert{Version: 1, Event: "loop.opened", ID: fmt.Sprint("ep-", i), State: window.Opened, Scope: map[string]string{"session": fmt.Sprint("s", i), "caller": "c"}}
			if err := s.Send(t.Context(), a); err != nil {
				t.Fatal(err)
			}
			want[fmt.Sprintf(`{"caller":"c","session":"s%d"}`, i)] = string(a.Marshal())
		}
		java := kgo.StickyKeyPartitioner(nil).ForTopic(topic)
		partitions := map[int32]bool{}
		for _, r := range read(t, b, topic, len(want)) {
			if want[string(r.Key)] != string(r.Value) {
				t.Errorf("%s: %s", r.Key, r.Value)
			}
			delete(want, string(r.Key))
			partitions[r.Partition] = true
			if topic != "loops-made-by-us" && java.Partition(r, 6) != int(r.Partition) {
				t.Errorf("%s is in partition %d, a Java producer would put it into %d", r.Key, r.Partition, java.Partition(r, 6))
			}
		}
		if len(want) > 0 || topic != "loops-made-by-us" && len(partitions) < 3 {
			t.Errorf("%d are missing; in partitions %v", len(want), partitions)
		}
	}
}

// TestNobody: a broker that is not there is tried again; nothing waits for it
// but the sink.
func TestNobody(t *testing.T) {
	nowhere := config(t, "kafka://127.0.0.1:1/loops")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := NewAlerts(nowhere).Send(ctx, &sinks.Alert{})
	if _, refused := errors.AsType[*sinks.Refused](err); err == nil || refused {
		t.Errorf("%v", err)
	}
}

func TestVerdicts(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 3)
	v := NewVerdicts(config(t, "kafka://"+b.Address+"/"+topic), slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { v.Run(ctx) })
	const n = 12_000 // several writes
	for i := range n {
		v.add(kafka.Message{Key: fmt.Append(nil, i%10), Value: fmt.Append(nil, i)})
	}
	v.Settle(ctx)
	cancel()
	running.Wait()
	if len(v.writing)+len(v.waiting) != 0 || v.bytes != 0 || v.Dropped() != 0 {
		t.Errorf("%d wait, %d bytes, %d dropped", len(v.waiting), v.bytes, v.Dropped())
	}
	last := map[string]int{}
	for _, r := range read(t, b, topic, n) {
		var i int
		if _, err := fmt.Sscan(string(r.Value), &i); err != nil {
			t.Fatal(err)
		}
		if before, ok := last[string(r.Key)]; ok && i != before+10 {
			t.Errorf("of key %s %d follows %d", r.Key, i, before)
		}
		last[string(r.Key)] = i
	}
}

// What no broker takes is bounded, dropped from the oldest on, and counted.
func TestVerdictsFull(t *testing.T) {
	v := NewVerdicts(config(t, "kafka://127.0.0.1:1/verdicts"), slog.New(slog.DiscardHandler))
	big := []byte(strings.Repeat("x", 1<<20))
	for i := range 70 {
		v.add(kafka.Message{Key: []byte{byte(i)}, Value: big})
	}
	if v.Dropped() != 7 || v.bytes > maxBytes || v.waiting[0].Key[0] != 7 || len(v.waiting) != 63 {
		t.Errorf("%d dropped, %d bytes, %d wait", v.Dropped(), v.bytes, len(v.waiting))
	}
	v.wrote(errors.New("down"))
	v.Settle(t.Context()) // does not wait
}
