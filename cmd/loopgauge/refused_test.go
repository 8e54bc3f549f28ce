package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/sinks/parquet"
)

// TestRefusedDataset: what a store does not take at the end of a run is kept, and
// it is said how it comes there.
func TestRefusedDataset(t *testing.T) {
	store := startS3Stub(t)
	log := filepath.Join(fixtures, "formats/litellm/litellm_callback.jsonl.zst")
	for name, args := range map[string][]string{
		"replay": {"replay", log}, "tune": {"tune", log}, "extract": {"extract", log},
	} {
		t.Run(name, func(t *testing.T) {
			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			args = append(args, "--quiet", "--out", store.name("to/"+name))
			left := func() []os.DirEntry {
				entries, err := os.ReadDir(temporary)
				if err != nil {
					t.Fatal(err)
				}
				return entries
			}
			refuse := func(asked string) bool { return strings.HasPrefix(asked, "PUT ") && strings.Contains(asked, "/run/") }
			store.locked(func() { store.refuse = refuse })
			code, _, said := ran(t, "", args...)
			kept := left()
			if code != exitFailed || len(kept) != 1 || len(store.keys()) > 0 {
				t.Fatalf("exit code %d, %d directories, %q in the store: %s", code, len(kept), store.keys(), said)
			}
			dir := filepath.Join(temporary, kept[0].Name())
			if !strings.Contains(said, "access denied") || !strings.Contains(said, "kept in "+dir+"; to put it there: aws s3 cp --recursive "+dir+" s3://bucket/to/"+name+"\n") {
				t.Errorf("says %s", said)
			}
			if got, want := loopgauge(t, "", "replay", "--json", dir), loopgauge(t, "", "replay", "--json", log); got != want {
				t.Errorf("what is kept says\n%.2000s\nand the log\n%.2000s", got, want)
			}

			store.locked(func() { store.refuse = nil })
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if code, _, said := ran(t, "", args...); code != exitDone || len(left()) > 0 || len(store.keys()) == 0 {
				t.Errorf("exit code %d, %d directories left: %s", code, len(left()), said)
			}
			store.locked(func() { clear(store.objects) })
		})
	}
}

// TestRefusedByAnotherRun: it is not said to put a dataset where another run has come
// first: the two would be mixed.
func TestRefusedByAnotherRun(t *testing.T) {
	store := startS3Stub(t)
	t.Setenv("TMPDIR", t.TempDir())
	log := filepath.Join(fixtures, "formats/litellm/litellm_callback.jsonl.zst")
	looked := 0
	store.refuse = func(string) bool {
		if looked++; looked == len(parquet.Folders)+1 { // the run has been made
			store.objects["to/run/part.parquet"] = nil
		}
		return false
	}
	code, _, said := ran(t, "", "replay", "--quiet", "--out", store.name("to"), log)
	if code != exitFailed || len(store.keys()) != 1 || !strings.Contains(said, "holds a run already") || !strings.Contains(said, "; to put it there once no run is: aws s3 cp ") {
		t.Errorf("exit code %d, %q in the store: %s", code, store.keys(), said)
	}
}

func TestByHand(t *testing.T) {
	f := func(place, want string) {
		t.Helper()
		if got := byHand(place, "/data/a b"); got != want {
			t.Errorf("%s: %s", place, got)
		}
	}
	f("s3://b/k?region=x", "aws s3 cp --recursive '/data/a b' s3://b/k")
	f("gs://b/k/l", "gcloud storage rsync --recursive '/data/a b' gs://b/k/l")
	f("azblob://c/k l", "az storage blob upload-batch --source '/data/a b' --destination c --destination-path 'k l'")
}
