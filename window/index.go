package window

// index tells where the entries of keys stand: slots that hold hash<<32 | entry,
// or 0 where they are vacant. Their number is a power of two. A key stands in the
// slot of its hash or, if others were there first, behind it, before the next
// vacant one.
type index []uint64

// newIndex is one with room for so many keys.
func newIndex(keys int) index {
	slots := 64
	for crowded(keys, slots) {
		slots *= 2
	}
	return make(index, slots)
}

// crowded tells that looking for one of so many keys takes too long.
func crowded(keys, slots int) bool { return keys > slots/4*3 }

// home is where a hash begins to be looked for; of a slot behind the last it is
// the first.
func (x index) home(hash uint32) uint32 { return hash & uint32(len(x)-1) }

// widened is the index with room for so many keys. The hashes in it are enough;
// no entry is read.
func (x index) widened(keys int) index {
	if !crowded(keys, len(x)) {
		return x
	}
	wide := newIndex(keys)
	for _, s := range x {
		if s == 0 {
			continue
		}
		slot := wide.home(uint32(s >> 32))
		for wide[slot] != 0 {
			slot = wide.home(slot + 1)
		}
		wide[slot] = s
	}
	return wide
}

// vacate empties a slot and closes the gap, so that looking may stop at the
// first vacant slot.
func (x index) vacate(slot uint32) {
	for next := x.home(slot + 1); x[next] != 0; next = x.home(next + 1) {
		// What stands at next may move to slot if slot is on its way from
		// home to next.
		if s := x[next]; x.home(next-uint32(s>>32)) >= x.home(next-slot) {
			x[slot], slot = s, next
		}
	}
	x[slot] = 0
}
