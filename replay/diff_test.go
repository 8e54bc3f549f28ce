package replay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// What a policy finds beyond the episodes that are kept is neither new nor lost
// to the other, and one that began early and ended late is held against all.
func TestCompareMoreThanIsKept(t *testing.T) {
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
	for _, want := range []string{"\nlisted are the 20 costliest of each", "\ncompared are the loops that ended before 1970-01-01 00:01:39 UTC"} {
		if got := d.String(); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got, want := *d.Document().Until, "1970-01-01T00:01:39.999000Z"; got != want {
		t.Errorf("until %s, not %s", got, want)
	}

	if d := Compare("old", &before, &before); d.Until != 0 || len(d.Lost) > 0 || len(d.New) > 0 || d.Document().Until != nil || strings.Contains(d.String(), "listed") {
		t.Errorf("of few: %+v", d.Document())
	}
}

// TestCompareManyOfOne: a caller with all loops there are takes no longer than as
// many callers, be they one after the other, or one loop of as many sessions.
func TestCompareManyOfOne(t *testing.T) {
	rule := &window.Rule{Name: "r", Scope: &fingerprint.Scope{Fields: []string{"caller"}}}
	began := time.Now()
	for what, gap := range map[string]int64{"one after the other": 1000, "at once": 0} {
		var f Found
		for i := range int64(mostCompared) {
			f.Add(&window.Episode{Rule: rule, Scope: []string{"c"}, Caller: "c", Session: fmt.Sprint("s", i), First: gap * i, Fired: gap * i, Last: gap*i + 1})
		}
		want := mostCompared
		if gap == 0 {
			want = 1
		}
		if d := Compare("old", &f, &f); len(d.Same) != want || len(d.Lost) > 0 || len(d.New) > 0 {
			t.Errorf("%s: %d the same, %d lost, %d new", what, len(d.Same), len(d.Lost), len(d.New))
		}
	}
	if took := time.Since(began); took > 20*time.Second { // a minute where each is held against each
		t.Errorf("it took %s", took)
	}
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
	if d := Compare("old", &before, &after); len(d.Same) != 2 || len(d.Lost) != 1 || len(d.New) != 2 {
		t.Errorf("%d the same, %d lost, %d new", len(d.Same), len(d.Lost), len(d.New))
	}
}
