package window

import (
	"bytes"
	"hash/maphash"
	"slices"
)

// Rows are counts by cell. They are numbered from 0 on, and each that is different
// is kept once: most have been seen before.
type Rows struct {
	cells  int
	n      uint32
	blocks [][]uint8    // behind the counts of each row stands the highest
	seed   maphash.Seed // decides where a row is found, never its number
	found  []uint32     // by hash: the number and one
}

// NewRows are rows of so many cells.
func NewRows(cells int) *Rows {
	return &Rows{cells: cells, seed: maphash.MakeSeed(), found: make([]uint32, 1<<rowsBits)}
}

const rowsBits = 10 // of a number tell the row in its block

// At is a row.
func (r *Rows) At(i uint32) []uint8 { return r.row(i)[:r.cells:r.cells] }

// Highest is the highest count of a row.
func (r *Rows) Highest(i uint32) uint8 { return r.row(i)[r.cells] }

// row is a row and the highest of it.
func (r *Rows) row(i uint32) []uint8 {
	from := int(i&(1<<rowsBits-1)) * (r.cells + 1)
	return r.blocks[i>>rowsBits][from : from+r.cells+1]
}

// Add returns the number of a row.
func (r *Rows) Add(counts []uint8) uint32 {
	slot := r.find(counts)
	if known := r.found[slot]; known > 0 {
		return known - 1
	}
	if int(r.n>>rowsBits) == len(r.blocks) {
		r.blocks = append(r.blocks, make([]uint8, (r.cells+1)<<rowsBits))
	}
	r.n++
	row := r.row(r.n - 1)
	copy(row, counts)
	row[r.cells] = slices.Max(counts)
	if r.found[slot] = r.n; int(r.n) > len(r.found)/2 {
		r.found = make([]uint32, 2*len(r.found))
		for i := range r.n {
			r.found[r.find(r.At(i))] = i + 1
		}
	}
	return r.n - 1
}

// find is where a row is found, or would be.
func (r *Rows) find(counts []uint8) (slot int) {
	last := len(r.found) - 1
	slot = int(maphash.Bytes(r.seed, counts)) & last
	for r.found[slot] > 0 && !bytes.Equal(r.At(r.found[slot]-1), counts) {
		slot = (slot + 1) & last
	}
	return slot
}

// Bytes is what the rows take.
func (r *Rows) Bytes() int { return int(r.n) * (r.cells + 1) }

// Raise makes each of the highest counts as high as the one beside it.
func Raise(highest, counts []uint8) {
	highest = highest[:len(counts)]
	for i, n := range counts {
		highest[i] = max(highest[i], n)
	}
}
