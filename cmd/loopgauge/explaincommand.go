package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/replay/term"
)

// explainCommand is what tells why an episode fired, as one types it: with all
// that its id and its counts depend on.
type explainCommand struct {
	runFlags // no lateness: that of the policy, or measured
	args     []string
}

func (f *runFlags) explain(args []string) explainCommand { return explainCommand{*f, args} }

// runs tells whether the command finds what this run has read: standard input and
// pipes are read once.
func (c *explainCommand) runs() bool {
	return readOnce(append(slices.Clip(c.args), c.rules.policy)) == ""
}

func (c *explainCommand) of(episode string) string { return c.line("explain", episode) }

// line is a command with the same rules and logs.
func (c *explainCommand) line(command, what string) string {
	words := []string{"loopgauge", command, what}
	add := func(name, value string) {
		if value != "" {
			words = append(words, "--"+name, term.Quoted(value))
		}
	}
	add("policy", c.rules.policy)
	for _, p := range c.rules.profiles {
		if len(c.rules.profiles) > 1 || p != "loopgauge" {
			add("profile", p)
		}
	}
	add("format", c.logs.format)
	if c.logs.timezone.Location != nil {
		add("timezone", c.logs.timezone.String())
	}
	if c.logs.maxLine != ingest.DefaultMaxLine {
		add("max-line", strings.ReplaceAll(c.logs.maxLine.String(), " ", ""))
	}
	add("since", c.logs.since.String())
	add("until", c.logs.until.String())
	add("lateness", c.lateness.String())
	add("fingerprint-key", c.key)
	if c.hashIDs {
		words = append(words, "--hash-ids")
	}
	for _, arg := range c.args {
		if strings.HasPrefix(arg, "-") { // as a flag does
			arg = "./" + arg
		}
		words = append(words, term.Quoted(arg))
	}
	return strings.Join(words, " ")
}

// anywhere makes the command one that works in any directory.
func (c explainCommand) anywhere() (explainCommand, error) {
	absolute := func(name string) (string, error) {
		if name == "" || kafka.IsTopic(name) {
			return name, nil
		}
		return filepath.Abs(name)
	}
	var err error
	c.args = slices.Clone(c.args)
	files := []*string{&c.rules.policy, &c.key}
	if c.logs.named != nil && c.logs.named.IsCustom() { // in a file
		files = append(files, &c.logs.format)
	}
	for i := range c.args {
		files = append(files, &c.args[i])
	}
	for _, name := range files {
		if *name, err = absolute(*name); err != nil {
			return c, err
		}
	}
	return c, nil
}
