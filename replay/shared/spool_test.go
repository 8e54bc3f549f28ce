package shared

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// recorded is a dataset that remembers what it was given. As in the real one a
// part that was there never comes again, though it may be gone.
type recorded struct {
	dir   string
	parts map[int64][]string
	first map[int64]int64
	last  int64
}

func (d *recorded) ID() string              { return "recorded" }
func (d *recorded) Spool() string           { return d.dir }
func (d *recorded) Holds(int) (bool, error) { return d.last > 0, nil }

func (d *recorded) Part(_ int, number, first int64) (live.Part, error) {
	if number <= d.last {
		return nil, nil
	}
	return &recordedPart{d: d, number: number, first: first}, nil
}

type recordedPart struct {
	d             *recorded
	number, first int64
	rows          []string
}

func (p *recordedPart) AddEvent(ev *window.Event) error {
	p.rows = append(p.rows, fmt.Sprintf("event %d %v", ev.Portion.Number, ev.Copy()))
	return nil
}

func (p *recordedPart) AddVerdict(v *window.Verdict, _ int64) error {
	p.rows = append(p.rows, fmt.Sprintf("verdict %d", v.Event.Portion.Number))
	return nil
}

func (p *recordedPart) AddEpisode(e *window.Episode) error {
	p.rows = append(p.rows, "episode "+e.ID)
	return nil
}

func (p *recordedPart) Close(replay.Report) error {
	if p.number != p.d.last+1 {
		return fmt.Errorf("part %d comes behind %d", p.number, p.d.last)
	}
	p.d.last, p.d.parts[p.number], p.d.first[p.number] = p.number, p.rows, p.first
	return nil
}

func (p *recordedPart) Abort() {}

// TestSpool: whoever has a partition, loses it, dies, or goes on without
// knowing that it has lost it: each row comes into the dataset once.
func TestSpool(t *testing.T) {
	plan := testPlan(t, rules)
	all := slices.DeleteFunc(events(plan, 150), func(ev window.Event) bool { return ev.Exclude > 0 })
	want, firsts := make([][]string, len(all)), []int64{0} // by event, and how many home events came before one
	for i := range all {
		ev := &all[i]
		ev.Portion = &window.Portion{Number: int64(i * 3), Home: i%4 > 0}
		want[i] = append(want[i], fmt.Sprintf("event %d %v", i*3, i%4 == 0))
		if i%3 == 0 {
			want[i] = append(want[i], fmt.Sprintf("verdict %d", i*3))
		}
		if i%11 == 0 {
			want[i] = append(want[i], fmt.Sprintf("episode ep%d", i))
		}
		home := firsts[i]
		if !ev.Copy() {
			home++
		}
		firsts = append(firsts, home)
	}
	k := slices.IndexFunc(all, func(ev window.Event) bool { return len(ev.Prints[0].Fingerprints) > 0 })
	print := all[k].Prints[0].Fingerprints[0]
	none := func() replay.Report { return replay.Report{} }
	must := func(t *rapid.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "spool") //nolint:usetesting // one for each history
		must(rt, err)
		data := &recorded{dir: dir, parts: map[int64][]string{}, first: map[int64]int64{}}
		o := &WatchOptions{Dataset: data, Job: live.Job{Plan: plan, PartInterval: time.Hour}}
		type process struct {
			*spool
			at      int  // events taken in
			settled bool // what it has closed is committed: only then it publishes
		}
		add := func(p *process, n int) {
			for ; n > 0 && p.at < len(all); n-- {
				ev := &all[p.at]
				must(rt, p.rows.AddEvent(ev))
				if p.at%3 == 0 {
					rule := plan.Rules[0]
					p.rows.AddVerdict(&window.Verdict{Event: ev, Rule: rule, Scope: &ev.Scopes[plan.ScopeOf(0)], Fingerprint: print, Action: window.Allow, Count: 2})
				}
				if p.at%11 == 0 {
					must(rt, p.rows.AddEpisode(&window.Episode{ID: fmt.Sprintf("ep%d", p.at), Rule: plan.Rules[0], Scope: []string{"s"}, Fingerprint: print}))
				}
				p.at++
			}
		}
		var committed []byte // with how far it goes
		reached, turn := 0, 0
		take := func() *process {
			turn += rapid.IntRange(0, 1).Draw(rt, "turn") // brokers may forget one
			p := &process{newSpool(o, 3, turn), reached, true}
			if committed != nil {
				r := snapshot.NewReader(committed)
				p.code(r.Codec())
				must(rt, r.Done())
			}
			must(rt, p.publish(none))
			must(rt, p.clean())
			return p
		}
		commit := func(p *process, last bool) {
			must(rt, p.sync(last))
			w := snapshot.NewWriter(nil)
			p.code(w.Codec())
			committed, reached, p.settled = append([]byte{}, w.Bytes()...), p.at, true
		}
		owner := take()
		var lost []*process // do not know yet
		rt.Repeat(map[string]func(*rapid.T){
			"judge":      func(t *rapid.T) { add(owner, rapid.IntRange(1, 20).Draw(t, "events")) },
			"checkpoint": func(*rapid.T) { commit(owner, false); must(rt, owner.publish(none)) },
			"part":       func(*rapid.T) { commit(owner, true); must(rt, owner.publish(none)) },
			// The brokers do not take it; the next checkpoint has it too.
			"checkpoint fails": func(t *rapid.T) {
				must(rt, owner.sync(rapid.Bool().Draw(t, "last")))
				owner.settled = false
			},
			"die before it is published": func(*rapid.T) {
				commit(owner, true)
				must(rt, owner.end())
				owner = take()
			},
			"die": func(*rapid.T) { must(rt, owner.end()); owner = take() },
			"lose": func(t *rapid.T) {
				if rapid.Bool().Draw(t, "with a part") {
					commit(owner, true)
				}
				lost = append(lost, owner)
				owner = take()
			},
			"go on": func(t *rapid.T) {
				if len(lost) == 0 {
					t.Skip("none is lost")
				}
				add(lost[0], rapid.IntRange(1, 20).Draw(t, "events"))
				must(rt, lost[0].rows.Flush())
			},
			"find out": func(t *rapid.T) {
				if len(lost) == 0 {
					t.Skip("none is lost")
				}
				// It was to publish what it had committed, or fails to commit more.
				if lost[0].settled {
					must(rt, lost[0].publish(none))
				}
				if rapid.Bool().Draw(t, "after another checkpoint") {
					must(rt, lost[0].sync(rapid.Bool().Draw(t, "last")))
				}
				must(rt, lost[0].end())
				lost = lost[1:]
			},
		})
		add(owner, len(all))
		commit(owner, true)
		must(rt, owner.publish(none))
		for _, p := range lost {
			if p.settled {
				must(rt, p.publish(none))
			}
			must(rt, p.end())
		}
		var got []string
		for _, n := range slices.Sorted(maps.Keys(data.parts)) {
			rows := data.parts[n]
			taken := 0
			for _, row := range got {
				if strings.HasPrefix(row, "event ") {
					taken++
				}
			}
			if data.first[n] != firsts[taken] {
				rt.Fatalf("part %d begins with event %d, not %d", n, data.first[n], firsts[taken])
			}
			got = append(got, rows...)
		}
		// A frame of verdicts follows its events.
		order := func(rows []string) (out []string) {
			for _, kind := range []string{"event ", "verdict ", "episode "} {
				for _, row := range rows {
					if strings.HasPrefix(row, kind) {
						out = append(out, row)
					}
				}
			}
			return out
		}
		if a, b := order(slices.Concat(want...)), order(got); !slices.Equal(a, b) {
			rt.Fatalf("%d rows, want %d:\n%q\n%q", len(b), len(a), b, a)
		}
		// Whoever has the partition much later leaves nothing of all that.
		turn += 1000
		must(rt, take().end())
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			rt.Fatalf("left: %v, %v", left, err)
		}
	})
}

// TestSpoolDue: a part is to be closed when its time is over, also where nothing
// more comes; one that another process began, at once.
func TestSpoolDue(t *testing.T) {
	plan := testPlan(t, rules)
	data := &recorded{dir: t.TempDir(), parts: map[int64][]string{}, first: map[int64]int64{}}
	synctest.Test(t, func(t *testing.T) {
		s := newSpool(&WatchOptions{Dataset: data, Job: live.Job{Plan: plan, PartInterval: time.Minute}}, 0, 1)
		due := func(want bool) {
			t.Helper()
			if got := s.due(); got != want {
				t.Errorf("due: %t, want %t", got, want)
			}
		}
		sync := func() {
			t.Helper()
			if err := s.sync(false); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		due(false) // nothing has come
		ev := events(plan, 1)[0]
		ev.Portion = &window.Portion{Home: true}
		if err := s.rows.AddEvent(&ev); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute - 1)
		due(false)
		time.Sleep(time.Nanosecond)
		due(true)
		sync()
		due(false)
		if len(s.closed) != 1 {
			t.Errorf("%d parts are closed", len(s.closed))
		}
		s.part.pieces = s.closed[0].pieces
		due(true)
	})
}

// TestSpoolDamage: a piece that is not there, or shorter than a checkpoint
// knows, is said.
func TestSpoolDamage(t *testing.T) {
	plan := testPlan(t, rules)
	all := events(plan, 20)
	f := func(hurt func(name string) error, want string) {
		t.Helper()
		data := &recorded{dir: t.TempDir(), parts: map[int64][]string{}, first: map[int64]int64{}}
		s := newSpool(&WatchOptions{Dataset: data, Job: live.Job{Plan: plan, PartInterval: time.Hour}}, 0, 7)
		for i := range all {
			all[i].Portion = &window.Portion{Home: true}
			if err := s.rows.AddEvent(&all[i]); err != nil {
				t.Fatal(err)
			}
		}
		err := errors.Join(s.sync(true), hurt(s.name(1, 7)))
		if err != nil {
			t.Fatal(err)
		}
		err = s.publish(func() replay.Report { return replay.Report{} })
		if err == nil || !strings.Contains(err.Error(), want) || len(data.parts) > 0 {
			t.Errorf("%v, want %q; %d parts", err, want, len(data.parts))
		}
	}
	f(os.Remove, "no such file")
	f(func(name string) error { return os.Truncate(name, 10) }, "a checkpoint knows")
	f(func(name string) error { return os.WriteFile(name, make([]byte, 1<<20), 0o600) }, "part 1 of partition 0")
}
