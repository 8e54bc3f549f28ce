package scenario

import (
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

func TestGlobs(t *testing.T) {
	f := func(glob, text string, want bool) {
		t.Helper()
		if got := matches(glob, text); got != want {
			t.Errorf("matches(%q, %q) = %v", glob, text, got)
		}
	}
	f("a", "a", true)
	f("a", "ab", false)
	f("a", "ba", false)
	f("*", "anything/at all", true)
	f("*", "", false) // what the log does not have
	f("", "", false)
	f("a*", "a", true)
	f("a*", "ba", false)
	f("*a", "ba", true)
	f("*a", "ab", false)
	f("a*a", "a", false)
	f("a*a", "aa", true)
	f("a*b*c", "a1b2c", true)
	f("a*b*c", "a1c2b", false)
	f("*b*b*", "b", false)
	f("*aab", "aaab", true) // the end is found from the end
	f("gpt-*", "openai/gpt-4", false)
	f("openai/*", "openai/gpt-4", true) // a slash is a letter like any other
	f("a?[b", "a?[b", true)
}

func parse(tb testing.TB, text string) *Fixture {
	tb.Helper()
	f, err := Parse("dir/f.test.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func TestPathsAreRelativeToTheFixture(t *testing.T) {
	absolute, err := filepath.Abs("x.log")
	if err != nil {
		t.Fatal(err)
	}
	f := parse(t, "log: [a.log, ../b/*.log, "+absolute+", 's3://logs/day/*.gz']\npolicy: p.yaml\nlimits: {episodes: 0}\n")
	want := []string{filepath.Join("dir", "a.log"), filepath.Join("b", "*.log"), absolute, "s3://logs/day/*.gz"}
	if d := cmp.Diff(want, f.Logs); d != "" {
		t.Error(d)
	}
	if want := filepath.Join("dir", "p.yaml"); f.Policy != want {
		t.Errorf("policy %s, want %s", f.Policy, want)
	}
}

func TestProblems(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		_, err := Parse("f", []byte(text))
		problems, _ := errors.AsType[policy.Errors](err)
		var got []string
		for _, p := range problems {
			got = append(got, p.String())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s\n%s", text, d)
		}
	}
	f("log: a\nmust_fire: [{}]\n")
	f("log: a\nepisodes: []\n") // none at all is an expectation
	f("log: a\n", "f:1:1: expects nothing: write must_fire, must_not_fire, limits or episodes")
	f("log: a\nmust_fire: []\n", "f:1:1: expects nothing: write must_fire, must_not_fire, limits or episodes")
	f("must_fire: [{}]\n", "f:1:1: log: is missing: name a log, relative to the fixture")
	f("log: ''\nmust_fire: [{}]\n", "f:1:6: log: must not be empty")
	f("log: a\nlog: b\nmust_fire: [{}]\n", `f:2:1: not YAML: mapping key "log" already defined at [1:1]`)
	f("log: a\npolicy: p\nprofile: q\nmust_fire: [{}]\n", "f:3:10: profile: there is a policy already: a fixture runs one or the other")
	f("log: a\nepisodes: [{rule: x, fired: 2026-11-21T10:00:00Z}]\n", "f:2:12: episodes[0]: needs scope, last, requests; --update writes whole episodes")
	f("log: a\nepisodes: [{rule: x, scope: {}, fried: 2026-11-21T10:00:00Z, last: 2026-11-21T10:00:00Z, requests: 4}]\n", "f:2:33: episodes[0].fried: unknown field; did you mean fired?")
	f("log: a\nmust_fire: {}\n", "f:2:12: must_fire: must be a list, is a mapping")
	f("- log\n", "f:1:1: must be a mapping with log and what is expected of it")
	f("log: a\n---\nlog: b\n", "f:3:1: a second document: put one fixture in one file")
	f(strings.Repeat(" ", policy.MaxSize+1), "f: a fixture of more than 1048576 bytes")
}

// What docs/testing.md shows as a fixture is one.
func TestDocumentedFixtures(t *testing.T) {
	text, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, block := range strings.Split(string(text), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		if _, err := Parse("testing.md", []byte(block)); err != nil {
			t.Errorf("%v\n%s", err, block)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d fixtures shown, want 2", n)
	}
}

// watched is a fixture after a run that found these episodes.
func watched(tb testing.TB, text string, episodes ...window.Episode) *Watch {
	tb.Helper()
	scope, err := fingerprint.NewScope([]string{"session", "user"})
	if err != nil {
		tb.Fatal(err)
	}
	for i := range episodes {
		e := &episodes[i]
		e.Rule = &window.Rule{Name: e.ID, Scope: scope}
	}
	return &Watch{fixture: parse(tb, text), episodes: episodes}
}

func at(second int64) int64 { return second * 1e6 }

// Episodes are compared as a set: those that are equal first, then those of
// one rule and scope, so that one change is one line.
func TestDiff(t *testing.T) {
	scope := []string{"s", "u"}
	w := watched(t, `log: a
episodes:
  - {rule: r, scope: {session: s, user: u}, fired: "1970-01-01T00:00:20Z", last: "1970-01-01T00:00:21Z", requests: 4}
  - {rule: r, scope: {session: s, user: u}, fired: "1970-01-01T00:00:10Z", last: "1970-01-01T00:00:11Z", requests: 4}
  - {rule: r, scope: {session: s, user: v}, fired: "1970-01-01T00:00:10Z", last: "1970-01-01T00:00:11Z", requests: 1}
  - {rule: q, scope: {session: s, user: u}, fired: "1970-01-01T00:00:10Z", last: "1970-01-01T00:00:11Z", requests: 4}
  - {rule: q, scope: {session: old, user: u}, fired: "1970-01-01T00:00:30Z", last: "1970-01-01T00:00:31Z", requests: 4}
  - {rule: r, scope: {session: gone, user: u}, fired: "1970-01-01T00:00:40Z", last: "1970-01-01T00:00:45Z", requests: 7}
  - {rule: r, scope: {session: gone, user: u}, fired: "1970-01-01T00:00:50Z", last: "1970-01-01T00:00:55Z", requests: 8}
`,
		window.Episode{ID: "r", Scope: scope, Fired: at(20), Last: at(21), Requests: 4},
		window.Episode{ID: "r", Scope: scope, Fired: at(9), Last: at(12), Requests: 6},
		window.Episode{ID: "q", Scope: []string{"renamed", "u"}, Fired: at(30), Last: at(31), Requests: 4},
		window.Episode{ID: "p", Scope: scope, Fired: at(10), Last: at(11), Requests: 4},
		window.Episode{ID: "q", Scope: scope, Fired: at(10), Last: at(11), Requests: 4},
		window.Episode{ID: "r", Scope: []string{"new", "u"}, Fired: at(41), Last: at(45), Requests: 7},
		window.Episode{ID: "r", Scope: []string{"new", "u"}, Fired: at(50), Last: at(56), Requests: 8},
		window.Episode{ID: "q", Scope: []string{"\x1b[2J", "\u202e"}, Fired: at(1), Last: at(1), Requests: 1})
	var got []string
	for _, m := range w.Outcome(&replay.Result{Report: replay.Report{Totals: replay.Totals{First: fingerprint.NoTime}}}).Misses {
		got = append(got, strings.Split(m.String(), "\n")...)
	}
	file := filepath.Join("dir", "f.test.yaml")
	want := []string{
		"dir/f.test.yaml:4:5: episodes[1]: rule r in session s, user u: fired 1970-01-01T00:00:09.000000Z, expected 1970-01-01T00:00:10.000000Z; " +
			"last 1970-01-01T00:00:12.000000Z, expected 1970-01-01T00:00:11.000000Z; 6 requests, expected 4",
		"dir/f.test.yaml:7:5: episodes[4]: rule q in session old, user u: now in session renamed, user u",
		"dir/f.test.yaml:5:5: episodes[2]: lost: rule r in session s, user v, fired 1970-01-01T00:00:10.000000Z, last 1970-01-01T00:00:11.000000Z, 1 request",
		"dir/f.test.yaml:8:5: episodes[5]: lost: rule r in session gone, user u, fired 1970-01-01T00:00:40.000000Z, last 1970-01-01T00:00:45.000000Z, 7 requests",
		"dir/f.test.yaml:9:5: episodes[6]: lost: rule r in session gone, user u, fired 1970-01-01T00:00:50.000000Z, last 1970-01-01T00:00:55.000000Z, 8 requests",
		"dir/f.test.yaml:3:3: episodes: 4 new",
		`  rule q in session \x1b[2J, user \u202e, fired 1970-01-01T00:00:01.000000Z, last 1970-01-01T00:00:01.000000Z, 1 request`,
		"  rule p in session s, user u, fired 1970-01-01T00:00:10.000000Z, last 1970-01-01T00:00:11.000000Z, 4 requests",
		"  rule r in session new, user u, fired 1970-01-01T00:00:41.000000Z, last 1970-01-01T00:00:45.000000Z, 7 requests",
		"  rule r in session new, user u, fired 1970-01-01T00:00:50.000000Z, last 1970-01-01T00:00:56.000000Z, 8 requests",
	}
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], "dir/f.test.yaml", file)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The count that lacks least of its threshold came nearest, and of those the highest.
func TestNearestCount(t *testing.T) {
	f := func(want string, counts ...near) {
		t.Helper()
		s := &sight{}
		for _, n := range counts {
			s.see(n)
		}
		if s.nearest.rule != want {
			t.Errorf("of %v the nearest is %v, want %s", counts, s.nearest, want)
		}
	}
	a, b, c := near{"a", 2, 4}, near{"b", 3, 6}, near{"c", 3, 5}
	f("a", a, b)
	f("a", b, a)
	f("c", a, c, b)
	f("c", b, c, a)
	f("c", c, near{"d", 3, 5})
}

// Of many loops the first are listed, and it is said how many there are besides.
func TestLists(t *testing.T) {
	f := func(episodes int, besidesFound, besidesNew string) {
		t.Helper()
		list, s := make([]window.Episode, episodes), &sight{fired: map[string]int64{}}
		for i := range list {
			list[i].ID, list[i].Scope = strconv.Itoa(i), []string{"s", "u"}
			s.fired[list[i].ID] = 1
		}
		w := watched(t, "log: a\nepisodes: []\n", list...)
		for text, want := range map[string]string{w.found(s): besidesFound, lines(w.seen()): besidesNew} {
			listed := strings.Count(text, "rule ")
			if _, besides, _ := strings.Cut(text, "and "); besides != want || want == "" && listed != episodes || want != "" && fmt.Sprint(episodes-listed, " more") != want {
				t.Errorf("of %d episodes %d are listed: %q, want %q", episodes, listed, besides, want)
			}
		}
	}
	f(3, "", "")
	f(4, "1 more", "")
	f(20, "17 more", "")
	f(21, "18 more", "1 more")
}

func TestLimitsPerDay(t *testing.T) {
	f := func(hours float64, episodes int, limit, want string) {
		t.Helper()
		list := make([]window.Episode, episodes)
		for i := range list {
			list[i].Scope = []string{"s", "u"}
		}
		w := watched(t, "log: a\nlimits: {episodes_per_day: "+limit+"}\n", list...)
		got := ""
		for _, m := range w.Outcome(&replay.Result{Report: replay.Report{Totals: replay.Totals{First: at(7), Last: at(7 + int64(hours*3600))}}}).Misses {
			got += m.What
		}
		if got != want {
			t.Errorf("%d episodes in %g hours: %q, want %q", episodes, hours, got, want)
		}
	}
	f(1, 2, "2", "") // an hour is not a 24th of a day
	f(1, 3, "2", "at most 2; there were 3 in 1 day: 3 a day")
	f(24, 1, "1", "")
	f(48, 4, "2", "")
	f(48, 5, "2", "at most 2; there were 5 in 2 days: 2.5 a day")
	f(36, 1, "0.5", "at most 0.5; there was 1 in 1.5 days: 0.67 a day")
	f(35.99, 3, "2", "at most 2; there were 3 in 1.5 days: more than 2 a day")
	f(24.01, 1, "0.004", "at most 0.004; there was 1 in 1 day: 1 a day") // neither 0 nor 1 days
	f(36, 0, "0", "")
	f(240, 1, "0", "at most 0; there was 1 in 10 days: 0.1 a day")
}

// Whatever a log calls its sessions, --update writes what is read back, twice
// the same, and touches nothing else.
func TestUpdateReadsBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.StringN(1, 20, -1), rapid.StringMatching(`[ -~]{1,12}`),
			rapid.SampledFrom([]string{"true", "No", "~", "1e3", "0x10", "a: b", "- a", "# a", "{a}", "[", "\"", "'", "&a", "*a", "!!str", "2026-11-21", "\u2028", "\u0085", "\ufeff"}))
		nonempty := func(s string) bool { return strings.TrimSpace(s) != "" }
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) window.Episode {
			return window.Episode{
				ID:       text.Filter(nonempty).Draw(rt, "rule"),
				Scope:    []string{text.Filter(nonempty).Draw(rt, "session"), text.Filter(nonempty).Draw(rt, "user")},
				Fired:    rapid.Int64Range(0, 4e15).Draw(rt, "fired"),
				Last:     rapid.Int64Range(0, 4e15).Draw(rt, "last"),
				Requests: rapid.Int64Range(1, 1e9).Draw(rt, "requests"),
			}
		}), 1, 4).Draw(rt, "episodes")
		head := rapid.SampledFrom([]string{"# a\nlog: x\n", "---\nlog: x # b\n\n", "limits: {}\nlog: [x]\n", "# a\r\nlog: x\r\n", "limits: {\r\r}\nlog: x\n"}).Draw(rt, "head")
		body := rapid.SampledFrom([]string{"episodes: []\n", "episodes: [] # c\n", "episodes:\n- " + one + "\n# in\n- " + one + "\n", "episodes: [\n  " + one + "]\n"}).Draw(rt, "body")
		tail := rapid.SampledFrom([]string{"", "\n# d\n", "# e\nname: n\n", "must_fire:\n- {}\n", "must_fire: [{}]"}).Draw(rt, "tail")

		w := watched(t, head+body+tail, list...)
		got, err := w.Update()
		if err != nil {
			rt.Fatal(err)
		}
		if want := head + writeEpisodes(w.seen()) + tail; string(got) != want {
			rt.Fatalf("got\n%s\nwant\n%s", got, want)
		}
		for _, m := range w.Outcome(&replay.Result{Report: replay.Report{Totals: replay.Totals{First: fingerprint.NoTime}}}).Misses {
			if strings.HasPrefix(m.Path, "episodes") {
				rt.Fatalf("after an update: %s", m)
			}
		}
		again, err := watched(t, string(got), list...).Update()
		if err != nil || string(again) != string(got) {
			rt.Fatalf("a second update: %v\n%s", err, again)
		}
	})
}

const one = `{rule: x, scope: {session: s}, fired: "1970-01-01T00:00:20Z", last: "1970-01-01T00:00:21Z", requests: 4}`

func TestUpdateLeavesAlone(t *testing.T) {
	e := window.Episode{Scope: []string{"s", "u"}, Requests: 1, ID: "r"}
	same := "log: a\nepisodes:   # odd, but right\n  - rule: r\n    scope: {session: s, user: u}\n    fired: 1970-01-01T00:00:00Z\n    last: 1970-01-01T00:00:00Z\n    requests: 1\n"
	for _, text := range []string{"log: a\nmust_fire: [{}]\n", same} {
		got, err := watched(t, text, e).Update()
		if err != nil || string(got) != text {
			t.Errorf("%v\n%s\nwant\n%s", err, got, text)
		}
	}
	if _, err := watched(t, "{log: a, episodes: []}\n", e).Update(); err == nil || !strings.Contains(err.Error(), "each member on its own line") {
		t.Errorf("a flow mapping: %v", err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"p.yaml": "", "other.yaml": "", "a.test.yaml": "log: x\npolicy: p.yaml\nmust_fire: [{}]\n",
		"sub/b.test.yml": "log: x\npolicy: ../p.yaml\nmust_fire: [{}]\n", "sub/c.test.yaml": "log: x\npolicy: ../other.yaml\nmust_fire: [{}]\n",
		"sub/d.test.yaml": "log: x\nmust_fire: [{}]\n", "sub/broken.test.yaml": "log", ".git/e.test.yaml": "", "test.yaml": "", "f.test.yaml.bak": "",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	f := func(find func(string) ([]string, error), arg string, want ...string) {
		t.Helper()
		got, err := find(arg)
		for i := range got {
			got[i] = filepath.ToSlash(got[i])
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", arg, got, err, want)
		}
	}
	f(Find, ".", "a.test.yaml", "sub/b.test.yml", "sub/broken.test.yaml", "sub/c.test.yaml", "sub/d.test.yaml")
	f(Of, "p.yaml", "a.test.yaml", "sub/b.test.yml", "sub/broken.test.yaml") // who knows what the broken one runs
	f(Of, "other.yaml", "sub/broken.test.yaml", "sub/c.test.yaml")
	if err := os.Symlink("sub", "link"); err != nil {
		t.Fatal(err)
	}
	f(Find, "link", "link/b.test.yml", "link/broken.test.yaml", "link/c.test.yaml", "link/d.test.yaml")
}

func TestJUnit(t *testing.T) {
	hostile := "<a> ]]> & \" \x00 \x1b[2J \xff"
	out, err := JUnit([]Report{
		{File: "f", Name: hostile, Took: 1500 * time.Millisecond},
		{File: "g", Missed: errors.New(hostile)},
		{File: "h", Failed: errors.New("gone")},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got junitSuite
	if err := xml.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	clean := "<a> ]]> & \" \uFFFD \uFFFD[2J \uFFFD"
	want := junitSuite{
		XMLName: xml.Name{Local: "testsuite"}, Name: "loopgauge", Tests: 3, Failures: 1, Errors: 1, Time: 1.5,
		Cases: []junitCase{
			{Name: clean, Class: "loopgauge", File: "f", Time: 1.5},
			{Name: "g", Class: "loopgauge", File: "g", Failure: &junitText{"an expectation was not met", clean}},
			{Name: "h", Class: "loopgauge", File: "h", Error: &junitText{"could not be run", "gone"}},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func FuzzParse(f *testing.F) {
	files, err := Find("../../fixtures/scenarios")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("log: a\nepisodes: [{rule: x, scope: {a: &b c}, fired: *b}]\nlimits: 7\nmust_fire: [1, [], {rule: {}}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		fixture, err := Parse("f", text)
		if err == nil {
			w := &Watch{fixture: fixture}
			if _, err := w.Update(); err != nil && !strings.Contains(err.Error(), "own line") {
				t.Fatal(err)
			}
			return
		}
		problems, ok := errors.AsType[policy.Errors](err)
		if !ok || len(problems) == 0 {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
