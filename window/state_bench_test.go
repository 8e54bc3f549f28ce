package window

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// manyKeys makes a state of one rule with so many live keys, each hit twice
// within the window, in an order that no cache could know.
func manyKeys(tb testing.TB, kind string, keys int) (State, func() State) {
	tb.Helper()
	rule := &Rule{
		Name: "r", Identity: byModel(tb), Scope: bySession(tb), Threshold: 1 << 20,
		Counter: CounterSpec{Kind: kind, Window: time.Duration(4*keys) * time.Microsecond},
	}
	plan := NewPlan([]*Rule{rule}, nil)
	fresh := func() State {
		return State{Plan: plan, Order: NewOrder(0), Duplicates: NewDuplicates(0), Engine: NewEngine(plan, EngineOptions{})}
	}
	s := fresh()
	ev := newNames(tb).event(0, "s", []string{"A"}, 1)
	for i := range 2 * keys {
		k := (uint64(i) * 0x9E3779B97F4A7C15 >> 16) % uint64(keys)
		ev.Time = int64(i)
		binary.LittleEndian.PutUint64(ev.Scopes[0].Key[:], k*0x9E3779B97F4A7C15)
		s.Engine.Judge(ev)
	}
	return s, fresh
}

func BenchmarkState(b *testing.B) {
	for _, kind := range []string{"sliding", "streak", "cycle"} {
		s, fresh := manyKeys(b, kind, 1_000_000)
		w := snapshot.NewWriter(nil)
		s.Save(w)
		live := s.Engine.Account()[0].LiveKeys
		b.Run(kind+"/save", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(w.Bytes())))
			for b.Loop() {
				w.Reset()
				s.Save(w)
			}
			b.ReportMetric(float64(len(w.Bytes()))/float64(live), "B/key")
		})
		b.Run(kind+"/load", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(w.Bytes())))
			for b.Loop() {
				s := fresh()
				if _, err := s.Load(snapshot.NewReader(w.Bytes())); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestSaveAllocatesPerRule: saving does not allocate by key, and loading only
// the pages that keys stand in.
func TestSaveAllocatesPerRule(t *testing.T) {
	for _, kind := range Counters {
		f := func(keys int) (save, load float64) {
			s, fresh := manyKeys(t, kind.Name, keys)
			w := snapshot.NewWriter(nil)
			s.Save(w)
			save = testing.AllocsPerRun(2, func() { w.Reset(); s.Save(w) })
			load = testing.AllocsPerRun(2, func() {
				s := fresh()
				if _, err := s.Load(snapshot.NewReader(w.Bytes())); err != nil {
					t.Fatal(err)
				}
			})
			return save, load
		}
		fewSave, fewLoad := f(100)
		save, load := f(10_000)
		if save > fewSave+5 || load > fewLoad+10_000/20 {
			t.Errorf("%s: %v allocations to save 10000 keys and %v to load them; 100 keys take %v and %v", kind.Name, save, load, fewSave, fewLoad)
		}
	}
}

func BenchmarkEvents(b *testing.B) {
	n := newNames(b)
	plan := NewPlan([]*Rule{{Name: "r", Identity: byModel(b), Scope: bySession(b)}}, nil)
	const block = 1000
	events := make([]*Event, block)
	for i := range events {
		ev := n.event(1.7e15+int64(i)*1e5, fmt.Sprint("session-", i%50), []string{"A"}, 1)
		ev.Position = fingerprint.Position{Offset: int64(23_000 * i), Line: int64(i)}
		ev.ID, ev.Method, ev.Path, ev.Caller, ev.Model = fmt.Sprint("req-", i), "POST", "/v1/chat/completions", "key-0123456789ab", "gpt-4.1-mini"
		ev.Status, ev.TokensIn, ev.TokensOut = 200, 6000, 100
		events[i] = ev
	}
	w, out, in := snapshot.NewWriter(nil), plan.NewEventWriter(), plan.NewEventReader()
	write := func() {
		w.Reset()
		out.Reset()
		for _, ev := range events {
			out.Write(w, ev)
		}
	}
	write()
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			write()
		}
		b.ReportMetric(float64(len(w.Bytes()))/block, "B/event")
		b.ReportMetric(block*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		var ev Event
		for b.Loop() {
			in.Reset()
			r := snapshot.NewReader(w.Bytes())
			for range block {
				in.Read(r, &ev)
			}
			if r.Err() != nil {
				b.Fatal(r.Err())
			}
		}
		b.ReportMetric(block*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
	})
}
