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
// often and then catches most, then each that catches enough that none before it
// does, as far as the budget allows them together.
func (r *Report) recommend() {
	var order []int
	caught := make([]map[string]bool, len(r.Advice))
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
	seen := map[string]bool{}
	cost := alerts{fired: map[string][]stretch{}}
	for _, i := range order {
		a := &r.Advice[i]
		if len(r.Recommended) > 0 && beyond(caught[i], seen) < enoughMore(seen) || !cost.admit(r, a) {
			continue
		}
		r.Recommended = append(r.Recommended, i)
		maps.Copy(seen, caught[i])
	}
	r.dropCovered(caught)
	r.passOver(order, caught, seen)
	r.passOverDear(seen)
}

// beyond is how many there are that were not seen.
func beyond(who, seen map[string]bool) (n int) {
	for w := range who { // any order: a count
		if !seen[w] {
			n++
		}
	}
	return n
}

// enoughMore is how many more conversations make a rule worth having beside those
// that find loops in so many.
func enoughMore(seen map[string]bool) int { return max(leastMore, len(seen)/10) }

// dropCovered takes out what came first for being wrong least often, and finds
// nothing that those after it do not.
func (r *Report) dropCovered(caught []map[string]bool) {
	for i := 0; i < len(r.Recommended); {
		others := slices.Delete(slices.Clone(r.Recommended), i, i+1)
		alone := func(who string) bool {
			return !slices.ContainsFunc(others, func(other int) bool { return caught[other][who] })
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
func (r *Report) caught(a *Advice) map[string]bool {
	who := map[string]bool{}
	for _, k := range r.Repeats {
		if k.Target == a.Target && r.Options.Labels.isLoop(k) && k.Highest(a.Cell) >= a.Threshold {
			who[k.whose().String()] = true
		}
	}
	for w := range r.sums.caught(a) {
		who[w.String()] = true
	}
	return who
}
