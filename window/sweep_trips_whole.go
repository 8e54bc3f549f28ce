package window

import "math"

// Where hits in a cooldown are not counted and nothing else changes a count, each
// hit of a key fires in a whole window from the first firing on: it is in the
// cooldown, or counts more than the threshold. So judges need not be shown any. What
// fired is noted once for all whole windows, in trips.whole: by setting the requests
// that fired in this window and all longer ones, up to this threshold. Once a key
// has outlived a window, its settings begin.

// fireWhole notes a hit that fires in the windows from one on, up to a threshold.
// alone says that its event has no other.
func (t *trips) fireWhole(from int, threshold int32, alone bool) {
	if alone && from < len(t.windows) {
		t.whole[t.index(from, threshold)]++
		return
	}
	for w := from; w < len(t.windows); w++ {
		for th := int32(LeastThreshold); th <= threshold; th++ {
			t.settings[t.index(w, th)].fire(t.event)
		}
	}
}

// endWhole begins the settings of the shortest whole window of a key: they are told
// what they would have counted, and the past until when they would block. The hit at
// work comes after that.
func (t *trips) endWhole(key *keyCounts) {
	t.prepare(key.past)
	w := int(key.outlived)
	key.past.begun[w] = min(key.n, int32(t.most))
	for threshold := int32(LeastThreshold); threshold <= key.past.begun[w]; threshold++ {
		t.begin(w, threshold, nil)
		setting := t.index(w, threshold)
		n, until := int32(0), int64(math.MinInt64)
		for i := range key.hits {
			at := key.hits[i].time
			if at < until {
				continue
			}
			t.tell(t.settings[setting].judge, passed{at, t.hit.Print})
			if n++; n >= threshold {
				until = t.rule.cooled(at)
			}
		}
		key.past.blocked[setting] = until
	}
}

// addWhole adds what fired in a window while it was whole.
func (t *trips) addWhole(w int, stopped []int64) {
	n := int64(0)
	for threshold := t.most; threshold >= LeastThreshold; threshold-- {
		for v := range w + 1 {
			n += t.whole[t.index(v, int32(threshold))]
		}
		stopped[threshold] += n
	}
}
