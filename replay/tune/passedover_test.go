package tune

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// TestDear: where --budget has no room for the rule that finds the loops, what is
// recommended instead may find next to none, and that was not said. A loop is
// written as its session and how often it repeats, what is none with - before it, and
// the first rule is the good one.
func TestDear(t *testing.T) {
	scope, err := fingerprint.NewScope([]string{"session"})
	if err != nil {
		t.Fatal(err)
	}
	days, maxWrong := 1.0, 0.001
	f := func(what string, budget float64, good, other []string, want string, recommended ...int) {
		t.Helper()
		r := &Report{Cells: []window.SweepCell{{Kind: "streak", Window: time.Minute}}, Days: days}
		r.Options, r.Result = Options{Most: 40, MaxWrong: maxWrong, Budget: budget}, result(1000)
		r.Result.First, r.Result.Last = 0, 100
		for i, loops := range [][]string{good, other} {
			rule := *anyRule
			rule.Scope = scope
			rule.Name, rule.Counter = fmt.Sprintf("rule%d", i), window.CounterSpec{Kind: "streak", Window: time.Minute}
			var repeats []*Repeat
			for _, loop := range loops {
				loop, none := strings.CutPrefix(loop, "-")
				requests, err := strconv.Atoi(loop[1:])
				if err != nil {
					t.Fatal(err)
				}
				var counts []uint8
				for n := 2; n <= requests; n++ {
					counts = append(counts, uint8(n))
				}
				k := repeatOf(int64(requests), counts...)
				k.Rule, k.Target, k.Session, k.Scope = &rule, i, loop[:1], []string{loop[:1]}
				if none {
					k.Kind = window.Unknown
				}
				repeats = append(repeats, k)
			}
			r.Sweep = append(r.Sweep, sweptOnce(&rule, r.Options.Most, repeats)...)
			r.Repeats = append(r.Repeats, repeats...)
		}
		r.advise()
		if !slices.Equal(r.Recommended, recommended) {
			t.Errorf("%s: recommended are %v, want %v", what, r.Recommended, recommended)
		}
		if got := strings.Join(r.passes(), "\n"); got != want {
			t.Errorf("%s:\n%s, want\n%s", what, got, want)
		}
	}
	five := []string{"a4", "b4", "c4", "d4", "e4"}
	f("all is affordable", 5, five, []string{"a5"}, "", 0)
	f("the good rule has no setting", 2, five, []string{"y5"},
		"left out is rule0, 4 in 1m streak: it finds loops in 5 conversations more, but costs 5.0 alerts a day: raise --budget to have it", 1)
	f("it has one that finds next to nothing", 2, append(five, "f8"), nil,
		"left out is rule0, 4 in 1m streak: it finds loops in 5 conversations more, but costs 6.0 alerts a day: raise --budget to have it", 0)
	f("a threshold of its saves as much by fewer alerts", 1, []string{"a40", "b40", "c4"}, []string{"y5"},
		"left out is rule0, 7 in 1m streak: it finds loops in 2 conversations more, but costs 2.0 alerts a day: raise --budget to have it", 1)
	f("each is affordable, but not both", 5, []string{"a5", "b5", "c5"}, []string{"x5", "y5", "z5"},
		"left out is rule1, 4 in 1m streak: it finds loops in 3 conversations more, but costs 3.0 alerts a day: raise --budget to more than 6.0/day to have it", 0)
	f("nor would a budget do", 1, nil, []string{"y5", "z5"}, "")
	many := strings.Split(strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyzABCDEF", ""), "4 ")+"4", " ")
	f("what finds little is left out without a budget, too", 0, many, []string{"y4", "14", "24"},
		"left out is rule1, 4 in 1m streak: it finds loops in 2 conversations more, fewer than a tenth of what is recommended finds", 0)
	maxWrong = 0.02
	f("what is wrong as often as right would not be recommended", 2, []string{"a4", "b4", "c4", "-d4", "-e4", "-f4"}, []string{"y5"}, "", 1)
	f("what is right more often would", 2, []string{"a4", "b4", "c4", "-d4", "-e4"}, []string{"y5"},
		"left out is rule0, 4 in 1m streak: it finds loops in 3 conversations more, but costs 5.0 alerts a day: raise --budget to have it", 1)
	days = 10
	f("all came in the first 70 % of the time", 0.6, five, []string{"y5"},
		"left out is rule0, 4 in 1m streak: it finds loops in 5 conversations more, but costs 0.5 alerts a day: raise --budget to more than 0.7/day to have it", 1)
}
