package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// Every column that is written is read.
func TestColumnsRead(t *testing.T) {
	var read, written []string
	for _, s := range newEventColumns().sets() {
		for _, c := range s.columns {
			read = append(read, c.name)
		}
	}
	for _, path := range parquet.SchemaOf(eventRow{}).Columns() {
		written = append(written, strings.Join(path, "."))
	}
	slices.Sort(read)
	slices.Sort(written)
	if diff := cmp.Diff(written, read); diff != "" {
		t.Error(diff)
	}
}

// extracted are events as their plan makes them: of every kind, and so many
// that they fill row groups, with lists and without.
func extracted(p *window.Plan, n int) []window.Event {
	x := p.NewExtractor(window.ExtractOptions{})
	list := requests()
	events := make([]window.Event, n)
	for i := range events {
		r := &list[i%7%2]
		r.Time, r.End = midnight+int64(i/3), fingerprint.NoTime
		r.Position.Line = int64(i)
		x.Event(r, &events[i])
	}
	return events
}

func must(tb rapid.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func create(tb rapid.TB, dir string, p *window.Plan) *Dataset {
	tb.Helper()
	d, err := Create(dir, p)
	must(tb, err)
	return d
}

func keep(tb testing.TB, dir string, p *window.Plan, events []window.Event) {
	tb.Helper()
	d := create(tb, dir, p)
	for i := range events {
		must(tb, d.AddEvent(&events[i]))
	}
	n := int64(len(events))
	account := []window.RuleAccount{{Rule: p.Rules[0]}, {Rule: p.Rules[1]}}
	must(tb, d.Close(Run{Lines: n, Judged: n, Logs: []Log{{Name: "a"}, {Name: "b"}}, Accounts: account}))
}

// same are events if they say the same. Links are not written.
var same = cmp.Options{cmpopts.IgnoreTypes(window.Link{}), cmpopts.EquateComparable(fingerprint.Fingerprint{}), cmpopts.EquateEmpty(), cmpopts.EquateNaNs()}

// answering is the reader of a dataset, ready to answer a plan.
func answering(t rapid.TB, dir string, have, want *window.Plan, origins bool, hold int) *Reader {
	t.Helper()
	r, err := Open(dir)
	must(t, err)
	must(t, r.Prepare(have, want, origins, hold, nil))
	return r
}

// comesBack reads a dataset and holds it to events.
func comesBack(t *testing.T, dir string, p *window.Plan, want []window.Event) *Reader {
	t.Helper()
	r := answering(t, dir, p, p, true, 0)
	defer r.Close()
	for range len(want) / 2 {
		_, err := r.Next(false)
		must(t, err)
	}
	must(t, r.Prepare(p, p, true, 0, nil)) // once more, from the first on
	for i := range want {
		ev, err := r.Next(false)
		if err != nil {
			t.Fatalf("event %d of %d: %v", i, len(want), err)
		}
		if len(want) >= rowGroup && i%1000 > 20 && i < len(want)-20 && ev.Position == want[i].Position && ev.ID == want[i].ID {
			continue // a comparison in full takes its time
		}
		if diff := cmp.Diff(&want[i], ev, same, cmpopts.IgnoreFields(window.Event{}, "Portion")); diff != "" {
			t.Fatalf("event %d (- made, + read):\n%s", i, diff)
		}
	}
	if _, err := r.Next(false); !errors.Is(err, io.EOF) {
		t.Fatalf("after the last: %v", err)
	}
	if r.Read() > r.Size() || r.Read() < r.Size()*9/10 {
		t.Errorf("%d of %d bytes read", r.Read(), r.Size())
	}
	return r
}

// A dataset may lie in a folder of any name, be it a pattern or no text: of that
// it was said that all days were removed by age.
func TestAnyFolder(t *testing.T) {
	p := plan(t)
	events := extracted(p, 3)
	for _, name := range []string{"a*", "?", "[b]", `\c`, "\xff"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o700); err != nil && runtime.GOOS != "linux" {
			continue // on macOS names are text, on Windows also no patterns
		}
		keep(t, dir, p, events)
		comesBack(t, dir, p, events)
	}
}

// eventFiles are the files of events of a dataset, which has some.
func eventFiles(tb testing.TB, dir string) []string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "events", "*", "*.parquet"))
	if err != nil || len(files) == 0 {
		tb.Fatal(files, err)
	}
	return files
}

// load is what a file holds.
func load(tb rapid.TB, path string) []byte {
	tb.Helper()
	data, err := os.ReadFile(path)
	must(tb, err)
	return data
}

// save writes a file.
func save(tb testing.TB, path string, data []byte) {
	tb.Helper()
	must(tb, os.WriteFile(path, data, 0o600))
}

// parsed is a file as the library has it.
func parsed(tb rapid.TB, data []byte) *parquet.File {
	tb.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	must(tb, err)
	return file
}

// compacted reads a file of events as one that is compacted.
func compacted(path string) error {
	return eachOf[eventRow](path, anyGroup, func([]parquet.Row) error { return nil })
}

// Every event comes back as it was made.
func TestEventsComeBack(t *testing.T) {
	p := plan(t)
	events := extracted(p, rowGroup)
	dir := filepath.Join(t.TempDir(), "a[b]") // a name that is no pattern
	keep(t, dir, p, events)
	comesBack(t, dir, p, events)
}

// Files that are named are read in the order of their days, each once, and they
// need not be all.
func TestNamedFiles(t *testing.T) {
	p := plan(t)
	events := extracted(p, 6)
	for i := range 3 {
		events[i].Time -= 86400e6
	}
	dir := filepath.Join(t.TempDir(), "out")
	keep(t, dir, p, events)
	days := eventFiles(t, dir)
	f := func(want []window.Event, files ...string) {
		t.Helper()
		r, err := Open(dir, files...)
		if err == nil {
			defer r.Close()
			err = r.Prepare(p, p, true, 0, nil)
		}
		for i := range want {
			var ev *window.Event
			if err == nil {
				ev, err = r.Next(false)
			}
			if err != nil || ev.Position != want[i].Position {
				t.Fatalf("event %d: %+v, %v", i, ev, err)
			}
		}
		if _, err := r.Next(false); !errors.Is(err, io.EOF) {
			t.Error("after the last:", err)
		}
	}
	f(events, days[1], days[0], days[1])
	f(events[3:], days[1])
	for _, table := range byDay {
		if len(filesOf(dir, table, "*.parquet")) == 0 {
			t.Errorf("a query finds no file of %s", table)
		}
	}
}

// What macOS leaves beside each file, and in each folder it has seen, is passed
// over.
func TestHiddenFiles(t *testing.T) {
	p := plan(t)
	events := extracted(p, 3)
	dir := filepath.Join(t.TempDir(), "out")
	keep(t, dir, p, events)
	beside := []string{filepath.Join(dir, "run", "._run.parquet"), filepath.Join(dir, "events", ".DS_Store")}
	for _, file := range eventFiles(t, dir) {
		beside = append(beside, filepath.Join(filepath.Dir(file), "._"+filepath.Base(file)), filepath.Join(filepath.Dir(file), ".DS_Store"))
	}
	for _, file := range beside {
		save(t, file, []byte("\x00\x05\x16\x07"))
	}
	comesBack(t, dir, p, events)
}

// Files from before columns were added are read, and compacted, as if
// these said nothing.
func TestOlderEvents(t *testing.T) {
	const first = 36 // columns, of the first version
	if n := len(eventShape()) - len(added); n != first {
		t.Errorf("%d columns are wanted of each file, and older ones have %d: name the new one in added (open.go)", n, first)
	}
	p := plan(t)
	events := extracted(p, 3)
	dir := t.TempDir()
	keep(t, dir, p, events)
	now := reflect.TypeFor[eventRow]()
	older := reflect.StructOf(slices.DeleteFunc(reflect.VisibleFields(now), func(f reflect.StructField) bool {
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		return slices.Contains(added, name)
	}))
	for _, path := range eventFiles(t, dir) {
		list := rows[eventRow](t, path)
		f, err := os.Create(path)
		must(t, err)
		w := parquet.NewWriter(f, parquet.SchemaOf(reflect.Zero(older).Interface()))
		for i := range list {
			row := reflect.New(older).Elem()
			for k := range older.NumField() {
				row.Field(k).Set(reflect.ValueOf(list[i]).FieldByName(older.Field(k).Name))
			}
			must(t, w.Write(row.Interface()))
		}
		must(t, errors.Join(w.Close(), f.Close()))
		if err := compacted(path); err != nil {
			t.Error(err)
		}
	}
	comesBack(t, dir, p, events)
}

// Events come back as they were made where whole row groups say the same, in
// some columns or in all, and where they do not.
func TestSameRows(t *testing.T) {
	both := plan(t)
	plans := []*window.Plan{both, window.NewPlan(both.Rules[:1], nil)} // lists of two and of one
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SampledFrom(plans).Draw(rt, "plan")
		dir, err := os.MkdirTemp(t.TempDir(), "") //nolint:usetesting // one of each run of rapid
		must(rt, err)
		d := create(rt, dir, p)
		d.events.out.perGroup = rapid.IntRange(1, 20).Draw(rt, "rows of a row group")
		d.events.out.perPage = rapid.IntRange(1, 20).Draw(rt, "rows of a page")
		x := p.NewExtractor(window.ExtractOptions{})
		var events []window.Event
		for range rapid.IntRange(1, 6).Draw(rt, "runs") {
			r := requests()[rapid.IntRange(0, 1).Draw(rt, "request")]
			r.Time, r.End = midnight, fingerprint.NoTime
			r.Status = rapid.SampledFrom([]int{200, 429}).Draw(rt, "status")
			r.Cost = rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1}).Draw(rt, "cost")
			for range rapid.IntRange(1, 12).Draw(rt, "requests") {
				if rapid.IntRange(0, 9).Draw(rt, "model") == 0 {
					r.Model = []byte("another")
				}
				events = append(events, window.Event{})
				x.Event(&r, &events[len(events)-1])
			}
		}
		for i := range events {
			must(rt, d.AddEvent(&events[i]))
		}
		n := int64(len(events))
		run := Run{Lines: n, Judged: n, Logs: []Log{{Name: "a"}, {Name: "b"}}}
		for _, rule := range p.Rules {
			run.Accounts = append(run.Accounts, window.RuleAccount{Rule: rule})
		}
		must(rt, d.Close(run))
		r := answering(rt, dir, p, p, true, 0)
		defer r.Close()
		for i := range events {
			ev, err := r.Next(false)
			if err != nil {
				rt.Fatalf("event %d: %v", i, err)
			}
			if diff := cmp.Diff(&events[i], ev, same...); diff != "" || math.Signbit(ev.Cost) != math.Signbit(events[i].Cost) {
				rt.Fatalf("event %d (- made, + read):\n%s", i, diff)
			}
		}
		if _, err := r.Next(false); !errors.Is(err, io.EOF) {
			rt.Errorf("after the last: %v", err)
		}
	})
}

// Events come back whose rows another program put into row groups of their own,
// so that in some groups no request begins.
func TestRowsApart(t *testing.T) {
	p := plan(t)
	events := extracted(p, 40)
	dir := t.TempDir()
	keep(t, dir, p, events)
	for _, path := range eventFiles(t, dir) {
		list := rows[eventRow](t, path)
		if len(list) != 2*len(events) {
			t.Fatalf("%d rows of %d events", len(list), len(events))
		}
		var groups [][]eventRow
		for i := range list {
			groups = append(groups, list[i:i+1])
		}
		writtenByAnother(t, path, groups...)
	}
	comesBack(t, dir, p, events)
}

// writtenByAnother writes a file of events, as row groups, as another program
// would.
func writtenByAnother(t *testing.T, path string, groups ...[]eventRow) {
	t.Helper()
	writtenBy(t, "another", path, groups...)
}

func writtenBy(t *testing.T, program, path string, groups ...[]eventRow) {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	w := parquet.NewGenericWriter[eventRow](f, append(layouts["events"].options(), parquet.CreatedBy(program, "", ""))...)
	for _, group := range groups {
		if _, err := w.Write(group); err != nil {
			t.Fatal(err)
		}
		must(t, w.Flush())
	}
	must(t, errors.Join(w.Close(), f.Close()))
}

// What rows say of an identity that is not there, or not in its order, is refused,
// be it that nobody asks for it.
func TestRowsOutOfPlace(t *testing.T) {
	have := plan(t)
	dir := t.TempDir()
	keep(t, dir, have, extracted(have, 2))
	path := eventFiles(t, dir)[0]
	sound := rows[eventRow](t, path)
	f := func(wrong func(list []eventRow), want string) {
		t.Helper()
		for _, asked := range []*window.Plan{have, window.NewPlan(have.Rules[1:], nil)} {
			list := slices.Clone(sound)
			wrong(list)
			writtenByAnother(t, path, list)
			r := answering(t, dir, have, asked, false, 0)
			if _, err := r.Next(false); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), "request 0: "+want+"\n") {
				t.Errorf("%v, want %q", err, want)
			}
			r.Close()
		}
	}
	first := sound[0].Identity
	f(func([]eventRow) {}, "")
	ofStream := func(n int32) func(list []eventRow) {
		return func(list []eventRow) {
			for i := range list {
				list[i].Stream = n
			}
		}
	}
	f(ofStream(1), "")
	f(ofStream(2), "out of place") // the run is of two logs
	f(ofStream(-1), "out of place")
	f(func(list []eventRow) { list[0].Ordinal++ }, "fingerprint 1 of "+first+" is out of place")
	f(func(list []eventRow) { list[0].Ordinal = -1 }, "fingerprint -1 of "+first+" is out of place")
	f(func(list []eventRow) { list[1] = list[0] }, "fingerprint 0 of "+first+" is out of place")
	f(func(list []eventRow) {
		list[0].Fingerprint, list[1] = "", list[0]
		list[1].Ordinal = -1
	}, "fingerprint -1 of "+first+" is out of place")
	f(func(list []eventRow) { list[0].Identity = "none" }, `identity "none" is not that of the run`)
	f(func(list []eventRow) { list[0].IdentityNo = 2 }, `identity "`+first+`" is not that of the run`)
	f(func(list []eventRow) { list[0].IdentityNo = -1 }, `identity "`+first+`" is not that of the run`)
}

// An event that a rule does not look at has nothing of its scope, be it that the
// one before has.
func TestScopesThatNobodyLooksAt(t *testing.T) {
	p := plan(t)
	dir := t.TempDir()
	events := extracted(p, 4)
	for i := range events {
		if i%2 > 0 {
			events[i].Scopes[1], events[i].Rules[1] = window.Scope{}, window.NotMatched
		}
	}
	keep(t, dir, p, events)
	comesBack(t, dir, p, events)
}

// Days that were removed from the first on are missing, and said; that any other
// file is missing is an error.
func TestMissingFiles(t *testing.T) {
	f := func(want string, gone ...int) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "out")
		l := newLive(t, dir)
		l.mustWrite(t, 4, 1, dayLength)
		files := eventFiles(t, dir)
		for _, i := range gone {
			must(t, os.Remove(files[i]))
		}
		n, err := readAll(dir, l.plan)
		if n != 4-len(gone) || (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), dir+": "+want) {
			t.Errorf("without %d: %d events, %v", gone, n, err)
		}
		list, other := sought(dir, l.plan, &window.Sought{})
		if len(list) > 0 || fmt.Sprint(other) != fmt.Sprint(err) {
			t.Errorf("without %d, with nothing sought: %d events, %v", gone, len(list), other)
		}
	}
	f("")
	f("", 0, 1)
	f("holds 3 of the 4 requests that were judged: a file in events is missing or cut\n", 1)
	f("holds 3 of the 4 requests that were judged: a file in events is missing or cut\n", 3)
	f("holds 2 of the 3 requests that were judged: a file in events is missing or cut\n", 0, 3)
	f("holds 0 of the 4 requests that were judged: all days were removed by age, or a file in events is missing or cut\n", 0, 1, 2, 3)
}

// A dataset whose run has other rules than its policy is refused.
func TestOtherRules(t *testing.T) {
	have := plan(t)
	dir := t.TempDir()
	keep(t, dir, have, extracted(have, 2))
	f := func(want string, change func(a, b *window.Rule)) {
		t.Helper()
		a, b := *have.Rules[0], *have.Rules[1]
		change(&a, &b)
		r, err := Open(dir)
		must(t, err)
		defer r.Close()
		other := window.NewPlan([]*window.Rule{&a, &b}, nil)
		if err := r.Prepare(other, other, false, 0, nil); (err == nil) != (want == "") || err != nil && err.Error() != damaged(runFile(dir), want).Error() {
			t.Errorf("%v, want %q", err, want)
		}
	}
	f("", func(_, _ *window.Rule) {})
	f("rule 0 is not the one in its policy", func(a, _ *window.Rule) { a.Name = "c" })
	f("rule 1 is not the one in its policy", func(a, b *window.Rule) { b.Identity = a.Identity })
	f("rule 1 is not the one in its policy", func(a, b *window.Rule) { b.Scope = a.Scope })
}

// Rows that are not what they may be are refused: a text taken for none would be a
// request without a repeat.
func TestRowsRefused(t *testing.T) {
	p := plan(t)
	dir := t.TempDir()
	keep(t, dir, p, extracted(p, 2))
	path := eventFiles(t, dir)[0]
	sound := rows[eventRow](t, path)
	f := func(wrong func(row *eventRow), want string) {
		t.Helper()
		list := slices.Clone(sound)
		for i := range list {
			wrong(&list[i])
		}
		writtenByAnother(t, path, list)
		if _, err := readAll(dir, p); err == nil || err.Error() != damaged(path, want).Error() {
			t.Errorf("%v, want %s", err, want)
		}
	}
	f(func(row *eventRow) { row.Fingerprint = "same" }, `"same" is no fingerprint`)
	f(func(row *eventRow) { row.Fingerprint, row.Cause = "", "none" }, `cause "none" is not known`)
	key := func(text string) func(row *eventRow) {
		return func(row *eventRow) { row.Scopes = []scopeRow{{Index: 0, Key: text}, sound[0].Scopes[1]} }
	}
	f(key("0f"), `request 0: "0f" is no key of a scope`)
	f(key(sound[0].Scopes[0].Key+"0"), `request 0: "`+sound[0].Scopes[0].Key+`0" is no key of a scope`)
	f(key(""), "request 0: neither key nor cause of a scope")
	f(func(row *eventRow) { row.Time -= row.Seq }, "request 1: out of place")
	f(func(row *eventRow) { row.Seq = 1 - row.Seq }, "request 0: out of place")
}

// An event that is kept stays what it is until as many more are as asked for.
func TestEventsAreHeld(t *testing.T) {
	p := plan(t)
	events := extracted(p, 100)
	dir := t.TempDir()
	keep(t, dir, p, events)
	const hold = 7
	r := answering(t, dir, p, p, true, hold)
	defer r.Close()
	var made, kept []*window.Event
	keep := false
	for i := range events {
		ev, err := r.Next(keep)
		must(t, err)
		first := max(len(kept)-hold, 0)
		if diff := cmp.Diff(made[first:], kept[first:], same...); diff != "" {
			t.Fatalf("at event %d (- made, + kept):\n%s", i, diff)
		}
		if keep = i%3 > 0; keep {
			made, kept = append(made, &events[i]), append(kept, ev)
		}
	}
}

// Without origins events lack what only an origin says, and positions still
// tell them apart. A match that is yet to be asked has them read all the same.
func TestWithoutOrigins(t *testing.T) {
	p := plan(t)
	events := extracted(p, 100)
	dir := t.TempDir()
	keep(t, dir, p, events)
	f := func(want *window.Plan, origins bool) {
		t.Helper()
		r := answering(t, dir, p, want, false, 0)
		defer r.Close()
		seen := map[fingerprint.Position]bool{}
		for i := range events {
			ev, err := r.Next(false)
			must(t, err)
			made := events[i]
			seen[ev.Position] = true
			if !origins {
				made.ID, made.Position = "", ev.Position
			}
			made.Prints, made.Scopes, made.Rules = made.Prints[:len(want.Identities)], made.Scopes[:len(want.Scopes)], made.Rules[:len(want.Rules)]
			if diff := cmp.Diff(&made, ev, same...); diff != "" {
				t.Fatalf("event %d (- made, + read):\n%s", i, diff)
			}
		}
		if len(seen) != len(events) {
			t.Errorf("%d positions of %d events", len(seen), len(events))
		}
	}
	f(window.NewPlan(p.Rules[:1], nil), false)
	f(p, true) // its second rule has an override with a match
}

// A run whose account does not add up was not written so.
func TestAccountThatDoesNotAddUp(t *testing.T) {
	p := plan(t)
	for _, run := range []Run{{Lines: 1}, {Lines: 3, Blank: 1, Late: 1}, {Excluded: []Exclusion{{Requests: 1}}}, {Lines: 15, Blank: 1, Malformed: 2, Duplicate: 3, Late: 4, AllExcluded: 5, Excluded: []Exclusion{{Requests: 5}}}} {
		dir := t.TempDir()
		d := create(t, dir, p)
		run.Accounts = []window.RuleAccount{{Rule: p.Rules[0]}, {Rule: p.Rules[1]}}
		must(t, d.Close(run))
		if _, err := Open(dir); (err == nil) != (run.Lines == 15) || err != nil && !strings.Contains(err.Error(), "its account does not add up") {
			t.Errorf("%d lines: %v", run.Lines, err)
		}
	}
}

// Whatever byte of a file is wrong, reading it ends, and without a panic. Not
// every damage can be noticed: the heads of pages and the footer carry no checksum.
func TestDamage(t *testing.T) {
	p := plan(t)
	dir := t.TempDir()
	events := extracted(p, 30)
	keep(t, dir, p, events)
	some := &window.Sought{Line: &events[29].Position, Scopes: []fingerprint.ScopeKey{events[0].Scopes[0].Key, {}}}
	for _, name := range []string{"events/date=2026-11-21/events.parquet", "run/run.parquet"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		sound := load(t, path)
		said := 0
		tried := 0
		for i := 0; i < len(sound); i += 1 + len(sound)/400 {
			tried++
			bad := append([]byte{}, sound...)
			bad[i] ^= 0x55
			save(t, path, bad)
			n, err := readAll(dir, p)
			if err != nil {
				said++
				if !strings.HasPrefix(err.Error(), dir) {
					t.Fatalf("%s, byte %d: %v", name, i, err)
				}
			}
			if n > 30 {
				t.Fatalf("%s, byte %d: %d events of 30", name, i, n)
			}
			if _, err := sought(dir, p, some); err != nil && !strings.HasPrefix(err.Error(), dir) {
				t.Fatalf("%s, byte %d, where some are sought: %v", name, i, err)
			}
		}
		if said < tried/4 {
			t.Errorf("%s: %d of %d damages are noticed", name, said, tried)
		}
		save(t, path, sound)
	}
	if n, err := readAll(dir, p); n != 30 || err != nil {
		t.Errorf("%d events, %v", n, err)
	}
}

// Days that may not be read are not taken for days that were removed.
func TestForbiddenDays(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	p := plan(t)
	dir := t.TempDir()
	keep(t, dir, p, extracted(p, 30))
	for _, name := range []string{"events/date=2026-11-21", "events"} {
		folder := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.Chmod(folder, 0))
		if _, err := Open(dir); err == nil || !strings.HasPrefix(err.Error(), "open "+folder+": permission denied") {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Chmod(folder, 0o700); err != nil { //nolint:gosec // a folder
			t.Fatal(err)
		}
	}
	if n, err := readAll(dir, p); n != 30 || err != nil {
		t.Errorf("%d events, %v", n, err)
	}
	folder := filepath.Join(dir, "run")
	must(t, os.Chmod(folder, 0))
	defer os.Chmod(folder, 0o700) //nolint:errcheck,gosec // a folder, to be removed
	if _, err := Compact(dir, forever); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("compact: %v", err)
	}
}

func readAll(dir string, p *window.Plan) (n int, err error) {
	list, err := sought(dir, p, nil)
	return len(list), err
}
