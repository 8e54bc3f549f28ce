package policy

import (
	"github.com/loopgauge/loopgauge/window"
)

func (v Value) prices(d *draft) {
	if _, ok := asMapping(v.node); !ok {
		v.problem("must be a mapping of models to {input, output, cached} or {per_1k}, is %s", kindOf(v.node))
		return
	}
	v.Members(func(model string, v Value) { d.prices[model] = v.price() })
}

// mostPrice is beyond what a million tokens cost in any money, and far from
// overflow.
const mostPrice = 1e12

// priceMembers are those of a price: of input and output, or one for both.
func priceMembers(p *window.Price, blended *float64) []entry {
	bounded := func(to *float64) form {
		f := decimal(to)
		return form{func(v Value) {
			if f.read(v); *to > mostPrice {
				v.problem("must be at most %.0f", mostPrice)
			}
		}, f.schema}
	}
	return []entry{
		{"input", bounded(&p.Input), ""},
		{"output", bounded(&p.Output), ""},
		{"cached", bounded(&p.Cached), ""},
		{"per_1k", bounded(blended), "USD per thousand tokens of any kind"},
	}
}

func (v Value) price() (p window.Price) {
	var blended float64
	v.mapping(priceMembers(&p, &blended))
	given := func(name string) bool { return v.r.given(v.at, name) }
	switch {
	case given("per_1k") && (given("input") || given("output") || given("cached")):
		v.problem("has per_1k, which is for all tokens: leave the others out")
	case given("per_1k"):
		p = window.Price{Input: 1000 * blended, Cached: 1000 * blended, Output: 1000 * blended}
	case !given("cached"):
		p.Cached = p.Input
	}
	return p
}
