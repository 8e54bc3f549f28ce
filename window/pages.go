package window

// pageBits sizes a page at 256 elements: small enough that a rule with a
// handful of keys stays small, large enough that twenty million keys need
// under a hundred thousand allocations.
const pageBits = 8

// pages is a list that grows without moving what it holds, so that growing
// never needs the list twice and pointers into it stay good.
type pages[T any] struct {
	list [][]T
	n    uint32
}

func (p *pages[T]) at(i uint32) *T { return &p.list[i>>pageBits][i&(1<<pageBits-1)] }

// add makes room for one more and returns its index.
func (p *pages[T]) add() uint32 {
	i := p.n
	if i>>pageBits == uint32(len(p.list)) {
		p.list = append(p.list, make([]T, 1<<pageBits))
	}
	p.n++
	return i
}
