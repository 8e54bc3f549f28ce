package window

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// TestIncidentsOutliveRestart: what is told of loops after restarts is what would
// have been told without.
func TestIncidentsOutliveRestart(t *testing.T) {
	parts := newParts(t)
	rapid.Check(t, func(t *rapid.T) {
		plan := parts.drawPlan(t, 3)
		var told []string
		start := func() (*State, *Incidents) {
			x := NewIncidents(func(in *Incident) {
				one := *in
				one.open = nil
				one.Counter.Closed, one.Counter.Period = false, 0 // no alert says so
				told = append(told, fmt.Sprintf("%+v\n", one))
			})
			return &State{Plan: plan, Order: NewOrder(0), Duplicates: NewDuplicates(0), Engine: NewEngine(plan, EngineOptions{Fired: x.Fired, Episode: x.Closed})}, x
		}
		var events []*Event
		now := int64(1000)
		for i := range rapid.IntRange(1, 60).Draw(t, "events") {
			now += int64(rapid.SampledFrom([]int{0, 1, 1, 2, 5, 13, 30}).Draw(t, "pause"))
			r := parts.drawRequest(t, now, fingerprint.Position{Offset: int64(i)})
			r.exclude = ""
			ev := r.event(plan)
			for i, scope := range plan.Scopes {
				for len(ev.Scopes[i].Values) < len(scope.Fields) {
					ev.Scopes[i].Values = append(slices.Clone(ev.Scopes[i].Values), "m")
				}
			}
			events = append(events, ev)
		}
		s, _ := start()
		for _, ev := range events {
			s.Engine.Judge(ev)
		}
		s.Engine.Close()
		want := told

		told = nil
		s, x := start()
		breaks := rapid.IntRange(0, 10).Draw(t, "breaks")
		for _, ev := range events {
			if rapid.IntRange(0, breaks).Draw(t, "break") == 0 {
				w := snapshot.NewWriter(nil)
				s.Save(w)
				x.Code(w.Codec())
				s, x = start()
				r := snapshot.NewReader(w.Bytes())
				if _, err := s.Load(r); err != nil {
					t.Fatal(err)
				}
				x.Code(r.Codec())
				if err := r.Done(); err != nil {
					t.Fatal(err)
				}
			}
			s.Engine.Judge(ev)
		}
		s.Engine.Close()
		equal(t, "after restarts", told, want)
	})
}

// TestIncidentsEndForWantOfRoom: a loop for which a lower cap leaves no room is over.
func TestIncidentsEndForWantOfRoom(t *testing.T) {
	n := newNames(t)
	rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding", Window: time.Minute}, Threshold: 2, Action: Warn}
	plan := NewPlan([]*Rule{rule}, nil)
	var told []string
	start := func(keys int) (*State, *Incidents) {
		x := NewIncidents(func(in *Incident) { told = append(told, fmt.Sprint(in.Scope, " ", in.State)) })
		return &State{Plan: plan, Order: NewOrder(0), Duplicates: NewDuplicates(0), Engine: NewEngine(plan, EngineOptions{MaxKeys: keys, Fired: x.Fired, Episode: x.Closed})}, x
	}
	s, x := start(0)
	for i, session := range []string{"a", "b", "a", "b"} {
		ev := n.event(int64(i), session, []string{"A"}, 1)
		ev.Position.Offset = int64(i)
		s.Engine.Judge(ev)
	}
	w := snapshot.NewWriter(nil)
	s.Save(w)
	x.Code(w.Codec())
	s, x = start(1)
	r := snapshot.NewReader(w.Bytes())
	restored, err := s.Load(r)
	if err != nil {
		t.Fatal(err)
	}
	x.Code(r.Codec())
	for _, e := range restored.Ended {
		x.Closed(e)
	}
	s.Engine.Close()
	if want := []string{"[a] opened", "[b] opened", "[a] closed", "[b] closed"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
