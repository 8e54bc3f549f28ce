package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// outcome is all that reading a source gave.
type outcome struct {
	Requests []string // line.item@offset id
	Skips    []string // line:column why
	Tally    Tally
	Err      string
}

// drain reads blocks until the end.
func drain(next func() (*Block, error)) (got outcome) {
	rd := NewReader(fingerprint.AllFields)
	for {
		b, err := next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				got.Err = err.Error()
			}
			return got
		}
		got.add(rd, b)
		b.Release()
	}
}

func (o *outcome) add(rd *Reader, b *Block) {
	t := rd.Read(b, func(r *fingerprint.Request) {
		p := r.Position
		o.Requests = append(o.Requests, fmt.Sprintf("%d.%d@%d %s", p.Line, p.Item, p.Offset, r.ID))
	}, func(s Skip) {
		o.Skips = append(o.Skips, fmt.Sprintf("%d:%d %s", s.Line, s.Column, s.Why))
	})
	o.Tally.Add(t)
}

// readText reads a log from memory, as from standard input.
func readText(tb testing.TB, log io.Reader, o Options) outcome {
	tb.Helper()
	s, err := openStream(&Source{Name: "standard input", stdin: log}, 3, o)
	must(tb, err)
	defer s.Close()
	return drain(s.Next)
}

func readFile(tb testing.TB, path string, o Options) outcome {
	tb.Helper()
	sources, err := Find([]string{path}, nil)
	must(tb, err)
	s, err := openStream(sources[0], 3, o)
	must(tb, err)
	defer s.Close()
	return drain(s.Next)
}

func record(id string) string { return `{"time":1,"id":"` + id + `"}` }

func (o outcome) ids() string {
	var ids []string
	for _, r := range o.Requests {
		_, id, _ := strings.Cut(r, " ")
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

func TestLines(t *testing.T) {
	f := func(log, requests, skips string, lines, blank int64) {
		t.Helper()
		got := readText(t, strings.NewReader(log), Options{Format: formats.ByName("loopgauge"), MaxLine: 100})
		malformed := int64(len(got.Skips))
		if r, s := strings.Join(got.Requests, ", "), strings.Join(got.Skips, ", "); r != requests || s != skips {
			t.Errorf("%q:\nrequests %s\nwant     %s\nskips    %s\nwant     %s", log, r, requests, s, skips)
		}
		if want := (Tally{lines, blank, malformed}); got.Tally != want {
			t.Errorf("%q: tally %+v, want %+v", log, got.Tally, want)
		}
	}
	a, b := record("a"), record("b") // 19 bytes each
	f(a+"\n"+b+"\n", "1.0@0 a, 2.0@20 b", "", 2, 0)
	f(a+"\n"+b, "1.0@0 a, 2.0@20 b", "", 2, 0)
	f(a+"\r\n"+b+"\r\n", "1.0@0 a, 2.0@21 b", "", 2, 0)
	f("\uFEFF"+a+"\n"+b, "1.0@0 a, 2.0@23 b", "", 2, 0)
	f("\n\n"+a+"\n \t\r\n"+b+"\n\n", "3.0@2 a, 5.0@26 b", "", 6, 4)
	f("  "+a+"  \n", "1.0@0 a", "", 1, 0)
	f(a+"\nnonsense\n"+b, "1.0@0 a, 3.0@29 b", "2:1 expected a value", 3, 0)
	f(a+"\n"+b[:10], "1.0@0 a", "2:11 expected a member's name", 2, 0)
	f(a+"\n  {\"time\":1,\"id\":\"b", "1.0@0 a", "2:20 string not closed: the line is cut", 2, 0) // columns count the blanks
	f("\uFEFF{]\n"+a, "2.0@6 a", "1:5 expected a member's name", 2, 0)
	f(a+"\r"+b, "1.0@0 a, 1.1@0 b", "", 2, 0) // one line, as lines end with \n: two objects on it
	f(a+"\n{\"id\":\"b\"}\n", "1.0@0 a", "2:0 no time", 2, 0)
	f(a+"\n{\"time\":1e13}\n", "1.0@0 a", "2:0 time out of range", 2, 0)
	f("\x00\x00\x00"+a+"\n"+b, "1.0@0 a, 2.0@23 b", "", 2, 0) // as a file is that was truncated while being written
	f(a+"\n{\x00}\n"+b, "1.0@0 a, 3.0@24 b", "2:2 expected a member's name", 3, 0)
	f(a+"\n\xff\xfe\n"+b, "1.0@0 a, 3.0@23 b", "2:1 expected a value", 3, 0)
	f(a+"\n"+strings.Repeat("[", 100)+"\n"+b, "1.0@0 a, 3.0@121 b", "2:101 unexpected end of the value: the line is cut", 3, 0)

	// The longest line, and one byte more.
	pad := func(n int) string { return record(strings.Repeat("x", n-len(record("")))) }
	f(a+"\n"+pad(100)+"\n"+b, "1.0@0 a, 2.0@20 "+strings.Repeat("x", 82)+", 3.0@121 b", "", 3, 0)
	f(a+"\n"+pad(101)+"\n"+b, "1.0@0 a, 3.0@122 b", "2:0 "+tooLong, 3, 0)
	f(a+"\n"+pad(101), "1.0@0 a", "2:0 "+tooLong, 2, 0)
	f(pad(10_000)+"\n"+a, "2.0@10001 a", "1:0 "+tooLong, 2, 0)
	f(a+"\n"+pad(300)+"\n"+pad(300)+"\n\n"+b+"\n"+pad(300), "1.0@0 a, 5.0@623 b", "2:0 "+tooLong+", 3:0 "+tooLong+", 6:0 "+tooLong, 6, 1)

	// Arrays: each element is a record, and what is no JSON behind one is one line more.
	f("["+a+","+b+"]\n"+a, "1.0@0 a, 1.1@0 b, 2.0@42 a", "", 3, 0)
	f(" [ "+a+" , "+b+" ] \n", "1.0@0 a, 1.1@0 b", "", 2, 0)
	f("["+a+",{\"id\":\"x\"},7,"+b+"]", "1.0@0 a, 1.3@0 b", "1:0 no time, 1:33 expected an object", 4, 0)
	f("[]\n[ ]\n"+a, "3.0@7 a", "", 3, 2)
	f("["+a+","+b+"\n"+a, "1.0@0 a, 1.1@0 b, 2.0@41 a", "1:41 unexpected end of the value: the line is cut", 4, 0)
	f("["+a+",{\"time\":1,\"id\n"+a, "1.0@0 a, 2.0@35 a", "1:35 string not closed: the line is cut", 3, 0)
	f("["+a+"]]\n", "1.0@0 a", "1:22 text after the end of the value", 2, 0)
	f("["+a+",]\n", "1.0@0 a", "1:22 trailing comma", 2, 0)
	f("["+a+" "+b+"]\n", "1.0@0 a", "1:22 expected ',' or ']'", 2, 0)
	f("[["+a+"]]\n", "", "1:2 expected an object", 1, 0)
	f(a+"\n[2026-11-21 10:00:00.123][1][info] x\n[2026-11-21T10:00:00Z] x\n"+b, "1.0@0 a, 4.0@82 b", "2:26 text after the end of the value, 3:24 text after the end of the value", 4, 0) // a line each
	f("7\n"+a+"\nnull\n\"x\"\n", "2.0@2 a", "1:1 expected an object, 3:1 expected an object, 4:1 expected an object", 4, 0)
	f("  [{\"time\":tru}]\n", "", "1:12 expected a value", 1, 0)
}

// TestArraysAreOfJSONFormats: an access log has none.
func TestArraysAreOfJSONFormats(t *testing.T) {
	got := readText(t, strings.NewReader("[\n"), Options{Format: formats.ByName("combined")})
	if want := []string{"1:1 expected a host"}; !slices.Equal(got.Skips, want) {
		t.Errorf("%v, want %v", got.Skips, want)
	}
}

// TestAnyBlockSize: how a log is cut into blocks, and how little a source gives
// at a time, changes nothing; and all is as a reader finds that looks at one
// line after the other.
func TestAnyBlockSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{
			record("a"), record("longer than the others"), "", " ", "\r", "nonsense", `{"time":1,"id":"cu`, "[" + record("b") + "," + record("c") + "]",
			"[]", "[" + record("d") + ",", strings.Repeat("y", 60), strings.Repeat("z", 200), record(strings.Repeat("w", 42)), "\x00\xff",
		})
		ending := rapid.SampledFrom([]string{"\n", "\n", "\r\n", "\n\n"})
		var log strings.Builder
		for range rapid.IntRange(1, 30).Draw(t, "lines") {
			log.WriteString(piece.Draw(t, "line") + ending.Draw(t, "ending"))
		}
		text := log.String()
		if rapid.Bool().Draw(t, "last line not ended") {
			text = text[:len(text)-1]
		}
		maxLine := rapid.IntRange(20, 80).Draw(t, "longest")
		size := rapid.IntRange(1, 300).Draw(t, "block")
		var next func() (*Block, error)
		unread := false
		switch rapid.IntRange(0, 2).Draw(t, "source") {
		case 0:
			next = newBlocks(strings.NewReader(text), size, maxLine, nil).next
		case 1:
			next = newBlocks(iotest.OneByteReader(strings.NewReader(text)), size, maxLine, nil).next
		case 2:
			if s := sectionsOf(t, text, size, maxLine); s != nil {
				s.piece = s.piece[:rapid.IntRange(1, 100).Draw(t, "piece")]
				next, unread = s.next, true
			} else {
				next = newBlocks(strings.NewReader(text), size, maxLine, nil).next
			}
		}
		offset, line := int64(0), int64(1)
		last, lines := &Block{Line: 1}, int64(0) // the block before, and those up to it
		got := drain(func() (*Block, error) {
			b, err := next()
			if err != nil {
				return nil, err
			}
			b.Stream, b.Format = 3, formats.ByName("loopgauge")
			if b.Follows != unread {
				t.Fatal("a block says nothing of its lines")
			}
			if !b.Fetch() {
				t.Fatal(b.Err())
			}
			if b.Follows {
				lines = max(lines, last.Line-1+last.Lines)
				b.Line += lines
			}
			last = b
			if b.Offset != offset && !b.TooLong && offset >= 0 || b.Line < line {
				t.Fatalf("block of line %d at %d, want line %d at %d", b.Line, b.Offset, line, offset)
			}
			offset, line = b.Offset+int64(len(b.Data)), b.Line+int64(bytes.Count(b.Data, []byte("\n")))
			if b.TooLong {
				offset = -1
			}
			return b, nil
		})
		if diff := cmp.Diff(lineByLine(text, maxLine), got); diff != "" {
			t.Fatalf("blocks of %d, longest line %d: (-want +got)\n%s", size, maxLine, diff)
		}
	})
}

// lineByLine reads a log as simply as can be.
func lineByLine(text string, maxLine int) (o outcome) {
	rd := NewReader(fingerprint.AllFields)
	offset := int64(0)
	for n := int64(1); text != ""; n++ {
		line, rest, found := strings.Cut(text, "\n")
		b := &Block{Stream: 3, Format: formats.ByName("loopgauge"), Data: []byte(line + "\n"), Line: n, Offset: offset}
		if len(line) > maxLine {
			b.TooLong, b.Data = true, nil
		}
		o.add(rd, b)
		if offset += int64(len(line)); found {
			offset++
		}
		text = rest
	}
	return o
}

// TestCompression: gzip and zstd are known by content, whatever the name, and
// several members or frames are one log.
func TestCompression(t *testing.T) {
	dir := t.TempDir()
	f := func(name string, content []byte, want, problem string) {
		t.Helper()
		path := write(t, dir, name, content)
		got := readFile(t, path, Options{})
		if got.ids() != want {
			t.Errorf("%s: %q, want %q", name, got.ids(), want)
		}
		if text := strings.ReplaceAll(got.Err, path, name); text != problem {
			t.Errorf("%s: %q, want %q", name, text, problem)
		}
		piped := readText(t, bytes.NewReader(content), Options{})
		if diff := cmp.Diff(got.Requests, piped.Requests); diff != "" || (piped.Err == "") != (got.Err == "") {
			t.Errorf("%s: not the same from standard input: %s %s", name, diff, piped.Err)
		}
	}
	one, two := []byte(record("a")+"\n"+record("b")+"\n"), []byte(record("c")+"\n")
	join := func(parts ...[]byte) []byte { return slices.Concat(parts...) }
	const (
		early = ": the compressed data ends early\nthe file is cut: copy it again; what there is of it is read"
		magic = ": invalid input: magic number mismatch"
	)
	f("plain.gz", one, "a b", "")
	f("gz.log", gz(t, one), "a b", "")
	f("zst.log", zst(t, one), "a b", "")
	f("members.gz", join(gz(t, one), gz(t, two)), "a b c", "")
	f("frames.zst", join(zst(t, one), zst(t, two)), "a b c", "")
	f("across.gz", join(gz(t, one[:30]), gz(t, one[30:])), "a b", "") // a member may end inside a line
	f("pzstd.zst", join([]byte("\x50\x2A\x4D\x18\x04\x00\x00\x00abcd"), zst(t, one)), "a b", "")
	frame := func(data []byte) []byte { // as OpenTelemetry's Collector writes each export
		packed := zst(t, data)
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(packed))), packed...)
	}
	f("framed.zst", join(frame([]byte(record("a"))), frame([]byte(record("b")))), "a b", "")
	f("framed-cut.zst", join(frame([]byte(record("a"))), frame([]byte(record("b")))[:9]), "a", "framed-cut.zst"+early)
	f("framed-length.zst", join(frame([]byte(record("a"))), frame([]byte(record("b")))[:2]), "a", "framed-length.zst"+early)
	f("empty-member.gz", join(gz(t, nil), gz(t, one)), "a b", "")

	// Cut: all that came before is read, then the error says so.
	f("tail.gz", gz(t, one)[:len(gz(t, one))-4], "a b", "tail.gz"+early)
	f("tail.zst", join(zst(t, one), zst(t, two)[:8]), "a b", "tail.zst"+early)
	f("second.gz", join(gz(t, one), gz(t, two)[:5]), "a b", "second.gz"+early)
	f("garbage.gz", join(gz(t, one), []byte("garbage behind the end")), "a b", "garbage.gz: gzip: invalid header")
	f("garbage.zst", join(zst(t, one), []byte("garbage behind the end")), "a b", "garbage.zst"+magic)

	// Cut in the middle of a long log: a good part of it is there.
	long := bytes.Buffer{}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 40_000 {
		fmt.Fprintf(&long, `{"time":%d,"id":"%016x"}`+"\n", i, rng.Uint64())
	}
	for name, packed := range map[string][]byte{"half.gz": gz(t, long.Bytes()), "half.zst": zst(t, long.Bytes())} {
		path := write(t, dir, name, packed[:len(packed)/2])
		got := readFile(t, path, Options{})
		if text := strings.ReplaceAll(got.Err, path, name); text != name+early {
			t.Errorf("%s: %q", name, text)
		}
		if n := len(got.Requests); n < 5_000 || n > 30_000 {
			t.Errorf("%s: %d requests were read", name, n)
		}
		if whole := readFile(t, write(t, dir, "whole-"+name, packed), Options{}); len(whole.Requests) != 40_000 || whole.Err != "" {
			t.Errorf("%s: %d requests of the whole, %s", name, len(whole.Requests), whole.Err)
		}
	}
}

func gz(tb rapid.TB, data []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	must(tb, err)
	must(tb, w.Close())
	return b.Bytes()
}

func zst(tb testing.TB, data []byte) []byte {
	tb.Helper()
	w, err := zstd.NewWriter(nil)
	must(tb, err)
	return w.EncodeAll(data, nil)
}

// TestBrokenSource: an error of the source comes after all that was read.
func TestBrokenSource(t *testing.T) {
	broken := errors.New("the network is gone")
	log := io.MultiReader(strings.NewReader(record("a")+"\n"+record("b")+"\n"+record("c")[:5]), iotest.ErrReader(broken))
	got := readText(t, log, Options{})
	if got.ids() != "a b" || got.Err != "standard input: the network is gone" || len(got.Skips) != 1 {
		t.Errorf("%+v", got)
	}
	_, err := openStream(&Source{Name: "standard input", stdin: iotest.ErrReader(broken)}, 0, Options{})
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// endless is a line without an end, of n bytes.
func endless(n int64) io.Reader { return io.LimitReader(xs{}, n) }

type xs struct{}

var manyXs = bytes.Repeat([]byte("x"), 64<<10) // a loop over bytes is slow under the race detector

func (xs) Read(p []byte) (int, error) { return copy(p, manyXs), nil }

// TestEndlessLine: a line of 100 MB is one counted line, and not kept.
func TestEndlessLine(t *testing.T) {
	f := func(maxLine int, memory uint64) {
		t.Helper()
		log := io.MultiReader(strings.NewReader(record("a")+"\n"), endless(100_000_000), strings.NewReader("\n"+record("b")+"\n"), endless(100_000_000))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := readText(t, log, Options{MaxLine: maxLine})
		runtime.ReadMemStats(&after)
		want := outcome{
			Requests: []string{"1.0@0 a", "3.0@100000021 b"},
			Skips:    []string{"2:0 " + tooLong, "4:0 " + tooLong},
			Tally:    Tally{4, 0, 2},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("longest line %d (-want +got):\n%s", maxLine, diff)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > memory {
			t.Errorf("longest line %d: %d bytes allocated", maxLine, n)
		}
	}
	f(1<<20, 20<<20)
	f(0, 600<<20) // the default: what is kept grows by doubling up to 64 MiB, for each of the two
}

func TestFirstLineTooLong(t *testing.T) {
	f := func(before string, line int) {
		t.Helper()
		log := io.MultiReader(strings.NewReader(before), endless(2_000_000))
		_, err := openStream(&Source{Name: "standard input", stdin: log}, 0, Options{MaxLine: 1_000_000})
		want := fmt.Sprintf("standard input: no known log format; line %d is longer than the limit\nraise it with --max-line", line)
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	f("", 1)
	f("\n\n", 3)
}

// openStream opens a source as the stream with an index.
func openStream(src *Source, index int32, o Options) (Stream, error) {
	s, err := open(src, o)
	if err != nil {
		return nil, err
	}
	s.index = index
	return s, nil
}

// fixtureLogs are the logs below fixtures/formats by the format they are of.
func fixtureLogs(tb testing.TB) map[string][]string {
	tb.Helper()
	logs := map[string][]string{}
	for _, f := range formats.All {
		for _, pattern := range []string{"*.log", "*.jsonl", "*.jsonl.zst", "*.txt.zst"} {
			matches, err := filepath.Glob(filepath.Join("../fixtures/formats", f.Name, pattern))
			must(tb, err)
			logs[f.Name] = append(logs[f.Name], slices.DeleteFunc(matches, func(m string) bool { return filepath.Base(m) == "truth.jsonl" })...)
		}
		if len(logs[f.Name]) == 0 {
			tb.Fatalf("no log of format %s", f.Name)
		}
	}
	return logs
}

// TestDetectionMatrix: each fixture is detected as its format, all of its
// lines are requests, and naming the format changes nothing.
func TestDetectionMatrix(t *testing.T) {
	for name, logs := range fixtureLogs(t) {
		for _, path := range logs {
			sources, err := Find([]string{path}, nil)
			must(t, err)
			s, err := openStream(sources[0], 0, Options{})
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			s.Close()
			if own := s.Format().Name[strings.LastIndexByte(s.Format().Name, '+')+1:]; own != name {
				t.Errorf("%s: detected as %s, want %s", path, s.Format().Name, name)
			}
			got := readFile(t, path, Options{})
			if got.Err != "" || len(got.Skips) > 0 || int64(len(got.Requests))+got.Tally.Blank != got.Tally.Lines {
				t.Errorf("%s: %d requests, %+v, %v %s", path, len(got.Requests), got.Tally, got.Skips, got.Err)
			}
			if forced := readFile(t, path, Options{Format: formats.ByName(s.Format().Name)}); !cmp.Equal(forced, got) {
				t.Errorf("%s: --format %s reads it differently", path, name)
			}
		}
	}
}

// TestDetectionLooksPastOddLines: the format is that of most first lines.
func TestDetectionLooksPastOddLines(t *testing.T) {
	f := func(want string, lines ...string) {
		t.Helper()
		s, err := openStream(&Source{Name: "standard input", stdin: strings.NewReader(strings.Join(lines, "\n"))}, 0, Options{})
		if err != nil {
			t.Errorf("%s: %v", want, err)
			return
		}
		if s.Format().Name != want {
			t.Errorf("detected as %s, want %s", s.Format().Name, want)
		}
	}
	a, trace := record("a"), `{"timestamp":1,"hash_ids":[]}`
	f("loopgauge", "# a headline", "", "{", a)
	f("loopgauge", trace, a, a)
	f("mooncake", a, trace, trace)
	f("loopgauge", a, trace) // the first of equals
	f("loopgauge", append(slices.Repeat([]string{"nonsense"}, headLines-1), a)...)
	laidOut := []string{"{", `  "time": 1,`, `  "id": "a",`, `  "attributes": {`, `    "k": "v"`, "  }", "}"}
	f("json+loopgauge", slices.Concat([]string{"INFO:     Started server process [1]", ""}, laidOut)...)
	f("json+loopgauge", slices.Concat(laidOut[3:], laidOut, laidOut)...)
	f("json+loopgauge", slices.Concat([]string{"[", "  {", `    "k": 1`, "  },"}, laidOut, []string{"]"})...)
	f("loopgauge", a, `{"time":2,`, a) // the second is cut
	f("loopgauge", trace+"]", `{"time":2,`, a, a)
	f("envoy-json", `{"start_time":"2026-11-21T10:00:00Z","end_time":"2026-11-21T10:00:01Z","method":"POST","path":"/","response_code":200,"trace.id":"t","span.id":"s"}`)
	f("nginx-json", `{"timestamp":"2026-11-21T10:00:00Z","method":"POST","uri":"/","status":200,"duration.ms":5,"trace.id":"t","span.id":"s"}`)
	f("member+loopgauge", `{"timestamp":"2026-11-21T10:00:00Z","message":`+quote(a)+`,"operation_Id":"t","customDimensions":"{}","itemType":"trace"}`) // of a program, in Application Insights
}

// TestFirst is the smallest time among the first lines.
func TestFirst(t *testing.T) {
	f := func(log string, want int64) {
		t.Helper()
		s, err := openStream(&Source{Name: "standard input", stdin: strings.NewReader(log)}, 0, Options{Format: formats.ByName("loopgauge")})
		must(t, err)
		if s.First() != want {
			t.Errorf("%q: first is %d, want %d", log, s.First(), want)
		}
	}
	f(`{"time":5}`+"\n"+`{"time":3,"end":9}`+"\n"+`{"time":4}`, 3_000_000)
	f("nonsense\n"+`{"time":5}`, 5_000_000)
	f("nonsense", 0)
	f(strings.Repeat(`{"time":5}`+"\n", headLines)+`{"time":1}`, 5_000_000)
}

// TestProbeOfWhatIsGone: only who reads such a source is told.
func TestProbeOfWhatIsGone(t *testing.T) {
	f := func(what string, src *Source, remove func()) {
		t.Helper()
		s, err := openStream(src, 0, Options{})
		must(t, err)
		defer s.Close()
		remove()
		if err := s.Probe(1<<20, func(*Block) {}); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := s.Next(); !broken(err) {
			t.Errorf("%s: then read: %v", what, err)
		}
	}
	path := write(t, t.TempDir(), "a.log", []byte(`{"time":5,"id":"a"}`))
	f("file", &Source{Name: path, path: path}, func() { _ = os.Remove(path) })
	o := &vanishing{text: `{"time":5,"id":"a"}`}
	f("object", NewSource("b/a.log", o), func() { o.gone = true })
}

// vanishing is an object that may be gone.
type vanishing struct {
	text string
	gone bool
}

func (o *vanishing) Size() int64 { return int64(len(o.text)) }

func (o *vanishing) Open(offset int64) (io.ReadCloser, error) {
	if o.gone {
		return nil, errors.New("no such object")
	}
	return io.NopCloser(strings.NewReader(o.text[offset:])), nil
}

// TestProbe: a look ahead shows parts of the log, and takes nothing from what
// is read afterwards.
func TestProbe(t *testing.T) {
	var log bytes.Buffer
	pad := strings.Repeat("x", 250)
	for i := range 10_000 {
		fmt.Fprintf(&log, `{"time":%d,"id":"%d","pad":"%s"}`+"\n", i, i, pad)
	}
	size := int64(log.Len())
	dir := t.TempDir()
	plain, packed := write(t, dir, "plain.log", log.Bytes()), write(t, dir, "packed.log", gz(t, log.Bytes()))
	open := func(path string, stdin io.Reader) Stream {
		t.Helper()
		src := &Source{Name: "standard input", stdin: stdin}
		if path != "" {
			src = &Source{Name: path, path: path}
		}
		s, err := openStream(src, 3, Options{blockSize: 10_000})
		must(t, err)
		return s
	}
	f := func(name string, s Stream, budget int64, wantWhole bool, wantRuns int) {
		t.Helper()
		defer s.Close()
		rd := NewReader(fingerprint.AllFields)
		seen, last, runs, bytes := map[string]bool{}, int64(-2_000_000), 0, int64(0)
		err := s.Probe(budget, func(b *Block) {
			bytes += int64(len(b.Data))
			rd.Read(b, func(r *fingerprint.Request) {
				if seen[string(r.ID)] = true; r.Time != last+1_000_000 {
					runs++
				}
				last = r.Time
			}, nil)
		})
		if err != nil || runs != wantRuns {
			t.Errorf("%s, %d bytes: %d runs of lines, want %d; %v", name, budget, runs, wantRuns, err)
		}
		if wantWhole && len(seen) != 10_000 || !wantWhole && (bytes > budget+10_400 || bytes < budget*9/10) {
			t.Errorf("%s, %d bytes: %d lines, %d bytes shown", name, budget, len(seen), bytes)
		}
		if got := drain(s.Next); len(got.Requests) != 10_000 || got.Tally != (Tally{10_000, 0, 0}) || got.Requests[9_999] != fmt.Sprintf("10000.0@%d 9999", size-int64(len(`{"time":9999,"id":"9999","pad":""}`)+len(pad))-1) {
			t.Errorf("%s, %d bytes: %d requests read afterwards, %+v", name, budget, len(got.Requests), got.Tally)
		}
	}
	f("file", open(plain, nil), size, true, 1)
	f("file", open(plain, nil), size+1, true, 1)
	f("file", open(plain, nil), 1<<20, false, 4) // pieces of 256 KiB, evenly spread
	f("file", open(plain, nil), 100_000, false, 1)
	f("gzip", open(packed, nil), size, true, 1)
	f("gzip", open(packed, nil), 1<<20, false, 1)
	f("stdin", open("", bytes.NewReader(log.Bytes())), size+1, true, 1)
	f("stdin", open("", bytes.NewReader(log.Bytes())), 1<<20, false, 1)
	f("stdin", open("", bytes.NewReader(log.Bytes())), 1, false, 1)
}

// TestReadAgain: a file is read from its start however often it is opened, its
// progress ends at its size, and a closed stream is at its end.
func TestReadAgain(t *testing.T) {
	path := write(t, t.TempDir(), "x.log", []byte(record("a")+"\n"+record("b")+"\n"))
	src := &Source{Name: path, path: path}
	for range 2 {
		s, err := openStream(src, 7, Options{})
		must(t, err)
		if s.Read() != 0 {
			t.Errorf("%d bytes are read before the first block", s.Read())
		}
		if got := drain(s.Next); got.ids() != "a b" {
			t.Errorf("read %q", got.ids())
		}
		if s.Read() != s.Size() || s.Size() != 40 {
			t.Errorf("read %d of %d bytes", s.Read(), s.Size())
		}
		s.Close()
		s.Close()
		if _, err := s.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("closed: %v", err)
		}
	}
}

// TestPipe: a named pipe can be read once, and is.
func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	must(t, err)
	go func() {
		fmt.Fprintln(w, record("a"))
		fmt.Fprintln(w, record("b"))
		w.Close()
	}()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip("no /dev/fd here")
	}
	if got := readFile(t, path, Options{}); got.ids() != "a b" {
		t.Errorf("%+v", got)
	}
	r.Close()
}

// TestStreamsMarkTheirRequests: positions carry the stream's index.
func TestStreamsMarkTheirRequests(t *testing.T) {
	for name, log := range maps.All(map[string]string{"one": record("a"), "too long": record("a") + "\n" + strings.Repeat("x", 200)}) {
		s, err := openStream(&Source{Name: name, stdin: strings.NewReader(log)}, 42, Options{MaxLine: 100})
		must(t, err)
		rd := NewReader(0)
		for {
			b, err := s.Next()
			if err != nil {
				break
			}
			rd.Read(b, func(r *fingerprint.Request) {
				if r.Position.Stream != 42 {
					t.Errorf("%s: request of stream %d", name, r.Position.Stream)
				}
			}, func(skip Skip) {
				if skip.Stream != 42 {
					t.Errorf("%s: skip in stream %d", name, skip.Stream)
				}
			})
		}
	}
}

// TestReadAllocatesNothing: reading blocks costs nothing per line.
func TestReadAllocatesNothing(t *testing.T) {
	for name, logs := range fixtureLogs(t) {
		var data []byte
		s, err := openStream(&Source{Name: logs[0], path: logs[0]}, 0, Options{})
		must(t, err)
		for {
			b, err := s.Next()
			if err != nil {
				break
			}
			data = append(data, b.Data...)
		}
		rd, b := NewReader(fingerprint.AllFields), &Block{Format: formats.ByName(name), Data: data, Line: 1}
		yield := func(*fingerprint.Request) {}
		for range 20 { // until each of the arrays that are kept has had the longest
			rd.Read(b, yield, nil)
		}
		if n := testing.AllocsPerRun(5, func() { rd.Read(b, yield, nil) }); n > 1 { // the call's own state, once a block
			t.Errorf("%s: %v allocations a block", logs[0], n)
		}
	}
}
