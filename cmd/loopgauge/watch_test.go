package main

import (
	"os"
	"path/filepath"
	"testing"

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
	d := &parts{dir: dir, policy: p, o: live.Options{Plan: window.NewPlan(p.Rules, p.Exclude)}}
	part, err := d.Part(live.PartName(1, 0), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer part.Abort()
	read := replay.Totals{Account: replay.Account{Lines: 12, Blank: 3}} // and 9 wait
	if err := part.Close(live.Report{Totals: read}); err != nil {
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
	for name, text := range map[string]string{
		packed: "\xFD7zXZ\x00",
		p:      "version: 1\nkafka: {tls: {ca: none.pem}}\nrules:\n  - {name: a, identity: last-messages, scope: [session], counter: {kind: sliding, window: 1m}, threshold: 4}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fails(t, "loopgauge replay -", "watch", "--state", state, packed)
	fails(t, "the directory must be there", "watch", "--state", state, filepath.Join(dir, "gone", "app.log"))
	fails(t, "none.pem", "watch", "--state", state, "--policy", p, "kafka://127.0.0.1:1/log")
	if _, err := os.Stat(state); !os.IsNotExist(err) {
		t.Error("there is a state", err)
	}
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
	if err := os.WriteFile(file, []byte(`{"time":1,"id":"a","path":"/"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
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
