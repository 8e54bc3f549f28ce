package window

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Episode is one loop as one rule saw it: its firings on one scope and
// fingerprint with no pause longer than the quiet time.
type Episode struct {
	ID          string // ep- and 16 hex digits; the same in every run over the same requests
	Rule        *Rule
	Scope       []string // one value per field of the rule's scope
	Fingerprint fingerprint.Fingerprint

	First int64 // time of the oldest request counted when the rule fired, microseconds
	Fired int64 // time of the first firing
	Last  int64 // time of the last firing

	Requests int64 // counted when the rule fired first, and all firings after
	After    Spent // by the requests after the first firing that fired too
	MaxCount int   // highest count; 0 if nothing was counted

	Statuses []StatusCount // of the requests that fired, by status; -1 is not logged

	// Of the request that fired first; empty if not logged. Tool names the tool
	// that was called, or those, where the rule looks at calls.
	Model, Caller, User, Session, Backend, Tool, Method, Path string
	Text                                                      string // of the call; empty unless asked for

	Limit int // threshold in force when it fired first

	// What kind of repeat it is, as far as it is known, and why; empty without
	// evidence: see Plan.WithEvidence.
	Kind     Kind
	Evidence string

	last  fingerprint.Position // of the request that fired last
	facts *Facts               // of the stretch in which it fired last, as far as it repeated; nil without evidence
	own   contribution         // to its loop
}

// StatusCount is how many requests ended with a status.
type StatusCount struct {
	Status int
	N      int64
}

// episodes are the open episodes of one rule.
type episodes struct {
	rule *Rule
	open *table[pairKey, Episode]

	// When each scope fired last, and before; where one scope is for all, each
	// fingerprint, which is a loop of its own there. Nil unless asked for.
	loops *table[pairKey, firings]

	// Of the last firing, if there was any: the request, the episode in which
	// that fired first, whether the firing opened its own or came after another of
	// its loop, and what it added to the loop.
	any           bool
	at            fingerprint.Position
	in            pairKey
	opened, after bool
	added         contribution
}

// firings are those of the last two requests in which a loop fired. With calls side
// by side one may fire more than once, and none of that is after the rest of it.
type firings struct{ last, before firing }

// firing is when a loop fired, if it did, and in which request.
type firing struct {
	any  bool
	time int64
	at   fingerprint.Position
}

func newEpisodes(rule *Rule, keys int, closed func(*Episode)) *episodes {
	return &episodes{rule: rule, open: newTable[pairKey](rule.quiet().Microseconds(), keys, closed)}
}

// tellAfter has after tell. Where the quiet time is shorter than what is counted, an
// episode may begin before the one that is over ended, and is of its loop.
func (e *episodes) tellAfter(keys int) {
	idle := max(e.rule.quiet(), e.rule.longest()).Microseconds()
	if e.rule.Counter.Window == 0 {
		idle = -1
	}
	e.loops = newTable[pairKey, firings](idle, keys, nil)
}

// fired adds a firing and returns its episode. A request may fire more than
// once, with parallel calls that are equal; its tokens, cost and status are
// added once.
func (e *episodes) fired(ev *Event, scope *Scope, h *Hit, n Count, tool, text string) *Episode {
	key := pairKeyOf(h)
	ep := e.open.touch(key, ev.Time)
	opened := ep.Rule == nil
	e.opened = opened
	if !e.any || e.at != ev.Position {
		e.any, e.at, e.in = true, ev.Position, key
	}
	// With calls side by side, a request of which another episode of the loop
	// has heard. In one scope for all each fingerprint is a loop of its own.
	shared := e.in != key && len(e.rule.Scope.Fields) > 0
	if opened {
		*ep = Episode{
			ID: EpisodeID(e.rule, &h.Scope, &h.Print, h.Time), Rule: e.rule, Scope: slices.Clone(scope.Values), Fingerprint: h.Print,
			First: n.First, Fired: ev.Time, Requests: int64(max(n.N, 1)),
			Model: ev.Model, Caller: ev.Caller, User: ev.User, Session: ev.Session, Backend: ev.Backend,
			Tool: tool, Text: text, Method: ev.Method, Path: ev.Path, Limit: h.Limit,
		}
	} else {
		ep.Requests++
	}
	ep.Last = ev.Time
	ep.MaxCount = max(ep.MaxCount, n.N)
	again := !opened && ep.last == ev.Position
	e.after = !opened && !again
	if e.loops != nil {
		place := key
		if len(e.rule.Scope.Fields) > 0 {
			place = pairKey{scope: h.Scope}
		}
		f := e.loops.touch(place, ev.Time)
		if !f.last.any || f.last.at != ev.Position {
			*f = firings{firing{true, ev.Time, ev.Position}, f.last}
		}
		e.after = e.after || opened && f.before.any && f.before.time >= ep.First
	}
	used := spentOf(ev)
	e.added = contribution{}
	if !shared {
		e.added = contributionOf(used, ep.Requests, opened, again)
		ep.own.add(e.added)
	}
	if again {
		return ep
	}
	ep.last = ev.Position
	ep.status(ev.Status)
	if !opened {
		ep.After.add(used)
	}
	return ep
}

func (ep *Episode) status(status int) {
	i, ok := slices.BinarySearchFunc(ep.Statuses, status, func(s StatusCount, status int) int { return cmp.Compare(s.Status, status) })
	if !ok {
		ep.Statuses = slices.Insert(ep.Statuses, i, StatusCount{Status: status})
	}
	ep.Statuses[i].N++
}

// EpisodeID is made of what the episode is, so that every run over the same requests
// gives the same one: of its rule, scope and fingerprint, and when it first fired.
func EpisodeID(rule *Rule, scope *fingerprint.ScopeKey, print *fingerprint.Fingerprint, fired int64) string {
	sum := sha256.New()
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], uint64(len(rule.Name)))
	sum.Write(number[:])
	sum.Write([]byte(rule.Name))
	sum.Write(scope[:])
	sum.Write(print.Bytes())
	binary.BigEndian.PutUint64(number[:], uint64(fired))
	sum.Write(number[:])
	return "ep-" + hex.EncodeToString(sum.Sum(nil)[:8])
}

// An episode is touched when it fires.
func (e *episodes) code(c *coder) {
	var read Episode
	e.open.code(c, 50, func(k *pairKey) {
		if c.scope(&k.scope); c.Reads() {
			read = Episode{}
			read.code(c)
			k.print = printKeyOf(&read.Fingerprint)
		}
	}, func(ep *Episode, touched int64) {
		if !c.Reads() {
			ep.code(c)
			return
		}
		*ep = read
		ep.Rule, ep.Last = e.rule, touched
	})
}

// codeOwn codes what the open episodes have added to their loops, where it reads
// when they are there, but for the first, if there is no room for so many.
func (e *episodes) codeOwn(c *coder, version uint64) {
	list := e.all()
	gone := c.Items(len(list), 3) - len(list)
	for range gone {
		new(contribution).code(c.Codec, version)
	}
	for _, ep := range list[max(0, -gone):] {
		ep.own.code(c.Codec, version)
	}
}

func (ep *Episode) texts() [9]*string {
	return [...]*string{&ep.Model, &ep.Caller, &ep.User, &ep.Session, &ep.Backend, &ep.Tool, &ep.Method, &ep.Path, &ep.Text}
}

// all are the open episodes by their last firing.
func (e *episodes) all() (list []*Episode) {
	for entry := range e.open.all() {
		list = append(list, &entry.state)
	}
	return list
}
