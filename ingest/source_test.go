package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/loopgauge/loopgauge/ingest/otlp/otlptest"
)

// write makes a file below dir, with the directories it lies in.
func write(tb testing.TB, dir, name string, content []byte) string {
	tb.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	must(tb, os.MkdirAll(filepath.Dir(path), 0o777))
	must(tb, os.WriteFile(path, content, 0o666))
	return path
}

// find runs Find in dir and returns what it found and what it did not.
func find(tb testing.TB, dir string, args ...string) (names []string, problems string) {
	tb.Helper()
	for i, arg := range args {
		if arg != StdinName {
			args[i] = dir + "/" + arg
		}
	}
	sources, err := Find(args, strings.NewReader("x"))
	for _, s := range sources {
		names = append(names, strings.TrimPrefix(s.Name, dir+"/"))
	}
	if err != nil {
		problems = strings.ReplaceAll(err.Error(), dir+"/", "")
	}
	return names, problems
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"a.log", "b.log.1", "c.jsonl", "odd[1].log", "sub/d.log", "sub/deep/e.log", "sub/.hidden/f.log", "sub/.g.log",
		"sub/README", "sub/LICENSE", "sub/notes.md", "sub/run.sh", "sub/part.parquet", "mixed/z.log", "only-docs/README.md",
	} {
		write(t, dir, name, []byte("x\n"))
	}
	write(t, dir, "empty.log", nil)
	write(t, dir, "mixed/empty.log", nil)
	write(t, dir, "rotated/empty.log", nil)
	must(t, os.Mkdir(filepath.Join(dir, "mixed", "emptydir"), 0o777))
	link := func(target, name string) {
		must(t, os.Symlink(filepath.Join(dir, target), filepath.Join(dir, name)))
	}
	link("a.log", "link.log")
	link("sub", "linkdir")
	link("gone", "broken.log")
	write(t, dir, "links/x.log", []byte("x\n"))
	link("a.log", "links/y.log")
	link("gone", "links/broken.log")
	link("links", "links/loop") // a link to a directory inside a walked one is not followed
	mkfifo(t, filepath.Join(dir, "mixed", "pipe.log"))

	f := func(args, want, problems string) {
		t.Helper()
		names, got := find(t, dir, strings.Fields(args)...)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: found %q, want %q", args, got, want)
		}
		if got != problems {
			t.Errorf("%s: problems %q, want %q", args, got, problems)
		}
	}
	f("a.log", "a.log", "")
	f("c.jsonl a.log", "c.jsonl a.log", "") // in the order of the arguments
	f("sub", "sub/d.log sub/deep/e.log", "")
	f("sub/README", "sub/README", "") // who names it means it
	f("sub/.hidden", "sub/.hidden/f.log", "")
	f("mixed", "mixed/z.log", "") // a pipe in a directory could block for ever
	f("*.log", "a.log odd[1].log", "broken.log: no such file or directory")
	f("*.log.?", "b.log.1", "")
	f("odd[1].log", "odd[1].log", "") // a name that exists is no pattern
	f("sub/*/e.log", "sub/deep/e.log", "")

	// macOS leaves files of its own in folders, and a pattern matches them.
	write(t, dir, "mac/day.log", []byte("x\n"))
	write(t, dir, "mac/._day.log", []byte("\x00\x05\x16\x07"))
	write(t, dir, "mac/.DS_Store", []byte("\x00\x00\x00\x01Bud1"))
	f("mac", "mac/day.log", "")
	f("mac/*", "mac/day.log", "")
	f("mac/*.l*", "mac/day.log", "")
	f("mac/._*", "mac/._day.log", "") // who names them means them

	// Each file comes once, and naming it again is no error.
	f("a.log ./a.log a.log sub/../a.log", "a.log", "")
	f("a.log link.log", "a.log", "")
	f("link.log a.log", "link.log", "")
	f("sub sub/d.log sub", "sub/d.log sub/deep/e.log", "")
	f("linkdir sub", "linkdir/d.log linkdir/deep/e.log", "")
	f("a.log links", "a.log links/x.log", "")
	write(t, dir, "turns/x.log", []byte("x\n"))
	link("turns/self.log", "turns/self.log")
	f("turns", "turns/x.log", "turns/self.log: too many levels of symbolic links") // as of one that may not be followed
	f("- a.log -", "standard input a.log", "")

	// An empty file is passed over if there is another.
	f("empty.log a.log", "a.log", "")
	f("empty.log", "empty.log", "")

	// Of Claude Code's sessions, what it keeps beside them is none.
	for _, name := range []string{
		"p/s.jsonl", "p/s/subagents/agent-a.jsonl", "p/s/subagents/agent-a.meta.json", "p/s/tool-results/toolu_1.txt", "p/sessions-index.json",
		"q/b.meta.json", "q/tool-results/c.txt", "co/s/events.jsonl", "co/s/rewind-file-snapshots/tracking.json",
	} {
		write(t, dir, name, []byte("x\n"))
	}
	f("co", "co/s/events.jsonl", "") // nor of Copilot's
	f("p", "p/s/subagents/agent-a.jsonl p/s.jsonl", "")
	f("p/s/tool-results", "p/s/tool-results/toolu_1.txt", "")
	f("p/s/subagents/*.json", "p/s/subagents/agent-a.meta.json", "")
	f("q", "q/b.meta.json q/tool-results/c.txt", "") // beside no session

	// Nor are the bodies that Bedrock has no room for in its log.
	for _, name := range []string{"aws/04/1.json.gz", "aws/04/data/00000000-0000-0000-0000-000000000001_input.json.gz", "aws/04/data/00000000-0000-0000-0000-000000000001_output.json.gz", "aws/amazon-bedrock-logs-permission-check", "data/my_input.json.gz"} {
		write(t, dir, name, []byte("x\n"))
	}
	f("aws", "aws/04/1.json.gz", "")
	f("aws/04/data/00000000-0000-0000-0000-000000000001_input.json.gz", "aws/04/data/00000000-0000-0000-0000-000000000001_input.json.gz", "")
	f("data", "data/my_input.json.gz", "")

	// What is missing is named, the rest is read.
	f("gone.log", "", "gone.log: no such file or directory")
	f("gone.log a.log gone/too.log", "a.log", "gone.log: no such file or directory\ngone/too.log: no such file or directory")
	f("broken.log", "", "broken.log: no such file or directory")
	f("*.nothing", "", "*.nothing: no file matches")
	f("[", "", "[: syntax error in pattern")
	f("rotated", "", "rotated: only empty logs in this directory")
	f("only-docs", "", "only-docs: no logs in this directory")
	f("a.log/b", "", "a.log/b: not a directory")
	// One match that is nothing does not hide those behind it.
	f("mixed/*", "mixed/pipe.log mixed/z.log", "mixed/emptydir: no logs in this directory")
}

// TestUnreadTogether: what is alike in a directory is said once.
func TestUnreadTogether(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.json", "b.json", "c/a.json", "c.json"} {
		write(t, dir, name, []byte("{}\n"))
	}
	write(t, dir, "b.txt", []byte("x\n"))
	sources, err := Find([]string{dir}, nil)
	must(t, err)
	_, failed := OpenAll(sources, 0, Options{})
	var got []string
	for _, err := range failed {
		what, _, _ := strings.Cut(err.Error(), ";")
		got = append(got, strings.TrimPrefix(what, dir+"/"))
	}
	want := []string{"a.json and 2 more beside it: no known log format", "b.txt: no known log format", "c/a.json: no known log format"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFindOnlyEmpty(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.log", nil)
	write(t, dir, "b.log", nil)
	names, problems := find(t, dir, "a.log", "b.log")
	if len(names) != 2 || problems != "" {
		t.Errorf("%v, %q: with nothing but empty files, opening them has to say so", names, problems)
	}
}

func TestPermissionDenied(t *testing.T) {
	err := newError("a.log", &fs.PathError{Op: "open", Path: "a.log", Err: syscall.EACCES}, "")
	const want = "a.log: permission denied\nrun as a user who may read it, or hand it over on standard input"
	if err.Error() != want || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%q, want %q", err, want)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may read everything: the rest of this test needs another user")
	}
	dir := t.TempDir()
	path := write(t, dir, "a.log", []byte("x\n"))
	write(t, dir, "shut/b.log", []byte("x\n"))
	for _, name := range []string{path, filepath.Join(dir, "shut")} {
		must(t, os.Chmod(name, 0))
	}
	defer os.Chmod(filepath.Join(dir, "shut"), 0o777) //nolint:errcheck // what stays behind is the test's own
	sources, problem := Find([]string{dir}, nil)
	if problem == nil || !strings.Contains(problem.Error(), "shut: permission denied") || strings.Contains(problem.Error(), "no logs") {
		t.Errorf("problems: %v", problem)
	}
	if len(sources) != 1 {
		t.Fatalf("%d sources", len(sources))
	}
	if _, got := openStream(sources[0], 0, Options{}); got == nil || !strings.Contains(got.Error(), "permission denied") {
		t.Errorf("opened: %v", got)
	}
}

func TestErrorNamesThePathOnce(t *testing.T) {
	_, err := os.Open("no/such.log")
	got := newError("no/such.log", fmt.Errorf("while opening: %w", err), "look elsewhere")
	if want := "no/such.log: no such file or directory\nlook elsewhere"; got.Error() != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(got, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
}

// TestOpenSaysWhatIsWrong: sources that are no log in a known format, by content.
func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	f := func(content, want string) {
		t.Helper()
		path := write(t, dir, "x.log", []byte(content))
		sources, err := Find([]string{path}, nil)
		must(t, err)
		s, err := openStream(sources[0], 0, Options{})
		if err == nil {
			s.Close()
			t.Errorf("%.40q: opened as %s", content, s.Format().Name)
			return
		}
		got := strings.ReplaceAll(err.Error(), path, "x.log")
		if first, _, _ := strings.Cut(got, "\n"); got != want && first != want {
			t.Errorf("%.40q:\ngot  %s\nwant %s", content, got, want)
		}
		if strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("text of the log is shown: %v", err)
		}
	}
	f("", "x.log: the file is empty")
	f("\n \r\n\t\n", "x.log: nothing but blank lines")
	f("\uFEFF", "x.log: nothing but blank lines") // an endless loop, once
	f("\uFEFF\r\n", "x.log: nothing but blank lines")
	f("\n"+strings.Repeat(" ", 100), "x.log: nothing but blank lines")
	f(strings.Repeat("\n", 9<<20)+`{"time":1,"id":"a"}`, "x.log: the first 8388608 lines are blank\ntake them out on the way: grep -a '[^[:space:]]' x.log | loopgauge ... -")
	blank := gz(t, []byte("\n\n"))
	f(string(blank[:len(blank)-8]), "x.log: the compressed data ends early")
	f("\xFF\xFE{\x00", "x.log: text in UTF-16\nturn it into UTF-8 on the way: iconv -f UTF-16 -t UTF-8 x.log | loopgauge ... -")
	f("\xFE\xFF\x00{", "x.log: text in UTF-16\nturn it into UTF-8 on the way: iconv -f UTF-16 -t UTF-8 x.log | loopgauge ... -")
	f("\x7fELF\x02\x01\x01\x00", "x.log: binary data, not a log")
	// OpenTelemetry's metrics, with the length in front as the Collector writes it.
	const metrics = "\n\x14\x12\x12\x12\x10\n\x06metric*\x06\n\x04\x11\x00\x00\x00"
	f("\x00\x00\x00\x16"+metrics, "x.log: no known log format\nthese are OpenTelemetry's metrics, in which there is no request: name what its traces or logs are in")
	f(`{"resourceMetrics":[]}`+"\n", "x.log: no known log format\nthese are OpenTelemetry's metrics, in which there is no request: name what its traces or logs are in")
	f("\x00\x00\x00\x0f\n\x0d\x0a\x00\x12\x09\x12\x07:\x05\x0a\x03abc", "x.log: binary data, not a log") // of something else
	alone := otlptest.FromJSON(t, spans("0000000000000001", 1))
	f(string(alone[:len(alone)-1]), "x.log: the last export is cut\nthe file is cut: copy it again; what there is of it is read")
	f(strings.Repeat("\x00", 10_000), "x.log: nothing but blank lines")
	f("PAR1\x15\x04", "x.log: a Parquet file, not a log")
	f("\xFD7zXZ\x00\x00\x04", "x.log: xz data\nunpack it on the way: xz -dc x.log | loopgauge ... -")
	f("BZh91AY&SY", "x.log: bzip2 data\nunpack it on the way: bzip2 -dc x.log | loopgauge ... -")
	f("\x04\x22\x4D\x18\x64", "x.log: lz4 data\nunpack it on the way: lz4 -dc x.log | loopgauge ... -")
	f("PK\x03\x04\x14", "x.log: zip data\nunpack it on the way: unzip -p x.log | loopgauge ... -")
	f("\x1f\x8b", "x.log: the compressed data ends early")
	f("\x1f\x8b\x08\x00", "x.log: the compressed data ends early")
	f("\x28\xB5\x2F\xFD", "x.log: the compressed data ends early")
	f("sk-secret\n", "x.log: no known log format; line 1 is neither JSON nor an access log line")
	f("\n\n\uFEFFsk-secret\n", "x.log: no known log format; line 3 is neither JSON nor an access log line")
	f(`{"time":"2026-11-21T10:00:00Z","id":"a","rule":"r","fingerprint":"00"}`+"\n", "x.log: verdicts or alerts of loopgauge, and no log")
	f("[GIN] sk-secret\n", "x.log: no known log format; line 1 is neither JSON nor an access log line")
	f("sk-secret a b.c 127.0.0.1 - - [21/Nov/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n", "x.log: no known log format; line 1 is combined from column 13 on: cut off what stands in front, in every line")
	f("\nsk-secret {\"time\":1,\"messages\":[]}\n", "x.log: no known log format; line 2 is loopgauge from column 11 on: cut off what stands in front, in every line")
	f("{\"key\":\"sk-secret\"}\n", "x.log: no known log format; line 1 is JSON, but not of a known gateway")
	const line = `"127.0.0.1 - - [21/Nov/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5"`
	inside := func(content, what, path string) {
		t.Helper()
		f(content, "x.log: no known log format; its JSON holds lines of "+what+" at "+path+"\ntake them out on the way: jq -rc '"+path+"' x.log | loopgauge ... -")
	}
	inside(`{"took":1,"hits":{"total":{"value":1},"hits":[{"_index":"i","_id":"sk-secret","_source":{"time":1,"messages":[]}}]}}`, "elastic+loopgauge", ".hits.hits[]")
	inside("{\n \"hits\": {\n  \"hits\": [\n   {\n    \"a\": {\n     \"@b\": "+line+"\n    }\n   }\n  ]\n }\n}\n", "combined", `.hits.hits[].a."@b"`)
	inside(`{"data":{"result":[{"stream":{"a":"b"},"values":[["1795231889","sk-secret"],["1795231889",`+line+`]]}]}}`, "combined", ".data.result[].values[][1]")
	inside(`{"entry":`+line+`,"time":1}`+"\n", "combined", ".entry")
	inside(`[["sk-secret",`+line+`]]`, "combined", ".[][1]")
	inside(`{"sk-secret \u0027":{"1a":{"time":1,"messages":[]}}}`, "loopgauge", `.[]."1a"`)
	inside(`{"a":[{"b":`+line+`},{"b":"sk-secr`, "combined", ".a[].b") // cut
	// An attempt at an upstream, say: with a status and no more nothing can be compared.
	f(`{"ts":1,"uri":"/","upstream":{"status":"200","time":"0.084"}}`+"\n", "x.log: no known log format; line 1 is JSON, but not of a known gateway")
	f(`{"time":"2026-11-21T10:00:00.123Z","verb":"POST","path":"/","code":200,"flags":"-","ms":5,"session":"s","key":"sk-secret","body":"{}"}`+"\n", "x.log: no known log format; line 1 is JSON, but not of a known gateway") // of Envoy, in names of its owner's
	f(strings.Repeat(`{"a":`, 9)+line+strings.Repeat("}", 9), "x.log: no known log format; line 1 is JSON, but not of a known gateway")
	f(`{"time":"2026-11-21T10:00:00","id":"sk-secret"}`+"\n", `x.log: no known log format; line 1 would be of loopgauge, but "time" has no zone, as Z`)
	f(`{"time":"2026-11-21 10:00:00 UTC","id":"a"}`+"\n", `x.log: no known log format; line 1 would be of loopgauge, but "time" is not as 2026-11-21T10:00:00Z`)
	f(`{"time":"2026-11-21T10:00:00","id":"a","status_code":200}`+"\n", "x.log: no known log format; line 1 is JSON, but not of a known gateway")
	f(`{"time":"2026-11-21T10:00:00Z","id":"a","code":200}`+"\n", `x.log: no known log format; line 1 would be of loopgauge, but "code" is "status" there`)
	f(`{"time":1,"id":"a","Verb":"GET","responseCode":200,"code":200}`+"\n", `x.log: no known log format; line 1 would be of loopgauge, but "Verb" is "method" there, and "code" is "status" there, and "responseCode" is "status" there`)
	f(`{"time":1,"caller":"k","model":"m","messages":[],"status":200,"tags":["x"],"run_id":"r","response":{}}`+"\n", `x.log: no known log format; line 1 would be of loopgauge, but "run_id" is "session" there, and "response" is "tool_calls" there`)
	f(`{"time":1,"caller":"k","messages":[],"headers":{"x":"y"}}`+"\n", `x.log: no known log format; line 1 would be of loopgauge, but "headers" are not read there: "caller" and "session" are`)
	f(`{"time":1,"verb":"GET"}`+"\n", "x.log: no known log format; line 1 is JSON, but not of a known gateway")
	f(`{"time":"sk-secret","id":"a"}`+"\n", "x.log: no known log format; line 1 is JSON, but not of a known gateway")
	f("[{}]\n", "x.log: no known log format; line 1 is JSON, but not of a known gateway")
	f("[\n  {\n    \"key\": \"sk-secret\"\n  }\n]\n", "x.log: no known log format; line 1 begins JSON that is not of a known gateway")
	f("{\"key\": \"sk-secret\",\n", "x.log: no known log format; line 1 begins JSON that is not of a known gateway")
	f("[]\n", "x.log: nothing but an empty array")
	f("\uFEFFrequest_id,spend,startTime\r\n\r\n", "x.log: nothing but the names of columns")
	f("sk-secret,spend,startTime\na,1,2026-11-21 10:00:00\n", "x.log: no known log format; line 1 names columns, but not those of a known gateway")
	f("\n[\n]\n", "x.log: nothing but an empty array")
	f("\n{\"key\":\"sk-secret\n", "x.log: no known log format; line 2, column 18: string not closed")
	f(strings.Repeat("[", 2000)+"\n", "x.log: no known log format; line 1, column 1025: nested too deep")
}

// TestUTF16: with a mark or without, packed or not, and wherever it comes from,
// the command is told that makes it readable.
func TestUTF16(t *testing.T) {
	line := `{"time":1,"id":"a","path":"/żółw"}` + "\r\n"
	encode := func(order binary.AppendByteOrder, mark string) []byte {
		var out []byte
		for _, c := range utf16.Encode([]rune(mark + strings.Repeat(line, 3))) {
			out = order.AppendUint16(out, c)
		}
		return out
	}
	path := filepath.Join(t.TempDir(), "x.log")
	f := func(data []byte, what, command string) {
		t.Helper()
		write(t, filepath.Dir(path), "x.log", data)
		for name, src := range map[string]*Source{
			path: {Name: path, path: path}, "standard input": {Name: "standard input", stdin: bytes.NewReader(data)}, "s3://b/x.log": NewSource("s3://b/x.log", inMemory(data)),
		} {
			way := command + " | loopgauge ... -"
			switch {
			case src.stdin != nil:
				way = "... | " + strings.Replace(way, " FILE", "", 1)
			case src.object != nil:
				way = strings.Replace(way, "FILE", "COPY", 1)
			default:
				way = strings.Replace(way, "FILE", path, 1)
			}
			_, err := openStream(src, 0, Options{})
			if want := name + ": " + what + "\nturn it into UTF-8 on the way: " + way; err == nil || err.Error() != want {
				t.Errorf("%v\nwant %s", err, want)
			}
		}
	}
	little, big := binary.LittleEndian, binary.BigEndian
	f(encode(little, "\uFEFF"), "text in UTF-16", "iconv -f UTF-16 -t UTF-8 FILE")
	f(encode(little, ""), "text in UTF-16 without a byte order mark", "iconv -f UTF-16LE -t UTF-8 FILE")
	f(encode(big, ""), "text in UTF-16 without a byte order mark", "iconv -f UTF-16BE -t UTF-8 FILE")
	f(gz(t, encode(big, "")), "text in UTF-16 without a byte order mark", "gzip -dc FILE | iconv -f UTF-16BE -t UTF-8")

	for _, text := range []string{line, "\x00\x00\x00\x00" + line, strings.Repeat("\x00", 50), "{\x00", "", "\x01\x00\x02\x00\x03\x00"} {
		if coding, _ := utf16Of([]byte(text)); coding != "" {
			t.Errorf("%q is taken for %s", text, coding)
		}
	}
	// So are commands for what is packed otherwise.
	_, err := openStream(&Source{Name: "standard input", stdin: strings.NewReader("PK\x03\x04\x14")}, 0, Options{})
	if err == nil || !strings.HasSuffix(err.Error(), "unpack it on the way: ... | funzip | loopgauge ... -") {
		t.Errorf("%v", err)
	}
}

// inMemory is an object.
type inMemory []byte

func (m inMemory) Size() int64 { return int64(len(m)) }

func (m inMemory) Open(offset int64) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(m[offset:])), nil
}

// TestDetectKeyed: of a document of records by their ids the first members alone are
// listed. Each format and wrapper listed all of them: it took a minute to be told that
// 25 MB are no log.
func TestDetectKeyed(t *testing.T) {
	const members = 50_000
	doc := []byte("{")
	for i := range members {
		doc = fmt.Appendf(doc, `"request-%d":{},`, i)
	}
	doc = append(doc, "\"last\":{}}\n"...)
	if n := testing.AllocsPerRun(1, func() { Detect(doc) }); n > 10*members {
		t.Errorf("%v allocations for %d members", n, members)
	}
}

// TestVanishedFile: a file that goes between the look and the reading.
func TestVanishedFile(t *testing.T) {
	path := write(t, t.TempDir(), "x.log", bytes.Repeat([]byte(`{"time":1,"id":"a"}`+"\n"), 3))
	sources, _ := Find([]string{path}, nil)
	s, err := openStream(sources[0], 0, Options{})
	must(t, err)
	defer s.Close()
	must(t, os.Remove(path))
	_, err = s.Next()
	want := path + ": no such file or directory\nit was there a moment ago: is it being rotated?"
	if err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestAstray(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, dir, "pods/0.log", []byte("x\n"))
	write(t, dir, "containers/plain.log", []byte("x\n"))
	for name, target := range map[string]string{"here": "pods/0.log", "there": "elsewhere/0.log"} { // any order
		must(t, os.Symlink(at(target), at("containers/"+name+".log")))
	}
	for _, arg := range []string{"containers", "containers/*.log", "containers/there.log"} {
		if got := Astray([]string{at(arg), at("later.log")}); !slices.Equal(got, []string{at("containers/there.log")}) {
			t.Errorf("%s: %q", arg, got)
		}
	}
}

// TestWord: commands that messages name work as they stand.
func TestWord(t *testing.T) {
	f := func(name, want, windows string) {
		t.Helper()
		if runtime.GOOS == "windows" {
			want = windows
		}
		if got := (&Source{Name: name}).word(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	f("x.log", "x.log", "x.log")
	f("s3://b/x=1/", "s3://b/x=1/", "s3://b/x=1/")
	f("-n.jsonl", "./-n.jsonl", "./-n.jsonl")
	f("a b.log", "'a b.log'", `"a b.log"`)
	f("it's;", `'it'\''s;'`, `"it's;"`)
	f("- x", "'./- x'", `"./- x"`)
	f("é", "'é'", `"é"`)
	f(`C:\logs\x.log`, `'C:\logs\x.log'`, `C:\logs\x.log`)
	s, err := openStream(&Source{Name: "-n.jsonl", path: write(t, t.TempDir(), "-n.jsonl", []byte("{}\n"))}, 0, Options{})
	if err == nil {
		s.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "\ndescribe it: loopgauge formats --scaffold ./-n.jsonl > my.yaml, ") {
		t.Error(err)
	}
}
