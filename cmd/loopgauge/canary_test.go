package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// canary is what no output may hold. It is planted, each time with another
// number, wherever a log has text that people or models wrote, a key, a header
// or a query.
const canary = "kanarienvogel"

// texts, but for the name of a client's program, which is its name where a log
// has no better one, are the names under which logs hold what must not be written.
var texts = regexp.MustCompile(`(?i)^(content|text|arguments|prompt|inputs?|outputs?|completion|body|request_body|response_body|req_body|resp_body|result|system|instructions|query|args|authorization|.*api[-_]?key|.*token|cookie|referer|description|title|input\.value|output\.value)$`)

// telling are the names under which texts hold what may be written, or what ties a
// request together.
var telling = regexp.MustCompile(`(?i)(^|[_-])(role|type|id|name|model|status|prompt_cache_key)$|session`)

// planter plants canaries.
type planter struct{ n int }

func (p *planter) text(s string) string {
	var inner any
	if json.Unmarshal([]byte(s), &inner) == nil {
		switch inner.(type) {
		case map[string]any, []any:
			b, _ := json.Marshal(p.all(inner))
			return string(b)
		}
	}
	p.n++
	return fmt.Sprintf("%s %s%d", s, canary, p.n)
}

// all plants in every text below.
func (p *planter) all(v any) any {
	switch v := v.(type) {
	case string:
		return p.text(v)
	case []any:
		for i := range v {
			v[i] = p.all(v[i])
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if _, isText := v[key].(string); isText && telling.MatchString(key) {
				continue
			}
			v[key] = p.all(v[key])
		}
	}
	return v
}

// some plants where the name says that it is text.
func (p *planter) some(v any) any {
	switch v := v.(type) {
	case string:
		if at := strings.IndexByte(v, '?'); at > 0 && !strings.ContainsAny(v, " {") {
			p.n++
			return fmt.Sprintf("%s&q=%s%d", v, canary, p.n)
		}
	case []any:
		for i := range v {
			v[i] = p.some(v[i])
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if value, isText := v[key].(string); isText && texts.MatchString(key) {
				v[key] = p.text(value)
				continue
			}
			v[key] = p.some(v[key])
		}
	}
	return v
}

var (
	requestLine = regexp.MustCompile(`( /[^ "?]*)(\?[^ "]*)?( HTTP/)`)
	agent       = regexp.MustCompile(`"(Mozilla|python|curl|OpenAI|node)`)
)

func (p *planter) line(line string) string {
	var v any
	if json.Unmarshal([]byte(line), &v) == nil {
		b, _ := json.Marshal(p.some(v))
		return string(b)
	}
	p.n++
	line = requestLine.ReplaceAllString(line, fmt.Sprintf("${1}?q=%s%d${3}", canary, p.n))
	return agent.ReplaceAllString(line, fmt.Sprintf(`"%s%d${1}`, canary, p.n))
}

// TestCanary: of what people and models wrote, of keys, headers and queries
// nothing gets into any output, checkpoint, alert, metric, line of ours or file
// left behind, whatever the format, unless it is asked for.
func TestCanary(t *testing.T) {
	if testing.Short() {
		t.Skip("watches every log there is")
	}
	var mu sync.Mutex
	var sent []byte
	opened := false
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		sent = fmt.Appendf(append(sent, body...), "%v\n", r.Header)
	}))
	defer receiver.Close()
	t.Setenv("LG_HOOK", receiver.URL+"/services/a/b/c")

	read, alerted := 0, 0
	logs, err := filepath.Glob("../../fixtures/formats/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range logs {
		base := filepath.Base(log)
		if strings.Contains(base, "truth") || strings.HasPrefix(base, "LICENSE") || !regexp.MustCompile(`\.(jsonl?|log)(\.zst)?$`).MatchString(base) {
			continue
		}
		t.Run(strings.ReplaceAll(strings.TrimPrefix(log, "../../fixtures/formats/"), "/", "_"), func(t *testing.T) {
			mu.Lock()
			opened = opened || bytes.Contains(sent, []byte("loop.opened"))
			sent = nil
			mu.Unlock()
			dir := t.TempDir()
			t.Setenv("TMPDIR", filepath.Join(dir, "tmp"))
			if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
				t.Fatal(err)
			}
			planted, n := plant(t, log)
			if n == 0 {
				t.Skip("holds no text")
			}
			in := filepath.Join(dir, "in")
			if err := os.MkdirAll(in, 0o700); err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(in, "access.log")
			write(t, name, planted)
			policy := filepath.Join(dir, "policy.yaml")
			write(t, policy, `version: 1
duplicates: 0s
lateness: 10m
rules:
  - {name: call, profile: tool-call, threshold: 2}
  - {name: result, identity: tool-call-result, scope: [conversation], counter: {kind: sliding, window: 1h}, threshold: 2}
  - {name: aisg, profile: aisg, threshold: 2}
  - {name: prompt, identity: prompt, scope: [], counter: {kind: sliding, window: 1h}, threshold: 2}
  - {name: fairvisor, profile: fairvisor, threshold: 2}
  - {name: header, identity: request, scope: ["attr:header:authorization"], counter: {kind: sliding, window: 1h}, threshold: 2}
links: {d: "https://a.example/?s={{session}}&c={{caller}}&t={{tool}}&p={{path}}"}
sinks:
  - webhook: {url: "`+receiver.URL+`/hook"}
  - slack: {webhook_url: "${LG_HOOK}"}
`)
			clean := func(what string, text []byte) {
				t.Helper()
				if at := bytes.Index(text, []byte(canary)); at >= 0 {
					t.Errorf("%s has %q", what, text[max(0, at-80):min(len(text), at+40)])
				}
			}
			says := func(args ...string) {
				t.Helper()
				_, out, errs := ran(t, "", args...)
				clean(args[0], []byte(out+errs))
			}
			verdicts := filepath.Join(dir, "replay.jsonl")
			says("replay", "--policy", policy, "--verdicts", verdicts, "--out", filepath.Join(dir, "data"), name)
			want, _ := os.ReadFile(verdicts)
			if len(want) == 0 {
				t.Skip("no rule could look at it")
			}
			read++
			says("replay", "--policy", policy, "--json", name)
			says("tune", "--policy", policy, "--html", filepath.Join(dir, "page.html"), name)
			says("explain", "--policy", policy, name+":1")
			says("explain", "--skipped", name)
			says("formats", name)
			if episode := regexp.MustCompile(`ep-[0-9a-f]{16}`).Find(want); episode != nil {
				says("explain", "--policy", policy, string(episode), name)
				alerted++
			}

			if strings.Contains(log, "/azure-apim/") {
				return // watch waits for what such a log may add to the same requests
			}
			ctx, stop := context.WithCancel(t.Context())
			var out, errs said
			done := make(chan int)
			live := filepath.Join(dir, "live.jsonl")
			go func() {
				done <- run(ctx, newUI(strings.NewReader(""), &out, &errs), []string{
					"watch", "--policy", policy, "--state", filepath.Join(dir, "state"), "--verdicts", live, "--out", filepath.Join(dir, "live"),
					"--idle", "50ms", "--checkpoint", "100ms", "--verbose", "--listen", "127.0.0.1:0", name,
				})
			}()
			deadline := time.Now().Add(patience)
			for {
				if got, _ := os.ReadFile(live); len(got) >= len(want) {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("watch has not come as far as replay: %s", errs.String())
				}
				time.Sleep(20 * time.Millisecond)
			}
			address := regexp.MustCompile(`listening address=(\S+)`).FindStringSubmatch(errs.String())
			if address == nil {
				t.Fatalf("watch does not listen: %s", errs.String())
			}
			for _, page := range []string{"/metrics", "/healthz", "/readyz"} {
				body := get(t, "http://"+address[1]+page)
				clean(page, body)
				if page == "/metrics" && !bytes.Contains(body, []byte(`loopgauge_rule_fired_total{rule="call"}`)) {
					t.Errorf("no metrics of rules: %s", body)
				}
			}
			stop()
			if code := <-done; code != exitDone {
				t.Errorf("watch ended with %d: %s", code, errs.String())
			}
			clean("watch", []byte(out.String()+errs.String()))
			mu.Lock()
			clean("an alert", sent)
			mu.Unlock()

			err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				switch {
				case err != nil || path == name:
					return err
				case d.IsDir():
					if info, _ := d.Info(); strings.HasPrefix(path, filepath.Join(dir, "state")) && info.Mode().Perm() != 0o700 {
						t.Errorf("%s has the mode %v", path, info.Mode())
					}
					return nil
				}
				if info, _ := d.Info(); info.Mode().Perm() != 0o600 {
					t.Errorf("%s has the mode %v", path, info.Mode())
				}
				if strings.HasPrefix(path, filepath.Join(dir, "tmp")) {
					t.Errorf("%s is left behind", path)
				}
				text, err := os.ReadFile(path)
				clean(path, text)
				if strings.HasSuffix(path, ".parquet") {
					clean(path, columns(t, text))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	if read < 15 || alerted < 10 || !opened {
		t.Errorf("only %d logs were read, of %d something fired; alerted %v", read, alerted, opened)
	}
}

// get is the body of a page.
func get(t *testing.T, url string) []byte {
	t.Helper()
	response, err := http.Get(url) //nolint:noctx // of this test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestPanicText: what a crash leaves on the terminal holds nothing of the log,
// whichever line is at hand.
func TestPanicText(t *testing.T) {
	if log := os.Getenv("LOOPGAUGE_TEST_CRASH"); log != "" {
		os.Exit(run(t.Context(), newUI(strings.NewReader(""), crashing{}, os.Stderr), []string{"replay", "--profile", "tool-call", "--profile", "aisg", "--verdicts", "-", log}))
	}
	text, _ := plant(t, "../../fixtures/formats/litellm/sessions.jsonl")
	log := filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(log, []byte(strings.Repeat(text, 20)), 0o600); err != nil || !strings.Contains(text, canary) {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPanicText$")
	c.Env = append(os.Environ(), "LOOPGAUGE_TEST_CRASH="+log, "GOTRACEBACK=all")
	out, err := c.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("panic: provoked")) || !bytes.Contains(out, []byte("goroutine ")) {
		t.Fatalf("%v: it did not crash:\n%s", err, out)
	}
	if at := bytes.Index(out, []byte(canary)); at >= 0 {
		t.Errorf("the crash says %q", out[max(0, at-80):min(len(out), at+40)])
	}
}

// crashing is an output that makes what writes to it crash.
type crashing struct{}

func (crashing) Write([]byte) (int, error) { panic("provoked") }

// plant is the beginning of a log, each line of it four times, with canaries.
func plant(t *testing.T, log string) (text string, n int) {
	t.Helper()
	data, err := os.ReadFile(log)
	if err == nil && strings.HasSuffix(log, ".zst") {
		d, _ := zstd.NewReader(nil)
		defer d.Close()
		data, err = d.DecodeAll(data, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &planter{}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		line = p.line(strings.TrimSuffix(line, "\n"))
		b.WriteString(strings.Repeat(line+"\n", 4))
		if b.Len() > 1<<19 {
			break
		}
	}
	return b.String(), p.n
}

// columns are all texts of a Parquet file.
func columns(t *testing.T, file []byte) (text []byte) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range f.RowGroups() {
		rows := group.Rows()
		buffer := make([]parquet.Row, 64)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				for _, v := range row {
					if v.Kind() == parquet.ByteArray {
						text = append(append(text, v.ByteArray()...), 0)
					}
				}
			}
			if err != nil {
				break
			}
		}
		rows.Close()
	}
	return text
}
