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

// price reads one price: of input and output, or one for both.
func (v Value) price() (p window.Price) {
	given := map[string]bool{}
	note := func(name string, to *float64) Member {
		return Member{name, func(v Value) {
			given[name] = true
			if decimal(to)(v); *to > mostPrice {
				v.problem("must be at most %.0f", mostPrice)
			}
		}}
	}
	var blended float64
	v.mapping([]Member{note("input", &p.Input), note("output", &p.Output), note("cached", &p.Cached), note("per_1k", &blended)})
	switch {
	case given["per_1k"] && len(given) > 1:
		v.problem("has per_1k, which is for all tokens: leave the others out")
	case given["per_1k"]:
		p = window.Price{Input: 1000 * blended, Cached: 1000 * blended, Output: 1000 * blended}
	case !given["cached"]:
		p.Cached = p.Input
	}
	return p
}
