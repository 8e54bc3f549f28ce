package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/replay"
)

// TestStoredDataset: a dataset in an object store is read by its name as one on the
// disk is, and no copy of it stays.
func TestStoredDataset(t *testing.T) {
	store := startS3Stub(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	left := func() {
		t.Helper()
		if entries, err := os.ReadDir(temporary); err != nil || len(entries) > 0 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
	}
	log, dir := filepath.Join(fixtures, "formats/litellm/litellm_callback.jsonl.zst"), filepath.Join(t.TempDir(), "out")
	for _, to := range []string{dir, store.name("sets/1")} {
		loopgauge(t, "", "replay", "--quiet", "--out", to, log)
	}
	var found replay.Document
	unmarshal(t, loopgauge(t, "", "replay", "--json", dir), &found)
	if len(found.Episodes) == 0 {
		t.Fatal("no loops: the test shows nothing")
	}
	for _, args := range [][]string{
		{"replay", "--json"}, {"tune", "--json"}, {"explain", "--json", found.Episodes[0].ID}, {"explain", "--json", log + ":1"},
	} {
		want := loopgauge(t, "", append(args, dir)...)
		for _, name := range []string{store.name("sets/1"), store.name("sets/1/")} {
			if got := loopgauge(t, "", append(args, name)...); strings.ReplaceAll(got, name, dir) != want {
				t.Errorf("%s of the store says\n%.2000s\nand of the disk\n%.2000s", args[0], got, want)
			}
		}
		left()
	}

	refused := func(want string, args ...string) {
		t.Helper()
		if code, _, errs := ran(t, "", args...); code != exitFailed && code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d: %s, want %s", strings.Join(args, " "), code, errs, want)
		}
		left()
	}
	refused("s3://bucket/sets/1 is a dataset and "+log+" is not", "replay", store.name("sets/1"), log)
	refused("s3://bucket/sets/1 and "+dir+" are two datasets", "replay", store.name("sets/1"), dir)
	refused("--format is for logs: s3://bucket/sets/1 is a dataset", "replay", "--format", "litellm", store.name("sets/1"))
	refused("by its own name", "replay", store.name("sets"))
	refused("by its own name", "formats", store.name("sets/1"))
	var event string
	for _, key := range store.keys() {
		if strings.Contains(key, "/events/") {
			event = key
		}
	}
	store.locked(func() { store.objects[event] = store.objects[event][:10] })
	refused("s3://bucket/"+event+": damaged", "replay", store.name("sets/1"))
	store.locked(func() { delete(store.objects, event) })
	refused("a file in events is missing", "tune", store.name("sets/1"))
	store.locked(func() { store.refuse = func(asked string) bool { return strings.HasSuffix(asked, "run.parquet") } })
	refused("s3://bucket/sets/1/run/run.parquet: access denied", "replay", store.name("sets/1"))
}
