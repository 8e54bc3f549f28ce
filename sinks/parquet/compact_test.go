package parquet

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

const forever = math.MinInt64 // how long days are kept

// live writes parts as watch does, a part after the other.
type live struct {
	dir    string
	plan   *window.Plan
	x      *window.Extractor
	part   int64
	events int64
	long   int // bytes of each path, if it is to be long
}

func newLive(tb testing.TB, dir string) *live {
	tb.Helper()
	p := plan(tb)
	return &live{dir: dir, plan: p, x: p.NewExtractor(window.ExtractOptions{})}
}

func liveName(part, first int64) string { return fmt.Sprintf("%09d-%012d", part, first) }

// write adds a part of events, two rows each, with a verdict and an episode of
// the first. They are step microseconds apart.
func (l *live) write(events int, step int64) error {
	d, err := Append(l.dir, l.plan, liveName(l.part, l.events), l.events)
	if err != nil {
		return err
	}
	defer d.Abort()
	first := l.events
	for range events {
		r := requests()[0]
		r.Position.Line, r.End = l.events+1, midnight+l.events*step
		r.ID = fmt.Appendf(nil, "r%d", l.events)
		var ev window.Event
		l.x.Event(&r, &ev)
		if l.long > 0 { // longer than the extractor leaves it
			ev.Path = strings.Repeat("/", l.long) + fmt.Sprint(l.events)
		}
		if err := d.AddEvent(&ev); err != nil {
			return err
		}
		if l.events == first {
			print := ev.Prints[0].Fingerprints[0]
			v := window.Verdict{Event: &ev, Rule: l.plan.Rules[0], Scope: &ev.Scopes[0], Fingerprint: print, Count: 2, Action: window.Allow, RetryAfter: -1, DelayMS: -1}
			ep := window.Episode{ID: fmt.Sprint("ep", l.events), Rule: l.plan.Rules[0], Scope: []string{"s"}, Fingerprint: print, Fired: ev.Time - 10*step, Last: ev.Time}
			if err := errors.Join(d.AddVerdict(&v, l.events), d.AddEpisode(&ep)); err != nil {
				return err
			}
		}
		l.events++
	}
	l.part++
	return d.Close(Run{Judged: l.events, Lines: l.events, Logs: []Log{{}, {}}, Accounts: []window.RuleAccount{{Rule: l.plan.Rules[0]}, {Rule: l.plan.Rules[1]}}})
}

func (l *live) mustWrite(t *testing.T, parts, events int, step int64) {
	t.Helper()
	for range parts {
		must(t, l.write(events, step))
	}
}

func init() { lingering = 200 * time.Millisecond }

func mustCompact(t *testing.T, dir string, keep int64) Compacted {
	t.Helper()
	done, err := Compact(dir, keep)
	must(t, err)
	return done
}

// table reads all rows of a table, file by file.
func table[R any](t *testing.T, dir, name string) (all []R) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, name, "*", "*.parquet"))
	must(t, err)
	for _, f := range found {
		info, err := os.Stat(f)
		must(t, err)
		if err := eachTyped(f, func(row R) { all = append(all, row) }); err != nil {
			t.Fatalf("%s, %d bytes: %v", f, info.Size(), err)
		}
	}
	return all
}

// What was in many files is in few, row by row, and still in order; the newest
// parts stay as they are, and are taken in the next time.
func TestCompact(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	l := newLive(t, dir)
	const hour = 3_600_000_000
	l.mustWrite(t, 9, 10, hour) // four days
	events, verdicts, episodes := table[eventRow](t, dir, "events"), table[verdictRow](t, dir, "verdicts"), table[episodeRow](t, dir, "episodes")
	if len(events) != 180 || len(verdicts) != 9 || len(episodes) != 9 {
		t.Fatalf("%d events, %d verdicts, %d episodes", len(events), len(verdicts), len(episodes))
	}
	same := func() {
		t.Helper()
		equal(t, table[eventRow](t, dir, "events"), events)
		equal(t, table[verdictRow](t, dir, "verdicts"), verdicts)
		equal(t, table[episodeRow](t, dir, "episodes"), episodes)
	}
	stale := filepath.Join(dir, "events", "date=2026-11-21", ".000000000-000000000000.parquet.1.tmp")
	foreign := filepath.Join(dir, "events", "date=2026-11-21", "notes.txt")
	for _, name := range []string{stale, foreign} {
		save(t, name, nil)
	}
	done := mustCompact(t, dir, forever)
	same()
	const want = `.loopgauge/compact
.loopgauge/lock
episodes/date=2026-11-20/000000000-000000000000-0000.parquet
episodes/date=2026-11-21/000000001-000000000010-0000_000000003-000000000030-0000.parquet
episodes/date=2026-11-22/000000004-000000000040-0000_000000005-000000000050-0000.parquet
episodes/date=2026-11-23/000000006-000000000060-0000.parquet
episodes/date=2026-11-23/000000007-000000000070-0000.parquet
episodes/date=2026-11-23/000000008-000000000080-0000.parquet
events/date=2026-11-21/000000000-000000000000_000000002-000000000020.parquet
events/date=2026-11-21/notes.txt
events/date=2026-11-22/000000002-000000000020_000000004-000000000040.parquet
events/date=2026-11-23/000000004-000000000040_000000006-000000000060.parquet
events/date=2026-11-23/000000007-000000000070.parquet
events/date=2026-11-24/000000007-000000000070.parquet
events/date=2026-11-24/000000008-000000000080.parquet
run/run.parquet
verdicts/date=2026-11-21/000000000-000000000000_000000002-000000000020.parquet
verdicts/date=2026-11-22/000000003-000000000030_000000004-000000000040.parquet
verdicts/date=2026-11-23/000000005-000000000050_000000006-000000000060.parquet
verdicts/date=2026-11-23/000000007-000000000070.parquet
verdicts/date=2026-11-24/000000008-000000000080.parquet`
	if got := files(t, dir); got != want {
		t.Errorf("files:\n%s\nwant:\n%s", got, want)
	}
	for name, l := range layouts {
		for _, file := range filesOf(dir, name, "*.parquet") {
			for _, c := range parsed(t, load(t, file)).Metadata().RowGroups[0].Columns {
				column := strings.Join(c.MetaData.PathInSchema, ".")
				if c.MetaData.Statistics.NullCount == c.MetaData.NumValues {
					continue // nobody finds anything in it
				}
				if has := c.MetaData.BloomFilterOffset > 0; has != slices.Contains(l.looked, column) {
					t.Errorf("%s: column %s has a Bloom filter: %v", file, column, has)
				}
			}
		}
	}
	if done.Before != 21 || done.After != 8 || done.Days != 8 {
		t.Errorf("%+v", done)
	}
	if again := mustCompact(t, dir, forever); again != (Compacted{}) {
		t.Errorf("a second time: %+v", again)
	}

	// The newest parts may be written anew, as after a crash; older ones not.
	must(t, Discard(dir, liveName(8, 80)))
	l.part, l.events = 8, 80
	l.mustWrite(t, 3, 10, hour)
	events, verdicts, episodes = table[eventRow](t, dir, "events"), table[verdictRow](t, dir, "verdicts"), table[episodeRow](t, dir, "episodes")
	if n := len(events); n != 220 {
		t.Errorf("%d rows of events after the last part was written anew", n)
	}
	mustCompact(t, dir, forever)
	same()
	if got := files(t, dir); !strings.Contains(got, "events/date=2026-11-23/000000004-000000000040_000000007-000000000070.parquet") {
		t.Errorf("what was merged is not taken in again:\n%s", got)
	}
	if err := Discard(dir, liveName(3, 30)); err == nil || !strings.Contains(err.Error(), "compacted too early") {
		t.Errorf("a part among others was discarded: %v", err)
	}
	same()

	// Days go by age, from the first on, and a reader is told.
	removed := mustCompact(t, dir, midnight+24*hour)
	if removed.Removed != 4 || removed.RemovedBytes == 0 {
		t.Errorf("%+v", removed)
	}
	r, err := Open(dir)
	must(t, err)
	if r.Removed != 24 || r.Whole {
		t.Errorf("%d removed, whole %v", r.Removed, r.Whole)
	}

	// Where events stay, a table without a day has a file, which can be asked.
	mustCompact(t, dir, midnight+4*24*hour)
	rows := table[episodeRow](t, dir, "episodes")
	if got := files(t, dir); len(rows) > 0 || !strings.Contains(got, "episodes/date=2026-11-25/000000010-000000000100.parquet\n") {
		t.Errorf("%d episodes in\n%s", len(rows), got)
	}
}

// What others keep in the folder of a day, or beside it, is theirs.
func TestCompactForeign(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	l := newLive(t, dir)
	l.mustWrite(t, 6, 10, 1)
	const day = "events/date=2026-11-21"
	theirs := []string{
		day + "/@eaDir/thumb", day + "/.DS_Store", day + "/.000000002-000000000020.parquet.crc",
		day + "/notes.parquet", "events/date=2026-11-21.old/000000000-000000000000.parquet", "events/date=x", "events/@eaDir/x",
	}
	for _, name := range theirs {
		must(t, errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600)))
	}
	left := filepath.Join(dir, day, ".000000002-000000000020.parquet.123.tmp")
	save(t, left, nil)
	allThere := func() {
		t.Helper()
		for _, name := range theirs {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != name {
				t.Errorf("%q, %v", text, err)
			}
		}
	}
	if done := mustCompact(t, dir, forever); done.Before != 11 || done.After != 3 {
		t.Errorf("%+v", done)
	}
	allThere()
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a killed writer left: %v", err)
	}

	// A crash may leave what is theirs where the next call finds it.
	work := filepath.Join(dir, own, "work", day)
	if err := errors.Join(os.MkdirAll(work, 0o700), os.Rename(filepath.Join(dir, day, "@eaDir"), filepath.Join(work, "@eaDir")),
		os.WriteFile(filepath.Join(work, ".DS_Store"), []byte("another"), 0o600)); err != nil {
		t.Fatal(err)
	}
	mustCompact(t, dir, forever)
	allThere()
	if text, err := os.ReadFile(filepath.Join(dir, day, ".DS_Store~2")); err != nil || string(text) != "another" {
		t.Errorf("%q, %v", text, err)
	}

	must(t, Discard(dir, liveName(5, 50)))
	allThere()
	if done := mustCompact(t, dir, midnight+2*dayLength); done.Removed != 4 {
		t.Errorf("%+v", done)
	}
	allThere()
	if found, err := filepath.Glob(filepath.Join(dir, "*", "date=2026-11-21", "00*.parquet")); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "verdicts", "date=2026-11-21")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty day stays: %v", err)
	}
	if done := mustCompact(t, dir, midnight+2*dayLength); done != (Compacted{}) {
		t.Errorf("a second time: %+v", done)
	}
	allThere()
}

func TestCompactRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Compact(dir, forever); err == nil || !strings.Contains(err.Error(), "no dataset") {
		t.Errorf("an empty directory: %v", err)
	}
	l := newLive(t, dir)
	l.mustWrite(t, 5, 1, 1)
	before := files(t, dir)
	unlock, err := lockNow(dir, "compact", sinks.Exclusive, errBusy)
	must(t, err)
	if _, err := Compact(dir, forever); !errors.Is(err, errBusy) {
		t.Errorf("beside another: %v", err)
	}
	unlock()
	damaged := filepath.Join(dir, "events", "date=2026-11-21", "000000001-000000000001.parquet")
	sound := load(t, damaged)
	refused := func(text []byte, want string) {
		t.Helper()
		save(t, damaged, text)
		if _, err := Compact(dir, forever); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if got := strings.ReplaceAll(files(t, dir), ".loopgauge/compact\n", ""); got != before {
			t.Errorf("files:\n%s\nbefore:\n%s", got, before)
		}
	}
	for _, part := range []int{2, 10, len(sound) - 1} {
		refused(sound[:len(sound)-len(sound)/part], "damaged")
	}
	refused(nil, "damaged")
	words := bytes.Replace(sound, []byte("key-"), []byte("kex-"), 1) // of a dictionary
	if bytes.Equal(words, sound) {
		t.Fatal("there is no such word: the test shows nothing")
	}
	refused(words, damaged+": damaged")
	refused(withFooter(t, sound, func(m *format.FileMetaData) { m.NumRows++ }), "holds 2 rows of 3")
	refused(withFooter(t, sound, func(m *format.FileMetaData) {
		m.NumRows++
		m.RowGroups[0].NumRows++
	}), "2 rows of 3")
	type newer struct {
		Time int64  `parquet:"time,timestamp(microsecond)"`
		Mood string `parquet:"mood"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[newer](&b)
	if _, err := w.Write([]newer{{1, "calm"}}); err != nil {
		t.Fatal(err)
	}
	must(t, w.Close())
	refused(b.Bytes(), "has a column mood (STRING)")
}

// withFooter is a file with another footer.
func withFooter(t *testing.T, file []byte, change func(*format.FileMetaData)) []byte {
	t.Helper()
	meta := parsed(t, file).Metadata()
	change(meta)
	footer, err := encoded(meta)
	must(t, err)
	end := len(file) - 8
	begin := end - int(binary.LittleEndian.Uint32(file[end:]))
	return slices.Concat(file[:begin], footer, binary.LittleEndian.AppendUint32(nil, uint32(len(footer))), []byte("PAR1"))
}

// Whatever byte is wrong, what becomes of a damaged file is what was in it, or
// nothing, and the file is named.
func TestMergeDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	l := newLive(t, dir)
	l.mustWrite(t, 2, 3, 1)
	path := filesOf(dir, "verdicts", "*.parquet")[0]
	sound := load(t, path)
	want := table[verdictRow](t, dir, "verdicts")[:1]
	said, tried := 0, 0
	for i := 0; i < len(sound); i += 1 + len(sound)/200 {
		tried++
		bad := bytes.Clone(sound)
		bad[i] ^= 1 << (i % 8)
		save(t, path, bad)
		var got []verdictRow
		if err := eachTyped(path, func(row verdictRow) { got = append(got, row) }); err == nil {
			equal(t, got, want)
		} else if said++; !strings.HasPrefix(err.Error(), path) {
			t.Fatalf("byte %d: %v", i, err)
		}
		if t.Failed() {
			t.Fatalf("byte %d of %d", i, len(sound))
		}
	}
	if said < tried/4 {
		t.Errorf("%d of %d damages are noticed", said, tried)
	}
}

// A column that was added since is null in what was written before.
func TestCompactOlderFiles(t *testing.T) {
	dir := t.TempDir()
	var sources []string
	type older struct {
		ID    string `parquet:"id"`
		Fired int64  `parquet:"fired,timestamp(microsecond)"`
	}
	for i, rows := range [][]older{{{"b", 2}, {"d", 4}}, {{"a", 1}, {"c", 3}}, {}} {
		sources = append(sources, filepath.Join(dir, fmt.Sprint(i)))
		must(t, parquet.WriteFile(sources[i], rows))
	}
	target := filepath.Join(dir, "merged.parquet")
	must(t, mergeEpisodes("episodes", target, sources))
	var got strings.Builder
	for _, row := range rows[episodeRow](t, target) {
		fmt.Fprintf(&got, "%s%d%v ", row.ID, row.Fired, row.TokensAfter == nil)
	}
	if want := "a1true b2true c3true d4true "; got.String() != want {
		t.Errorf("%s, want %s", got.String(), want)
	}
}

// TestCompactLongTexts: texts that are long are not all in memory where they are
// merged, as little as where they were written.
func TestCompactLongTexts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	l := newLive(t, dir)
	l.long = 2 << 20
	l.mustWrite(t, 12, 4, 1000)
	mustCompact(t, dir, forever)
	merged, err := filepath.Glob(filepath.Join(dir, "events", "*", "*_*.parquet"))
	if err != nil || len(merged) != 1 {
		t.Fatalf("merged: %v, %v", merged, err)
	}
	file, f, err := beginEvents(merged[0])
	must(t, err)
	defer f.Close()
	for i, group := range file.Metadata().RowGroups {
		if group.TotalByteSize > groupText+groupText/16 || group.NumRows == 0 { // about: other pages take other bytes
			t.Errorf("row group %d has %d rows in %d bytes", i, group.NumRows, group.TotalByteSize)
		}
	}
	for i, row := range table[eventRow](t, dir, "events") {
		if row.Seq != int64(i/2) || len(row.Path) < l.long {
			t.Fatalf("row %d is of event %d, with a path of %d bytes", i, row.Seq, len(row.Path))
		}
	}
}

// TestCompactProcess is no test: TestCompactUnderFire starts and kills it.
func TestCompactProcess(t *testing.T) {
	dir := os.Getenv("LOOPGAUGE_TEST_COMPACT")
	if dir == "" {
		t.Skip("a part of TestCompactUnderFire")
	}
	for {
		mustCompact(t, dir, forever)
	}
}

// TestExchange: a folder's place is never empty while two take each other's.
func TestExchange(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, name := range []string{a, b} {
		must(t, os.MkdirAll(filepath.Join(name, "in "+filepath.Base(name)), 0o755))
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			if entries, err := os.ReadDir(a); err != nil || len(entries) != 1 {
				t.Errorf("%v, %v", entries, err)
				return
			}
		}
	})
	for range 5001 {
		must(t, exchange(a, b))
	}
	stop()
	all.Wait()
	if got := files(t, dir); got != "" {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(a, "in b")); err != nil {
		t.Error(err)
	}
}

// look counts the rows of events, and the distinct ones among them. It fails with
// fs.ErrNotExist if files were gone that it had seen.
type look func() (rows, distinct int64, err error)

// list lists the files of events. A folder that was replaced stays for a moment;
// who takes longer to list it, on a machine that stood still, sees some of it.
func list(dir string) ([]string, error) {
	began := time.Now()
	found, err := filepath.Glob(filepath.Join(dir, "events", "*", "*.parquet"))
	if err == nil && time.Since(began) >= lingering {
		err = fs.ErrNotExist
	}
	return found, err
}

// TestCompactUnderFire: while parts are written, and compactions killed at any
// moment, whoever reads sees each row once: all that had been written when he
// began, and none twice.
func TestCompactUnderFire(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	l := newLive(t, dir)
	l.mustWrite(t, 3, 4, 1)
	readers, kills := []look{func() (int64, int64, error) { return lookAt(dir) }, func() (int64, int64, error) { return glance(dir) }}, 8
	if !testing.Short() {
		kills = 30
		readers = append(readers, duckDBLook(t, pythonWithDuckDB(t), dir))
	}
	var published, looks, gone atomic.Int64
	published.Store(l.events)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var all sync.WaitGroup
	all.Go(func() {
		for ctx.Err() == nil {
			if err := l.write(4, 1); err != nil {
				t.Errorf("the writer is disturbed: %v", err)
				return
			}
			published.Store(l.events)
		}
	})
	for _, read := range readers {
		all.Go(func() {
			for ctx.Err() == nil {
				least := 2 * published.Load()
				rows, distinct, err := read()
				switch {
				case errors.Is(err, fs.ErrNotExist):
					gone.Add(1)
				case err != nil:
					t.Errorf("a reader is disturbed: %v", err)
					return
				case rows != distinct || rows < least:
					t.Errorf("%d rows, %d distinct; %d had been written", rows, distinct, least)
					return
				default:
					looks.Add(1)
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range kills {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCompactProcess$")
		c.Env = append(os.Environ(), "LOOPGAUGE_TEST_COMPACT="+dir)
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		must(t, c.Start())
		time.Sleep(time.Duration(random.IntN(800)) * time.Millisecond)
		if err := c.Process.Kill(); err != nil {
			t.Errorf("a compaction ended by itself: %v", err)
		}
		if err := c.Wait(); err == nil || strings.Contains(out.String(), "FAIL") {
			t.Errorf("a compaction failed: %v\n%s", err, out.String())
		}
	}
	for deadline := time.Now().Add(15 * time.Minute); looks.Load() < int64(len(readers)) && !t.Failed(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("%d reads, and %d that came too late", looks.Load(), gone.Load())
		}
	}
	stop()
	all.Wait()
	t.Logf("%d events, %d reads, of which %d came too late", l.events, looks.Load()+gone.Load(), gone.Load())

	// In the end nothing is missing, and what kills left is gone.
	mustCompact(t, dir, forever)
	rows := table[eventRow](t, dir, "events")
	if int64(len(rows)) != 2*l.events {
		t.Fatalf("%d rows of %d", len(rows), 2*l.events)
	}
	for i, row := range rows {
		if row.Seq != int64(i/2) {
			t.Fatalf("row %d is of event %d", i, row.Seq)
		}
	}
	if n := strings.Count(files(t, dir), "\n"); n > 12 {
		t.Errorf("%d files are left:\n%s", n, files(t, dir))
	}
	if left, _ := os.ReadDir(filepath.Join(dir, own, "work")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func eachTyped[R any](path string, do func(row R)) error {
	var row R
	schema := parquet.SchemaOf(row)
	return eachOf[R](path, anyGroup, func(rows []parquet.Row) error {
		for _, values := range rows {
			var row R
			if err := schema.Reconstruct(&row, values); err != nil {
				return err
			}
			do(row)
		}
		return nil
	})
}

// lookAt lists the files, and then reads them, as every query does.
func lookAt(dir string) (rows, distinct int64, err error) {
	found, err := list(dir)
	if err != nil {
		return 0, 0, err
	}
	seen := map[string]bool{}
	for _, f := range found {
		err := eachTyped(f, func(row eventRow) {
			rows++
			seen[fmt.Sprint(row.Seq, " ", row.IdentityNo)] = true
		})
		if err != nil {
			return 0, 0, err
		}
	}
	return rows, int64(len(seen)), nil
}

// glance goes by the names alone, of parts with 8 rows each, and so looks more
// often than who reads.
func glance(dir string) (rows, distinct int64, err error) {
	found, err := list(dir)
	seen := map[int64]bool{}
	for _, f := range found {
		name := strings.TrimSuffix(filepath.Base(f), ".parquet")
		from, to, merged := strings.Cut(name, "_")
		if !merged {
			to = from
		}
		var first, last, event int64
		if _, err := fmt.Sscanf(from+" "+to, "%d-%d %d-%d", &first, &event, &last, &event); err != nil {
			return 0, 0, err
		}
		for part := first; part <= last; part++ {
			rows += 8
			seen[part] = true
		}
	}
	return rows, int64(8 * len(seen)), err
}

// duckDBLook asks a DuckDB that stays, line by line.
func duckDBLook(t *testing.T, python, dir string) look {
	t.Helper()
	const program = `
import sys, duckdb
db = duckdb.connect()
for _ in sys.stdin:
    try:
        print(*db.execute("SELECT count(*), count(DISTINCT (seq, identity_index)) FROM read_parquet(?)", [sys.argv[1]]).fetchone(), flush=True)
    except duckdb.IOException as e:
        print("gone" if "No such file" in str(e) or "No files found" in str(e) else repr(e), flush=True)
`
	c := exec.CommandContext(t.Context(), python, "-c", program, filepath.Join(dir, "events", "**", "*.parquet"))
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	must(t, err)
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	answers := bufio.NewReader(out)
	return func() (rows, distinct int64, err error) {
		began := time.Now()
		if _, err := io.WriteString(in, "\n"); err != nil {
			return 0, 0, err
		}
		line, err := answers.ReadString('\n')
		if err != nil {
			return 0, 0, err
		}
		answer := strings.Fields(line)
		if len(answer) == 2 {
			rows, err1 := strconv.ParseInt(answer[0], 10, 64)
			distinct, err2 := strconv.ParseInt(answer[1], 10, 64)
			if err := errors.Join(err1, err2); err != nil || rows != distinct || time.Since(began) < lingering {
				return rows, distinct, err
			}
			return 0, 0, fs.ErrNotExist // it may have taken so long to list them
		}
		if answer[0] == "gone" {
			return 0, 0, fs.ErrNotExist
		}
		return 0, 0, errors.New(line)
	}
}

// A file that was written anew after it was merged is not lost: the day stays as it is.
func TestChangedWhileCompacted(t *testing.T) {
	p := plan(t)
	events := extracted(p, 3)
	dir := filepath.Join(t.TempDir(), "out")
	keep(t, dir, p, events)
	file := eventFiles(t, dir)[0]
	from, to := filepath.Dir(file), filepath.Join(dir, own, "work")
	must(t, os.MkdirAll(to, 0o700))
	merged, err := listing(from)
	must(t, err)
	save(t, file+".new", load(t, file))
	must(t, os.Rename(file+".new", file))
	c := &compaction{dir: dir}
	if err := c.swap(from, to, merged); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Error(err)
	}
	comesBack(t, dir, p, events)
}

// What is merged again keeps the first and the last of its parts in its name.
func TestMergedName(t *testing.T) {
	for _, last := range []string{"part-3.parquet", "part-2_part-3.parquet"} {
		if got := mergedName("part-0_part-1.parquet", last); got != "part-0_part-3.parquet" {
			t.Errorf("%s: %s", last, got)
		}
	}
}

// sized is a file of which nothing but its name and size is asked.
type sized struct {
	fs.FileInfo
	name string
	size int64
}

func (s sized) Name() string { return s.name }
func (s sized) Size() int64  { return s.size }

// TestGroups: files become one up to a size, one that is large enough stays as it is
// and parts those beside it, and so do the newest parts.
func TestGroups(t *testing.T) {
	const half = fullFile / 2
	f := func(safe int64, want string, sizes ...int64) {
		t.Helper()
		c := &compaction{safe: map[int]int64{-1: safe}}
		var files []fs.FileInfo
		for i, size := range sizes {
			files = append(files, sized{name: fmt.Sprintf("%09d-%012d.parquet", i, i), size: size})
		}
		var got []string
		for _, group := range c.groups(files) {
			first, _, _ := partsOf(group[0].Name())
			got = append(got, fmt.Sprint(first.number, "+", len(group)))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d: %q, want %q", sizes, got, want)
		}
	}
	f(100, "0+3", 1, 1, 1)
	f(2, "0+2", 1, 1, 1, 1)
	f(100, "", 1, half, 1)
	f(100, "0+2 3+2", 1, 1, half, 1, 1)
	f(100, "0+2 2+2", half-1, half-1, half-1, half-1)
	f(100, "0+3", half-1, half-1, 2)
	f(100, "0+2 2+2", half-1, half-1, 3, 1)
}
