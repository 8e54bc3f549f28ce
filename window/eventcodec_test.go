package window

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// TestEventsComeBack: events read are the events written, block by block.
func TestEventsComeBack(t *testing.T) {
	parts := newParts(t)
	rapid.Check(t, func(t *rapid.T) {
		plan := parts.drawPlan(t, rapid.IntRange(0, 3).Draw(t, "rules"))
		w, out, in := snapshot.NewWriter(nil), plan.NewEventWriter(), plan.NewEventReader()
		var got []Event // all blocks: those before must stay as they are
		var want []*Event
		for range rapid.IntRange(1, 3).Draw(t, "blocks") {
			w.Reset()
			out.Reset()
			in.Reset()
			n := rapid.IntRange(0, 5).Draw(t, "events")
			for range n {
				at := fingerprint.Position{
					Stream: rapid.Int32Min(0).Draw(t, "stream"), Item: rapid.Int32().Draw(t, "item"),
					Line: rapid.Int64().Draw(t, "line"), Offset: rapid.Int64().Draw(t, "offset"),
				}
				ev := parts.drawEvent(t, plan, rapid.Int64().Draw(t, "time"), at)
				if rapid.Bool().Draw(t, "spread") {
					ev.Portion = &Portion{Number: rapid.Int64().Draw(t, "number"), Home: rapid.Bool().Draw(t, "home")}
					if ev.Exclude == 0 && rapid.Bool().Draw(t, "elsewhere") {
						ev.Portion.All = slices.Clone(ev.Rules)
						for i := range ev.Portion.All {
							ev.Portion.All[i] = Plain
						}
					}
				}
				out.Write(w, ev)
				want = append(want, ev)
			}
			r := snapshot.NewReader(append([]byte{}, w.Bytes()...))
			for range n {
				var ev Event
				in.Read(r, &ev)
				got = append(got, ev)
			}
			if err := r.Done(); err != nil || r.Left() > 0 {
				t.Fatalf("%v, and %d bytes left", err, r.Left())
			}
		}
		for i := range want {
			if got, want := shown(&got[i]), shown(want[i]); got != want {
				t.Fatalf("event %d: read\n%s\nwritten\n%s", i, got, want)
			}
		}
	})
}

// shown is all of an event; NaN is equal to itself in it, and nil to empty.
func shown(ev *Event) string {
	one := *ev
	one.Chat, one.Portion, one.Link = nil, nil, Link{} // which is not written
	return fmt.Sprintf("%+v %+v %+v", one, ev.Chat, ev.Portion)
}

// TestEventHasNoOtherFields: a field that is new in Event must be written too, but
// Link, and Again, which is settled when it comes to be saved.
func TestEventHasNoOtherFields(t *testing.T) {
	f := func(v any, want string) {
		t.Helper()
		var names []string
		for field := range reflect.TypeOf(v).Fields() {
			names = append(names, field.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%T has the fields %s: what saves it must know them, mostly its method code, and a new form is a new stateVersion", v, got)
		}
	}
	f(Event{}, "Time Start Again Position ID Method Path Caller User Session Model Backend Status TokensIn TokensOut Cost Span Response Stream Cached MaxTokens Chat Link Issued Answered Prints Scopes Rules Exclude Portion")
	f(Portion{}, "Number Home All")
	f(fingerprint.Position{}, "Stream Item Line Offset")
	f(Prints{}, "Cause Fingerprints Tools Texts")
	f(Chat{}, "Changed To Invalid")
	f(ChatSettings{}, "Has Enabled Repeats TTL Mode")
	f(Scope{}, "Key Values Cause FellBack")
	f(Episode{}, "ID Rule Scope Fingerprint First Fired Last Requests After MaxCount Statuses Model Caller User Session Backend Tool Method Path Text Limit Kind Evidence last facts own")
	f(Spent{}, "Requests Tokens TokensKnown Cost CostKnown")
	f(contribution{}, "before fired first later")
	f(Extent{}, "Requests After fired over")
	f(over{}, "print last requests")
	f(RuleAccount{}, "Rule Before Judged Counted NotMatched NotComputable FellBack ChatSet Fired Episodes ChatInvalid LiveKeys DroppedKeys")
	f(Order{}, "lateness streams waiting stats last reached low stale")
	f(OrderStats{}, "Late WorstLate Overtaken Tied Alike")
	f(frontier{}, "live idle newest before alike ahead")
	f(judge{}, "rule settings counter cooling chances chats episodes evidence account prints")
	f(Engine{}, "plan o rules witness judged quiet hit verdict after enforcer")
	f(Facts{}, "Requests First Probes OneToken Gets failed unavailable answered issued instants together sessions heard said mixed since run before over loop errors cycle period last start pauses pauseSum pauseSquares latest")
	f(heard{}, "answers results messages")
	f(results{}, "turns changes run longest blank loose held")
	f(keyEvidence{}, "first facts")
	f(Witness{}, "plan quiet senders results answers messages steps conversation errors asked judged whole ordinals")
	f(errorMinutes{}, "keep caller callers kept now at over")
	f(errorMinute{}, "fine callers conversations")
	f(asked{}, "scopes told")
	f(askedScope{}, "calls")
	f(askedCall{}, "key facts issuedCall")
	f(issuedCall{}, "tool place of")
	f(evidence{}, "witness rule keys rounds")
	f(rounds{}, "cycle senders")
	f(CounterSpec{}, "Kind Window Closed Period") // saved and compared in savedplan.go
	f(ExtractOptions{}, "Key Texts HashIDs EventTimeStart Sessions Price")
}

// TestEventSize: what comes again in the next event of a block costs little.
func TestEventSize(t *testing.T) {
	parts := newParts(t)
	plan := NewPlan([]*Rule{{Name: "r", Identity: parts.identities[0], Scope: parts.scopes[0]}}, nil)
	w, out := snapshot.NewWriter(nil), plan.NewEventWriter()
	write := func(i int64) int {
		ev := parts.event(1.7e15+i*1e6, "session-0123456789", []string{"A"}, 1)
		ev.Position = fingerprint.Position{Offset: 23_000 * i, Line: i}
		ev.ID, ev.Method, ev.Path, ev.Caller, ev.Model = "req-0123456789", "POST", "/v1/chat/completions", "key-0123456789ab", "gpt-4.1-mini"
		ev.Status, ev.TokensIn, ev.TokensOut = 200, 6000, 100
		before := len(w.Bytes())
		out.Write(w, ev)
		return len(w.Bytes()) - before
	}
	first, second := write(1000), write(1001)
	if first > 170 || second > 87 { // of that 15 for the id, 17 for the fingerprint, 16 for the scope
		t.Errorf("%d bytes for the first event and %d for the second", first, second)
	}
}

// TestEventOfAnotherPlan: what the plan does not have is found when it is read.
func TestEventOfAnotherPlan(t *testing.T) {
	parts := newParts(t)
	rule := &Rule{Name: "r", Identity: parts.identities[0], Scope: parts.scopes[0], Overrides: make([]Override, 1)}
	f := func(change func(*Event), ok bool) {
		t.Helper()
		plan := NewPlan([]*Rule{rule}, []Exclusion{{Name: "x"}})
		ev := parts.event(0, "s", []string{"A"}, 1)
		change(ev)
		w := snapshot.NewWriter(nil)
		plan.NewEventWriter().Write(w, ev)
		r := snapshot.NewReader(w.Bytes())
		var got Event
		plan.NewEventReader().Read(r, &got)
		if (r.Err() == nil) != ok {
			t.Errorf("read %s: %v", shown(&got), r.Err())
		}
	}
	f(func(*Event) {}, true)
	f(func(ev *Event) { ev.Rules[0] = 0 }, true)
	f(func(ev *Event) { ev.Rules[0] = 1 }, false)
	f(func(ev *Event) { ev.Exclude = 1 }, true)
	f(func(ev *Event) { ev.Exclude = 2 }, false)
	f(func(ev *Event) { ev.Position.Stream = -1 }, false)
}
