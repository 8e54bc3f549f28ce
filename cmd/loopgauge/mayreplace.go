package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/loopgauge/loopgauge/ingest/blob"
)

// mayReplace refuses to write over a file of another kind: whoever forgot the
// name before *.log would lose a log. is tells the kind by how a file begins.
// It refuses what is no file too.
func mayReplace(flag, file string, is func(head []byte) bool) error {
	if blob.Is(file) {
		return usage(fmt.Errorf("%s: %s is no file: only --out writes into an object store", flag, blob.Object(file)))
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // there is nothing to lose
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, _ := io.ReadFull(f, head)
	if is(head[:n]) {
		return nil
	}
	return usage(fmt.Errorf("%s: %s is there and holds something else: remove it, or give another name", flag, file))
}

func isVerdicts(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	return bytes.HasPrefix(line, []byte(`{"time":`)) && bytes.Contains(line, []byte(`,"rule":`))
}

func isHTML(head []byte) bool { return bytes.HasPrefix(bytes.ToLower(head), []byte("<!doctype html")) }

func isJUnit(head []byte) bool { return bytes.Contains(head, []byte("<testsuite")) }

// noFile refuses a file where a directory is wanted.
func noFile(flag, dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: %s is a file: name a directory", flag, dir)
	}
	return nil
}
