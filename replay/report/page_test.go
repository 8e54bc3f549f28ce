package report

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// record is a line of the native format.
type record struct {
	Time     time.Time `json:"time"`
	Path     string    `json:"path,omitempty"`
	Method   string    `json:"method,omitempty"`
	Caller   string    `json:"caller,omitempty"`
	User     string    `json:"user,omitempty"`
	Session  string    `json:"session,omitempty"`
	Model    string    `json:"model,omitempty"`
	Messages []message `json:"messages,omitempty"`
	Calls    []call    `json:"tool_calls,omitempty"`
	Status   int       `json:"status,omitempty"`
	In       int       `json:"tokens_in,omitempty"`
	Cost     float64   `json:"cost,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type call struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

var began = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)

// stuck is a session that sends one request n times, so far apart and a little
// more: a steady pace would be a clock's.
func stuck(session string, at time.Duration, n int, apart time.Duration) []record {
	var list []record
	for i := range n {
		list = append(list, record{
			Time: began.Add(at + time.Duration(i)*apart + time.Duration(i*i%3)*apart/2), Path: "/v1/chat/completions", Method: "POST", Caller: "key-" + session, Session: session, Model: "gpt-4.1",
			Messages: []message{{"user", "where is parcel " + session}}, Calls: []call{{"find", `{"of":"` + base64.StdEncoding.EncodeToString([]byte(session)) + `"}`}},
			Status: 200, In: 100, Cost: 0.002,
		})
	}
	return list
}

// clock is a session that asks the same at a steady pace.
func clock(session string, at time.Duration, n int) []record {
	list := stuck(session, at, n, time.Second)
	for i := range list {
		list[i].Time = began.Add(at + time.Duration(i)*time.Minute)
	}
	return list
}

// healthy is a session in which nothing repeats.
func healthy(session string, at time.Duration, n int) []record {
	list := stuck(session, at, n, 7*time.Second)
	for i := range list {
		list[i].Messages[0].Content += fmt.Sprint(", step ", i)
		list[i].Calls[0].Arguments = fmt.Sprintf(`{"step":%d}`, i)
	}
	return list
}

// days is a log with two loops in its first days and one at its end.
func days() []record {
	list := append(stuck("s-loop-1", 0, 12, 2*time.Second), stuck("s-loop-2", 30*time.Hour, 7, 20*time.Second)...)
	for i := range 60 {
		list = append(list, healthy(fmt.Sprintf("s-calm-%d", i), time.Duration(i)*2*time.Hour, 6)...)
	}
	return append(list, stuck("s-loop-3", 119*time.Hour, 9, 3*time.Second)...)
}

// tuned runs tune over the records, by name of the log.
func tuned(tb testing.TB, name string, records []record, rules ...string) *tune.Report {
	tb.Helper()
	return tunedKeeping(tb, 0, name, records, rules...)
}

// tunedKeeping keeps so many repeats one by one.
func tunedKeeping(tb testing.TB, repeats int, name string, records []record, rules ...string) *tune.Report {
	tb.Helper()
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	for _, r := range records {
		if err := e.Encode(r); err != nil {
			tb.Fatal(err)
		}
	}
	file := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	if len(rules) == 0 {
		rules = []string{"loopgauge", "tool-call", "aisg"}
	}
	p, err := policy.FromProfiles(rules)
	if err != nil {
		tb.Fatal(err)
	}
	var gateways []tune.Gateway
	for _, name := range []string{"aisg", "fairvisor"} {
		g, err := policy.FromProfiles([]string{name})
		if err != nil {
			tb.Fatal(err)
		}
		gateways = append(gateways, tune.Gateway{Name: name, Reading: "as documented", Rules: g.Rules})
	}
	sources, err := ingest.Find([]string{file}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	streams, failed := ingest.OpenAll(sources, 0, ingest.Options{Format: formats.ByName("loopgauge")})
	if len(failed) > 0 {
		tb.Fatal(failed)
	}
	r, err := tune.Run(context.Background(), tune.Options{
		Run: replay.Options{Streams: streams, PipelineOptions: replay.PipelineOptions{
			Lateness: 200 * time.Hour, // the records need not be sorted
			Since:    fingerprint.NoTime, Until: fingerprint.NoTime, MaxKeys: 1 << 18,
		}},
		Rules: p.Rules, Gateways: gateways, Windows: tune.DefaultWindows, Least: 2, Most: tune.DefaultMost, MaxKeys: 1 << 18, MaxWrong: 0.001, MaxRepeats: repeats,
	})
	if err != nil {
		tb.Fatal(err)
	}
	r.Lateness.Value = 10 * time.Second
	return r
}

func write(tb testing.TB, r *tune.Report, command ...string) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, Options{Version: "v0", Command: command}); err != nil {
		tb.Fatal(err)
	}
	if b.Len() > maxBytes {
		tb.Errorf("the page has %d bytes, more than %d", b.Len(), maxBytes)
	}
	return b.Bytes()
}

// part is what stands in the page between two marks.
func part(tb testing.TB, page []byte, from, to string) string {
	tb.Helper()
	_, rest, ok := strings.Cut(string(page), from)
	inside, _, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		tb.Fatalf("no %s...%s in the page", from, to)
	}
	return inside
}

// Only what is in the page may run, and the policy says so by its hash.
func TestPolicyNamesScriptAndStyle(t *testing.T) {
	page := write(t, tuned(t, "a.jsonl", days()))
	csp := part(t, page, `http-equiv="Content-Security-Policy" content="`, `"`)
	sum := func(from, to string) string {
		h := sha256.Sum256([]byte(part(t, page, from, to)))
		return "'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'"
	}
	want := "default-src 'none'; script-src " + sum("<script>", "</script>") + "; style-src " + sum("<style>", "</style>") + "; base-uri 'none'; form-action 'none'"
	if csp != want {
		t.Errorf("the policy is %s, want %s", csp, want)
	}
	// Nothing is named that could be loaded, and no attribute runs.
	for _, pattern := range []string{`\bsrc=`, `\bhref=`, `@import`, `url\(`, `https?://(?:[^w]|w[^w])`, `\bon[a-z]+="`, `\bstyle="`, `unsafe-`, `innerHTML`, `outerHTML`, `insertAdjacentHTML`, `document\.write`, `\beval\(`, `new Function`} {
		if found := regexp.MustCompile(pattern).FindString(string(page)); found != "" {
			t.Errorf("the page has %q in it", found)
		}
	}
}

// hostile texts, as a caller can put them into a log.
var hostile = []string{
	`<script>alert(1)</script>`, `</script><img src=x onerror=alert(2)>`, `<!--<script>`, `"'><svg/onload=alert(3)>`, "left\u202Eright", "line\u2028sep", `{{data}}`, "\x00\x1b[31m",
}

func hostileLog() []record {
	var list []record
	for i, text := range hostile {
		for _, r := range stuck(text, time.Duration(i)*time.Hour, 8, 3*time.Second) {
			r.Caller, r.User, r.Model, r.Path = text, text, text, "/"+text
			r.Calls[0].Name = text
			list = append(list, r)
		}
	}
	return append(list, days()...)
}

// Text from the log can end neither the data nor the page.
func TestHostileTextIsData(t *testing.T) {
	page := write(t, tuned(t, `<b>"'&.jsonl`, hostileLog()), "loopgauge", "tune", "a'b</script>\u202E.log")
	data := part(t, page, `<script type="application/json" id="data">`, `</script>`)
	if i := strings.IndexAny(data, "<>&\u2028\u2029\u202E"); i >= 0 {
		t.Errorf("the data holds %q", data[i:min(len(data), i+40)])
	}
	var d struct {
		Command string
		Texts   []string
		Streams []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(data), &d); err != nil {
		t.Fatal(err)
	}
	if want := `loopgauge tune 'a'\''b</script>\u202e.log'`; d.Command != want {
		t.Errorf("the command is %s, want %s", d.Command, want)
	}
	all := strings.Join(d.Texts, "\n")
	for _, want := range []string{`<script>alert(1)</script>`, `<!--<script>`, `left\u202eright`, `line\u2028sep`, `{{data}}`, `\x00\x1b[31m`} {
		if !strings.Contains(all, want) {
			t.Errorf("the text %q is not in the data", want)
		}
	}
	if n := bytes.Count(page, []byte("<script")); n != 2 {
		t.Errorf("%d scripts begin in the page, want 2", n)
	}
}

// The same log gives the same page.
func TestPageIsReproducible(t *testing.T) {
	if a, b := write(t, tuned(t, "a.jsonl", days())), write(t, tuned(t, "a.jsonl", days())); !bytes.Equal(part2(a), part2(b)) {
		t.Error("two pages of one log differ")
	}
}

// part2 leaves out the folder that the log was in.
func part2(page []byte) []byte {
	return regexp.MustCompile(`"name":"[^"]*a\.jsonl"`).ReplaceAll(page, nil)
}

// TestPageKnowsKinds: every kind of repeat has a colour, and words for it.
func TestPageKnowsKinds(t *testing.T) {
	_, words, _ := strings.Cut(pageJS, "A repeat is called by ")
	words, _, _ = strings.Cut(words, "\n")
	for _, kind := range window.Kinds {
		if !strings.Contains(pageCSS, "."+string(kind)+" { color: ") {
			t.Errorf("%s has no colour in page.css", kind)
		}
		if !strings.Contains(words, string(kind)) {
			t.Errorf("%s is not explained in page.js", kind)
		}
	}
}

// An empty report is a page too.
func TestNothingToJudge(t *testing.T) {
	page := write(t, tuned(t, "a.jsonl", days()[:1]))
	if !strings.Contains(part(t, page, `id="data">`, `</script>`), `"verdict":"no loop found, nothing to enforce"`) {
		t.Error("one request has another verdict than that there is no loop")
	}
}

// The page names the lateness that would have saved what came too late.
func TestPageNamesEnoughLateness(t *testing.T) {
	r := tuned(t, "a.jsonl", days())
	r.Result.Order.WorstLate = 2*time.Hour + 41*time.Minute
	if !strings.Contains(part(t, write(t, r), `id="data">`, `</script>`), `"enough":"2h50m"`) {
		t.Error("the page does not know that 2h50m would be enough")
	}
}

// crowd is a log of n loops.
func crowd(n, requests int) []record {
	var list []record
	for i := range n {
		list = append(list, stuck(fmt.Sprintf("session-%05d-%x", i, sha256.Sum256([]byte{byte(i), byte(i >> 8)})), time.Duration(i)*time.Minute, requests, time.Duration(1000+37*(i%400))*time.Millisecond)...)
	}
	return list
}

// A page says of how many repeats it does not show all, from the first request
// that is not kept.
func TestLonger(t *testing.T) {
	const kept = 256
	for requests, want := range map[int]int{kept + 1: 0, kept + 2: 1} {
		if p := newPage(tuned(t, "a.jsonl", crowd(1, requests), "aisg"), Options{}, detail{repeats: 20_000, thresholds: thresholds}); p.Longer != want {
			t.Errorf("of %d requests: %d repeats are longer than what is kept, want %d", requests, p.Longer, want)
		}
	}
}

// What is too much for a page is added up, and the numbers stay whole.
func TestTooMuchIsAddedUp(t *testing.T) {
	r := tuned(t, "a.jsonl", append(crowd(100, 9), days()...), "aisg", "loopgauge")
	p := newPage(r, Options{}, detail{repeats: 20_000, thresholds: thresholds})
	listed := map[string]bool{}
	for _, one := range p.Repeats {
		var fields []any
		if err := json.Unmarshal(one, &fields); err != nil {
			t.Fatal(err)
		}
		listed[p.Texts[int(fields[10].(float64))]] = true
	}
	if added := len(r.Repeats) - len(listed); len(listed) < 10 || added < 10 || p.All != len(r.Repeats) {
		t.Fatalf("%d repeats listed and %d added up, of %d", len(listed), added, p.All)
	}
	for rule := range r.Advice {
		for cell := range r.Cells {
			for j, threshold := range p.Thresholds {
				want, got := 0, 0
				for _, k := range r.Repeats {
					if k.Target == rule && !listed[k.ID()] && slices.ContainsFunc(k.Counts(cell), func(n uint8) bool { return int(n) >= threshold }) {
						want++
					}
				}
				for _, x := range p.Rest {
					if x.Rule == rule && j < len(x.Cells[cell]) {
						got += x.Cells[cell][j]
					}
				}
				if got != want {
					t.Fatalf("%s in cell %d at %d: %d added up, want %d", r.Advice[rule].Rule.Name, cell, threshold, got, want)
				}
			}
		}
	}
}

// However long the repeats of one rule are, those of another have room as well,
// and most of the room is for what is recommended.
func TestEachRuleIsListed(t *testing.T) {
	var log []record
	for i := range 200 {
		log = append(log, stuck(fmt.Sprint("s", i), time.Duration(i)*time.Hour, 8, time.Second)...)
	}
	r := tuned(t, "a.jsonl", log, "loopgauge", "aisg")
	for _, k := range r.Repeats {
		k.Requests += 100 * int64(k.Target)
	}
	f := func(recommended ...int) (listed map[int]int, last int64) {
		r.Recommended, listed = recommended, map[int]int{}
		p := newPage(r, Options{}, detail{repeats: 20_000, thresholds: thresholds})
		if len(p.Repeats) == p.All {
			t.Fatalf("all %d are listed: the test shows nothing", p.All)
		}
		for _, raw := range p.Repeats {
			var fields []any
			if err := json.Unmarshal(raw, &fields); err != nil {
				t.Fatal(err)
			}
			listed[int(fields[0].(float64))]++
			last = max(last, int64(fields[2].(float64)))
		}
		return listed, last
	}
	listed, _ := f()
	if len(listed) < 2 || slices.Max(slices.Collect(maps.Values(listed))) > slices.Min(slices.Collect(maps.Values(listed)))+1 {
		t.Errorf("by rule are listed %v", listed)
	}
	for rule := range listed {
		of, last := f(rule)
		others := 0
		for other, n := range of {
			if other != rule {
				others += n
			}
		}
		if len(of) != len(listed) || of[rule] < 10*others {
			t.Errorf("rule %d is recommended, and by rule are listed %v", rule, of)
		}
		// Of equal ones those of one time are no better.
		if last < r.Result.First/1000+(150*time.Hour).Milliseconds() {
			t.Errorf("the last that is listed is of %d", last)
		}
	}
}

// What tune has summed up is in the page as what there is no room for.
func TestSummedUpIsAddedUp(t *testing.T) {
	log := append(crowd(300, 9), days()...)
	all, some := tuned(t, "a.jsonl", log, "aisg", "loopgauge"), tunedKeeping(t, 40, "a.jsonl", log, "aisg", "loopgauge")
	if some.Summed() < 100 {
		t.Fatalf("%d are summed up", some.Summed())
	}
	fires := func(r *tune.Report) (list []string) {
		p := newPage(r, Options{}, detail{repeats: 1, thresholds: thresholds}) // lists one
		if p.All != len(all.Repeats) {
			t.Errorf("%d repeats, want %d", p.All, len(all.Repeats))
		}
		for _, x := range p.Rest {
			list = append(list, fmt.Sprint(x.Rule, x.Kind, x.Cells))
		}
		slices.Sort(list)
		return list
	}
	if diff := cmp.Diff(fires(all), fires(some)); diff != "" {
		t.Errorf("- all are kept, + few are\n%s", diff)
	}
}
