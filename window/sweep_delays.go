package window

import (
	"math"
	"math/bits"
	"slices"
)

// delays keep how long episodes took to be opened, by column of a sweepTally
// and for ranges of thresholds. Delays are rounded to three digits, which keeps
// their order, so a quantile of rounded delays is the rounded quantile, and
// there are so few different ones that their memory is bounded.
type delays struct {
	sums  []delaySum // in rising order
	fresh []uint64   // delayed.packed, in the order in which they came: not in sums yet

	// What sums and fresh were before, to be used again.
	oldSums  []delaySum
	oldFresh []uint64
}

// delaySum is how often a delay came in the same column and range.
type delaySum struct {
	packed uint64 // as delayed.packed
	n      int64
}

// leastFresh is how many delays are added up at a time, if not as many as
// there are different ones. That takes less time than a map, most of whose
// entries are in no cache.
const leastFresh = 1 << 14

// delayed is a delay in a column, for a range of thresholds, whose ends are
// included.
type delayed struct {
	delay     uint16 // as threeDigits writes it
	low, high uint8
	column    uint16
}

// packed is one number, in the order of delays.
func (d delayed) packed() uint64 {
	return uint64(d.delay)<<32 | uint64(d.low)<<24 | uint64(d.high)<<16 | uint64(d.column)
}

func unpack(p uint64) delayed {
	return delayed{uint16(p >> 32), uint8(p >> 24), uint8(p >> 16), uint16(p)}
}

// add notes a delay.
func (d *delays) add(delay int64, column int, low, high int32) {
	d.fresh = append(d.fresh, delayed{uint16(threeDigits(delay)), uint8(low), uint8(high), uint16(column)}.packed())
	if len(d.fresh) >= max(leastFresh, len(d.sums)) {
		d.sum()
	}
}

// sum adds up the fresh delays.
func (d *delays) sum() {
	d.fresh, d.oldFresh = sortPacked(d.fresh, slices.Grow(d.oldFresh[:0], len(d.fresh)))
	old, sums := d.sums, d.oldSums[:0]
	for _, packed := range d.fresh {
		for len(old) > 0 && old[0].packed <= packed {
			sums, old = append(sums, old[0]), old[1:]
		}
		if last := len(sums) - 1; last >= 0 && sums[last].packed == packed {
			sums[last].n++
		} else {
			sums = append(sums, delaySum{packed, 1})
		}
	}
	d.sums, d.oldSums, d.fresh = append(sums, old...), d.sums, d.fresh[:0]
}

// packedBits are those that a packed delay may have set.
const packedBits = 48

// sortPacked sorts byte by byte, the last one first: there are many equal
// numbers, and few different bytes. It needs as much room besides, and returns
// which of the two holds what.
func sortPacked(list, room []uint64) (sorted, rest []uint64) {
	room = room[:len(list)]
	if len(list) == 0 {
		return list, room
	}
	for shift := 0; shift < packedBits; shift += 8 {
		var next [256]int // first the number of each byte, then where it goes
		for _, x := range list {
			next[uint8(x>>shift)]++
		}
		if next[uint8(list[0]>>shift)] == len(list) {
			continue // all are alike
		}
		at := 0
		for b, n := range next {
			next[b], at = at, at+n
		}
		for _, x := range list {
			b := uint8(x >> shift)
			room[next[b]] = x
			next[b]++
		}
		list, room = room, list
	}
	return list, room
}

// threeDigits writes a delay as its first three digits and how many follow:
// 1234567 is 123 and 4, as 4123. The order stays.
func threeDigits(micros int64) uint64 {
	if micros < 1000 {
		return uint64(micros)
	}
	// The number of digits is this or one more: 1233/4096 is log 2.
	n := bits.Len64(uint64(micros))*1233>>12 - 3
	if n < 0 || micros >= 1000*tens[n] {
		n++
	}
	if up := micros + tens[n]/2; up <= math.MaxUint32 { // mostly, and divided in a third of the time
		return uint64(1000*n) + uint64(min(uint32(up)/uint32(tens[n]), 999))
	}
	return uint64(1000*n) + uint64(min((micros+tens[n]/2)/tens[n], 999))
}

// tens are the powers of ten.
var tens = func() (list [17]int64) {
	list[0] = 1
	for i := range list[1:] {
		list[i+1] = 10 * list[i]
	}
	return list
}()

// delayOf is the delay that threeDigits has written, in microseconds.
func delayOf(digits uint64) int64 {
	return int64(digits%1000) * tens[digits/1000]
}

// quantiles finds the quantiles of cells whose episodes are counted: of n
// delays in order the one at n/2, and at 95 % of n. of are the cells of each
// column.
func (d *delays) quantiles(cells []Swept, of [][]int) {
	d.sum()
	type passing struct{ n, median, p95 int64 } // delays passed, and those to be passed
	passings := make([][]passing, len(cells))
	for c := range cells {
		w := &cells[c]
		passings[c] = make([]passing, len(w.Episodes))
		for t, n := range w.Episodes {
			w.DelayMedian[t], w.DelayP95[t] = Never, Never
			passings[c][t] = passing{0, n * 50 / 100, n * 95 / 100}
		}
	}
	for _, sum := range d.sums {
		d := unpack(sum.packed)
		delay := delayOf(uint64(d.delay))
		for _, c := range of[d.column] {
			for t := int(d.low); t <= int(d.high); t++ {
				p := &passings[c][t]
				before := p.n
				p.n += sum.n
				if before <= p.median && p.n > p.median {
					cells[c].DelayMedian[t] = delay
				}
				if before <= p.p95 && p.n > p.p95 {
					cells[c].DelayP95[t] = delay
				}
			}
		}
	}
}
