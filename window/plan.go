package window

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Exclusion takes requests out of the judging altogether.
type Exclusion struct {
	Name   string
	Text   string // what Match was made of
	Match  func(*fingerprint.Request) bool
	Reads  fingerprint.Field
	Fields []string // that Match looks at, as expressions name them
}

// Plan is what a set of rules needs of a request. Rules that share an identity
// or a scope share its computation.
type Plan struct {
	Rules      []*Rule
	Exclusions []Exclusion
	Identities []*fingerprint.Identity
	Scopes     []*fingerprint.Scope
	Reads      fingerprint.Field

	identity []int // by rule: index into Identities
	scope    []int // by rule: index into Scopes
	evidence bool  // see WithEvidence
	own      [2]int
}

// NewPlan plans the extraction for rules. Identities are shared where they are
// the same, scopes where the field lists are equal.
func NewPlan(rules []*Rule, exclusions []Exclusion) *Plan {
	p := &Plan{Rules: rules, Exclusions: exclusions}
	for _, r := range rules {
		i := slices.IndexFunc(p.Identities, r.Identity.Same)
		if i < 0 {
			i = len(p.Identities)
			p.Identities = append(p.Identities, r.Identity)
		}
		s := slices.IndexFunc(p.Scopes, r.Scope.Same)
		if s < 0 {
			s = len(p.Scopes)
			p.Scopes = append(p.Scopes, r.Scope)
		}
		p.identity, p.scope = append(p.identity, i), append(p.scope, s)
		p.Reads |= r.Identity.Reads | r.Scope.Reads | r.Reads
		if r.ChatOverrides {
			p.Reads |= fingerprint.ReadsMessages
		}
	}
	for _, x := range exclusions {
		p.Reads |= x.Reads
	}
	p.own = [2]int{len(p.Identities), len(p.Scopes)}
	return p
}

// IdentityOf is the index in Identities of a rule's identity.
func (p *Plan) IdentityOf(rule int) int { return p.identity[rule] }

// ScopeOf is the index in Scopes of a rule's scope.
func (p *Plan) ScopeOf(rule int) int { return p.scope[rule] }

// Own is how many identities and scopes the rules have: the first ones of
// Identities and Scopes. What follows tells of kinds.
func (p *Plan) Own() (identities, scopes int) { return p.own[0], p.own[1] }
