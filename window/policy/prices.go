package policy

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/loopgauge/loopgauge/window"
)

func (r *reader) prices(n ast.Node, at place, d *draft) {
	m, ok := asMapping(n)
	if !ok {
		r.problem(at, "must be a mapping of models to {input, output, cached} or {per_1k}, is %s", kindOf(n))
		return
	}
	for _, v := range m.Values {
		model := keyText(v.Key)
		here := placeOf(v.Value, at.path+"."+model)
		p := r.price(v.Value, here)
		if _, twice := d.prices[model]; twice {
			r.problem(placeOf(v.Key, at.path+"."+model), "is there twice")
			continue
		}
		d.prices[model] = p
	}
}

// mostPrice is beyond what a million tokens cost in any money, and far from
// overflow.
const mostPrice = 1e12

// price reads one price: of input and output, or one for both.
func (r *reader) price(n ast.Node, at place) (p window.Price) {
	given := map[string]bool{}
	note := func(name string, to *float64) field {
		return field{name, func(n ast.Node, at place) {
			given[name] = true
			if r.number(to)(n, at); *to > mostPrice {
				r.problem(at, "must be at most %.0f", mostPrice)
			}
		}}
	}
	var blended float64
	r.mapping(n, at, []field{note("input", &p.Input), note("output", &p.Output), note("cached", &p.Cached), note("per_1k", &blended)})
	switch {
	case given["per_1k"] && len(given) > 1:
		r.problem(at, "has per_1k, which is for all tokens: leave the others out")
	case given["per_1k"]:
		p = window.Price{Input: 1000 * blended, Cached: 1000 * blended, Output: 1000 * blended}
	case !given["cached"]:
		p.Cached = p.Input
	}
	return p
}
