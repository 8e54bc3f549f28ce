package window

import (
	"hash/maphash"
	"iter"
	"math"
)

// table keeps the state of live keys. Keys that nothing touched for longer
// than idle are removed, from the least recently touched on, as time moves;
// beyond the cap, the least recently touched makes room. Correctness never
// rests on the removal: a counter ignores what has left its window whether or
// not it is still there.
//
// Keys stand in the entries and nowhere else; the index holds 32 bits of hash
// and the entry's number. A key costs itself, its state, 16 bytes and about 16
// bytes of index, and no allocation of its own.
type table[K comparable, S any] struct {
	idle    int64 // microseconds; negative is for ever
	keys    int   // cap on live keys, 0 is none
	drop    func(*S)
	live    int
	dropped int64

	seed    maphash.Seed // decides where a key is kept, never an answer
	index   index
	entries pool[tableEntry[K, S]]
	newest  uint32 // most recently touched, 0 if there is none
	oldest  uint32
}

type tableEntry[K comparable, S any] struct {
	key        K
	prev, next uint32 // towards newest, towards oldest
	touched    int64
	state      S
}

// newTable makes a table. drop, if not nil, is called with the state of each
// key that leaves; the state is zeroed after.
func newTable[K comparable, S any](idle int64, keys int, drop func(*S)) *table[K, S] {
	return &table[K, S]{idle: idle, keys: keys, drop: drop, seed: maphash.MakeSeed(), index: newIndex(0)}
}

// find returns the state of a key, nil if it has none. It changes nothing.
func (t *table[K, S]) find(key K) *S {
	if _, i := t.lookup(t.hash(key), key); i != 0 {
		return &t.entries.at(i).state
	}
	return nil
}

// touch returns the state of a key, a zero one if it had none, and makes it
// the most recently touched. now never goes back. What touch returns is good
// until the next touch or remove.
func (t *table[K, S]) touch(key K, now int64) *S {
	if now > t.ends() || t.keys > 0 && t.live >= t.keys {
		t.expire(now)
	}
	hash := t.hash(key)
	slot, i := t.lookup(hash, key)
	if i == 0 {
		i = t.insert(slot, hash, key)
	} else if i != t.newest {
		t.unlink(i)
		t.link(i)
	}
	e := t.entries.at(i)
	e.touched = now
	return &e.state
}

// add touches a key that is not there, and says whether that was so. One that
// is there stays as it was.
func (t *table[K, S]) add(key K, now int64) bool {
	t.expire(now)
	hash := t.hash(key)
	slot, i := t.lookup(hash, key)
	if i != 0 {
		return false
	}
	t.entries.at(t.insert(slot, hash, key)).touched = now
	return true
}

// remove drops a key.
func (t *table[K, S]) remove(key K) {
	if _, i := t.lookup(t.hash(key), key); i != 0 {
		t.removeEntry(i)
	}
}

// ends is when the least recently touched key becomes idle: it goes once the
// time is later. It is math.MaxInt64 if that is never.
func (t *table[K, S]) ends() int64 {
	if t.idle < 0 || t.oldest == 0 {
		return math.MaxInt64
	}
	return t.entries.at(t.oldest).touched + t.idle
}

// all are the entries from the least recently touched on.
func (t *table[K, S]) all() iter.Seq[*tableEntry[K, S]] {
	return func(yield func(*tableEntry[K, S]) bool) {
		for i := t.oldest; i != 0 && yield(t.entries.at(i)); {
			i = t.entries.at(i).prev
		}
	}
}

// clear removes all keys, the least recently touched first.
func (t *table[K, S]) clear() {
	for t.oldest != 0 {
		t.removeEntry(t.oldest)
	}
}

// expire removes the keys that are idle at now.
func (t *table[K, S]) expire(now int64) {
	for t.idle >= 0 && t.oldest != 0 && now-t.entries.at(t.oldest).touched > t.idle {
		t.removeEntry(t.oldest)
	}
}

func (t *table[K, S]) hash(key K) uint32 { return uint32(maphash.Comparable(t.seed, key)) }

// lookup finds the entry of key, or the vacant slot where it belongs and 0.
func (t *table[K, S]) lookup(hash uint32, key K) (slot, entry uint32) {
	for slot = t.index.home(hash); ; slot = t.index.home(slot + 1) {
		x := t.index[slot]
		if x == 0 {
			return slot, 0
		}
		if uint32(x>>32) == hash && t.entries.at(uint32(x)).key == key {
			return slot, uint32(x)
		}
	}
}

// insert puts a key that is not there into the slot where it belongs. At the
// cap the least recently touched makes room.
func (t *table[K, S]) insert(slot, hash uint32, key K) uint32 {
	if t.keys > 0 && t.live >= t.keys {
		t.removeEntry(t.oldest)
		t.dropped++
		slot, _ = t.lookup(hash, key) // removing may have moved the vacancy
	}
	i := t.entries.take()
	t.entries.at(i).key = key
	t.index[slot] = uint64(hash)<<32 | uint64(i)
	t.live++
	t.link(i)
	t.index = t.index.widened(t.live)
	return i
}

func (t *table[K, S]) removeEntry(i uint32) {
	e := t.entries.at(i)
	slot, _ := t.lookup(t.hash(e.key), e.key)
	t.index.vacate(slot)
	t.unlink(i)
	if t.drop != nil {
		t.drop(&e.state)
	}
	var zero S
	e.state = zero
	t.entries.give(i)
	t.live--
}

func (t *table[K, S]) link(i uint32) {
	e := t.entries.at(i)
	e.prev, e.next = 0, t.newest
	if t.newest != 0 {
		t.entries.at(t.newest).prev = i
	} else {
		t.oldest = i
	}
	t.newest = i
}

func (t *table[K, S]) unlink(i uint32) {
	e := t.entries.at(i)
	if e.prev != 0 {
		t.entries.at(e.prev).next = e.next
	} else {
		t.newest = e.next
	}
	if e.next != 0 {
		t.entries.at(e.next).prev = e.prev
	} else {
		t.oldest = e.prev
	}
}

// code codes the keys from the least recently touched on, each with the time of
// that; key codes the key, and state what belongs to it. What is read goes into an
// empty table, of which an entry takes least bytes or more. If there are more keys
// than the cap, those beyond it leave as they always do. Nothing is too old: what
// is goes when time moves.
func (t *table[K, S]) code(c *coder, least int, key func(*K), state func(s *S, touched int64)) {
	n := c.Items(t.live, least)
	at, last := t.oldest, int64(0)
	for i := range n {
		if c.Reads() {
			at = t.entries.take()
		}
		e := t.entries.at(at)
		if i == 0 {
			c.Varint(&e.touched)
		} else {
			c.after(&e.touched, last)
		}
		key(&e.key)
		if c.Reads() {
			if c.From.Err() != nil {
				return
			}
			t.link(at)
		}
		state(&e.state, e.touched)
		at, last = e.prev, e.touched
	}
	if c.Reads() {
		t.found(c, uint32(n))
	}
}

// found makes the index for the first n entries.
func (t *table[K, S]) found(c *coder, n uint32) {
	t.index = newIndex(int(n))
	// By itself this waits for memory much less than between the keys.
	for i := uint32(1); i <= n; i++ {
		e := t.entries.at(i)
		hash := t.hash(e.key)
		slot, twice := t.lookup(hash, e.key)
		if twice != 0 {
			c.From.Failf("a key stands there twice")
			return
		}
		t.index[slot] = uint64(hash)<<32 | uint64(i)
		t.live++
	}
	for t.keys > 0 && t.live > t.keys {
		t.removeEntry(t.oldest)
		t.dropped++
	}
}
