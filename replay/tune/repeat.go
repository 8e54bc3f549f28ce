package tune

import (
	"cmp"
	"math"
	"slices"

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
	of    *Repeat
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
	f.of, f.hit = k, -1
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

// RestSpent is what those used: tokens, and USD.
func (k *Repeat) RestSpent() (tokens int64, cost float64) {
	return k.rest.tokens, k.rest.cost.Dollars()
}

// ID tells the repeat from all others, and is the same in every run.
func (k *Repeat) ID() string {
	return window.RepeatID(k.Rule, k.Scope, &k.Fingerprint, k.First)
}
