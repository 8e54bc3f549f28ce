package ingest

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/ingest/formats"
)

// TestAge: logs from the oldest on, however they are named first.
func TestAge(t *testing.T) {
	f := func(want ...string) {
		t.Helper()
		rapid.Check(t, func(t *rapid.T) {
			got := rapid.Permutation(want).Draw(t, "named")
			asked := 0
			sortByAge(got, func(path string) age {
				asked++
				return age{0, path}
			})
			if !slices.Equal(got, want) || asked != len(want) {
				t.Fatalf("%q, asked %d times, want %q", got, asked, want)
			}
		})
	}
	f("app.log.10", "app.log.9.gz", "app.log.2", "app.log.1", "app.log.1.gz", "app.log", "app.log.gz")
	f("app.10.log", "app.2.log", "app.log")
	f("app.log-20261120.gz", "app.log-20261121", "app.log.2", "app.log.1", "app.log")
	f("app-2026-11-20T23.log", "app-2026-11-21T00.log", "app.log", "app2.log")
	f("a/x.log.1", "a/x.log", "b/x.log.1", "b/x.log")
	f("s3://b/2026/11/20/app.log", "s3://b/2026/11/21/app.log", "standard input")
}

// TestOpenAllByAge: streams have their indices by the first times at which their
// lines were written: a long call that began before the log before did is no sign
// of age.
func TestOpenAllByAge(t *testing.T) {
	dir := t.TempDir()
	for name, times := range map[string]string{"a.log": "4", "b.log": "3 9", "c.log": "8 2", "b.log.1": "3", "d.log.gz": "1", "e.log": "0.5-9"} {
		var text strings.Builder
		for time := range strings.FieldsSeq(times) {
			start, end, _ := strings.Cut(time, "-")
			text.WriteString(`{"time":` + start + `,"end":` + cmp.Or(end, start) + `}` + "\n")
		}
		data := []byte(text.String())
		if filepath.Ext(name) == ".gz" {
			data = gz(t, data)
		}
		write(t, dir, name, data)
	}
	want := []string{"d.log.gz", "c.log", "b.log.1", "b.log", "a.log", "e.log"}
	rapid.Check(t, func(t *rapid.T) {
		var args []string
		for _, name := range rapid.Permutation(want).Draw(t, "named") {
			args = append(args, filepath.Join(dir, name))
		}
		sources, err := Find(args, nil)
		must(t, err)
		streams, failed := OpenAll(sources, 2, Options{Format: formats.ByName("loopgauge")})
		defer CloseAll(streams)
		if len(failed) > 0 || len(streams) != len(want) {
			t.Fatal(streams, failed)
		}
		for i, s := range streams {
			b, err := s.Next()
			must(t, err)
			if name := filepath.Base(s.Name()); name != want[i] || b.Stream != int32(i+2) {
				t.Fatalf("%s is %d, want %s", name, b.Stream, want[i])
			}
			b.Release()
		}
	})
}
