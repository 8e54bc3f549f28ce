package ingest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/otlp/otlptest"
)

// framedExports are exports with their lengths in front.
func framedExports(exports ...[]byte) (file []byte) {
	for _, data := range exports {
		file = append(binary.BigEndian.AppendUint32(file, uint32(len(data))), data...)
	}
	return file
}

// usual is a line of JSON with no more escapes than it needs.
func usual(tb testing.TB, line []byte) []byte {
	tb.Helper()
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var v any
	must(tb, d.Decode(&v))
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	must(tb, e.Encode(v))
	return bytes.TrimSpace(b.Bytes())
}

// TestProtobufFiles: a log in OpenTelemetry's protobuf is read as the same log in JSON,
// however it is packed.
func TestProtobufFiles(t *testing.T) {
	for name, lines := range otlptest.Logs(t) {
		var exports, packed [][]byte
		for i, line := range lines {
			lines[i] = usual(t, line)
			data := otlptest.FromJSON(t, line)
			exports, packed = append(exports, data), append(packed, zst(t, data))
		}
		f := func(how string, lines [][]byte, file []byte, o Options) {
			t.Helper()
			want, got := read(t, append(bytes.Join(lines, []byte("\n")), '\n'), o), read(t, file, o)
			if got.format != want.format || got.tally != want.tally {
				t.Errorf("%s, %s: %s %+v, want %s %+v", name, how, got.format, got.tally, want.format, want.tally)
			}
			if diff := cmp.Diff(want.requests, got.requests); diff != "" {
				t.Errorf("%s, %s: %s", name, how, diff)
			}
			for i := range min(len(want.at), len(got.at)) {
				if want, got := want.at[i], got.at[i]; got.Line != want.Line || got.Item != want.Item {
					t.Errorf("%s, %s: request %d at %d:%d, want %d:%d", name, how, i, got.Line, got.Item, want.Line, want.Item)
				}
			}
		}
		framed := framedExports(exports...)
		f("framed", lines, framed, Options{})
		f("framed, in small blocks", lines, framed, Options{blockSize: 100})
		f("framed, as gzip", lines, gz(t, framed), Options{})
		f("framed, as zstd", lines, zst(t, framed), Options{})
		f("each as zstd, framed", lines, framedExports(packed...), Options{})
		f("bare", lines[:1], exports[0], Options{})
		gap := func(list [][]byte) [][]byte { return slices.Insert(slices.Clone(list), 1, []byte{}) }
		f("an empty one among them", gap(lines), framedExports(gap(exports)...), Options{})
	}
}

// TestProtobufRecords: in a topic it is, too.
func TestProtobufRecords(t *testing.T) {
	records := func(values [][]byte) *Block {
		b := &Block{MaxLine: DefaultMaxLine}
		for i, v := range values {
			b.Data = append(b.Data, v...)
			b.Records = append(b.Records, Record{Offset: 100 + int64(i), End: len(b.Data)})
		}
		return b
	}
	outcome := func(b *Block) (got []string) {
		if b.Format = Detect(b.Head(10)); b.Format == nil {
			return []string{"no format"}
		}
		tally := NewReader(fingerprint.AllFields).Read(b, func(r *fingerprint.Request) {
			got = append(got, fmt.Sprintf("%d %d %s %q %q at %+v", r.Time, r.End, r.Session, r.Body, r.Messages.Items, r.Position))
		}, func(s Skip) { got = append(got, fmt.Sprintf("%+v", s)) })
		return append(got, fmt.Sprintf("%s %+v", b.Format.Name, tally))
	}
	for name, lines := range otlptest.Logs(t) {
		var protobuf, mixed [][]byte
		for i, line := range lines {
			data := otlptest.FromJSON(t, line)
			protobuf = append(protobuf, data)
			if lines[i] = usual(t, line); i%2 == 0 {
				data = lines[i]
			}
			mixed = append(mixed, data)
		}
		want := outcome(records(lines))
		for how, values := range map[string][][]byte{"protobuf": protobuf, "mixed": mixed} {
			if diff := cmp.Diff(want, outcome(records(values))); diff != "" {
				t.Errorf("%s, %s: %s", name, how, diff)
			}
		}
	}
}

// spans are those of one call of a model, as JSON, with its id and a name as long as
// wanted.
func spans(id string, name int) []byte {
	return fmt.Appendf(nil, `{"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{"name":"s"},"spans":[{"traceId":"0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a","spanId":"%s","name":"%s","startTimeUnixNano":"1795233327918119351","endTimeUnixNano":"1795233328048603964","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.request.model","value":{"stringValue":"gpt-4o"}}]}]}]}]}`,
		id, strings.Repeat("n", name))
}

// TestBadProtobuf: what is wrong with a record, or with an export of a file, costs that.
func TestBadProtobuf(t *testing.T) {
	const one, two = "0000000000000001", "0000000000000002"
	a, b := otlptest.FromJSON(t, spans(one, 1)), otlptest.FromJSON(t, spans(two, 1))
	long := otlptest.FromJSON(t, spans(one, 2000))
	metrics := []byte("\n\x2a\x12\x28\x12\x26\n\x06metric\x2a\x1c\n\x1a\x11\x01\x02\x03\x04\x05\x06\x07\x08\x19\x01\x02\x03\x04\x05\x06\x07\x08\x21\x01\x02\x03\x04\x05\x06\x07")
	lies := slices.Clone(a)
	lies[len(lies)-1-len("gpt-4o")]++ // the length of the last text

	f := func(values [][]byte, want string, tally Tally) {
		t.Helper()
		block := &Block{MaxLine: 1000}
		for i, v := range values {
			block.Data = append(block.Data, v...)
			block.Records = append(block.Records, Record{Offset: int64(i), End: len(block.Data)})
		}
		block.Format = Detect(block.Head(len(values)))
		var got []string
		n := NewReader(0).Read(block, func(r *fingerprint.Request) { got = append(got, string(r.ID)) }, func(s Skip) {
			got = append(got, fmt.Sprintf("%d:%d: %s", s.Line, s.Column, s.Why))
		})
		if text := strings.Join(got, "; "); text != want || n != tally {
			t.Errorf("got %s %+v\nwant %s %+v", text, n, want, tally)
		}
	}
	f([][]byte{a, b[:len(b)-1], b}, one+"; 1:1: OpenTelemetry's protobuf breaks off in TracesData.resourceSpans; "+two, Tally{Lines: 3, Malformed: 1})
	f([][]byte{b[:len(b)-1], a}, "0:1: OpenTelemetry's protobuf breaks off in TracesData.resourceSpans; "+one, Tally{Lines: 2, Malformed: 1})
	f([][]byte{lies, b}, fmt.Sprintf("0:%d: OpenTelemetry's protobuf breaks off in AnyValue.stringValue; ", len(lies)-len("gpt-4o")-1)+two, Tally{Lines: 2, Malformed: 1})
	f([][]byte{long, b}, "0:0: "+tooLong+"; "+two, Tally{Lines: 2, Malformed: 1})
	f([][]byte{metrics, b, nil}, two, Tally{Lines: 3, Blank: 2})
	f([][]byte{[]byte("\x00\x00\x00\x00\x01\x02\x06abc"), b}, "0:5: expected a value; "+two, Tally{Lines: 2, Malformed: 1}) // Avro, as schema registries frame it
	// Of no known format, as of Jaeger and a text: of what is none there are no lines.
	f([][]byte{[]byte("\n\x10\x00\n\n\x02"), []byte("\n\x10\xff\n"), []byte("a\nb")}, "0:0: no known log format: binary data; 1:0: no known log format: binary data; 2:0: no known log format; 2:0: no known log format", Tally{Lines: 4, Malformed: 4})

	whole := func(file []byte, want, problem string, tally Tally) {
		t.Helper()
		got := readText(t, bytes.NewReader(file), Options{})
		if ids := got.ids(); ids != want || got.Tally != tally || got.Err != problem {
			t.Errorf("got %s %+v %s\nwant %s %+v %s", ids, got.Tally, got.Err, want, tally, problem)
		}
	}
	const early = "\nthe file is cut: copy it again; what there is of it is read"
	whole(framedExports(a, b[:len(b)-1], lies, b), one+" "+two, "", Tally{Lines: 4, Malformed: 2})
	whole(framedExports(lies, b, a), two+" "+one, "", Tally{Lines: 3, Malformed: 1})
	whole(framedExports(metrics, a, metrics), one, "", Tally{Lines: 3, Blank: 2})
	whole(framedExports(nil, []byte("\n\x02\n\x00"), a), one, "", Tally{Lines: 3, Blank: 2}) // nothing tells what those before are
	framed := framedExports(a, b)
	whole(framed[:len(framed)-1], one, "standard input: the last export is cut"+early, Tally{Lines: 1})
	whole(framed[:len(framed)-len(b)-1], one, "standard input: the last export is cut"+early, Tally{Lines: 1})
	whole(gz(t, framed)[:len(gz(t, framed))-9], one+" "+two, "standard input: the compressed data ends early"+early, Tally{Lines: 2})
	whole(append(slices.Clone(framed), 0xff, 0, 0, 0, 1), one+" "+two, "standard input: an export longer than 64 MiB: number 3 says that it has 4278190080 bytes\nis the file damaged? what stands before it is read; else let the Collector make smaller ones: send_batch_max_size of its batch processor", Tally{Lines: 2})
}

// TestCutExports: wherever a file ends that is being written, the exports that are
// whole are read, nothing is made of the rest, and that is said.
func TestCutExports(t *testing.T) {
	f := func(how string, exports ...[]byte) {
		t.Helper()
		lines := func(file []byte) (string, error) {
			u, err := unpack(io.NopCloser(bytes.NewReader(file)), new(atomic.Int64))
			must(t, err)
			defer u.Close()
			lines, err := io.ReadAll(u)
			return string(lines), err
		}
		file := framedExports(exports[0])
		for _, data := range exports[1:] {
			want, err := lines(file)
			must(t, err)
			for _, c := range framedExports(data)[:3+len(data)] {
				file = append(file, c)
				if got, err := lines(file); got != want || !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("%s, %d bytes: %q, want %q and no more, %v", how, len(file), got, want, err)
				}
			}
			file = append(file, data[len(data)-1])
		}
	}
	a, b := spans("000000000000000a", 1), spans("000000000000000b", 1)
	one, two := otlptest.FromJSON(t, a), otlptest.FromJSON(t, b)
	f("protobuf", one, two, one)
	f("protobuf, each export as zstd", zst(t, one), zst(t, two), zst(t, one))
	f("JSON, each export as zstd", zst(t, a), zst(t, b), zst(t, a))
}
