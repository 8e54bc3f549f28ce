package kafka

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/kafka/kafkatest"
	"github.com/loopgauge/loopgauge/ingest/otlp/otlptest"
)

// spans are those of calls of a model that end at these seconds, as JSON.
func spans(seconds ...int) string {
	var list []string
	for _, s := range seconds {
		list = append(list, fmt.Sprintf(`{"traceId":"0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","spanId":"%016x","startTimeUnixNano":"%d000000000","endTimeUnixNano":"%d000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.request.model","value":{"stringValue":"gpt-4o"}}]}`, s+1, 1795233600+s, 1795233600+s))
	}
	return `{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"s"},"spans":[` + strings.Join(list, ",") + `]}]}]}`
}

// TestProtobuf: what the Collector's exporter writes unless it is told otherwise, among
// what it writes as JSON, is read to its end, followed, and gone on with.
func TestProtobuf(t *testing.T) {
	b := kafkatest.Start(t)
	topic := b.Topic(t, 1)
	protobuf := func(seconds ...int) string { return string(otlptest.FromJSON(t, []byte(spans(seconds...)))) }
	whole := protobuf(3)
	b.Produce(t, topic, 0, protobuf(0, 1), spans(2), whole[:len(whole)-1], whole, "", protobuf(4))
	const cut = "2: OpenTelemetry's protobuf breaks off in TracesData.resourceSpans"
	want := []string{"otel at 04:00:00", "otel at 04:00:01", "otel at 04:00:02", cut, "otel at 04:00:03", "otel at 04:00:04"}

	streams, err := Streams(t.Context(), config(b, topic), time.Time{}, 0)
	must(t, err)
	ended := seeing{rd: ingest.NewReader(0)}
	if first := streams[0].First(); first != 1795233600e6 {
		t.Errorf("the first is of %d", first)
	}
	for block, err := streams[0].Next(); err == nil; block, err = streams[0].Next() {
		ended.add(block)
	}
	streams[0].Close()
	same(t, ended.got, want)

	follow := func(mark []ingest.Mark, want []string) ingest.Mark {
		t.Helper()
		feed := open(t, config(b, topic), mark...)
		l, live := accept(t, feed), seeing{rd: ingest.NewReader(0)}
		chunk := ingest.Chunk{}
		for !chunk.AtEnd {
			chunk, err = l.Next(t.Context())
			must(t, err)
			if chunk.Block != nil {
				live.add(chunk.Block)
			}
		}
		must(t, feed.Close())
		same(t, live.got, want)
		return chunk.Mark
	}
	mark := follow(nil, want)
	if mark.Format != "otel" || mark.Offset != 6 {
		t.Errorf("%+v", mark)
	}
	b.Produce(t, topic, 0, protobuf(5))
	follow([]ingest.Mark{mark}, []string{"otel at 04:00:05"})

	metrics := b.Topic(t, 1)
	b.Produce(t, metrics, 0, "\n\x14\x12\x12\x12\x10\n\x06metric*\x06\n\x04\x11\x00\x00\x00")
	_, err = Streams(t.Context(), config(b, metrics), time.Time{}, 0)
	if want := "no known log format in partition 0\nthese are OpenTelemetry's metrics, in which there is no request: name what its traces or logs are in"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v", err)
	}
}
