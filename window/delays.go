package window

import (
	"math/bits"
	"slices"
)

// delays keep how long episodes took to be opened, for ranges of thresholds.
// Each is packed into a number: the delay to three digits, the lowest and the
// highest threshold, and how many are alike. Rounding keeps the order, so a
// quantile of rounded delays is the rounded quantile, and there are so few
// different ones that their memory is bounded.
type delays struct {
	packed []uint64
	most   int // how many may be there before those that are alike are joined
}

const (
	delayShift     = 48
	lowShift       = 32
	highShift      = 16
	alike          = 1<<highShift - 1
	fewDelays      = 1 << 12
	thresholdsMask = 1<<16 - 1
)

// add notes a delay, as threeDigits writes it.
func (d *delays) add(delay uint64, low, high int32) {
	if len(d.packed) >= max(d.most, fewDelays) {
		d.join()
		d.most = 2 * len(d.packed)
	}
	d.packed = append(d.packed, delay<<delayShift|uint64(low)<<lowShift|uint64(high)<<highShift|1)
}

// join sorts, and makes one of what is alike.
func (d *delays) join() {
	slices.Sort(d.packed)
	joined := d.packed[:0]
	for _, p := range d.packed {
		if last := len(joined) - 1; last >= 0 && joined[last]>>highShift == p>>highShift && joined[last]&alike+p&alike <= alike {
			joined[last] += p & alike
		} else {
			joined = append(joined, p)
		}
	}
	d.packed = joined
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

// quantiles finds the quantiles of a cell whose episodes are counted: of n
// delays in order the one at n/2, and at 95 % of n.
func (d *delays) quantiles(w *Swept) {
	d.join()
	for t := range w.DelayMedian {
		w.DelayMedian[t], w.DelayP95[t] = Never, Never
	}
	passed := make([]int64, len(w.Episodes))
	for _, p := range d.packed {
		delay := delayOf(p >> delayShift)
		for t := p >> lowShift & thresholdsMask; t <= p>>highShift&thresholdsMask; t++ {
			passed[t] += int64(p & alike)
			if w.DelayMedian[t] == Never && passed[t] > w.Episodes[t]*50/100 {
				w.DelayMedian[t] = delay
			}
			if w.DelayP95[t] == Never && passed[t] > w.Episodes[t]*95/100 {
				w.DelayP95[t] = delay
			}
		}
	}
}
