package replay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// A Total has each loop once, those whose episodes come apart too, and holds
// few of them.
func TestTotal(t *testing.T) {
	rule := &window.Rule{Name: "r", Scope: &fingerprint.Scope{Fields: []string{"session"}}}
	var total Total
	const loops = 3 * mostUnsettled / 4
	for i := range int64(loops + 100) {
		for k, n := range []int64{i, i - 100} { // the second episode of a loop comes a hundred loops later
			if n < 0 || n >= loops {
				continue
			}
			at := 1000*n + int64(k)
			total.Add(&window.Episode{ID: fmt.Sprint(n, k), Rule: rule, Scope: []string{fmt.Sprint("s", n)}, First: at, Fired: at, Last: at + 1})
		}
		if n := len(total.episodes); n > mostUnsettled {
			t.Fatalf("%d episodes are held", n)
		}
	}
	if got, want := total.Text(false), fmt.Sprintf("%d,%03d loops: 0 requests after a rule had fired", loops/1000, loops%1000); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The last line is of all loops, however few of their episodes are listed, and
// what is said of those that are does not contradict it.
func TestSummaryOfSomeEpisodes(t *testing.T) {
	rule := &window.Rule{Name: "r", Scope: &fingerprint.Scope{Fields: []string{"session"}}}
	var total Total
	var listed []window.Episode
	for i := range 30 {
		e := window.Episode{Rule: rule, Scope: []string{fmt.Sprint("s", i)}}
		total.Add(&e)
		listed = append(listed, e)
	}
	s := Summary{Result: &Result{Report: Report{Rules: []window.RuleAccount{{Rule: rule, Episodes: 30}}}}, Episodes: listed[:25], Total: &total}
	var b strings.Builder
	s.loops(&b)
	for _, want := range []string{"of 30 episodes only the first 25 are listed here", "\nthe 20 costliest of 25 loops among these\n", "\n30 loops: "} {
		if got := b.String(); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
