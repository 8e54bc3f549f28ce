package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/replay/tune"
)

// tab is a page in a real browser, and what went wrong in it.
type tab struct {
	tb  testing.TB
	ctx context.Context
	end context.CancelFunc

	mu       sync.Mutex
	trouble  []string
	requests []string
}

// browse opens the page from a file, as people do, in a window of a size.
func browse(tb testing.TB, html []byte, width, height int64) *tab {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "report.html")
	if err := os.WriteFile(file, html, 0o600); err != nil {
		tb.Fatal(err)
	}
	t := newTab(tb, width, height)
	t.open("file://" + file)
	return t
}

func newTab(tb testing.TB, width, height int64) *tab {
	tb.Helper()
	if testing.Short() {
		tb.Skip("needs Chromium")
	}
	program, err := exec.LookPath("chromium")
	if err != nil {
		tb.Fatal("there is no chromium on the PATH: scripts/setup.sh chromium installs it")
	}
	// The sandbox starts neither for root nor in most containers, and the page
	// is our own. The profile is for chromedp to remove: what Chromium leaves
	// running writes into it for a moment, which a test's directory may not.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WSURLReadTimeout(15*time.Minute))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	tb.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(alloc)
	tb.Cleanup(cancel)
	t := &tab{tb: tb}
	t.ctx, t.end = context.WithCancel(ctx)
	tb.Cleanup(t.end)
	t.do(chromedp.EmulateViewport(width, height))
	if err := chromedp.Listen(ctx, t.event); err != nil {
		tb.Fatal(err)
	}
	return t
}

func (t *tab) event(ev any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	note := func(format string, args ...any) { t.trouble = append(t.trouble, fmt.Sprintf(format, args...)) }
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		note("console: %s", ev.Type)
	case *runtime.EventExceptionThrown:
		note("exception: %+v", ev.ExceptionDetails.Exception.Description)
		t.end() // what is waited for may never come
	case *log.EventEntryAdded:
		note("log: %s", ev.Entry.Text)
	case *cdppage.EventJavascriptDialogOpening:
		note("dialog: %s", ev.Message)
	case *network.EventRequestWillBeSent:
		t.requests = append(t.requests, ev.Request.URL)
	}
}

func (t *tab) open(url string) {
	t.tb.Helper()
	t.do(chromedp.Navigate(url), chromedp.WaitReady(chromedp.CSS(`html[data-ready=yes]`)))
}

func (t *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	t.tb.Helper()
	if err := chromedp.Do(t.ctx, steps...); err != nil {
		t.quiet()
		t.tb.Fatal(err)
	}
}

func eval[T any](t *tab, script string, options ...chromedp.EvaluateOption) T {
	t.tb.Helper()
	v, err := chromedp.Run(t.ctx, chromedp.Evaluate[T](script, options...))
	if err != nil {
		t.quiet()
		t.tb.Fatalf("%s: %v", script, err)
	}
	return v
}

// text is what an element says.
func (t *tab) text(id string) string {
	t.tb.Helper()
	return eval[string](t, "document.getElementById('"+id+"').textContent")
}

// says wants some paragraphs, points and rows of a part, with bars between cells.
func (t *tab) says(id string, want ...string) {
	t.tb.Helper()
	got := eval[[]string](t, `[...document.querySelectorAll("#`+id+` p, #`+id+` li, #`+id+` tr")].map((x) => x.cells ? [...x.cells].map((c) => c.innerText.replace(/\s+/g, " ")).join("|") : x.textContent)`)
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.tb.Errorf("%s: no %q in\n%q", id, line, got)
		}
	}
}

// quiet wants nothing in the console, no dialog and no request but for the
// page itself.
func (t *tab) quiet() {
	t.tb.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, trouble := range t.trouble {
		t.tb.Errorf("in the browser: %s", trouble)
	}
	if len(t.requests) > 1 {
		t.tb.Errorf("requests leave: %q", t.requests[1:])
	}
}

// shownEpisodes is what the list of episodes says that there are.
func shownEpisodes(t *tab) string {
	t.tb.Helper()
	said := t.text("episodes-count")
	if said == "It fires on nothing." {
		return "0"
	}
	_, after, _ := strings.Cut(said, " of ")
	number, _, _ := strings.Cut(after, " repeat")
	return number
}

func TestClickAndKeysChangeEverything(t *testing.T) {
	r := tuned(t, "a.jsonl", days())
	b := browse(t, write(t, r), 1280, 900)
	if got := b.text("policy"); got != r.Policy() || got == "" {
		t.Errorf("the page begins with the policy\n%s\nwant\n%s", got, r.Policy())
	}
	if len(r.Recommended) == 0 {
		t.Fatal("nothing is recommended: the test shows nothing")
	}
	a := r.Advice[r.Recommended[0]]
	window := func(i int) string { return []string{"10s", "30s", "1m", "2m", "5m", "10m", "30m", "1h"}[i] }
	layer := "episodes"
	at := func(column, threshold int) {
		t.Helper()
		kind := r.Cells[a.Cell].Kind
		want := fmt.Sprintf("counter: {kind: %s, window: %s}\n    threshold: %d\n", kind, window(column), threshold)
		if got := b.text("policy"); !strings.Contains(got, want) {
			t.Errorf("the policy is\n%s\nwithout\n%s", got, want)
		}
		address := eval[string](b, "location.hash")
		if want := fmt.Sprintf("#rule=%s&kind=%s&window=%s&threshold=%d&layer=%s", a.Rule.Name, kind, window(column), threshold, layer); address != want {
			t.Errorf("the address is %s, want %s", address, want)
		}
		cell := slices.Index(r.Cells, r.Cells[a.Cell]) / 8 * 8
		if got, want := shownEpisodes(b), fmt.Sprint(fires(r, a.Target, cell+column, threshold)); got != want {
			t.Errorf("%s episodes are listed at %d in %s, want %s", got, threshold, window(column), want)
		}
	}
	click := func(row, column int) {
		t.Helper()
		b.do(chromedp.Click(chromedp.CSS(fmt.Sprintf(`#map td[data-row="%d"][data-column="%d"]`, row, column))))
	}
	press := func(key string) { b.do(chromedp.KeyEvent(key)) }
	click(8, 3) // the thresholds are 2, 3, 4 ...
	at(3, 10)
	press(kb.ArrowUp)
	at(3, 9)
	press(kb.ArrowLeft)
	press(kb.ArrowLeft)
	at(1, 9)
	press(kb.ArrowLeft)
	press(kb.ArrowLeft) // the edge
	at(0, 9)
	press(kb.ArrowDown)
	at(0, 10)
	press(kb.End)
	at(7, 10)

	// Where the browser lets nothing be copied, it is selected.
	policy := b.text("policy")
	for stub, want := range map[string]string{"copied = text": "Copied. " + policy, "throw 0": "Selected: copy it with the keyboard. " + policy} {
		if got := eval[string](b, `new Promise((done) => {
			let copied = "";
			navigator.clipboard.writeText = async (text) => { `+stub+` };
			new MutationObserver(() => done(document.getElementById("copied").textContent + " " + (copied || getSelection()))).observe(document.getElementById("copied"), { childList: true });
			document.getElementById("copy").click();
		})`, chromedp.EvalAwaitPromise); strings.TrimRight(got, "\n") != strings.TrimRight(want, "\n") {
			t.Errorf("copied is %q, want %q", got, want)
		}
	}

	// The address leads back, and everything follows it.
	eval[chromedp.Void](b, `location.hash = "#rule="+encodeURIComponent("`+a.Rule.Name+`")+"&kind=streak&window=1m&threshold=4&layer=missed"`)
	b.do(chromedp.WaitReady(chromedp.CSS(`#map td[aria-selected=true][data-row="2"][data-column="2"]`)))
	if got := eval[string](b, `document.getElementById("layer").selectedOptions[0].textContent`); got != "loops missed" {
		t.Errorf("the layer is %s", got)
	}
	b.quiet()
}

// fires counts the repeats that a setting fires on.
func fires(r *tune.Report, target, cell, threshold int) (n int) {
	for _, k := range r.Repeats {
		if k.Target == target && slices.ContainsFunc(k.Counts(cell), func(c uint8) bool { return int(c) >= threshold }) {
			n++
		}
	}
	return n
}

// What the page computes is what tune computed.
func TestPageAgreesWithTune(t *testing.T) {
	r := tuned(t, "a.jsonl", days())
	b := browse(t, write(t, r), 1280, 900)
	tried := 0
	for i := range r.Advice {
		a := &r.Advice[i]
		if !a.Found {
			continue
		}
		tried++
		eval[chromedp.Void](b, fmt.Sprintf(`document.getElementById("rule").value = "%d"; document.getElementById("rule").dispatchEvent(new Event("change"))`, i))
		said := eval[map[string]string](b, `Object.fromEntries([...document.querySelectorAll("#cell dt")].map((dt) => [dt.textContent, dt.nextSibling.textContent]))`)
		is := func(what, want string) {
			t.Helper()
			if got := said[what]; got != want {
				t.Errorf("%s: %s: %q, want %q", a.Rule.Name, what, got, want)
			}
		}
		is("loops caught", fmt.Sprintf("%d of %d", a.Outcome.Caught, a.Outcome.Loops))
		is("loops missed", fmt.Sprint(a.Outcome.Missed()))
		is("repeats it fires on", fmt.Sprint(a.Outcome.Episodes))
		is("of these, by evidence no loop", fmt.Sprint(a.Outcome.Wrong))
		if n := a.Outcome.Excluded; n > 0 {
			is("of these, taken out by the policy's exclusions", fmt.Sprint(n))
		}
		if n := a.Outcome.Neither(); n > 0 {
			is("of these, neither a loop nor wrong to stop", fmt.Sprint(n))
		}
		is("requests it would stop", fmt.Sprintf("%d (%s)", a.Setting.Requests, term.Percent(a.Setting.Requests, r.Result.Account.Judged)))
		is("scopes touched", fmt.Sprint(a.Setting.Scopes))
		is("sessions, callers", fmt.Sprintf("%d, %d", a.Setting.Sessions, a.Setting.Callers))
		is("first repeat to firing, median", term.Span(int64(1e6**a.Setting.DelayMedian)))
		is("in 95 % of cases", term.Span(int64(1e6**a.Setting.DelayP95)))
		if got := strings.Fields(said["episodes"]); len(got) == 0 || got[0] != fmt.Sprint(a.Setting.Episodes) {
			t.Errorf("%s: %q episodes, want %d", a.Rule.Name, said["episodes"], a.Setting.Episodes)
		}
		if want := fmt.Sprint(a.Outcome.Episodes); shownEpisodes(b) != want {
			t.Errorf("%s: %s episodes listed, want %s", a.Rule.Name, shownEpisodes(b), want)
		}
	}
	// Two rules, not in the order of the log's: each as advised but the picked one.
	found := slices.DeleteFunc([]int{5, 4, 3, 2, 1, 0}, func(i int) bool { return !r.Advice[i].Found })
	if len(found) < 2 {
		t.Fatal("fewer than two rules are advised: the test shows nothing")
	}
	r.Recommended = found[:2]
	two := browse(t, write(t, r), 1280, 900)
	if got := two.text("policy"); got != r.Policy() {
		t.Errorf("the policy of two rules is\n%s\nwant\n%s", got, r.Policy())
	}
	if got := two.text("policy-about"); got != "The recommended policy." {
		t.Errorf("it is said to be %q", got)
	}
	if got, want := two.text("recommendation"), strings.TrimPrefix(r.Together(), "t"); want == "" || !strings.Contains(got, want) {
		t.Errorf("no %q in %q", want, got)
	}
	if got, want := (tune.Summary{Report: r}).String(), "\n  "+r.Together()+"\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in %q", want, got)
	}
	b.says("gateways", "aisg|as documented|2.8 %|2 of 3|0 of 60 (0 %)|4 in 5m sliding catches 3 of 3 loops, and hits nothing else", "fairvisor|as documented|2.3 %|1 of 3|1 of 60 (1.7 %)|not swept")
	two.do(chromedp.Click(chromedp.CSS(`#map td[data-row="8"][data-column="0"]`)))
	if got, want := two.text("policy-about"), r.Advice[found[0]].Rule.Name+" with the setting picked above; "+r.Advice[found[1]].Rule.Name+" as recommended."; got != want {
		t.Errorf("another setting is said to be %q, want %q", got, want)
	}
	if tried == 0 {
		t.Fatal("no advice: the test shows nothing")
	}
	b.quiet()
}

// What a setting fires on adds up: loops, what is wrong to stop, what the policy
// excludes, and what is neither.
func TestCellAddsUp(t *testing.T) {
	again := stuck("s-again", 3*time.Hour, 3, time.Second)
	again[0].Status, again[1].Status = 503, 503
	poller := stuck("s-poll", 7*time.Hour, 800, time.Minute)
	for i := range poller {
		poller[i].Method, poller[i].Path = "GET", "/jobs"
	}
	r := tuned(t, "a.jsonl", slices.Concat(days(), again, poller, clock("s-clock", 50*time.Hour, 8)), "loopgauge/last-messages")
	b := browse(t, write(t, r), 1280, 900)
	for threshold, want := range map[int]string{
		2: "caught 3 of 3, fires on 6, wrong 1, excluded 1, neither 1",
		4: "caught 3 of 3, fires on 5, wrong 1, excluded 1, neither undefined",
		8: "caught 2 of 3, fires on 4, wrong 1, excluded 1, neither undefined",
	} {
		said := eval[string](b, fmt.Sprintf(`new Promise((done) => {
			addEventListener("hashchange", () => {
				const said = Object.fromEntries([...document.querySelectorAll("#cell dt")].map((dt) => [dt.textContent, dt.nextSibling.textContent]));
				done("caught " + said["loops caught"] + ", fires on " + said["repeats it fires on"] + ", wrong " + said["of these, by evidence no loop"] +
					", excluded " + said["of these, taken out by the policy's exclusions"] + ", neither " + said["of these, neither a loop nor wrong to stop"]);
			}, { once: true });
			location.hash = "#rule=last-messages&kind=sliding&window=1h&threshold=%d";
		})`, threshold), chromedp.EvalAwaitPromise)
		if said != want {
			t.Errorf("at %d: %s, want %s", threshold, said, want)
		}
	}
	b.quiet()
}

// What a setting fires on beside loops is said of it, also where that is neither
// right nor wrong to stop.
func TestCatchesSaysWhatElse(t *testing.T) {
	var outage []record
	for i := range 4 {
		failed := stuck(fmt.Sprint("s-out-", i), 40*time.Hour+time.Duration(i)*time.Second, 6, 4*time.Second)
		for j := range failed {
			failed[j].Status, failed[j].Calls = 503, nil
		}
		outage = append(outage, failed...)
	}
	steady := stuck("s-steady", 50*time.Hour, 20, time.Second)
	for i := range steady {
		steady[i].Time = steady[0].Time.Add(time.Duration(i) * 5 * time.Second)
	}
	f := func(more []record, advised bool, want string) {
		t.Helper()
		want = "catches 3 of 3 loops, and hits " + want
		b := browse(t, write(t, tuned(t, "a.jsonl", append(days(), more...), "loopgauge/last-messages")), 1280, 900)
		if text := b.text("suggestion"); !strings.Contains(text, ": it "+want+".") {
			t.Errorf("%q is not in %s", want, text)
		}
		if text := b.text("recommendation"); strings.Contains(text, "It "+want+"; ") != advised {
			t.Errorf("advised: %v; %q in %s", advised, want, text)
		}
		b.quiet()
	}
	f(nil, true, "nothing else")
	f(outage, true, "nothing else but 4 of an outage or a short retry, which it is neither right nor wrong to stop")
	f(steady, false, "1 repeat that by evidence is no loop")
	f(append(outage, steady...), false, "1 repeat that by evidence is no loop, and 4 others of an outage or a short retry, which it is neither right nor wrong to stop")
}

// documentOf is what tune --json prints of a report.
func documentOf(t *testing.T, r *tune.Report) (document tune.Document) {
	t.Helper()
	var text bytes.Buffer
	if err := tune.WriteDocument(&text, "", r); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// Who is sent the page knows no rule by its name, and asks what it saves, and why
// at this threshold.
func TestCardSaysWhatAndHowMuch(t *testing.T) {
	r := tuned(t, "a.jsonl", append(days(), stuck("s-again", 40*time.Hour, 3, time.Second)...))
	document := documentOf(t, r)
	html := write(t, r)
	b := browse(t, html, 1280, 900)
	said, cards := b.text("recommendation"), 0
	for i, a := range document.Advice {
		if !slices.Contains(r.Recommended, i) {
			continue
		}
		cards++
		want := fmt.Sprintf("It would have stopped %d requests; repeats used %.1fk tokens (%s) after it fired.", a.Requests, float64(a.TokensAfter)/1000, term.Money(a.CostAfter))
		if !strings.Contains(said, want) {
			t.Errorf("%s: no %q in %s", a.Rule, want, said)
		}
		for _, row := range document.Sweep {
			if row.Rule != a.Rule || row.Kind != *a.Kind || row.WindowSeconds != *a.WindowSeconds || row.Threshold != *a.Threshold-1 && row.Threshold != *a.Threshold+1 {
				continue
			}
			if want := fmt.Sprintf("ith %d it catches %d of %d loops, %d wrongly", row.Threshold, row.Caught, row.Caught+row.Missed, row.Wrong); !strings.Contains(said, want) {
				t.Errorf("%s: no %q in %s", a.Rule, want, said)
			}
		}
	}
	if n := strings.Count(said, "It looks for the same"); cards == 0 || n != cards {
		t.Errorf("%d of %d cards say what the rule looks for:\n%s", n, cards, said)
	}
	// Who goes on by keys does so from the cell.
	if got := eval[string](b, `document.querySelector("#recommendation .card button").click() || document.activeElement.ariaSelected`); got != "true" {
		t.Errorf("the card's button leaves the focus elsewhere: %q", got)
	}
	for _, a := range r.Advice {
		if a.Cell = 0; r.LooksFor(&a) == "" { // whatever is advised
			t.Errorf("there are no words for %s", a.Rule.Identity.Name)
		}
	}
	b.quiet()
}

// Where one threshold was swept there is none beside it, and nothing is said of any.
func TestCardOfOneThreshold(t *testing.T) {
	r := tuned(t, "a.jsonl", days(), "loopgauge/last-messages")
	texts := func() []string {
		t.Helper()
		b := browse(t, write(t, r), 1280, 900)
		defer b.quiet()
		return eval[[]string](b, `[...document.querySelectorAll("#recommendation .card p")].map((p) => p.textContent)`)
	}
	with := texts()
	at := r.Advice[r.Recommended[0]].Threshold
	r.Options.Least, r.Options.Most = at, at
	without := texts()
	if len(without) != len(with)-1 || slices.Contains(without, ".") {
		t.Errorf("of one threshold %q, of all %q", without, with)
	}
}

// A month of rotated logs is a long list, and what stands behind it is the method;
// but what could not be read is shown.
func TestManyLogsAreFolded(t *testing.T) {
	r := tuned(t, "a.jsonl", days())
	log := r.Result.Streams[0]
	f := func(logs int, failed error, open bool) {
		t.Helper()
		r.Result.Streams = slices.Repeat([]replay.StreamResult{log}, logs)
		r.Result.Streams[0].Err = failed
		b := browse(t, write(t, r), 1280, 900)
		if got := eval[bool](b, `document.querySelector("#data-quality details").open`); got != open {
			t.Errorf("%d logs, failed: %v; open: %v, want %v", logs, failed, got, open)
		}
		if failed != nil {
			b.says("recommendation", "1 log could not be read, or not to the end: see below.")
		}
		b.quiet()
	}
	f(10, nil, true)
	f(11, nil, false)
	f(11, os.ErrClosed, true)
}

// Every cell of every heat-map is what tune says of the setting: by the sweep,
// and for what is missed and what is wrong by the repeats.
func TestHeatMap(t *testing.T) {
	// One loop is slow, one is short, and what repeats by a clock is none.
	slow, steady := stuck("s-slow", 10*time.Hour, 6, 4*time.Minute), clock("s-clock", 50*time.Hour, 8)
	for i := range slow { // a caller with two sessions
		slow[i].Caller = steady[0].Caller
	}
	r := tuned(t, "a.jsonl", slices.Concat(days(), slow, steady), "loopgauge/last-messages", "aisg")
	b := browse(t, write(t, r), 1280, 900)
	if len(r.Advice) == 0 {
		t.Fatal("no rule: the test shows nothing")
	}
	missed, wrong := 0, 0
	for rule := range r.Advice {
		for kind := range 5 {
			for _, layer := range []string{"episodes", "scopes", "sessions", "callers", "requests", "missed", "wrong"} {
				grid := eval[[][]string](b, fmt.Sprintf(`new Promise((done) => {
					const p = new URLSearchParams({ rule: %q, kind: %q, window: "10s", threshold: 2, layer: %q });
					addEventListener("hashchange", () => done([...document.querySelectorAll("#map tbody tr")].map((tr) => [...tr.cells].map((c) => c.textContent.replace(/[()[\]]/g, "")))), { once: true });
					location.hash = "#" + p + "&" + Math.random();
				})`, r.Advice[rule].Rule.Name, r.Cells[kind*8].Kind, layer), chromedp.EvalAwaitPromise)
				if len(grid) < 3 {
					t.Fatalf("the heat-map has %d rows", len(grid))
				}
				for _, row := range grid {
					threshold, err := strconv.Atoi(row[0])
					if err != nil {
						t.Fatal(err)
					}
					for w, got := range row[1:] {
						swept := &r.Sweep[rule].Cells[kind*8+w]
						want := map[string]int64{"episodes": swept.Episodes[threshold], "scopes": swept.Scopes[threshold], "sessions": swept.Sessions[threshold], "callers": swept.Callers[threshold], "requests": swept.Requests[threshold]}
						for _, k := range r.Repeats {
							if k.Target == rule && r.Class(k) >= tune.Loop && k.Highest(kind*8+w) < threshold {
								want["missed"]++
								missed++
							}
							if k.Target == rule && r.Class(k) == tune.Wrong && k.Highest(kind*8+w) >= threshold {
								want["wrong"]++
								wrong++
							}
						}
						if got != fmt.Sprint(want[layer]) {
							t.Errorf("%s, %d in %s %s: %s %s, want %d", r.Advice[rule].Rule.Name, threshold, swept.Window, swept.Kind, got, layer, want[layer])
						}
					}
				}
			}
		}
	}
	if missed == 0 || wrong == 0 {
		t.Errorf("%d missed, %d wrong: the test shows nothing", missed, wrong)
	}
	b.quiet()
}

// Where nothing is advised the page opens on a rule that finds loops, not on one
// that finds much.
func TestOpensOnLoops(t *testing.T) {
	r := tuned(t, "a.jsonl", days(), "loopgauge/last-messages", "zelyx")
	r.Recommended = nil
	found := make([]int, len(r.Advice))
	for i := range r.Advice {
		r.Advice[i].Found = false
		for _, k := range r.Repeats {
			if k.Target == r.Advice[i].Target {
				found[i]++
			}
		}
	}
	if found[0] >= found[1] {
		t.Fatalf("the rules find %d repeats: the test shows nothing", found)
	}
	b := browse(t, write(t, r), 1200, 900)
	if rule := eval[string](b, `document.getElementById("rule").value`); rule != "0" {
		t.Errorf("opens on rule %s", rule)
	}
	b.quiet()
}

// What may be suggested of a rule is what tune may advise: of one that does not count
// the first, three.
func TestSuggestionsBegin(t *testing.T) {
	log := clock("s", 0, 5)
	for i := range log[1:] {
		log[i+1].Messages = append(slices.Clone(log[i].Messages), message{"assistant", "I look."}, message{"user", "nothing"})
	}
	r := tuned(t, "a.jsonl", log, "loopgauge/last-exchange", "loopgauge/tool-call-result")
	b := browse(t, write(t, r), 1200, 900)
	for i, want := range []string{"most is caught by 3", "no setting of this rule from 4 on catches a loop"} {
		eval[chromedp.Void](b, fmt.Sprintf(`document.getElementById("rule").value = "%d"; document.getElementById("rule").dispatchEvent(new Event("change"))`, i))
		if said := eval[string](b, `document.getElementById("suggestion").textContent`); !strings.Contains(said, want) {
			t.Errorf("%s: %s, want %s", r.Advice[i].Rule.Name, said, want)
		}
	}
	b.quiet()
}

// Of a heat-map that is wider than its place, the thresholds stay in sight, and
// so does what is above them: windows scrolled over it.
func TestWideHeatMap(t *testing.T) {
	b := browse(t, write(t, tuned(t, "a.jsonl", days(), "loopgauge/last-messages")), 400, 900)
	moved := eval[[]float64](b, `(() => {
		const map = document.getElementById("map"), box = map.parentNode;
		map.className = "many";
		box.scrollLeft = 60;
		return [...map.rows].map((tr) => tr.cells[0].getBoundingClientRect().left - box.getBoundingClientRect().left);
	})()`)
	for row, by := range moved {
		if math.Abs(by) > 1 {
			t.Errorf("row %d: the first cell is %.0f pixels off", row, by)
		}
	}
	b.quiet()
}

// On a phone no number of the heat-map is cut, which of the advised setting is the
// longest, and no field is so small that the phone magnifies the page around it.
func TestPhone(t *testing.T) {
	log := days()
	for i := range log {
		log[i].In = 100_000
	}
	b := browse(t, write(t, tuned(t, "a.jsonl", log, "loopgauge/last-messages")), 390, 844)
	eval[chromedp.Void](b, `{ const show = document.getElementById("layer"); show.selectedIndex = [...show.options].findIndex((o) => o.textContent === "tokens after firing"); show.dispatchEvent(new Event("change")); }`)
	if cells := eval[[]string](b, `[...document.querySelectorAll("#map td")].map((e) => e.textContent).filter((text) => text.length > 5)`); len(cells) == 0 {
		t.Error("no long number: the test shows nothing")
	}
	if cut := eval[[]string](b, `[...document.querySelectorAll("#map td, #map th")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)`); len(cut) > 0 {
		t.Errorf("cut are %q", cut)
	}
	if small := eval[[]string](b, `[...document.querySelectorAll("select, input")].filter((e) => parseFloat(getComputedStyle(e).fontSize) < 16).map((e) => e.id)`); len(small) > 0 {
		t.Errorf("a phone magnifies %q", small)
	}
	if wide := eval[[]string](b, `[...document.querySelectorAll("main, main *")].filter((e) => e.scrollWidth > e.clientWidth && e.clientWidth > 0 && !e.closest(".scroll, svg")).map((e) => e.tagName + "." + e.className)`); len(wide) > 0 {
		t.Errorf("wider than there is room for are %q", wide)
	}
	b.quiet()
}

// Sorting, searching, kinds, the budget and the details of an episode.
func TestListOfEpisodes(t *testing.T) {
	log := days()
	log[len(log)-1].Status = 400
	r := tuned(t, "a.jsonl", log, "loopgauge/last-messages")
	for _, k := range r.Repeats { // all of one caller, in sessions that the log does not name
		k.Session, k.Caller = "", "key-0123456789ab"
	}
	b := browse(t, write(t, r), 1280, 900)
	who := func() []string {
		return eval[[]string](b, `[...document.querySelectorAll("#episodes .who")].map((td) => td.textContent)`)
	}
	is := func(want ...string) {
		t.Helper()
		if got := who(); !slices.Equal(got, want) {
			t.Errorf("the list is %q, want %q", got, want)
		}
	}
	header := func(name string) {
		t.Helper()
		eval[chromedp.Void](b, `[...document.querySelectorAll("#episodes th button")].find((x) => x.textContent === "`+name+`").click()`)
	}
	is("s-loop-1", "s-loop-2", "s-loop-3")
	header("Requests")
	is("s-loop-1", "s-loop-3", "s-loop-2")
	header("Requests")
	is("s-loop-2", "s-loop-3", "s-loop-1")
	search := func(text string) {
		eval[chromedp.Void](b, `{ const s = document.getElementById("search"); s.value = "`+text+`"; s.dispatchEvent(new Event("input")); }`)
	}
	search("LOOP-3")
	is("s-loop-3")
	if got := eval[string](b, `document.querySelector("#episodes svg").getAttribute("aria-label")`); got != "counts 2, 3, 4, 5, 6, 7, 8, 9; fires at "+fmt.Sprint(r.Advice[0].Threshold) {
		t.Errorf("the strip says %q", got)
	}
	b.do(chromedp.Click(chromedp.CSS(`#episodes .open`)))
	focus := func(want string) {
		t.Helper()
		if got := eval[string](b, `document.activeElement.closest("#map, #episodes")?.id + ": " + document.activeElement.textContent`); got != want {
			t.Errorf("the focus is on %q, want %q", got, want)
		}
	}
	focus("episodes: less")
	if got := eval[string](b, `document.activeElement.ariaLabel`); !strings.HasPrefix(got, "less, of s-loop-3 at 2") {
		t.Errorf("the button is called %q, which tells it from no other", got)
	}
	if got := eval[int](b, `document.querySelector("#episodes .strip .error").getAttribute("d").split("M").length - 1`); got != 1 {
		t.Errorf("the strip marks %d errors, not 1", got)
	}
	if got, want := b.text("episodes-count"), "1 of 1 repeat, of 3 in all."; got != want {
		t.Errorf("of the list it says %q, want %q", got, want)
	}
	if got := eval[string](b, `document.querySelector("#episodes .details").textContent`); !strings.Contains(got, "conversation = s-loop-3") || !strings.Contains(got, "fired5 s after the first repeat") || !strings.Contains(got, "7 × 200, 1 × 400") || !strings.Contains(got, "loopgauge explain --policy policy.yaml lp-") {
		t.Errorf("the details are %q", got)
	}
	search("nobody")
	is()
	search("")
	b.do(chromedp.Click(chromedp.CSS(`#kinds button`)))
	is()
	b.do(chromedp.Click(chromedp.CSS(`#kinds button`)))
	is("s-loop-2", "s-loop-3", "s-loop-1")
	header("Who") // numbers begin with the highest, texts with the first
	is("s-loop-1", "s-loop-2", "s-loop-3")

	struck := func() int { return eval[int](b, `document.querySelectorAll("#map td.over").length`) }
	if n := struck(); n != 0 {
		t.Errorf("%d settings are over no budget", n)
	}
	eval[chromedp.Void](b, `{ const s = document.getElementById("budget"); s.value = "0"; s.dispatchEvent(new Event("input")); }`)
	if n := struck(); n == 0 {
		t.Error("no setting is over the smallest budget")
	}
	if n := eval[int](b, `document.querySelectorAll('#map td[aria-label$=", over the budget"]').length`); n != struck() {
		t.Errorf("of %d settings it is said that they are over the budget, of %d shown", n, struck())
	}
	// The darkest is what is most, the advised one and the one as it is now are marked.
	if got, want := eval[string](b, `[...document.querySelectorAll("#map td.q8")].some((td) => td.textContent === "3") + " " + document.querySelector("#map td.advised").textContent + document.querySelector("#map td.now").textContent`), "true [3](2)"; got != want {
		t.Errorf("the heat-map has %q, want %q", got, want)
	}
	eval[chromedp.Void](b, `document.querySelector("#map td").click(); document.querySelector("#cell button").click()`)
	focus("map: " + eval[string](b, `document.querySelector("#map td.advised").textContent`))
	b.quiet()
}

// The bars of the time-line can be reached and used without a mouse: they are
// one stop of the tab key, and narrow the list as a click does.
func TestTimeLineByKeys(t *testing.T) {
	b := browse(t, write(t, tuned(t, "a.jsonl", days(), "loopgauge/last-messages")), 1280, 900)
	list := func() string {
		return eval[string](b, `[...document.querySelectorAll("#episodes .who")].map((td) => td.textContent).join(" ")`)
	}
	const all = "s-loop-1 s-loop-2 s-loop-3"
	if n := eval[int](b, `document.querySelectorAll("#time .bar").length`); n != 3 {
		t.Fatalf("%d bars: the test shows nothing", n)
	}
	press := func(key, want string) {
		t.Helper()
		b.do(chromedp.KeyEvent(key))
		if got := list(); got != want {
			t.Errorf("the list is %q, want %q", got, want)
		}
		if stops := eval[string](b, `[...document.querySelectorAll("#time [tabindex='0']")].map((bar) => bar === document.activeElement).join()`); stops != "true" {
			t.Errorf("the stops of the tab key have the focus: %q", stops)
		}
	}
	eval[chromedp.Void](b, `{ const f = [...document.querySelectorAll("button, a, input, select, [tabindex='0']")]; f[f.indexOf(document.querySelector("#time [tabindex='0']")) - 1].focus(); }`)
	press(kb.Tab, all)
	press(kb.Enter, "s-loop-1")
	if got, want := b.text("time"), " Narrowed to 2026-11-01 08:00:00 to 2026-11-01 09:00:00; click again for all."; !strings.HasSuffix(got, want) {
		t.Errorf("the time-line says %q, want %q", got, want)
	}
	press(kb.ArrowLeft, "s-loop-1") // the edge
	press(kb.Enter, all)
	press(kb.ArrowRight, all)
	press(" ", "s-loop-2")
	press(kb.End, "s-loop-2")
	press(kb.Enter, "s-loop-3")
	press(kb.Home, "s-loop-3")
	press(kb.ArrowDown, "s-loop-3")
	eval[chromedp.Void](b, `document.querySelector("#time .bar.picked").dispatchEvent(new MouseEvent("click"))`)
	if got := list(); got != all {
		t.Errorf("after a click on the bar that is picked the list is %q", got)
	}
	b.quiet()
}

// The bars and the ticks of the time-line are at times that people count in.
func TestTimeLineIsRound(t *testing.T) {
	f := func(loops int, apart time.Duration, bars, ticks string) {
		t.Helper()
		log := healthy("s-calm", -43*time.Minute, 1) // not at a full hour
		for i := range loops {
			log = append(log, stuck(fmt.Sprint("s", i), time.Duration(i)*apart, 5, time.Second)...)
		}
		b := browse(t, write(t, tuned(t, "a.jsonl", log, "loopgauge/last-messages")), 1280, 900)
		if said := b.text("time"); !strings.Contains(said, "within "+bars+"; the highest stands for 1.") {
			t.Errorf("%d loops %s apart: %q, want bars of %s", loops, apart, said, bars)
		}
		if got := eval[string](b, `[...document.querySelectorAll("#time text[text-anchor=middle]")].map((x) => x.textContent).join(" ")`); got != ticks {
			t.Errorf("%d loops %s apart: the ticks are %s, want %s", loops, apart, got, ticks)
		}
		b.quiet()
	}
	f(1, 0, "30 s", "07:20 07:25 07:30 07:35 07:40 07:45 07:50 07:55 08:00")
	f(3, 11*time.Hour, "15 min", "09:00 12:00 15:00 18:00 21:00 2026-11-02 03:00 06:00")
	f(4, 10*24*time.Hour, "12 h", "2026-11-05 2026-11-12 2026-11-19 2026-11-26")
	f(2, 364*24*time.Hour, "7 days", "2026-11-19 2027-01-14 2027-03-11 2027-05-06 2027-07-01 2027-08-26 2027-10-21")
}

// Who cannot see the slider hears what it is, and how it stands.
func TestSliderIsNamed(t *testing.T) {
	r := tuned(t, "a.jsonl", days(), "loopgauge/last-messages")
	r.Options.Budget = 0.3
	b := browse(t, write(t, r), 1280, 900)
	if got, want := b.text("budget-text"), "at most 0.3 alerts a day"; got != want {
		t.Errorf("the slider begins with %s, want %s", got, want)
	}
	eval[chromedp.Void](b, `document.getElementById("budget").value = "0"; document.getElementById("budget").dispatchEvent(new Event("input"))`)
	said := eval[[]string](b, `[document.getElementById("budget").labels[0]?.textContent.trim(), document.getElementById("budget").getAttribute("aria-valuetext")]`)
	if want := []string{"Budget: at most 0.01 alerts a day", "at most 0.01 alerts a day"}; !slices.Equal(said, want) {
		t.Errorf("the slider is called %q, want %q", said, want)
	}
	b.quiet()
}

// Hostile text in any field stays text.
func TestHostileTextStaysText(t *testing.T) {
	b := browse(t, write(t, tuned(t, `<img src=x>'".jsonl`, hostileLog()), "loopgauge", hostile[0], hostile[1]), 1280, 900)
	body := ""
	for i := range eval[int](b, `document.getElementById("rule").length`) {
		eval[chromedp.Void](b, fmt.Sprintf(`document.getElementById("rule").value = "%d"; document.getElementById("rule").dispatchEvent(new Event("change")); document.querySelectorAll("#episodes .open").forEach((x) => x.click())`, i))
		body += eval[string](b, `document.querySelector("main").textContent`)
	}
	for _, want := range []string{hostile[0], hostile[1], hostile[2], hostile[3], `left\u202eright`, `{{data}}`, `<img src=x>'".jsonl`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not show %s", want)
		}
	}
	if strings.Contains(body, "\u202E") {
		t.Error("the page turns the writing direction")
	}
	if n := eval[int](b, `document.scripts.length`); n != 2 {
		t.Errorf("the page has %d scripts, want 2", n)
	}
	if n := eval[int](b, `document.querySelectorAll("img, iframe, object, embed, link, a").length`); n != 0 {
		t.Errorf("%d elements came from text", n)
	}
	b.quiet()
}

// With --against, the page says what changes; text in it is text too.
func TestAgainst(t *testing.T) {
	r := tuned(t, "a.jsonl", days())
	r.Against = &replay.Diff{
		Old:  "<i>old.yaml",
		New:  []replay.Loop{{Scope: []string{"session " + hostile[0]}, Fired: began.UnixMicro(), Requests: 1234, Rules: []string{"a", "b"}}},
		Lost: make([]replay.Loop, 300), Same: make([]replay.Loop, 3),
		Until: began.UnixMicro(),
	}
	b := browse(t, write(t, r), 1280, 900)
	if got, want := b.text("against"), "The recommended policy finds 1 loop that this one does not, and misses 300 that this one finds; both find 3. Here a loop is what a policy fires on, whatever its kind."; got != want {
		t.Errorf("the page says %q, want %q", got, want)
	}
	said := eval[[]string](b, `[...document.querySelectorAll("#against + details tbody tr")].map((tr) => [...tr.cells].map((c) => c.textContent).join("|"))`)
	if len(said) != 201 || said[200] != "new|session <script>alert(1)</script>|2026-11-01 08:00:00|1,234|a, b" {
		t.Errorf("%d loops are listed, the last of them %q", len(said), said[len(said)-1])
	}
	if got, want := eval[string](b, `document.getElementById("against").parentNode.textContent`), "Compared are the loops that ended before 2026-11-01 08:00:00 UTC"; !strings.Contains(got, want) {
		t.Errorf("the page does not say %q", want)
	}
	b.quiet()

	r.Recommended = nil
	none := browse(t, write(t, r), 1280, 900)
	if got, want := none.text("against"), "Nothing is recommended; this finds 300 loops."; got != want {
		t.Errorf("without a recommendation the page says %q, want %q", got, want)
	}
	none.quiet()
}

// Where nothing is recommended the page says why, what may help, and what to
// leave out.
func TestNothingRecommended(t *testing.T) {
	log := days()
	for i := range log {
		log[i].Messages, log[i].Calls = nil, nil
	}
	r := tuned(t, "a.jsonl", log, "fairvisor", "loopgauge/last-messages")
	r.Recommended, r.Advice[0].Found = nil, false
	r.Exclusions = []tune.Exclusion{{Name: "probes", Match: "max_tokens == 1", Mutes: 1234}, {Name: "reads", Match: `method == "GET"`, Mutes: 5, Hides: 2}}
	b := browse(t, write(t, r), 1280, 900)
	said := eval[[]string](b, `[...document.querySelectorAll("#recommendation .verdict, #recommendation h3, #recommendation > ul li, #recommendation tbody tr")].map((x) => x.cells ? [...x.cells].map((c) => c.textContent).join("|") : x.textContent)`)
	want := []string{capital(string(r.Verdict())) + "."}
	want = append(append(want, r.Caveats()...), r.Refusals()...)
	want = append(append(want, "What may help"), r.Ways()...)
	want = append(want, "Leave out what repeats on purpose", "probes|max_tokens == 1|1,234|none|yes", `reads|method == "GET"|5|2|no`, "Before you rely on it")
	want = append(want, "Nobody has labelled these sessions. What is a loop and what is not is concluded from evidence in the log, named with each episode: it is no measured error rate. Look at some, write down what they are, and give the file with --labels.",
		"A log shows what happened without the rule. Whoever is stopped may come again in another way, and that is not in it.")
	if len(r.Refusals()) == 0 || len(r.Ways()) == 0 || !slices.Equal(said, want) {
		t.Errorf("the page says\n%q, want\n%q", said, want)
	}
	b.do(chromedp.SetValue(chromedp.CSS("#rule"), "1"), chromedp.Evaluate[chromedp.Void](`document.getElementById("rule").dispatchEvent(new Event("change"))`))
	b.says("cell", "This rule could look at nothing in this log: no messages.")
	b.quiet()
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// A page that is served asks for nothing either, and would not be let.
func TestServedPageAsksForNothing(t *testing.T) {
	html := write(t, tuned(t, "a.jsonl", days()))
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if _, err := w.Write(html); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	b := newTab(t, 1280, 900)
	b.open(server.URL + "/report.html")
	b.quiet()
	if got := eval[string](b, `fetch("/more").then(() => "sent", () => "refused")`, chromedp.EvalAwaitPromise); got != "refused" {
		t.Errorf("a request of the page is %s", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(asked, []string{"/report.html"}) {
		t.Errorf("the server was asked for %q", asked)
	}
}

// A page whose script may not run, since a server says so, says that.
func TestBlockedPageSaysSo(t *testing.T) {
	html := write(t, tuned(t, "a.jsonl", days()))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", r.FormValue("policy"))
		if _, err := w.Write(html); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	for _, policy := range []string{"script-src 'self'", "sandbox", "default-src 'none'"} {
		b := newTab(t, 1280, 900)
		b.do(chromedp.Navigate(server.URL+"?policy="+url.QueryEscape(policy)), chromedp.WaitVisible(chromedp.CSS("#blocked")))
	}
	b := newTab(t, 1280, 900)
	b.open(server.URL)
	if eval[bool](b, `document.getElementById("blocked") !== null`) {
		t.Error("a page that runs says that it does not")
	}
	b.quiet()
}

// The page fits every window: nothing makes it scroll sideways.
func TestPageFits(t *testing.T) {
	r := tuned(t, "a.jsonl", hostileLog())
	r.Against = &replay.Diff{Old: strings.Repeat("o", 300), Lost: []replay.Loop{{Scope: []string{"fingerprint " + strings.Repeat("f", 64)}, Rules: []string{strings.Repeat("r", 80)}}}}
	html := write(t, r)
	html = bytes.ReplaceAll(html, []byte("\"s-loop-1\""), []byte("\""+strings.Repeat("w", mostText)+"\""))
	for _, width := range []int64{360, 900, 901, 1280} {
		b := browse(t, html, width, 800)
		if got := eval[int64](b, `document.documentElement.scrollWidth`); got > width {
			t.Errorf("in a window of %d the page is %d wide: %s", width, got, eval[string](b, `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 5).map((e) => e.tagName + "#" + e.id + "." + e.className).join(" ")`))
		}
		b.quiet()
	}
	if dir := os.Getenv("LOOPGAUGE_SCREENSHOTS"); dir != "" {
		screenshots(t, dir)
	}
}

// Of repeats that there is no room for, none may reach anything in a cell: the
// page stopped there, without its episodes and its policy.
func TestRestThatFiresNowhere(t *testing.T) {
	data, err := json.Marshal(newPage(tuned(t, "a.jsonl", clock("s", 0, 5), "zelyx"), Options{}, detail{thresholds: thresholds})) // lists none
	if err != nil {
		t.Fatal(err)
	}
	b := browse(t, assemble(data), 1280, 900)
	eval[chromedp.Void](b, `location.hash = "#kind=sliding&window=10s&threshold=10"`)
	if got := b.text("policy"); !strings.Contains(got, "profile: zelyx") {
		t.Errorf("the policy is %q", got)
	}
	b.says("recommendation", "There is little to go by: 5 requests over 4 min.", "Of 1 repeat this page lists 0, loops first and then the longest; the others are in the numbers, but not in the time-line and the list of episodes.")
	if eval[bool](b, `["episodes", "search"].some((id) => document.getElementById(id).checkVisibility())`) {
		t.Error("there is a list, or a search, of no repeats")
	}
	b.quiet()
}

// What came too late is said before anything else is relied on.
func TestLateLinesAreSaid(t *testing.T) {
	r := tuned(t, "a.jsonl", days())
	r.Result.Account.Lines += 800
	r.Result.Account.Late = 800
	r.Result.Order.WorstLate = 2*time.Hour + 41*time.Minute
	b := browse(t, write(t, r), 1280, 900)
	if got, want := b.text("recommendation"), "of the lines came too late to be judged: run again with --lateness 2h50m."; !strings.Contains(got, want) {
		t.Errorf("the recommendation does not say %q:\n%s", want, got)
	}
	b.says("data-quality", "Lateness allowed: 10s, as given. 800 lines came later than that and were not judged; --lateness 2h50m would have saved them.")
	b.quiet()
}

// What the rules could not look at is said beside what they found, and beside
// what the gateways would do; what has no price beside what was read, and which
// labelled sessions the rules get wrong beside how many.
func TestGapsAreSaid(t *testing.T) {
	records := days()
	for i := range records {
		if i > 100 {
			records[i].Messages, records[i].Calls = nil, nil
		}
	}
	r := tuned(t, "a.jsonl", records)
	r.Result.Unpriced = []replay.Unpriced{{Model: "<b>own", Requests: 2, Tokens: 300}}
	r.Labelled = &tune.Labelled{Sessions: 2, Loops: 1, Missed: []string{"<i>s"}, Wrong: []string{"t\u202e"}, Together: tune.Score{TruePositive: 1, FalsePositive: 1, FalseNegative: 3}}
	r.Result.Rules[0].NotMatched = 5
	b := browse(t, write(t, r), 1280, 900)
	if got, want := b.text("data-quality"), "Some models are without a price, and in no sum: <b>own (2 requests, 300 tokens)."; !strings.Contains(got, want) {
		t.Errorf("the data do not say %q:\n%s", want, got)
	}
	b.says("recommendation", "Against 2 labelled sessions, 1 loop among them: precision 0.50 (1 of 2; 95 % interval 0.09 to 0.91), recall 0.25 (1 of 4; 95 % interval 0.05 to 0.70); missed: <i>s; flagged wrongly: t\\u202e.")
	b.says("data-quality", "3 requests had the very time of another: pace tells nothing about them.", "aisg|101|26 %|287: no messages",
		"tool-call-result|0|0 %|287: no messages 101: no tool result at the end of the messages 5: not matched by the rule")
	for _, part := range []string{"recommendation", "gateways"} {
		if got, want := b.text(part), "could not look at 74 % of the requests: no messages."; !strings.Contains(got, want) {
			t.Errorf("the %s do not say %q:\n%s", part, want, got)
		}
	}
	b.quiet()
}

// Of a log without tokens and prices none are shown: 0 would be a number.
func TestNoTokens(t *testing.T) {
	for _, tokens := range []int{0, 100} {
		records := days()
		for i := range records {
			records[i].In, records[i].Cost = tokens, float64(tokens)
		}
		b := browse(t, write(t, tuned(t, "a.jsonl", records)), 1280, 900)
		if off := strings.Count(b.text("layer"), ": none in this log"); off != 2 && tokens == 0 || off != 0 && tokens > 0 {
			t.Errorf("%d tokens a request; %d layers are off", tokens, off)
		}
		if text := b.text("recommendation"); strings.Contains(text, "used") != (tokens > 0) {
			t.Errorf("%d tokens a request; the recommendation says %s", tokens, text)
		}
		for _, id := range []string{"cell", "episodes"} {
			text := strings.ToLower(b.text(id))
			for _, what := range []string{"tokens", "cost"} {
				if strings.Contains(text, what) != (tokens > 0) {
					t.Errorf("%d tokens a request; %s of the %s: %s", tokens, what, id, text)
				}
			}
		}
		b.quiet()
	}
}

// What a long loop used is known to its end, though not all of its requests are kept.
func TestLongLoopSpends(t *testing.T) {
	records := stuck("s", 0, 900, time.Second)
	for i := range records {
		records[i].In, records[i].Cost = 1000, 0.01
	}
	r := tuned(t, "a.jsonl", records, "loopgauge/last-messages")
	document := documentOf(t, r)
	b := browse(t, write(t, r), 1280, 900)
	got := eval[string](b, `[...document.querySelectorAll("#episodes td.n")].map((td) => td.textContent).join(" ")`)
	want := ""
	if list := document.Episodes; len(list) == 1 {
		want = fmt.Sprintf("%d %d %.0fk %s", list[0].Requests, list[0].RequestsAfter+1, float64(list[0].TokensAfter)/1000, term.Money(list[0].CostAfter))
	}
	if got != want {
		t.Errorf("the page says %q, the document %q", got, want)
	}
	b.says("data-quality", "Of 1 repeat longer than what is kept, the first requests are shown; the rest are in the sums.")
	b.quiet()
}

// Where a setting fires on none of the repeats that have tokens and prices, none
// are shown: 0 would be a number.
func TestNoTokensOfThese(t *testing.T) {
	records := days()
	for i := range records {
		if records[i].Session == "s-loop-1" { // the longest
			records[i].In, records[i].Cost = 0, 0
		}
	}
	b := browse(t, write(t, tuned(t, "a.jsonl", records)), 1280, 900)
	for _, threshold := range []int{5, 10} {
		some := threshold < 9 // to which s-loop-3 gets
		eval[bool](b, fmt.Sprintf(`document.querySelector('#map td[aria-label^="%d in 1h:"]').click() || true`, threshold))
		text := b.text("cell")
		for _, what := range []string{"tokens until it fires", "cost until it fires"} {
			if strings.Contains(text, what) != some {
				t.Errorf("at %d the cell has %s: %v; it says %s", threshold, what, !some, text)
			}
		}
	}
	b.quiet()
}

// Where nothing was judged there is nothing to look around in but what became of
// the lines.
func TestNothingWasJudged(t *testing.T) {
	r := tuned(t, "a.jsonl", days())
	r.Result.First, r.Recommended = fingerprint.NoTime, nil
	b := browse(t, write(t, r), 1280, 900)
	text := eval[string](b, `document.body.innerText`)
	for _, want := range []string{"nothing was judged", "lines = ", "to the end"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said", want)
		}
	}
	for _, not := range []string{"What each setting would do", "Episodes", "The policy", "Gateways side by side", "What each rule could look at", "Before you rely on it", "Method"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is there, of nothing", not)
		}
	}
	b.quiet()
}

// Where a dataset can answer none of the rules the page says so, and what was read.
func TestNoRules(t *testing.T) {
	r := tuned(t, "a.jsonl", days())
	r.Options.Rules, r.Advice, r.Recommended, r.Sweep, r.Repeats = nil, nil, nil, nil, nil
	b := browse(t, write(t, r), 1280, 900)
	if got := b.text("data-quality"); !strings.Contains(got, "lines = ") {
		t.Errorf("of the data it says %q", got)
	}
	if got := b.text("policy-about"); got != "" {
		t.Errorf("of the policy it says %q", got)
	}
	eval[bool](b, `["layer", "budget"].every((id) => ["change", "input"].every((name) => document.getElementById(id).dispatchEvent(new Event(name))))`)
	b.quiet()
}

// Of answers whose status is not logged it is said that they are unknown.
func TestNoStatus(t *testing.T) {
	records := days()
	for i := range records {
		records[i].Status = 0
	}
	b := browse(t, write(t, tuned(t, "a.jsonl", records)), 1280, 900)
	b.do(chromedp.Click(chromedp.CSS(`#episodes .open`)))
	if got := eval[string](b, `document.querySelector("#episodes .details").textContent`); !strings.Contains(got, " × unknown") {
		t.Errorf("the details are %q", got)
	}
	b.quiet()
}

// Of a log that tells no conversations none are counted.
func TestNoConversations(t *testing.T) {
	for _, told := range []bool{false, true} {
		records := days()
		for i := range records {
			if !told {
				records[i].Session, records[i].Messages, records[i].Calls = "", nil, nil
			}
		}
		r := tuned(t, "a.jsonl", records)
		r.OneIn = 4
		b := browse(t, write(t, r), 1280, 900)
		text := b.text("gateways")
		for _, column := range []string{"Loops found", "Normal ones stopped"} {
			if strings.Contains(strings.ToLower(text), strings.ToLower(column)) != told {
				t.Errorf("conversations are told: %v; the table of gateways:\n%s", told, text)
			}
		}
		about := "a.jsonl · 2026-11-01 08:00 to 2026-11-06 07:00 UTC · 388 requests"
		if told {
			about += " · 63 conversations, one in 4 of all"
		}
		if got := b.text("about"); got != about || eval[string](b, `document.title`) != "loopgauge: a.jsonl" {
			t.Errorf("the page is about %s, want %s", got, about)
		}
		if !told && !strings.Contains(text, "The log tells no conversations.") {
			t.Errorf("that is not said:\n%s", text)
		}
		b.quiet()
	}
}

// Dark, light and print look different, and text can be read in each.
func TestLooks(t *testing.T) {
	b := browse(t, write(t, tuned(t, "a.jsonl", days())), 1280, 900)
	looks := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		b.media("", scheme)
		looks[scheme] = eval[string](b, `getComputedStyle(document.body).backgroundColor`)
		if least := eval[float64](b, contrast); least < 4.5 {
			t.Errorf("%s: the least contrast of a text is %.2f, want 4.5", scheme, least)
		}
	}
	if looks["light"] != "rgb(255, 255, 255)" || looks["dark"] == looks["light"] {
		t.Errorf("the backgrounds are %v", looks)
	}
	b.media("print", "dark")
	b.do(chromedp.EmulateViewport(718, 1000)) // as wide as paper
	if got := eval[int64](b, `document.documentElement.scrollWidth`); got > 718 {
		t.Errorf("on paper the page is %d wide", got)
	}
	if got := eval[string](b, `getComputedStyle(document.body).backgroundColor + getComputedStyle(document.getElementById("budget").parentNode).display`); got != "rgb(255, 255, 255)none" {
		t.Errorf("print: background and slider are %s", got)
	}
	b.quiet()
}

func (t *tab) media(media, scheme string) {
	t.tb.Helper()
	t.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

// contrast is the least contrast, as WCAG has it, between a text and what it
// stands on.
const contrast = `(() => {
  const rgb = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (c) => { const f = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
  const under = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  document.querySelectorAll("#map td").forEach((td, i) => { td.className = "q" + (i % 9) + (i % 2 ? " over" : ""); });
  let least = 21;
  for (const e of document.querySelectorAll("main *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || e.closest("svg, script, option")) continue;
    const a = light(rgb(getComputedStyle(e).color)), b = light(under(e));
    least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return least;
})()`

// How long 5,000 episodes take to open is told, not judged: it is the
// machine's more than the page's.
func TestFiveThousandEpisodes(t *testing.T) {
	if testing.Short() {
		t.Skip("needs Chromium")
	}
	r := tuned(t, "a.jsonl", crowd(5000, 5), "loopgauge/last-messages")
	html := write(t, r)
	b := newTab(t, 1280, 900)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, html, 0o600); err != nil {
		t.Fatal(err)
	}
	b.open("file://" + file)
	ms := eval[float64](b, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
	t.Logf("%d episodes, %d KiB: open after %.0f ms", len(r.Repeats), len(html)>>10, ms)
	if got := shownEpisodes(b); got != "5,000" {
		t.Errorf("%s episodes are shown, want 5,000", got)
	}
	const listed = `[document.querySelectorAll("#episodes tbody tr").length, document.getElementById("more").hidden]`
	if got, want := eval[string](b, listed+`.join() + " " + (document.getElementById("more").click(), `+listed+`.join())`), "20,false 220,false"; got != want {
		t.Errorf("listed are %s, want %s", got, want)
	}
	if got := eval[string](b, `document.getElementById("layer").selectedOptions[0].textContent`); got != "episodes a day" {
		t.Errorf("of many episodes the heat-map shows %s", got)
	}
	b.quiet()
}

// screenshots leaves pictures for people to look at, of the page that
// LOOPGAUGE_REPORT names or one of our own.
func screenshots(t *testing.T, dir string) {
	t.Helper()
	html := write(t, tuned(t, "a.jsonl", days()), "loopgauge", "tune", "access.log")
	if file := os.Getenv("LOOPGAUGE_REPORT"); file != "" {
		var err error
		if html, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	for _, size := range [][2]int64{{1280, 900}, {720, 1000}, {400, 800}} {
		b := browse(t, html, size[0], size[1])
		for _, scheme := range []string{"light", "dark", "print"} {
			if b.media("", scheme); scheme == "print" {
				b.media("print", "dark")
			}
			high := min(eval[int64](b, `document.documentElement.scrollHeight`), 12_000)
			for y, n := int64(0), 0; y < high; y, n = y+size[1], n+1 {
				eval[chromedp.Void](b, fmt.Sprintf("scrollTo(0, %d)", y))
				eval[chromedp.Void](b, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`, chromedp.EvalAwaitPromise)
				png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%d-%s-%02d.png", size[0], scheme, n)
				if err := os.WriteFile(filepath.Join(dir, name), png, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		b.quiet()
	}
}
