package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/ingest/kafka"
)

// mayReplace refuses to write over a file of another kind: whoever forgot the
// name before *.log would lose a log. is tells the kind by how a file begins.
// It refuses what is no file too.
func mayReplace(flag, file string, is func(head []byte) bool) error {
	if blob.Is(file) {
		return usage(fmt.Errorf("%s: %s is no file: only --out writes into an object store", flag, blob.Object(file)))
	}
	if err := noDirectory(flag, file); err != nil {
		return usage(err)
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

// noDirectory refuses a directory, a topic or standard output where a file is wanted.
func noDirectory(flag, file string) error {
	if file == ingest.StdinName {
		return fmt.Errorf("%s: - is no file: name one", flag)
	}
	if kafka.IsTopic(file) { // its name may hold a password
		return fmt.Errorf("%s: a topic is no file: name one", flag)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() || strings.HasSuffix(file, "/") {
		return fmt.Errorf("%s: %s is a directory: name a file", flag, file)
	}
	return nil
}

// noFile refuses a file, a topic or standard output where a directory is wanted, and
// the name of an object store that is none.
func noFile(flag, dir string) error {
	if dir == ingest.StdinName {
		return fmt.Errorf("%s: - is no directory: name one", flag)
	}
	if blob.Is(dir) {
		if err := blob.Check(dir); err != nil {
			return fmt.Errorf("%s: %w", flag, err)
		}
		return nil
	}
	if kafka.IsTopic(dir) {
		return fmt.Errorf("%s: a topic is no directory: name one", flag)
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: %s is a file: name a directory", flag, dir)
	}
	return nil
}
