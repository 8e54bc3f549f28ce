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

// After takes a request in that came after a rule had fired, as
// window.EngineOptions.After has it. Rules of several scopes may see it in loops
// of their own, so that the loops do not add up.
func (t *Total) After(ev *window.Event) { t.sum.after.Count(ev) }

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
	for _, l := range loops[over:] {
		for _, e := range l.episodes {
			rest = append(rest, *e)
		}
	}
	t.episodes = rest
}

// Text tells what the loops went on to use after a rule had fired, where some models
// may have no price. It is called when all episodes have been added.
func (t *Total) Text(unpriced bool) string {
	t.settle(0)
	return t.sum.text(unpriced)
}

// spends tells whether the log says what loops used after a rule had fired.
func (t *Total) spends() bool { return t.sum.after.Tokens > 0 || t.sum.after.Cost > 0 }

// isOf tells whether the requests after a rule had fired are what those of these
// loops add up to.
func (t *Total) isOf(loops []Loop) bool {
	var after int64
	for i := range loops {
		after += loops[i].After
	}
	return after == t.sum.after.Requests
}

// waste is what loops went on to use after they could have been known, as far
// as the log says.
type waste struct {
	loops   int64
	after   window.Spent
	known   int64   // loops of which the cost is known
	free    int64   // of those, loops that are [Loop.free]
	fastest float64 // the most that one of a minute or more costs an hour, 0 if none is known
}

// leastPace is how long a loop must have gone on, in microseconds, to tell what it
// costs an hour: a burst goes on for no hour.
const leastPace = 60_000_000

func (w *waste) add(loops []Loop) {
	w.loops += int64(len(loops))
	for i := range loops {
		l := &loops[i]
		if !math.IsNaN(l.Cost) || l.After == 0 { // nothing is known to be nothing
			w.known++
		}
		if l.free() {
			w.free++
		}
		if rate, ok := perHour(l.Cost, l.Last-l.Fired); ok && l.Last-l.Fired >= leastPace {
			w.fastest = max(w.fastest, rate)
		}
	}
}

func (w *waste) text(unpriced bool) string {
	spent, cost := "", w.after.Cost.Dollars()
	tokens := term.Plural(w.after.Tokens, "token", "tokens")
	switch {
	case cost > 0:
		if w.after.Tokens > 0 { // some cost may be 0 only because nobody knows the price
			spent = ", " + tokens
		}
		if w.known == w.loops && (w.free == 0 || !unpriced) {
			spent += " and " + term.Money(cost)
		} else {
			spent += " and " + term.Money(max(cost, 0.01)) + " or more"
		}
	case w.after.Tokens > 0:
		spent = " and " + tokens
	}
	text := fmt.Sprintf("%s: %s%s after a rule had fired", term.Plural(w.loops, "loop", "loops"), term.Plural(w.after.Requests, "request", "requests"), spent)
	if w.fastest > 0 {
		text += fmt.Sprintf("; the dearest of a minute or more cost %s an hour", term.Money(w.fastest))
	}
	return text
}
