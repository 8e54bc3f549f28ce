package window

import "slices"

// waiting are the events that an Order holds back: a heap with the one to be
// released next on top, and four below each. Their times stand here, side by
// side: behind a busy log more events wait than any cache holds, and to ask each
// for its time is to wait for it.
type waiting []held

type held struct {
	time int64 // of the event
	ev   *Event
}

func (h held) before(o held) bool {
	if h.time != o.time {
		return h.time < o.time
	}
	return h.ev.Position.Before(o.ev.Position)
}

func (w *waiting) push(ev *Event) {
	h := held{ev.Time, ev}
	*w = append(*w, h)
	list, at := *w, len(*w)-1
	for at > 0 {
		above := (at - 1) / 4
		if !h.before(list[above]) {
			break
		}
		list[at], at = list[above], above
	}
	list[at] = h
}

// pop takes the top off; there must be one.
func (w *waiting) pop() *Event {
	list, top := *w, (*w)[0].ev
	last := len(list) - 1
	h := list[last]
	list[last] = held{}
	list = list[:last]
	*w = list
	if last == 0 {
		return top
	}
	at := 0
	for first := 1; first < last; first = 4*at + 1 {
		least := first
		for below := first + 1; below < min(first+4, last); below++ {
			if list[below].before(list[least]) {
				least = below
			}
		}
		if !list[least].before(h) {
			break
		}
		list[at], at = list[least], least
	}
	list[at] = h
	return top
}

// sorted are the events in the order of their release. How they stand in the heap
// depends on how they came.
func (w waiting) sorted() []*Event {
	left, list := slices.Clone(w), make([]*Event, 0, len(w))
	for len(left) > 0 {
		list = append(list, left.pop())
	}
	return list
}
