package main

import (
	"os"
	"path/filepath"
	"testing"
)

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
	open, err := f.feed([]string{file}, "", nil)
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
