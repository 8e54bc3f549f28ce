package window_test

import (
	"reflect"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestEventsOfABlock are those of each of its requests, though their
// fingerprints are hashed together.
func TestEventsOfABlock(t *testing.T) {
	p, err := policy.FromProfiles([]string{"loopgauge", "aisg", "tool-call", "fairvisor"})
	if err != nil {
		t.Fatal(err)
	}
	plan := window.NewPlan(p.Rules, p.Exclude)
	for _, o := range []window.ExtractOptions{{}, {Texts: true}, {Key: []byte("key")}} {
		together, alone := plan.NewExtractor(o), plan.NewExtractor(o)
		var want []window.Event
		eachRequest(t, agents(), plan, func(r *fingerprint.Request) {
			want = append(want, window.Event{})
			alone.Event(r, &want[len(want)-1])
			together.Add(r)
		})
		got := together.Block().Events
		if len(got) != len(want) {
			t.Fatalf("%d events, alone %d", len(got), len(want))
		}
		for i := range got {
			if !reflect.DeepEqual(got[i].Prints, want[i].Prints) {
				t.Fatalf("%s: %v, alone %v", got[i].ID, got[i].Prints, want[i].Prints)
			}
		}
	}
}

// TestAnswered: a request that failed was not answered, though its log names no
// error.
func TestAnswered(t *testing.T) {
	p, err := policy.FromProfiles([]string{"zelyx"})
	if err != nil {
		t.Fatal(err)
	}
	x := window.NewPlan(p.Rules, p.Exclude).NewExtractor(window.ExtractOptions{})
	f := func(r fingerprint.Request, want bool) {
		t.Helper()
		var ev window.Event
		if x.Event(&r, &ev); ev.Answered != want {
			t.Errorf("status %d, error %q: answered %t", r.Status, r.Error, ev.Answered)
		}
	}
	f(fingerprint.Request{ToolCallsLogged: true, Status: fingerprint.Unknown}, true)
	f(fingerprint.Request{ToolCallsLogged: true, Status: 200}, true)
	f(fingerprint.Request{ToolCallsLogged: true, Status: fingerprint.Unknown, Error: []byte("timeout")}, false)
	f(fingerprint.Request{ToolCallsLogged: true, Status: 503}, false)
	f(fingerprint.Request{Status: 200}, false)
}
