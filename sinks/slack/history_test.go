package slack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/window"
)

// pages has a workspace answer a search with pages of one message each, of
// which those of a kind and an id hold what is looked for.
func (s *workspace) pages(n int, at int, metadata map[string]any) {
	s.answer = func(w http.ResponseWriter, method string) bool {
		if method != "conversations.history" {
			return false
		}
		page := 0
		if cursor, _ := s.calls[len(s.calls)-1]["cursor"].(string); cursor != "" {
			_, _ = fmt.Sscanf(cursor, "page%d", &page)
		}
		message := map[string]any{"type": "message", "ts": fmt.Sprint(1777888000-page, ".000100")}
		if page == at {
			message["metadata"] = metadata
		}
		reply := map[string]any{"ok": true, "messages": []any{message}, "has_more": page+1 < n}
		// Slack sends a cursor with the last page too, now and then.
		reply["response_metadata"] = map[string]any{"next_cursor": fmt.Sprint("page", page+1)}
		_ = json.NewEncoder(w).Encode(reply)
		return true
	}
}

// A message is looked for page by page, ten at most, and once.
func TestBotSearch(t *testing.T) {
	ours := map[string]any{"event_type": metadataType, "event_payload": map[string]any{metadataID: "ep-1"}}
	another := map[string]any{"event_type": metadataType, "event_payload": map[string]any{metadataID: "ep-2"}}
	others := map[string]any{"event_type": "deploy", "event_payload": map[string]any{metadataID: "ep-1"}}
	f := func(pages, at int, metadata map[string]any, searched int, then string) {
		t.Helper()
		s := newWorkspace(t)
		s.pages(pages, at, metadata)
		b := s.bot()
		for i, want := range []string{strings.Repeat("conversations.history, ", searched) + then, "update, postMessage in thread"} {
			must(t, b.Send(t.Context(), alert(states[i], i+1)))
			if got := s.methods(); got != want {
				t.Errorf("%d pages, on %d: %s; want %s", pages, at, got, want)
			}
		}
	}
	f(1, 0, ours, 1, "update")
	f(3, 2, ours, 3, "update")
	f(3, 9, ours, 3, "postMessage")
	f(20, 9, ours, 10, "update")
	f(20, 10, ours, 10, "postMessage")
	f(1, 0, another, 1, "postMessage")
	f(1, 0, others, 1, "postMessage")
}

// A bot that is in no channel cannot look, and says so when it posts.
func TestBotNotInChannel(t *testing.T) {
	s := newWorkspace(t)
	s.answer = func(w http.ResponseWriter, method string) bool {
		if method == "conversations.history" {
			_, _ = w.Write([]byte(`{"ok":false,"error":"not_in_channel"}`))
		}
		return method == "conversations.history"
	}
	if err := s.bot().Send(t.Context(), alert(window.Opened, 1)); err != nil || s.methods() != "conversations.history, postMessage" {
		t.Error(err)
	}
}

// What is long is cut: a body that a client would have seen, and links where
// one ends.
func TestLong(t *testing.T) {
	a := alert(window.Opened, 1)
	body := strings.Repeat("b", 5000)
	a.Response.Body = &body
	for i := range 200 {
		a.Links[fmt.Sprintf("link %03d", i)] = "https://grafana.example/" + strings.Repeat("x", 50)
	}
	if text := links(a); len(text) > maxLinks || len(text) < maxLinks-200 || !strings.HasSuffix(text, ">") {
		t.Errorf("links of %d bytes, ending in %q", len(text), text[max(0, len(text)-30):])
	}
	for _, line := range details(a) {
		if n := strings.Count(line, "b"); strings.HasPrefix(line, "The client would have seen") && (n < 500 || n > 700) {
			t.Errorf("%d of 5000 characters of a body are shown", n)
		}
	}
}

// That the log does not say of what kind a loop is belongs into no headline.
func TestHeadlineOfUnknownKind(t *testing.T) {
	a := alert(window.Opened, 1)
	if got := headline(a); got != "Loop (stuck) of 10 requests" {
		t.Error(got)
	}
	a.Kind = string(window.Unknown)
	if got := headline(a); got != "Loop of 10 requests" {
		t.Error(got)
	}
}
