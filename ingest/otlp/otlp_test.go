package otlp

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/loopgauge/loopgauge/fixtures"
	"github.com/loopgauge/loopgauge/ingest/otlp/otlptest"
)

// value is what a JSON text stands for.
func value(tb testing.TB, text []byte) (v any) {
	tb.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		tb.Fatalf("%v: %q", err, text)
	}
	return v
}

func same(tb testing.TB, of string, want, got []byte) {
	tb.Helper()
	if w, g := value(tb, want), value(tb, got); !reflect.DeepEqual(w, g) {
		tb.Errorf("%s: %s", of, cmp.Diff(w, g))
	}
}

// TestFixtures: of each batch the JSON is that which OpenTelemetry's types give.
func TestFixtures(t *testing.T) {
	for name, lines := range otlptest.Logs(t) {
		for _, line := range lines {
			data := otlptest.FromJSON(t, line)
			got, at, why := AppendJSON(nil, data, 0)
			if why != "" || !Begins(data) {
				t.Fatalf("%s: byte %d: %s: %s", name, at, why, line)
			}
			want, _, err := otlptest.ToJSON(data, bytes.HasPrefix(line, []byte(`{"resourceSpans"`)))
			if err != nil {
				t.Fatal(err)
			}
			same(t, name, want, got)
		}
	}
}

// TestWritten: what OpenTelemetry's SDK for Python and its Collector encode is, as JSON,
// what they write as JSON.
func TestWritten(t *testing.T) {
	for _, name := range []string{"otlp/python_traces", "otlp/python_logs", "otlp/collector_logs"} {
		data := fixtures.Read(t, name+".binpb")
		got, at, why := AppendJSON([]byte("x"), data, 0)
		if why != "" || !Begins(data) || got[0] != 'x' {
			t.Fatalf("%s: byte %d: %s", name, at, why)
		}
		same(t, name, fixtures.Read(t, name+".json"), got[1:])
	}
}

// The fields of messages, as they stand on the wire.

func lengthOf(number protowire.Number, of ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), bytes.Join(of, nil))
}

func textOf(number protowire.Number, text string) []byte { return lengthOf(number, []byte(text)) }

func varintOf(number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), v)
}

func fixedOf(number protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, number, protowire.Fixed64Type), v)
}

// attribute is one of a span or of a log record, with a value.
func attribute(number protowire.Number, value ...[]byte) []byte {
	return lengthOf(number, textOf(1, "a"), lengthOf(2, value...))
}

// aSpan is spans of one that has these fields and what it is told by.
func aSpan(more ...[]byte) []byte {
	told := bytes.Join([][]byte{textOf(1, strings.Repeat("\x0a", 16)), textOf(2, strings.Repeat("\x12", 8)), fixedOf(7, 5)}, nil)
	return lengthOf(1, lengthOf(2, lengthOf(2, append([][]byte{told}, more...)...)))
}

// aLog is log records of one.
func aLog(fields ...[]byte) []byte { return lengthOf(1, lengthOf(2, lengthOf(2, fields...))) }

// TestMessages: every kind of value, and what exporters may write but none does.
func TestMessages(t *testing.T) {
	span := func(want string, fields ...[]byte) {
		t.Helper()
		got, at, why := AppendJSON(nil, aSpan(fields...), 0)
		want = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"` + strings.Repeat("0a", 16) + `","spanId":"` + strings.Repeat("12", 8) + `",` + want + `}]}]}]}`
		if string(got) != want || why != "" {
			t.Errorf("byte %d: %s\ngot  %s\nwant %s", at, why, got, want)
		}
	}
	const start = `"startTimeUnixNano":"5"`
	span(start)
	span(`"parentSpanId":"ff","name":"n \"\u0007é","kind":3,`+start+`,"endTimeUnixNano":"18446744073709551615","droppedAttributesCount":4294967295`,
		textOf(4, "\xff"), textOf(5, "n \"\aé"), varintOf(6, 3), fixedOf(8, math.MaxUint64), varintOf(10, math.MaxUint32))
	span(start+`,"events":[{"timeUnixNano":"6","name":"e"},{}],"links":[{"traceState":"s"}],"status":{"message":"m","code":2}`,
		lengthOf(11, fixedOf(1, 6), textOf(2, "e")), lengthOf(11), lengthOf(13, textOf(3, "s")), lengthOf(15, textOf(2, "m"), varintOf(3, 2)))
	value := func(want string, of ...[]byte) {
		t.Helper()
		span(start+`,"attributes":[{"key":"a","value":{`+want+`}}]`, attribute(9, of...))
	}
	value(``)
	value(`"stringValue":""`, textOf(1, ""))
	value(`"boolValue":true`, varintOf(2, 7))
	value(`"boolValue":false`, varintOf(2, 0))
	value(`"intValue":"-1"`, varintOf(3, math.MaxUint64))
	value(`"doubleValue":0.2`, fixedOf(4, math.Float64bits(0.2)))
	value(`"doubleValue":1e+21`, fixedOf(4, math.Float64bits(1e21)))
	value(`"doubleValue":"NaN"`, fixedOf(4, math.Float64bits(math.NaN())))
	value(`"doubleValue":"Infinity"`, fixedOf(4, math.Float64bits(math.Inf(1))))
	value(`"doubleValue":"-Infinity"`, fixedOf(4, math.Float64bits(math.Inf(-1))))
	value(`"arrayValue":{"values":[{"intValue":"1"},{}]}`, lengthOf(5, lengthOf(1, varintOf(3, 1)), lengthOf(1)))
	value(`"kvlistValue":{"values":[{"key":"a","value":{"stringValue":"b"}}]}`, lengthOf(6, attribute(1, textOf(1, "b"))))
	value(`"bytesValue":"AP8="`, textOf(7, "\x00\xff"))
	// The last of several counts, of different ones too; unknown ones do not.
	value(`"boolValue":true`, textOf(1, "x"), varintOf(3, 5), varintOf(2, 1), varintOf(99, 1))
	span(`"name":"b",`+start, textOf(5, "a"), textOf(5, "b"))
	// What is empty is none, but for a value of any kind and in a list.
	span(start, textOf(4, ""), textOf(5, "a"), textOf(5, ""), varintOf(6, 0), fixedOf(8, 0))
	// Those of a list belong together, wherever they stand.
	span(`"name":"n",`+start+`,"attributes":[{"key":"a","value":{}},{"key":"a","value":{"intValue":"2"}}]`,
		attribute(9), textOf(5, "n"), attribute(9, varintOf(3, 2)))

	const log = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{`
	f := func(data []byte, want string) {
		t.Helper()
		if got, at, why := AppendJSON(nil, data, 0); string(got) != want || why != "" {
			t.Errorf("byte %d: %s\ngot  %s\nwant %s", at, why, got, want)
		}
	}
	f(aLog(fixedOf(1, 7), varintOf(2, 9), textOf(9, "\x01"), textOf(12, "e")), log+`"timeUnixNano":"7","severityNumber":9,"traceId":"01","eventName":"e"}]}]}]}`)
	f(aLog(fixedOf(11, 7)), log+`"observedTimeUnixNano":"7"}]}]}]}`)
	f(aLog(lengthOf(5, textOf(1, "b"))), log+`"body":{"stringValue":"b"}}]}]}]}`)
	f(aLog(fixedOf(1, 7), varintOf(2, math.MaxUint64)), log+`"timeUnixNano":"7","severityNumber":-1}]}]}]}`) // of an enum
	// Metrics are told, and no more.
	metric := lengthOf(2, textOf(1, strings.Repeat("m", 16)), textOf(2, "of eight"), lengthOf(5, lengthOf(1, fixedOf(3, 5))))
	f(lengthOf(1, lengthOf(1), lengthOf(2, metric)), `{"resourceMetrics":[{}]}`)
	// What says nothing of what it is of is as good as empty.
	f(nil, `{}`)
	f(lengthOf(1, lengthOf(1, attribute(1, textOf(1, "b")))), `{"resourceSpans":[{"resource":{"attributes":[{"key":"a","value":{"stringValue":"b"}}]}}]}`)
}

// TestUnreadable: what is wrong, where, and what was read up to there.
func TestUnreadable(t *testing.T) {
	f := func(data []byte, limit, wantAt int, wantWhy string) {
		t.Helper()
		got, at, why := AppendJSON(nil, data, limit)
		if at != wantAt || why != wantWhy || len(got) == 0 || json.Valid(got) && why != TooLong {
			t.Errorf("byte %d: %s: %s, want byte %d: %s", at, why, got, wantAt, wantWhy)
		}
		if limit > 0 && len(got) > limit+len("},{") {
			t.Errorf("%d bytes, the limit is %d", len(got), limit)
		}
	}
	// Where the message begins that a length says is longer.
	whole := aSpan(textOf(5, "name"))
	f(whole[:len(whole)-1], 0, 1, "OpenTelemetry's protobuf breaks off in TracesData.resourceSpans")
	lies := aSpan(textOf(5, "name"))
	lies[len(lies)-5]++ // the length of the name
	f(lies, 0, len(lies)-5, "OpenTelemetry's protobuf breaks off in Span.name")
	f(aSpan([]byte{5<<3 | 2, 0xff}), 0, len(aSpan())+1, "OpenTelemetry's protobuf breaks off in Span")
	f(aSpan([]byte{99 << 3 & 0x7f, 0x80}), 0, len(aSpan())+1, "OpenTelemetry's protobuf breaks off in Span")
	f(aSpan([]byte{7}), 0, len(aSpan())+1, "no field of OpenTelemetry's protobuf in Span") // of a type that there is not
	f(aSpan(varintOf(9, 1)), 0, len(aSpan())+1, "OpenTelemetry's protobuf has another type in Span.attributes")
	f(aSpan(attribute(9, lengthOf(2))), 0, len(aSpan())+8, "OpenTelemetry's protobuf has another type in AnyValue.boolValue")
	f(aSpan(textOf(5, strings.Repeat("x", 1000))), 500, 0, TooLong)
	f(aSpan(textOf(5, strings.Repeat("\x01", 400))), 500, 0, TooLong)
	f(aSpan(textOf(5, strings.Repeat("\n\"\\", 200))), 1100, 0, TooLong)
	f(aSpan(bytes.Repeat(lengthOf(11), 1000)), 500, 0, TooLong)
	deep := textOf(1, "x")
	for range 600 {
		deep = lengthOf(5, lengthOf(1, deep))
	}
	f(aSpan(attribute(9, deep)), 0, 0, "nested too deep")
	deep = textOf(1, "x")
	for len(deep) < 1<<16 {
		deep = lengthOf(5, lengthOf(1, deep))
	}
	f(aSpan(attribute(9, deep)), 0, 0, "nested too deep")
}

// TestBegins: neither text nor other binary data are taken for it.
func TestBegins(t *testing.T) {
	f := func(want bool, data string) {
		t.Helper()
		if got := Begins([]byte(data)); got != want {
			t.Errorf("%v: %q", got, data)
		}
	}
	whole := string(aSpan(textOf(5, "name")))
	f(true, whole)
	f(true, whole[:len(whole)-6]) // cut behind its start
	f(false, whole[:20])
	f(true, string(lengthOf(1, lengthOf(1)))+whole) // nothing of the first resource
	f(false, string(lengthOf(1, lengthOf(1))))
	f(true, string(aLog(fixedOf(1, 7))))
	f(false, string(aLog(textOf(3, "INFO")))) // neither a time nor a body
	f(false, string(lengthOf(1, lengthOf(2, lengthOf(2, textOf(1, "metric"))))))
	f(false, string(lengthOf(1, lengthOf(4), lengthOf(2, lengthOf(2, fixedOf(1, 7)))))) // no resource has that
	f(false, "")
	f(false, "\n")
	f(false, "\n\n\n\n")
	f(false, "{\"resourceSpans\":[]}")
	f(false, "\n{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{}]}]}]}\n")
	f(false, "\n\n\n\x12\n\n127.0.0.1 - - [21/Nov/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n")
	f(false, "\x00\x00\x00\x00\x01"+whole) // Confluent's frame, magic byte 0
	f(false, "Obj\x01\x04")
	// A span of Jaeger's: trace id, span id, name, flags, start.
	f(false, string(bytes.Join([][]byte{textOf(1, strings.Repeat("\x0a", 16)), textOf(2, "12345678"), textOf(3, "name"), varintOf(5, 1), lengthOf(6, varintOf(1, 1795233327))}, nil)))
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 64)
	for range 1_000_000 {
		for i := range len(data) / 8 {
			binary.LittleEndian.PutUint64(data[8*i:], random.Uint64())
		}
		data[0] = '\n'
		if Begins(data) {
			t.Fatalf("%q", data)
		}
	}
}

// FuzzAppendJSON: whatever the data are, the JSON is one line of it, or says where they
// cannot be read. Of what OpenTelemetry's types read, it is theirs.
func FuzzAppendJSON(f *testing.F) {
	for _, lines := range otlptest.Logs(f) {
		for _, line := range lines {
			if data := otlptest.FromJSON(f, line); len(data) < 1500 {
				f.Add(data)
			}
		}
	}
	for _, name := range []string{"otlp/python_traces.binpb", "otlp/python_logs.binpb", "otlp/collector_logs.binpb"} {
		f.Add(fixtures.Read(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 1 << 20
		got, at, why := AppendJSON(nil, data, limit)
		switch {
		case why == "" && (!json.Valid(got) || bytes.IndexByte(got, '\n') >= 0 || len(got) > limit):
			t.Fatalf("%q", got)
		case at < 0 || at > len(data)+1 || why == "" && at > 0:
			t.Fatalf("byte %d of %d: %s", at, len(data), why)
		}
		of, ok := dataOf(data)
		if !ok || of == metricsData {
			return
		}
		want, usual, err := otlptest.ToJSON(data, of == tracesData)
		if again, ok := dataOf(usual); err != nil || !ok || again != of || bytes.Contains(want, []byte("trindex")) { // of profiles
			return
		}
		if got, _, why = AppendJSON(nil, usual, 0); why == "" {
			same(t, "as OpenTelemetry writes it", want, got)
		} else if why != tooDeep && !strings.HasPrefix(why, otherType) { // which Go's passes over, and the Collector refuses
			t.Fatalf("%s: %q", why, usual)
		}
	})
}
