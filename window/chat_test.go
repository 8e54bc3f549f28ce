package window

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// inWords is a Chat in words, in a fixed order.
func inWords(c *Chat) string {
	if c == nil {
		return "nothing"
	}
	var words []string
	add := func(bit ChatBits, name string, value any) {
		switch {
		case c.To.Has&bit != 0:
			words = append(words, fmt.Sprint(name, "=", value))
		case c.Changed&bit != 0:
			words = append(words, "no "+name)
		}
	}
	add(ChatEnabled, "on", c.To.Enabled)
	add(ChatRepeats, "repeats", c.To.Repeats)
	add(ChatTTL, "ttl", c.To.TTL)
	add(ChatMode, "mode", c.To.Mode)
	if c.Invalid > 0 {
		words = append(words, fmt.Sprint(c.Invalid, " invalid"))
	}
	return strings.Join(words, " ")
}

func TestParseChat(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := inWords(parseChat([]byte(text))); got != want {
			t.Errorf("%q says %q, want %q", text, got, want)
		}
	}
	f("", "nothing")
	f("please go on", "nothing")
	f("!/set(tool-loop-detection=true)", "on=true")
	f("!/set(tool-loop-detection=FALSE) go on", "on=false")
	f("!/set(tool-loop-detection=off)", "on=false")
	f("!/set(tool-loop-max-repeats=3)", "repeats=3")
	f("!/set(tool_loop_max_repeats = 3 )", "repeats=3")
	f("!/set (tool-loop-ttl=90)", "ttl=1m30s")
	f("!/set(tool-loop-mode=break)", "mode=break")
	f("!/set(tool-loop-mode=chance)", "mode=chance_then_break")
	f("!/set(tool-loop-mode=chance_then_break)", "mode=chance_then_break")
	f("!/unset(tool-loop-ttl, tool-loop-mode)", "no ttl no mode")
	f("so !/set(tool-loop-ttl=5) and !/set(tool-loop-max-repeats=2, tool-loop-mode=break)", "repeats=2 ttl=5s mode=break")
	f("!/set(tool-loop-ttl=5)!/unset(tool-loop-ttl)", "no ttl")
	f("!/unset(tool-loop-ttl)!/set(tool-loop-ttl=5)", "ttl=5s")
	f("!/set(tool-loop-ttl=5) !/set(tool-loop-ttl=0)", "ttl=5s 1 invalid")
	f("!/set(tool-loop-ttl=9999999999)", "ttl=87600h0m0s")
	f("!/set(tool-loop-max-repeats=9999999999)", "repeats=1000000")
	// Invalid ones, each by itself.
	f("!/set(tool-loop-max-repeats=1)", "1 invalid")
	f("!/set(tool-loop-max-repeats=x, tool-loop-ttl=, tool-loop-mode=stop, tool-loop-detection=maybe, tool-loop-detection)", "5 invalid")
	f("!/set(tool-loop-max=4)!/unset(tool-loop-all)", "2 invalid")
	// Commands about other things, and what is none.
	f("!/set(model=gpt-4.1, temperature=0.5) !/hello !/unset(model)", "nothing")
	f("!/tool-loop-ttl(ttl_seconds=5)", "nothing")
	f("!/set tool-loop-ttl=5", "nothing")
	f("!/set(tool-loop-ttl=5", "nothing")
	f("!/set(x=( !/set(tool-loop-ttl=5)", "ttl=5s")
	f("set(tool-loop-ttl=5) / !set(tool-loop-ttl=5)", "nothing")
	// Quotes and parentheses hold together.
	f(`!/set(note=")", tool-loop-ttl=5)`, "ttl=5s")
	f(`!/set(note=(a), tool-loop-ttl=5)`, "ttl=5s")
	f(`!/set(note=\), tool-loop-ttl=5)`, "ttl=5s")
	f("!/set(note="+strings.Repeat("x", mostArguments)+", tool-loop-ttl=5)", "nothing")
}

// FuzzChat: no text makes it panic; what is read can be saved, said again, and
// taken in twice without another effect.
func FuzzChat(f *testing.F) {
	for _, text := range []string{
		"!/set(tool-loop-detection=true)", "!/set(tool-loop-max-repeats=4, tool-loop-ttl=120)", "!/set(tool-loop-mode=chance)",
		"!/unset(tool-loop-detection, tool-loop-mode)", `!/set(note="\")(", tool_loop_ttl=5`, "!/set(!/set(!/set(",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c := parseChat(text)
		if c == nil {
			return
		}
		w := snapshot.NewWriter(nil)
		c.code(w.Codec())
		r := snapshot.NewReader(w.Bytes())
		var again Chat
		if again.code(r.Codec()); r.Err() != nil || again != *c {
			t.Fatalf("%+v is loaded as %+v, %v", c, again, r.Err())
		}
		before := ChatSettings{Has: chatAll, Enabled: true, Repeats: 7, TTL: time.Minute, Mode: Break}
		once := before.after(c)
		if twice := once.after(c); twice != once {
			t.Fatalf("%+v, said twice, makes %+v of %+v", c, twice, once)
		}
		if c.Changed == chatAll && once != c.To {
			t.Fatalf("%+v leaves %+v", c, once)
		}
		if in := once.over(Settings{Threshold: 4, Window: time.Minute, Action: Warn}); in.Threshold < 2 || in.Window < time.Second {
			t.Fatalf("%+v is in force", in)
		}
	})
}

// A session that is switched off is not tracked: what it does then counts for
// nothing later, and no key is kept for it.
func TestChatSwitchesOff(t *testing.T) {
	n := newNames(t)
	for _, kind := range []string{"streak", "tracker"} {
		var got []string
		rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: kind, Window: 100 * time.Second}, Threshold: 3, Action: Break, ChatOverrides: true}
		e := NewEngine(NewPlan([]*Rule{rule}, nil), EngineOptions{Verdict: func(v *Verdict) { got = append(got, fmt.Sprint(v.Count, " ", v.Action)) }})
		at := int64(0)
		judge := func(session, text string, prints ...string) {
			at += 1e6
			ev := n.event(at, session, prints, 1)
			if len(prints) == 0 {
				ev.Prints[0] = Prints{Cause: fingerprint.NoToolCall}
			}
			ev.Chat = parseChat([]byte(text))
			e.Judge(ev)
		}
		judge("s", "!/set(tool-loop-detection=false)", "A")
		judge("s", "", "A")
		judge("s", "", "A")
		if keys := e.rules[0].counter.Keys(); keys != 0 {
			t.Errorf("%s: %d keys are kept for a session that is off", kind, keys)
		}
		judge("u", "", "A") // another session
		judge("s", "!/unset(tool-loop-detection)")
		judge("s", "", "A")
		judge("s", "!/set(tool-loop-max-repeats=2, tool-loop-ttl=1, tool-loop-mode=chance) !/set(tool-loop-x=1)", "A")
		judge("s", "", "A") // a second apart: streak is open at its end, the tracker is not
		want := "1 allow, 1 allow, 1 allow, 1 allow"
		if kind == "tracker" {
			want = "1 allow, 1 allow, 2 guide, 1 allow" // the call that was stopped is not on record
		}
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("%s: %s, want %s", kind, all, want)
		}
		a := e.Account()[0]
		if a.NotMatched != 3 || a.ChatSet != 3 || a.ChatInvalid != 1 || a.Check() != nil {
			t.Errorf("%s: %+v", kind, a)
		}
	}
}

// What a session has set is forgotten when it has done nothing for a day, and
// not before.
func TestChatIsForgotten(t *testing.T) {
	c, scope := newChats(&RuleAccount{}, 0), fingerprint.ScopeKey{1}
	c.hear(scope, parseChat([]byte("!/set(tool-loop-ttl=5)")), 0)
	life := sessionLife.Microseconds()
	if is := c.hear(scope, nil, life); is.TTL != 5*time.Second {
		t.Errorf("after a day: %+v", is)
	}
	if is := c.hear(scope, nil, 2*life); is.TTL != 5*time.Second {
		t.Errorf("a day after that: %+v", is)
	}
	if is := c.hear(scope, nil, 3*life+1); is.Has != 0 || c.sessions.live != 0 {
		t.Errorf("after more than a day: %+v", is)
	}
}

// The commands stand in the latest message that a user wrote.
func TestChatOfRequest(t *testing.T) {
	rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "streak", Window: time.Minute}, Threshold: 3, ChatOverrides: true}
	f := func(messages, want string) {
		t.Helper()
		r := &fingerprint.Request{}
		r.Reset()
		r.Messages = fingerprint.Messages{Logged: true}
		for m := range strings.SplitSeq(messages, "\n") {
			r.Messages.Items = append(r.Messages.Items, []byte(m))
		}
		var ev Event
		NewPlan([]*Rule{rule}, nil).NewExtractor(ExtractOptions{}).Event(r, &ev)
		if got := inWords(ev.Chat); got != want {
			t.Errorf("%s\nsays %q, want %q", messages, got, want)
		}
	}
	f(`{"role":"user","content":"!/set(tool-loop-ttl=5)"}`, "ttl=5s")
	f(`{"role":"user","content":"!/set(tool-loop-ttl=5)"}`+"\n"+`{"role":"user","content":"go on"}`, "nothing")
	f(`{"role":"user","content":"!/set(tool-loop-ttl=5)"}`+"\n"+`{"role":"assistant","content":"!/set(tool-loop-ttl=6)"}`+"\n"+`{"role":"tool","content":"!/set(tool-loop-ttl=7)"}`, "ttl=5s")
	f(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"!/set(tool-loop-ttl=5)"}]}`, "ttl=5s")
	f(`{"role":"user","content":"!/set(tool-loop-ttl=5)"}`+"\n"+`{"role":"user","content":[{"type":"tool_result","content":"x"},{"type":"text","text":"!/set(tool-loop-ttl=6)"}]}`, "ttl=5s")
	f(`{"role":"system","content":"!/set(tool-loop-ttl=5)"}`, "nothing")
	f(`{"role":"user","content":"\u0021/set(tool-loop-ttl=5)"}`, "ttl=5s")
	rule.ChatOverrides = false
	f(`{"role":"user","content":"!/set(tool-loop-ttl=5)"}`, "nothing")
}
