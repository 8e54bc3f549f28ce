package replay

import (
	"fmt"
	"strings"
	"testing"

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
