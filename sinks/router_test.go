package sinks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/window"
)

const second = int64(time.Second / time.Microsecond)

func must(tb rapid.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// incident is one as window.Incidents reports it.
func incident(id string, revision int, state window.IncidentState, t int64) *window.Incident {
	return &window.Incident{
		ID: id, Revision: revision, State: state, Time: t, Rule: "r", Rules: []string{"r"}, Identity: "request", Action: window.Warn,
		Model: "m", Caller: "c", Session: id, Fired: t, Last: t, Tokens: -1, Cost: math.NaN(),
	}
}

// put is what waits in an outbox for a sink.
func put(o *Outbox, sink string) string {
	var list []string
	for _, e := range o.entries {
		if e.waitsFor(sink) {
			a := e.alert
			id := a.ID
			if a.Digest() {
				id = fmt.Sprintf("digest(%d)", a.Loops)
			}
			list = append(list, fmt.Sprintf("%s.%d=%s", id, a.Revision, a.State))
		}
	}
	return strings.Join(list, " ")
}

func TestDigest(t *testing.T) {
	o := NewOutbox(quietly, &scripted{name: "a"})
	r := NewRouter(o, Routes{}, nil)
	f := func(in *window.Incident, want string) {
		t.Helper()
		o.entries, o.states["a"].Waiting = nil, 0
		r.Take(in)
		if got := put(o, "a"); got != want {
			t.Errorf("%s.%d %s: %s, want %s", in.ID, in.Revision, in.State, got, want)
		}
	}
	for i := range 5 {
		f(incident(fmt.Sprint("own", i), 1, window.Opened, int64(i)*second), fmt.Sprintf("own%d.1=opened", i))
	}
	f(incident("d1", 1, window.Opened, 5*second), "digest(1).1=opened")
	for i := 2; i < 10; i++ {
		f(incident(fmt.Sprint("d", i), 1, window.Opened, 6*second), "")
	}
	f(incident("d10", 1, window.Opened, 7*second), "digest(10).2=grown")
	// One that is in the digest counts once, and its end is not told of.
	f(incident("d1", 2, window.Grown, 8*second), "")
	f(incident("d2", 2, window.Closed, 9*second), "")
	// One that is known goes on being told of.
	f(incident("own0", 2, window.Grown, 10*second), "own0.2=grown")
	// A minute after the first there is room again, and the digest goes on.
	f(incident("own5", 1, window.Opened, 60*second), "own5.1=opened")
	f(incident("d11", 1, window.Opened, 60*second), "")
	// A loop of the digest that grows is told of when there is room.
	f(incident("d1", 3, window.Grown, 61*second), "d1.3=opened")
	f(incident("d1", 4, window.Closed, 62*second), "d1.4=closed")
	f(incident("own0", 3, window.Closed, 120*second), "digest(11).3=closed own0.3=closed")
	f(incident("own0", 1, window.Opened, 121*second), "own0.1=opened")
}

// A digest says of whom its loops are as long as all agree.
func TestDigestFields(t *testing.T) {
	o := NewOutbox(quietly, &scripted{name: "a"})
	r := NewRouter(o, Routes{}, nil)
	for i := range 7 {
		in := incident(fmt.Sprint(i), 1, window.Opened, second)
		in.Tool, in.Path = "ls", "/v1"
		if i == 6 {
			in.Path, in.Rule, in.Model, in.Action = "/v2", "s", "n", window.Reject
			in.Rules = []string{"s", "r"}
		}
		r.Take(in)
	}
	r.End()
	a := o.entries[len(o.entries)-1].alert
	if a.State != window.Closed || a.Loops != 2 || a.Caller != "c" || a.Model != "" || a.Session != "" || a.Severity != window.Warning ||
		!slices.Equal(a.Rules, []string{"r", "s"}) || a.Time != window.Stamp(61*second) || a.Last != window.Stamp(second) || a.WindowS != 60 || a.Threshold != 5 {
		t.Errorf("%+v", a)
	}
	if a.Tool != "ls" || a.Repeats != "tool ls" || a.Path != "" || a.Example == nil || *a.Example != (Example{ID: "5", Session: "5"}) {
		t.Errorf("%+v, example %+v", a, a.Example)
	}
}

// A digest matters as much as the most that a loop of it does, and more with
// each growth. A sink that single loops do not matter enough to hears of many.
func TestDigestSeverity(t *testing.T) {
	f := func(loops int, action window.Action, grown int, want string) {
		t.Helper()
		o := NewOutbox(quietly, &scripted{name: "log"}, &scripted{name: "pager"}, &scripted{name: "team"}, &scripted{name: "none"})
		r := NewRouter(o, Routes{
			Least: map[string]window.Severity{"pager": window.Warning},
			List: []Route{
				{func(a *Alert) bool { return a.Severity == window.Critical }, []string{"log", "pager", "team"}},
				{func(*Alert) bool { return true }, []string{"log", "pager"}},
			},
		}, nil)
		for i := range 5 + loops {
			in := incident(fmt.Sprint(i), 1, window.Opened, second)
			in.Action = action
			r.Take(in)
			if i == 5 && grown > 0 {
				in.Revision, in.State = 1+grown, window.Grown
				r.Take(in)
			}
		}
		r.End()
		got := ""
		for _, sink := range o.Names() {
			var list []string
			for _, e := range o.entries {
				if a := e.alert; a.Digest() && e.waitsFor(sink) {
					list = append(list, fmt.Sprintf("%s(%d) %s", a.Event, a.Loops, a.Severity))
				}
			}
			if list != nil {
				got += sink + ": " + strings.ReplaceAll(strings.Join(list, ", "), "digest.", "") + "\n"
			}
		}
		if got != want {
			t.Errorf("of %d loops:\n%swant\n%s", loops, got, want)
		}
	}
	f(0, window.Warn, 0, "")
	f(9, window.Warn, 0, "log: opened(1) info, closed(9) info\n")
	f(9, window.Warn, 1, "log: opened(1) info, closed(9) warning\n")
	f(10, window.Warn, 0, "log: opened(1) info, grown(10) warning, closed(10) warning\npager: opened(10) warning, closed(10) warning\n")
	f(10, window.Warn, 1, "log: opened(1) info, grown(10) critical, closed(10) critical\npager: opened(10) warning, closed(10) warning\nteam: opened(10) critical, closed(10) critical\n")
	f(195, window.Warn, 0, "log: opened(1) info, grown(10) warning, grown(100) critical, closed(195) critical\n"+
		"pager: opened(10) warning, grown(100) critical, closed(195) critical\nteam: opened(100) critical, closed(195) critical\n")
	f(12, window.Reject, 0, "log: opened(1) warning, grown(10) critical, closed(12) critical\n"+
		"pager: opened(1) warning, grown(10) critical, closed(12) critical\nteam: opened(10) critical, closed(12) critical\n")
}

// Loops that a sink hears of in no case are none of its many.
func TestDigestOfOthers(t *testing.T) {
	o := NewOutbox(quietly, &scripted{name: "pager"})
	r := NewRouter(o, Routes{
		Least: map[string]window.Severity{"pager": window.Warning},
		List:  []Route{{Match: func(a *Alert) bool { return a.Caller == "probe" }}},
	}, nil)
	for i := range 20 {
		in := incident(fmt.Sprint(i), 1, window.Opened, second)
		if i >= 5 && i < 11 { // of ten more than five it would hear
			in.Caller = "probe"
		}
		r.Take(in)
	}
	if got := put(o, "pager"); got != "" {
		t.Errorf("it is told %q", got)
	}
}

// Sinks that are no more are named in order.
func TestGone(t *testing.T) {
	var list []Sink
	for _, name := range []string{"e", "b", "d", "a", "c"} {
		list = append(list, &scripted{name: name})
	}
	saved := NewRouter(NewOutbox(quietly, list...), Routes{}, nil).Save()
	r := NewRouter(NewOutbox(quietly, &scripted{name: "c"}), Routes{}, nil)
	if err := r.Load(saved); err != nil || strings.Join(r.Gone(), " ") != "a b d e" {
		t.Errorf("%q, %v", r.Gone(), err)
	}
}

// What waited for a sink that is no more goes where routes say, to new sinks if
// there are any, and who hears of an incident so hears of its end.
func TestInherit(t *testing.T) {
	saved := NewRouter(NewOutbox(quietly, &scripted{name: "old"}, &scripted{name: "b"}), Routes{}, nil)
	saved.Take(incident("x", 1, window.Opened, second))
	saved.Take(incident("y", 1, window.Opened, second))
	saved.Take(incident("w", 1, window.Opened, second))
	saved.Take(incident("w", 2, window.Closed, second))
	for _, e := range saved.outbox.entries { // b has them
		e.to = []string{"old"}
	}
	saved.Take(incident("z", 1, window.Opened, second)) // b has it not
	saved.receivers[1].open = map[string]bool{}
	o := NewOutbox(quietly, &scripted{name: "new"}, &scripted{name: "b"}, &scripted{name: "pager"})
	r := NewRouter(o, Routes{
		Least: map[string]window.Severity{"pager": window.Critical},
		List: []Route{
			{Match: func(a *Alert) bool { return a.ID != "y" }, To: []string{"new", "b", "pager"}},
			{Match: func(*Alert) bool { return true }, To: []string{"b"}},
		},
	}, nil)
	must(t, r.Load(saved.Save()))
	r.Take(incident("x", 2, window.Closed, 2*second))
	for name, want := range map[string]string{"new": "x.1=opened w.1=opened w.2=closed z.1=opened x.2=closed", "b": "y.1=opened z.1=opened", "pager": ""} {
		if got := put(o, name); got != want {
			t.Errorf("%s is told %q, want %q", name, got, want)
		}
	}
	if open := r.receivers[0].open; len(open) != 1 || !open["z"] {
		t.Errorf("to the new one open are %v, want z alone", open)
	}

	// What waits for one that is still there, too, goes to that alone, once.
	saved = NewRouter(NewOutbox(quietly, &scripted{name: "old"}, &scripted{name: "b"}, &scripted{name: "c"}), Routes{}, nil)
	saved.Take(incident("x", 1, window.Opened, second))
	saved.outbox.entries[0].to = []string{"old", "b"} // c has it
	o = NewOutbox(quietly, &scripted{name: "b"}, &scripted{name: "c"})
	if err := NewRouter(o, Routes{}, nil).Load(saved.Save()); err != nil || o.Stats()[0].Waiting != 1 || put(o, "c") != "" {
		t.Errorf("%+v, c is told %q: %v", o.Stats(), put(o, "c"), err)
	}

	// Without a new sink it goes to who knows of the incident, whatever routes say now.
	saved = NewRouter(NewOutbox(quietly, &scripted{name: "old"}, &scripted{name: "b"}), Routes{}, nil)
	saved.Take(incident("x", 1, window.Opened, second))
	saved.outbox.entries[0].to = []string{"old"}
	o = NewOutbox(quietly, &scripted{name: "b"})
	r = NewRouter(o, Routes{List: []Route{{Match: func(*Alert) bool { return true }}}}, nil)
	if err := r.Load(saved.Save()); err != nil || put(o, "b") != "x.1=opened" {
		t.Errorf("b is told %q: %v", put(o, "b"), err)
	}
}

// A digest is over a minute after its last loop, whenever that is seen; each
// sink has one of its own.
func TestDigestOver(t *testing.T) {
	o := NewOutbox(quietly, &scripted{name: "a"}, &scripted{name: "b"})
	r := NewRouter(o, Routes{}, nil)
	for i := range 6 {
		r.Take(incident(fmt.Sprint(i), 1, window.Opened, second))
	}
	opened := len(o.entries)
	r.Advance(3600 * second)
	over := o.entries[opened:]
	if len(over) != 2 || over[0].alert.ID == over[1].alert.ID {
		t.Fatalf("%d digests are over", len(over))
	}
	for _, e := range over {
		if e.alert.State != window.Closed || e.alert.Time != window.Stamp(61*second) {
			t.Errorf("%+v", e.alert)
		}
	}
}

// TestStorm: of 10,000 loops within a minute hardly more than the digest goes
// out, and little is kept.
func TestStorm(t *testing.T) {
	a := &scripted{name: "a"}
	o := NewOutbox(quietly, a)
	r := NewRouter(o, Routes{}, nil)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const loops = 10_000
	for i := range int64(loops) {
		r.Advance(i * 5000)
		r.Take(incident(fmt.Sprint(i), 1, window.Opened, i*5000))
	}
	for i := range int64(loops) { // all of them grow within the next minute
		r.Advance(59*second + i*100)
		r.Take(incident(fmt.Sprint(i), 2, window.Grown, 59*second+i*100))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("%d bytes are kept", grown)
	}
	if n := len(r.Save()); n > 64<<10 {
		t.Errorf("a checkpoint holds %d bytes of it", n)
	}
	r.End()
	own, digests := 0, ""
	for _, e := range o.entries {
		if e.alert.Digest() {
			digests += fmt.Sprintf(" %s(%d)", e.alert.State, e.alert.Loops)
		} else {
			own++
		}
	}
	if want := " opened(1) grown(10) grown(100) grown(1000) closed(9995)"; digests != want || own != 10 {
		t.Errorf("%d alerts, and of the digest%s, want 10, and%s", own, digests, want)
	}
}

func TestRoutes(t *testing.T) {
	o := NewOutbox(quietly, &scripted{name: "log"}, &scripted{name: "team"}, &scripted{name: "pager"}, &scripted{name: "all"})
	r := NewRouter(o, Routes{
		Least: map[string]window.Severity{"pager": window.Warning},
		List: []Route{
			{func(a *Alert) bool { return a.Caller == "probe" }, []string{"log"}},
			{func(a *Alert) bool { return a.Model == "team's" }, []string{"log", "team", "pager"}},
		},
	}, nil)
	f := func(in *window.Incident, log, team, pager, all string) {
		t.Helper()
		o.entries = nil
		r.Take(in)
		for sink, want := range map[string]string{"log": log, "team": team, "pager": pager, "all": all} {
			if got := put(o, sink); got != want {
				t.Errorf("%s.%d %s for %s: %q, want %q", in.ID, in.Revision, in.State, sink, got, want)
			}
		}
	}
	in := incident("a", 1, window.Opened, second)
	f(in, "a.1=opened", "a.1=opened", "", "a.1=opened") // no route: to all
	in.Model = "team's"
	f(in, "a.1=opened", "a.1=opened", "", "a.1=opened") // whoever knows of it hears of it
	in.ID = "b"
	f(in, "b.1=opened", "b.1=opened", "", "")
	in.Revision, in.State = 2, window.Grown
	f(in, "b.2=grown", "b.2=grown", "b.2=opened", "") // matters enough now: it is new to the pager
	in.Revision, in.State = 3, window.Closed
	f(in, "b.3=closed", "b.3=closed", "b.3=closed", "")
	probe := incident("p", 1, window.Opened, second)
	probe.Caller = "probe"
	f(probe, "p.1=opened", "", "", "")
	reject := incident("r", 1, window.Opened, second)
	reject.Action = window.Reject
	f(reject, "r.1=opened", "r.1=opened", "r.1=opened", "r.1=opened")
	f(incident("unknown", 2, window.Closed, second), "", "", "", "")
}

// TestRouterRestart: however often a run is stopped and goes on, the alerts
// are the same.
func TestRouterRestart(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var steps []*window.Incident
		revisions, now := map[string]int{}, int64(0)
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			now += rapid.SampledFrom([]int64{0, second, 20 * second, 61 * second}).Draw(rt, "pause")
			id := fmt.Sprint(rapid.IntRange(0, 15).Draw(rt, "id"))
			state := window.Opened
			if revisions[id] > 0 {
				state = rapid.SampledFrom([]window.IncidentState{window.Grown, window.Closed}).Draw(rt, "state")
			}
			revisions[id]++
			steps = append(steps, incident(id, revisions[id], state, now))
			if state == window.Closed {
				revisions[id] = 0
			}
		}
		routes := Routes{Least: map[string]window.Severity{"b": window.Warning}}
		run := func(stops []bool) string {
			o := NewOutbox(quietly, &scripted{name: "a"}, &scripted{name: "b"})
			r := NewRouter(o, routes, nil)
			for i, in := range steps {
				if stops[i] {
					saved := r.Save()
					o = NewOutbox(quietly, &scripted{name: "a"}, &scripted{name: "b"})
					r = NewRouter(o, routes, nil)
					must(rt, r.Load(saved))
				}
				r.Advance(in.Time)
				r.Take(in)
			}
			r.End()
			b, err := json.Marshal(o.save())
			must(rt, err)
			return string(b)
		}
		stops := rapid.SliceOfN(rapid.Bool(), len(steps), len(steps)).Draw(rt, "stops")
		if got, want := run(stops), run(make([]bool, len(steps))); got != want {
			rt.Fatalf("with restarts\n%s\nwithout\n%s", got, want)
		}
	})
}

// TestAlertStays: an incident goes on while alerts of it wait.
func TestAlertStays(t *testing.T) {
	in := incident("a", 1, window.Opened, 0)
	in.Seen = []window.Seen{{Rule: "r", Limit: 3, Count: 3, Quiet: 4}}
	in.Fields, in.Scope = []string{"session"}, []string{"s"}
	a := NewAlert(in, nil)
	before := string(a.Marshal())
	in.Rules[0], in.Fields[0], in.Scope[0] = "other", "other", "other"
	in.Seen[0] = window.Seen{Rule: "other", Limit: 4, Count: 30, Quiet: 31}
	if after := string(a.Marshal()); after != before {
		t.Errorf("it said\n%s\nand says\n%s", before, after)
	}
}

// What is not known of an incident is null, and nothing else is.
func TestAlertNulls(t *testing.T) {
	f := func(tokens int64, cost float64, quiet int, profile, want string) {
		t.Helper()
		in := incident("a", 1, window.Opened, 0)
		in.Action, in.Profile = window.Reject, profile
		in.Tokens, in.Cost, in.Seen = tokens, cost, []window.Seen{{Rule: "r", Quiet: quiet}}
		text := string(NewAlert(in, nil).Marshal())
		for part := range strings.SplitSeq(want, " ") {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %s", text, part)
			}
		}
	}
	f(-1, math.NaN(), 0, "", `"response":null "tokens_after":null "cost_after":null "threshold_would_not_fire":null`)
	f(0, 0, 1, "aisg", `"response":{"gateway": "tokens_after":0 "cost_after":0 "threshold_would_not_fire":1`)
}

func TestSeverity(t *testing.T) {
	f := func(action window.Action, revision int, state window.IncidentState, want window.Severity) {
		t.Helper()
		in := incident("a", revision, state, 0)
		in.Action = action
		if got := NewAlert(in, nil).Severity; got != want {
			t.Errorf("%s, %s, revision %d: %s, want %s", action, state, revision, got, want)
		}
	}
	f(window.Warn, 1, window.Opened, window.Info)
	f(window.Warn, 2, window.Grown, window.Warning)
	f(window.Warn, 3, window.Grown, window.Critical)
	f(window.Warn, 9, window.Grown, window.Critical)
	f(window.Warn, 2, window.Closed, window.Info)
	f(window.Warn, 3, window.Closed, window.Warning)
	f(window.Guide, 1, window.Opened, window.Info)
	f(window.Throttle, 1, window.Opened, window.Warning)
	f(window.Reject, 1, window.Opened, window.Warning)
	f(window.Break, 2, window.Grown, window.Critical)
}

// TestOutboxFull: what goes first is what is over, the oldest first, and only
// for the sink that takes nothing.
func TestOutboxFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := &scripted{name: "dead", answers: slices.Repeat([]error{errors.New("down")}, 1000)}
		well := &scripted{name: "well"}
		const most = 100
		o := NewOutbox(quietly, dead, well)
		o.most = most
		serve(t, o)
		add := func(id string, revision int, state window.IncidentState) {
			a := alert(id, revision)
			a.State = state
			began := time.Now()
			o.Add(a, o.Names()...)
			o.Allow(o.Last())
			if took := time.Since(began); took > 0 {
				t.Fatalf("held up for %s", took)
			}
			synctest.Wait()
		}
		add("open", 1, window.Opened)
		add("over", 1, window.Opened)
		for i := range most - 4 {
			add(fmt.Sprint("x", i), 1, window.Opened)
		}
		add("over", 2, window.Closed)
		add("x7", 2, window.Closed)
		if s := o.Stats(); s[0].Waiting != most || s[0].Dropped != 0 || s[1].Waiting != 0 {
			t.Fatalf("%+v", s)
		}
		add("new", 1, window.Opened) // two of "over" go
		if s := o.Stats()[0]; s.Waiting != most-1 || s.Dropped != 2 || strings.Contains(put(o, "dead"), "over") {
			t.Errorf("%+v", s)
		}
		add("new", 2, window.Grown)
		add("new", 3, window.Grown) // two of "x7" go
		if s := o.Stats()[0]; s.Dropped != 4 || strings.Contains(put(o, "dead"), "x7.") {
			t.Errorf("%+v", s)
		}
		add("new", 4, window.Grown)
		add("new", 5, window.Grown) // nothing is over: the oldest goes
		if s, waits := o.Stats()[0], put(o, "dead"); s.Dropped != 5 || s.Waiting != most || !strings.HasPrefix(waits, "x0.1=opened ") || !strings.HasSuffix(waits, " new.5=grown") {
			t.Errorf("%+v", s)
		}
		if s := o.Stats()[1]; s.Sent != most+5 || s.Dropped != 0 {
			t.Errorf("the sink that is well: %+v", s)
		}
	})
}

// pipes lets HTTP run in a bubble of synctest, over connections in memory.
type pipes struct {
	conns chan net.Conn
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours, nil
}

func (p *pipes) Accept() (net.Conn, error) {
	c, ok := <-p.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p *pipes) Close() error   { close(p.conns); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// TestReceiverDown: whatever a receiver does for ten minutes, nothing is lost,
// nobody is held up, and the other sink has everything at once.
func TestReceiverDown(t *testing.T) {
	f := func(name string, down http.HandlerFunc, dial func() error) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const outage = 10 * time.Minute
				began := time.Now()
				isDown := func() bool { return time.Since(began) < outage }
				var mu sync.Mutex
				var got []string
				listener := &pipes{make(chan net.Conn)}
				server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if isDown() {
						down(w, r)
						return
					}
					mu.Lock()
					defer mu.Unlock()
					got = append(got, r.Header.Get("Idempotency-Key"))
				})}
				served := make(chan struct{})
				go func() {
					defer close(served)
					_ = server.Serve(listener)
				}()
				hook, well := NewWebhook(WebhookOptions{URL: "http://127.0.0.1/"}), &scripted{name: "well"}
				transport := hook.client.Transport.(*http.Transport)
				transport.Proxy = nil
				transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					if dial != nil && isDown() {
						return nil, dial()
					}
					return listener.dial(ctx, network, address)
				}
				o := NewOutbox(quietly, hook, well)
				stop := serve(t, o)
				var want []string
				for i := range 60 {
					a := alert(fmt.Sprint("ep-", i), 1)
					before := time.Now()
					o.Add(a, o.Names()...)
					o.Allow(o.Last())
					if took := time.Since(before); took > 0 {
						t.Fatalf("held up for %s", took)
					}
					want = append(want, fmt.Sprintf("ep-%d-1", i))
					synctest.Wait()
					if n := strings.Count(well.sent(), "ep-"); n != i+1 {
						t.Fatalf("the other sink has %d of %d", n, i+1)
					}
					time.Sleep(10 * time.Second)
				}
				if s := o.Stats()[0]; s.Sent != 0 || s.Waiting != 60 || s.Failed < 1 {
					t.Errorf("while it is down: %+v", s)
				}
				time.Sleep(LongestLater + 2*lastRetry)
				mu.Lock()
				if !slices.Equal(got, want) {
					t.Errorf("%d alerts came, want %d in their order", len(got), len(want))
				}
				mu.Unlock()
				if s := o.Stats()[0]; s.Sent != 60 || s.Waiting+int(s.Refused+s.Dropped) != 0 {
					t.Errorf("afterwards: %+v", s)
				}
				stop()
				transport.CloseIdleConnections()
				_ = server.Close()
				<-served
			})
		})
	}
	answer := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
		}
	}
	raw := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = c.Write([]byte(text))
				_ = c.Close()
			}
		}
	}
	f("hangs", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}, nil)
	f("refuses", nil, func() error { return errors.New("connection refused") })
	f("500", answer(500), nil)
	f("429", answer(429), nil)
	f("429, come again in an hour", answer(429, "Retry-After", "3600"), nil)
	f("garbage", raw("garbage\r\n\r\n"), nil)
	f("drops", raw(""), nil)
	f("401: a token was revoked", answer(401), nil)
	f("403", answer(403), nil)
	f("404: it has moved", answer(404), nil)
	f("redirects", answer(302, "Location", "http://127.0.0.1/elsewhere"), nil)
}
