package window

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// companions are the identities that tell more of the requests of another:
// what came of their calls, what they were answered, and what they said. One of
// each list does, the first if the rules have none. None masks what it is asked
// for; ids of calls say nothing.
var companions = [][]*fingerprint.Identity{
	{newCompanion("tool-call-result")},
	{newCompanion("tool-call"), newCompanion("tool-call-python")},
	{newCompanion("last-messages"), newCompanion("last-messages", "call_ids")},
}

func newCompanion(name string, mask ...string) *fingerprint.Identity {
	id, err := fingerprint.New(name, fingerprint.Options{Mask: mask})
	if err != nil {
		panic(err) // the names are ours
	}
	return id
}

// companion is the place in the plan of one of the list, -1 if it has none.
func (p *Plan) companion(list []*fingerprint.Identity) int {
	for _, id := range list {
		if i := slices.IndexFunc(p.Identities, id.Same); i >= 0 {
			return i
		}
	}
	return -1
}

var companionScope = func() *fingerprint.Scope {
	s, err := fingerprint.NewScope([]string{"conversation"})
	if err != nil {
		panic(err) // likewise
	}
	return s
}()

// WithEvidence is the plan with what tells the kind of a repeat besides: an
// Engine for it gathers evidence, and names the kind of each episode.
func (p *Plan) WithEvidence() *Plan {
	with := *p
	with.evidence = true
	with.Identities, with.Scopes = slices.Clone(p.Identities), slices.Clone(p.Scopes)
	for _, list := range companions {
		i := p.companion(list)
		if i < 0 {
			i = len(with.Identities)
			with.Identities = append(with.Identities, list[0])
		}
		with.Reads |= with.Identities[i].Reads
	}
	if p.conversation() < 0 {
		with.Scopes = append(with.Scopes, companionScope)
	}
	with.Reads |= companionScope.Reads
	return &with
}

// conversation is the place of the scope conversation in the plan, -1 if it has
// none.
func (p *Plan) conversation() int {
	return slices.IndexFunc(p.Scopes, companionScope.Same)
}
