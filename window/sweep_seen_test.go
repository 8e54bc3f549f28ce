package window

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestSeenAgreesWithList: what is said of keys is what a list of them says, that
// is searched from end to end, and a scope is known as long as one of its keys.
func TestSeenAgreesWithList(t *testing.T) {
	type listed struct {
		key            pairKey
		first, touched int64
		repeats        uint32
	}
	rapid.Check(t, func(rt *rapid.T) {
		const idle = 1000
		slack := int64(rapid.SampledFrom([]int{0, 60}).Draw(rt, "slack"))
		most := rapid.SampledFrom([]int{0, 1, 40, 700}).Draw(rt, "cap")
		var let, wantLet []uint32 // repeats that a touch let go
		s := newSeen(idle, slack, most, func(counts uint32) { let = append(let, counts) }, func(*seenScope) {})
		// Positions end somewhere in the middle.
		s.base = math.MaxUint32 - 3<<pageBits + 1
		s.oldest, s.next, s.repeating = s.base, s.base, s.base
		var list []listed // the least recently touched first
		dropped, now, repeats, repeating := int64(0), int64(0), uint32(0), 0
		leave := func() {
			if list[0].repeats != 0 {
				wantLet = append(wantLet, list[0].repeats)
			}
			list = list[1:]
		}
		expire := func() {
			for len(list) > 0 && now-list[0].touched > idle {
				leave()
			}
		}
		for range rapid.IntRange(1, 4).Draw(rt, "phases") {
			keys := rapid.SampledFrom([]int{1, 3, 100, 3000}).Draw(rt, "keys")
			pause := rapid.SampledFrom([]int{0, 1, 10, 300}).Draw(rt, "pause")
			random := rapid.Uint64().Draw(rt, "random")
			if rapid.Bool().Draw(rt, "anew") { // where the index still tells of what stood there long ago
				s.clear()
				let, repeating = let[:0], 0
				s.base -= 2 << pageBits
				s.oldest, s.next, s.repeating, list = s.base, s.base, s.base, nil
			}
			for range rapid.IntRange(1, 2000).Draw(rt, "touches") {
				random = random*6364136223846793005 + 1442695040888963407
				if pause > 0 {
					now += int64(random>>40) % int64(2*pause)
				}
				var key pairKey
				binary.LittleEndian.PutUint64(key.print[:], random>>33%uint64(keys))
				key.scope[0] = byte(random >> 60)

				if most > 0 && len(list) >= most || len(list) > 0 && now-slack-list[0].touched > idle {
					expire()
				}
				want := listed{key, now, now, 0}
				at := slices.IndexFunc(list, func(l listed) bool { return l.key == key })
				switch {
				case at >= 0:
					if now-list[at].touched <= idle {
						want.first, want.repeats = list[at].first, list[at].repeats
					} else {
						if list[at].repeats != 0 {
							wantLet = append(wantLet, list[at].repeats)
						}
						at = -2 // is not to be found
					}
					list = slices.DeleteFunc(list, func(l listed) bool { return l.key == key })
				case most > 0 && len(list) >= most:
					leave()
					dropped++
				}
				list = append(list, want)

				v, again := touch(s, &key, now)
				if first := v.first; first != want.first || again != (at >= 0) || s.live != len(list) || s.dropped != dropped {
					rt.Fatalf("at %d: key %x first came at %d (%v), %d live, %d dropped; want %d (%v), %d, %d",
						now, key.print[:3], first, again, s.live, s.dropped, want.first, at >= 0, len(list), dropped)
				}
				if again && v.counts == 0 { // as who counts them does
					if repeating-len(let) == 3 {
						s.forget()
						oldest := slices.IndexFunc(list, func(l listed) bool { return l.repeats != 0 })
						wantLet = append(wantLet, list[oldest].repeats)
						list[oldest].repeats = 0
					}
					repeats, repeating = repeats+1, repeating+1
					v.counts, list[len(list)-1].repeats = repeats, repeats
				}
				if v.counts != list[len(list)-1].repeats || !slices.Equal(let, wantLet) {
					rt.Fatalf("at %d: key %x has repeats %d, let go were %v; want %d, %v", now, key.print[:3], v.counts, let, list[len(list)-1].repeats, wantLet)
				}
				if s.live+s.moved != int(s.next-s.oldest) || s.at(s.oldest).touched == hasMoved {
					rt.Fatalf("at %d: %d keys live and %d have moved in %d entries, of which the oldest may not", now, s.live, s.moved, s.next-s.oldest)
				}
				repeating -= len(let)
				let, wantLet = let[:0], wantLet[:0]
				scopes := map[fingerprint.ScopeKey]bool{}
				for _, l := range list {
					scopes[l.key.scope] = true
				}
				if s.scopes.entries.live() != len(scopes) {
					rt.Fatalf("at %d: %d scopes are known, want %d", now, s.scopes.entries.live(), len(scopes))
				}
			}
		}
		if s.clear(); s.live != 0 || s.oldest != s.next || s.scopes.entries.live() != 0 {
			rt.Errorf("%d keys and %d scopes live after clear", s.live, s.scopes.entries.live())
		}
	})
}

// TestSeenLetsGo: the memory is that of the keys that are live, however often
// they come and however many have come before.
func TestSeenLetsGo(t *testing.T) {
	f := func(key func(i int) int, most int) {
		t.Helper()
		s := newSeen(1000, 0, 0, nil, func(*seenScope) {})
		for i := range 100_000 {
			var k pairKey
			binary.LittleEndian.PutUint64(k.print[:], uint64(key(i)))
			touch(s, &k, int64(i))
		}
		room, slots := len(s.pages)<<pageBits, len(s.scope(1).lines)*len(indexLine{})
		if room > most || slots > 2*most {
			t.Errorf("room for %d keys and %d slots, want %d and %d at most", room, slots, most, 2*most)
		}
	}
	f(func(i int) int { return i % 500 }, 8<<pageBits)
	f(func(i int) int { return i }, 8<<pageBits)
	f(func(i int) int { // one is calm while others come all the time
		if i%900 == 0 {
			return 2
		}
		return i % 2
	}, 2<<pageBits)
}

// touch touches a key.
func touch(s *seen, key *pairKey, now int64) (v *visit, again bool) {
	scope, hash := s.hold(&key.scope, &key.print)
	return s.touch(scope, &key.print, hash, now)
}
