package fingerprint

import "bytes"

// Masked is how often a mask replaced text in one canonical form.
type Masked struct {
	Name string
	N    int
}

// Masked tells, for each fingerprint of r in order, how often each mask of the
// identity replaced something. It is for explaining one request: it computes
// everything again.
func (id *Identity) Masked(r *Request) [][]Masked {
	marked, masks := *id, id.rules.mask
	marked.rules.mask = nil
	for _, m := range masks {
		k := *m
		k.placeholder = mark + m.placeholder
		marked.rules.mask = append(marked.rules.mask, &k)
	}
	w := NewWriter(nil)
	w.Keep = true
	marked.Compute(r, w)
	all := make([][]Masked, len(w.prints))
	for i, p := range w.prints {
		for k, m := range masks {
			all[i] = append(all[i], Masked{m.Name, bytes.Count(p.Canonical, []byte(marked.rules.mask[k].placeholder))})
		}
	}
	return all
}

// mark tells what a mask put into a text from what the text had of itself: it is
// no character, and in no text.
const mark = "\ufdd0"
