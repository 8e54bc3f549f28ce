package tune

import (
	"cmp"
	"maps"
	"slices"
)

// leastMore is how many more conversations another rule must catch: each rule
// is one more to look after.
const leastMore = 2

// recommend picks the rules that are worth having: the one that is wrong least
// often and then catches most, then each that is worth having beside those before
// it, as far as the budget allows them together.
func (r *Report) recommend() {
	var order []int
	caught := make([]catch, len(r.Advice))
	for i := range r.Advice {
		if a := &r.Advice[i]; a.Found && !a.Outcome.outweighed() {
			order = append(order, i)
			caught[i] = r.caught(a)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &r.Advice[a], &r.Advice[b]
		return cmp.Or(cmp.Compare(x.Outcome.Wrong, y.Outcome.Wrong), cmp.Compare(len(caught[b]), len(caught[a])))
	})
	seen := catch{}
	cost := alerts{fired: map[string][]stretch{}}
	for _, i := range order {
		a := &r.Advice[i]
		if len(r.Recommended) > 0 && !caught[i].worth(seen) || !cost.admit(r, a) {
			continue
		}
		r.Recommended = append(r.Recommended, i)
		maps.Copy(seen, caught[i])
	}
	r.dropCovered(caught)
	r.passOver(order, caught, seen)
	r.passOverDear(seen)
}

// catch are conversations with a loop that is caught, and how many requests of theirs
// that saves: of what is no more than summed up none is known.
type catch map[string]int64

// beyond is how many conversations there are that were not seen, and what is saved
// in them.
func (c catch) beyond(seen catch) (more int, saved int64) {
	for who, requests := range c { // any order: sums
		if _, ok := seen[who]; !ok {
			more++
			saved += requests
		}
	}
	return more, saved
}

// worth tells that a rule is worth having beside those that catch what was seen: it
// finds loops in enough more conversations, or saves ten times as much there as those
// in all. One agent that nobody stopped may be most of what a log has of loops.
func (c catch) worth(seen catch) bool {
	more, saved := c.beyond(seen)
	_, all := seen.beyond(nil)
	known := !slices.Contains(slices.Collect(maps.Values(seen)), 0)
	return more >= max(leastMore, len(seen)/10) || known && saved > 10*all
}

// dropCovered takes out what came first for being wrong least often, and finds
// nothing that those after it do not.
func (r *Report) dropCovered(caught []catch) {
	for i := 0; i < len(r.Recommended); {
		others := slices.Delete(slices.Clone(r.Recommended), i, i+1)
		alone := func(who string) bool {
			return !slices.ContainsFunc(others, func(other int) bool {
				_, ok := caught[other][who]
				return ok
			})
		}
		if slices.ContainsFunc(slices.Collect(maps.Keys(caught[r.Recommended[i]])), alone) {
			i++
			continue
		}
		r.Recommended = others
	}
}

// caught are the conversations with a loop that an advice fires on; what has none
// is known by when it began, for other rules have other keys for it.
func (r *Report) caught(a *Advice) catch {
	who := catch{}
	for _, k := range r.Repeats {
		if k.Target != a.Target || !r.Options.Labels.isLoop(k) {
			continue
		}
		if f, fired := k.fires(a.Cell, a.Threshold); fired {
			who[k.whose().String()] += f.after + 1
		}
	}
	for w := range r.sums.caught(a) {
		who[w.String()] += 0
	}
	return who
}
