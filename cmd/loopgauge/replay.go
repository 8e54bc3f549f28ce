package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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
	maxListed   = 10_000
)

type replayFlags struct {
	logs         logFlags
	rules        ruleFlags
	since, until when
	lateness     time.Duration
	verdicts     string
	out          string
	json         bool
	failOnAlert  bool
	hashIDs      bool
	key          string
}

func newReplayCommand(u *ui) *cobra.Command {
	f := &replayFlags{since: newWhen(), until: newWhen()}
	c := &cobra.Command{
		Use:   "replay LOG...",
		Short: "Judge logs by one policy and report the loops",
		Long: `Replay reads logs (files, directories, globs, - for standard input; gzip and
zstd are recognised), judges every request by the rules of a policy or profile,
and reports the loops it found. Without --policy and --profile it runs the
rules that loopgauge recommends.`,
		Example: `  loopgauge replay access.log
  loopgauge replay --profile fairvisor --profile aisg logs/
  zstdcat old.zst | loopgauge replay --policy policy.yaml --verdicts verdicts.jsonl -`,
		Args: logArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if f.json && f.verdicts == "-" {
				return usage(errors.New("--json and --verdicts - both want standard output: give --verdicts a file"))
			}
			return f.run(c.Context(), u, args, c.Flags().Changed("lateness"))
		},
	}
	f.logs.register(c)
	f.rules.register(c)
	c.Flags().Var(&f.since, "since", "judge only requests from this time on")
	c.Flags().Var(&f.until, "until", "judge only requests before this time")
	c.Flags().DurationVar(&f.lateness, "lateness", 0, "how far a log may be out of order (default: the policy's, else measured)")
	c.Flags().StringVar(&f.verdicts, "verdicts", "", "write every verdict as a JSON line to this file, - for standard output")
	c.Flags().StringVar(&f.out, "out", "", "write events, episodes and the run as Parquet into this directory")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON document instead of the summary")
	c.Flags().BoolVar(&f.failOnAlert, "fail-on-alert", false, "exit with 3 if there is a loop that would alert")
	c.Flags().BoolVar(&f.hashIDs, "hash-ids", false, "write sessions, users and callers as hashes")
	c.Flags().StringVar(&f.key, "fingerprint-key", "", "file with a secret key for the fingerprints")
	return c
}

func (f *replayFlags) run(ctx context.Context, u *ui, args []string, latenessSet bool) (err error) {
	p, err := f.rules.load()
	if err != nil {
		return err
	}
	key, err := readKey(f.key)
	if err != nil {
		return usage(err)
	}
	streams, failed, err := f.logs.open(u, args)
	if err != nil {
		return err
	}
	for _, err := range failed {
		u.fail(err)
	}
	startTime := p.EventTime == policy.Start
	lateness := replay.Lateness{Value: p.Lateness}
	switch {
	case latenessSet:
		lateness.Value = f.lateness
	case !p.LatenessSet:
		if lateness, err = replay.MeasureLateness(streams, startTime); err != nil {
			return err
		}
	}

	o := replay.Options{
		Streams: streams, Plan: window.NewPlan(p.Rules, p.Exclude),
		Lateness: lateness.Value, Duplicates: p.Duplicates,
		Extract: window.ExtractOptions{Key: key, HashIDs: f.hashIDs, EventTimeStart: startTime, Price: p.Price},
		MaxKeys: maxKeys, Since: int64(f.since), Until: int64(f.until),
	}
	var episodes []window.Episode
	keep := maxListed
	if f.json {
		keep = maxEpisodes
	}
	o.Episode = func(e *window.Episode) error {
		if len(episodes) < keep {
			episodes = append(episodes, *e)
		}
		return nil
	}
	out, err := f.open(u, &o)
	if err != nil {
		return err
	}
	defer out.abort()

	bar := newProgress(u, streams)
	result, err := replay.Run(ctx, o)
	bar.stop()
	if err != nil {
		return err
	}
	summary := replay.Summary{Result: result, Lateness: lateness, Episodes: episodes, Colour: u.colour(u.stdout)}
	if err := out.close(p, summary); err != nil {
		return err
	}
	if err := f.report(u, p, summary); err != nil {
		return err
	}
	f.hint(u, args, summary)
	for _, s := range result.Streams {
		if s.Err != nil {
			u.fail(fmt.Errorf("%w\nwhat was read before is in the report", s.Err))
			failed = append(failed, s.Err)
		}
	}
	if len(failed) > 0 {
		return &exitError{code: exitFailed}
	}
	alert := func(e window.Episode) bool { return e.Rule.Action != window.Record }
	if f.failOnAlert && slices.ContainsFunc(episodes, alert) {
		return &exitError{code: exitFindings}
	}
	return nil
}

// report prints the document or the summary. With the verdicts on standard
// output the summary is talk.
func (f *replayFlags) report(u *ui, p *policy.Policy, s replay.Summary) error {
	if f.json {
		doc, err := replay.NewDocument(version(), p.Hash, s).MarshalIndent()
		if err != nil {
			return err
		}
		_, err = u.stdout.Write(doc)
		return err
	}
	if u.quiet {
		return nil
	}
	w := u.stdout
	if f.verdicts == "-" {
		w = u.stderr
		s.Colour = u.colour(w)
	}
	_, err := fmt.Fprint(w, s)
	return err
}
