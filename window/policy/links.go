package policy

import (
	"errors"

	"github.com/goccy/go-yaml/ast"

	"github.com/loopgauge/loopgauge/window/link"
)

// links reads the templates of URLs that alerts carry, in their order.
func (r *reader) links(n ast.Node, at place) (list []link.Link) {
	m, ok := asMapping(n)
	if !ok {
		r.problem(at, "must be a mapping of names to URLs, is %s", kindOf(n))
		return nil
	}
	names := map[string]bool{}
	for _, v := range m.Values {
		name := keyText(v.Key)
		here := placeOf(v.Value, at.path+"."+name)
		if names[name] {
			r.problem(placeOf(v.Key, at.path+"."+name), "is there twice")
			continue
		}
		names[name] = true
		var template string
		before := len(r.errors)
		r.text(&template)(v.Value, here)
		if len(r.errors) > before {
			continue
		}
		made, err := link.New(name, template)
		if wrong, ok := errors.AsType[*link.Error](err); ok {
			r.problem(here.inside(1, wrong.At+1), "%s", wrong.What)
			continue
		}
		list = append(list, made)
	}
	return list
}
