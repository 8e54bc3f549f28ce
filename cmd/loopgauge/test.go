package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/scenario"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window/policy"
)

type testFlags struct {
	junit  string
	update bool
}

func newTestCommand(u *ui) *cobra.Command {
	f := &testFlags{}
	c := &cobra.Command{
		Use:   "test POLICY|DIR|FIXTURE...",
		Short: "Hold policies to the loops that they must and must not find",
		Long: `Test runs fixtures: files named *.test.yaml that name a log, a policy or
profile, and what is expected of it. A folder stands for all fixtures below it,
a policy for those below its folder that run it. The exit code is 3 if an
expectation is not met, 2 if a fixture or a policy is wrong, 1 if something
cannot be read. docs/testing.md describes the fixtures.`,
		Example: `  loopgauge test fixtures/
  loopgauge test --junit report.xml policy.yaml
  loopgauge test --update loops.test.yaml`,
		Args: some("nothing to test: name a policy, a folder or a fixture"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c.Context(), u, args) },
	}
	c.Flags().StringVar(&f.junit, "junit", "", "write the outcome as JUnit XML to this file")
	c.Flags().BoolVar(&f.update, "update", false, "rewrite the expected episodes, where a fixture lists them")
	return c
}

func (f *testFlags) run(ctx context.Context, u *ui, args []string) error {
	if f.junit != "" {
		if err := mayReplace("--junit", f.junit, isJUnit); err != nil {
			return err
		}
	}
	files, err := fixtureFiles(args)
	if err != nil {
		return err
	}
	var reports []scenario.Report
	missed, failed, code, hint := 0, 0, exitDone, false
	for _, file := range files {
		start := time.Now()
		r := scenario.Report{File: file}
		out, err := f.test(ctx, u, file, &r)
		r.Took = time.Since(start)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			r.Failed = err
			failed++
			code = worse(code, err)
			f.print(u, "error %s", label(r))
			u.fail(err)
		case len(out.Misses) > 0:
			r.Missed = out.Misses
			missed++
			hint = hint || out.EpisodesDiffer()
			f.print(u, "miss  %s\n  %s", label(r), strings.ReplaceAll(out.Misses.Error(), "\n", "\n  "))
		default:
			f.print(u, "ok    %s: %s in %s%s", label(r), term.Plural(out.Episodes, "episode", "episodes"), term.Plural(out.Requests, "request", "requests"), lost(out))
		}
		reports = append(reports, r)
	}
	if hint {
		u.say("if the episodes are right as they are now, --update writes them into the fixture")
	}
	if f.junit != "" {
		text, err := scenario.JUnit(reports)
		if err != nil {
			return err
		}
		if err := sinks.WriteAtomic(f.junit, text); err != nil {
			return err
		}
	}
	f.print(u, "%s", tally(len(files), missed, failed))
	if code == exitDone && missed > 0 {
		code = exitFindings
	}
	if code != exitDone {
		return &exitError{code: code}
	}
	return nil
}

// lost says of a log that passed how many of its lines no rule saw.
func lost(o scenario.Outcome) (text string) {
	if o.Malformed > 0 {
		text = ", " + term.Plural(o.Malformed, "line", "lines") + " malformed"
	}
	if o.Late > 0 {
		text += ", " + term.Plural(o.Late, "line", "lines") + " late"
	}
	return text
}

// print writes to standard output, where the outcome belongs.
func (f *testFlags) print(u *ui, format string, args ...any) {
	if !u.quiet {
		fmt.Fprintf(u.stdout, format+"\n", args...)
	}
}

func label(r scenario.Report) string {
	if r.Name == "" {
		return r.File
	}
	return r.File + " (" + term.Safe(r.Name) + ")"
}

// tally is the last line: how many fixtures there were, and how they ended.
func tally(all, missed, failed int) string {
	text := fmt.Sprintf("%s: %d ok", term.Plural(int64(all), "fixture", "fixtures"), all-missed-failed)
	if missed > 0 {
		text += fmt.Sprintf(", %d missed", missed)
	}
	if failed > 0 {
		text += fmt.Sprintf(", %d could not be run", failed)
	}
	return text
}

// worse is the code of a run in which this error came too: what the user wrote
// weighs more than what could not be read.
func worse(code int, err error) int {
	if exit, ok := errors.AsType[*exitError](err); ok {
		return max(code, exit.code)
	}
	return max(code, exitFailed)
}

// fixtureFiles are the fixtures that the arguments stand for, each once.
func fixtureFiles(args []string) ([]string, error) {
	var files []string
	seen := map[string]bool{}
	for _, arg := range args {
		info, err := os.Stat(arg)
		found := []string{arg}
		switch {
		case err != nil:
			return nil, policy.FileError(arg, err)
		case info.IsDir():
			found, err = scenario.Find(arg)
		case !scenario.IsFixture(arg):
			found, err = scenario.Of(arg)
		}
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			if !seen[file] {
				seen[file] = true
				files = append(files, file)
			}
		}
	}
	return files, nil
}

// test runs one fixture.
func (f *testFlags) test(ctx context.Context, u *ui, file string, r *scenario.Report) (scenario.Outcome, error) {
	var none scenario.Outcome
	text, err := policy.ReadFile(file)
	if err != nil {
		return none, err
	}
	fixture, err := scenario.Parse(file, text)
	if err != nil {
		return none, usage(err)
	}
	r.Name = fixture.Name
	p, err := fixture.Load()
	if err != nil {
		return none, usage(err)
	}
	logs := logFlags{format: fixture.Format, maxLine: ingest.DefaultMaxLine, since: newWhen(), until: newWhen()}
	streams, unread, err := logs.open(ctx, u, fixture.Logs)
	if err = errors.Join(append(unread, err)...); err != nil {
		ingest.CloseAll(streams)
		return none, fmt.Errorf("%s: %w", file, err)
	}
	o, _, err := runOptions(p, &input{streams: streams, zone: logs.timezone.String()}, nil)
	if err != nil {
		return none, err
	}
	watch := fixture.Watch(o.Plan)
	o.Event, o.Exclude, o.Verdict, o.Episode = watch.Event, watch.Exclude, watch.Verdict, watch.Episode
	result, err := replay.Run(ctx, o)
	if err != nil {
		return none, err
	}
	for _, s := range result.Streams {
		if s.Err != nil {
			// Half a log proves nothing.
			return none, fmt.Errorf("%s: %w", file, s.Err)
		}
	}
	if err := u.unread(result); err != nil {
		return none, fmt.Errorf("%s: %w", file, err)
	}
	if f.update {
		if err := accept(u, watch, file, text); err != nil {
			return none, err
		}
	}
	return watch.Outcome(result), nil
}

// accept writes the episodes of the run into the fixture. From then on they
// are what is expected.
func accept(u *ui, watch *scenario.Watch, file string, before []byte) error {
	after, err := watch.Update()
	if err != nil {
		return usage(err)
	}
	if bytes.Equal(before, after) {
		return nil
	}
	if err := sinks.WriteAtomic(file, after); err != nil {
		return err
	}
	u.say("%s: episodes rewritten", file)
	return nil
}
