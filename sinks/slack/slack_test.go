package slack

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slack-go/slack/slacktest"
	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/link"
	"github.com/loopgauge/loopgauge/window/response"
)

var update = flag.Bool("update", false, "write the messages that the tests compare with")

const hostile = "<!channel> <@U123> *bold* _it_ `code` <https://evil.example|click> & https://evil.example\n> quote\u202eover :smile:\x1b[31m"

func must(tb rapid.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func alert(state window.IncidentState, revision int) *sinks.Alert {
	cost := 1.25
	return &sinks.Alert{
		Version: sinks.AlertVersion, ID: "ep-1", Revision: revision, State: state,
		Rule: "stuck", Rules: []string{"stuck", "result"}, WindowS: 300, Threshold: 10, Requests: 10 * int64(revision),
		Scope: map[string]string{"session": hostile, "caller": "team a"}, Fingerprint: "00c0ffee00c0ffee",
		Model: hostile, Caller: "team a", Backend: "eu-1", Repeats: "tool " + hostile, Calls: true, Tool: hostile, Count: 12,
		Severity: window.Warning,
		Kind:     "stuck", Evidence: "the same call 12 times in a row, and the same result each time",
		Seen:    []sinks.AlertSeen{{Rule: "stuck", Threshold: 10, Count: 12, WouldNotFire: new(13)}},
		Explain: "loopgauge explain ep-1 --policy policy.yaml /var/log/gateway", Links: linksOf(hostile),
		Response: &response.Response{Gateway: "AISG", Status: 429, Headers: map[string]string{"Retry-After": "60"}, Body: new(`{"detail":{"error":"recursive_loop_detected"}}`)},
		First:    "2026-05-04T10:00:00.000000Z", Fired: "2026-05-04T10:03:00.000000Z", Last: "2026-05-04T10:04:00.000000Z", TokensAfter: new(int64(994357)), CostAfter: &cost,
	}
}

// linksOf are links that a hostile log is put into.
func linksOf(text string) map[string]string {
	in := &window.Incident{Session: text, Model: text, First: 1777888000_000000}
	made := map[string]string{}
	for _, name := range []string{"dashboard", "logs & <more>|"} {
		template, err := link.New(name, "https://grafana.example/d/loops?from={{first_ms}}&session={{session}}#{{model}}")
		if err != nil {
			panic(err)
		}
		made[name] = template.For(in)
	}
	return made
}

// workspace is the part of Slack's API that the bot uses. It records calls.
type workspace struct {
	*httptest.Server
	calls  []map[string]any
	posts  []map[string]any // newest first
	answer func(w http.ResponseWriter, method string) bool
}

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	s := &workspace{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := strings.TrimPrefix(r.URL.Path, "/")
		call := map[string]any{"method": method}
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			_ = json.NewDecoder(r.Body).Decode(&call)
		} else {
			_ = r.ParseForm()
			for key := range r.Form {
				call[key] = r.Form.Get(key)
				var v any
				if (key == "blocks" || key == "metadata") && json.Unmarshal([]byte(r.Form.Get(key)), &v) == nil {
					call[key] = v
				}
			}
		}
		delete(call, "token")
		s.calls = append(s.calls, call)
		if s.answer != nil && s.answer(w, method) {
			return
		}
		reply := map[string]any{"ok": true}
		switch method {
		case "chat.postMessage":
			ts := fmt.Sprintf("1777888%03d.000100", len(s.calls))
			reply["channel"], reply["ts"] = call["channel"], ts
			if call["thread_ts"] == nil {
				s.posts = append([]map[string]any{{"type": "message", "ts": ts, "metadata": call["metadata"]}}, s.posts...)
			}
		case "chat.update":
			reply["channel"], reply["ts"] = call["channel"], call["ts"]
		case "conversations.history":
			reply["messages"] = s.posts
		}
		_ = json.NewEncoder(w).Encode(reply)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *workspace) bot() *Bot { return NewBot("xoxb-test", "C0123456", s.URL+"/") }

// methods are the calls since the last time, in short.
func (s *workspace) methods() string {
	var list []string
	for _, c := range s.calls {
		name := strings.TrimPrefix(fmt.Sprint(c["method"]), "chat.")
		if c["thread_ts"] != nil {
			name += " in thread"
		}
		list = append(list, name)
	}
	s.calls = nil
	return strings.Join(list, ", ")
}

func golden(t *testing.T, name string, got any) {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	must(t, e.Encode(got))
	file := filepath.Join("testdata", name+".json")
	if *update {
		must(t, os.WriteFile(file, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-update writes it anew):\n%s", file, diff)
	}
}

var states = []window.IncidentState{window.Opened, window.Grown, window.Closed}

func TestBotMessages(t *testing.T) {
	s := newWorkspace(t)
	b := s.bot()
	for i, state := range states {
		s.calls = nil
		must(t, b.Send(t.Context(), alert(state, i+1)))
		golden(t, "bot_"+string(state), s.calls)
	}
	if len(b.posts) != 0 {
		t.Errorf("remembered after the closing: %v", b.posts)
	}
}

func TestHookMessages(t *testing.T) {
	s := newWorkspace(t)
	h := NewHook(s.URL + "/services/T0/B0/secret")
	for i, state := range states {
		s.calls = nil
		must(t, h.Send(t.Context(), alert(state, i+1)))
		if state == window.Grown {
			if len(s.calls) > 0 {
				t.Error("a hook has no place for growth")
			}
			continue
		}
		golden(t, "hook_"+string(state), s.calls)
	}
	s.Close()
	if err := h.Send(t.Context(), alert(window.Opened, 1)); err == nil || strings.Contains(err.Error()+h.Name(), "secret") {
		t.Errorf("the error of a hook without a server: %v", err)
	}
}

// A bot that has been started anew finds the message of before.
func TestBotRestart(t *testing.T) {
	s := newWorkspace(t)
	f := func(b *Bot, state window.IncidentState, want string) {
		t.Helper()
		must(t, b.Send(t.Context(), alert(state, 1)))
		if got := s.methods(); got != want {
			t.Errorf("%s: %s; want %s", state, got, want)
		}
	}
	b := s.bot()
	f(b, window.Opened, "conversations.history, postMessage")
	f(b, window.Grown, "update, postMessage in thread")
	f(s.bot(), window.Opened, "conversations.history, update") // sent again after a crash
	f(s.bot(), window.Closed, "conversations.history, update, postMessage in thread")

	s.posts = nil // before its time, or deleted
	f(s.bot(), window.Closed, "conversations.history, postMessage")

	s.answer = func(w http.ResponseWriter, method string) bool {
		if method == "conversations.history" {
			_, _ = io.WriteString(w, `{"ok":false,"error":"missing_scope"}`)
			return true
		}
		return false
	}
	f(s.bot(), window.Grown, "conversations.history, postMessage")
	b = s.bot()
	f(b, window.Opened, "conversations.history, postMessage")
	s.answer = func(w http.ResponseWriter, method string) bool {
		if method == "chat.update" {
			_, _ = io.WriteString(w, `{"ok":false,"error":"message_not_found"}`)
			return true
		}
		return false
	}
	f(b, window.Closed, "update, postMessage")

	// A workspace may let messages be changed for some minutes only, and another
	// app's may never be: that the loop grew was refused, and nobody heard of it.
	s.answer = nil
	b = s.bot()
	f(b, window.Opened, "conversations.history, update")
	for _, no := range []string{"edit_window_closed", "cant_update_message"} {
		s.answer = func(w http.ResponseWriter, method string) bool {
			if method == "chat.update" {
				_, _ = fmt.Fprintf(w, `{"ok":false,"error":%q}`, no)
			}
			return method == "chat.update"
		}
		f(b, window.Grown, "update, postMessage in thread")
	}
}

// What fails is tried again: a message that cannot be looked for or changed is not
// posted a second time.
func TestBotFails(t *testing.T) {
	f := func(fails, want string) {
		t.Helper()
		s := newWorkspace(t)
		if err := s.bot().Send(t.Context(), alert(window.Opened, 1)); err != nil || s.methods() == "" {
			t.Fatal(err)
		}
		s.answer = func(w http.ResponseWriter, method string) bool {
			if method == fails {
				_, _ = io.WriteString(w, `{"ok":false,"error":"internal_error"}`)
			}
			return method == fails
		}
		err := s.bot().Send(t.Context(), alert(window.Grown, 2))
		if got := s.methods(); err == nil || got != want {
			t.Errorf("where %s fails: %s, want %s: %v", fails, got, want, err)
		}
	}
	f("conversations.history", "conversations.history")
	f("chat.update", "conversations.history, update")
	f("chat.postMessage", "conversations.history, update, postMessage in thread")
}

// A text that its escapes make too long is cut between two of them.
func TestPlainIsCut(t *testing.T) {
	if got := plain(strings.Repeat("&", maxField)).Text; got != strings.Repeat("&amp;", maxField/len("&amp;")) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// Slack says in what it answers whether to try again; what a status of HTTP says is the
// same to every sink.
func TestFailures(t *testing.T) {
	s := newWorkspace(t)
	f := func(body, want string) {
		t.Helper()
		s.answer = func(w http.ResponseWriter, _ string) bool {
			_, _ = io.WriteString(w, body)
			return true
		}
		err := s.bot().Send(t.Context(), alert(window.Opened, 1))
		got := "later"
		if err == nil {
			got = "sent"
		} else if _, ok := errors.AsType[*sinks.Refused](err); ok {
			got = "refused"
		} else if _, ok := errors.AsType[*sinks.Denied](err); ok {
			got = "denied"
		}
		if got != want {
			t.Errorf("%s: %s, want %s (%v)", body, got, want, err)
		}
	}
	f(`{"ok":false,"error":"invalid_blocks"}`, "refused")
	f(`{"ok":false,"error":"token_revoked"}`, "denied")
	f(`{"ok":false,"error":"is_archived"}`, "denied")
	f(`{"ok":false,"error":"cant_update_message"}`, "refused")
	f(`{"ok":false,"error":"internal_error"}`, "later")
	f(`{"ok":false,"error":"ratelimited"}`, "later")
	f(`garbage`, "later")
}

// A digest says how many loops it stands for, what they share, and names one.
func TestDigest(t *testing.T) {
	a := &sinks.Alert{Event: "digest.grown", ID: "dg-1", Revision: 2, State: window.Grown, Loops: 10, Rules: []string{"r", "s"}, Threshold: 5, WindowS: 60, First: "1", Last: "2"}
	a.Repeats, a.Example = "tool ls", &sinks.Example{ID: "ep-1", Session: "s1", Explain: "loopgauge explain ep-1"}
	b, err := json.Marshal(render(a).blocks)
	must(t, err)
	for _, want := range []string{"Digest has grown to 10 more loops", `Rule\nr, s`, `Loops\n10 more than 5 in a minute`, `Repeats\ntool ls`, "One of them: ep-1, session s1", "Why: loopgauge explain ep-1", `First loop\n1`, `"dg-1, revision 2"`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s\nlacks %q", b, want)
		}
	}
	for _, not := range []string{"request", "kind", "would not", `"text":""`, `\n"`} {
		if strings.Contains(strings.ToLower(string(b)), not) {
			t.Errorf("%s\nspeaks of %s", b, not)
		}
	}
}

// A message says whose loop it is, where the scope does not.
func TestWhose(t *testing.T) {
	a := alert(window.Opened, 1)
	a.Scope, a.Session, a.Caller, a.User = nil, "s8", "team a", "ann"
	fields := func() string {
		b, err := json.Marshal(render(a).blocks)
		must(t, err)
		return string(b)
	}
	for _, want := range []string{`Session\ns8`, `Caller\nteam a`, `User\nann`} {
		if got := fields(); !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %q", got, want)
		}
	}
	a.Scope = map[string]string{"conversation": "s8", "caller": "team a"}
	if got := fields(); strings.Contains(got, "Session") || strings.Contains(got, "Caller") {
		t.Errorf("%s\nsays twice whose it is", got)
	}
}

// The test server of slack-go takes the messages too.
func TestSlacktest(t *testing.T) {
	s := slacktest.NewTestServer()
	s.Handle("/conversations.history", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"ok":true,"messages":[]}`)
	})
	s.Start()
	defer s.Stop()
	b := NewBot("xoxb-test", "C0123456", s.GetAPIURL())
	a := alert(window.Opened, 1)
	a.Links = linksOf("plain") // it decodes what is escaped in a URL
	if err := b.Send(t.Context(), a); err != nil || b.posts["ep-1"] == "" {
		t.Errorf("posted as %q, %v", b.posts["ep-1"], err)
	}
}

// linkText is a text of links alone.
var linkText = regexp.MustCompile(`^(<https://grafana\.example/[!-~]*\|[a-z &;]+>(  )?)*$`)

// Whatever stands in a log: messages keep to Slack's limits, and its text
// stands in plain_text only, escaped.
func TestHostileText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"<", "&", "*", "<!channel>", "\u202e", "\n", "a"}), 0, 3000),
			func(parts []string) string { return strings.Join(parts, "") })).Draw(t, "text")
		a := alert(rapid.SampledFrom(states).Draw(t, "state"), 1)
		a.Scope, a.Model, a.Caller, a.Backend, a.Fingerprint = map[string]string{"a": text, text: "b"}, text, text, text, text
		a.Session, a.User = text, text
		a.Repeats, a.Tool, a.Evidence, a.Explain, a.Seen[0].Rule, a.Response.Body, a.Links = text, text, text, text, text, &text, linksOf(text)
		for _, m := range []message{render(a), followUp(a)} {
			if m.text != headline(a) {
				t.Fatalf("text %q", m.text)
			}
			b, err := json.Marshal(m.blocks)
			must(t, err)
			var blocks []struct {
				Type     string
				Text     *struct{ Type, Text string }
				Fields   []struct{ Type, Text string }
				Elements []struct{ Type, Text string }
			}
			must(t, json.Unmarshal(b, &blocks))
			for _, block := range blocks {
				texts := append(block.Fields, block.Elements...)
				if block.Text != nil {
					texts = append(texts, *block.Text)
					if block.Type == "header" && len(block.Text.Text) > 150 {
						t.Fatalf("header of %d", len(block.Text.Text))
					}
				}
				if len(block.Fields) > 10 {
					t.Fatalf("%d fields", len(block.Fields))
				}
				for _, x := range texts {
					if x.Type == "mrkdwn" { // the links of the policy
						if !linkText.MatchString(x.Text) || len(x.Text) > 3000 {
							t.Fatalf("links of %d: %q", len(x.Text), x.Text)
						}
						continue
					}
					if x.Type != "plain_text" || x.Text == "" || len(x.Text) > 2000 || strings.ContainsAny(x.Text, "<>\x1b\u202e") {
						t.Fatalf("%s of %d: %q", x.Type, len(x.Text), x.Text)
					}
				}
			}
		}
	})
}
