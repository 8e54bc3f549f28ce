package kafka

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
	"github.com/loopgauge/loopgauge/ingest/otlp/otlptest"
)

// drain reads streams to their end: "partition:offsets" of each.
func drain(t *testing.T, streams []ingest.Stream) string {
	t.Helper()
	var all []string
	for _, s := range streams {
		var r read
		for {
			b, err := s.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			must(t, err)
			if b.Format == nil || b.Format.Name != "loopgauge" {
				t.Errorf("format %v", b.Format)
			}
			r.add(ingest.Chunk{Block: b})
		}
		for i, o := range r.offsets {
			if o != r.offsets[0]+int64(i) {
				t.Errorf("%s: record %d has offset %d", s.Name(), i, o)
			}
		}
		_, name, _ := strings.Cut(s.Name(), "/")
		all = append(all, fmt.Sprintf("%s:%d-%d", name, r.offsets[0], r.offsets[len(r.offsets)-1]+1))
		if s.Read() != s.Size() || s.Size() <= 0 {
			t.Errorf("%s: read %d of %d", s.Name(), s.Read(), s.Size())
		}
		s.Close()
	}
	return strings.Join(all, " ")
}

// TestStreams: partitions are read between times or offsets, to their end.
func TestStreams(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 3)
	at := time.Now().Add(-6 * time.Hour).Truncate(time.Second)
	var records []*kgo.Record
	for i := range 360 {
		for p := range int32(2) { // nothing in the last
			records = append(records, &kgo.Record{Topic: topic, Partition: p, Value: []byte(line(i)), Timestamp: at.Add(time.Duration(i) * time.Minute)})
		}
	}
	b.ProduceRecords(t, records, kgo.MaxBufferedRecords(10))
	b.Transaction(t, topic, 1, true, lines(360, 361)...) // a control record at the end
	f := func(since time.Time, offsets, want string) {
		t.Helper()
		c := config(b, topic)
		if offsets != "" {
			named, err := Parse(c.String() + "?offsets=" + offsets)
			must(t, err)
			c.Offsets = named.Offsets
		}
		streams, err := Streams(t.Context(), c, since, 5)
		if err != nil {
			if err.Error() != want {
				t.Errorf("%s: %v, want %s", offsets, err, want)
			}
			return
		}
		if first := streams[0].First(); offsets == "" && since.IsZero() && first != 1700000000e6 {
			t.Errorf("first time %d", first)
		}
		seen := 0
		err = streams[0].Probe(1<<20, func(b *ingest.Block) { seen += len(b.Records); b.Format.New(0) })
		if err != nil || seen == 0 {
			t.Errorf("probe: %d records, %v", seen, err)
		}
		if got := drain(t, streams); got != want {
			t.Errorf("%s %s: %s, want %s", since, offsets, got, want)
		}
	}
	f(time.Time{}, "", "0:0-360 1:0-361")
	f(at.Add(2*time.Hour), "", "0:60-360 1:60-361") // an hour earlier: producers may stamp the beginning
	f(time.Time{}, "1:10-20", "1:10-20")
	f(time.Time{}, "1:350-,0:-3", "1:350-361 0:0-3")
	f(time.Time{}, "0:355-1000", "0:355-360")
	name := (&Config{Brokers: []string{b.Address}, Topic: topic}).String()
	b.DeleteRecords(t, topic, 0, 70)
	f(time.Time{}, "0:-80", "0:70-80")
	f(time.Time{}, "0:69-80", name+": record 69 of partition 0 is there no more: its first is 70\nits retention has deleted it: for what is left leave out where to begin, as in offsets=0:-")
	f(time.Now().Add(2*time.Hour), "", name+": no records there")
	f(time.Time{}, "2", name+": no records there")
	f(time.Time{}, "7", name+": there is no partition 7\nthere are 3, from 0 on")

	// Two pieces of a long partition are looked at, not all of it.
	streams, err := Streams(t.Context(), config(b, topic), time.Time{}, 0)
	must(t, err)
	s := streams[0].(*stream)
	s.size = 1 << 40
	var offsets []int64
	err = s.Probe(512<<10, func(b *ingest.Block) {
		for _, r := range b.Records {
			offsets = append(offsets, r.Offset)
		}
	})
	if err != nil || len(offsets) < 1 || !slices.IsSorted(offsets) { // what was all there is shown once
		t.Errorf("%v, %v", offsets, err)
	}
	for _, s := range streams {
		s.Close()
		if _, err := s.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("closed: %v", err)
		}
	}
}

// TestStrange: records that are no log say so, and none of their text.
func TestStrange(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 1)
	b.Produce(t, topic, 0, "what a secret")
	_, err := Streams(t.Context(), config(b, topic), time.Time{}, 0)
	if err == nil || !strings.Contains(err.Error(), "no known log format in partition 0") || !strings.Contains(err.Error(), "that loopgauge extract wrote is for loopgauge watch") || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
	whole := string(otlptest.FromJSON(t, []byte(spans(0))))
	for record, want := range map[string]string{
		"what a secret":                ": record 1 is neither JSON nor an access log line\nname it with --format, ",
		`{"secret":1}`:                 ": record 1 is JSON, but not of a known gateway\nname it with --format, ",
		`{"secret":1`:                  ": record 1, column 12: unexpected end of the value\nname it with --format, ",
		"\n\x10secret\x1a\x02\x00\x00": ": record 1 is binary data\nlet text, JSON or OpenTelemetry's protobuf ",
		"\x00\x00\x00\x00\x07{}":       ": record 1 is binary data\nlet text, JSON or OpenTelemetry's protobuf ", // of a schema registry
		whole[:len(whole)-1]:           ": record 1, byte 1: OpenTelemetry's protobuf breaks off in TracesData.resourceSpans\n--format otel reads the others",
	} {
		strange := b.Topic(t, 1)
		b.Produce(t, strange, 0, " \n", record)
		_, err := Streams(t.Context(), config(b, strange), time.Time{}, 0)
		if err == nil || !strings.Contains(err.Error(), "no known log format in partition 0"+want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", record, err)
		}
	}
	c := config(b, topic)
	c.Format = formats.ByName("loopgauge")
	streams, err := Streams(t.Context(), c, time.Time{}, 0)
	must(t, err)
	streams[0].Close()
	// A feed waits for a record that says what it is; what came before is
	// counted as malformed.
	l := accept(t, open(t, config(b, topic)))
	if r := until(t, l, func(r *read) bool { return len(r.values) == 1 }); r.chunk.Mark.Format != "" {
		t.Errorf("format %q", r.chunk.Mark.Format)
	}
	b.Produce(t, topic, 0, lines(0, 3)...)
	if r := until(t, l, func(r *read) bool { return len(r.values) == 3 }); r.chunk.Mark.Format != "loopgauge" {
		t.Errorf("format %q", r.chunk.Mark.Format)
	}
}

// TestNothingLeft: partitions of which nothing but control records is left are read
// without being one, and with the others. They made the topic an unknown format.
func TestNothingLeft(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 2)
	b.Transaction(t, topic, 0, true, lines(0, 3)...)
	b.Produce(t, topic, 1, lines(0, 5)...)
	b.DeleteRecords(t, topic, 0, 3)
	streams, err := Streams(t.Context(), config(b, topic), time.Time{}, 0)
	must(t, err)
	if got := drain(t, streams); got != "1:0-5" {
		t.Errorf("read %s", got)
	}
	b.DeleteRecords(t, topic, 0, 4) // the control record, too
	streams, err = Streams(t.Context(), config(b, topic), time.Unix(0, 0), 0)
	must(t, err)
	if got := drain(t, streams); got != "1:0-5" {
		t.Errorf("of all times read %s", got)
	}
}
