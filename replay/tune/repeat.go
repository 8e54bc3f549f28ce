package tune

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// Repeat is one stretch of a key, a fingerprint in a scope, that came more than
// once: a loop, or an innocent repetition. Where a stretch ends says
// [window.Witness.Note]; it does after a pause longer than any setting looks
// back. It holds what is needed to say, of any setting, whether and when it
// would have fired.
type Repeat struct {
	Rule        *window.Rule
	Target      int // index of the swept rule
	Scope       []string
	Fingerprint fingerprint.Fingerprint

	First, Last int64 // microseconds
	Requests    int64
	Kind        window.Kind
	Evidence    string

	// Of the first request that repeated; empty if not logged.
	Session, Caller, Model, Conversation string

	method, path string
	excluded     bool  // an exclusion of the policy takes it out
	later        bool  // the key has come before, so that its first request repeats too
	number       int   // in the order in which they began
	place        int   // among the open ones
	ended        int64 // when its last request had come, and those that went over

	at    fingerprint.Position // of the last request
	kept  bool                 // that is the last of hits
	equal int64                // calls of a request beside one that is equal, and counted
	calls uint8                // which of the last ones are such, the very last in the lowest bit
	hits  []Hit
	rest  spending     // of the requests behind those
	rows  *window.Rows // of the counts of hits
	most  []uint8      // highest count by cell, of two or more
	top   uint8        // of these
	// By window, the highest threshold at which a tracker fired; nil unless the
	// rule has one.
	tracked []int32
	facts   *window.Facts
}

// The bounds of what is kept. Of a repeat that goes on for longer than keptHits
// those are kept besides that some cell counts higher than all before them: so
// it is known of every setting whether it fires and when. The others are taken
// to go on as it was.
const (
	keptHits   = 256     // of one repeat
	keptCounts = 1 << 25 // bytes, for those that have not ended
)

// defaultRepeats is how many repeats that have ended are kept one by one unless
// told otherwise.
const defaultRepeats = 1 << 17

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
	return window.NewSweep(c.plan, c.rules, window.SweepOptions{Windows: windows, Most: most, MaxKeys: maxKeys, Find: true, Witness: c.witness, InRow: longestDefault})
}

// note notes what a sweep has found.
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

// empty tells that all that repeats went over to the next stretch.
func (k *Repeat) empty() bool { return len(k.hits) == 0 && k.Requests < 2 }

// move takes the counts of a repeat to others.
func (k *Repeat) move(to *window.Rows) {
	if k.rows == to {
		return
	}
	for i := range k.hits {
		k.hits[i].row = to.Add(k.rows.At(k.hits[i].row))
	}
	k.rows = to
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
	facts := c.witness.Note(k.facts, r.Event, c.rules[r.Target], r.Fingerprint, r.Round)
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
	if r.Event.TokensIn >= 0 || r.Event.TokensOut >= 0 {
		h.Tokens = max(r.Event.TokensIn, 0) + max(r.Event.TokensOut, 0)
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

// begin opens a repeat.
func (c *collector) begin(r *window.Finding, facts *window.Facts) *Repeat {
	ev := r.Event
	k, hits, most := c.memory()
	*k = Repeat{
		Rule: c.plan.Rules[c.rules[r.Target]], Target: r.Target, Scope: append([]string{}, r.Scope.Values...), Fingerprint: *r.Fingerprint,
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

// counted notes the highest counts of the hits.
func (k *Repeat) counted() {
	k.most, k.top = k.most[:0], 0
	for i := range k.hits {
		row := k.hits[i].row
		if k.top = max(k.top, k.rows.Highest(row)); len(k.hits) == 1 {
			break
		}
		if i == 0 {
			k.most = append(k.most, k.rows.At(row)...)
			continue
		}
		window.Raise(k.most, k.rows.At(row))
	}
}

// again takes in another equal call of the last request, which fires if one of
// its calls does.
func (k *Repeat) again(counts []uint8, full bool) {
	k.equal, k.calls = k.equal+1, k.calls|1
	if !k.kept || full {
		return
	}
	last := &k.hits[len(k.hits)-1]
	highest := slices.Clone(k.rows.At(last.row))
	window.Raise(highest, counts)
	last.row = k.rows.Add(highest)
	if len(k.most) > 0 {
		window.Raise(k.most, counts)
	}
}

// raised tells whether some cell counts higher than at all hits, and takes the
// counts for those of another.
func (k *Repeat) raised(counts []uint8) (some bool) {
	if len(k.most) == 0 {
		k.counted()
	}
	for c, n := range counts {
		some = some || n > k.most[c]
	}
	if some {
		window.Raise(k.most, counts)
	}
	return some
}

// who is the session of a repeat, or, where the log names none, the
// conversation.
func (k *Repeat) who() string { return cmp.Or(k.Session, k.Conversation) }

// alone tells of a request of a key that came before, that nothing else of its
// stretch repeats: only that settings may fire on it makes it one of interest.
func (k *Repeat) alone() bool { return k.Requests == 1 }

// longest is the repeat of most requests among those of some targets and kinds,
// and how many they are.
func (r *Report) longest(among func(target int, kind window.Kind) bool) (longest *Repeat, n int64) {
	for a, t := range r.sums.tallies { // any order: a sum
		if !a.alone && among(a.target, a.kind) {
			n += int64(t.repeats)
		}
	}
	for _, k := range r.Repeats {
		if k.alone() || !among(k.Target, k.Kind) {
			continue
		}
		n++
		if longest == nil || k.Requests > longest.Requests {
			longest = k
		}
	}
	return longest, n
}

// count is what a cell counted at a hit.
func (k *Repeat) count(hit, cell int) int { return int(k.rows.At(k.hits[hit].row)[cell]) }

// firing is what one setting would have done with a repeat.
type firing struct {
	hit   int      // the first that fired
	after int64    // requests that fired after the first
	spent spending // by those
}

// spending adds up what requests used.
type spending struct {
	tokens int64
	cost   window.USD
}

func (s *spending) add(h *Hit) {
	s.tokens += max(h.Tokens, 0)
	s.cost = s.cost.Plus(h.Cost) // what is not known adds nothing
}

// fires says what a cell at a threshold would have done.
func (k *Repeat) fires(cell, threshold int) (f firing, fired bool) {
	f.hit = -1
	if k.Highest(cell) < threshold {
		return f, false
	}
	var late int64
	from, to := k.late()
	for i := range k.hits {
		if k.count(i, cell) < threshold {
			continue
		}
		if from <= i && i < to {
			late++
		}
		if f.hit < 0 {
			f.hit = i
			continue
		}
		f.after++
		f.spent.add(&k.hits[i])
	}
	if f.hit < 0 {
		return f, false
	}
	rest := k.restOf(late)
	f.after += rest
	if rest > 0 {
		share := float64(rest) / float64(k.Rest())
		f.spent.tokens += int64(math.Round(share * float64(k.rest.tokens)))
		f.spent.cost += window.USD(math.Round(share * float64(k.rest.cost)))
	}
	return f, true
}

// late are the hits by which it went on: the later half of those that are kept
// whatever they count. At the beginning of a loop no setting fires yet.
func (k *Repeat) late() (from, to int) {
	to = min(len(k.hits), keptHits)
	return to / 2, to
}

// restOf is how many of the requests that are not kept fire where so many of the
// late hits do: the same share.
func (k *Repeat) restOf(late int64) int64 {
	from, to := k.late()
	return k.Rest() * late / int64(to-from)
}

// Rest is how many requests of the repeat are not kept as hits: it is taken to
// have gone on as it was.
func (k *Repeat) Rest() int64 {
	rest := k.Requests - int64(len(k.hits)) - k.equal
	if !k.later {
		rest--
	}
	return rest
}

// ID tells the repeat from all others, and is the same in every run.
func (k *Repeat) ID() string {
	return window.RepeatID(k.Rule, k.Scope, &k.Fingerprint, k.First)
}
