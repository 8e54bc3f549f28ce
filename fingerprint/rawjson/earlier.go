package rawjson

import (
	"bytes"
	"slices"
)

// earlier are arrays that Elements has read, the latest first. A request of a
// conversation says again what the one before said, and those of one agent begin
// with the same prompt. As far as an array is the same text it has the same
// elements, and to compare is several times as quick as to look for them.
type earlier struct {
	arrays []*array
	missed int // arrays in a row that do not begin with one that is kept
}

// array is the beginning of an array, up to the end of an element.
type array struct {
	text     []byte // a copy: lines do not stay
	elements []span // that stand in it
}

type span struct{ from, to int }

const (
	// mostArrays is how many conversations that take turns are told apart.
	mostArrays = 8
	// leastArray is how long a text is at least of which an array is kept: in
	// less the elements are found before a copy is made.
	leastArray = 4 << 10
	// mostArray and mostElements are how much of an array is kept, in bytes and
	// elements.
	mostArray    = 256 << 10
	mostElements = 4 << 10
	// patience is how many arrays are kept though none of those before came
	// again, and of how many one is kept after that.
	patience = 16
)

// begins appends to list the elements with which text is known to begin, and
// returns where the last of them ends, 0 if there are none. What follows is to
// be added to a, unless it is nil.
func (e *earlier) begins(text []byte, list []Value) (_ []Value, end int, a *array) {
	if len(text) < leastArray {
		return list, 0, nil
	}
	var known []span
	k := slices.IndexFunc(e.arrays, func(a *array) bool { return a.startOf(text) })
	if k >= 0 {
		e.missed = 0
		known = e.arrays[k].elements
	} else if e.missed++; len(e.arrays) > 0 {
		known = e.arrays[0].common(text)
	}
	for _, at := range known {
		list = append(list, Value(text[at.from:at.to:at.to]))
		end = at.to
	}
	if k < 0 {
		if e.missed > patience && e.missed%patience > 0 {
			return list, end, nil
		}
		if len(e.arrays) < mostArrays {
			e.arrays = append(e.arrays, &array{})
		}
		k = len(e.arrays) - 1
		old := e.arrays[k]
		old.text, old.elements = append(old.text[:0], text[:end]...), append(old.elements[:0], known...)
	}
	a = e.arrays[k]
	copy(e.arrays[1:], e.arrays[:k])
	e.arrays[0] = a
	return list, end, a
}

// startOf tells whether text begins with all of a. The last element tells most
// of those that do not from it at once.
func (a *array) startOf(text []byte) bool {
	if n := len(a.elements); n > 0 && len(a.text) <= len(text) {
		last := a.elements[n-1].from
		return bytes.Equal(a.text[last:], text[last:len(a.text)]) && bytes.Equal(a.text[:last], text[:last])
	}
	return false
}

// common are the elements with which text begins too.
func (a *array) common(text []byte) []span {
	end := 0
	for i, at := range a.elements {
		if at.to > len(text) || !bytes.Equal(a.text[end:at.to], text[end:at.to]) {
			return a.elements[:i]
		}
		end = at.to
	}
	return a.elements
}

// add notes an element of text behind those that are known, if there is room.
func (a *array) add(text []byte, from, to int) {
	if to <= mostArray && len(a.elements) < mostElements {
		a.text = append(a.text, text[len(a.text):to]...)
		a.elements = append(a.elements, span{from, to})
	}
}
