package main

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestStoreRequests: of small logs a store is asked once each, after it was asked
// whether they are a dataset, and they were listed.
func TestStoreRequests(t *testing.T) {
	store := startS3Stub(t)
	want := []string{"GET ", "GET "} // lists
	for _, name := range []string{"a", "b"} {
		text := []byte(read(t, filepath.Join(fixtures, "formats/litellm/litellm_callback.jsonl.zst")))
		store.locked(func() { store.objects["logs/"+name] = text })
		want = append(want, "GET logs/"+name)
	}
	loopgauge(t, "", "replay", store.name("logs/"))
	store.locked(func() {
		slices.Sort(store.asked)
		if !slices.Equal(store.asked, want) {
			t.Errorf("asked for %q, want %q", store.asked, want)
		}
	})
}
