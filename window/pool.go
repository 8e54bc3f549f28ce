package window

// pageBits sizes a page at 256 elements: small enough that a rule with a
// handful of keys stays small, large enough that twenty million keys need
// under a hundred thousand allocations.
const pageBits = 8

// pool is a list that grows without moving what it holds, so that growing
// never needs the list twice and pointers into it stay good, and whose elements
// are used again. Element 0 is none.
type pool[T any] struct {
	pages [][]T
	n     uint32 // elements that there have been
	free  []uint32
}

func (p *pool[T]) at(i uint32) *T { return &p.pages[i>>pageBits][i&(1<<pageBits-1)] }

// take makes room for one more, where another may have been, and returns its index.
func (p *pool[T]) take() (i uint32) {
	if last := len(p.free) - 1; last >= 0 {
		i, p.free = p.free[last], p.free[:last]
		return i
	}
	p.n++
	if p.n>>pageBits == uint32(len(p.pages)) {
		p.pages = append(p.pages, make([]T, 1<<pageBits))
	}
	return p.n
}

func (p *pool[T]) give(i uint32) { p.free = append(p.free, i) }

// live is how many are in use.
func (p *pool[T]) live() int { return int(p.n) - len(p.free) }
