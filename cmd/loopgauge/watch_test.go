package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestPartsAddUp: while requests wait the run of a dataset is readable.
func TestPartsAddUp(t *testing.T) {
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	d := &parts{dir: dir, policy: p, o: live.Options{Job: live.Job{Plan: window.NewPlan(p.Rules, p.Exclude)}}}
	part, err := d.Part(live.PartName(1, 0), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer part.Abort()
	read := replay.Totals{Account: replay.Account{Lines: 12, Blank: 3}} // and 9 wait
	if err := part.Close(replay.Report{Totals: read}); err != nil {
		t.Fatal(err)
	}
	if r, err := parquet.Open(dir); err != nil || r.Run.Lines != 3 {
		t.Errorf("%d lines: %v", r.Run.Lines, err)
	}
}

// TestWatchRefused: a watch that is refused for its source leaves no state.
func TestWatchRefused(t *testing.T) {
	dir := t.TempDir()
	state, packed, p := filepath.Join(dir, "state"), filepath.Join(dir, "x.xz"), filepath.Join(dir, "policy.yaml")
	write(t, packed, "\xFD7zXZ\x00")
	write(t, p, "version: 1\nkafka: {tls: {ca: none.pem}}\nrules:\n  - {name: a, identity: last-messages, scope: [session], counter: {kind: sliding, window: 1m}, threshold: 4}\n")
	fails(t, "loopgauge replay -", "watch", "--state", state, packed)
	fails(t, "the directory must be there", "watch", "--state", state, filepath.Join(dir, "gone", "app.log"))
	fails(t, "none.pem", "watch", "--state", state, "--policy", p, "kafka://127.0.0.1:1/log")
	if _, err := os.Stat(state); !os.IsNotExist(err) {
		t.Error("there is a state", err)
	}
}

// TestWatchOutOfOthers: a watch takes nothing away from a dataset that its state
// did not write, or has not gone on with.
func TestWatchOutOfOthers(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	const log = fixtures + "/tau2/agents.jsonl.zst"
	watch := func(state string, more ...string) (code int, said string) {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var errs bytes.Buffer
		u := newUI(strings.NewReader(""), io.Discard, &errs)
		go func() {
			for ctx.Err() == nil && !hasVerdicts(in(state+".jsonl")) {
				time.Sleep(20 * time.Millisecond)
			}
			stop()
		}()
		code = run(ctx, u, append([]string{"watch", "--state", in(state), "--verdicts", in(state + ".jsonl"), "--idle", "100ms", log}, more...))
		return code, errs.String()
	}
	files := func(name string) (n int) {
		list, err := filepath.Glob(filepath.Join(in(name), "events/*/*.parquet"))
		if err != nil || len(list) == 0 {
			t.Errorf("%s has no events: %v", name, err)
		}
		return len(list)
	}
	begins := func(state string, more ...string) {
		t.Helper()
		if code, said := watch(state, more...); code != exitDone {
			t.Fatalf("%s %s: %d\n%s", state, more, code, said)
		}
	}
	refused := func(state, out string) {
		t.Helper()
		before := files(out)
		code, said := watch(state, "--out", in(out))
		if code != exitUsage || !strings.Contains(said, out+" holds events that the state knows nothing of") {
			t.Errorf("%s --out %s: %d\n%s", state, out, code, said)
		}
		if n := files(out); n != before {
			t.Errorf("%s --out %s: %d files are left of %d", state, out, n, before)
		}
	}
	loopgauge(t, "", "replay", "--quiet", "--out", in("replayed"), log)
	refused("new", "replayed")
	if _, err := os.Stat(in("new")); !os.IsNotExist(err) {
		t.Error("it was refused, and there is a state", err)
	}
	begins("bare")
	refused("bare", "replayed")
	begins("bare", "--out", in("late")) // nothing is there yet
	begins("bare", "--out", in("late"))
	begins("a", "--out", in("watched"))
	refused("bare", "watched")
	if code, said := watch("a", "--out", in("watched"), "--hash-ids"); code != exitUsage || !strings.Contains(said, "watched holds events with other --hash-ids") {
		t.Errorf("--hash-ids: %d\n%s", code, said)
	}
	begins("a")
	refused("a", "watched")
}

// TestWatchOutGoesOn: a dataset that watch goes on with has all requests from its
// first on, each once, or watch refuses it.
func TestWatchOutGoesOn(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	at := 1_764_000_000
	// watch judges twenty more requests, unless it is refused.
	watch := func(state string, more ...string) (code int, said string) {
		t.Helper()
		log, err := os.OpenFile(in("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		for range 20 {
			_, wrong := fmt.Fprintf(log, `{"time":%d,"session":"s","model":"m","messages":[{"role":"user","content":"go"}]}`+"\n", at)
			err = errors.Join(err, wrong)
			at++
		}
		if err := errors.Join(err, log.Close()); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		verdicts := in(fmt.Sprint("verdicts", at))
		go func() {
			for ctx.Err() == nil && !hasVerdicts(verdicts) {
				time.Sleep(20 * time.Millisecond)
			}
			stop()
		}()
		var errs bytes.Buffer
		args := append([]string{"watch", "--state", in(state), "--verdicts", verdicts, "--checkpoint", "100ms", "--lateness", "0s", in("log")}, more...)
		code = run(ctx, newUI(strings.NewReader(""), io.Discard, &errs), args)
		return code, errs.String()
	}
	begins := func(state, out string, more ...string) {
		t.Helper()
		if code, said := watch(state, append(more, "--out", in(out))...); code != exitDone {
			t.Fatalf("--out %s %s: %d\n%s", out, more, code, said)
		}
		loopgauge(t, "", "replay", "--profile", "loopgauge", in(out))
	}
	refused := func(want, state, out string, more ...string) {
		t.Helper()
		code, said := watch(state, append(more, "--out", in(out))...)
		if code != exitUsage || !strings.Contains(said, want) {
			t.Errorf("--out %s %s: %d, want %q\n%s", out, more, code, want, said)
		}
		loopgauge(t, "", "replay", "--profile", "loopgauge", in(out))
	}
	if code, said := watch("state"); code != exitDone {
		t.Fatalf("%d\n%s", code, said)
	}
	begins("state", "late") // which begins with the request that comes next
	const gap = "late does not end where this state goes on"
	begins("state", "between")
	refused(gap, "state", "late")

	begins("state", "twice")
	if err := os.CopyFS(in("copy"), os.DirFS(in("state"))); err != nil {
		t.Fatal(err)
	}
	begins("state", "twice")
	begins("copy", "twice") // what the state did is undone, as if the copy were a backup
	begins("copy", "twice")
	refused("twice does not end where this state goes on", "state", "twice")
	s, err := live.OpenStore(in("copy"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // it holds a lock, nothing else
	_, release, err := parquet.Claim(in("twice"), s.ID())
	if err != nil {
		t.Fatal(err)
	}
	refused("twice: another watch writes to it", "state", "twice")
	release()

	key := func(name string) string {
		write(t, in(name), strings.Repeat(name, 20))
		return in(name)
	}
	begins("state", "keyed", "--fingerprint-key", key("one"))
	refused("keyed holds events with other --hash-ids or --fingerprint-key", "state", "keyed", "--fingerprint-key", key("two"))
	begins("state", "keyed", "--fingerprint-key", key("one"))
}

func hasVerdicts(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Size() > 0
}

// TestWatchChangedPolicy: the dataset of a changed policy begins with requests
// that waited, which its new rules did not look at, and can be read.
func TestWatchChangedPolicy(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	watch := func(policy, out string, from, verdicts int) {
		t.Helper()
		log, err := os.OpenFile(in("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		for i := range 20 {
			_, wrong := fmt.Fprintf(log, `{"time":%d,"session":"s","model":"m","messages":[{"role":"user","content":"go"}]}`+"\n", from+i)
			err = errors.Join(err, wrong)
		}
		if err := errors.Join(err, log.Close()); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() {
			for ctx.Err() == nil {
				if text, _ := os.ReadFile(in("verdicts")); bytes.Count(text, []byte("\n")) >= verdicts {
					stop()
				}
				time.Sleep(20 * time.Millisecond)
			}
		}()
		var errs bytes.Buffer
		args := []string{"watch", "--policy", policy, "--state", in("state"), "--out", in(out), "--verdicts", in("verdicts"), "--checkpoint", "100ms", in("log")}
		if code := run(ctx, newUI(strings.NewReader(""), io.Discard, &errs), args); code != exitDone {
			t.Fatalf("%d\n%s", code, errs.String())
		}
	}
	const rule = "\n  - {name: same, identity: prompt, scope: [session], counter: {kind: sliding, window: 1m}, threshold: 5}"
	old := policyFile(t, "version: 1\nrules:"+rule)
	now := policyFile(t, "version: 1\nrules:"+rule+"\n  - {name: more, identity: prompt, scope: [model], counter: {kind: sliding, window: 1m}, threshold: 5}")
	watch(old, "before", 1_764_000_000, 9)
	watch(now, "after", 1_764_000_100, 30)
	loopgauge(t, "", "replay", "--policy", now, in("after"))
}

// TestWatchZone: --timezone reaches what watch reads.
func TestWatchZone(t *testing.T) {
	var f watchFlags
	if err := f.logs.timezone.Set("Europe/Warsaw"); err != nil {
		t.Fatal(err)
	}
	c, err := f.logs.topicConfig("kafka://localhost/log")
	if err != nil || c.Zone == nil || c.Zone.String() != "Europe/Warsaw" {
		t.Errorf("a topic: %v, %v", c.Zone, err)
	}
	file := filepath.Join(t.TempDir(), "app.log")
	write(t, file, `{"time":1,"id":"a","path":"/"}`+"\n")
	open, err := f.feed([]string{file}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	feed, err := open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close() //nolint:errcheck // nothing was written
	list, err := feed.Accept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for {
		chunk, err := list[0].Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if b := chunk.Block; b != nil {
			if b.Zone == nil || b.Zone.String() != "Europe/Warsaw" {
				t.Errorf("a file: %v", b.Zone)
			}
			return
		}
	}
}
