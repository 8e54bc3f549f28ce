package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// seen is what a consumer of a feed has got, and where it would go on: all that
// a checkpoint holds.
type seen struct {
	lines  map[int32][]string // by stream
	marks  map[int32]Mark     // of open streams
	format map[int32]string
	ended  int
	lost   []string
	odd    []string        // what breaks the contract
	open   map[int32][]int // by stream, numbers of the lines behind which a record went on and a block did not
}

func (s *seen) clone() *seen {
	c := &seen{
		lines: map[int32][]string{}, marks: map[int32]Mark{}, format: map[int32]string{}, open: map[int32][]int{}, ended: s.ended,
		lost: slices.Clone(s.lost), odd: slices.Clone(s.odd),
	}
	maps.Copy(c.lines, s.lines) // lines are only ever added behind
	maps.Copy(c.marks, s.marks)
	maps.Copy(c.format, s.format)
	maps.Copy(c.open, s.open)
	return c
}

// consumer reads a feed as the live loop does.
type consumer struct {
	tb   rapid.TB
	args []string
	o    Options

	mu    sync.Mutex
	seen  *seen
	saved *seen // the checkpoint

	feed Feed
	stop context.CancelFunc
	done sync.WaitGroup
}

func consume(tb rapid.TB, o Options, args ...string) *consumer {
	tb.Helper()
	c := &consumer{tb: tb, args: args, o: o, seen: (&seen{}).clone()}
	c.begin(nil)
	return c
}

func (c *consumer) begin(marks []Mark) {
	c.tb.Helper()
	feed, err := Follow(c.args, c.o, marks)
	if err != nil {
		c.tb.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c.feed, c.stop = feed, stop
	c.done.Go(func() {
		for {
			list, err := feed.Accept(ctx)
			if err != nil {
				return
			}
			for _, s := range list {
				c.done.Go(func() { c.read(ctx, s) })
			}
		}
	})
}

func (c *consumer) read(ctx context.Context, s Live) {
	at := s.Mark()
	c.mu.Lock()
	if _, twice := c.seen.lines[at.Stream]; twice && c.seen.marks[at.Stream] != at {
		c.seen.odd = append(c.seen.odd, fmt.Sprintf("stream %d begins at %+v, not at %+v", at.Stream, at, c.seen.marks[at.Stream]))
	}
	c.seen.marks[at.Stream] = at
	c.mu.Unlock()
	for {
		chunk, err := s.Next(ctx)
		if ctx.Err() != nil {
			return
		}
		c.mu.Lock()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.seen.odd = append(c.seen.odd, err.Error())
			}
			c.seen.ended++
			delete(c.seen.marks, at.Stream)
			c.mu.Unlock()
			return
		}
		if chunk.Lost != 0 {
			c.seen.lost = append(c.seen.lost, chunk.Why)
		}
		if b := chunk.Block; b != nil {
			if b.Stream != at.Stream || b.Offset != at.Offset || b.Line != at.Line+1 {
				c.seen.odd = append(c.seen.odd, fmt.Sprintf("block %d:%d@%d behind %+v", b.Stream, b.Line, b.Offset, at))
			}
			text := "too long\n"
			if !b.TooLong {
				text = string(b.Data)
			}
			c.seen.lines[at.Stream] = append(c.seen.lines[at.Stream], strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
			c.seen.format[at.Stream] = "unknown"
			if b.Format != nil {
				c.seen.format[at.Stream] = b.Format.Name
				if goesOn(b) {
					c.seen.open[at.Stream] = append(c.seen.open[at.Stream], len(c.seen.lines[at.Stream]))
				}
			}
			b.Release()
		}
		at = chunk.Mark
		c.seen.marks[at.Stream] = at
		c.mu.Unlock()
	}
}

// goesOn tells that a record of a block is not at its end there.
func goesOn(b *Block) bool {
	ends, whole := wrap.NewCutter(b.Format.Wrappers), true
	if ends == nil {
		return false
	}
	for line := range bytes.Lines(b.Data) {
		whole = ends(bytes.TrimSuffix(line, []byte{'\n'}))
	}
	return !whole
}

// save writes the checkpoint.
func (c *consumer) save() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saved = c.seen.clone()
}

// kill ends the process as a crash does: what was seen since the checkpoint is
// forgotten.
func (c *consumer) kill() {
	c.stop()
	c.done.Wait()
	must(c.tb, c.feed.Close())
	if odd := c.seen.odd; len(odd) > 0 {
		c.tb.Fatalf("odd: %q", odd)
	}
	if c.saved != nil {
		c.seen = c.saved.clone()
	} else {
		c.seen = (&seen{}).clone()
	}
}

// restart goes on from the checkpoint, if there is one.
func (c *consumer) restart() {
	c.tb.Helper()
	if c.saved == nil {
		c.begin(nil)
		return
	}
	marks := []Mark{}
	for _, m := range c.saved.marks {
		marks = append(marks, m)
	}
	c.begin(marks)
}

func (c *consumer) end() *seen {
	c.save()
	c.kill()
	return c.seen
}

// writer writes logs as programs and logrotate do.
type writer struct {
	t     *rapid.T
	c     *consumer
	dir   string
	gap   func()
	kind  string // format of the logs
	down  bool
	files []*written
}

// written is the content of one file: what should be seen of it, wherever it
// lies.
type written struct {
	lines []string
	half  string // not written yet, of the record that is begun
	left  bool   // and never will be
}

// log is a name under which a program logs.
type log struct {
	w       *writer
	path    string
	file    *os.File
	now     *written
	rotated []string // endings of the rotated files, the newest first
	alone   bool     // the last of them was removed
}

func must(tb rapid.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// touch gives a file the time of the bubble: the real clock stands still in it.
func (w *writer) touch(path string) { must(w.t, os.Chtimes(path, time.Time{}, time.Now())) }

func (l *log) open() {
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	must(l.w.t, err)
	l.file = file
	l.now = &written{}
	l.w.files = append(l.w.files, l.now)
}

func (l *log) write(text string) {
	_, err := l.file.WriteString(text)
	must(l.w.t, err)
	must(l.w.t, touch(l.file, time.Now()))
}

// record makes a record, which takes one line or several; each says in which
// file it stands.
func (l *log) record() (lines []string) {
	n, at := slices.Index(l.w.files, l.now), len(l.now.lines)
	id := fmt.Sprintf("%d-%d%s", n, at, strings.Repeat("x", rapid.IntRange(0, 300).Draw(l.w.t, "length")))
	text := record(id)
	if l.w.kind == "loopgauge" {
		return []string{text}
	}
	parts := rapid.IntRange(1, 4).Draw(l.w.t, "parts")
	for i := range parts {
		k, last := len(text)/(parts-i), i == parts-1
		part, time := text[:k], fmt.Sprintf("2026-11-21T03:51:29.%04d%05dZ", n, at+i)
		text = text[k:]
		switch l.w.kind {
		case "cri+loopgauge":
			lines = append(lines, time+map[bool]string{false: " stdout P ", true: " stdout F "}[last]+part)
		case "docker+loopgauge":
			lines = append(lines, object("log", part+map[bool]string{true: "\n"}[last], "stream", "stdout", "time", time))
		case "json+loopgauge":
			lines = append(lines, fmt.Sprintf(`"%d":%q,`, i, time))
		}
	}
	if l.w.kind == "json+loopgauge" {
		lines[0] = `{"time":1,` + lines[0]
		lines = append(lines, fmt.Sprintf(`"id":"%s"}`, id))
	}
	return lines
}

func (l *log) finish() {
	if l.now.half != "" {
		l.write(l.now.half)
		l.now.half = ""
	}
}

func (l *log) append() {
	if l.file == nil {
		l.open()
	}
	l.finish()
	for range rapid.IntRange(1, 5).Draw(l.w.t, "records") {
		lines := l.record()
		l.write(strings.Join(lines, "\n") + "\n")
		l.now.lines = append(l.now.lines, lines...)
	}
	if rapid.IntRange(0, 3).Draw(l.w.t, "half") == 0 {
		lines := l.record()
		text := strings.Join(lines, "\n") + "\n"
		k := rapid.IntRange(1, len(text)-1).Draw(l.w.t, "cut")
		l.write(text[:k])
		l.now.lines = append(l.now.lines, lines...)
		l.now.half = text[k:]
	}
}

// shift makes room for another rotated file.
func (l *log) shift() {
	for i, ending := range slices.Backward(l.rotated) {
		must(l.w.t, os.Rename(fmt.Sprintf("%s.%d%s", l.path, i+1, ending), fmt.Sprintf("%s.%d%s", l.path, i+2, ending)))
		l.w.gap()
	}
	l.rotated = slices.Insert(l.rotated, 0, "")
}

// known tells that the log may be rotated: a file that nobody has seen is
// searched only where there is a mark of its name.
func (l *log) known() bool {
	if l.file == nil || len(l.now.lines) == 0 {
		return false
	}
	for range 2 {
		if l.w.c.saved != nil && !l.alone {
			for _, m := range l.w.c.saved.marks {
				if m.Name == l.path {
					return true
				}
			}
		}
		if l.w.down {
			return false
		}
		time.Sleep(3 * lookSeldom)
		l.w.c.save()
		l.alone = false
	}
	return false
}

func (l *log) rename() {
	if !l.known() {
		return
	}
	l.shift()
	must(l.w.t, os.Rename(l.path, l.path+".1"))
	l.w.gap()
	if l.now.half != "" && rapid.Bool().Draw(l.w.t, "left half") {
		left := strings.TrimSuffix(strings.Join(l.now.lines, "\n")+"\n", l.now.half)
		l.now.lines = strings.Split(strings.TrimSuffix(left, "\n"), "\n")
		l.now.half = ""
		l.now.left = true
	}
	l.finish()
	must(l.w.t, l.file.Close())
	l.file = nil
	if rapid.Bool().Draw(l.w.t, "create") {
		l.open()
	}
}

func (l *log) copyTruncate() {
	if !l.known() {
		return
	}
	l.finish()
	l.shift()
	data, err := os.ReadFile(l.path)
	must(l.w.t, err)
	must(l.w.t, os.WriteFile(l.path+".1", data, 0o666))
	l.w.touch(l.path + ".1")
	l.w.gap()
	must(l.w.t, l.file.Truncate(0))
	l.w.touch(l.path)
	l.now = &written{}
	l.w.files = append(l.w.files, l.now)
}

func (l *log) compress() {
	k := slices.Index(l.rotated, "")
	if k < 0 {
		return
	}
	path := fmt.Sprintf("%s.%d", l.path, k+1)
	data, err := os.ReadFile(path)
	must(l.w.t, err)
	if len(data) == 0 {
		return
	}
	out, err := os.Create(path + ".gz")
	must(l.w.t, err)
	packed := gz(l.w.t, data)
	half := rapid.IntRange(0, len(packed)).Draw(l.w.t, "packed")
	_, err = out.Write(packed[:half])
	must(l.w.t, err)
	l.w.touch(path + ".gz")
	l.w.gap()
	_, err = out.Write(packed[half:])
	must(l.w.t, err)
	must(l.w.t, out.Close())
	l.w.touch(path + ".gz")
	l.w.gap()
	must(l.w.t, os.Remove(path))
	l.rotated[k] = ".gz"
}

// remove removes the oldest file, when it is surely read and the checkpoint
// knows.
func (l *log) remove() {
	n := len(l.rotated)
	if n == 0 || l.w.down {
		return
	}
	time.Sleep(3 * quiet)
	l.w.c.save()
	must(l.w.t, os.Remove(fmt.Sprintf("%s.%d%s", l.path, n, l.rotated[n-1])))
	l.rotated = l.rotated[:n-1]
	l.alone = n == 1
}

// noDeadline is a test in a bubble, whose deadline must not be asked for.
type noDeadline struct{ rapid.TB }

// TestFollowSeesEveryLineOnce: whatever is done to logs, and whenever the
// process is killed, each line is seen once, in order.
func TestFollowSeesEveryLineOnce(t *testing.T) {
	base, runs := t.TempDir(), 0
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(noDeadline{t}, func(t *rapid.T) {
			runs++
			dir := filepath.Join(base, strconv.Itoa(runs))
			must(t, os.Mkdir(dir, 0o777))
			args := rapid.SampledFrom([][]string{{""}, {"/app.log", "/other.log"}, {"/*.log*"}, {"/*.log", "/*.gz"}}).Draw(t, "args")
			args = slices.Clone(args)
			for i := range args {
				args[i] = dir + args[i]
			}
			w := &writer{t: t, dir: dir, kind: rapid.SampledFrom([]string{"loopgauge", "docker+loopgauge", "cri+loopgauge", "json+loopgauge"}).Draw(t, "kind")}
			w.gap = func() {
				if d := rapid.SampledFrom([]int{0, 0, 1, 300, 1200}).Draw(t, "gap"); d > 0 {
					time.Sleep(time.Duration(d) * time.Millisecond)
				}
			}
			c := consume(t, Options{MaxLine: DefaultMaxLine, blockSize: rapid.SampledFrom([]int{64, 1000, 0}).Draw(t, "block")}, args...)
			w.c = c
			defer func() {
				if !w.down {
					c.stop()
					c.done.Wait()
					must(t, c.feed.Close())
				}
			}()
			logs := []*log{{w: w, path: dir + "/app.log"}, {w: w, path: dir + "/other.log"}}
			on := func(do func(*log)) func(*rapid.T) {
				return func(t *rapid.T) { do(logs[max(0, rapid.IntRange(-3, 1).Draw(t, "log"))]) }
			}
			wait := func(t *rapid.T) {
				time.Sleep(rapid.SampledFrom([]time.Duration{time.Millisecond, lookOften, lookSeldom, patience, quiet, 2 * quiet}).Draw(t, "wait"))
			}
			t.Repeat(map[string]func(*rapid.T){
				"append":        on((*log).append),
				"append more":   on((*log).append),
				"rename":        on((*log).rename),
				"copy-truncate": on((*log).copyTruncate),
				"compress":      on((*log).compress),
				"remove":        on((*log).remove),
				"wait":          wait,
				"wait more":     wait,
				"save": func(*rapid.T) {
					if !w.down {
						c.save()
					}
				},
				"kill": func(t *rapid.T) {
					if !w.down {
						c.kill()
						w.down = true
					}
				},
				"restart": func(*rapid.T) {
					if w.down {
						c.restart()
						w.down = false
					}
				},
			})
			if w.down {
				c.restart()
				w.down = false
			}
			for _, l := range logs {
				if l.file != nil {
					l.finish()
					must(t, l.file.Close())
				}
			}
			time.Sleep(5 * quiet)
			got := c.end()
			w.down = true
			w.compare(got)
		})
	})
}

// ids shortens lines.
func ids(lines []string) string {
	var list []string
	for _, line := range lines {
		if _, id, ok := strings.Cut(line, `,"id":"`); ok {
			line = id
		}
		list = append(list, strings.TrimRight(line, `x"}`))
	}
	return strings.Join(list, " ")
}

// marked is where a line says which file it is of.
var marked = regexp.MustCompile(`"id":"(\d+)-|:29\.(\d{4})\d{5}Z|"id\\":\\"(\d+)-`)

// fileOf is the number of the file that a line is of, -1 if it does not say.
func fileOf(line string) int {
	for _, text := range marked.FindStringSubmatch(line) {
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	}
	return -1
}

func (w *writer) compare(got *seen) {
	w.t.Helper()
	var wrong []string // all at once, for rapid shows the last of what it cannot repeat
	says := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	byFile := make([][]string, len(w.files))
	for stream, lines := range got.lines {
		for _, line := range lines {
			if line == "" {
				continue // the newline of a line that counted without it
			}
			n := fileOf(line)
			if n < 0 || n >= len(w.files) {
				// Half a line that was left: known by its whole text.
				n = slices.IndexFunc(w.files, func(f *written) bool { return slices.Contains(f.lines, line) && slices.Contains(f.lines, lines[0]) })
			}
			if n < 0 {
				w.t.Fatalf("stream %d: %q was never written", stream, line)
			}
			byFile[n] = append(byFile[n], line)
		}
		for _, at := range got.open[stream] {
			if n := fileOf(lines[0]); at != len(lines) || n >= 0 && !w.files[n].left {
				says("stream %d: a block ends inside of a record, behind line %d of %d", stream, at, len(lines))
			}
		}
		if n := fileOf(lines[0]); n >= 0 && !w.files[n].left && got.format[stream] != w.kind {
			says("stream %d: %s, want %s", stream, got.format[stream], w.kind)
		}
	}
	for n, f := range w.files {
		if !slices.Equal(byFile[n], f.lines) {
			says("file %d: seen\n%s\nwritten\n%s", n, ids(byFile[n]), ids(f.lines))
		}
	}
	if len(got.lost) > 0 {
		says("said to be lost: %q", got.lost)
	}
	if len(wrong) > 0 {
		list, _ := filepath.Glob(w.dir + "/*")
		w.t.Fatalf("%s\nfiles %q, streams %+v", strings.Join(wrong, "\n"), list, got.marks)
	}
}
