package window_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// eventsOf are the events of a fixture for a plan, in the order of the file.
func eventsOf(tb testing.TB, file string, plan *window.Plan, o window.ExtractOptions) []window.Event {
	tb.Helper()
	extractor := plan.NewExtractor(o)
	eachRequest(tb, file, plan, extractor.Add)
	return extractor.Block().Events
}

// agents is a log of real agents: a small one with -short, as each profile reads it.
func agents() string {
	if testing.Short() {
		return "../fixtures/tau2/agents.jsonl.zst"
	}
	return "../fixtures/tau2/tau2_litellm.jsonl.zst"
}

// eachRequest reads the requests of a fixture as a plan needs them.
func eachRequest(tb testing.TB, file string, plan *window.Plan, f func(*fingerprint.Request)) {
	tb.Helper()
	sources, err := ingest.Find([]string{file}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	streams, failed := ingest.OpenAll(sources, 0, ingest.Options{})
	if len(failed) > 0 {
		tb.Fatal(failed)
	}
	defer streams[0].Close()
	reader := ingest.NewReader(plan.Reads)
	for {
		block, err := streams[0].Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			tb.Fatal(err)
		}
		reader.Read(block, f, func(s ingest.Skip) { tb.Fatalf("%+v", s) })
		block.Release()
	}
}

// run is a process that judges a log.
type run struct {
	window.State
	said *bytes.Buffer
}

func newRun(p *policy.Policy, plan *window.Plan, said *bytes.Buffer) *run {
	return &run{said: said, State: window.State{
		Plan: plan, Order: window.NewOrder(time.Minute), Duplicates: window.NewDuplicates(p.Duplicates),
		Engine: window.NewEngine(plan, window.EngineOptions{
			MaxKeys: 50,
			Verdict: func(v *window.Verdict) {
				fmt.Fprintln(said, v.Event.Time, v.Event.ID, v.Rule.Name, v.Scope.Values, v.Fingerprint, v.Count, v.Fired, v.Action, v.Reason, v.RetryAfter, v.DelayMS, v.Episode)
			},
			Episode: func(ep *window.Episode) {
				e, rule := *ep, ep.Rule.Name
				e.Rule = nil // of its own plan
				fmt.Fprintf(said, "%s %+v\n", rule, e)
			},
		}),
	}}
}

func (r *run) release() {
	for ev := r.Order.Pop(); ev != nil; ev = r.Order.Pop() {
		if !r.Duplicates.Seen(ev) && ev.Exclude == 0 {
			r.Engine.Judge(ev)
		}
	}
}

// TestRestartOnRealTraffic: agents' traffic, judged by each profile, is judged
// as without restarts, by a plan that was made anew each time as it is by a
// new process.
func TestRestartOnRealTraffic(t *testing.T) {
	for _, profile := range policy.Profiles() {
		t.Run(profile.Name, func(t *testing.T) {
			plan := func() (*policy.Policy, *window.Plan) {
				p, err := policy.FromProfiles([]string{profile.Name})
				if err != nil {
					t.Fatal(err)
				}
				return p, window.NewPlan(p.Rules, p.Exclude)
			}
			p, first := plan()
			events := eventsOf(t, agents(), first, window.ExtractOptions{})
			judge := func(every int) (string, []byte, []window.RuleAccount) {
				var said bytes.Buffer
				r := newRun(p, first, &said)
				r.Order.Open(0, events[0].Time)
				for i := range events {
					ev := events[i]
					r.Order.Push(&ev)
					r.release()
					if i%every == every-1 {
						w := snapshot.NewWriter(nil)
						r.Save(w)
						p, plan := plan()
						r = newRun(p, plan, &said)
						restored, err := r.Load(snapshot.NewReader(w.Bytes()))
						if err != nil || len(restored.Kept) != len(plan.Rules) {
							t.Fatalf("%+v: %v", restored, err)
						}
					}
				}
				w := snapshot.NewWriter(nil)
				r.Save(w)
				r.Order.Close(0)
				r.release()
				r.Engine.Close()
				accounts := r.Engine.Account()
				for i := range accounts {
					if err := accounts[i].Check(); err != nil {
						t.Error(err)
					}
					accounts[i].Rule = nil // of its own plan
				}
				return said.String(), w.Bytes(), accounts
			}
			said, state, accounts := judge(len(events) + 1)
			saidAfter, stateAfter, accountsAfter := judge(len(events)/7 - 1)
			if saidAfter != said {
				t.Errorf("restarts change what is said: %d bytes, and %d without", len(saidAfter), len(said))
			}
			if !bytes.Equal(state, stateAfter) {
				t.Errorf("restarts change the state: %d bytes, and %d without", len(stateAfter), len(state))
			}
			if !reflect.DeepEqual(accounts, accountsAfter) {
				t.Errorf("account %+v, and %+v without restarts", accountsAfter, accounts)
			}
			if (len(said) == 0 || accounts[0].Counted == 0) && accounts[0].NotComputable[fingerprint.NoBody] == 0 { // the log has none
				t.Error("nothing was counted")
			}
		})
	}
}
