package kafka

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
)

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func TestMain(m *testing.M) { kafkatest.Main(m) }

func line(i int) string {
	return fmt.Sprintf(`{"time":%d,"id":"r%d","path":"/v1/chat/completions","body":"%s"}`, 1700000000+i, i, strings.Repeat("x", i%50))
}

func lines(from, to int) []string {
	var l []string
	for i := from; i < to; i++ {
		l = append(l, line(i))
	}
	return l
}

// session is longer than a machine stands still, and patience how long a test
// waits for what must come: nothing is wrong with a machine on which it takes
// minutes.
const (
	session  = time.Minute
	patience = 15 * time.Minute
)

func config(b *kafkatest.Broker, topic string) Config {
	return Config{Brokers: []string{b.Address}, Topic: topic, Start: Start{Earliest: true}, SessionTimeout: session, Heartbeat: 200 * time.Millisecond}
}

// open opens a feed for the test's time.
func open(t *testing.T, c Config, marks ...ingest.Mark) *Feed {
	t.Helper()
	f, err := Open(t.Context(), c, marks)
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// read is what was read of a partition.
type read struct {
	offsets []int64
	values  []string
	chunk   ingest.Chunk // sums, and the last mark
	whys    []string
}

func (r *read) add(c ingest.Chunk) {
	if b := c.Block; b != nil {
		for offset, data := range b.Each() {
			r.offsets = append(r.offsets, offset)
			r.values = append(r.values, string(data))
		}
		b.Release()
	}
	r.chunk.Mark, r.chunk.AtEnd = c.Mark, c.AtEnd
	r.chunk.Lost += c.Lost
	r.chunk.Control += c.Control
	r.chunk.Transactional += c.Transactional
	if c.Why != "" {
		r.whys = append(r.whys, c.Why)
	}
}

// until reads a partition until it says enough.
func until(t *testing.T, l ingest.Live, enough func(*read) bool) *read {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := &read{}
	for {
		c, err := l.Next(ctx)
		if err != nil {
			t.Fatalf("%v, after %d records, at %d, %q", err, len(r.values), r.chunk.Mark.Offset, r.whys)
		}
		if r.add(c); enough(r) {
			return r
		}
	}
}

func atEnd(r *read) bool { return r.chunk.AtEnd }

// accepted are streams that a feed named together with one that a test took.
var accepted = map[*Feed][]ingest.Live{}

// accept takes the next stream.
func accept(t *testing.T, f *Feed) ingest.Live {
	t.Helper()
	if len(accepted[f]) == 0 {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		list, err := f.Accept(ctx)
		must(t, err)
		accepted[f] = list
	}
	l := accepted[f][0]
	accepted[f] = accepted[f][1:]
	return l
}

func same(t *testing.T, got []string, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d records, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("record %d is %.80q, want %.80q", i, got[i], want[i])
		}
	}
}

// TestFeed: the contract of a feed.
func TestFeed(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 2)
	b.Produce(t, topic, 0, lines(0, 1000)...)
	c := config(b, topic)
	c.Group, c.State = topic, "state"
	f := open(t, c)
	zero, one := accept(t, f), accept(t, f)
	if zero.Name() != topic+"/0" || one.Name() != topic+"/1" || one.Mark().Stream != 1 {
		t.Errorf("partitions %s and %s", zero.Name(), one.Name())
	}
	r := until(t, zero, atEnd)
	same(t, r.values, lines(0, 1000))
	if m := r.chunk.Mark; m.Offset != 1000 || m.Format != "loopgauge" || m.Stream != 0 || m.Name != topic+"/0" || len(m.Topic) != 32 {
		t.Errorf("mark %+v", m)
	}
	if r := until(t, one, atEnd); r.chunk.Mark.Offset != 0 || r.chunk.Mark.Format != "" {
		t.Errorf("empty partition: %+v", r.chunk.Mark)
	}
	must(t, f.Commit(t.Context(), []ingest.Mark{r.chunk.Mark}))
	if got := fmt.Sprint(b.Committed(t, topic, topic, 2)); got != "[1000 -1]" {
		t.Errorf("committed %s", got)
	}
	// Records that come are read; a new partition is accepted, from its first record.
	b.Produce(t, topic, 1, line(1))
	until(t, one, func(r *read) bool { return len(r.values) == 1 })
	b.AddPartitions(t, topic, 3)
	b.Produce(t, topic, 2, line(2))
	two := accept(t, f)
	if r := until(t, two, atEnd); two.Name() != topic+"/2" || len(r.values) != 1 {
		t.Errorf("new partition %s: %q", two.Name(), r.values)
	}
	// Another process goes on from the marks.
	must(t, f.Close())
	b.Produce(t, topic, 0, lines(1000, 1010)...)
	mark := r.chunk.Mark
	mark.Offset = 990
	f = open(t, c, mark)
	r = until(t, accept(t, f), atEnd)
	same(t, r.values, lines(990, 1010))
}
