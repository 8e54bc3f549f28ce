package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// mostUnsettled is how many episodes a Total holds: in so many, one that
// belongs to a loop of others comes soon after them.
const mostUnsettled = 50_000

// Total adds up all loops of a run, of which memory could not hold every
// episode.
type Total struct {
	sum      waste
	episodes []window.Episode // of loops that are not in sum yet
}

// Add takes an episode in.
func (t *Total) Add(e *window.Episode) {
	if len(t.episodes) == mostUnsettled {
		t.settle(mostUnsettled / 2)
	}
	t.episodes = append(t.episodes, *e)
}

// settle adds up the loops that ended first, until no more than so many
// episodes are left.
func (t *Total) settle(left int) {
	loops := Loops(t.episodes)
	slices.SortStableFunc(loops, func(a, b Loop) int { return cmp.Compare(a.Last, b.Last) })
	n, over := len(t.episodes), 0
	for ; n > left; over++ {
		n -= len(loops[over].episodes)
	}
	t.sum.add(loops[:over])
	var rest []window.Episode
	for i := range loops[over:] {
		for _, e := range loops[over+i].episodes {
			rest = append(rest, *e)
		}
	}
	t.episodes = rest
}

// String tells what the loops went on to use after a rule had fired. It is
// called when all episodes have been added.
func (t *Total) String() string {
	t.settle(0)
	return t.sum.String()
}

// waste is what loops went on to use after they could have been known, as far
// as the log says.
type waste struct {
	loops, requests, tokens int64
	cost                    float64
	known                   int64   // loops of which the cost is known
	fastest                 float64 // the most that one of them costs an hour, 0 if none is known
}

func (w *waste) add(loops []Loop) {
	w.loops += int64(len(loops))
	for i := range loops {
		l := &loops[i]
		w.requests += l.After
		w.tokens += max(l.Tokens, 0)
		switch {
		case !math.IsNaN(l.Cost):
			w.cost += l.Cost
			w.known++
		case l.After == 0: // nothing is known to be nothing
			w.known++
		}
		if rate, ok := perHour(l.Cost, l.Last-l.Fired); ok {
			w.fastest = max(w.fastest, rate)
		}
	}
}

func (w *waste) String() string {
	spent := ""
	switch {
	case w.known == w.loops && w.cost > 0:
		spent = " and " + term.Money(w.cost)
	case w.cost > 0:
		spent = " and " + term.Money(max(w.cost, 0.01)) + " or more"
	case w.tokens > 0:
		spent = " and " + term.Plural(w.tokens, "token", "tokens")
	}
	if w.fastest > 0 {
		spent += fmt.Sprintf(", the dearest at %s an hour,", term.Money(w.fastest))
	}
	return fmt.Sprintf("%s: %s%s after a rule had fired", term.Plural(w.loops, "loop", "loops"), term.Plural(w.requests, "request", "requests"), spent)
}
