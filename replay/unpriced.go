package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// Unpriced is a model whose requests have tokens, and neither a cost in the log
// nor a price: what they cost is in no sum. A cost of 0 is none, where the model
// has no other: LiteLLM and Kong write it for a model whose price they do not know.
type Unpriced struct {
	Model    string `json:"model"` // empty if not logged
	Requests int64  `json:"requests"`
	Tokens   int64  `json:"tokens"`

	priced bool // others of the model have a price: a cost of 0 is one, as of what a cache answered
}

// unpriced counts them.
type unpriced struct {
	price  func(model string) (window.Price, bool) // of the policy, if it has any
	models map[string]*costs
	late   [16]*costs // those met of late: few models take turns
	priced bool       // some request has a cost
}

// costs is what is counted of a model.
type costs struct {
	model      string
	none, zero Unpriced // requests without a cost, and with one of 0
	priced     bool     // it has a cost, or a price of the policy
}

// maxUnpriced bounds the models that are told apart: clients write there what
// they like.
const maxUnpriced = 1000

func (u *unpriced) note(ev *window.Event) {
	u.priced = u.priced || ev.Cost > 0
	tokens, _ := ev.Tokens()
	none := ev.Unpriced() && tokens > 0 // one that failed used nothing
	if !none && !(ev.Cost > 0) && (tokens == 0 || ev.Cached == fingerprint.Yes) {
		return // it tells nothing of prices
	}
	m := &u.late[place(ev.Model)]
	if *m == nil || (*m).model != ev.Model {
		if *m = u.model(ev.Model); *m == nil {
			return
		}
	}
	switch {
	case none:
		(*m).none.count(tokens)
	case ev.Cost > 0:
		(*m).priced = true
	default:
		(*m).zero.count(tokens)
	}
}

func (m *Unpriced) count(tokens int64) {
	m.Requests++
	m.Tokens += tokens
}

// place is where a model stands among those met of late: their names differ in
// length, or at the end.
func place(model string) int {
	if model == "" {
		return 0
	}
	return (len(model) + int(model[len(model)-1])) % len(unpriced{}.late)
}

// model is what is counted of a model; nil if there are too many.
func (u *unpriced) model(name string) *costs {
	m := u.models[name]
	if m == nil && len(u.models) < maxUnpriced {
		m = &costs{model: name}
		if u.price != nil {
			_, m.priced = u.price(name)
		}
		u.models[name] = m
	}
	return m
}

// list has the models with most tokens first. It is nil where nothing has a
// cost: then none is missing.
func (u *unpriced) list() []Unpriced {
	if !u.priced {
		return nil
	}
	var list []Unpriced
	for m := range maps.Values(u.models) { // any order: sorted below
		one := m.none
		if !m.priced {
			one.Requests += m.zero.Requests
			one.Tokens += m.zero.Tokens
		}
		if one.Requests > 0 {
			one.Model, one.priced = m.model, m.priced
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b Unpriced) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Model, b.Model))
	})
	return list
}

// NoPrice tells that a cost of 0 says nothing of a request of the model.
func (r *Result) NoPrice(model string) bool {
	return slices.ContainsFunc(r.Unpriced, func(u Unpriced) bool { return u.Model == model && !u.priced })
}

// someNoPrice tells that this is so of some model.
func (r *Result) someNoPrice() bool {
	return slices.ContainsFunc(r.Unpriced, func(u Unpriced) bool { return !u.priced })
}

// shownUnpriced is how many of them a summary names.
const shownUnpriced = 5

// UnpricedLine says for a terminal what [UnpricedText] does, and what to do about it.
func UnpricedLine(list []Unpriced) string {
	text := UnpricedText(list)
	if text == "" {
		return ""
	}
	return Wrapped(text+"; give them one under prices: of the policy (docs/policy.md#prices)") + "\n"
}

// UnpricedText says which models have no price, empty if all have one.
func UnpricedText(list []Unpriced) string {
	if len(list) == 0 {
		return ""
	}
	var names []string
	for _, m := range list[:min(len(list), shownUnpriced)] {
		names = append(names, fmt.Sprintf("%s (%s, %s)", term.Shorten(term.Safe(cmp.Or(m.Model, "no model")), 40),
			term.Plural(m.Requests, "request", "requests"), term.Plural(m.Tokens, "token", "tokens")))
	}
	if more := len(list) - shownUnpriced; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return "without a price, and in no sum: " + strings.Join(names, ", ")
}
