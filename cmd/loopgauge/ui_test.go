package main

import (
	"errors"
	"strings"
	"testing"
)

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestFullOutput: what could not be written is an error, whoever wrote it.
func TestFullOutput(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"policy", "profiles"}, {"policy", "schema"}, {"replay", "--help"}} {
		var stderr strings.Builder
		if code := run(t.Context(), newUI(strings.NewReader(""), full{}, &stderr), args); code != exitFailed || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%v: exit code %d, %s", args, code, &stderr)
		}
	}
}
