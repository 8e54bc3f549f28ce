package window

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// sample is a run in which everything that a state can hold comes to be: rules
// of every counter kind, each with every switch, streams that live, are idle,
// have not begun and have ended. It must not change: snapshots of old versions
// were written by it.
func sample(tb testing.TB) (*parts, processOptions) {
	tb.Helper()
	p := newParts(tb)
	var rules []*Rule
	for i, kind := range []string{"sliding", "fixed", "refresh", "streak", "cycle", "tracker"} {
		r := Rule{
			Name: kind, Identity: p.identities[i%2], Scope: p.scopes[0], Counter: CounterSpec{Kind: kind, Window: 20 * time.Second, Period: 3},
			Threshold: 3, Action: ChanceThenBreak, Selection: kind, Overrides: []Override{{Threshold: 2, Action: Warn}},
		}
		rules = append(rules, &r)
		cools := r
		cools.Name, cools.Action, cools.Cooldown, cools.SkipBlocked, cools.Scope = kind+"-cools", Reject, 5*time.Second, true, p.scopes[i%3]
		rules = append(rules, &cools)
	}
	for _, kind := range []string{"streak", "cycle"} {
		rules = append(rules, &Rule{Name: kind + "-endless", Identity: p.identities[2], Scope: p.scopes[0], Counter: CounterSpec{Kind: kind}, Threshold: 3, Action: Throttle})
	}
	for _, kind := range []string{"streak", "tracker"} {
		rules = append(rules, &Rule{
			Name: kind + "-chat", Identity: p.identities[0], Scope: p.scopes[0], Counter: CounterSpec{Kind: kind, Window: 20 * time.Second},
			Threshold: 3, Action: Break, Selection: "chat", ChatOverrides: true,
		})
	}
	plan := NewPlan(rules, []Exclusion{{Name: "probes", Text: "a"}})
	return p, processOptions{plan: plan, keys: 3, lateness: 3 * time.Second, horizon: 10 * time.Second}
}

// sampleStep is step i of the sample, from 0.
func sampleStep(p *parts, plan *Plan, pr *process, i int) {
	if i == 0 {
		for stream, first := range []int64{0, 0, fingerprint.NoTime, fingerprint.NoTime} {
			pr.Order.Open(int32(stream), first)
		}
		pr.Order.Idle(2)
		pr.Order.Close(3)
	}
	// A linear congruential generator: the same numbers for ever.
	n := uint64(i + 1)
	draw := func(of uint64) int {
		n = n*6364136223846793005 + 1442695040888963407
		return int(n >> 33 % of)
	}
	r := &request{identities: map[*fingerprint.Identity]Prints{}, scopes: map[*fingerprint.Scope]Scope{}, choices: map[string]int{}}
	r.Event = *p.event(int64(i)*300_000-int64(draw(5))*1_000_000, fmt.Sprint("session-", draw(4)), nil, 0)
	r.Prints, r.Scopes = nil, nil
	r.ID, r.Model, r.Caller = fmt.Sprint("id-", i-draw(2)), "gpt", []string{"", "key-1"}[draw(2)]
	r.Position = fingerprint.Position{Stream: int32(draw(2)), Offset: int64(i) * 1000, Line: int64(i)}
	r.Status, r.TokensIn, r.Cost = []int{200, 200, 429, -1}[draw(4)], int64(draw(1000)), float64(draw(100))/8
	if draw(20) == 0 {
		r.Time += int64(3 * jumpLimit / time.Microsecond)
	}
	r.exclude = []string{"", "", "", "", "", "probes"}[draw(6)]
	for _, id := range p.identities {
		prints := Prints{Fingerprints: []fingerprint.Fingerprint{p.print([]string{"A", "A", "A", "A", "A", "B"}[draw(6)])}}
		if draw(8) == 0 {
			prints = Prints{Cause: fingerprint.NoToolCall}
		} else if id == p.identities[2] {
			prints.Fingerprints[0], _ = fingerprint.FromBytes(prints.Fingerprints[0].Bytes()[:4])
		}
		r.identities[id] = prints
	}
	for _, s := range p.scopes {
		r.scopes[s] = p.scope(fmt.Sprint("session-", draw(4)))
	}
	for _, rule := range plan.Rules {
		r.choices[rule.Name] = draw(30)
		if r.choices[rule.Name] > 3 {
			r.choices[rule.Name] = 0 // plain
		}
	}
	r.Chat = parseChat([]byte([]string{
		"", "", "!/set(tool-loop-max-repeats=2, tool-loop-ttl=5)", "!/set(tool-loop-detection=false)", "!/set(tool-loop-mode=chance)",
		"!/unset(tool-loop-detection, tool-loop-ttl) !/set(tool-loop-ttl=x)",
	}[draw(6)]))
	pr.push(r.event(plan))
}

const sampleBreak, sampleEnd = 150, 300

// sampleState is the sample at its break.
func sampleState(tb testing.TB) []byte {
	tb.Helper()
	p, o := sample(tb)
	pr := newProcess(o)
	for i := range sampleBreak {
		sampleStep(p, o.plan, pr, i)
	}
	return pr.saved()
}

// TestSnapshotsOfAllVersions: what this version writes is what it has always
// written, and what each older version wrote can be gone on from. If the first
// fails, raise stateVersion, say there what changed, read what the old version
// wrote, and make a new file with -update; the old ones stay as they are.
func TestSnapshotsOfAllVersions(t *testing.T) {
	name := func(version int) string {
		return filepath.Join("testdata", "snapshot", fmt.Sprintf("v%d.bin", version))
	}
	state := sampleState(t)
	old, err := os.ReadFile(name(stateVersion))
	if *update && os.IsNotExist(err) {
		old, err = state, os.WriteFile(name(stateVersion), state, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(state, old) {
		t.Errorf("version %d is written in another way than before", stateVersion)
	}

	p, o := sample(t)
	whole := newProcess(o)
	for i := range sampleEnd {
		if i == sampleBreak {
			whole.said = nil
		}
		sampleStep(p, o.plan, whole, i)
	}
	whole.Engine.Close()
	for version := 1; version <= stateVersion; version++ {
		data, err := os.ReadFile(name(version))
		if err != nil {
			t.Fatal(err)
		}
		pr := newProcess(o)
		if _, err := pr.Load(snapshot.NewReader(data)); err != nil {
			t.Fatalf("version %d: %v", version, err)
		}
		for i := sampleBreak; i < sampleEnd; i++ {
			sampleStep(p, o.plan, pr, i)
		}
		pr.Engine.Close()
		if !slices.Equal(pr.said, whole.said) {
			t.Errorf("version %d: after the restart it says\n%s\nand without\n%s", version, strings.Join(pr.said, ""), strings.Join(whole.said, ""))
		}
	}
}

// TestSampleHasEverything: the sample is of use only if it holds what there is
// to hold.
func TestSampleHasEverything(t *testing.T) {
	p, o := sample(t)
	pr := newProcess(o)
	for i := range sampleBreak {
		sampleStep(p, o.plan, pr, i)
	}
	f := func(what string, n int) {
		t.Helper()
		if n == 0 {
			t.Errorf("the sample has no %s", what)
		}
	}
	for _, j := range pr.Engine.rules {
		f("keys of "+j.rule.Name, j.counter.Keys())
		f("episodes of "+j.rule.Name, j.episodes.open.live)
		if j.chats != nil {
			f("sessions of "+j.rule.Name, j.chats.sessions.live)
			f("commands of "+j.rule.Name, int(min(j.account.ChatSet, j.account.ChatInvalid)))
		}
		f("cause of "+j.rule.Name, int(j.account.NotComputable[fingerprint.NoToolCall]))
		if j.cooling != nil {
			f("cooling of "+j.rule.Name, j.cooling.live)
		}
		if own, ok := j.chances.(signatureChances); ok {
			f("chances of "+j.rule.Name, own.guided.live)
		}
	}
	f("drops", int(pr.Engine.rules[0].dropped()))
	f("waiting events", pr.Order.Waiting())
	f("ids", pr.Duplicates.seen.live)
	f("late events", int(pr.Order.stats.Late))
	f("ties", int(pr.Order.stats.Tied))
	if !slices.ContainsFunc(pr.Order.waiting, func(h held) bool { return h.ev.Exclude > 0 }) {
		t.Error("no event that waits is excluded")
	}
}

// TestVersionsToCome: a newer state is refused, and what to do is said; a
// section that is not known is passed over.
func TestVersionsToCome(t *testing.T) {
	_, o := sample(t)
	state := sampleState(t)
	const at = len("\x06window") + 8 // of the version
	newer := slices.Clone(state)
	newer[at]++
	_, err := newProcess(o).Load(snapshot.NewReader(newer))
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("the state has version %d, and this program knows versions up to %d: go on with the program that wrote it", stateVersion+1, stateVersion)) {
		t.Errorf("a newer version: %v", err)
	}
	w := snapshot.NewWriter(nil)
	w.Section("news", func() { w.String("what may this be") })
	r := snapshot.NewReader(append(slices.Clone(w.Bytes()), state...))
	pr := newProcess(o)
	if _, err := pr.Load(r); err != nil || !bytes.Equal(pr.saved(), state) {
		t.Errorf("beside another section: %v", err)
	}
}

// loadDamaged loads a state that may be anything. If it is taken, one can save
// it, load that and go on.
func loadDamaged(tb testing.TB, p *parts, o processOptions, data []byte) {
	tb.Helper()
	var before, after runtime.MemStats
	pr := newProcess(o)
	runtime.ReadMemStats(&before)
	_, err := pr.Load(snapshot.NewReader(data))
	runtime.ReadMemStats(&after)
	// Pages and blocks are made ahead of their use.
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(4<<20+100*len(data)); got > most {
		tb.Errorf("%d bytes allocated to load %d, want at most %d", got, len(data), most)
	}
	if err != nil {
		return
	}
	state := pr.saved()
	again := newProcess(o)
	if _, err := again.Load(snapshot.NewReader(state)); err != nil || !bytes.Equal(again.saved(), state) {
		tb.Errorf("what was saved of it cannot be loaded: %v", err)
	}
	for i := range int32(4) {
		pr.Order.Open(i, fingerprint.NoTime)
	}
	for i := sampleBreak; i < sampleBreak+40; i++ {
		sampleStep(p, o.plan, pr, i)
	}
	for i := range int32(len(pr.Order.streams)) {
		pr.Order.Close(i)
	}
	pr.release()
	pr.Engine.Close()
}

// TestDamagedStates: bytes that were changed, cut or doubled are refused or
// taken for another state, and never do harm.
func TestDamagedStates(t *testing.T) {
	p, o := sample(t)
	state := sampleState(t)
	for n := 0; n < len(state); n += 41 {
		if _, err := newProcess(o).Load(snapshot.NewReader(state[:n])); err == nil {
			t.Errorf("a state cut at byte %d of %d is taken", n, len(state))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		data := slices.Clone(state)
		for range rapid.IntRange(1, 4).Draw(rt, "changes") {
			at := rapid.IntRange(0, len(data)-1).Draw(rt, "at")
			switch rapid.IntRange(0, 2).Draw(rt, "what") {
			case 0:
				data[at] = rapid.Byte().Draw(rt, "byte")
			case 1:
				data[at] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
			case 2:
				to := rapid.IntRange(at, min(at+20, len(data))).Draw(rt, "to")
				data = slices.Insert(data, at, slices.Clone(data[at:to])...)
			}
		}
		loadDamaged(t, p, o, data)
	})
}

func FuzzLoad(f *testing.F) {
	p, o := sample(f)
	f.Add(sampleState(f))
	f.Add(newProcess(o).saved())
	f.Fuzz(func(t *testing.T, data []byte) {
		p.tb = t // what it makes from here on is made for t
		loadDamaged(t, p, o, data)
	})
}

// TestLoadRefuses: what no counter comes to hold, and would do harm, is refused
// by name.
func TestLoadRefuses(t *testing.T) {
	n := newNames(t)
	hit := &Hit{Scope: n.scope("s").Key, Print: n.print("A"), Time: 10, Limit: 200, Record: true}
	f := func(spec CounterSpec, spoil func(Counter), want string) {
		t.Helper()
		kind := CounterNamed(spec.Kind)
		c := kind.New(spec, 0)
		c.Count(hit)
		c.Count(hit)
		spoil(c)
		w := snapshot.NewWriter(nil)
		c.code(&coder{w.Codec(), 16})
		r := snapshot.NewReader(w.Bytes())
		kind.New(spec, 0).code(&coder{r.Codec(), 16})
		if err := r.Err(); err == nil && want != "" || err != nil && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v: %v, want %q", spec, err, want)
		}
	}
	cycling := CounterSpec{Kind: "cycle", Window: time.Second}
	run := func(from int64) func(Counter) {
		return func(c Counter) {
			own := c.(*cycle)
			own.steps.at(own.scopes.find(hit.Scope).steps)[1].run.from = from
		}
	}
	f(cycling, func(Counter) {}, "")
	f(cycling, run(-1), "a run begins outside its sequence")
	f(cycling, run(2), "a run begins outside its sequence")
	f(cycling, func(c Counter) {
		own := c.(*cycle)
		own.times.push(&own.scopes.find(hit.Scope).times, 10)
	}, "a sequence has more times than events")
	f(cycling, func(c Counter) { c.(*cycle).scopes.find(hit.Scope).next = math.MaxInt64 }, "may be 2305843009213693951 at most")
	f(CounterSpec{Kind: "tracker", Window: time.Second}, func(c Counter) {
		own := c.(*tracker)
		for range trackerCalls {
			own.calls.push(&own.sessions.find(hit.Scope).calls, call{time: 10})
		}
	}, "a number is 102, and may be 100 at most")
	f(CounterSpec{Kind: "sliding", Window: time.Second}, func(c Counter) {
		own := c.(*sliding)
		own.times.push(own.keys.find(pairKeyOf(hit)), 11)
	}, "a time is later than that of its key")
	f(CounterSpec{Kind: "fixed", Window: time.Second}, func(c Counter) {
		own := c.(*fixed)
		key := pairKeyOf(hit)
		key.scope[0]++
		own.keys.touch(key, 10)
		own.keys.entries.at(own.keys.newest).key = pairKeyOf(hit)
	}, "a key stands there twice")
}
