//go:build unix

package sinks

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What stands at the path already: a link is followed, permissions are kept,
// and what is no regular file is written in place.
func TestAtomicFileOverWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	write := func(path string) {
		t.Helper()
		f, err := CreateAtomic(path)
		must(t, err)
		if _, err := f.WriteString("new"); err != nil {
			t.Fatal(err)
		}
		must(t, f.Commit())
	}
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	must(t, os.WriteFile(file, []byte("old"), 0o640))
	must(t, os.Symlink(file, link))
	write(link)
	if text, _ := os.ReadFile(file); string(text) != "new" {
		t.Errorf("behind the link stands %q", text)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions: %v %v", info, err)
	}

	pipe := filepath.Join(dir, "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	got := make(chan string)
	go func() {
		text, _ := os.ReadFile(pipe)
		got <- string(text)
	}()
	write(pipe)
	if text := <-got; text != "new" {
		t.Errorf("the pipe's reader got %q", text)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is gone: %v %v", info, err)
	}
	if _, err := CreateAtomic(dir); err == nil {
		t.Error("a directory is taken for a file")
	}
}

// What cannot be written is said of the file's place: under the hidden name, another
// each time, watch said twice why it wrote no checkpoint.
func TestAtomicFileFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for what, do := range map[string]func(*AtomicFile) error{
		"write": func(f *AtomicFile) error { _, err := f.Write([]byte("new")); return err },
		"chmod": (*AtomicFile).Seal,
	} {
		f, err := CreateAtomic(path)
		must(t, err)
		f.Close() // the system takes nothing more
		if err := do(f); err == nil || err.Error() != what+" "+path+": file already closed" {
			t.Errorf("%s: said %v", what, err)
		}
		f.Abort()
	}
}
