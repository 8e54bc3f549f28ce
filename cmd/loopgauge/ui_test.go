package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window/policy"
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

// TestHelpFits: help keeps to the width of a terminal, but for commands, which
// are not to be broken.
func TestHelpFits(t *testing.T) {
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		for line := range strings.Lines(strings.ReplaceAll(c.Long+"\n\n"+c.UsageString(), c.Example, "")) {
			if line = strings.TrimSuffix(line, "\n"); len(line) > term.Width && !strings.Contains(line, c.UseLine()) {
				t.Errorf("%s --help: %d columns: %s", c.CommandPath(), len(line), line)
			}
		}
		for _, sub := range c.Commands() {
			check(sub)
		}
	}
	check(newRoot(newUI(strings.NewReader(""), &strings.Builder{}, &strings.Builder{})))
}

// TestCompletion: a shell offers what the tables have.
func TestCompletion(t *testing.T) {
	f := func(want []string, args ...string) {
		t.Helper()
		out := loopgauge(t, "", append(append([]string{"__complete"}, args...), "")...)
		if got := strings.Fields(out); len(got) == 0 || !slices.Equal(got[:len(got)-1], want) {
			t.Errorf("%v: offered are %v, want %v", args, got, want)
		}
	}
	gateways := names(policy.Gateways, func(g policy.Gateway) string { return g.Name })
	f(policy.ProfileNames(), "replay", "--profile")
	f(policy.ProfileNames(), "policy", "profiles")
	f(formats.Names(), "tune", "--format")
	f(fingerprint.IdentityNames(), "explain", "--identity")
	f(gateways, "tune", "--export")
	f(gateways, "policy", "import", "--from")
	f(gateways, "policy", "export", "--to")
	f(nil, "replay") // files
}

// TestListsFit: so do the lists of what there is.
func TestListsFit(t *testing.T) {
	for _, args := range [][]string{{"formats"}, {"policy", "profiles"}} {
		for line := range strings.Lines(loopgauge(t, "", args...)) {
			if line = strings.TrimSuffix(line, "\n"); len(line) > term.Width {
				t.Errorf("%v: %d columns: %s", args, len(line), line)
			}
		}
	}
}

// TestHintsOnce: what helps against an error is said once, of however many it
// holds.
func TestHintsOnce(t *testing.T) {
	var said strings.Builder
	u := newUI(nil, nil, &said)
	for _, text := range []string{"a: no known log format\nname it", "b: no known log format\nname it\nor not", "s: no\nalerts: 0\nt: no\nalerts: 0"} {
		u.fail(errors.New(text))
	}
	if want := "loopgauge: a: no known log format\nname it\nloopgauge: b: no known log format\nor not\nloopgauge: s: no\nalerts: 0\nt: no\nalerts: 0\n"; said.String() != want {
		t.Errorf("said\n%swant\n%s", &said, want)
	}
}

// TestNoPasswordsSaid: a password or key that somebody put into a name is not said
// again, though the name is.
func TestNoPasswordsSaid(t *testing.T) {
	for _, name := range []string{
		"kafka://joe:hunter2@broker/topic", "kafka://joe:hunter2/hunter2@broker/topic", "https://joe:hunter2@host.example/a.jsonl",
		"https://account.example/logs/a.jsonl?sv=1&sig=hunter2", "https://bucket.example/a.jsonl?X-Amz-Algorithm=A&X-Amz-Signature=hunter2",
	} {
		for _, args := range []string{
			"replay", "watch", "explain", "formats", "merge", "test", "compact", "policy check",
			"replay loop.log --policy", "replay loop.log --out", "tune loop.log --html", "explain ep-0123456789abcdef",
		} {
			if code, out, errs := ran(t, "", append(strings.Fields(args), name)...); code == exitDone || strings.Contains(out+errs, "hunter2") {
				t.Errorf("%v %s: exit code %d, %s%s", args, name, code, out, errs)
			}
		}
	}
}
