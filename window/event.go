package window

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Event is the compact form of one request: what the rules need of it, what
// an episode or a table reports of it, and no text that a person wrote.
type Event struct {
	Time     int64 // what it is ordered and counted by
	Start    int64 // of the request; fingerprint.NoTime if Time is all there is
	Again    int64 // how much later both may be as well, until the order knows; not saved, nor written
	Position fingerprint.Position

	// Strings are safe to write: callers are hashed or aliases.
	ID, Method, Path, Caller, User, Session, Model, Backend string

	Status    int     // -1 unknown
	TokensIn  int64   // -1 unknown
	TokensOut int64   // -1 unknown
	Cost      float64 // USD, NaN unknown
	Span      Span
	Response  uint64 // whose tokens and cost these are, if they are those of other events too; 0 if not
	Stream    fingerprint.Tri
	Cached    fingerprint.Tri
	MaxTokens int64 // -1 unknown
	Chat      *Chat // what its user message says to the gateway; nil if nothing
	Link      Link  // not saved, nor written
	Issued    bool  // the calls are those of the response: what came of them a later request tells
	Answered  bool  // the log has the response, and no error

	Prints []Prints // by identity, in the order of Plan.Identities
	Scopes []Scope  // by scope, in the order of Plan.Scopes
	Rules  []Choice // by rule
	// Exclude is 1 + the index of the exclusion that takes the request out,
	// 0 if none does.
	Exclude int

	Portion *Portion // of an event that several processes may judge; nil if it is judged in one
}

// Link is how a request hangs together with the one before it in its
// conversation: by the first call of a response, whose result the next carries, or
// by a user message that tells all that was said before. Calls are hashes of their
// ids, 0 where there is none.
type Link struct {
	Answers, Issues uint64
	Told            bool // the log says what the response calls, or there is none

	// Begins is a hash of how that message begins, and Size how long it is: see
	// fingerprint.Writer.Retold. Begins is 0 where it is none.
	Begins, Size uint32
}

// Portion is how an event that is spread over several processes stands in one
// of them: see [Plan.Spread].
type Portion struct {
	// Number is the event's own: the same in each process that sees it, and of
	// no other event.
	Number int64
	// Home says that this process is the one that stands for the event where
	// each is to be told once.
	Home bool
	// All are the choices of all rules, at home: of those that another process
	// judges Rules says that they do not match. Empty where Rules says all.
	All []Choice
}

// Before tells whether ev comes before o in the order in which events are judged.
func (ev *Event) Before(o *Event) bool {
	if ev.Time != o.Time { // mostly, and there is no more to fetch
		return ev.Time < o.Time
	}
	return ev.Position.Before(o.Position)
}

// Clone is an event that shares no slices with the one it was made of, and so
// may be kept.
func (ev *Event) Clone() *Event {
	one := *ev
	one.Prints, one.Scopes, one.Rules = slices.Clone(ev.Prints), slices.Clone(ev.Scopes), slices.Clone(ev.Rules)
	for i := range one.Prints {
		p := &one.Prints[i]
		p.Fingerprints, p.Tools, p.Texts = slices.Clone(p.Fingerprints), slices.Clone(p.Tools), slices.Clone(p.Texts)
	}
	for i := range one.Scopes {
		one.Scopes[i].Values = slices.Clone(one.Scopes[i].Values)
	}
	return &one
}

// Copy tells whether another process stands for the event.
func (ev *Event) Copy() bool { return ev.Portion != nil && !ev.Portion.Home }

// Elsewhere tells whether another process judges the event by a rule, which
// Rules says does not match.
func (ev *Event) Elsewhere(rule int) bool {
	p := ev.Portion
	if p == nil || ev.Rules[rule] != NotMatched {
		return false
	}
	return !p.Home || len(p.All) > 0 && p.All[rule] != NotMatched
}

// Prints are the fingerprints of one identity for one request, or the cause
// for which there are none.
type Prints struct {
	Cause        fingerprint.Cause
	Fingerprints []fingerprint.Fingerprint
	// Tools name what each of them calls; nil if the identity looks at no
	// calls.
	Tools []string
	// Texts are the canonical texts of the calls; nil unless asked for: see
	// ExtractOptions.Texts.
	Texts []string
}

// Text is the canonical text of fingerprint k, empty if it is not known.
func (p *Prints) Text(k int) string {
	if k < len(p.Texts) {
		return p.Texts[k]
	}
	return ""
}

// Name is the tool that fingerprint k calls, empty if none is known.
func (p *Prints) Name(k int) string {
	if k < len(p.Tools) {
		return p.Tools[k]
	}
	return ""
}

// calls is how many fingerprints are of a tool.
func (p *Prints) calls(tool string) (n int) {
	for k := range p.Fingerprints {
		if p.Name(k) == tool {
			n++
		}
	}
	return n
}

// Scope is the value of one scope for one request, or the cause for which
// there is none.
type Scope struct {
	Key      fingerprint.ScopeKey
	Values   []string // one per field, as they may be shown
	Cause    fingerprint.Cause
	FellBack bool // a conversation told by its beginning
}

// Choice says how a rule sees a request.
type Choice int16

const (
	NotMatched Choice = -2 // match is false, or an override disables the rule
	Plain      Choice = -1 // the rule as it is; 0 and up: that override
)
