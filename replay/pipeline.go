package replay

import (
	"math"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
)

// Pipeline is the one way from what was read to verdicts and episodes: order,
// duplicates, exclusions, engine, and the account of every line. Replay drives
// it to the end of its streams, watch for ever. One goroutine drives it.
type Pipeline struct {
	Totals
	Order  *window.Order
	Seen   *window.Duplicates
	Engine *window.Engine

	Copies    Account // of the account: events that another process stands for
	Elsewhere []int64 // by rule: events judged that another process judges by it

	o             PipelineOptions
	err           error // first error of a sink
	lent          lent
	conversations *conversations // nil if no rule counts by session or conversation
}

// PipelineOptions say what a Pipeline judges, and who hears of it.
type PipelineOptions struct {
	Plan       *window.Plan
	Lateness   time.Duration // how far a stream may be out of order
	Duplicates time.Duration // horizon within which an id counts once; 0 judges all
	MaxKeys    int           // cap on live keys per rule, 0 for none

	Since, Until int64 // event times, microseconds: [Since, Until); fingerprint.NoTime is open

	// Sinks; nil where not wanted. They are called from one goroutine, in release
	// order, and must not keep what they are given.
	Event   func(*window.Event) error
	Exclude func(*window.Event) error // what the policy excludes, which has no fingerprints and scopes
	Verdict func(*window.Verdict) error
	Episode func(*window.Episode) error
	Skip    func(ingest.Skip)
	Fired   func(ep *window.Episode, f window.Firing) // as EngineOptions.Fired
	After   func(*window.Event)                       // as EngineOptions.After

	Hold int // for how many more events Event may look at one
	// Enforce is as EngineOptions.Enforce. With it verdicts and episodes are of what
	// the gateways would have seen, which may be later than the log has it.
	Enforce  bool
	Unjudged []bool // as EngineOptions.Unjudged
}

// Totals say what became of all that was read.
type Totals struct {
	Account  Account
	Excluded []int64 // by exclusion; the last is --since and --until

	First, Last int64   // event times of the first and last request judged; fingerprint.NoTime if none
	pauses      []pause // between them, in order
	FirstOut    int64   // likewise of those that --since and --until leave out
	LastOut     int64
	Skipped     []ingest.Skip // the first lines that could not be read; Account counts all

	Routed bool // some request judged says its method and path

	FarOff   int64                // of the late: no lateness would have saved them
	FirstFar fingerprint.Position // the first of them

	Links Links
}

// Report is what has become of all that was read, by rules and streams.
type Report struct {
	Totals
	Rules   []window.RuleAccount
	Streams []StreamResult
	Order   window.OrderStats
}

// Bytes are those of all streams.
func (r *Report) Bytes() (n int64) {
	for i := range r.Streams {
		n += r.Streams[i].Bytes
	}
	return n
}

// Report is that of all so far, but for the streams.
func (p *Pipeline) Report() Report {
	return Report{Totals: p.Totals, Rules: p.Accounts(), Order: p.Order.Stats()}
}

// maxSkipped is how many skipped lines are shown; all are counted.
const maxSkipped = 5

// NewPipeline makes a Pipeline.
func NewPipeline(o PipelineOptions) *Pipeline {
	p := &Pipeline{
		o: o, lent: lent{hold: int64(o.Hold)}, conversations: newConversations(o.Plan), Elsewhere: make([]int64, len(o.Plan.Rules)), Order: window.NewOrder(o.Lateness), Seen: window.NewDuplicates(o.Duplicates),
		Totals: Totals{First: fingerprint.NoTime, Last: fingerprint.NoTime, FirstOut: fingerprint.NoTime, LastOut: fingerprint.NoTime, Excluded: make([]int64, len(o.Plan.Exclusions)+1)},
	}
	eo := window.EngineOptions{MaxKeys: o.MaxKeys, Fired: o.Fired, After: o.After, Enforce: o.Enforce, Unjudged: o.Unjudged}
	if o.Verdict != nil {
		eo.Verdict = func(v *window.Verdict) { p.keep(o.Verdict(v)) }
	}
	if o.Episode != nil {
		eo.Episode = func(e *window.Episode) { p.keep(o.Episode(e)) }
	}
	p.Engine = window.NewEngine(o.Plan, eo)
	return p
}

func (p *Pipeline) keep(err error) {
	if p.err == nil {
		p.err = err
	}
}

// Err is the first error of a sink.
func (p *Pipeline) Err() error { return p.err }

// Take accounts for a batch and puts its events into the order. It releases the
// batch when they are judged.
func (p *Pipeline) Take(b *Batch) {
	a := &p.Account
	a.Lines += b.Tally.Lines
	a.Blank += b.Tally.Blank
	a.Malformed += b.Tally.Malformed
	for _, skip := range b.Skipped {
		if len(p.Skipped) < maxSkipped {
			p.Skipped = append(p.Skipped, skip)
		}
		p.skip(skip)
	}
	last, some := int64(math.MinInt64), false
	for i := range b.Events {
		before := p.Order.Stats().Overtaken
		if p.Order.Push(&b.Events[i]) {
			last, some = max(last, b.Events[i].Time), true
			continue
		}
		a.Late++
		at, why := b.Events[i].Position, tooLate
		switch {
		case p.Order.Stats().Overtaken > before:
			why = overtaken
		case p.Order.FarOff(&b.Events[i]):
			why = FarOff
			if p.FarOff++; p.FarOff == 1 {
				p.FirstFar = at
			}
		}
		p.skip(ingest.Skip{Stream: at.Stream, Line: at.Line, Why: why})
	}
	if some {
		p.lent.add(b.Slabs, last, a.Judged)
	} else { // maybe of a log in which nothing ever comes out of the order
		b.Release()
	}
}

// FarOff is why the order refuses a request whose time no lateness would reach.
const FarOff = "late: its time is far off, years behind its stream"

// tooLate and overtaken are why it refuses others.
const (
	tooLate   = "late: further behind its stream than the lateness"
	overtaken = "late: its stream was silent, and requests that come after it have been judged"
)

func (p *Pipeline) skip(s ingest.Skip) {
	if p.o.Skip != nil {
		p.o.Skip(s)
	}
}

// Release judges every event that no stream holds back any more.
func (p *Pipeline) Release() error {
	for ev := p.Order.Pop(); ev != nil; ev = p.Order.Pop() {
		p.judge(ev)
	}
	p.lent.released(p.Order.Released(), p.Account.Judged)
	return p.err
}

// judge shows an event to the rules, unless it is not to be counted. That it
// is a duplicate does not depend on what is asked for, so that events which
// were kept without their duplicates give the same account.
func (p *Pipeline) judge(ev *window.Event) {
	if p.Seen.Seen(ev) {
		p.count(ev, func(a *Account) *int64 { return &a.Duplicate })
		return
	}
	p.Seen.Spend(ev)
	switch {
	case ev.Exclude > 0:
		p.Account.Excluded++ // one process alone hears of it
		p.Excluded[ev.Exclude-1]++
		if p.conversations != nil && ev.Link.Issues != 0 { // its result may be in a request that is judged
			p.conversations.issued.add(ev.Link.Issues)
		}
		if p.o.Exclude != nil {
			p.keep(p.o.Exclude(ev))
		}
	case ev.Time < p.o.Since || p.o.Until != fingerprint.NoTime && ev.Time >= p.o.Until:
		p.Account.Excluded++
		p.Excluded[len(p.Excluded)-1]++
		if p.FirstOut == fingerprint.NoTime {
			p.FirstOut = ev.Time
		}
		p.LastOut = ev.Time
	default:
		p.count(ev, func(a *Account) *int64 { return &a.Judged })
		if ev.Portion != nil {
			for i := range p.Elsewhere {
				if ev.Elsewhere(i) {
					p.Elsewhere[i]++
				}
			}
		}
		p.judgedAt(ev.Time)
		p.Routed = p.Routed || ev.Method != "" && ev.Path != ""
		if p.o.Event != nil {
			p.keep(p.o.Event(ev))
		}
		if p.conversations != nil {
			p.conversations.note(ev, &p.Links)
		}
		p.Engine.Judge(ev)
	}
}

// count counts an event as one of those that of finds in an account.
func (p *Pipeline) count(ev *window.Event, of func(*Account) *int64) {
	*of(&p.Account)++
	if ev.Copy() {
		*of(&p.Copies)++
	}
}

// Close closes the open episodes, when the streams are at their end.
func (p *Pipeline) Close() error {
	p.Engine.Close()
	return p.err
}

// Accounts are what became of the requests, by rule.
func (p *Pipeline) Accounts() []window.RuleAccount { return p.Engine.Account() }

// Check says whether the accounts add up, with what waits in the order. That
// they do not is a bug.
func (p *Pipeline) Check() error {
	a := p.Account
	a.Lines -= int64(p.Order.Waiting())
	if err := a.Check(); err != nil {
		return err
	}
	return checkRules(a, p.Accounts())
}
