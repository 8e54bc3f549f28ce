package window

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTableAgreesWithNaive holds a table against a list of keys, oldest first:
// what is found, what is dropped and in which order, with so many keys that
// the index grows and probes collide.
func TestTableAgreesWithNaive(t *testing.T) {
	type entry struct {
		key     int
		touched int64
		state   int
	}
	rapid.Check(t, func(t *rapid.T) {
		idle := rapid.SampledFrom([]int64{-1, 0, 20, 500}).Draw(t, "idle")
		keys := rapid.SampledFrom([]int{0, 1, 5, 60}).Draw(t, "cap")
		var gone, wantGone []int // states, in the order in which they left
		table := newTable[int](idle, keys, func(state *int) { gone = append(gone, *state) })
		var want []entry
		drop := func(i int) {
			wantGone = append(wantGone, want[i].state)
			want = slices.Delete(want, i, i+1)
		}
		of := func(key int) int { return slices.IndexFunc(want, func(e entry) bool { return e.key == key }) }
		now, dropped := int64(0), int64(0)
		expire := func() {
			for idle >= 0 && len(want) > 0 && now-want[0].touched > idle {
				drop(0)
			}
		}
		// Removals come in bursts, so that gaps close next to one another.
		for next := range rapid.IntRange(1, 300).Draw(t, "steps") {
			now += int64(rapid.SampledFrom([]int{0, 0, 0, 1, 21}).Draw(t, "pause"))
			key := rapid.IntRange(0, 150).Draw(t, "key")
			switch rapid.SampledFrom([]string{"touch", "touch", "touch", "touch", "add", "remove", "expire", "find"}).Draw(t, "do") {
			case "touch":
				expire()
				state := table.touch(key, now)
				e := entry{key: key, touched: now, state: next + 1}
				if i := of(key); i >= 0 {
					if *state != want[i].state {
						t.Fatalf("key %d has state %d, want %d", key, *state, want[i].state)
					}
					want = slices.Delete(want, i, i+1)
				} else {
					if *state != 0 {
						t.Fatalf("new key %d has the state %d of another", key, *state)
					}
					if keys > 0 && len(want) == keys {
						drop(0)
						dropped++
					}
				}
				want = append(want, e)
				*state = e.state
			case "add":
				expire()
				known := of(key) >= 0
				if added := table.add(key, now); added == known {
					t.Fatalf("key %d is added: %v; it was known: %v", key, added, known)
				}
				if !known && keys > 0 && len(want) == keys {
					drop(0)
					dropped++
				}
				if !known {
					want = append(want, entry{key: key, touched: now})
				}
			case "remove":
				for k := key; k < key+3; k++ {
					table.remove(k)
					if i := of(k); i >= 0 {
						drop(i)
					}
				}
			case "expire":
				table.expire(now)
				expire()
			}
			for k := range 160 {
				state, i := table.find(k), of(k)
				if (state != nil) != (i >= 0) || state != nil && *state != want[i].state {
					t.Fatalf("key %d is found: %v, want %v", k, state != nil, i >= 0)
				}
			}
			ends := int64(math.MaxInt64)
			if idle >= 0 && len(want) > 0 {
				ends = want[0].touched + idle
			}
			if table.live != len(want) || table.dropped != dropped || !slices.Equal(gone, wantGone) || table.ends() != ends {
				t.Fatalf("%d live, %d dropped, ends %d, gone %v; want %d, %d, %d, %v", table.live, table.dropped, table.ends(), gone, len(want), dropped, ends, wantGone)
			}
		}
	})
}

// TestQueuesAgreeWithSlices: queues that share a pool keep their items apart,
// and a pool whose queues are empty needs no more chunks the second time.
func TestQueuesAgreeWithSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pool queues[int]
		var queue [3]queue[int]
		var want [3][]int
		next := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			i := rapid.IntRange(0, 2).Draw(t, "queue")
			q := &queue[i]
			switch do := rapid.IntRange(0, 40).Draw(t, "do"); {
			case do == 0:
				pool.clear(q)
				want[i] = nil
			case do < 14 && q.n > 0:
				for range rapid.IntRange(1, len(want[i])).Draw(t, "popped") {
					pool.pop(q)
					want[i] = want[i][1:]
				}
			default:
				for range rapid.IntRange(1, 2*chunkItems).Draw(t, "pushed") {
					next++
					pool.push(q, next)
					want[i] = append(want[i], next)
				}
			}
			for i := range queue {
				q := &queue[i]
				var each []int
				pool.each(q, func(item *int) { each = append(each, *item) })
				if int(q.n) != len(want[i]) || !slices.Equal(each, want[i]) {
					t.Fatalf("queue %d holds %v, want %v", i, each, want[i])
				}
				for k, item := range want[i] {
					if got := *pool.at(q, uint32(k)); got != item {
						t.Fatalf("item %d of queue %d is %d, want %d", k, i, got, item)
					}
				}
				if q.n > 0 && (q.oldest != want[i][0] || *pool.newest(q) != want[i][len(want[i])-1]) {
					t.Fatalf("queue %d: oldest %d, newest %d of %v", i, q.oldest, *pool.newest(q), want[i])
				}
			}
		}
		// What was taken is given back, each chunk once.
		for i := range queue {
			for queue[i].n > 0 {
				pool.pop(&queue[i])
			}
		}
		free := map[uint32]bool{}
		for _, at := range pool.chunks.free {
			free[at] = true
		}
		if chunks := int(pool.chunks.n); len(free) != chunks || len(pool.chunks.free) != chunks {
			t.Fatalf("%d chunks free of %d", len(free), chunks)
		}
	})
}
