package sinks

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

func rule(tb testing.TB, name string, scope ...string) *window.Rule {
	tb.Helper()
	id, err := fingerprint.New("", fingerprint.Options{Parts: []string{"model"}})
	must(tb, err)
	s, err := fingerprint.NewScope(scope)
	must(tb, err)
	return &window.Rule{Name: name, Identity: id, Scope: s}
}

func print(tb testing.TB, r *window.Rule, model string) fingerprint.Fingerprint {
	tb.Helper()
	w := fingerprint.NewWriter(nil)
	if cause := r.Identity.Compute(&fingerprint.Request{Model: []byte(model)}, w); cause != fingerprint.Computable {
		tb.Fatal(cause)
	}
	return w.Prints()[0].Fingerprint
}

var at = time.Date(2026, 11, 21, 9, 8, 7, 6000, time.UTC).UnixMicro()

// TestVerdictLine compares whole lines: the order of fields, null where there
// is nothing to say, and no field ever left out.
func TestVerdictLine(t *testing.T) {
	r := rule(t, "a", "session", "attr:team")
	f := func(v window.Verdict, want string) {
		t.Helper()
		v.Rule, v.Fingerprint = r, print(t, r, "m")
		got := string(AppendVerdict(nil, &v))
		if got != want+"\n" {
			t.Errorf("got\n%swant\n%s", got, want)
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(got), &fields); err != nil || len(fields) != 13 {
			t.Errorf("%d fields, %v", len(fields), err)
		}
	}
	const print = `"fingerprint":"d871afdc3f5051b06b178f9e3d8114bf"`
	scope := &window.Scope{Values: []string{"s1", "red"}}
	f(window.Verdict{Event: &window.Event{Time: at, ID: "r1"}, Scope: scope, Count: 1, Action: window.Allow, RetryAfter: -1, DelayMS: -1},
		`{"time":"2026-11-21T09:08:07.000006Z","id":"r1","rule":"a","identity":"model","scope":{"session":"s1","attr:team":"red"},`+print+`,"count":1,"fired":false,"action":"allow","reason":null,"retry_after_s":null,"delay_ms":null,"episode":null}`)
	f(window.Verdict{Event: &window.Event{Time: at}, Scope: scope, Count: 4, Fired: true, Action: window.Reject, Reason: window.ByThreshold, RetryAfter: 60, DelayMS: -1, Episode: "ep-1"},
		`{"time":"2026-11-21T09:08:07.000006Z","id":null,"rule":"a","identity":"model","scope":{"session":"s1","attr:team":"red"},`+print+`,"count":4,"fired":true,"action":"reject","reason":"threshold","retry_after_s":60,"delay_ms":null,"episode":"ep-1"}`)
	f(window.Verdict{Event: &window.Event{Time: at, ID: "r3"}, Scope: scope, Count: -1, Fired: true, Action: window.Throttle, Reason: window.ByCooldown, RetryAfter: -1, DelayMS: 30000, Episode: "ep-1"},
		`{"time":"2026-11-21T09:08:07.000006Z","id":"r3","rule":"a","identity":"model","scope":{"session":"s1","attr:team":"red"},`+print+`,"count":null,"fired":true,"action":"throttle","reason":"cooldown","retry_after_s":null,"delay_ms":30000,"episode":"ep-1"}`)
	// Zero is a number, not nothing.
	f(window.Verdict{Event: &window.Event{Time: 0, ID: "r4"}, Scope: scope, Count: 0, Action: window.Guide, RetryAfter: 0, DelayMS: 0},
		`{"time":"1970-01-01T00:00:00.000000Z","id":"r4","rule":"a","identity":"model","scope":{"session":"s1","attr:team":"red"},`+print+`,"count":0,"fired":false,"action":"guide","reason":null,"retry_after_s":0,"delay_ms":0,"episode":null}`)

	// One counter for all has an empty scope. What a log holds cannot break
	// out of its string, nor end the line.
	r = rule(t, `b"\`)
	f(window.Verdict{Event: &window.Event{Time: at, ID: "x\"\n\u2028\x00"}, Scope: &window.Scope{}, Count: 1, Action: window.Allow, RetryAfter: -1, DelayMS: -1},
		`{"time":"2026-11-21T09:08:07.000006Z","id":"x\"\n`+"\u2028"+`\u0000","rule":"b\"\\","identity":"model","scope":{},`+print+`,"count":1,"fired":false,"action":"allow","reason":null,"retry_after_s":null,"delay_ms":null,"episode":null}`)
}

func verdict(tb testing.TB) *window.Verdict {
	tb.Helper()
	r := rule(tb, "a")
	return &window.Verdict{Event: &window.Event{Time: at}, Rule: r, Scope: &window.Scope{}, Fingerprint: print(tb, r, "m"), Action: window.Allow}
}

// names lists a folder, hidden files too.
func names(tb testing.TB, dir string) string {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	must(tb, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

func TestVerdictFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "v.jsonl")
	w, err := CreateVerdicts(file)
	must(t, err)
	v := verdict(t)
	line := string(AppendVerdict(nil, v))
	for range 1000 { // more than the buffer
		must(t, w.Write(v))
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("there before it is whole")
	}
	must(t, w.Close())
	w.Abort() // does nothing any more
	got, err := os.ReadFile(file)
	if err != nil || string(got) != strings.Repeat(line, 1000) {
		t.Errorf("%d bytes, want %d; %v", len(got), 1000*len(line), err)
	}
	if got := names(t, dir); got != "v.jsonl" {
		t.Errorf("the folder holds %s", got)
	}

	if w, err = CreateVerdicts(filepath.Join(dir, "w.jsonl")); err != nil {
		t.Fatal(err)
	}
	must(t, w.Write(v))
	w.Abort()
	if got := names(t, dir); got != "v.jsonl" {
		t.Errorf("after Abort the folder holds %s", got)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// An error of the disk names the file, at the latest when it is closed.
func TestVerdictWriterFails(t *testing.T) {
	w := NewVerdictWriter(full{}, "standard output")
	if err := w.Write(verdict(t)); err != nil {
		t.Errorf("one line fits the buffer: %v", err)
	}
	if err := w.Close(); err == nil || err.Error() != "standard output: no space left" {
		t.Errorf("Close: %v", err)
	}
}

func TestAtomicFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	create := func(text string) *AtomicFile {
		t.Helper()
		f, err := CreateAtomic(path)
		must(t, err)
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		return f
	}
	want := func(text string) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("the file holds %q, want %q; %v", got, text, err)
		}
		if got := names(t, dir); got != "f" {
			t.Errorf("the folder holds %s", got)
		}
	}
	f := create("one")
	if got := names(t, dir); !strings.HasPrefix(got, ".f.") || !strings.HasSuffix(got, ".tmp") {
		t.Errorf("in the making it is called %s", got)
	}
	must(t, f.Seal())
	if _, err := os.Stat(path); err == nil {
		t.Error("sealed is not committed")
	}
	must(t, f.Commit())
	want("one")
	f.Abort()
	want("one")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}

	// A reader has the old file whole until it has the new one whole.
	f = create("two")
	if got, _ := os.ReadFile(path); string(got) != "one" {
		t.Errorf("a reader sees %q", got)
	}
	must(t, f.Commit())
	want("two")

	f = create("three")
	f.Abort()
	f.Abort()
	want("two")

	f = create("four")
	must(t, f.Seal())
	f.Abort()
	want("two")

	// What cannot be put in its place leaves nothing, and says where.
	must(t, os.Mkdir(filepath.Join(dir, "d"), 0o750))
	if _, err := CreateAtomic(filepath.Join(dir, "d")); err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, "d")+": ") {
		t.Errorf("over a folder: %v", err)
	}
	if got := names(t, dir); got != "d f" {
		t.Errorf("the folder holds %s", got)
	}
	if _, err := CreateAtomic(filepath.Join(dir, "none", "f")); !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("in no folder: %v", err)
	}
}
