package tune

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// Repeat is one key, a fingerprint in a scope, that came more than once
// without a pause longer than any setting looks back: a loop, or an innocent
// repetition. It holds what is needed to say, of any setting, whether and when
// it would have fired.
type Repeat struct {
	Rule        *window.Rule
	Target      int // index of the swept rule
	Scope       []string
	Fingerprint fingerprint.Fingerprint

	First, Last int64 // microseconds
	Requests    int64
	Kind        Kind
	Evidence    string

	// Of the first request that repeated; empty if not logged.
	Session, Caller, Model, Conversation string

	method, path string
	excluded     bool // a suggested exclusion takes it out

	hits   []Hit
	counts []uint8 // of hits[i] in cell c: i*cells + c
	most   []uint8 // highest count by cell
	// By window, the highest threshold at which a tracker fired; nil unless the
	// rule has one.
	tracked []int32
	facts   facts
}

// The bounds of what is kept. A loop that goes on for longer than keptHits has
// long been found by every setting; its later requests only add to the sums.
const (
	keptHits    = 256     // of one repeat
	keptRepeats = 1 << 17 // of all rules
	keptCounts  = 1 << 25 // bytes
)

// collector keeps the repeats of a pass.
type collector struct {
	plan    *window.Plan
	rules   []*window.Rule
	cells   int
	open    map[uint64]*Repeat
	all     []*Repeat
	counts  int   // bytes in use
	dropped int64 // repeats there was no room for

	results, answers, messages, conversation int // companions in the plan; -1 if there is none
}

func newCollector(plan *window.Plan, rules []*window.Rule, cells int) *collector {
	c := &collector{plan: plan, rules: rules, cells: cells, open: map[uint64]*Repeat{}}
	c.results = companion(plan, "tool-call-result")
	c.answers = companion(plan, "tool-call-python")
	c.messages = companion(plan, "last-messages")
	c.conversation = -1
	for i, s := range plan.Scopes {
		if len(s.Fields) == 1 && s.Fields[0] == "conversation" {
			c.conversation = i
		}
	}
	return c
}

// companion is the identity that tells more of the requests of another: the
// built-in one of that name, and not one that masks what it is asked for. -1 is
// none.
func companion(plan *window.Plan, name string) int {
	id, err := fingerprint.New(name, fingerprint.Options{})
	if err != nil {
		panic(err) // the names are ours
	}
	return slices.IndexFunc(plan.Identities, id.Same)
}

func (c *collector) repeat(r *window.Repeat) {
	k := c.open[r.Number]
	if k == nil {
		if len(c.all) >= keptRepeats {
			c.dropped++
			return
		}
		ev := r.Event
		k = &Repeat{
			Rule: c.rules[r.Target], Target: r.Target, Scope: append([]string{}, r.Scope.Values...), Fingerprint: r.Fingerprint,
			First: r.First, Requests: 1, Session: ev.Session, Caller: ev.Caller, Model: ev.Model, Conversation: c.conversationOf(ev),
		}
		c.open[r.Number] = k
		c.all = append(c.all, k)
	}
	k.Last = r.Event.Time
	k.Requests++
	c.note(k, r)
	if k.tracked == nil {
		k.tracked = slices.Clone(r.Tracked)
	}
	for w, threshold := range r.Tracked {
		k.tracked[w] = max(k.tracked[w], threshold)
	}
	if len(k.hits) == keptHits || c.counts >= keptCounts {
		return
	}
	h := Hit{Time: r.Event.Time, Tokens: fingerprint.Unknown, Cost: r.Event.Cost, Status: int32(r.Event.Status)}
	if r.Event.TokensIn >= 0 || r.Event.TokensOut >= 0 {
		h.Tokens = max(r.Event.TokensIn, 0) + max(r.Event.TokensOut, 0)
	}
	k.hits = append(k.hits, h)
	if k.most == nil {
		k.most = make([]uint8, c.cells)
	}
	for i, n := range r.Counts {
		n := uint8(min(n, math.MaxUint8))
		k.counts = append(k.counts, n)
		k.most[i] = max(k.most[i], n)
	}
	c.counts += c.cells
}

func (c *collector) ended(number uint64) { delete(c.open, number) }

// conversationOf names the conversation of an event, "" if it has none.
func (c *collector) conversationOf(ev *window.Event) string {
	if c.conversation < 0 || len(ev.Scopes[c.conversation].Values) == 0 {
		return "" // not computable, or no rule looks at the request
	}
	return ev.Scopes[c.conversation].Values[0]
}

// count is what a cell counted at a hit.
func (k *Repeat) count(hit, cell, cells int) int { return int(k.counts[hit*cells+cell]) }

// firing is what one setting would have done with a repeat.
type firing struct {
	hit      int // the first that fired
	requests int64
	after    int64 // requests that fired after the first
	tokens   int64 // of those
	cost     float64
}

// fires says what a cell at a threshold would have done.
func (k *Repeat) fires(cell, cells, threshold int) (f firing, fired bool) {
	f.hit = -1
	if k.Highest(cell) < threshold {
		return f, false
	}
	for i := range k.hits {
		if k.count(i, cell, cells) < threshold {
			continue
		}
		f.requests++
		if f.hit < 0 {
			f.hit = i
			continue
		}
		f.after++
		f.tokens += max(k.hits[i].Tokens, 0)
		if !math.IsNaN(k.hits[i].Cost) {
			f.cost += k.hits[i].Cost
		}
	}
	if f.hit < 0 {
		return f, false
	}
	if rest := k.Requests - 1 - int64(len(k.hits)); rest > 0 { // went on as it was
		f.requests += rest
		f.after += rest
	}
	return f, true
}

// ID tells the repeat from all others, and is the same in every run.
func (k *Repeat) ID() string {
	h := sha256.New()
	h.Write([]byte(k.Rule.Name))
	for _, s := range k.Scope {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	h.Write(k.Fingerprint.Bytes())
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(k.First)))
	return "lp-" + hex.EncodeToString(h.Sum(nil)[:8])
}
