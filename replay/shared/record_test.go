package shared

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// callRule is a policy of one rule, on calls of tools.
const callRule = `
version: 1
lateness: 10s
rules:
  - {name: call, identity: tool-call, scope: [session], counter: {kind: sliding, window: 1m}, threshold: 3, action: warn}
`

func testPolicy(tb testing.TB, text string) *policy.Policy {
	tb.Helper()
	p, err := policy.Parse("rules", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func testPlan(tb testing.TB, text string) *window.Plan {
	tb.Helper()
	p := testPolicy(tb, text)
	return window.NewPlan(p.Rules, p.Exclude)
}

// events are those of one raw partition.
func events(plan *window.Plan, n int) []window.Event {
	block := ingest.NewBlock()
	block.Format = formats.ByName("loopgauge")
	for k, v := range made(rand.New(rand.NewPCG(1, 1)), n*rawPartitions)[0] {
		block.Data = append(block.Data, v...)
		block.Records = append(block.Records, ingest.Record{Offset: int64(k), End: len(block.Data)})
	}
	return replay.NewParser(plan, window.ExtractOptions{}, nil)(block).Events
}

var sameEvent = cmp.Options{cmpopts.IgnoreTypes(window.Link{}), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmp.AllowUnexported(record{}, place{}), cmp.Comparer(func(a, b fingerprint.Fingerprint) bool { return a.String() == b.String() })}

// TestRecord: what is written is read.
func TestRecord(t *testing.T) {
	plan := testPlan(t, rules)
	all := events(plan, 200)
	c := newCodec(plan, window.ExtractOptions{}, 10*time.Second)
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string) int64 { return rapid.Int64Range(0, 1<<62).Draw(t, name) }
		r := &record{
			origins: 1 + rapid.IntRange(0, 1<<30).Draw(t, "origins"), targets: rapid.IntRange(1, 1<<30).Draw(t, "targets"),
			at: place{number("epoch"), number("offset"), -1}, newest: rapid.Int64().Draw(t, "newest"),
		}
		if rapid.Bool().Draw(t, "event") {
			ev := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			ev.Position.Stream = int32(rapid.IntRange(0, r.origins-1).Draw(t, "origin"))
			if rapid.Bool().Draw(t, "spread") {
				ev.Portion = &window.Portion{Number: number("number"), Home: rapid.Bool().Draw(t, "home")}
				if ev.Portion.Home && ev.Exclude == 0 && rapid.Bool().Draw(t, "elsewhere") {
					ev.Portion.All = slices.Clone(ev.Rules)
					ev.Portion.All[0] = window.Plain
				}
			}
			r.event, r.origin, r.at.item = &ev, int(ev.Position.Stream), number("item")
		} else {
			r.idle, r.name = rapid.Bool().Draw(t, "idle"), rapid.String().Draw(t, "name")
		}
		value := c.write(r)
		got, err := c.read(value)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, got, sameEvent); diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
		if cut := value[:rapid.IntRange(0, len(value)-1).Draw(t, "cut")]; len(cut) < len(value) {
			if _, err := c.read(cut); err == nil {
				t.Fatal("a record that is cut was read")
			}
		}
	})
}

// TestRecordRefused: what was made for other rules is not judged; thresholds
// may change.
func TestRecordRefused(t *testing.T) {
	mark := &record{origins: 1, targets: 1}
	value := newCodec(testPlan(t, rules), window.ExtractOptions{}, 10*time.Second).write(mark)
	f := func(old, changed string, o window.ExtractOptions, lateness time.Duration, want string) {
		t.Helper()
		_, err := newCodec(testPlan(t, strings.Replace(rules, old, changed, 1)), o, lateness).read(value)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s instead of %s: %v, want %q", changed, old, err, want)
		}
	}
	const late = 10 * time.Second
	f("", "", window.ExtractOptions{}, late, "")
	f("threshold: 3", "threshold: 4", window.ExtractOptions{}, late, "")
	f("name: caller", "name: by-caller", window.ExtractOptions{}, late, "")
	f("window: 1m", "window: 2m", window.ExtractOptions{}, late, "")
	f("scope: [caller]", "scope: [user]", window.ExtractOptions{}, late, "other rules")
	f("identity: tool-call", "identity: request", window.ExtractOptions{}, late, "other rules")
	f("max_tokens == 1", "max_tokens == 2", window.ExtractOptions{}, late, "other rules")
	f("status == 200", "status == 500", window.ExtractOptions{}, late, "other rules")
	f("", "", window.ExtractOptions{HashIDs: true}, late, "other rules")
	f("", "", window.ExtractOptions{Key: []byte("0123456789abcdef")}, late, "other rules")
	f("", "", window.ExtractOptions{}, 5*time.Second, "other rules")

	c := newCodec(testPlan(t, rules), window.ExtractOptions{}, late)
	for _, bad := range []string{"", "{}", "\x00lg", `{"time":"2026-11-21T10:00:00Z"}`} {
		if _, err := c.read([]byte(bad)); err == nil || !strings.Contains(err.Error(), "did not write") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	value[len(magic)] = oldest
	if _, err := c.read(value); err != nil {
		t.Errorf("an earlier version: %v", err)
	}
	value[len(magic)] = version + 1
	if _, err := c.read(value); err == nil || !strings.Contains(err.Error(), "version 5") {
		t.Errorf("a later version: %v", err)
	}
}

// TestSpread: every rule that looks at a request is judged in one place, the
// same for all of one scope, and no request is left out.
func TestSpread(t *testing.T) {
	plan := testPlan(t, rules)
	all := events(plan, 500)
	for _, n := range []int{1, 2, 5, 64} {
		where := map[string]int{} // by scope
		used := map[int]bool{}
		for i := range all {
			ev := &all[i]
			judged := make([]int, len(ev.Rules))
			seen := map[int]bool{}
			homes, told := 0, make([]int, len(ev.Rules))
			ev.Portion = &window.Portion{Number: int64(i)}
			plan.Spread(ev, n, func(to int, part *window.Event) {
				if to < 0 || to >= n || seen[to] {
					t.Fatalf("request %d goes to %d of %d, %v", i, to, n, seen)
				}
				seen[to], used[to] = true, true
				if part.Portion.Number != int64(i) {
					t.Fatalf("request %d became %d", i, part.Portion.Number)
				}
				if part.Portion.Home {
					homes++
				}
				for r := range part.Rules {
					all := part.Rules[r]
					if part.Portion.Home && len(part.Portion.All) > 0 {
						all = part.Portion.All[r]
					}
					if part.Portion.Home && all != ev.Rules[r] {
						t.Fatalf("at home rule %d of request %d is %d, not %d", r, i, all, ev.Rules[r])
					}
					if !part.Elsewhere(r) {
						told[r]++
					}
				}
				for r, c := range part.Rules {
					if c == window.NotMatched {
						continue
					}
					if judged[r]++; c != ev.Rules[r] {
						t.Fatalf("rule %d became %d", r, c)
					}
					scope := &part.Scopes[plan.ScopeOf(r)]
					if scope.Cause != fingerprint.Computable || part.Prints[plan.IdentityOf(r)].Cause != fingerprint.Computable {
						continue
					}
					key := strings.Join(append(slices.Clone(plan.Scopes[plan.ScopeOf(r)].Fields), scope.Values...), " ")
					key = strings.Replace(key, "conversation", "session", 1)
					if before, ok := where[key]; ok && before != to {
						t.Fatalf("%s is in %d and %d", key, before, to)
					}
					where[key] = to
				}
			})
			if len(seen) == 0 {
				t.Fatalf("request %d goes nowhere", i)
			}
			if homes != 1 {
				t.Fatalf("request %d has %d homes", i, homes)
			}
			for r, c := range ev.Rules {
				if told[r] != 1 {
					t.Fatalf("rule %d is told of request %d %d times", r, i, told[r])
				}
				if (judged[r] == 1) != (c != window.NotMatched) || judged[r] > 1 {
					t.Fatalf("rule %d judges request %d %d times", r, i, judged[r])
				}
			}
		}
		if len(used) < min(n, 5) {
			t.Errorf("%d of %d are used", len(used), n)
		}
	}
}

// TestSpreadResults: a request that calls nothing and shows what came of a call goes
// where calls of its scope are judged, though no rule counts it: their kind is told
// there.
func TestSpreadResults(t *testing.T) {
	plan := testPlan(t, "version: 1\nrules:\n  - {name: caller, identity: tool-call, scope: [caller], counter: {kind: sliding, window: 1m}, threshold: 3}\n").WithEvidence()
	block := ingest.NewBlock()
	block.Format = formats.ByName("loopgauge")
	for k := range 40 {
		for _, v := range []string{
			`"tool_calls":[{"id":"c","name":"f","arguments":"{}"}],"messages":[{"role":"user","content":"go"}]`,
			`"tool_calls":[],"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"no"}]`,
		} {
			n := len(block.Records)
			block.Data = fmt.Appendf(block.Data, `{"time":%d,"id":"r%d","session":"s%d","caller":"team-%d","status":200,%s}`, 1_790_000_000+n, n, k, k%20, v)
			block.Records = append(block.Records, ingest.Record{Offset: int64(n), End: len(block.Data)})
		}
	}
	where := map[string]int{}
	for _, ev := range replay.NewParser(plan, window.ExtractOptions{}, nil)(block).Events {
		plan.Spread(&ev, 5, func(to int, part *window.Event) {
			if before, ok := where[ev.Caller]; ok && before != to {
				t.Errorf("%s of %s goes to %d, and what it did before to %d", ev.ID, ev.Caller, to, before)
			}
			where[ev.Caller] = to
		})
	}
	if len(where) != 20 {
		t.Errorf("%d callers", len(where))
	}
}

// TestRepeats: several writers write the same records, each in their order from
// some place on that is written already, as a process does that takes a
// partition over while the one before goes on; and writes that seemed lost
// arrive late. Each record counts once.
func TestRepeats(t *testing.T) {
	plan := testPlan(t, rules)
	all := events(plan, 60)
	rapid.Check(t, func(t *rapid.T) {
		const origins = 2
		log := slog.New(slog.DiscardHandler)
		j := &judge{w: &watch{o: WatchOptions{Job: live.Job{Log: log}}}, Judging: &live.Judging{Router: sinks.NewRouter(sinks.NewOutbox(log), sinks.Routes{}, nil)}}
		var got []fingerprint.Position
		j.Pipeline = replay.NewPipeline(replay.PipelineOptions{
			Plan: plan, Lateness: time.Hour, Since: fingerprint.NoTime, Until: fingerprint.NoTime,
			Event: func(ev *window.Event) error { got = append(got, ev.Position); return nil },
		})
		var want []fingerprint.Position
		type writer struct{ origin, next int }
		var records [origins][]*record
		var written [origins]int
		var writers []writer
		for o := range origins {
			for i := range all {
				ev := all[i]
				ev.Position.Stream = int32(o)
				if ev.Exclude == 0 {
					want = append(want, ev.Position)
				}
				r := &record{origin: o, origins: origins, targets: 1, newest: all[0].Time, at: place{0, ev.Position.Offset, int64(ev.Position.Item)}}
				if rapid.IntRange(0, 4).Draw(t, "mark") == 0 {
					mark := *r
					mark.at.item = -1
					records[o] = append(records[o], &mark)
				}
				r.event = &ev
				records[o] = append(records[o], r)
			}
			writers = append(writers, writer{o, 0})
		}
		add := func(r *record) {
			if r.event != nil {
				ev := *r.event
				again := *r
				again.event = &ev
				r = &again
			}
			if err := j.add(r); err != nil {
				t.Fatal(err)
			}
		}
		for written[0] < len(records[0]) || written[1] < len(records[1]) {
			switch o := rapid.IntRange(0, origins-1).Draw(t, "origin"); rapid.IntRange(0, 30).Draw(t, "what") {
			case 0: // another takes over
				writers = append(writers, writer{o, rapid.IntRange(0, written[o]).Draw(t, "from")})
			case 1: // arrives late
				if written[o] > 0 {
					add(records[o][rapid.IntRange(0, written[o]-1).Draw(t, "late")])
				}
			default:
				w := &writers[rapid.IntRange(0, len(writers)-1).Draw(t, "writer")]
				if w.next < len(records[w.origin]) {
					add(records[w.origin][w.next])
					w.next++
					written[w.origin] = max(written[w.origin], w.next)
				}
			}
		}
		for o := range int32(origins) {
			j.Pipeline.Order.Close(o)
		}
		if err := j.release(); err != nil {
			t.Fatal(err)
		}
		order := func(a, b fingerprint.Position) int {
			if a.Before(b) {
				return -1
			}
			return 1
		}
		slices.SortFunc(got, order)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-written +counted):\n%s", diff)
		}
	})
}

// countingJudge counts what it judges.
type countingJudge struct {
	*judge
	judged int
}

func newCountingJudge(plan *window.Plan) *countingJudge {
	log := slog.New(slog.DiscardHandler)
	j := &countingJudge{judge: &judge{w: &watch{o: WatchOptions{Job: live.Job{Log: log}}}, Judging: &live.Judging{Router: sinks.NewRouter(sinks.NewOutbox(log), sinks.Routes{}, nil)}}}
	j.Pipeline = replay.NewPipeline(replay.PipelineOptions{
		Plan: plan, Lateness: time.Second, Since: fingerprint.NoTime, Until: fingerprint.NoTime,
		Event: func(*window.Event) error { j.judged++; return nil },
	})
	return j
}

// see takes a record in, and judges what it releases.
func (j *countingJudge) see(t *testing.T, r *record) {
	t.Helper()
	if err := j.add(r); err != nil {
		t.Fatal(err)
	}
	if err := j.release(); err != nil {
		t.Fatal(err)
	}
}

// TestIdleMark: an origin that is idle holds nothing back until it says that it
// is so no more, as it does before it is extracted again.
func TestIdleMark(t *testing.T) {
	plan := testPlan(t, rules)
	f := func(awake bool, want int) {
		t.Helper()
		all := slices.DeleteFunc(events(plan, 60), func(ev window.Event) bool { return ev.Exclude != 0 })
		j := newCountingJudge(plan)
		var offsets [2]int64
		add := func(origin int, second int64, idle, mark bool) {
			r := &record{origin: origin, origins: 2, targets: 1, newest: all[0].Time + second*1e6, idle: idle}
			if mark {
				r.at = place{0, offsets[origin], -1}
			} else {
				ev := all[offsets[origin]]
				ev.Time = r.newest
				ev.Position = fingerprint.Position{Stream: int32(origin), Offset: offsets[origin]}
				r.event, r.at = &ev, place{0, offsets[origin], 0}
				offsets[origin]++
			}
			j.see(t, r)
		}
		add(0, 0, false, false)
		add(1, 0, false, false)
		add(0, 0, true, true)
		add(1, 0, true, true)
		if awake {
			add(0, 0, false, true)
			add(1, 0, false, true)
		}
		add(0, 100, false, false)
		add(0, 200, false, false)
		add(1, 50, false, false)
		add(0, 200, true, true)
		add(1, 50, true, true)
		if j.judged != want {
			t.Errorf("awake %v: %d are judged, want %d", awake, j.judged, want)
		}
	}
	f(false, 4)
	f(true, 5)
}

// FuzzRecord: nothing that stands in a topic breaks the reader.
func FuzzRecord(f *testing.F) {
	plan := testPlan(f, rules)
	c := newCodec(plan, window.ExtractOptions{}, time.Second)
	for _, ev := range events(plan, 20)[:5] {
		f.Add(c.write(&record{origins: 1, targets: 3, event: &ev}))
	}
	f.Add(c.write(&record{origins: 3, targets: 3, idle: true}))
	f.Fuzz(func(t *testing.T, value []byte) {
		r, err := c.read(value)
		if err != nil {
			return
		}
		again, err := c.read(c.write(r))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, again, sameEvent); diff != "" {
			t.Fatal(diff)
		}
	})
}

func BenchmarkRecord(b *testing.B) {
	plan := testPlan(b, rules)
	all := events(plan, 200)
	c := newCodec(plan, window.ExtractOptions{}, time.Second)
	b.Run("write", func(b *testing.B) {
		size := 0
		for i := range b.N {
			size += len(c.write(&record{origins: 1, targets: 3, event: &all[i%len(all)]}))
		}
		b.ReportMetric(float64(size)/float64(b.N), "B/record")
	})
	b.Run("read", func(b *testing.B) {
		var values [][]byte
		for i := range all {
			values = append(values, c.write(&record{origins: 1, targets: 3, event: &all[i]}))
		}
		for i := range b.N {
			if _, err := c.read(values[i%len(values)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
