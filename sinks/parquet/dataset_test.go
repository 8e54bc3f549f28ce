package parquet

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

var update = flag.Bool("update", false, "write the expected schemas")

// schemas are those of the tables.
var schemas = map[string]*parquet.Schema{
	"events": parquet.SchemaOf(eventRow{}), "verdicts": parquet.SchemaOf(verdictRow{}), "episodes": parquet.SchemaOf(episodeRow{}),
	"run": parquet.SchemaOf(runRow{}), "sweep": parquet.SchemaOf(Setting{}),
}

// TestSchemas compares every column, its type and whether it may be null with
// testdata. The columns are a contract, which docs/output.md describes: some
// may be added, and testdata then written with -update, but none may change.
func TestSchemas(t *testing.T) {
	for name, schema := range schemas {
		golden := filepath.Join("testdata", name+".schema")
		got := schema.String() + "\n"
		if *update {
			promised, _ := os.ReadFile(golden)
			if broken := kept(string(promised), got); broken != "" {
				t.Fatalf("%s: was promised, and would be broken: %s", name, broken)
			}
			save(t, golden, []byte(got))
		}
		want := load(t, golden)
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (- is what was promised):\n%s", name, diff)
		}
		for _, word := range []string{"UINT", "signed=false", "isSigned=false", "UUID", "INT96"} {
			if strings.Contains(got, word) {
				t.Errorf("%s has a column of %s, which not every reader knows", name, word)
			}
		}
	}
}

// kept is the first line of a schema that a later one lacks, or has in another
// order; empty if it keeps them all.
func kept(promised, now string) string {
	lines := strings.Split(now, "\n")
	for line := range strings.SplitSeq(promised, "\n") {
		i := slices.Index(lines, line)
		if i < 0 {
			return line
		}
		lines = lines[i+1:]
	}
	return ""
}

func TestContract(t *testing.T) {
	f := func(now, want string) {
		t.Helper()
		const promised = "message row {\n\trequired int64 time;\n\toptional int32 status;\n}\n"
		if got := kept(promised, now); got != want {
			t.Errorf("%q is broken, want %q", got, want)
		}
	}
	f("message row {\n\trequired int64 time;\n\toptional int32 status;\n}\n", "")
	f("message row {\n\trequired int64 time;\n\toptional binary tool;\n\toptional int32 status;\n}\n", "")
	f("message row {\n\trequired int64 time;\n}\n", "\toptional int32 status;")
	f("message row {\n\trequired int64 time;\n\toptional int64 status;\n}\n", "\toptional int32 status;")
	f("message row {\n\toptional int32 status;\n\trequired int64 time;\n}\n", "\toptional int32 status;")
}

// plan is two rules over two identities and two scopes.
func plan(tb testing.TB) *window.Plan {
	tb.Helper()
	var rules []*window.Rule
	for _, r := range []struct{ name, part, scope string }{{"a", "model", "session"}, {"b", "path", "caller"}} {
		id, err := fingerprint.New("", fingerprint.Options{Parts: []string{r.part}})
		must(tb, err)
		scope, err := fingerprint.NewScope([]string{r.scope})
		must(tb, err)
		rules = append(rules, &window.Rule{
			Name: r.name, Identity: id, Scope: scope, Threshold: 2, Action: window.Warn,
			Counter: window.CounterSpec{Kind: "sliding", Window: 90 * time.Second},
		})
	}
	rules[1].Profile = "fairvisor"
	rules[1].Overrides = []window.Override{{Threshold: 3, Match: func(*fingerprint.Request) bool { return true }}}
	return window.NewPlan(rules, nil)
}

var midnight = time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC).UnixMicro()

// requests are one with everything a day before midnight, one with a time only
// at midnight.
func requests() []fingerprint.Request {
	b := func(s string) []byte { return []byte(s) }
	list := make([]fingerprint.Request, 2)
	list[0].Reset()
	list[1].Reset()
	r := &list[0]
	r.Position = fingerprint.Position{Stream: 1, Offset: 77, Line: 3, Item: 2}
	r.Time, r.End = midnight-3_000_001, midnight-1
	r.ID, r.Method, r.Path, r.Caller, r.User = b("r1"), b("POST"), b("/v1"), b("sk-1"), b("u")
	r.Session, r.Model, r.Backend = b("s"), b("m"), b("openai")
	r.Status, r.TokensIn, r.TokensOut, r.MaxTokens, r.Cost = 200, 10, 0, 100, 0.25
	r.Stream, r.Cached = fingerprint.Yes, fingerprint.No
	list[1].Time = midnight
	return list
}

// written is a dataset of two events and two episodes.
func written(tb testing.TB, dir string) {
	tb.Helper()
	p := plan(tb)
	d := create(tb, dir, p)
	x := p.NewExtractor(window.ExtractOptions{})
	list := requests()
	var events [2]window.Event
	for i := range list {
		x.Event(&list[i], &events[i])
		must(tb, d.AddEvent(&events[i]))
		if i > 0 {
			break
		}
		for _, v := range []window.Verdict{
			{Rule: p.Rules[0], Scope: &events[i].Scopes[0], Count: 4, Fired: true, Action: window.Reject, Reason: window.ByThreshold, RetryAfter: 30, DelayMS: -1, Episode: "ep-1"},
			{Rule: p.Rules[1], Scope: &events[i].Scopes[1], Count: -1, Action: window.Allow, RetryAfter: -1, DelayMS: 0},
		} {
			v.Event, v.Fingerprint = &events[i], events[i].Prints[0].Fingerprints[0]
			must(tb, d.AddVerdict(&v, d.Events()-1))
		}
	}
	first := events[0].Prints[0].Fingerprints[0]
	for _, e := range []window.Episode{
		{
			ID: "ep-1", Rule: p.Rules[0], Scope: []string{"s"}, Fingerprint: first, First: midnight - 9, Fired: midnight - 1, Last: midnight + 5,
			Requests: 4, MaxCount: 4, After: window.Spent{Requests: 2, TokensKnown: true, Cost: 500_000_000, CostKnown: true},
			Statuses: []window.StatusCount{{Status: -1, N: 1}, {Status: 200, N: 2}},
			Model:    "m", Caller: "key-1", User: "u", Session: "s", Backend: "openai", Kind: window.Stuck, Evidence: "the same",
		},
		{ID: "ep-2", Rule: p.Rules[1], Scope: []string{"key-1"}, Fingerprint: first, First: midnight, Fired: midnight, Last: midnight, Requests: 1, MaxCount: 1},
	} {
		must(tb, d.AddEpisode(&e))
	}
	account := window.RuleAccount{Rule: p.Rules[0], Judged: 2, Counted: 1, FellBack: 1, Fired: 3, Episodes: 2, DroppedKeys: 7}
	account.NotComputable[fingerprint.NoModel] = 1
	err := d.Close(Run{
		Version: "v1", Created: midnight + 7, Policy: "version: 1\n", PolicyHash: "abc", Lateness: 1.5,
		Logs:  []Log{{Name: "a.log", Format: "combined", Lines: 2, Bytes: 99}, {Name: "b\xff.log", Format: "litellm", Error: "cut"}},
		Lines: 9, Judged: 2, Blank: 1, Malformed: 1, Duplicate: 2, Late: 1,
		Disorder: new(0.5), WorstLate: 2.5, Tied: 3, HashIDs: true,
		AllExcluded: 2, Excluded: []Exclusion{{"probes", "max_tokens == 1", 2}, {}},
		Accounts: []window.RuleAccount{account},
	})
	must(tb, err)
}

// files lists the files below dir, hidden ones too.
func files(tb testing.TB, dir string) string {
	tb.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(name))
		}
		return err
	})
	must(tb, err)
	return strings.Join(list, "\n")
}

func rows[R any](t *testing.T, path ...string) []R {
	t.Helper()
	list, err := parquet.ReadFile[R](filepath.Join(path...))
	must(t, err)
	return list
}

func equal[R any](t *testing.T, got, want []R) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
}

// What was written is read back, a folder a day.
func TestDataset(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	written(t, dir)
	const want = `episodes/date=2026-11-20/episodes-0000.parquet
episodes/date=2026-11-21/episodes-0000.parquet
events/date=2026-11-20/events.parquet
events/date=2026-11-21/events.parquet
run/run.parquet
verdicts/date=2026-11-20/verdicts.parquet`
	if got := files(t, dir); got != want {
		t.Errorf("files:\n%s\nwant:\n%s", got, want)
	}
	const model, path = "d871afdc3f5051b06b178f9e3d8114bf", "a1e34d7ff0c17a8891dbedb0c4c70ae0"
	row := eventRow{
		Time: midnight - 1, Start: midnight - 3_000_001, Stream: 1, Line: 3, Offset: 77, Item: 2,
		ID: "r1", Method: "POST", Path: "/v1", Caller: "key-0f2c10bf3d12", User: "u", Session: "s", Model: "m", Backend: "openai",
		Status: new(int32(200)), TokensIn: new(int64(10)), TokensOut: new(int64(0)), Cost: new(0.25), Streamed: new(true), Cached: new(false), Answered: new(false), MaxTokens: new(int64(100)),
		Identity: "model", Fingerprint: model,
		Scope: []scopeValue{{"session", "s"}, {"caller", "key-0f2c10bf3d12"}}, Rules: []ruleChoice{{Rule: "a"}, {Rule: "b", Override: new(int32(0))}},
		Scopes: []scopeRow{{Index: 0, Key: "2bb3295506aa5a21b58f1fd40f3b0f16"}, {Index: 1, Key: "6855042ca5a9a22cd66eca07c2fc274e"}},
	}
	second := row
	second.Identity, second.IdentityNo, second.Fingerprint = "path", 1, path
	equal(t, rows[eventRow](t, dir, "events/date=2026-11-20/events.parquet"), []eventRow{row, second})
	nothing := eventRow{Time: midnight, Start: midnight, Seq: 1, Answered: new(false), Identity: "model", Cause: "no model", Scope: []scopeValue{}, Rules: row.Rules}
	nothing.Scopes = []scopeRow{{Index: 0, Cause: "no session"}, {Index: 1, Cause: "no caller"}}
	other := nothing
	other.IdentityNo, other.Identity, other.Cause = 1, "path", "no path"
	equal(t, rows[eventRow](t, dir, "events/date=2026-11-21/events.parquet"), []eventRow{nothing, other})

	said := verdictRow{
		Time: midnight - 1, ID: "r1", Rule: "a", Identity: "model", Scope: []scopeValue{{"session", "s"}}, Session: "s", Caller: "key-0f2c10bf3d12", Model: "m",
		Fingerprint: model, Count: new(int32(4)), Fired: true, Action: "reject", Reason: "threshold", RetryAfter: new(int64(30)), Episode: "ep-1",
	}
	uncounted := said
	uncounted.Rule, uncounted.Identity, uncounted.Scope = "b", "path", []scopeValue{{"caller", "key-0f2c10bf3d12"}}
	uncounted.Count, uncounted.Fired, uncounted.Action, uncounted.Reason, uncounted.RetryAfter, uncounted.DelayMS, uncounted.Episode = nil, false, "allow", "", nil, new(int64(0)), ""
	equal(t, rows[verdictRow](t, dir, "verdicts/date=2026-11-20/verdicts.parquet"), []verdictRow{said, uncounted})

	equal(t, rows[episodeRow](t, dir, "episodes/date=2026-11-20/episodes-0000.parquet"), []episodeRow{{
		ID: "ep-1", Rule: "a", Identity: "model", Counter: "sliding", WindowSeconds: 90, Threshold: 2, Action: "warn",
		Scope: []scopeValue{{"session", "s"}}, Session: "s", Caller: "key-1", User: "u", Model: "m", Backend: "openai", Fingerprint: model,
		First: midnight - 9, Fired: midnight - 1, Last: midnight + 5, Requests: 4, RequestsAfter: 2, TokensAfter: new(int64(0)), CostAfter: new(0.5), MaxCount: 4,
		Statuses: []statusCount{{nil, 1}, {new(int32(200)), 2}}, Kind: "stuck", Evidence: "the same",
	}})
	equal(t, rows[episodeRow](t, dir, "episodes/date=2026-11-21/episodes-0000.parquet"), []episodeRow{{
		ID: "ep-2", Rule: "b", Profile: "fairvisor", Identity: "path", Counter: "sliding", WindowSeconds: 90, Threshold: 2, Action: "warn",
		Scope: []scopeValue{{"caller", "key-1"}}, Fingerprint: model, First: midnight, Fired: midnight, Last: midnight, Requests: 1, MaxCount: 1,
		Statuses: []statusCount{},
	}})
	equal(t, rows[runRow](t, dir, "run/run.parquet"), []runRow{{
		Run: Run{
			Version: "v1", Created: midnight + 7, Policy: "version: 1\n", PolicyHash: "abc",
			Lateness: 1.5, Disorder: new(0.5), WorstLate: 2.5, Tied: 3, HashIDs: true,
			Logs:  []Log{{Name: "a.log", Format: "combined", Lines: 2, Bytes: 99}, {Name: "b\ufffd.log", Format: "litellm", Error: "cut"}},
			Lines: 9, Judged: 2, Blank: 1, Malformed: 1, Duplicate: 2, Late: 1,
			AllExcluded: 2, Excluded: []Exclusion{{"probes", "max_tokens == 1", 2}, {}},
		},
		Rules: []ruleRow{{
			Rule: "a", Judged: 2, Counted: 1, FellBack: 1, Fired: 3, Episodes: 2, DroppedKeys: 7,
			NotComputable: []causeRow{{"no model", 1}},
		}},
	}})

	for _, c := range parsed(t, load(t, filepath.Join(dir, "events/date=2026-11-21/events.parquet"))).Metadata().RowGroups[0].Columns {
		if c.MetaData.Codec.String() != "ZSTD" {
			t.Errorf("column %v is packed with %v", c.MetaData.PathInSchema, c.MetaData.Codec)
		}
	}
}

// Episodes end in another order than that of fired, in which the rows of a file
// are. Those that memory cannot hold any more go into a file of their own.
func TestEpisodesByFiring(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	p := plan(t)
	d := create(t, dir, p)
	for _, fired := range []int64{2, 3, 1, 0} {
		if fired == 0 {
			must(t, d.episodes.flush())
		}
		must(t, d.AddEpisode(&window.Episode{ID: fmt.Sprint(fired), Rule: p.Rules[0], Scope: []string{"s"}, Fired: midnight + fired}))
	}
	must(t, d.Close(Run{}))
	var order []string
	for _, row := range table[episodeRow](t, dir, "episodes") {
		order = append(order, row.ID)
	}
	if want := []string{"1", "2", "3", "0"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// A table that has a file, if only one without rows, gets none with each part
// that has nothing for it.
func TestPartsWithoutVerdicts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	p := plan(t)
	for i, ev := range extracted(p, 3) {
		d, err := Append(dir, p, liveName(int64(i), int64(i)), int64(i))
		must(t, err)
		must(t, d.AddEvent(&ev))
		must(t, d.Close(Run{}))
	}
	for table, want := range map[string]int{"events": 3, "verdicts": 1, "episodes": 1} {
		if found := filesOf(dir, table, "*"); len(found) != want {
			t.Errorf("%s: %v, want %d", table, found, want)
		}
	}
}

// A row group of verdicts has no more rows than it may have.
func TestRowGroupsOfVerdicts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	p := plan(t)
	d := create(t, dir, p)
	d.verdicts.out.perGroup = 2
	ev := extracted(p, 1)[0]
	for i := range 5 {
		must(t, d.AddEvent(&ev))
		v := window.Verdict{Event: &ev, Rule: p.Rules[0], Scope: &ev.Scopes[0], Fingerprint: ev.Prints[0].Fingerprints[0], Count: 2, Action: window.Allow, RetryAfter: -1, DelayMS: -1}
		must(t, d.AddVerdict(&v, int64(i)))
	}
	must(t, d.Close(Run{}))
	var rows []int64
	for _, g := range parsed(t, load(t, filesOf(dir, "verdicts", "*")[0])).Metadata().RowGroups {
		rows = append(rows, g.NumRows)
	}
	if want := []int64{2, 2, 1}; !slices.Equal(rows, want) {
		t.Errorf("%d rows, want %d", rows, want)
	}
}

// A run without requests is a dataset all the same.
func TestEmptyRun(t *testing.T) {
	dir := t.TempDir()
	d := create(t, dir, plan(t))
	must(t, d.Close(Run{Version: "v1"}))
	if got := files(t, dir); got != "run/run.parquet" {
		t.Errorf("files:\n%s", got)
	}
}

// Two runs in one folder would be counted twice.
func TestRefusesSecondRun(t *testing.T) {
	dir := t.TempDir()
	written(t, dir)
	before := files(t, dir)
	for _, kept := range []string{"run", "events", "verdicts", "episodes"} {
		_, err := Create(dir, plan(t))
		if want := dir + ": holds a run already: name another directory, or remove it"; err == nil || err.Error() != want {
			t.Errorf("with %s: %v, want %s", kept, err, want)
		}
		if got := files(t, dir); got != before {
			t.Errorf("the first run was changed:\n%s", got)
		}
		must(t, os.RemoveAll(filepath.Join(dir, kept)))
		before = files(t, dir)
	}
	// Nothing is left of it, and what else is there stays.
	save(t, filepath.Join(dir, "notes.txt"), nil)
	written(t, dir)
}

// Of two runs into one folder at once one stands, whole; and none gets among what
// a watch writes there, if only a minute later.
func TestRefusesRunBeside(t *testing.T) {
	dir := t.TempDir()
	p := plan(t)
	second := create(t, dir, p)
	written(t, dir)
	before := files(t, dir)
	if err := second.Close(Run{}); err == nil || err.Error() != HoldsRun(dir).Error() {
		t.Errorf("a second run ended with %v", err)
	}
	second.Abort()
	if got := files(t, dir); got != before {
		t.Errorf("the first run was changed:\n%s", got)
	}

	dir = t.TempDir()
	run := create(t, dir, p)
	_, release, err := Claim(dir, "watch")
	must(t, err)
	release()
	if err := run.Close(Run{}); err == nil || !strings.Contains(err.Error(), "is the dataset of a watch") {
		t.Errorf("a run into what is a watch's by now ended with %v", err)
	}
	run.Abort()
	if _, err := Create(dir, p); err == nil || !strings.Contains(err.Error(), "is the dataset of a watch") {
		t.Errorf("a run into what is a watch's began with %v", err)
	}
}

// Abort leaves what was there before, and no folder of ours.
func TestAbort(t *testing.T) {
	top := t.TempDir()
	save(t, filepath.Join(top, "notes.txt"), nil)
	p := plan(t)
	for _, dir := range []string{top, filepath.Join(top, "a", "b")} {
		d := create(t, dir, p)
		x := p.NewExtractor(window.ExtractOptions{})
		list := requests()
		for i := range list {
			var ev window.Event
			x.Event(&list[i], &ev)
			must(t, d.AddEvent(&ev))
		}
		for name := range strings.SplitSeq(files(t, top), "\n") {
			if strings.HasSuffix(name, ".parquet") {
				t.Errorf("%s is to be seen before the run is whole", name)
			}
		}
		d.Abort()
		entries, err := os.ReadDir(top)
		if err != nil || len(entries) != 1 || entries[0].Name() != "notes.txt" {
			t.Errorf("%v, %v are left", entries, err)
		}
	}
	// What a folder's place is taken by is said, and nothing made beside it.
	if _, err := Create(filepath.Join(top, "notes.txt"), p); err == nil || !strings.Contains(err.Error(), "notes.txt") {
		t.Errorf("over a file: %v", err)
	}
}

// questions are what an analyst would ask; each row of the answers is one
// line.
const questions = `
import sys, duckdb
db = duckdb.connect()
db.execute("SET TimeZone = 'UTC'")
dir = sys.argv[1]
for name in ["events", "episodes"]:
    db.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{dir}/{name}/**/*.parquet', hive_partitioning = true)")
db.execute(f"CREATE VIEW run AS SELECT * FROM read_parquet('{dir}/run/run.parquet')")
for sql in [
    "SELECT date, count(*), count(DISTINCT seq) FROM events GROUP BY date ORDER BY date",
    "SELECT DISTINCT typeof(time), typeof(start), typeof(date) FROM events",
    "SELECT DISTINCT typeof(first), typeof(fired), typeof(last) FROM episodes",
    "SELECT time, start, epoch_us(time) FROM events WHERE id = 'r1' AND identity = 'model'",
    "SELECT count(*) FROM events WHERE date(time) <> date",
    "SELECT p.id, p.requests, e.id, e.tokens_in, e.status FROM episodes p JOIN events e ON e.fingerprint = p.fingerprint AND e.identity = p.identity AND e.time BETWEEN p.first AND p.last",
    "SELECT p.id, s.value FROM episodes p, unnest(p.scope) AS u(s) WHERE s.field = 'caller'",
    "SELECT id, tokens_after, cost_after, list_filter(statuses, lambda x: x.status IS NULL)[1].requests FROM episodes ORDER BY id",
    "SELECT cause, count(*) FROM events WHERE fingerprint IS NULL GROUP BY cause ORDER BY cause",
    "SELECT count(*) FROM events WHERE session IS NULL AND status IS NULL AND cost IS NULL AND streamed IS NULL AND len(scope) = 0",
    "SELECT r.rule, r.override FROM (SELECT unnest(rules) AS r FROM events WHERE id = 'r1' AND identity = 'path')",
    "SELECT lines = judged + blank + malformed + duplicate + late + excluded, created, len(logs), logs[1].error, logs[2].error FROM run",
]:
    for row in db.execute(f"SELECT COLUMNS(*)::VARCHAR FROM ({sql})").fetchall():
        print(*row, sep="|")
`

// pythonWithDuckDB is the interpreter that make test has set up.
func pythonWithDuckDB(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts Python with DuckDB; not with -short")
	}
	python := os.Getenv("LOOPGAUGE_PYTHON")
	if python == "" {
		t.Fatal("LOOPGAUGE_PYTHON does not name a Python with DuckDB: run make test, or go test -short")
	}
	return python
}

// TestDuckDB reads the dataset with what its users read it with.
func TestDuckDB(t *testing.T) {
	python := pythonWithDuckDB(t)
	dir := filepath.Join(t.TempDir(), "out")
	written(t, dir)
	out, err := exec.CommandContext(t.Context(), python, "-c", questions, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := fmt.Sprintf(`2026-11-20|2|1
2026-11-21|2|1
TIMESTAMP WITH TIME ZONE|TIMESTAMP WITH TIME ZONE|DATE
TIMESTAMP WITH TIME ZONE|TIMESTAMP WITH TIME ZONE|TIMESTAMP WITH TIME ZONE
2026-11-20 23:59:59.999999+00|2026-11-20 23:59:56.999999+00|%d
0
ep-1|4|r1|10|200
ep-2|key-1
ep-1|0|0.5|1
ep-2|None|None|None
no model|1
no path|1
2
a|None
b|0
true|2026-11-21 00:00:00.000007+00|2|None|cut
`, midnight-1)
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
}
