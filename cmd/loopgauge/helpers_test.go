package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const fixtures = "../../fixtures"

// ran is how the program ends, and what it says.
func ran(t *testing.T, stdin string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = run(t.Context(), newUI(strings.NewReader(stdin), &stdout, &stderr), args)
	return code, stdout.String(), stderr.String()
}

// loopgauge runs the program and wants exit code 0.
func loopgauge(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	code, out, errs := ran(t, stdin, args...)
	if code != exitDone {
		t.Fatalf("loopgauge %s: exit code %d\n%s", strings.Join(args, " "), code, errs)
	}
	return out
}

// rows reads a file of JSON lines.
func rows[T any](t *testing.T, file string) []T {
	t.Helper()
	f, err := os.Open(filepath.Join(fixtures, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []T
	s := bufio.NewScanner(f)
	for s.Scan() {
		var row T
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		list = append(list, row)
	}
	if err := s.Err(); err != nil || len(list) == 0 {
		t.Fatalf("%s: %d rows, %v", file, len(list), err)
	}
	return list
}

// fewer are every fifth row or log under the race detector: each is judged by
// several policies.
func fewer[T any](list []T) (few []T) {
	if !raced {
		return list
	}
	for i := 0; i < len(list); i += 5 {
		few = append(few, list[i])
	}
	return few
}

func policyFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "policy.yaml")
	write(t, file, text)
	return file
}

// absolute is a path for a process that runs elsewhere, or a document.
func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// read is the text of a file.
func read(tb testing.TB, file string) string {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// write writes a file, and makes its directory.
func write[T string | []byte](tb testing.TB, file string, text T) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// unmarshal reads what a command has printed.
func unmarshal[T string | []byte](t *testing.T, text T, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
}
