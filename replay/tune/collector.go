package tune

import (
	"cmp"
	"math/bits"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// fewHits is how many hits most repeats have at most. Those of a repeat are kept
// however many counts there are.
const fewHits = 3

// othersHad is how long after a repeat it is known whether others had errors at
// the same time.
const othersHad = 2 * 60_000_000

// repeatsAtOnce are given their memory together.
const repeatsAtOnce = 64

// collector notes what repeats in a pass, until it has ended.
type collector struct {
	plan    *window.Plan
	rules   []int // of the plan, by target
	cells   int
	rows    *window.Rows // counts
	tight   int          // bytes of counts that are too many
	open    []*Repeat    // in no order
	byKey   [][]*Repeat  // the open ones, by target and number of their key; nil of none
	over    []*Repeat    // that have ended, in order
	begun   int
	latest  int64
	unused  []Repeat  // memory for those to come
	few     []Hit     // likewise
	freed   []*Repeat // likewise
	witness *window.Witness
	told    *told // nil if nobody asks
	reached reached
}

func newCollector(plan *window.Plan, rules []int, cells int, witness *window.Witness) *collector {
	return &collector{
		plan: plan, rules: rules, cells: cells, rows: window.NewRows(cells), tight: keptCounts / 2, witness: witness,
		byKey: make([][]*Repeat, len(rules)),
	}
}

// sweep counts the rules, and finds what is to be noted.
func (c *collector) sweep(windows []time.Duration, most, maxKeys int) *window.Sweep {
	return window.NewSweep(c.plan, c.rules, window.SweepOptions{Windows: windows, Most: most, MaxKeys: maxKeys, Witness: c.witness, InRow: longestDefault})
}

func (c *collector) note(found []window.Finding) {
	for i := range found {
		switch f := &found[i]; f.What {
		case window.Hears:
			c.witness.Hear(f.Event, c.rules[f.Target])
		case window.Gone:
			open := &c.byKey[f.Target][f.Key]
			c.end(*open)
			*open = nil
		case window.Repeats:
			c.repeat(f)
		}
	}
}

// of is the open repeat of the key that f is of.
func (c *collector) of(f *window.Finding) **Repeat {
	keys := &c.byKey[f.Target]
	for int(f.Key) >= len(*keys) {
		*keys = append(*keys, nil)
	}
	return &(*keys)[f.Key]
}

// end ends a repeat: no more requests are to come.
func (c *collector) end(k *Repeat) {
	last := c.open[len(c.open)-1]
	c.open[k.place], last.place = last, k.place
	c.open = c.open[:len(c.open)-1]
	k.ended = c.latest
	k.facts.End()
	c.over = append(c.over, k)
}

// endedAtOnce is how many have ended when they are taken away, mostEnded how many
// wait for what others had at the same time: of more, it is not known of the first.
const (
	endedAtOnce = 256
	mostEnded   = 1 << 18
)

// ended takes repeats away that have ended, if there are enough.
func (c *collector) ended() (list []*Repeat) {
	if len(c.over) < endedAtOnce {
		return nil
	}
	known, _ := slices.BinarySearchFunc(c.over, c.latest-othersHad, func(k *Repeat, time int64) int { return cmp.Compare(k.ended, time) })
	known = max(known, len(c.over)-mostEnded)
	list, c.over = slices.Clone(c.over[:known]), slices.Delete(c.over, 0, known)
	if c.rows.Bytes() >= c.tight {
		c.rows = window.NewRows(c.cells)
		for _, k := range slices.Concat(c.over, c.open) {
			k.move(c.rows)
		}
		c.tight = max(keptCounts/2, 2*c.rows.Bytes())
	}
	return list
}

// free forgets a repeat but for its memory.
func (c *collector) free(k *Repeat) {
	hits := k.hits[:0]
	if cap(hits) > mostFreed {
		hits = nil
	}
	*k = Repeat{hits: hits, most: k.most[:0]}
	c.freed = append(c.freed, k)
}

// mostFreed bounds the hits whose memory waits for those of another repeat.
const mostFreed = 16

func (c *collector) repeat(r *window.Finding) {
	if c.told != nil {
		c.told.repeat(r, whoseIs(r.Event, c.witness))
	}
	if c.reached != nil {
		c.reached.note(r, conversationOf(whoseIs(r.Event, c.witness)))
	}
	k := *c.of(r)
	if k == nil {
		k = c.begin(r, c.witness.Begin(r.First))
	}
	facts := c.witness.Note(k.facts, r.Event, c.rules[r.Target], c.print(r), r.Round)
	if facts != k.facts {
		k = c.part(k, r, facts)
	}
	k.calls <<= 1
	k.Last, c.latest = r.Event.Time, r.Event.Time
	k.Requests = facts.Requests
	k.method, k.path = r.Event.Method, r.Event.Path
	if k.tracked == nil {
		k.tracked = slices.Clone(r.Tracked)
	}
	for w, threshold := range r.Tracked {
		k.tracked[w] = max(k.tracked[w], threshold)
	}
	full := len(k.hits) >= fewHits && c.rows.Bytes() >= keptCounts
	if k.at == r.Event.Position && len(k.hits) > 0 {
		k.again(r.Counts, full)
		return
	}
	k.at = r.Event.Position
	h := Hit{Time: r.Event.Time, Tokens: fingerprint.Unknown, Cost: r.Event.Cost, Status: int32(r.Event.Status)}
	if tokens, known := r.Event.Tokens(); known {
		h.Tokens = tokens
	}
	if k.kept = !full && (len(k.hits) < keptHits || k.raised(r.Counts)); !k.kept {
		k.rest.add(&h)
		return
	}
	h.row = c.rows.Add(r.Counts)
	if cap(k.hits) == 0 {
		if len(c.few) == 0 {
			c.few = make([]Hit, fewHits*repeatsAtOnce)
		}
		k.hits, c.few = c.few[:0:fewHits], c.few[fewHits:]
	}
	k.hits = append(k.hits, h)
}

func (c *collector) print(f *window.Finding) *fingerprint.Fingerprint {
	return &f.Event.Prints[c.plan.IdentityOf(c.rules[f.Target])].Fingerprints[f.Print]
}

func (c *collector) begin(r *window.Finding, facts *window.Facts) *Repeat {
	ev, rule := r.Event, c.rules[r.Target]
	k, hits, most := c.memory()
	*k = Repeat{
		Rule: c.plan.Rules[rule], Target: r.Target, Scope: append([]string{}, ev.Scopes[c.plan.ScopeOf(rule)].Values...), Fingerprint: *c.print(r),
		First: facts.First, Session: ev.Session, Caller: ev.Caller, Model: ev.Model, Conversation: c.witness.Conversation(ev), rows: c.rows, facts: facts, hits: hits, most: most,
		number: c.begun, place: len(c.open),
	}
	*c.of(r) = k
	c.begun++
	c.open = append(c.open, k)
	return k
}

// memory is that of a new repeat, with what one before it left. What is new is
// not looked at: a page that is read first is made twice.
func (c *collector) memory() (k *Repeat, hits []Hit, most []uint8) {
	if last := len(c.freed) - 1; last >= 0 {
		k, c.freed = c.freed[last], c.freed[:last]
		return k, k.hits[:0], k.most[:0]
	}
	if len(c.unused) == 0 {
		c.unused = make([]Repeat, repeatsAtOnce)
	}
	k, c.unused = &c.unused[0], c.unused[1:]
	return k, nil, nil
}

// part ends a repeat where another stretch begins, and gives that its hits.
func (c *collector) part(k *Repeat, r *window.Finding, facts *window.Facts) *Repeat {
	next := c.begin(r, facts)
	next.later = true
	c.end(k)
	over := facts.Requests - 1 // calls that go over, besides the one at work: less than [window.LeastRepeats]
	equal := int64(bits.OnesCount8(k.calls & (1<<over - 1)))
	from := int64(len(k.hits)) + k.Rest() - (over - equal)
	k.Requests, k.equal, next.equal = k.Requests-over, k.equal-equal, equal
	if over == 0 || from >= int64(len(k.hits)) {
		return next
	}
	next.at, next.kept, next.calls = k.at, k.kept, k.calls // there may be more calls of the last one
	next.rest, k.rest, k.most = k.rest, spending{}, k.most[:0]
	next.hits, k.hits = append(next.hits, k.hits[from:]...), k.hits[:from]
	if k.Last = k.First; from > 0 {
		k.Last = k.hits[from-1].Time
	}
	return next
}
