package blob

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGet: what is wanted below a name is copied, and nothing out of the directory.
func TestGet(t *testing.T) {
	b := bucket(t, "set/run/run.parquet", "set/events/a/b.parquet", "set/events/../../../out", "set/notes.txt", "setting/events/c")
	parent := t.TempDir()
	dir := filepath.Join(parent, "a", "b")
	n := &name{scheme: "s3", bucket: "b", key: "set"}
	must(t, n.get(t.Context(), b, dir, func(file string) bool { return file != "notes.txt" }))
	var got []string
	err := filepath.WalkDir(parent, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, _ := os.ReadFile(path)
			got = append(got, strings.TrimPrefix(path, parent+"/")+" "+string(text))
		}
		return err
	})
	const want = "a/b/events/a/b.parquet set/events/a/b.parquet, a/b/run/run.parquet set/run/run.parquet"
	if strings.Join(got, ", ") != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
