package replay

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestScattered: nineteen in twenty requests are conversations of their own, in
// a log of any size, in whatever order they come.
func TestScattered(t *testing.T) {
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		t.Fatal(err)
	}
	plan := window.NewPlan(p.Rules, nil)
	ev := &window.Event{Scopes: make([]window.Scope, len(plan.Scopes))}
	f := func(want string, alone, others, each int) {
		t.Helper()
		s := newConversations(plan)
		note := func(name string) {
			key := sha256.Sum256([]byte(name))
			ev.Scopes[s.scope].Key = fingerprint.ScopeKey(key[:16])
			ev.Time += 1e6
			s.note(ev, &Links{})
		}
		for k := range each {
			for i := range others {
				note(fmt.Sprint("other ", i))
			}
			for i := k; i < alone; i += each {
				note(fmt.Sprint("alone ", i))
			}
		}
		got := (&Pipeline{conversations: s}).Scattered(time.Minute)
		if len(s.talks) > mostConversations || got != want {
			t.Errorf("%d alone, %d others of %d requests: %q, %d kept", alone, others, each, got, len(s.talks))
		}
	}
	f(bySession, 100, 0, 1)
	f("", 99, 0, 1)
	f(bySession, 950, 1, 50)
	f("", 949, 1, 51)
	f(bySession, 970_000, 10_000, 3)
	f("", 900_000, 50_000, 3)
	f("", 0, 100_000, 3)

	// Where none is named, no policy can say where they are.
	ev.Scopes[newConversations(plan).scope].FellBack = true
	f(byBegin, 100, 0, 1)
	f("", 99, 0, 1)

	ev.Scopes[newConversations(plan).scope].Cause = fingerprint.NoConversation
	f("", 1000, 0, 1)
	if s := newConversations(window.NewPlan(nil, nil)); s != nil {
		t.Error("no rule counts by conversation, and yet they are looked at")
	}
	young := newConversations(plan)
	ev.Scopes[young.scope].Cause = fingerprint.Computable
	for i := range 1000 {
		key := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		ev.Scopes[young.scope].Key = fingerprint.ScopeKey(key[:16])
		young.note(ev, &Links{})
	}
	if q := (&Pipeline{conversations: young}); q.Scattered(time.Second) != "" || q.Scattered(0) == "" {
		t.Error("whether it is so for long enough is not heeded")
	}
}

// TestChained: logs of several formats that tell of the same conversations are told
// from those of gateways beside each other.
func TestChained(t *testing.T) {
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		t.Fatal(err)
	}
	plan := window.NewPlan(p.Rules, nil)
	f := func(want, first, second string, both, others int) {
		t.Helper()
		c := newConversations(plan)
		c.tellFormats([]StreamResult{{Format: first}, {Format: second}})
		note := func(name string, stream int32) {
			key := sha256.Sum256([]byte(name))
			ev := &window.Event{Scopes: make([]window.Scope, len(plan.Scopes)), Position: fingerprint.Position{Stream: stream}}
			ev.Scopes[c.scope].Key = fingerprint.ScopeKey(key[:16])
			c.note(ev, &Links{})
		}
		for i := range both {
			note(fmt.Sprint("both ", i), 0)
			note(fmt.Sprint("both ", i), 1)
		}
		for i := range others {
			note(fmt.Sprint("one ", i), int32(i%2))
			note(fmt.Sprint("one ", i), int32(i%2))
		}
		got, _, _ := strings.Cut((&Pipeline{conversations: c}).Chained(), " of requests")
		if got != want {
			t.Errorf("%d in both and %d in one: %q, want %q", both, others, got, want)
		}
	}
	f("100 %", "envoy", "litellm", 10, 0)
	f("5.0 %", "envoy", "litellm", 5, 95)
	f("", "envoy", "litellm", 4, 95)
	f("", "envoy", "litellm", 0, 95)
	f("", "envoy", "envoy", 10, 0)
	if q := (&Pipeline{}).Chained(); q != "" {
		t.Errorf("without conversations: %q", q)
	}
}

// TestRetold: agents that write their history into one user message are told by
// its growing. Prompts of other lengths are not.
func TestRetold(t *testing.T) {
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		t.Fatal(err)
	}
	plan := window.NewPlan(p.Rules, nil)
	ev := &window.Event{Scopes: make([]window.Scope, len(plan.Scopes))}
	retold := func(conversations map[string][]window.Link) string {
		c := newConversations(plan)
		for name, links := range conversations {
			key := sha256.Sum256([]byte(name))
			ev.Scopes[c.scope].Key = fingerprint.ScopeKey(key[:16])
			for _, link := range links {
				ev.Link = link
				c.note(ev, &Links{})
			}
		}
		q := &Pipeline{conversations: c}
		if got := q.Retold(time.Hour); got != "" {
			t.Errorf("in no time: %q", got)
		}
		got, _, _ := strings.Cut(q.Retold(0), " of requests")
		return got
	}
	f := func(want string, others int, links ...window.Link) {
		t.Helper()
		conversations := map[string][]window.Link{"": links}
		for i := range others {
			conversations[fmt.Sprint("other ", i)] = []window.Link{{Begins: 1, Size: 100}}
		}
		if got := retold(conversations); got != want {
			t.Errorf("%v and %d others: %q, want %q", links, others, got, want)
		}
	}
	grows := func(sizes ...uint32) (list []window.Link) {
		for _, size := range sizes {
			list = append(list, window.Link{Begins: min(size, 1), Size: size})
		}
		return list
	}
	f("100 %", 0, grows(100, 200, 300, 400, 500, 600)...)
	f("5.0 %", 114, grows(100, 200, 300, 400, 500, 600)...)
	f("", 115, grows(100, 200, 300, 400, 500, 600)...)
	f("", 0, grows(100, 200, 300, 400, 500)...)
	f("100 %", 0, grows(100, 200, 300, 400, 500, 600, 50)...) // the answer is asked for in other words
	f("", 0, grows(100, 200, 300, 400, 500, 600, 50, 40)...)
	f("", 0, grows(600, 500, 400, 300, 200, 100, 50)...)
	f("", 0, grows(100, 100, 100, 100, 100, 100)...)
	f("", 0, grows(0, 0, 0, 0, 0, 0)...)
	// Of many conversations, some grow by chance.
	for others, want := range map[int]string{4: "20 %", 5: ""} {
		links := map[string][]window.Link{"": grows(100, 200, 300, 400, 500, 600)}
		for i := range others {
			links[fmt.Sprint(i)] = grows(600, 500, 400, 300, 200, 100)
		}
		if got := retold(links); got != want {
			t.Errorf("one of %d: %q, want %q", others+1, got, want)
		}
	}
	other := grows(100, 200, 300, 400, 500, 600)
	for i := range other {
		other[i].Begins = uint32(i + 1)
	}
	f("", 0, other...)
	if q := (&Pipeline{}).Retold(0); q != "" {
		t.Errorf("no rule counts by conversation: %q", q)
	}
}
