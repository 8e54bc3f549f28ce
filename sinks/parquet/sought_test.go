package parquet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// sessions are events of which every few that follow each other are of a session, on
// two days, and a line may have two.
func sessions(p *window.Plan, n, each int) []window.Event {
	x := p.NewExtractor(window.ExtractOptions{})
	r := &requests()[0]
	events := make([]window.Event, n)
	for i := range events {
		r.Session, r.ID = fmt.Append(nil, "s", i/each), fmt.Append(nil, "r", i)
		r.End = midnight + int64(i/3*3-n*3/4)*1e6
		r.Position = fingerprint.Position{Stream: 1, Line: int64(i/2 + 1), Offset: int64(i), Item: int32(i % 2)}
		x.Event(r, &events[i])
	}
	return events
}

// sought are the events that come when some are sought.
func sought(dir string, p *window.Plan, s *window.Sought) (list []*window.Event, err error) {
	r, err := Open(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := r.Prepare(p, p, true, 0, s); err != nil {
		return nil, err
	}
	for {
		switch ev, err := r.Next(false); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return list, err
		default:
			list = append(list, ev.Clone())
		}
	}
}

// TestSought: what is sought comes as it was made, and so does what comes beside it,
// whatever row groups its rows are in and which of them are passed over.
func TestSought(t *testing.T) {
	p, dir := plan(t), t.TempDir()
	events := sessions(p, 40, 6)
	keep(t, dir, p, events)
	files := eventFiles(t, dir)
	var all [][]eventRow
	for _, file := range files {
		all = append(all, rows[eventRow](t, file))
	}
	rapid.Check(t, func(rt *rapid.T) {
		for i, list := range all {
			var groups [][]eventRow
			for len(list) > 0 {
				n := min(rapid.IntRange(1, 12).Draw(rt, "rows"), len(list))
				groups, list = append(groups, list[:n]), list[n:]
			}
			writtenBy(t, creator, files[i], groups...)
		}
		var s window.Sought
		one := func() *window.Event { return &events[rapid.IntRange(0, len(events)-1).Draw(rt, "event")] }
		if rapid.Bool().Draw(rt, "a line") {
			s.Line = &one().Position
		}
		if rapid.Bool().Draw(rt, "a time") {
			s.Time = &one().Time
		}
		for range rapid.IntRange(0, 2).Draw(rt, "scopes") {
			s.Scopes = append(s.Scopes, one().Scopes[0].Key)
		}
		got, err := sought(dir, p, &s)
		must(rt, err)
		for i := range events {
			want := &events[i]
			is := s.Line != nil && want.Position.Line == s.Line.Line || s.Time != nil && want.Time == *s.Time || slices.Contains(s.Scopes, want.Scopes[0].Key)
			if len(got) == 0 || got[0].Position != want.Position {
				if is {
					rt.Fatalf("event %d did not come", i)
				}
				continue
			}
			if diff := cmp.Diff(want, got[0], same, cmpopts.IgnoreFields(window.Event{}, "Portion")); diff != "" {
				rt.Fatalf("event %d (- made, + read):\n%s", i, diff)
			}
			got = got[1:]
		}
		if len(got) > 0 {
			rt.Fatalf("%d come that are none, or out of their order", len(got))
		}
	})
}

// TestPassedOver: of a row group nothing comes that is not sought, unless another wrote
// the file, of whose statistics nothing is known; and that a file is missing is an
// error, too.
func TestPassedOver(t *testing.T) {
	p, dir := plan(t), t.TempDir()
	events := sessions(p, 40, 5)
	keep(t, dir, p, events)
	files := eventFiles(t, dir)
	list := rows[eventRow](t, files[1])
	write := func(program string) {
		writtenBy(t, program, files[1], list[:10], list[10:]) // five events, the others
	}
	last := &window.Sought{Line: &events[39].Position}
	f := func(program string, s *window.Sought, want int) {
		t.Helper()
		write(program)
		if got, err := sought(dir, p, s); len(got) != want || err != nil {
			t.Errorf("%d events come, not %d: %v", len(got), want, err)
		}
	}
	f(creator, &window.Sought{Scopes: []fingerprint.ScopeKey{events[30].Scopes[0].Key}}, 5)
	f(creator, &window.Sought{Line: &events[1].Position}, 30)
	f(creator, last, 5)
	f(creator, &window.Sought{Time: &events[29].Time}, 30)
	f(creator, &window.Sought{}, 0)
	f(creator, nil, 40)
	f("another", last, 10)

	write(creator)
	one, other := load(t, files[0]), load(t, files[1])
	for _, content := range [][2][]byte{{one, one}, {other, other}, {other, one}} {
		must(t, os.WriteFile(files[0], content[0], 0o600))
		must(t, os.WriteFile(files[1], content[1], 0o600))
		_, want := sought(dir, p, nil)
		for _, s := range []*window.Sought{{}, last, {Line: &events[1].Position}} {
			if _, err := sought(dir, p, s); err == nil || want == nil || err.Error() != want.Error() {
				t.Errorf("of files in other places: %v, not %v", err, want)
			}
		}
	}
	must(t, os.WriteFile(files[0], one, 0o600))
	must(t, os.Remove(files[1]))
	if _, err := sought(dir, p, last); err == nil || !strings.Contains(err.Error(), "holds 30 of the 40 requests") {
		t.Error(err)
	}
}

// TestFired: when an episode of the run first fired is known by its id.
func TestFired(t *testing.T) {
	dir := t.TempDir()
	written(t, dir)
	r, err := Open(dir)
	must(t, err)
	defer r.Close()
	list := table[episodeRow](t, dir, "episodes")
	if len(list) < 2 {
		t.Fatalf("%d episodes", len(list))
	}
	for _, e := range list {
		if at := r.Fired(e.ID); at != e.Fired {
			t.Errorf("%s fired at %d, not %d", e.ID, at, e.Fired)
		}
	}
	if at := r.Fired("ep-0"); at != fingerprint.NoTime {
		t.Errorf("none fired at %d", at)
	}
}
