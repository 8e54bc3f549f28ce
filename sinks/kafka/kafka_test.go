package kafka

import (
	"context"
	"crypto/sha256"
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

// patience is how long a test waits for what must come: a broker that gets too
// little time answers late.
const patience = 15 * time.Minute

func config(t *testing.T, name string) kafka.Config {
	t.Helper()
	c, err := kafka.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
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
			send(t, s, a)
			want[fmt.Sprintf(`{"caller":"c","session":"s%d"}`, i)] = string(a.Marshal())
		}
		java := kgo.StickyKeyPartitioner(nil).ForTopic(topic)
		partitions := map[int32]bool{}
		seen := map[string]bool{}
		for _, r := range b.Records(t, topic) { // one that was slow to arrive may be there twice
			if want[string(r.Key)] != string(r.Value) {
				t.Errorf("%s: %s", r.Key, r.Value)
			}
			seen[string(r.Key)] = true
			partitions[r.Partition] = true
			if topic != "loops-made-by-us" && java.Partition(r, 6) != int(r.Partition) {
				t.Errorf("%s is in partition %d, a Java producer would put it into %d", r.Key, r.Partition, java.Partition(r, 6))
			}
		}
		if len(seen) != len(want) || topic != "loops-made-by-us" && len(partitions) < 3 {
			t.Errorf("%d of %d are there, in partitions %v", len(seen), len(want), partitions)
		}
	}
}

// TestRecreated: a topic that is created again with fewer partitions takes
// alerts. Those of the partitions that are gone held up all others for ever.
func TestRecreated(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 6)
	s := NewAlerts(config(t, "kafka://"+b.Address+"/"+topic))
	alerts := func(n int) {
		for i := range n {
			send(t, s, &sinks.Alert{ID: fmt.Sprint("ep-", i), Scope: map[string]string{"session": fmt.Sprint("s", i)}})
		}
	}
	alerts(10)
	b.DeleteTopic(t, topic)
	b.CreateTopic(t, topic, 1)
	alerts(10)
	if n := len(b.Records(t, topic)); n < 10 {
		t.Errorf("%d are there", n)
	}
}

// TestTooLong: an alert that its topic never takes is refused. Tried again, it held
// up all others.
func TestTooLong(t *testing.T) {
	b := kafkatest.Start(t)
	s := NewAlerts(config(t, "kafka://"+b.Address+"/"+b.Topic(t, 1, "max.message.bytes=1000")))
	send(t, s, &sinks.Alert{ID: "ep-1"})
	var long strings.Builder // nothing that compresses
	for i := range 1000 {
		fmt.Fprintf(&long, "%x", sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
	}
	for deadline := time.Now().Add(patience); ; {
		err := s.Send(t.Context(), &sinks.Alert{ID: "ep-2", Evidence: long.String()})
		if _, ok := errors.AsType[*sinks.Refused](err); ok {
			break
		}
		if err == nil || time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	send(t, s, &sinks.Alert{ID: "ep-3"})
}

// send sends an alert as an outbox does, which tries again.
func send(t *testing.T, s *Alerts, a *sinks.Alert) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		err := s.Send(t.Context(), a)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
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
	left := func() int {
		v.mu.Lock()
		defer v.mu.Unlock()
		return len(v.writing) + len(v.waiting)
	}
	for deadline := time.Now().Add(patience); left() > 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		v.Settle(ctx) // which leaves a broker alone that is too slow
	}
	cancel()
	running.Wait()
	if len(v.writing)+len(v.waiting) != 0 || v.bytes != 0 || v.Dropped() != 0 {
		t.Errorf("%d wait, %d bytes, %d dropped", len(v.waiting), v.bytes, v.Dropped())
	}
	last, highest := map[string]int{}, map[string]int{}
	for _, r := range b.Records(t, topic) {
		var i int
		if _, err := fmt.Sscan(string(r.Value), &i); err != nil {
			t.Fatal(err)
		}
		// What was slow to arrive is written again.
		if before, ok := last[string(r.Key)]; ok && i != before+10 && i > before {
			t.Errorf("of key %s %d follows %d", r.Key, i, before)
		}
		last[string(r.Key)], highest[string(r.Key)] = i, max(i, highest[string(r.Key)])
	}
	for key := range 10 {
		if got := highest[fmt.Sprint(key)]; got != n-10+key {
			t.Errorf("of key %d the last is %d", key, got)
		}
	}
}

// TestSmallTopic: a topic that takes less at once than is written takes it in parts.
// It took no verdict.
func TestSmallTopic(t *testing.T) {
	b := kafkatest.Start(t)
	c := config(t, "kafka://"+b.Address+"/"+b.Topic(t, 1, "max.message.bytes=10000"))
	to, list := topic{config: c}, []kafka.Message(nil)
	for i := range 1000 {
		list = append(list, kafka.Message{Key: []byte("k"), Value: fmt.Appendf(nil, "%d %x", i, sha256.Sum256(fmt.Append(nil, i)))})
	}
	if err := to.write(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, m := range list {
		at[string(m.Value)] = i
	}
	next := 0
	for _, r := range b.Records(t, c.Topic) {
		i, ok := at[string(r.Value)]
		if !ok || i > next {
			t.Fatalf("%s stands where %s should", r.Value, list[next].Value)
		}
		next = i + 1 // what was slow to arrive is written again
	}
	if next != len(list) {
		t.Errorf("the last record is %d of %d", next, len(list))
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

// What waits at the end is lost, and that is said.
func TestVerdictsLeft(t *testing.T) {
	var said strings.Builder
	v := NewVerdicts(config(t, "kafka://127.0.0.1:1/verdicts"), slog.New(slog.NewTextHandler(&said, nil)))
	for range 3 {
		v.add(kafka.Message{Key: []byte{1}, Value: []byte{1}})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v.Run(ctx)
	if v.Dropped() != 3 || !strings.Contains(said.String(), "did not take them before the end") || !strings.Contains(said.String(), "verdicts=3") {
		t.Errorf("%d dropped: %s", v.Dropped(), &said)
	}
}
