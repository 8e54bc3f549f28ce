package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// A file of verdicts under another name than the checkpoint's is not ours to
// cut.
func TestVerdictsOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other")
	write(t, path, "precious\n")
	w := &watch{o: Options{Job: Job{Verdicts: path}}}
	err := w.openFiles(files{name: "ours", verdicts: 3})
	w.closeFiles()
	if got, _ := os.ReadFile(path); err == nil || string(got) != "precious\n" {
		t.Errorf("%v; the file holds %q", err, got)
	}
}

// Nor is one under its name that holds something else by now.
func TestVerdictsReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "verdicts")
	synctest.Test(t, func(t *testing.T) {
		run := func() error {
			f := &feed{partitions: [][]string{looping(24)}, commits: -1}
			_, err := tryFor(t, filepath.Join(dir, "state"), 5*time.Second, "aisg", Options{Feed: f.open, Idle: 10 * time.Millisecond, Job: Job{Lateness: time.Second, Verdicts: path}})
			return err
		}
		if err := run(); err != nil {
			t.Fatal(err)
		}
		precious := strings.Repeat("p", len(read(t, path)))
		write(t, path, precious)
		if err := run(); precious == "" || !isMismatch(err, "is not the file that the last checkpoint knows") || string(read(t, path)) != precious {
			t.Errorf("%v; the file holds %q", err, read(t, path))
		}
	})
}

// A trial does not forget what sinks were told that it does not know; a run does,
// and says so.
func TestDryRunKeepsSinks(t *testing.T) {
	dir := t.TempDir()
	var said strings.Builder
	run := func(sink sinks.Sink, dry bool) error {
		p, err := policy.FromProfiles([]string{"loopgauge"})
		if err != nil {
			t.Fatal(err)
		}
		store := openStore(t, dir)
		defer store.Close() //nolint:errcheck // holds a lock, nothing else
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return Run(ctx, Options{
			Feed: (&script{}).open, Store: store, Idle: time.Hour, DryRun: dry,
			Job: Job{Plan: window.NewPlan(p.Rules, p.Exclude), Interval: time.Hour, Sinks: []sinks.Sink{sink}, Log: slog.New(slog.NewTextHandler(&said, nil))},
		})
	}
	trial := &sinks.Log{Logger: slog.New(slog.DiscardHandler)}
	if err := run(taker{}, false); err != nil {
		t.Fatal(err)
	}
	if err := run(trial, true); err == nil || !strings.Contains(err.Error(), "taker") {
		t.Errorf("a trial forgets what taker was told: %v", err)
	}
	if err := run(trial, false); err != nil {
		t.Error(err)
	}
	if err := run(trial, true); err != nil {
		t.Error(err)
	}
	if strings.Count(said.String(), `level=WARN msg="sink is gone: what waits for it goes to those that want it" sink=taker`) != 1 {
		t.Errorf("said %s", said.String())
	}
}

// A digest is over when the log has come so far, also where no loop follows.
func TestDigestEndsWithTheLog(t *testing.T) {
	outbox := sinks.NewOutbox(slog.New(slog.DiscardHandler), taker{})
	w := &Judging{Outbox: outbox, Router: sinks.NewRouter(outbox, sinks.Routes{}, nil)}
	for i := range 6 { // one more than are told of one by one
		w.Router.Take(&window.Incident{ID: fmt.Sprint("ep-", i), Revision: 1, State: window.Opened, Action: window.Warn, Tokens: -1, Cost: math.NaN()})
	}
	before, _ := outbox.Waiting()
	for _, at := range []time.Duration{59 * time.Second, time.Minute} {
		if err := w.event(&window.Event{Time: at.Microseconds()}); err != nil {
			t.Fatal(err)
		}
		if waiting, _ := outbox.Waiting(); waiting != before+int(at/time.Minute) {
			t.Errorf("at %s %d alerts wait, %d before", at, waiting, before)
		}
	}
}

// crashing is a feed that cannot be told of a checkpoint any more after a while,
// so that a run ends without a last one.
type crashing struct {
	*script
	at time.Time
}

func (f *crashing) open(ctx context.Context, marks []ingest.Mark) (ingest.Feed, error) {
	_, err := f.script.open(ctx, marks)
	return f, err
}

func (f *crashing) Commit(context.Context, []ingest.Mark) error {
	if time.Now().Before(f.at) {
		return nil
	}
	return errors.New("crash")
}

// published is a dataset that knows when parts were closed, and of how many rows.
type published struct {
	memory
	at   []time.Time
	rows []int
}

func (p *published) Part(name string, first int64) (Part, error) {
	next, err := p.memory.Part(name, first)
	return &closing{next.(*part), p}, err
}

type closing struct {
	*part
	to *published
}

func (c *closing) Close(r replay.Report) error {
	c.to.at, c.to.rows = append(c.to.at, time.Now()), append(c.to.rows, len(c.Rows))
	return c.part.Close(r)
}

// four are the steps of requests in a minute.
var four = []step{{second: 100}, {second: 200}, {second: 300}, {after: 30 * time.Second, second: 400}}

// crashed runs a watch of those that dies before its part is closed.
func crashed(t *testing.T, dir string, o Options, data *published) {
	t.Helper()
	o.Feed = (&crashing{&script{steps: [][]step{four}}, time.Now().Add(20 * time.Second)}).open
	if _, err := tryFor(t, dir, time.Hour, "loopgauge", o); !errors.Is(err, errLost) || len(data.at) > 0 {
		t.Fatalf("no crash (%v), or parts before it at %v", err, data.at)
	}
}

// TestPartInTime: a part is closed in its time, also where nothing more comes,
// and where there was a crash since it was begun.
func TestPartInTime(t *testing.T) {
	for _, crash := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "state")
		synctest.Test(t, func(t *testing.T) {
			data := &published{memory: memory{parts: map[string]*part{}}}
			o := Options{Dataset: data, Job: Job{PartInterval: time.Minute, Interval: time.Second}}
			began, steps := time.Now(), four
			if crash {
				crashed(t, dir, o, data)
				steps = nil
			}
			o.Feed = (&script{steps: [][]step{steps}}).open
			runFor(t, dir, time.Hour, "loopgauge", o)
			if len(data.at) != 1 || data.at[0].Sub(began) < time.Minute || data.at[0].Sub(began) > 65*time.Second || data.rows[0] != 4 {
				t.Errorf("crash %t: begun at %v, closed at %v with %v rows, want 4", crash, began, data.at, data.rows)
			}
		})
	}
}

// TestSpoolsGo: the rows of parts that are in their place are kept for no longer
// than the checkpoint before needs them.
func TestSpoolsGo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		data := &published{memory: memory{parts: map[string]*part{}}}
		later := []step{{second: 100}, {after: time.Minute, second: 200}, {after: time.Minute, second: 300}, {after: time.Minute, second: 400}}
		runFor(t, dir, time.Hour, "loopgauge", Options{Feed: (&script{steps: [][]step{later}}).open, Dataset: data, Job: Job{PartInterval: time.Second, Interval: time.Second}})
		if spools, err := filepath.Glob(filepath.Join(dir, "*.spool")); err != nil || len(data.rows) != 4 || len(spools) > 2 {
			t.Errorf("of %d parts are left %q, %v", len(data.rows), spools, err)
		}
	})
}

// TestPartOfTheFuture: a part that was begun by a clock that has been set back
// since is closed in its time: it waited until the clock had come there again.
func TestPartOfTheFuture(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	data := &published{memory: memory{parts: map[string]*part{}}}
	o := Options{Dataset: data, Job: Job{PartInterval: time.Minute, Interval: time.Second}}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(1000 * time.Hour)
		crashed(t, dir, o, data)
	})
	synctest.Test(t, func(t *testing.T) { // whose clock begins anew
		began := time.Now()
		o.Feed = (&script{steps: [][]step{nil}}).open
		runFor(t, dir, time.Hour, "loopgauge", o)
		if len(data.at) != 1 || data.at[0].Sub(began) > 65*time.Second {
			t.Errorf("begun at %v, closed at %v", began, data.at)
		}
	})
}

// TestRowsForWantOfRoom: an episode for which a lower cap leaves no room is in the
// dataset like any other that has ended.
func TestRowsForWantOfRoom(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	var values []string
	for i := range 5 {
		for _, session := range []string{"first", "second"} {
			values = append(values, fmt.Sprintf(`{"time":%d,"id":"%s%d","session":%[2]q,"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"no"}]}`, 1_800_000_000+i, session, i))
		}
	}
	data := &memory{parts: map[string]*part{}}
	for _, keys := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			runFor(t, dir, time.Minute, "loopgauge/tool-call-result", Options{Feed: (&feed{partitions: [][]string{values}, commits: -1}).open, Dataset: data, Job: Job{PartInterval: time.Hour, MaxKeys: keys}})
		})
	}
	var ended []string
	for _, name := range slices.Sorted(maps.Keys(data.parts)) {
		for _, row := range data.parts[name].Rows {
			if strings.HasPrefix(row, "episode ") {
				ended = append(ended, row)
			}
		}
	}
	if len(ended) != 1 || !strings.Contains(ended[0], `"Session":"first"`) {
		t.Errorf("rows of episodes: %q, want that of the first session", ended)
	}
}

// TestPartOfAnotherPolicy: rows that a crash kept from their place are not put
// there by another policy, nor left behind; those of the policy that wrote them are.
func TestPartOfAnotherPolicy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		data := &published{memory: memory{parts: map[string]*part{}, policy: "one"}}
		o := Options{Dataset: data, Job: Job{PartInterval: time.Minute, Interval: time.Second}}
		crashed(t, dir, o, data)
		o.Feed = (&script{steps: [][]step{nil}}).open
		data.policy = "two"
		if _, err := tryFor(t, dir, time.Hour, "loopgauge", o); !isMismatch(err, ".spool: holds rows for --out that are by another policy") || len(data.at) > 0 {
			t.Errorf("%v; parts at %v", err, data.at)
		}
		data.policy = "one"
		o.Dataset = nil
		if _, err := tryFor(t, dir, time.Hour, "loopgauge", o); !isMismatch(err, "holds rows for --out that are not in their place yet") {
			t.Errorf("without a dataset: %v", err)
		}
		o.Dataset = data
		runFor(t, dir, time.Minute, "loopgauge", o)
		if len(data.rows) != 1 || data.rows[0] != 4 {
			t.Errorf("parts of %v rows, want 4", data.rows)
		}
		// Nothing waits, so what comes goes into the next dataset, and no more.
		data.policy, data.parts = "two", map[string]*part{}
		o.Feed = (&script{steps: [][]step{{{second: 500}}}}).open
		runFor(t, dir, time.Minute, "loopgauge", o)
		if len(data.rows) != 2 || data.rows[1] != 1 {
			t.Errorf("parts of %v rows, want 4 and 1", data.rows)
		}
		// Nor does what the end has put in its place.
		data.policy, data.parts = "three", map[string]*part{}
		o.Feed = (&script{steps: [][]step{{{second: 600}}}}).open
		runFor(t, dir, time.Minute, "loopgauge", o)
		if len(data.rows) != 3 || data.rows[2] != 1 {
			t.Errorf("parts of %v rows, want 4, 1 and 1", data.rows)
		}
	})
}

// TestPartUnreadable: rows that a crash kept from their place, and that are damaged,
// or by another policy of a loopgauge that did not note it, end in a way out.
func TestPartUnreadable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		data := &published{memory: memory{parts: map[string]*part{}}}
		o := Options{Dataset: data, Job: Job{PartInterval: time.Minute, Interval: time.Second}}
		crashed(t, dir, o, data)
		spools, err := filepath.Glob(filepath.Join(dir, "*.spool"))
		if err != nil || len(spools) != 1 {
			t.Fatal(spools, err)
		}
		write(t, spools[0], slices.Repeat([]byte{7}, len(read(t, spools[0]))))
		before, err := filepath.Glob(filepath.Join(dir, "checkpoint-*"))
		if err != nil {
			t.Fatal(err)
		}
		o.Feed = (&script{steps: [][]step{nil}}).open
		if _, err := tryFor(t, dir, time.Hour, "loopgauge", o); !isMismatch(err, "begin anew with an empty --state") || len(data.at) > 0 {
			t.Errorf("%v; parts at %v", err, data.at)
		}
		// Who wrote the rows can go on.
		if after, err := filepath.Glob(filepath.Join(dir, "checkpoint-*")); err != nil || !slices.Equal(after, before) {
			t.Errorf("checkpoints are %v, were %v; %v", after, before, err)
		}
	})
}

// TestStateUnreadable: a checkpoint that is whole, and that this program cannot read,
// is refused for good: a restart meets the same.
func TestStateUnreadable(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	err := s.Write([]byte("of a program to come"))
	s.Close() //nolint:errcheck // holds a lock, nothing else
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tryFor(t, dir, time.Hour, "loopgauge", Options{}); !isMismatch(err, "begin anew with an empty --state") {
		t.Error(err)
	}
}

func isMismatch(err error, want string) bool {
	_, ok := errors.AsType[*sinks.Mismatch](err)
	return ok && strings.Contains(err.Error(), want)
}

// TestExclusionGone: what an exclusion took out that no policy has any more is
// counted with what none is named of, and the others keep theirs.
func TestExclusionGone(t *testing.T) {
	before := bare(t, "kept", "gone")
	copy(before.Pipeline.Excluded, []int64{3, 5})
	var s *snapshot.Writer
	for range 2 { // to save it changes nothing
		s = snapshot.NewWriter(nil)
		before.code(s.Codec(), &files{})
	}
	after := bare(t, "new", "kept")
	r := snapshot.NewReader(s.Bytes())
	after.code(r.Codec(), &files{})
	if err := r.Done(); err != nil {
		t.Fatal(err)
	}
	if got, want := after.Pipeline.Excluded, []int64{0, 3, 5}; !slices.Equal(got, want) {
		t.Errorf("excluded %d, want %d", got, want)
	}
}

// bare is a watch that has begun nothing, with exclusions of these names.
func bare(t *testing.T, names ...string) *watch {
	t.Helper()
	var exclusions []window.Exclusion
	for _, name := range names {
		exclusions = append(exclusions, window.Exclusion{Name: name})
	}
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		t.Fatal(err)
	}
	plan := window.NewPlan(p.Rules, exclusions)
	job := Job{Plan: plan, Log: slog.New(slog.DiscardHandler)}
	return &watch{Judging: NewJudging(&job, nil, false, nil, nil), o: Options{Job: job}, restored: map[int32]ingest.Mark{}}
}

// TestMarks: what a checkpoint says of a stream is all that there is to say.
func TestMarks(t *testing.T) {
	want := []ingest.Mark{
		{Stream: 1, Name: "a.log", Format: "loopgauge", Offset: 100, Line: 7, File: "inode"},
		{Stream: 4, Name: "t/4", Format: "kong", Offset: 20, Topic: "0123", Leader: 3},
	}
	before := bare(t)
	before.settled, before.streams = true, []replay.StreamResult{{Name: "a.log", Format: "loopgauge", Lines: 6, Bytes: 100}, {Name: "t/4", Format: "kong", Lines: 20, Bytes: 4_000}}
	for _, m := range want {
		before.restored[m.Stream] = m
	}
	s := snapshot.NewWriter(nil)
	before.code(s.Codec(), &files{})
	after := bare(t)
	r := snapshot.NewReader(s.Bytes())
	after.code(r.Codec(), &files{})
	if err := r.Done(); err != nil {
		t.Fatal(err)
	}
	if got := after.marks(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if !slices.Equal(after.streams, before.streams) {
		t.Errorf("%+v, want %+v", after.streams, before.streams)
	}
}

// TestLinksKept: how many calls were looked at, and how many are not logged, is of
// all that was ever judged, as the other numbers of a run. It is said once: after a
// restart of what has come since.
func TestLinksKept(t *testing.T) {
	var values []string
	for i := range 200 {
		issued := i + 1
		if issued%15 == 0 {
			issued = 0
		}
		values = append(values, fmt.Sprintf(`{"time":%d,"session":"s","messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"call_%d","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_%d","content":"no"}],"tool_calls":[{"id":"call_%d","name":"f","arguments":"{}"}]}`, 1_800_000_000+60*i, i, i, issued))
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "app.log")
	write(t, file, strings.Join(values, "\n")+"\n")
	run := func(said int) (n Now) {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			n = runFor(t, filepath.Join(dir, "state"), 2*sayEvery, "loopgauge", Options{Feed: following(file, ingest.Options{Format: formats.ByName("loopgauge")}), Job: Job{Log: slog.New(slog.NewTextHandler(&log, nil))}})
			if got := strings.Count(log.String(), "are missing from the log"); got != said {
				t.Errorf("said %d times, want %d\n%s", got, said, log.String())
			}
		})
		return n
	}
	if first, again := run(1), run(0); first.Links.Answers == 0 || first.Links.Unlogged == 0 || again.Links != first.Links {
		t.Errorf("%d calls, %d not logged, and after a restart %d and %d", first.Links.Answers, first.Links.Unlogged, again.Links.Answers, again.Links.Unlogged)
	}
}
