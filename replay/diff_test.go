package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// What a policy finds beyond the episodes that are kept is neither new nor lost
// to the other, and one that began early and ended late is held against all.
func TestCompareMoreThanIsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("compares twice as many loops as are kept")
	}
	rule := &window.Rule{Name: "r", Scope: &fingerprint.Scope{Fields: []string{"session"}}}
	var before, after Found
	add := func(f *Found, session string, first, last int64) {
		f.Add(&window.Episode{ID: session, Rule: rule, Scope: []string{session}, First: first, Fired: first, Last: last})
	}
	const loops = 2*mostCompared + 10
	for i := range int64(loops) {
		add(&after, fmt.Sprint("s", i), 1000*i, 1000*i+1)
		if i%3 == 0 { // few enough to be kept
			add(&before, fmt.Sprint("s", i), 1000*i, 1000*i+1)
		}
	}
	add(&before, "lost", 5, 6)
	for _, f := range []*Found{&before, &after} {
		add(f, "long", 7, 1000*loops) // it ends last, so it comes last
	}
	d := Compare("old", &before, &after)
	const whole = mostCompared - 1 // the long one takes a place
	same := (whole + 2) / 3
	if d.Until != 1000*whole || len(d.Lost) != 1 || len(d.Same) != same || len(d.New) != whole-same {
		t.Errorf("until %d: %d lost, %d the same, %d new", d.Until, len(d.Lost), len(d.Same), len(d.New))
	}
	text := d.String()
	for _, want := range []string{"\nlisted are the 20 costliest of each", "\ncompared are the loops that ended before 1970-01-01 00:01:39 UTC"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !strings.HasSuffix(text, " the same\n") {
		t.Errorf("the counts are not last:\n%s", text)
	}
	if got, want := *d.Document().Until, "1970-01-01T00:01:39.999000Z"; got != want {
		t.Errorf("until %s, not %s", got, want)
	}

	if d := Compare("old", &before, &before); d.Until != 0 || len(d.Lost) > 0 || len(d.New) > 0 || d.Document().Until != nil || strings.Contains(d.String(), "listed") {
		t.Errorf("of few: %+v", d.Document())
	}
}

// TestCompareManyOfOne: of a caller with all loops there are each is held against
// none but those of its time, be they one loop of as many sessions, or beside one that
// lasts as long as all of them.
func TestCompareManyOfOne(t *testing.T) {
	size := mostCompared // at which quadratic work would not end before the test's timeout does
	if testing.Short() {
		size = 1000
	}
	byCaller := &window.Rule{Name: "c", Scope: &fingerprint.Scope{Fields: []string{"caller"}}}
	byModel := &window.Rule{Name: "m", Scope: &fingerprint.Scope{Fields: []string{"caller", "model"}}}
	f := func(what string, want int, of func(i int64) window.Episode) {
		t.Helper()
		var f Found
		for i := range int64(size) {
			e := of(i)
			e.Caller, e.Fired = "c", e.First
			f.Add(&e)
		}
		if d := Compare("old", &f, &f); len(d.Same) != want || len(d.Lost) > 0 || len(d.New) > 0 {
			t.Errorf("%s: %d the same, %d lost, %d new", what, len(d.Same), len(d.Lost), len(d.New))
		}
	}
	f("of as many sessions", 1, func(i int64) window.Episode {
		return window.Episode{Rule: byCaller, Scope: []string{"c"}, Session: fmt.Sprint("s", i), Last: 1}
	})
	f("beside a long one", size, func(i int64) window.Episode {
		e := window.Episode{Rule: byModel, Scope: []string{"c", fmt.Sprint("m", i)}, First: 1000 * i, Last: 1000*i + 1}
		if i == 0 {
			e.Last = 1000 * int64(size)
		}
		return e
	})
}

// TestCompareOtherScopes: a loop that a caller's rule saw is that of each of the
// sessions in it, at its time, and no other's.
func TestCompareOtherScopes(t *testing.T) {
	byCaller := &window.Rule{Name: "c", Scope: &fingerprint.Scope{Fields: []string{"caller"}}}
	bySession := &window.Rule{Name: "s", Scope: &fingerprint.Scope{Fields: []string{"session"}}}
	var before, after Found
	for i, session := range []string{"b", "a", "", "b"} {
		before.Add(&window.Episode{Rule: byCaller, Scope: []string{"c"}, Caller: "c", Session: session, First: 0, Fired: int64(i), Last: 10})
	}
	before.Add(&window.Episode{Rule: byCaller, Scope: []string{"c"}, Caller: "c", Session: "late", First: 20, Fired: 21, Last: 30})
	for _, at := range []struct {
		session     string
		first, last int64
	}{{"a", 2, 3}, {"b", 10, 15}, {"late", 11, 19}, {"x", 2, 3}} {
		after.Add(&window.Episode{Rule: bySession, Scope: []string{at.session}, Caller: "c", Session: at.session, First: at.first, Fired: at.first, Last: at.last})
	}
	// Two callers are two, though neither has a session.
	byModel := &window.Rule{Name: "m", Scope: &fingerprint.Scope{Fields: []string{"model"}}}
	before.Add(&window.Episode{Rule: byCaller, Scope: []string{"d"}, Caller: "d", First: 40, Fired: 41, Last: 50})
	after.Add(&window.Episode{Rule: byModel, Scope: []string{"m"}, Caller: "e", First: 40, Fired: 41, Last: 50})
	if d := Compare("old", &before, &after); len(d.Same) != 2 || len(d.Lost) != 2 || len(d.New) != 3 {
		t.Errorf("%d the same, %d lost, %d new", len(d.Same), len(d.Lost), len(d.New))
	}
}

// TestCompareHoldsEachAgainstEach: the loops that are the same are those that a look
// at every pair finds.
func TestCompareHoldsEachAgainstEach(t *testing.T) {
	rules := []*window.Rule{}
	for _, fields := range [][]string{{"session"}, {"caller"}, {"caller", "model"}, {}} {
		rules = append(rules, &window.Rule{Name: strings.Join(fields, " "), Scope: &fingerprint.Scope{Fields: fields}})
	}
	names := rapid.SampledFrom([]string{"", "a", "b", "c"})
	episode := rapid.Custom(func(t *rapid.T) window.Episode {
		e := window.Episode{Rule: rapid.SampledFrom(rules).Draw(t, "rule"), Session: names.Draw(t, "session"), Caller: names.Draw(t, "caller"), First: rapid.Int64Range(0, 20).Draw(t, "first")}
		e.Fired, e.Last = e.First, e.First+rapid.Int64Range(0, 5).Draw(t, "long")
		for _, field := range e.Rule.Scope.Fields {
			e.Scope = append(e.Scope, map[string]string{"session": e.Session, "caller": e.Caller, "model": "m"}[field])
		}
		return e
	})
	same := func(a, b *Loop) bool {
		switch {
		case a.First > b.Last || b.First > a.Last:
			return false
		case a.fields() == b.fields():
			return slices.Equal(a.Scope, b.Scope)
		case len(a.sessions) > 0 && len(b.sessions) > 0:
			return slices.ContainsFunc(a.sessions, func(s string) bool { return slices.Contains(b.sessions, s) })
		}
		return slices.ContainsFunc(a.callers, func(c string) bool { return slices.Contains(b.callers, c) })
	}
	found := func(l *Loop, among []Loop) bool {
		return slices.ContainsFunc(among, func(o Loop) bool { return same(l, &o) })
	}
	rapid.Check(t, func(t *rapid.T) {
		before, after := Found{episodes: rapid.SliceOfN(episode, 0, 12).Draw(t, "before")}, Found{episodes: rapid.SliceOfN(episode, 0, 12).Draw(t, "after")}
		d := Compare("old", &before, &after)
		was, is := knownLoops(before.episodes), knownLoops(after.episodes)
		for what, list := range map[string][]Loop{"new": d.New, "the same": d.Same} {
			for _, l := range list {
				if found(&l, was) != (what == "the same") {
					t.Errorf("%+v is %s", l, what)
				}
			}
		}
		lost := 0
		for _, l := range was {
			if !found(&l, is) {
				lost++
			}
		}
		if len(d.Lost) != lost || len(d.New)+len(d.Same) != len(is) {
			t.Errorf("%d lost, want %d; %d new and %d the same of %d", len(d.Lost), lost, len(d.New), len(d.Same), len(is))
		}
	})
}
