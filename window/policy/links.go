package policy

import (
	"errors"

	"github.com/loopgauge/loopgauge/window/link"
)

// links reads the templates of URLs that alerts carry, in their order.
func (v Value) links() (list []link.Link) {
	if _, ok := asMapping(v.node); !ok {
		v.problem("must be a mapping of names to URLs, is %s", kindOf(v.node))
		return nil
	}
	v.Members(func(name string, v Value) {
		template, ok := v.textOf()
		if !ok {
			return
		}
		made, err := link.New(name, template)
		if wrong, ok := errors.AsType[*link.Error](err); ok {
			v.r.problem(v.at.inside(1, wrong.At+1), "%s", wrong.What)
			return
		}
		list = append(list, made)
	})
	return list
}
