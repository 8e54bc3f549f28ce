package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// acts are characters that move a terminal's cursor, hide or turn text around.
var acts = regexp.MustCompile("[\x00-\x09\x0b-\x1f\x7f-\u009f\u200b-\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]")

// hostileTexts are what a client may put into any field of a log.
func hostileTexts() []string {
	texts := []string{
		"\x1b[2J\x1b]0;title\a", "a\r\nlevel=WARN msg=no", "\u202egnp.exe", "\u009b1A", "a\u2028b", `</script><script>alert(1)</script>`,
		"<!channel> <@U1> <https://evil.example|x>", "{{.}} %s %!d(MISSING) $(id) `id` ; rm -rf '", "=1+1", "\ufeff\u2066x\u2069", "'\"\\",
	}
	drawn := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("\x00\x1b[31m\r\n\t\u202e\u2067\u0085\u007f<>&'\"`$\\|=@é漢"))))
	for seed := range 40 {
		texts = append(texts, drawn.Example(seed))
	}
	return texts
}

// TestHostileOutput: whatever stands in a log, in any field of it, what the
// commands print holds nothing that acts on a terminal, what is JSON is JSON,
// and a page has the scripts that are ours.
func TestHostileOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "a\x1b[31m\u202e'b.jsonl")
	var log strings.Builder
	at := 0
	for i, text := range hostileTexts() {
		for range 5 {
			at++
			b, err := json.Marshal(map[string]any{
				"time": 1.7e9 + float64(at), "id": fmt.Sprint(at, text), "session": text, "caller": text, "user": text, "model": text, "backend": text,
				"method": text, "path": "/" + text, "query": map[string]string{text: text}, "status": 500, "error": text, "tokens_in": 10, "tokens_out": 1,
				"messages":   []any{map[string]string{"role": "user", "content": text}},
				"tool_calls": []any{map[string]string{"name": text, "arguments": text}},
				"attributes": map[string]string{"header:x-team": text, text: text},
			})
			if err != nil {
				t.Fatal(err)
			}
			log.Write(append(b, '\n'))
		}
		if i%4 == 0 {
			log.WriteString("no request " + strings.NewReplacer("\n", "", "\r", "").Replace(text) + "\n")
		}
	}
	write(t, name, log.String())
	policy := policyFile(t, `version: 1
rules:
  - {name: call, profile: tool-call, threshold: 2}
  - {name: aisg, profile: aisg, threshold: 2}
  - {name: team, identity: [method, path], scope: ["attr:header:x-team", user, model], counter: {kind: sliding, window: 1h}, threshold: 2}
sinks: [{log: {}}]
`)
	says := func(args ...string) (out string) {
		t.Helper()
		_, out, errs := ran(t, "", append(args, "--no-color")...)
		if at := acts.FindStringIndex(errs); at != nil {
			t.Errorf("%v says %q", args[0], errs[max(0, at[0]-60):min(len(errs), at[1]+20)])
		}
		return out
	}
	terminal := func(args ...string) {
		t.Helper()
		out := says(args...)
		if len(out) < 40 {
			t.Errorf("%v prints %q", args, out)
		}
		if at := acts.FindStringIndex(out); at != nil {
			t.Errorf("%v prints %q", args[:len(args)-1], out[max(0, at[0]-60):min(len(out), at[1]+20)])
		}
	}
	documents := func(args ...string) (out string) {
		t.Helper()
		out = says(args...)
		d := json.NewDecoder(strings.NewReader(out))
		n := 0
		for ; d.More(); n++ {
			var one any
			if err := d.Decode(&one); err != nil {
				t.Fatalf("%v: %v", args, err)
			}
		}
		if at := acts.FindStringIndex(out); n == 0 || at != nil {
			t.Errorf("%v prints %d documents, and what acts at %v", args, n, at)
		}
		return out
	}

	terminal("replay", "--policy", policy, name)
	terminal("replay", "--policy", policy, "--enforce", name)
	terminal("tune", "--policy", policy, name)
	terminal("formats", name)
	terminal("explain", "--skipped", name)
	terminal("explain", "--identity", "tool-call", name)
	documents("formats", "--json", name)
	documents("replay", "--policy", policy, "--json", name)
	documents("tune", "--policy", policy, "--json", name)
	documents("replay", "--policy", policy, "--emit", "--dry-run", name)
	episodes := regexp.MustCompile(`ep-[0-9a-f]{16}`).FindAllString(documents("replay", "--policy", policy, "--verdicts", "-", name), -1)
	if len(episodes) < 40 {
		t.Fatalf("%d episodes", len(episodes))
	}
	for _, i := range []int{0, len(episodes) / 2, len(episodes) - 1} {
		terminal("explain", "--policy", policy, episodes[i], name)
		terminal("explain", "--policy", policy, "--show-text", episodes[i], name)
	}
	for line := 2; line < 52; line += 7 { // none of those that are no request
		terminal("explain", "--policy", policy, "--show-text", fmt.Sprint(name, ":", line))
	}
	html := filepath.Join(dir, "page.html")
	says("tune", "--policy", policy, "--html", html, name)
	page, err := os.ReadFile(html)
	if err != nil || bytes.Count(page, []byte("<script")) != 2 || bytes.ContainsAny(page, "\u202e\u2067\x1b\x00") {
		t.Errorf("%v; the page has %d scripts", err, bytes.Count(page, []byte("<script")))
	}
}
