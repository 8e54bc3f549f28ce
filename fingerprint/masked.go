package fingerprint

import "bytes"

// Masked is how often a mask replaced text in one canonical form.
type Masked struct {
	Name string
	N    int
}

// Masked tells, for each fingerprint of r in order, how often each mask of the
// identity replaced something. It is for explaining one request: it computes
// everything twice.
func (id *Identity) Masked(r *Request) [][]Masked {
	// The placeholders that the text had of itself are in both forms.
	with, without := NewWriter(nil), NewWriter(nil)
	with.Keep, without.Keep = true, true
	bare := *id
	bare.rules.mask = nil
	id.Compute(r, with)
	bare.Compute(r, without)
	all := make([][]Masked, len(with.prints))
	for i, p := range with.prints {
		for _, m := range id.rules.mask {
			n := bytes.Count(p.Canonical, []byte(m.placeholder))
			if i < len(without.prints) {
				n -= bytes.Count(without.prints[i].Canonical, []byte(m.placeholder))
			}
			all[i] = append(all[i], Masked{m.Name, n})
		}
	}
	return all
}
