package parquet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// shareOut spreads n events, over two days, to partitions as extract does.
func shareOut(p *window.Plan, n, partitions int) (all []window.Event, split [][]*window.Event) {
	x := p.NewExtractor(window.ExtractOptions{})
	all, split = make([]window.Event, n), make([][]*window.Event, partitions)
	for i := range all {
		r := &requests()[0]
		r.Position = fingerprint.Position{Stream: int32(i % 2), Offset: int64(i), Line: int64(i)}
		r.End = midnight + int64(i/4-n/8)*1e6
		r.ID, r.Session, r.Caller = fmt.Appendf(nil, "r%d", i), fmt.Appendf(nil, "s%d", i%7), fmt.Appendf(nil, "caller-%d", i%5)
		x.Event(r, &all[i])
	}
	slices.SortFunc(all, func(a, b window.Event) int {
		if a.Before(&b) {
			return -1
		}
		return 1
	})
	for i := range all {
		all[i].Portion = &window.Portion{Number: int64(i * 10)}
		p.Spread(&all[i], partitions, func(to int, ev *window.Event) {
			one := *ev
			portion := *ev.Portion
			one.Rules, one.Portion = slices.Clone(ev.Rules), &portion
			split[to] = append(split[to], &one)
		})
	}
	return all, split
}

// shared writes partitions as several watches do, part by part in turn.
type shared struct {
	t      *testing.T
	dir    string
	plan   *window.Plan
	hash   string
	split  [][]*window.Event
	at     []int   // by partition: events written
	number []int64 // and parts
	homes  []int64 // and events that it stands for
}

func newShared(t *testing.T, dir string, p *window.Plan, split [][]*window.Event) *shared {
	t.Helper()
	if _, _, err := Shared(dir, "g"); err != nil {
		t.Fatal(err)
	}
	n := len(split)
	return &shared{t, dir, p, "h", split, make([]int, n), make([]int64, n), make([]int64, n)}
}

func (s *shared) append(partition int, number, first int64, events []*window.Event) error {
	d, err := AppendPartition(s.dir, s.plan, partition, number, liveName(number, first), first)
	if d == nil || err != nil {
		return errors.Join(err, errThere)
	}
	defer d.Abort()
	homes := s.homes[partition]
	for _, ev := range events {
		if !ev.Copy() {
			homes++
		}
		if err := d.AddEvent(ev); err != nil {
			return err
		}
		for i := range s.plan.Rules {
			if ev.Rules[i] == window.NotMatched {
				continue
			}
			v := window.Verdict{
				Event: ev, Rule: s.plan.Rules[i], Scope: &ev.Scopes[s.plan.ScopeOf(i)], Fingerprint: ev.Prints[s.plan.IdentityOf(i)].Fingerprints[0],
				Count: 2, Action: window.Allow, RetryAfter: -1, DelayMS: -1,
			}
			if err := d.AddVerdict(&v, -1); err != nil {
				return err
			}
		}
	}
	rules := []window.RuleAccount{{Rule: s.plan.Rules[0], Judged: homes}, {Rule: s.plan.Rules[1], Judged: homes}}
	return d.Close(Run{PolicyHash: s.hash, Judged: homes, Lines: homes, Logs: []Log{{Name: "a", Lines: homes}, {Name: "b"}}, Accounts: rules})
}

var errThere = errors.New("it is there")

// write writes the next part of a partition.
func (s *shared) write(partition, events int) {
	s.t.Helper()
	from := s.at[partition]
	part := s.split[partition][from:min(from+events, len(s.split[partition]))]
	s.number[partition]++
	if err := s.append(partition, s.number[partition], s.homes[partition], part); err != nil {
		s.t.Fatal(err)
	}
	s.at[partition] += len(part)
	for _, ev := range part {
		if !ev.Copy() {
			s.homes[partition]++
		}
	}
}

func (s *shared) writeAll(events int) {
	s.t.Helper()
	for more := true; more; {
		more = false
		for p := range s.split {
			if s.at[p] < len(s.split[p]) {
				s.write(p, events)
				more = true
			}
		}
	}
}

// What several processes write, partition by partition, is the dataset of one:
// each request once, with all rules that looked at it, in the order of one, and
// so it stays when files are merged and days removed.
func TestPartitions(t *testing.T) {
	p := plan(t)
	dir := filepath.Join(t.TempDir(), "out")
	all, split := shareOut(p, 900, 3)
	copies := 0
	for _, list := range split {
		copies += len(list)
	}
	if copies < len(all)*4/3 {
		t.Fatalf("only %d of %d events are spread", copies-len(all), len(all))
	}
	s := newShared(t, dir, p, split)
	s.writeAll(150)
	if slices.Contains(s.homes, 0) {
		t.Fatalf("the homes of the events are %v", s.homes)
	}
	r := comesBack(t, dir, p, all)
	if !r.Whole || r.Run.Judged != int64(len(all)) || r.Run.Logs[0].Lines != int64(len(all)) {
		t.Errorf("whole %v, %d judged, %d lines", r.Whole, r.Run.Judged, r.Run.Logs[0].Lines)
	}
	row, err := readRunFile(runFile(dir))
	if err != nil || row.Rules[1].Judged != int64(len(all)) {
		t.Errorf("the second rule judged %d of %d: %v", row.Rules[1].Judged, len(all), err)
	}
	seqs := map[int64]string{}
	for _, e := range table[eventRow](t, dir, "events") {
		if was, ok := seqs[e.Seq]; ok && was != e.ID {
			t.Fatalf("%d is the number of %s and of %s", e.Seq, was, e.ID)
		}
		seqs[e.Seq] = e.ID
		if len(e.Rules) != 2 {
			t.Fatalf("%s was looked at by %v", e.ID, e.Rules)
		}
	}
	verdicts := table[verdictRow](t, dir, "verdicts")
	for _, v := range verdicts {
		if seqs[v.Seq] != v.ID {
			t.Fatalf("a verdict on %s is beside %q", v.ID, seqs[v.Seq])
		}
	}
	if len(seqs) != len(all) || len(verdicts) != 2*len(all) {
		t.Errorf("%d numbers and %d verdicts of %d events", len(seqs), len(verdicts), len(all))
	}

	before := table[eventRow](t, dir, "events")
	done := mustCompact(t, dir, forever)
	if done.Before <= done.After {
		t.Errorf("compacted: %+v", done)
	}
	if diff := cmp.Diff(before, table[eventRow](t, dir, "events")); diff != "" {
		t.Errorf("rows (- before, + after):\n%.2000s", diff)
	}
	comesBack(t, dir, p, all)

	// A day is removed: what is left is read, and that something is missing is
	// known.
	mustCompact(t, dir, midnight)
	k := slices.IndexFunc(all, func(ev window.Event) bool { return ev.Time >= midnight })
	if r := comesBack(t, dir, p, all[k:]); r.Whole || r.Removed != int64(k) {
		t.Errorf("%d are removed, not %d; whole %v", r.Removed, k, r.Whole)
	}
	// And a partition of which nothing is left is no damage.
	mustCompact(t, dir, midnight+86400e6)
	if r, err := Open(dir); err != nil || r.from[0].shared {
		t.Errorf("nothing left: %v", err)
	}
}

// A part comes into the dataset once, however late a process is that has lost
// its partition, also when it has been merged into another file.
func TestPartitionOnce(t *testing.T) {
	p := plan(t)
	dir := filepath.Join(t.TempDir(), "out")
	all, split := shareOut(p, 200, 2)
	s := newShared(t, dir, p, split)
	s.writeAll(20)
	late := func(number int64, from int) {
		t.Helper()
		homes := s.homes[0]
		if err := s.append(0, number, 0, split[0][from:from+20]); !errors.Is(err, errThere) {
			t.Errorf("part %d: %v", number, err)
		}
		s.homes[0] = homes
	}
	late(1, 0)
	late(s.number[0], len(split[0])-20)
	mustCompact(t, dir, forever)
	late(2, 20)
	comesBack(t, dir, p, all)
	if left, err := filepath.Glob(filepath.Join(dir, own, reports, "*")); err != nil || len(left) != 2 {
		t.Errorf("reports: %v %v", left, err)
	}
	if there, err := HoldsPartition(dir, 1); !there || err != nil {
		t.Errorf("partition 1: %v %v", there, err)
	}
	if there, err := HoldsPartition(dir, 2); there || err != nil {
		t.Errorf("partition 2: %v %v", there, err)
	}
}

// Which policy made a dataset can be told while another process puts the first
// part of a partition into its place: its events come before its report.
func TestLastRunAtAnyMoment(t *testing.T) {
	p := plan(t)
	dir := filepath.Join(t.TempDir(), "out")
	_, split := shareOut(p, 200, 2)
	s := newShared(t, dir, p, split)
	s.writeAll(100)
	list, _, err := reportsOf(dir)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	must(t, os.Remove(list[1].path))
	if run, err := LastRun(dir); run.PolicyHash != s.hash || err != nil {
		t.Errorf("%q: %v", run.PolicyHash, err)
	}
}

// The run of a partition that a crash left beside a newer one is not counted, and
// goes with the next part.
func TestOldReport(t *testing.T) {
	p := plan(t)
	dir := filepath.Join(t.TempDir(), "out")
	_, split := shareOut(p, 200, 2)
	s := newShared(t, dir, p, split)
	s.write(1, 20)
	list, _, err := reportsOf(dir)
	must(t, err)
	left := load(t, list[0].path)
	s.write(1, 20)
	save(t, list[0].path, left)
	s.write(0, 20)
	if run, err := LastRun(dir); run.Judged != s.homes[0]+s.homes[1] || err != nil {
		t.Errorf("%d judged, of %v: %v", run.Judged, s.homes, err)
	}
	s.write(1, 20)
	if list, old, err := reportsOf(dir); len(list) != 2 || len(old) > 0 || err != nil {
		t.Errorf("%v, %v: %v", list, old, err)
	}
}

func TestPartitionsRefused(t *testing.T) {
	p := plan(t)
	dir := filepath.Join(t.TempDir(), "out")
	_, split := shareOut(p, 400, 2)
	s := newShared(t, dir, p, split)
	s.write(0, 100)
	id, _, err := Shared(dir, "g")
	if again, _, err2 := Shared(dir, "g"); id == "" || again != id || err != nil || err2 != nil {
		t.Errorf("%q, then %q: %v, %v", id, again, err, err2)
	}
	f := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	s.hash = "other"
	f(s.append(1, 1, 0, split[1][:10]), "by another policy: stop every watch of the group")
	if n := len(table[eventRow](t, dir, "events")); n == 0 || strings.Contains(files(t, dir), "p0001-") {
		t.Errorf("%d rows, in\n%s", n, files(t, dir))
	}
	_, err = Create(dir, p)
	f(err, "holds a run already")

	// Without our folder nobody can tell whether all is there.
	must(t, os.RemoveAll(filepath.Join(dir, own)))
	_, err = Open(dir)
	f(err, "copy the dataset with its folder .loopgauge")
	_, _, err = Shared(dir, "g")
	f(err, "holds a run already")

	// Some of the files are read as they are.
	r, err := Open(dir, eventFiles(t, dir)...)
	must(t, err)
	defer r.Close()
	must(t, r.Prepare(p, p, true, 0, nil))
	if _, err := r.Next(false); err != nil {
		t.Error(err)
	}
}

// TestWhoWrites: a dataset is written by one watch with a state, or by those that
// share a topic; who holds a claim to it keeps the others away, and an empty one
// too is theirs.
func TestWhoWrites(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	const busy = "another watch writes to it"
	f := func(err error, want string) {
		t.Helper()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	claim := func(owner, want, by string) func() {
		t.Helper()
		got, release, err := Claim(dir, owner)
		if f(err, want); got != by {
			t.Errorf("it is that of %q, want %q", got, by)
		}
		return release
	}
	share := func(want string) func() {
		t.Helper()
		_, release, err := Shared(dir, "g")
		f(err, want)
		return release
	}
	release := claim("a", "", "a")
	claim("b", busy, "")
	share(busy)
	release()
	claim("b", "", "b")() // nothing was there yet
	one, two := share(""), share("")
	claim("b", busy, "")
	one()
	two()
	claim("b", "", "")()
	_, _, err := Shared(dir, "h")
	f(err, "of another group or topic: name another directory")
	share("")()

	dir = filepath.Join(t.TempDir(), "written")
	claim("a", "", "a")()
	newLive(t, dir).mustWrite(t, 1, 1, 1)
	claim("b", "", "a")()
	claim("a", "", "a")()
}

// A part whose events are in their place before the run tells of them, as they are
// for a moment, or after a crash until the next start, is not read yet.
func TestPartBeforeItsRun(t *testing.T) {
	rewound := func(t *testing.T, files string, write func()) {
		t.Helper()
		old := map[string][]byte{}
		found, err := filepath.Glob(files)
		if err != nil || len(found) == 0 {
			t.Fatal(found, err)
		}
		for _, name := range found {
			old[name] = load(t, name)
		}
		write()
		if found, err = filepath.Glob(files); err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			must(t, os.Remove(name))
		}
		for name, text := range old {
			save(t, name, text)
		}
	}
	dir := filepath.Join(t.TempDir(), "one")
	l := newLive(t, dir)
	l.mustWrite(t, 2, 100, 20*60e6)
	rewound(t, runFile(dir), func() { l.mustWrite(t, 1, 50, 20*60e6) })
	if n, err := readAll(dir, l.plan); n != 200 || err != nil {
		t.Errorf("%d events, %v", n, err)
	}

	dir = filepath.Join(t.TempDir(), "shared")
	_, split := shareOut(l.plan, 200, 2)
	s := newShared(t, dir, l.plan, split)
	s.write(0, 30)
	for range 2 { // the first of a partition, too
		want, at, homes, number := int(s.homes[0]+s.homes[1]), s.at[1], s.homes[1], s.number[1]
		rewound(t, filepath.Join(dir, own, reports, "*"), func() { s.write(1, 30) })
		if n, err := readAll(dir, l.plan); n != want || err != nil {
			t.Errorf("%d events of %d, %v", n, want, err)
		}
		s.at[1], s.homes[1], s.number[1] = at, homes, number
		s.write(1, 30)
	}
}
