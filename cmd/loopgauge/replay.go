package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// maxKeys bounds the memory of a rule: beyond it the keys that were not seen
// for longest are dropped, and counted.
const maxKeys = 4 << 20

// maxEpisodes and maxListed bound what a run keeps for --json and for the
// summary, so that its memory does not grow with the log; --out has them all.
const (
	maxEpisodes = 100_000
	maxListed   = 5_000
)

type replayFlags struct {
	runFlags
	verdicts    string
	out         string
	allVerdicts bool
	json        bool
	failOnAlert bool
	against     string
	enforce     bool
	emit        bool
	dryRun      bool
}

func newReplayCommand(u *ui) *cobra.Command {
	f := &replayFlags{}
	c := &cobra.Command{
		Use:   "replay LOG...",
		Short: "Judge logs by one policy and report the loops",
		Long: `Replay reads logs (files, directories, globs, - for standard input; gzip and
zstd are recognised), judges every request by the rules of a policy or profile,
and reports the loops it found. Without --policy and --profile it runs the
rules that loopgauge recommends.

What an earlier run wrote with --out is read like a log: the directory, or some
of its event files. It answers rules whose identity, scope and match it was
written with, whatever their counters, windows and thresholds.`,
		Example: `  loopgauge replay access.log
  loopgauge replay --profile fairvisor --profile aisg logs/
  loopgauge replay --policy policy.yaml --emit --dry-run access.log
  zstdcat old.zst | loopgauge replay --policy policy.yaml --verdicts verdicts.jsonl -`,
		Args: logArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return usage(err)
			}
			return f.run(c.Context(), u, args)
		},
	}
	f.register(c)
	c.Flags().StringVar(&f.verdicts, "verdicts", "", "write every verdict as a JSON line to this file, - for standard output")
	c.Flags().StringVar(&f.out, "out", "", "write events, verdicts, episodes and the run as Parquet into this directory, or s3://BUCKET/KEY")
	c.Flags().BoolVar(&f.allVerdicts, "all-verdicts", false, "put every verdict into --out, not only those on repeats")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON document instead of the summary")
	c.Flags().StringVar(&f.against, "against", "", "compare with the loops that this policy finds")
	c.Flags().BoolVar(&f.enforce, "enforce", false, "what if the rules had been in force: an upper bound")
	c.Flags().BoolVar(&f.emit, "emit", false, "send the alerts that watch would have sent to the sinks of the policy, once each")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "with --emit: print the alerts, and who would get them, as JSON lines, send none")
	c.Flags().BoolVar(&f.failOnAlert, "fail-on-alert", false, "exit with 3 if there is a loop that would alert")
	return c
}

// check holds the flags against each other.
func (f *replayFlags) check() error {
	switch {
	case f.json && f.verdicts == "-":
		return errors.New("--json and --verdicts - both want standard output: give --verdicts a file")
	case f.allVerdicts && f.out == "":
		return errAllVerdicts
	case f.enforce && f.out != "":
		return errors.New("--out holds what is in the log, and --enforce asks what would have been: run them apart")
	case f.enforce && f.against != "":
		return errors.New("--against compares what is in the log, and --enforce asks what would have been: run them apart")
	case f.enforce && f.emit:
		return errors.New("--emit alerts of what is in the log, and --enforce asks what would have been: run them apart")
	case f.dryRun && !f.emit:
		return errors.New("--dry-run goes with --emit")
	case f.dryRun && (f.json || f.verdicts == "-"):
		return errors.New("--dry-run prints alerts on standard output, which --json and --verdicts - want too")
	}
	return noFile("--out", f.out)
}

func (f *replayFlags) run(ctx context.Context, u *ui, args []string) error {
	defer ballast()()
	p, err := f.load()
	if err != nil {
		return err
	}
	in, old, err := f.begin(ctx, u, args, f.against)
	if err != nil {
		return err
	}
	defer in.close()
	o, lateness, err := f.prepare(u, in, p, old)
	if err != nil {
		return err
	}
	o.Enforce = f.enforce
	var loops replayed
	f.hear(u, &loops, &o, old != nil)
	if o.Kept == nil && (f.out != "" || f.emit) { // a dataset holds no more than its rules need
		o.Plan = o.Plan.WithEvidence()
	}
	out, err := f.open(ctx, u, &o, in.keyed(f.secret))
	if err != nil {
		return err
	}
	defer out.abort()
	var emit *emitter
	if f.emit {
		if emit, err = f.emitter(ctx, u, p, args, &o); err != nil {
			return err
		}
	}

	bar := newProgress(u, in.parts())
	result, err := replay.Run(ctx, o)
	bar.stop()
	if err != nil {
		return err
	}
	summary := replay.Summary{Result: result, Lateness: lateness, Episodes: loops.list, Total: &loops.total, Colour: u.colour(u.stdout)}
	if err := out.close(ctx, p, summary); err != nil {
		return err
	}
	if old != nil {
		before, err := f.logs.episodesOf(ctx, u, args, old, o)
		if err != nil {
			return err
		}
		summary.Against = new(replay.Compare(f.against, before, &loops.found))
	}
	if err := f.report(u, p, summary); err != nil {
		return err
	}
	if !f.enforce { // explain tells of what is in the log
		f.hint(u, args, summary)
	}
	if err := emit.close(); err != nil {
		return err
	}
	if err := u.incomplete(result, in.failed); err != nil {
		return err
	}
	if f.failOnAlert && summary.Blind() {
		return errors.New("--fail-on-alert: no rule could look at any request, so nothing was checked")
	}
	if f.failOnAlert && loops.alert {
		return &exitError{code: exitFindings}
	}
	return nil
}

// replayed is what is kept of a run's loops.
type replayed struct {
	list  []window.Episode
	total replay.Total
	found replay.Found // to be compared
	alert bool         // there is one that would alert
}

// hear has the run tell of its loops.
func (f *replayFlags) hear(u *ui, loops *replayed, o *replay.Options, compared bool) {
	totalled := !f.json && !u.quiet // the summary alone tells of it
	keep := maxListed
	if f.json {
		keep = maxEpisodes
	}
	if totalled {
		o.After = loops.total.After
	}
	o.Episode = func(e *window.Episode) error {
		if totalled {
			loops.total.Add(e)
		}
		if compared {
			loops.found.Add(e)
		}
		loops.alert = loops.alert || e.Rule.Action != window.Record
		if len(loops.list) < keep {
			loops.list = append(loops.list, *e)
		}
		return nil
	}
}

// report prints the document or the summary. With the verdicts on standard
// output the summary is talk.
func (f *replayFlags) report(u *ui, p *policy.Policy, s replay.Summary) error {
	if f.json {
		return u.printJSON(replay.NewDocument(version(), p.Hash, s))
	}
	if u.quiet {
		return nil
	}
	var w io.Writer = u.stdout
	if f.verdicts == "-" || f.dryRun {
		w = u.stderr
		s.Colour = u.colour(w)
	}
	_, err := fmt.Fprint(w, s)
	return err
}
