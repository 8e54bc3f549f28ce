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

// pool is a list whose elements are used again. Element 0 is none.
type pool[T any] struct {
	pages[T]
	free []uint32
}

func newPool[T any]() pool[T] {
	var p pool[T]
	p.add()
	return p
}

// take makes room for one more, where another may have been, and returns its index.
func (p *pool[T]) take() (i uint32) {
	last := len(p.free) - 1
	if last < 0 {
		return p.add()
	}
	i, p.free = p.free[last], p.free[:last]
	return i
}

func (p *pool[T]) give(i uint32) { p.free = append(p.free, i) }

// live is how many are in use.
func (p *pool[T]) live() int { return int(p.n) - 1 - len(p.free) }
