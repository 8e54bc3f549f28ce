package window

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// BenchmarkSweep takes the time of an event: of logs in which most keys come
// once, and of those in which a few come all the time.
func BenchmarkSweep(b *testing.B) {
	f := func(name string, rules, scopes, prints, pause int) {
		b.Run(name, func(b *testing.B) {
			plan := &Plan{}
			var all []int
			for i := range rules {
				rule := &Rule{Name: "r", Identity: byModel(b), Scope: bySession(b), Counter: CounterSpec{Kind: "sliding"}}
				plan.Rules, plan.identity, plan.scope, all = append(plan.Rules, rule), append(plan.identity, 0), append(plan.scope, 0), append(all, i)
			}
			windows := []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour}
			s := NewSweep(plan, all, SweepOptions{Windows: windows, Most: 50, Witness: plan.NewWitness(0)})
			var looks []Look
			var found Findings
			repeats := 0
			count := func(list []*Event) {
				looks = looks[:0]
				for _, ev := range list {
					looks = s.Look(looks, ev)
				}
				found.Reset()
				s.Count(looks, &found)
				for i := range found.List {
					if found.List[i].What == Repeats {
						repeats++
					}
				}
			}
			n, random, now := newNames(b), rand.New(rand.NewPCG(1, 2)), int64(0)
			events := make([]*Event, 256)
			for i := range events {
				events[i] = n.event(0, "s", []string{"p"}, rules)
				events[i].TokensIn = 100
			}
			fill := func(list []*Event) {
				for _, ev := range list {
					now += random.Int64N(2 * int64(pause))
					var scope, print [16]byte
					session := random.IntN(scopes)
					binary.LittleEndian.PutUint64(scope[:], uint64(session))
					p := random.Uint64()
					if prints > 0 {
						p %= uint64(prints)
					} else if random.IntN(10) == 0 { // like one of late
						p = uint64(now / 1_000_000_000)
					}
					binary.LittleEndian.PutUint64(print[:], p)
					ev.Time, ev.Scopes[0].Key = now, scope
					ev.Prints[0].Fingerprints[0], _ = fingerprint.FromBytes(print[:])
				}
			}
			for range 1000 {
				fill(events)
				count(events)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i += len(events) {
				list := events[:min(len(events), b.N-i)]
				fill(list)
				count(list)
			}
			b.ReportMetric(float64(repeats)/float64(b.N+1000*len(events)), "repeats/event")
		})
	}
	f("once", 1, 2000, 0, 20_000)
	f("again", 1, 20, 2, 600_000)
	f("rules", 8, 100, 3000, 200_000)
}
