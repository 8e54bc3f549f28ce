package window

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Kept says what there is of requests that were made into events and thrown
// away.
type Kept struct {
	Plan   *Plan // that made the events
	Hashed bool  // sessions and users are hashes
}

// keptFields are the fields of a request that an event keeps as they are. A
// caller may be hashed, a cost may be by a price.
var keptFields = []string{"id", "method", "path", "model", "backend", "status", "tokens_in", "tokens_out", "max_tokens", "stream", "cached", "time"}

// Lack says why the events cannot answer a rule, empty if they can. Windows,
// thresholds, counters, cooldowns and actions may be any; identity and scope
// must have been computed for every request that the rule looks at, and which
// those are must be known without the requests.
func (k Kept) Lack(r *Rule) string {
	if id := "identity " + r.Identity.Name; !k.has(r, func(have *Rule) bool { return have.Identity.Same(r.Identity) }) {
		switch {
		case slices.ContainsFunc(k.Plan.Identities, r.Identity.Same):
			return id + " of every request: only rules with a match have it"
		case slices.ContainsFunc(k.Plan.Identities, func(have *fingerprint.Identity) bool { return have.Name == r.Identity.Name }):
			return id + " with the same options"
		}
		return id
	}
	if scope := fmt.Sprintf("scope [%s]", strings.Join(r.Scope.Fields, ", ")); !k.has(r, func(have *Rule) bool { return have.Scope.Same(r.Scope) }) {
		if slices.ContainsFunc(k.Plan.Scopes, r.Scope.Same) {
			return scope + " of every request: only rules with a match have it"
		}
		return scope
	}
	if r.ChatOverrides {
		return "what users say to the gateway (chat_overrides), which only the log has"
	}
	if k.like(r) < 0 {
		return k.lost("match and overrides", r.Fields)
	}
	return ""
}

// LackExclusion says why the events cannot tell what an exclusion takes out.
func (k Kept) LackExclusion(x *Exclusion) string { return k.lost("match", x.Fields) }

func (k Kept) lost(what string, fields []string) string {
	for _, f := range fields {
		if !slices.Contains(keptFields, f) && (k.Hashed || f != "session" && f != "user") {
			return fmt.Sprintf("%s as logged, which its %s look at", f, what)
		}
	}
	return ""
}

// Answers says where a plan finds what it needs in kept events.
type Answers struct {
	Identities []int // by identity: its index in the plan that made the events
	Scopes     []int // by scope, likewise
	Rules      []int // by rule: the one that sees every request as it does; -1 if Choose is to tell

	plan    *Plan
	looks   bool
	request fingerprint.Request
}

// Answers finds what want needs. Every rule and exclusion of want must be
// without a Lack.
func (k Kept) Answers(want *Plan) *Answers {
	a := &Answers{plan: want}
	for _, id := range want.Identities {
		a.Identities = append(a.Identities, slices.IndexFunc(k.Plan.Identities, id.Same))
	}
	for _, s := range want.Scopes {
		a.Scopes = append(a.Scopes, slices.IndexFunc(k.Plan.Scopes, s.Same))
	}
	for _, r := range want.Rules {
		like := -1
		if !r.plain() {
			like = k.like(r)
			a.looks = a.looks || like < 0
		}
		a.Rules = append(a.Rules, like)
	}
	a.looks = a.looks || slices.ContainsFunc(want.Exclusions, func(x Exclusion) bool { return x.Match != nil })
	return a
}

// Looks tells whether Choose looks at the events at all: some rule or exclusion
// has a match that the events are to answer.
func (a *Answers) Looks() bool { return a.looks }

// Choose decides, from the fields that the event keeps, whether an exclusion
// takes it out, and how the rules see it whose choices are not kept. An
// exclusion without a Match has done its work.
func (a *Answers) Choose(ev *Event) {
	r := &a.request
	if a.looks {
		r.Reset()
		r.Time = ev.Start
		r.ID, r.Method, r.Path, r.User, r.Session = bytesOf(ev.ID), bytesOf(ev.Method), bytesOf(ev.Path), bytesOf(ev.User), bytesOf(ev.Session)
		r.Model, r.Backend, r.Status = bytesOf(ev.Model), bytesOf(ev.Backend), ev.Status
		r.TokensIn, r.TokensOut, r.MaxTokens, r.Stream, r.Cached = ev.TokensIn, ev.TokensOut, ev.MaxTokens, ev.Stream, ev.Cached
	}
	ev.Exclude = 0
	for i := range a.plan.Exclusions {
		if x := &a.plan.Exclusions[i]; x.Match != nil && x.Match(r) {
			ev.Exclude = i + 1
			return
		}
	}
	for i, rule := range a.plan.Rules {
		switch {
		case a.Rules[i] >= 0:
		case !a.looks: // the rule is plain
			ev.Rules[i] = Plain
		default:
			ev.Rules[i], _ = rule.choose(r, ev.Time)
		}
	}
}

// bytesOf is a text as bytes that nobody may change.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// has tells whether some rule that was computed for all the requests r looks at
// has a property.
func (k Kept) has(r *Rule, property func(*Rule) bool) bool {
	return slices.ContainsFunc(k.Plan.Rules, func(have *Rule) bool {
		return (have.computedForAll() || have.Selection == r.Selection && r.Selection != "") && property(have)
	})
}

// like is a rule that sees every request as r does, -1 if there is none.
func (k Kept) like(r *Rule) int {
	return slices.IndexFunc(k.Plan.Rules, func(have *Rule) bool { return have.Selection == r.Selection && r.Selection != "" })
}

// plain tells that the rule is Plain to every request.
func (rule *Rule) plain() bool { return rule.Match == nil && !rule.Off && len(rule.Overrides) == 0 }

// computedForAll tells that every event has the rule's fingerprint.
func (rule *Rule) computedForAll() bool { return rule.Match == nil && !rule.Off }
