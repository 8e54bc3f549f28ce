package window

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"hash/maphash"
	"math"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// ExtractOptions say how requests become events.
type ExtractOptions struct {
	Key            []byte // of the fingerprints and hashed ids; nil for none
	Texts          bool   // keep the canonical texts of calls, which people and models wrote
	HashIDs        bool   // write sessions, users and callers as hashes
	EventTimeStart bool   // order and count by the start of a request, not its end
	// Sessions are the places that may name a session, the first that says
	// something counts: LogSession, or attributes. Nil is LogSession alone.
	Sessions []string
	// Price gives the price of a model where the log has no cost; nil for none.
	// It must be safe for use by several goroutines.
	Price func(model string) (p Price, ok bool)
}

// TimeOf is the time that a request is ordered and counted by.
func (o *ExtractOptions) TimeOf(r *fingerprint.Request) int64 {
	if r.End == fingerprint.NoTime || o.EventTimeStart {
		return r.Time
	}
	return r.End
}

// Extractor turns requests into events. One goroutine uses it at a time.
type Extractor struct {
	plan   *Plan
	o      ExtractOptions
	writer *fingerprint.Writer
	names  map[string]string // texts that come again and again, once each
	recent recent
	hashed map[string]string // with --hash-ids: what stands for a text
	mac    hash.Hash
	values []fingerprint.ScopeValue
	said   []byte // of the latest user message
	wanted []bool // by identity: some rule looks at the request
	scoped []bool // by scope, likewise

	block   *Slabs // that is filled
	*pieces        // of it
	ids     []byte // that strings share
}

// NewExtractor makes an Extractor for the plan's rules.
func (p *Plan) NewExtractor(o ExtractOptions) *Extractor {
	x := &Extractor{
		plan: p, o: o, writer: fingerprint.NewWriter(o.Key), names: map[string]string{}, hashed: map[string]string{},
		wanted: make([]bool, len(p.Identities)), scoped: make([]bool, len(p.Scopes)),
	}
	x.NewBlock(nil)
	x.writer.Keep = o.Texts
	x.mac = o.mac()
	return x
}

func (o *ExtractOptions) mac() hash.Hash {
	if len(o.Key) > 0 {
		return hmac.New(sha256.New, o.Key)
	}
	return sha256.New()
}

// NewBlock begins a block of events, in slabs that are spare if there are any.
func (x *Extractor) NewBlock(spare Spare) {
	x.block = spare.take()
	x.pieces = &x.block.pieces
}

// Add makes the next event of the block.
func (x *Extractor) Add(r *fingerprint.Request) {
	x.block.Events = append(x.block.Events, Event{})
	x.event(r, &x.block.Events[len(x.block.Events)-1])
}

// Block is what was added since NewBlock. Only now have its events their
// fingerprints: those of a block are hashed together, which takes less time
// than one by one.
func (x *Extractor) Block() *Slabs {
	x.writer.Flush()
	return x.block
}

// Event fills ev with what the plan's rules need of r.
func (x *Extractor) Event(r *fingerprint.Request, ev *Event) {
	x.event(r, ev)
	x.writer.Flush()
}

// event is Event without the fingerprints, which the Writer puts in place when
// it is flushed.
func (x *Extractor) event(r *fingerprint.Request, ev *Event) {
	x.writer.Reset()
	x.o.nameSession(r)
	*ev = Event{
		Time: x.o.TimeOf(r), Start: r.Time, Again: r.Again, Position: r.Position,
		ID: x.text(r.ID), Method: x.again(&x.recent.method, r.Method), Path: x.again(&x.recent.path, r.Path), Caller: x.caller(r),
		User: x.person(r.User), Session: x.person(r.Session), Model: x.again(&x.recent.model, r.Model), Backend: x.again(&x.recent.backend, r.Backend),
		Status: r.Status, TokensIn: r.TokensIn, TokensOut: r.TokensOut, Cost: r.Cost,
		Stream: r.Stream, Cached: r.Cached, MaxTokens: r.MaxTokens,
		Span: spanOf(r),
	}
	if len(r.Response) > 0 {
		ev.Response = textHash(string(r.Session)+" "+string(r.Response)) | 1
	}
	if x.o.Price != nil {
		ev.setPrice(x.o.Price, r.TokensCached)
	}
	for i := range x.plan.Exclusions {
		if x.plan.Exclusions[i].Match(r) {
			ev.Exclude, ev.Link.Issues = i+1, issues(r)
			return
		}
	}
	x.choose(r, ev)
	x.fingerprint(r, ev)
	ev.Link, ev.Issued = x.link(r), r.ToolCallsLogged && len(r.ToolCalls) > 0
	ev.Answered = r.ToolCallsLogged && len(r.Error) == 0 && r.Status < 400
	x.scope(r, ev)
	x.hear(r, ev)
}

// hear reads the commands of the latest user message, if a rule that looks at
// the request lets sessions say something.
func (x *Extractor) hear(r *fingerprint.Request, ev *Event) {
	for i, rule := range x.plan.Rules {
		if rule.ChatOverrides && ev.Rules[i] != NotMatched {
			x.said = x.writer.AppendUserText(x.said[:0], r)
			ev.Chat = parseChat(x.said)
			return
		}
	}
}

// choose decides how each rule sees the request, and so which identities and
// scopes are worth computing.
func (x *Extractor) choose(r *fingerprint.Request, ev *Event) {
	clear(x.wanted)
	clear(x.scoped)
	x.choices = roomFor(x.choices, len(x.plan.Rules))
	n, some := len(x.choices), false
	for i, rule := range x.plan.Rules {
		c, computed := rule.choose(r, ev.Time)
		x.choices = append(x.choices, c)
		if computed {
			x.wanted[x.plan.identity[i]] = true
			x.scoped[x.plan.scope[i]] = true
			some = true
		}
	}
	if some { // what tells of kinds goes with any rule
		identities, scopes := x.plan.Own()
		for i := range x.wanted[identities:] {
			x.wanted[identities+i] = true
		}
		for i := range x.scoped[scopes:] {
			x.scoped[scopes+i] = true
		}
	}
	ev.Rules = x.choices[n:len(x.choices):len(x.choices)]
}

// choose tells how the rule sees a request of time t, and whether the event is
// to have its fingerprint: also where an override switches the rule off, so
// that a dataset can answer rules without it.
func (rule *Rule) choose(r *fingerprint.Request, t int64) (choice Choice, computed bool) {
	if rule.Match != nil && !rule.Match(r) {
		return NotMatched, false
	}
	for i := range rule.Overrides {
		o := &rule.Overrides[i]
		if !o.Until.IsZero() && t >= o.Until.UnixMicro() || o.Match != nil && !o.Match(r) {
			continue
		}
		return rule.seen(Choice(i))
	}
	return rule.seen(Plain)
}

// seen is the choice, or NotMatched if it switches the rule off and no session
// can switch it on.
func (rule *Rule) seen(choice Choice) (_ Choice, computed bool) {
	if !rule.ChatOverrides && rule.off(choice) {
		return NotMatched, !rule.Off
	}
	return choice, true
}

func (x *Extractor) fingerprint(r *fingerprint.Request, ev *Event) {
	x.prints = roomFor(x.prints, len(x.plan.Identities))
	n := len(x.prints)
	for i, id := range x.plan.Identities {
		x.prints = append(x.prints, Prints{})
		p := &x.prints[len(x.prints)-1] // in place: a copy waits until all of it is written
		if x.wanted[i] {
			p.Cause = id.Compute(r, x.writer)
			found := x.writer.Len()
			x.sums, x.tools = roomFor(x.sums, found), roomFor(x.tools, found)
			k, t, named := len(x.sums), len(x.tools), false
			x.sums = x.sums[:k+found]
			p.Fingerprints = x.sums[k:len(x.sums):len(x.sums)]
			for _, print := range x.writer.Take(p.Fingerprints) {
				x.tools = append(x.tools, x.tool(print.Tool))
				named = named || len(print.Tool) > 0
				if x.o.Texts && print.Tool != nil {
					p.Texts = append(p.Texts, cut(print.Canonical, maxText))
				}
			}
			if named {
				p.Tools = x.tools[t:len(x.tools):len(x.tools)]
			} else {
				x.tools = x.tools[:t]
			}
		}
	}
	ev.Prints = x.prints[n:len(x.prints):len(x.prints)]
}

// link is how r hangs together with others, as far as an identity that looks
// at results of calls was computed.
func (x *Extractor) link(r *fingerprint.Request) Link {
	l := Link{Answers: callHash(x.writer.Answered()), Issues: issues(r), Told: r.ToolCallsLogged || r.Status >= 400}
	if begin, size := x.writer.Retold(r); begin != nil {
		l.Begins, l.Size = uint32(callHash(begin)), uint32(min(size, math.MaxUint32))
	}
	return l
}

func issues(r *fingerprint.Request) uint64 {
	if len(r.ToolCalls) == 0 {
		return 0
	}
	return callHash(r.ToolCalls[0].ID)
}

var callSeed = maphash.MakeSeed()

func callHash(id []byte) uint64 {
	if len(id) == 0 {
		return 0
	}
	return maphash.Bytes(callSeed, id) | 1
}

func (x *Extractor) scope(r *fingerprint.Request, ev *Event) {
	x.scopes = roomFor(x.scopes, len(x.plan.Scopes))
	n := len(x.scopes)
	for i, s := range x.plan.Scopes {
		x.scopes = append(x.scopes, Scope{})
		if out := &x.scopes[len(x.scopes)-1]; x.scoped[i] {
			out.Key, x.values, out.Cause = s.Compute(r, x.writer, x.values[:0])
			x.seal(out)
			x.texts = roomFor(x.texts, len(x.values))
			k := len(x.texts)
			for f, v := range x.values {
				out.FellBack = out.FellBack || v.FellBack
				x.texts = append(x.texts, x.shown(s.Fields[f], v.Text))
			}
			out.Values = x.texts[k:len(x.texts):len(x.texts)]
		}
	}
	ev.Scopes = x.scopes[n:len(x.scopes):len(x.scopes)]
}

// seal hashes a scope's key with the secret key, if there is one: the key of a
// scope is a hash of its values, against which a guess could be checked, and it
// is written out, by itself and in the ids of episodes.
func (x *Extractor) seal(s *Scope) {
	if len(x.o.Key) == 0 || s.Cause != fingerprint.Computable {
		return
	}
	x.mac.Reset()
	x.mac.Write(s.Key[:])
	var sum [sha256.Size]byte
	copy(s.Key[:], x.mac.Sum(sum[:0]))
}
