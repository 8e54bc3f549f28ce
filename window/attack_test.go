package window

import (
	"encoding/binary"
	"flag"
	"runtime"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

var (
	attackKeys = flag.Int("attack.keys", 400_000, "distinct sessions and fingerprints of TestCardinalityAttack; 20000000 takes minutes")
	attackCap  = flag.Int("attack.cap", 20_000, "live keys that a rule may hold there; 4194304 is what replay allows")
)

// bytesPerKey is what a key may cost a rule, at most: itself, its state, its
// place in the order of use and in the index.
const bytesPerKey = 200

// TestCardinalityAttack: a client that never says the same twice, under a
// session of its own each time, all in one window. Memory stays where the cap
// puts it, every key that had to go is counted, and a loop is found as long as
// fewer keys than the cap come between two of its requests; one that is slower
// is not.
func TestCardinalityAttack(t *testing.T) {
	rules := []*Rule{
		{Name: "sliding", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding", Window: time.Hour}, Threshold: 4, Action: Warn},
		{Name: "streak", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "streak", Window: time.Hour}, Threshold: 4, Action: Warn},
	}
	found := map[string]map[string]int64{"sliding": {}, "streak": {}}
	e := NewEngine(NewPlan(rules, nil), EngineOptions{MaxKeys: *attackCap, Episode: func(ep *Episode) {
		found[ep.Rule.Name][ep.Session] += ep.Requests
	}})
	before := heapBytes()
	n := newNames(t)
	ev := n.event(0, "attack", []string{"loop"}, len(rules))
	judge := func(time int64, session string, scope fingerprint.ScopeKey, print fingerprint.Fingerprint) {
		ev.Time, ev.Session, ev.Scopes[0].Key, ev.Prints[0].Fingerprints[0] = time, session, scope, print
		ev.Position.Offset++
		e.Judge(ev)
	}
	// So many keys come between two requests of each loop, its own included.
	gaps := map[string]int{"fast": 7, "bound": *attackCap - 10, "slow": *attackCap + 10}
	requests := map[string]int64{}
	var id [16]byte
	for i := range *attackKeys {
		now := int64(i) * int64(time.Hour/time.Microsecond) / int64(2**attackKeys)
		for _, loop := range []string{"fast", "bound", "slow"} {
			if i%gaps[loop] == 0 {
				judge(now, loop, n.scope(loop).Key, n.print(loop))
				requests[loop]++
			}
		}
		binary.BigEndian.PutUint64(id[:], uint64(i)+1)
		print, _ := fingerprint.FromBytes(id[:])
		judge(now, "attack", fingerprint.ScopeKey(id), print)
	}
	if used, most := heapBytes()-before, int64(len(rules)**attackCap*bytesPerKey+1<<20); used > most {
		t.Errorf("%d keys in 2 rules hold %d bytes, more than %d", *attackCap, used, most)
	}
	e.Close()
	for i, a := range e.Account() {
		// The slow loop is a new key whenever it comes.
		if keys := int64(*attackKeys) + 2 + requests["slow"]; a.LiveKeys != *attackCap || a.DroppedKeys != keys-int64(a.LiveKeys) {
			t.Errorf("%s: %d keys live, %d dropped, of %d", a.Rule.Name, a.LiveKeys, a.DroppedKeys, keys)
		}
		for loop, n := range requests {
			want := n
			if loop == "slow" {
				want = 0
			}
			if got := found[rules[i].Name][loop]; got != want {
				t.Errorf("%s: loop %s: %d requests, want %d", a.Rule.Name, loop, got, want)
			}
		}
		if n := found[rules[i].Name]["attack"]; n > 0 {
			t.Errorf("%s: %d requests of the attack are a loop", a.Rule.Name, n)
		}
	}
}

func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
