package window

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSweepKnowsTheCounters: a new counter is swept, or named here with the
// reason why it is not.
func TestSweepKnowsTheCounters(t *testing.T) {
	notSwept := []string{"tracker"} // what it counts depends on what fired
	for _, kind := range Counters {
		if slices.Contains(SweepKinds, kind.Name) == slices.Contains(notSwept, kind.Name) {
			t.Errorf("counter %s: put it into notSwept with the reason, or sweep it: what is in SweepKinds is", kind.Name)
		}
	}
}

// TestSweepAgreesWithEngine: a cell at a threshold says what an Engine with
// that one rule does: how many requests it stops, in how many episodes, scopes,
// sessions and callers, how soon, and what is used before and after the first
// of each. The rule does nothing on tripping, as one that is advised: a cooldown
// makes no pause inside an episode longer.
func TestSweepAgreesWithEngine(t *testing.T) {
	n := newNames(t)
	identity, scope := byModel(t), bySession(t)
	rapid.Check(t, func(rt *rapid.T) {
		windows := []time.Duration{3 * time.Second, 20 * time.Second, 2 * time.Minute}
		rule := &Rule{
			Name: "swept", Identity: identity, Scope: scope, Quiet: rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour}).Draw(rt, "quiet"),
			Counter:  rapid.SampledFrom([]CounterSpec{{Kind: "sliding"}, {Kind: "cycle", Period: 2}, {Kind: "cycle", Period: 3}}).Draw(rt, "counter"),
			Cooldown: rapid.SampledFrom([]time.Duration{0, 5 * time.Minute}).Draw(rt, "cooldown"),
		}
		rule.Counter.Closed = rapid.Bool().Draw(rt, "closed")
		const most = 6
		events := sweepEvents(rt, n, 60, rapid.Bool().Draw(rt, "several calls at once"))
		override(rt, rule, events, most)
		s := NewSweep(NewPlan([]*Rule{rule}, nil), []int{0}, SweepOptions{Windows: windows, Most: most})
		addSome(rt, s, events)
		cells := s.Result()[0].Cells
		if len(cells) != len(SweepKinds)*len(windows) {
			rt.Fatalf("%d cells", len(cells))
		}
		for _, cell := range cells {
			for threshold := 2; threshold <= most; threshold++ {
				one := *rule
				one.Counter = CounterSpec{Kind: cell.Kind, Window: cell.Window, Period: rule.Counter.Period, Closed: rule.Counter.Closed}
				one.Threshold, one.Action, one.Cooldown = threshold, Warn, 0
				if diff := cmp.Diff(judged(&one, events), atThreshold(&cell, threshold)); diff != "" {
					rt.Errorf("%s at %d: - engine, + sweep\n%s", cell.SweepCell, threshold, diff)
				}
			}
		}
	})
}

// TestSweepAgreesWithTrippedEngine: where tripping changes later counts, a
// setting stops what an Engine with the rule stops. Of the tracker, which
// counts in no other way, all else is the engine's too.
func TestSweepAgreesWithTrippedEngine(t *testing.T) {
	n := newNames(t)
	identity, scope := byModel(t), bySession(t)
	kinds := append([]string{"tracker", "tracker"}, SweepKinds...)
	rapid.Check(t, func(rt *rapid.T) {
		windows := []time.Duration{3 * time.Second, 20 * time.Second, 2 * time.Minute}
		rule := &Rule{
			Name: "swept", Identity: identity, Scope: scope, Quiet: rapid.SampledFrom([]time.Duration{0, time.Second, time.Hour}).Draw(rt, "quiet"),
			Counter:        CounterSpec{Kind: rapid.SampledFrom(kinds).Draw(rt, "kind"), Period: 3},
			Cooldown:       time.Duration(rapid.SampledFrom([]int{0, 2, 30, 300}).Draw(rt, "cooldown")) * time.Second,
			SkipInCooldown: rapid.Bool().Draw(rt, "skip in cooldown"), SkipBlocked: rapid.Bool().Draw(rt, "skip blocked"), ResetOnFire: rapid.Bool().Draw(rt, "reset"),
		}
		if rapid.Bool().Draw(rt, "as AISG") { // which has ways of its own through the simulation
			rule.Counter.Kind = rapid.SampledFrom(SweepKinds[:streakKind]).Draw(rt, "kind by key")
			rule.Cooldown, rule.SkipInCooldown = max(rule.Cooldown, time.Second), true
			but := rapid.SampledFrom([]string{"", "", "skip blocked", "reset"}).Draw(rt, "but")
			rule.SkipBlocked, rule.ResetOnFire = but == "skip blocked", but == "reset"
		}
		if rule.Counter.Kind == TrackerKind {
			rule.Cooldown, rule.SkipBlocked, rule.ResetOnFire = 0, false, false
		}
		const most = 5
		events := sweepEvents(rt, n, 100, rapid.Bool().Draw(rt, "several calls at once"))
		override(rt, rule, events, most)
		s := NewSweep(NewPlan([]*Rule{rule}, nil), []int{0}, SweepOptions{Windows: windows, Most: most})
		addSome(rt, s, events)
		result := s.Result()[0]
		cells := append(result.Cells, result.Tracker...)
		for _, cell := range cells {
			if !rule.ChangesCounts() || cell.Kind != rule.Counter.Kind {
				if cell.Stopped != nil {
					rt.Errorf("%s: simulated for no reason", cell.SweepCell)
				}
				continue
			}
			for threshold := 2; threshold <= most; threshold++ {
				one := *rule
				one.Counter.Window, one.Threshold, one.Action = cell.Window, threshold, Warn
				want := judged(&one, events)
				if cell.Stopped[threshold] != want.Requests {
					rt.Errorf("%s at %d: %d stopped, an engine stops %d", cell.SweepCell, threshold, cell.Stopped[threshold], want.Requests)
				}
				if cell.Kind == TrackerKind {
					if diff := cmp.Diff(want, atThreshold(&cell, threshold)); diff != "" {
						rt.Errorf("%s at %d: - engine, + sweep\n%s", cell.SweepCell, threshold, diff)
					}
				}
			}
		}
	})
}

// TestSweepInCooldown: a hit that a cooldown does not count opens an episode, if
// the quiet time is shorter.
func TestSweepInCooldown(t *testing.T) {
	n := newNames(t)
	rule := &Rule{
		Name: "swept", Identity: byModel(t), Scope: bySession(t), Quiet: time.Second,
		Counter: CounterSpec{Kind: TrackerKind}, Cooldown: time.Hour, SkipInCooldown: true,
	}
	const threshold = 2
	var events []*Event
	for i := range int64(4) {
		ev := n.event(1_000_000_000+i*2_000_000, "s", []string{"A"}, 1)
		ev.Position.Line = i
		events = append(events, ev)
	}
	s := NewSweep(NewPlan([]*Rule{rule}, nil), []int{0}, SweepOptions{Windows: []time.Duration{time.Minute}, Most: threshold})
	s.Add(events...)
	one := *rule
	one.Counter.Window, one.Threshold, one.Action = time.Minute, threshold, Warn
	got, want := s.Result()[0].Tracker[0], judged(&one, events)
	if got.Requests[threshold] != want.Requests || got.Episodes[threshold] != want.Episodes || want.Episodes != 3 {
		t.Errorf("%d requests in %d episodes, an engine has %+v", got.Requests[threshold], got.Episodes[threshold], want)
	}
}

// sweepEvents draws a log in which a phrase comes again and again, with strays
// in it; many says that an event may have two prints.
func sweepEvents(rt *rapid.T, n *names, most int, many bool) (events []*Event) {
	now := int64(1_000_000_000)
	phrase := rapid.SliceOfN(rapid.SampledFrom([]string{"A", "B", "C"}), 1, 4).Draw(rt, "phrase")
	for i := range rapid.IntRange(1, most).Draw(rt, "events") {
		now += int64(rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3, 19, 20, 60, 61, 200}).Draw(rt, "pause")) * 1_000_000
		print := phrase[i%len(phrase)]
		if rapid.IntRange(0, 6).Draw(rt, "stray") == 0 {
			print = rapid.SampledFrom([]string{"A", "B", "C"}).Draw(rt, "print")
		}
		prints := []string{print}
		if many && rapid.IntRange(0, 3).Draw(rt, "two") == 0 {
			prints = append(prints, rapid.SampledFrom([]string{"A", "B", "C"}).Draw(rt, "second print"))
		}
		ev := n.event(now, rapid.SampledFrom([]string{"s", "s", "s", "u"}).Draw(rt, "session"), prints, 1)
		ev.Position.Line = int64(i)
		ev.TokensIn, ev.TokensOut, ev.Cost = int64(i), 1, 0.5
		ev.Caller = rapid.SampledFrom([]string{"", "k", "l"}).Draw(rt, "caller")
		ev.Session = rapid.SampledFrom([]string{"", "1", "2", "3", "4 ends alike", "5 ends alike"}).Draw(rt, "session of the log")
		events = append(events, ev)
	}
	return events
}

// override lets overrides set the threshold of some events, below those swept
// and above.
func override(rt *rapid.T, rule *Rule, events []*Event, most int) {
	if rapid.Bool().Draw(rt, "plain") {
		return
	}
	for range 2 {
		rule.Overrides = append(rule.Overrides, Override{Threshold: rapid.SampledFrom([]int{0, 2, 3, most + 2}).Draw(rt, "own threshold")})
	}
	for _, ev := range events {
		ev.Rules[0] = Plain + Choice(rapid.IntRange(0, len(rule.Overrides)).Draw(rt, "choice"))
	}
}

// addSome adds events, some at a time.
func addSome(rt *rapid.T, s *Sweep, events []*Event) {
	for n := rapid.IntRange(1, 40).Draw(rt, "at a time"); len(events) > 0; events = events[min(n, len(events)):] {
		s.Add(events[:min(n, len(events))]...)
	}
}

// swept1 is a cell at one threshold.
type swept1 struct {
	Requests, Episodes, Scopes, Sessions, Callers int64
	TokensBefore, TokensAfter                     int64
	CostBefore, CostAfter                         float64
	DelayMedian, DelayP95                         int64
}

func atThreshold(c *Swept, t int) swept1 {
	return swept1{
		c.Requests[t], c.Episodes[t], c.Scopes[t], c.Sessions[t], c.Callers[t], c.TokensBefore[t], c.TokensAfter[t],
		c.CostBefore[t], c.CostAfter[t], c.DelayMedian[t], c.DelayP95[t],
	}
}

// judged is what an engine with one rule does.
func judged(rule *Rule, events []*Event) swept1 {
	var w swept1
	scopes, sessions, callers := map[string]bool{}, map[string]bool{}, map[string]bool{}
	hits := map[pairKey][]*Event{}
	episodes, fired, opener := map[string]bool{}, map[*Event]bool{}, map[*Event]bool{}
	var delays []int64
	e := NewEngine(NewPlan([]*Rule{rule}, nil), EngineOptions{
		Verdict: func(v *Verdict) {
			key := pairKey{v.Scope.Key, printKeyOf(&v.Fingerprint)}
			hits[key] = append(hits[key], v.Event)
			if !v.Fired {
				return
			}
			if fired[v.Event] = true; len(fired) > int(w.Requests) {
				w.Requests++
			}
			scopes[v.Scope.Values[0]], sessions[v.Event.Session], callers[v.Event.Caller] = true, true, true
			if episodes[v.Episode] || v.Count < 2 { // in a cooldown nothing need repeat
				return
			}
			episodes[v.Episode], opener[v.Event] = true, true
			counted := hits[key][len(hits[key])-v.Count:]
			delays = append(delays, delayOf(threeDigits(v.Event.Time-counted[1].Time)))
			for i, ev := range counted[1:] {
				if ev == counted[i] { // equal calls of one request, which counts once
					continue
				}
				w.TokensBefore += ev.TokensIn + ev.TokensOut
				w.CostBefore += ev.Cost
			}
		},
		Episode: func(ep *Episode) {
			w.Episodes++
			w.TokensAfter += ep.After.Tokens
			w.CostAfter += ep.After.Cost.Dollars()
		},
	})
	several := false
	for _, ev := range events {
		e.Judge(ev)
		several = several || len(ev.Prints[0].Fingerprints) > 1
	}
	e.Close()
	if several { // what is after one episode may be in another: it counts once
		w.TokensAfter, w.CostAfter = 0, 0
		for ev := range fired {
			if !opener[ev] {
				w.TokensAfter += ev.TokensIn + ev.TokensOut
				w.CostAfter += ev.Cost
			}
		}
	}
	delete(sessions, "")
	delete(callers, "")
	w.Scopes, w.Sessions, w.Callers = int64(len(scopes)), int64(len(sessions)), int64(len(callers))
	w.DelayMedian, w.DelayP95 = Never, Never
	if slices.Sort(delays); len(delays) > 0 {
		w.DelayMedian, w.DelayP95 = delays[len(delays)/2], delays[len(delays)*95/100]
	}
	return w
}

// TestSweepLetsGo: what a key and a scope keep is bounded by what the longest
// window holds, however long a loop goes on.
func TestSweepLetsGo(t *testing.T) {
	n := newNames(t)
	const inside = 100 // events in the longest window
	f := func(phrase ...string) {
		t.Helper()
		rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding"}, ResetOnFire: true}
		s := NewSweep(NewPlan([]*Rule{rule}, nil), []int{0}, SweepOptions{Windows: []time.Duration{time.Second, inside * time.Second}, Most: 5})
		for i := range 50 * inside {
			s.Add(n.event(int64(i)*1_000_000, "s", phrase[i%len(phrase):][:1], 1))
		}
		target := s.targets[0]
		for i := range target.keys.n {
			if hits := cap(target.keys.at(i).hits); hits > 4*inside {
				t.Errorf("%v: a key has room for %d hits", phrase, hits)
			}
			if past := target.keys.at(i).past; past != nil && cap(past.hits) > 4*target.trips.keep {
				t.Errorf("%v: a key has room for %d hits that are past", phrase, cap(past.hits))
			}
		}
		if times := cap(target.seen.scope(1).times); times > 4*inside {
			t.Errorf("%v: a scope has room for %d times", phrase, times)
		}
		s.Add(n.event(100*50*inside*1_000_000, "u", []string{"A"}, 1))
		for _, key := range target.keys.free {
			if hits := cap(target.keys.at(key).hits); hits > mostFreed {
				t.Errorf("%v: %d hits are kept of a key that is gone", phrase, hits)
			}
		}
		for _, trail := range target.trails {
			if times := cap(trail.times); times > mostFreed {
				t.Errorf("%v: %d times are kept of a scope that is gone", phrase, times)
			}
		}
		if len(target.keys.free) == 0 {
			t.Errorf("%v: no key is gone", phrase)
		}
	}
	f("A")
	f("A", "B")
	f("A", "A", "B")
}

// TestSweepSteadyPace: where one time leaves the longest window with each that
// comes, and there is room for no more than it holds, not all move up each time.
func TestSweepSteadyPace(t *testing.T) {
	size := 1_000_000 // at which quadratic work would not end before the test's timeout does
	if testing.Short() {
		size = 1000
	}
	q := sequence{next: 1, trail: &trail{recent: make([]recentEvent, 1)}}
	now, full := int64(0), func() bool { return len(q.times) >= size && len(q.times) == cap(q.times) }
	for ; !full(); now++ {
		q.note(now, math.MaxInt64)
	}
	most, longest := 4*len(q.times), int64(len(q.times)-1)
	for range size {
		q.note(now, longest)
		now++
	}
	if cap(q.times) > most || inside(q.times, now-1, longest) != int(longest)+1 {
		t.Errorf("%d times of %d, and room for %d", inside(q.times, now-1, longest), longest+1, cap(q.times))
	}
}

// TestUsageStops: costs in a unit of their own add up to more than there is
// room for, and to none that is negative.
func TestUsageStops(t *testing.T) {
	var sum, one usage
	one.cost = USD(0).Plus(1e9)
	for range 20 {
		sum.add(one, 1)
	}
	if sum.cost != math.MaxInt64 {
		t.Errorf("the sum is %v", sum.cost.Dollars())
	}
}

// TestSweepFewKeys: a tracker remembers a call whose key has had to make room.
func TestSweepFewKeys(t *testing.T) {
	n := newNames(t)
	rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Quiet: time.Second, Counter: CounterSpec{Kind: "tracker"}}
	s := NewSweep(NewPlan([]*Rule{rule}, nil), []int{0}, SweepOptions{Windows: []time.Duration{time.Minute}, Most: 2, MaxKeys: 2})
	for i, call := range []string{"sA", "sA", "sB", "uX", "sA"} {
		ev := n.event(int64(i)*10_000_000, call[:1], []string{call[1:]}, 1)
		ev.TokensIn = 1 << i
		s.Add(ev)
	}
	got := s.Result()[0]
	if w := atThreshold(&got.Tracker[0], 2); got.Dropped == 0 || w.Requests != 2 || w.Episodes != 2 || w.TokensBefore != 1<<1+1<<4 {
		t.Errorf("%d keys dropped, %+v", got.Dropped, w)
	}
}

// TestSweepManyLoops: tens of thousands of loops side by side are counted as one is.
func TestSweepManyLoops(t *testing.T) {
	n := newNames(t)
	const loops = 30_000
	rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding"}}
	s := NewSweep(NewPlan([]*Rule{rule}, nil), []int{0}, SweepOptions{Windows: []time.Duration{time.Hour}, Most: 3})
	for i := range 3 * loops {
		s.Add(n.event(int64(i)*10_000, strconv.Itoa(i%loops), []string{"A"}, 1))
	}
	got := s.Result()[0]
	if w := atThreshold(&got.Cells[0], 3); got.Dropped != 0 || w.Requests != loops || w.Episodes != loops {
		t.Errorf("%d keys dropped, %d requests in %d loops", got.Dropped, w.Requests, w.Episodes)
	}
}

// TestSweepMostRepeats: of the keys that repeat so many are known at a time. For one
// more the oldest has to go, unless it is idle and was only not let go yet.
func TestSweepMostRepeats(t *testing.T) {
	n := newNames(t)
	rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding"}}
	f := func(pause time.Duration, dropped int64) {
		t.Helper()
		s := NewSweep(NewPlan([]*Rule{rule}, nil), []int{0}, SweepOptions{Windows: []time.Duration{time.Hour}, Most: 2})
		ev := n.event(0, "s", []string{"A"}, 1)
		for i := range uint32(maxRepeats + 1) {
			if binary.LittleEndian.PutUint32(ev.Scopes[0].Key[:], i); i == maxRepeats {
				ev.Time += pause.Microseconds()
			}
			s.Add(ev)
			s.Add(ev)
		}
		if got := s.Result()[0]; got.Dropped != dropped || got.Cells[0].Requests[2] != maxRepeats+1 {
			t.Errorf("after %v %d keys dropped of %d, want %d", pause, got.Dropped, got.Cells[0].Requests[2], dropped)
		}
	}
	f(time.Minute, 1)
	f(time.Hour+time.Minute, 0)
}

// TestSweepWithoutPrints: an event that is computable and has no fingerprint, as
// a damaged dataset may say, is none that counts.
func TestSweepWithoutPrints(t *testing.T) {
	n := newNames(t)
	rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding"}}
	s := NewSweep(NewPlan([]*Rule{rule}, nil), []int{0}, SweepOptions{Windows: []time.Duration{time.Minute}, Most: 2})
	s.Add(n.event(1, "s", nil, 1))
	s.Add(n.event(2, "s", []string{"a"}, 1))
	s.Add(n.event(3, "s", []string{"a"}, 1))
	if got := s.Result()[0].Cells[0].Requests[2]; got != 1 {
		t.Errorf("%d requests repeat one, want 1", got)
	}
}
