package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A policy that takes a parser's memory, stack or patience is refused;
// one that makes it take for ever would meet the test's timeout.
func TestBombs(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := Parse("p", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q...: %.200v, want %q", text, err, want)
		}
		_, _ = Format("p", []byte(text))
	}
	f(strings.Repeat("[", 1<<19), "nested too deep")
	f("version: "+strings.Repeat("{a: ", 1<<17), "nested too deep")
	f(strings.Repeat("- ", 1<<18), "nested too deep")
	f("a:\n"+strings.Repeat("? ", 1<<18), "nested too deep")
	f(strings.Repeat("x", MaxSize+1), "a policy of more than 1048576 bytes")
	var deep strings.Builder
	for i := range 1000 {
		deep.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	f(deep.String(), "a: unknown field")
	rule := func(match string) string {
		return "version: 1\nrules: [{name: a, profile: fairvisor, match: '" + match + "'}]\n"
	}
	f(rule(strings.Repeat("(", 500)), "recursion limit")
	f("version: 1\nrules:\n"+strings.Repeat("  - {name: a, profile: fairvisr}\n", 1000), "did you mean fairvisor?")
}

// What is only long is read: brackets and dashes in texts do not nest.
func TestLongPolicies(t *testing.T) {
	side := "" // by side they do not, either
	for i := range maxDepth + 1 {
		side += fmt.Sprintf("{name: r%d, profile: aisg, scope: []}, ", i)
	}
	for _, text := range []string{
		"version: 1 # " + strings.Repeat("- ", 1000) + "\nrules: [{name: a, profile: fairvisor}]\n",
		"version: 1\nrules: [{name: '" + strings.Repeat("- ? ", 1000) + "', profile: fairvisor}]\n",
		"version: 1\nrules: [{name: a, profile: fairvisor, match: 'true" + strings.Repeat(" || status in [1, 2]", 500) + "'}]\n",
		"version: 1\nrules: [" + side + "]\n",
		"version: 1\nrules:\n" + strings.Repeat("\n", 10000) + "  - {name: a, profile: fairvisor}\n",
	} {
		parse(t, text)
	}
}

// A file that cannot be a policy is not read to its end, which may be far.
func TestLoadOfALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip(err) // no file system for files with holes
	}
	if _, err := Load(path); err == nil || !strings.HasPrefix(err.Error(), path+": more than 1048576 bytes") {
		t.Error(err)
	}
	if _, err := (Secret{File: path}).Read(); err == nil || !strings.HasPrefix(err.Error(), path+": more than 1048576 bytes") {
		t.Errorf("as a secret: %v", err)
	}
}

// TestLoadOfAnAnswer: tune's answer, which holds a policy and may be long, was taken
// for a log, and a short one for a policy whose every field is unknown.
func TestLoadOfAnAnswer(t *testing.T) {
	for _, rest := range []string{"}", strings.Repeat(" ", MaxSize)} {
		text := "{\n  \"version\": 1,\n  \"loopgauge\": \"v1.2.3\"" + rest
		if _, err := ReadText("standard input", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "'jq -er .policy' takes the policy out") {
			t.Error(err)
		}
	}
}
