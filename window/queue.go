package window

// queue is a first-in first-out list whose oldest item stands in the queue
// itself: most keys are hit once in their window and need no more. The others
// stand in chunks, which all queues of a counter draw from one pool, so a key
// hit a million times in its window costs 64 bytes for seven hits and gives
// them back as they leave.
type queue[T any] struct {
	oldest     T
	head, tail uint32 // chunks, 0 if there are none
	n          uint32 // items, the oldest included
	skip       uint8  // items of the head chunk that have left
}

const chunkItems = 7

type chunk[T any] struct {
	items      [chunkItems]T
	prev, next uint32
}

// queues is the pool of chunks behind the queues of one counter.
type queues[T any] struct {
	chunks pool[chunk[T]]
}

func (p *queues[T]) push(q *queue[T], item T) {
	q.n++
	if q.n == 1 {
		q.oldest = item
		return
	}
	at := (uint32(q.skip) + q.n - 2) % chunkItems
	if at == 0 { // the tail is full, or there is none: skip is 0 then
		i := p.chunks.take()
		c := p.chunks.at(i)
		c.prev, c.next = q.tail, 0
		if q.tail != 0 {
			p.chunks.at(q.tail).next = i
		} else {
			q.head = i
		}
		q.tail = i
	}
	p.chunks.at(q.tail).items[at] = item
}

// pop drops the oldest item; there must be one.
func (p *queues[T]) pop(q *queue[T]) {
	q.n--
	if q.n == 0 {
		return
	}
	c := p.chunks.at(q.head)
	q.oldest = c.items[q.skip]
	q.skip++
	if q.n == 1 || q.skip == chunkItems {
		next := c.next
		p.chunks.give(q.head)
		q.head, q.skip = next, 0
		if next == 0 {
			q.tail = 0
		}
	}
}

func (p *queues[T]) clear(q *queue[T]) {
	for q.head != 0 {
		next := p.chunks.at(q.head).next
		p.chunks.give(q.head)
		q.head = next
	}
	*q = queue[T]{}
}

// newest returns the last item; there must be one.
func (p *queues[T]) newest(q *queue[T]) *T { return p.at(q, q.n-1) }

// at returns item i, from 0, the oldest. It walks from the nearer end.
func (p *queues[T]) at(q *queue[T], i uint32) *T {
	if i == 0 {
		return &q.oldest
	}
	i += uint32(q.skip) - 1 // counted from the start of the head chunk
	last := (uint32(q.skip) + q.n - 2) / chunkItems
	in := i / chunkItems
	var at uint32
	if in <= last/2 {
		for at = q.head; in > 0; in-- {
			at = p.chunks.at(at).next
		}
	} else {
		for at = q.tail; in < last; in++ {
			at = p.chunks.at(at).prev
		}
	}
	return &p.chunks.at(at).items[i%chunkItems]
}

// each calls f with every item, oldest first.
func (p *queues[T]) each(q *queue[T], f func(*T)) {
	if q.n == 0 {
		return
	}
	f(&q.oldest)
	at := q.head
	for i := range q.n - 1 {
		k := (uint32(q.skip) + i) % chunkItems
		if k == 0 && i > 0 {
			at = p.chunks.at(at).next
		}
		f(&p.chunks.at(at).items[k])
	}
}

// code codes the n items of a queue, an empty one where it reads.
func (p *queues[T]) code(c *coder, q *queue[T], n int, item func(*T)) {
	if !c.Reads() {
		p.each(q, item)
		return
	}
	for range n {
		var none T
		p.push(q, none)
		item(p.newest(q))
	}
}

// codeTimes codes the times of a queue whose key was touched at a time, which
// none of them is later than.
func codeTimes(c *coder, p *queues[int64], q *queue[int64], touched int64) {
	times := rising{key: touched}
	p.code(c, q, c.Items(int(q.n), 1), func(t *int64) { times.next(c, t) })
}
