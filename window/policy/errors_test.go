package policy

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the expected messages")

// TestErrors compares what is said of each policy in testdata/errors with the
// text beside it.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.yaml")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d policies, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			text := read(t, file)
			p, err := Parse("policy.yaml", text)
			if err == nil || p != nil {
				t.Fatal("accepted")
			}
			var list Errors
			if !errors.As(err, &list) {
				t.Fatalf("an error of type %T", err)
			}
			got, golden := err.Error()+"\n", strings.TrimSuffix(file, ".yaml")+".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(read(t, golden)); got != want {
				t.Errorf("said:\n%swant:\n%s", got, want)
			}
			lines := strings.Count(string(text), "\n") + 1
			for _, p := range list {
				if p.Line > lines {
					t.Errorf("%s: the policy has %d lines", p, lines)
				}
			}
		})
	}
}

func read(tb testing.TB, file string) []byte {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// A letter too many, too few, another or swapped is no other word.
func TestMeant(t *testing.T) {
	words := []string{"help", "html", "json", "junit"}
	for wrong, want := range map[string]string{
		"html": "html", "htlm": "html", "htm": "html", "htmll": "html", "hjson": "json", "jsno": "json", "jnuit": "junit", "hepl": "help",
		"": "", "x": "", "hxeq": "", "against": "", "nosj": "",
	} {
		if got := Meant(wrong, words); got != want {
			t.Errorf("%q: %q, want %q", wrong, got, want)
		}
	}
}
