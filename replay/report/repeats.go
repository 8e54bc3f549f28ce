package report

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/window"
)

// rawRepeat is a repeat as JSON: an array, in the order in which page.js takes it
// apart.
type rawRepeat = json.RawMessage

// restOfRepeats counts repeats that the page had no room for.
type restOfRepeats struct {
	Rule  int     `json:"rule"`
	Kind  int     `json:"kind"`
	Cells [][]int `json:"cells"` // by cell and threshold: how many fire
}

// turnsOfRecommended is how many repeats of a recommended rule are listed for
// one of another: they are what the page is opened for.
const turnsOfRecommended = 30

// repeats lists as many as there is room for, loops first and then the long
// ones, of each rule in turn: the loops of one could leave no room for what
// another fires on. It adds up the rest.
func (b *builder) repeats(room int) {
	r := b.r
	type ranked struct {
		k    *tune.Repeat
		id   string // a hash: what is left out is left out all over the time
		loop int
		turn int // its place among those of its rule
	}
	list := make([]ranked, len(r.Repeats))
	for i, k := range r.Repeats {
		list[i] = ranked{k: k, id: k.ID()}
		if r.Class(k) == tune.Loop {
			list[i].loop = 1
		}
	}
	slices.SortStableFunc(list, func(x, y ranked) int {
		return cmp.Or(cmp.Compare(y.loop, x.loop), cmp.Compare(y.k.Requests, x.k.Requests), cmp.Compare(x.id, y.id))
	})
	turns := map[[2]int]int{}
	for i := range list {
		key := [2]int{list[i].k.Target, list[i].loop}
		list[i].turn = turns[key]
		turns[key]++
		if slices.Contains(r.Recommended, key[0]) {
			list[i].turn /= turnsOfRecommended
		}
	}
	slices.SortStableFunc(list, func(x, y ranked) int {
		return cmp.Or(cmp.Compare(y.loop, x.loop), cmp.Compare(x.turn, y.turn))
	})
	i := 0
	for ; i < len(list) && b.size < room; i++ {
		one := b.repeat(list[i].k)
		b.size += len(one) + 1
		b.p.Repeats = append(b.p.Repeats, one)
	}
	rest := map[[2]int]int{} // index into Rest
	of := func(target int, kind window.Kind) *restOfRepeats {
		key := [2]int{target, slices.Index(window.Kinds, kind)}
		at, known := rest[key]
		if !known {
			at = len(b.p.Rest)
			rest[key] = at
			b.p.Rest = append(b.p.Rest, restOfRepeats{Rule: target, Kind: key[1], Cells: make([][]int, len(r.Cells))})
		}
		return &b.p.Rest[at]
	}
	for _, x := range list[i:] {
		for c := range r.Cells {
			of(x.k.Target, x.k.Kind).fire(c, b.p.Thresholds, x.k.Highest(c), 1)
		}
	}
	for s := range r.Sums {
		for c := range r.Cells {
			for count, n := range s.Highest(c) {
				of(s.Target, s.Kind).fire(c, b.p.Thresholds, count, n)
			}
		}
	}
}

// fire adds repeats whose highest count in a cell is that.
func (r *restOfRepeats) fire(cell int, thresholds []int, highest, repeats int) {
	for i, t := range thresholds {
		if t > highest {
			break
		}
		if i == len(r.Cells[cell]) {
			r.Cells[cell] = append(r.Cells[cell], 0)
		}
		r.Cells[cell][i] += repeats
	}
}

// repeat is one repeat: who and what, when each request came and what each
// cell counted at it.
func (b *builder) repeat(k *tune.Repeat) rawRepeat {
	hits := k.Hits()
	times, statuses := make([]int64, len(hits)), make([]int, len(hits))
	tokens, costs := make([]int64, len(hits)), make([]int64, len(hits)) // cost in millionths of a dollar
	before, someTokens, someCost := k.First/1000, false, false
	noPrice := b.r.Result.NoPrice(k.Model) && slices.ContainsFunc(hits, func(h tune.Hit) bool { return h.Tokens != 0 })
	for i, h := range hits {
		times[i] = h.Time/1000 - before
		before = h.Time / 1000
		statuses[i], tokens[i], costs[i] = int(h.Status), h.Tokens, -1
		someTokens = someTokens || h.Tokens >= 0
		if !math.IsNaN(h.Cost) {
			costs[i], someCost = int64(math.Round(1e6*h.Cost)), someCost || h.Cost > 0 || !noPrice
		}
	}
	if !someTokens {
		tokens = nil
	}
	if !someCost {
		costs = nil
	}
	counts := make([]int, len(b.r.Cells))
	for c := range counts {
		counts[c] = b.shared(b.counts, &b.p.Counts, countsText(k.Counts(c)))
	}
	row := b.shared(b.rows, &b.p.Rows, strings.Trim(jsonText(runs(counts)), "[]"))
	scope := make([]int, len(k.Scope))
	for i, v := range k.Scope {
		scope[i] = b.shown(v)
	}
	one := []any{
		k.Target, slices.Index(window.Kinds, k.Kind), k.First / 1000, k.Last / 1000, k.Requests, row, times, runs(statuses), tokens, costs,
		b.shown(k.ID()), b.shown(k.Fingerprint.String()), b.shown(k.Evidence), b.shown(k.Session), b.shown(k.Caller), b.shown(k.Model), scope, k.Rest(),
	}
	if k.Rest() > 0 {
		b.p.Longer++
		spent, cost := k.RestSpent()
		one = append(one, spent, math.Round(1e6*cost))
	}
	return rawRepeat(jsonText(one))
}

// countsText writes counts as steps from 1: "+" one up, "=" the same, "-" one
// down, "^" to the number that follows; a number behind the others says how
// often. "+3=" is 2 3 4 4.
func countsText(counts []uint8) string {
	var b strings.Builder
	at := 1
	for i := 0; i < len(counts); {
		sign, n := byte('^'), int(counts[i])
		switch n - at {
		case 1:
			sign = '+'
		case 0:
			sign = '='
		case -1:
			sign = '-'
		}
		i++
		b.WriteByte(sign)
		if sign == '^' {
			b.WriteString(strconv.Itoa(n))
			at = n
			continue
		}
		step := n - at
		at = n
		times := 1
		for i < len(counts) && int(counts[i])-at == step {
			at += step
			times++
			i++
		}
		if times > 1 {
			b.WriteString(strconv.Itoa(times))
		}
	}
	return b.String()
}

// runs writes values as value, times, value, times.
func runs(values []int) []int {
	list := []int{}
	for i, v := range values {
		if i > 0 && v == values[i-1] {
			list[len(list)-1]++
		} else {
			list = append(list, v, 1)
		}
	}
	return list
}
