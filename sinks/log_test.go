package sinks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/window"
)

// logged is what the log sink says of an alert.
func logged(tb rapid.TB, a *Alert, level slog.Level) (lines []map[string]any) {
	tb.Helper()
	var b bytes.Buffer
	s := &Log{slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{Level: level}))}
	must(tb, s.Send(nil, a)) //nolint:staticcheck // nothing is waited for
	for line := range strings.Lines(b.String()) {
		var m map[string]any
		must(tb, json.Unmarshal([]byte(line), &m))
		lines = append(lines, m)
	}
	return lines
}

func toolAlert() *Alert {
	return &Alert{
		State: window.Opened, ID: "ep-0123456789abcdef", Revision: 1, Rule: "tool-call", Rules: []string{"tool-call"}, Calls: true, Tool: "read_file", Repeats: "tool read_file",
		Session: "s8", Scope: map[string]string{"session": "s8", "caller": "team a"}, Count: 4, Threshold: 4, Requests: 4, WindowS: 120, Model: "gpt-4.1", Backend: "openai", Action: "break",
		Fingerprint: "00c0ffee00c0ffee00c0ffee00c0ffee", First: "2026-05-04T10:00:00.000000Z", Last: "2026-05-04T10:01:30.000000Z", TokensAfter: new(int64(994357)), CostAfter: new(0.13999),
		Kind: "stuck", Evidence: "same result", Seen: []AlertSeen{{Rule: "tool-call", Threshold: 4, Count: 4, WouldNotFire: new(5)}},
	}
}

// TestToolCallLine: the line of the tool-call proxy, to the letter; the text of
// the call stands in it only where it was asked for.
func TestToolCallLine(t *testing.T) {
	f := func(change func(*Alert), want string) {
		t.Helper()
		a := toolAlert()
		change(a)
		lines := logged(t, a, slog.LevelInfo)
		if len(lines) != 1 || lines[0]["msg"] != want || lines[0]["level"] != "WARN" {
			t.Errorf("said %v\nwant %s", lines, want)
		}
	}
	f(func(*Alert) {}, "Tool call loop detected in session s8: tool=read_file, repeats=4/4, window=120s, model=gpt-4.1, backend=openai, action=break, signature=00c0ffee00c0ffee00c0ffee00c0ffee...")
	f(func(a *Alert) { a.State, a.Count = window.Grown, 40 }, "Tool call loop detected in session s8: tool=read_file, repeats=40/4, window=120s, model=gpt-4.1, backend=openai, action=break, signature=00c0ffee00c0ffee00c0ffee00c0ffee...")
	f(func(a *Alert) { a.Signature = `read_file:{"path": "/srv/` + strings.Repeat("ä", 50) + `"}` },
		`Tool call loop detected in session s8: tool=read_file, repeats=4/4, window=120s, model=gpt-4.1, backend=openai, action=break, signature=read_file:{"path": "/srv/`+strings.Repeat("ä", 25)+`...`)
	f(func(a *Alert) {
		a.WindowS, a.Model, a.Session, a.Scope = 0.5, "", "", map[string]string{"conversation": "key-1 2"}
	},
		`Tool call loop detected in session key-1 2: tool=read_file, repeats=4/4, window=0.5s, model="", backend=openai, action=break, signature=00c0ffee00c0ffee00c0ffee00c0ffee...`)
	// A name that would say more than it is stands in quotes.
	f(func(a *Alert) { a.Session = "s1: tool=x, repeats=1/9" }, `Tool call loop detected in session "s1: tool=x, repeats=1/9": tool=read_file, repeats=4/4, window=120s, model=gpt-4.1, backend=openai, action=break, signature=00c0ffee00c0ffee00c0ffee00c0ffee...`)
	f(func(a *Alert) { a.Calls, a.Repeats = false, "POST /v1/chat" }, `Loop detected in caller="team a" session=s8: POST /v1/chat, repeats=4/4, window=120s, model=gpt-4.1, backend=openai, action=break, fingerprint=00c0ffee00c0ffee00c0ffee00c0ffee`)
	for _, name := range []string{"a, b", "a: b", "a=b", `a"b`} {
		f(func(a *Alert) { a.Calls, a.Repeats = false, name }, fmt.Sprintf(`Loop detected in caller="team a" session=s8: %q, repeats=4/4, window=120s, model=gpt-4.1, backend=openai, action=break, fingerprint=00c0ffee00c0ffee00c0ffee00c0ffee`, name))
	}
	// A log without paths does not say what repeats.
	f(func(a *Alert) { a.Calls, a.Repeats, a.Rule = false, "", "last-messages" }, `Loop detected in caller="team a" session=s8: last-messages, repeats=4/4, window=120s, model=gpt-4.1, backend=openai, action=break, fingerprint=00c0ffee00c0ffee00c0ffee00c0ffee`)

	a := toolAlert()
	a.State = window.Closed
	if lines := logged(t, a, slog.LevelDebug); len(lines) != 1 || lines[0]["level"] != "INFO" || lines[0]["msg"] != "Loop is over after 4 requests: tool read_file" {
		t.Errorf("of the end: %v", lines)
	}
}

// Who it is stands once: in the scope, in the conversation, or by itself; how
// to look into it is said as long as it goes on, and how bad it is always.
func TestLogSaysOnce(t *testing.T) {
	f := func(state window.IncidentState, scope map[string]string, session, explain any) {
		t.Helper()
		a := toolAlert()
		a.State, a.Scope, a.Explain = state, scope, "loopgauge explain ep-0123456789abcdef"
		a.Severity = window.Critical
		line := logged(t, a, slog.LevelInfo)[0]
		if line["session"] != session || line["explain"] != explain || line["severity"] != "critical" {
			t.Errorf("%s, %v: session %v, explain %v, severity %v", state, scope, line["session"], line["explain"], line["severity"])
		}
	}
	const how = "loopgauge explain ep-0123456789abcdef"
	f(window.Opened, map[string]string{"session": "s8"}, nil, how)
	f(window.Opened, map[string]string{"conversation": "s8"}, nil, how)
	f(window.Grown, map[string]string{"caller": "team a"}, "s8", how)
	f(window.Closed, map[string]string{"caller": "team a"}, "s8", nil)
}

// Of many loops the line says what they share, and of which one to ask why.
func TestLogDigest(t *testing.T) {
	a := toolAlert()
	a.Explain = "loopgauge explain ep-0123456789abcdef"
	a.Kind, a.Links = "stuck", map[string]string{"runbook": "https://w/#stuck", "session": "https://d/s8"}
	d := newDigest("log", a, second)
	d.add(a, second)
	other := toolAlert()
	other.Session = "s9"
	other.Kind, other.Links = "stuck", map[string]string{"runbook": "https://w/#stuck", "session": "https://d/s9"}
	d.add(other, second)
	for state, msg := range map[window.IncidentState]string{window.Opened: "Many loops at once: the others are in this digest", window.Closed: "Digest is over after 2 more loops"} {
		m := logged(t, d.alert(state, second), slog.LevelInfo)[0]
		want := map[string]any{
			"msg": msg, "state": string(state), "loops": 2., "rules": "tool-call", "tool": "read_file", "model": "gpt-4.1", "backend": "openai", "session": nil, "caller": nil,
			"kind": "stuck", "link_runbook": "https://w/#stuck", "link_session": nil,
			"example": "ep-0123456789abcdef", "example_session": "s8", "explain": a.Explain,
		}
		if state == window.Closed {
			want["example"], want["example_session"], want["explain"] = nil, nil, nil
		}
		for key, want := range want {
			if m[key] != want {
				t.Errorf("%s: %s is %v, want %v", state, key, m[key], want)
			}
		}
	}
}

// TestFullSignature: in debug alone, and whole.
func TestFullSignature(t *testing.T) {
	a := toolAlert()
	a.Signature = "read_file:" + strings.Repeat("x", 900)
	lines := logged(t, a, slog.LevelDebug)
	if len(lines) != 2 || lines[1]["level"] != "DEBUG" || lines[1]["signature"] != a.Signature {
		t.Errorf("said %v", lines)
	}
	if lines := logged(t, a, slog.LevelInfo); len(lines) != 1 || strings.Contains(fmt.Sprint(lines), strings.Repeat("x", 60)) {
		t.Errorf("without debug: %v", lines)
	}
	a.Signature = ""
	if lines := logged(t, a, slog.LevelDebug); len(lines) != 1 {
		t.Errorf("without text: %v", lines)
	}
}

// TestLogFields: what a person needs, each time in the same words.
func TestLogFields(t *testing.T) {
	for range 20 {
		m := logged(t, toolAlert(), slog.LevelInfo)[0]
		if m["tokens_after"] != 994357. {
			t.Errorf("tokens_after is %v", m["tokens_after"])
		}
		if m["requests"] != 4. || m["revision"] != 1. {
			t.Errorf("%v requests, revision %v", m["requests"], m["revision"])
		}
		for key, want := range map[string]string{
			"in": "1m30s", "kind": "stuck", "evidence": "same result", "rules": "tool-call", "id": "ep-0123456789abcdef", "first": "2026-05-04T10:00:00.000000Z", "last": "2026-05-04T10:01:30.000000Z",
			"scope": `caller="team a" session=s8`, "cost_after": "$0.14", "would_not_fire": "tool-call: threshold 5",
		} {
			if m[key] != want {
				t.Errorf("%s is %v, want %s", key, m[key], want)
			}
		}
	}
}

func TestDollars(t *testing.T) {
	f := func(usd float64, want string) {
		t.Helper()
		if got := Dollars(usd); got != want {
			t.Errorf("%v is %s, want %s", usd, got, want)
		}
	}
	f(0, "$0.00")
	f(0.1, "$0.10")
	f(0.13999, "$0.14")
	f(0.00012345, "$0.0001234")
	f(0.00000001, "$0.00000001")
	f(1.005, "$1.00")
	f(12345.678, "$12345.68")
}

// TestLogTakesAnyText: whatever stands in a log, a line of ours is one line, and
// holds nothing that moves a terminal's cursor or turns text around.
func TestLogTakesAnyText(t *testing.T) {
	acts := regexp.MustCompile("[\x00-\x09\x0b-\x1f\x7f-\u009f\u200b-\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\x1b[31m\r\nlevel=WARN msg=no", "\u202egnp.exe", "a\u2028b", "\u009b1A"})).Draw(t, "text")
		a := toolAlert()
		a.Calls = rapid.Bool().Draw(t, "calls")
		a.Session, a.Tool, a.Repeats, a.Model, a.Backend, a.Signature, a.Evidence, a.Kind = text, text, text, text, text, text, text, "stuck"
		a.Scope = map[string]string{"session": text, "model": text}
		for _, json := range []bool{false, true} {
			var b bytes.Buffer
			o := &slog.HandlerOptions{Level: slog.LevelDebug}
			var h slog.Handler = slog.NewTextHandler(&b, o)
			if json {
				h = slog.NewJSONHandler(&b, o)
			}
			if err := (&Log{slog.New(h)}).Send(nil, a); err != nil { //nolint:staticcheck // nothing is waited for
				t.Fatal(err)
			}
			lines := 1
			if a.Signature != "" {
				lines = 2
			}
			if n := strings.Count(b.String(), "\n"); n != lines || acts.MatchString(b.String()) {
				t.Fatalf("%d lines: %q", n, b.String())
			}
		}
	})
}
