package tune

import (
	"strconv"
	"testing"

	"github.com/loopgauge/loopgauge/window"
)

func TestExcess(t *testing.T) {
	f := func(wrong, normal, longWrong, long int, want string) {
		t.Helper()
		g := GatewayReport{
			Gateway: Gateway{Name: "zelyx", Rules: []*window.Rule{{Threshold: 100}, {Threshold: 10}}},
			Wrong:   wrong, Normal: normal, LongWrong: longWrong, Long: long,
		}
		if got := g.Excess(); got != want {
			t.Errorf("%d of %d, %d of %d:\n%s\nwant\n%s", wrong, normal, longWrong, long, got, want)
		}
	}
	f(0, 0, 0, 0, "")
	f(50, 100, 5, 10, "")
	f(9, 9, 9, 9, "")
	f(51, 100, 5, 10, "zelyx flags 51 of 100 conversations without a loop (51 %)")
	f(50, 100, 6, 10, "zelyx flags 50 of 100 conversations without a loop (50 %), and 6 of the 10 with 10 requests or more (60 %)")
}

// TestExclusionsAreFew: those that take out most are suggested, and what the
// others would take out is not taken for excluded.
func TestExclusionsAreFew(t *testing.T) {
	r := &Report{}
	for path := range 12 {
		for range path + 1 {
			r.Repeats = append(r.Repeats, &Repeat{Kind: window.Polling, Requests: 3, method: "GET", path: "/" + strconv.Itoa(path), facts: &window.Facts{Gets: 2}})
		}
	}
	loop := &Repeat{Kind: window.Stuck, Requests: 9, method: "GET", path: "/5"}
	r.Repeats = append(r.Repeats, loop)
	r.exclude()
	if len(r.Exclusions) != 10 || r.Spared != 2 {
		t.Fatalf("%d exclusions, %d spared", len(r.Exclusions), r.Spared)
	}
	for i, x := range r.Exclusions {
		path := 11 - i
		hides := 0
		if path == 5 {
			hides = 1
		}
		if x.Match != `method == "GET" && path == "/`+strconv.Itoa(path)+`"` || x.Mutes != path+1 || x.Hides != hides {
			t.Errorf("exclusion %d: %+v", i, x)
		}
	}
	for _, k := range r.Repeats {
		if want := k != loop && k.path != "/0" && k.path != "/1"; k.excluded != want {
			t.Errorf("%s %s: excluded %t", k.Kind, k.path, k.excluded)
		}
	}
}
