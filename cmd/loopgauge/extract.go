package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/replay/shared"
	"github.com/loopgauge/loopgauge/window"
)

// extractFlags are the flags of extract.
type extractFlags struct {
	runFlags
	say        sayFlags
	to         string
	out        string
	partitions int
	idle       span
	start      string
}

func newExtractCommand(u *ui) *cobra.Command {
	f := &extractFlags{}
	c := &cobra.Command{
		Use:   "extract {kafka://HOST:PORT/TOPIC --to kafka://HOST:PORT/EVENTS | LOG... --out DIR}",
		Short: "Turn a topic or logs into events that several processes can share",
		Long: `With --to, extract turns the log in a topic of Kafka into a second topic of
events: all that counts together stands in one partition of it, and no text of a
prompt does. So any number of loopgauge watch can share that topic, with the
same policy, where one cannot keep up with the log.

It keeps no state of its own: any number of it may run, and share the log by its
partitions.

With --out it writes the events of logs as a dataset, all of it or nothing. That
may be done again: a dataset of the same logs that is there already stays. So a
cluster can extract each log wherever there is room: docs/spark.md. In an object
store what is there already is refused.`,
		Example: `  loopgauge extract --policy policy.yaml --out events/2026-11-21 logs/2026-11-21.jsonl.zst
  loopgauge extract --policy policy.yaml kafka://localhost:9092/llm-log --to kafka://localhost:9092/llm-events
  loopgauge watch --policy policy.yaml kafka://localhost:9092/llm-events`,
		Args: func(c *cobra.Command, args []string) error { return f.check(c, args) },
		RunE: func(c *cobra.Command, args []string) error {
			if f.out == "" {
				return f.run(c, u, args[0])
			}
			return f.toDataset(c.Context(), u, args)
		},
	}
	f.registerEndless(c, "how far a partition may be out of order (default: the policy's)", "; give watch the same")
	f.say.register(c)
	flags := c.Flags()
	flags.StringVar(&f.to, "to", "", "topic to write; it is created if there is none")
	flags.StringVar(&f.out, "out", "", "directory to write, of logs, or s3://BUCKET/KEY")
	flags.IntVar(&f.partitions, "partitions", shared.DefaultPartitions, "partitions of that topic if it is created: as many watches can share it; they cannot be changed later")
	f.idle = span{new(live.DefaultIdle)}
	flags.Var(&f.idle, "idle", "silence after which a partition holds the others back no longer")
	flags.StringVar(&f.start, "start", "", "where to begin in a topic that was not extracted before: earliest, latest, or a time (default: the policy's, else earliest)")
	return c
}

// check holds the arguments and flags against each other.
func (f *extractFlags) check(c *cobra.Command, args []string) error {
	if f.out != "" {
		for _, name := range []string{"to", "partitions", "idle", "start", "verbose", "log-format"} {
			if c.Flags().Changed(name) {
				return usage(fmt.Errorf("--%s means nothing with --out: it is about topics", name))
			}
		}
		if err := noFile("--out", f.out); err != nil {
			return usage(err)
		}
		return logArgs(c, args)
	}
	switch {
	case len(args) != 1 || !kafka.IsTopic(args[0]):
		return usage(errors.New("name the topic to read, as kafka://host:port/topic, and --to; or logs, and --out"))
	case !kafka.IsTopic(f.to):
		return usage(errors.New("--to is missing: name the topic to write, as kafka://host:port/topic"))
	case f.partitions < 1:
		return usage(errors.New("--partitions must be at least 1"))
	}
	return nil
}

func (f *extractFlags) run(c *cobra.Command, u *ui, from string) error {
	log, err := f.say.logger(u)
	if err != nil {
		return usage(err)
	}
	p, err := f.load()
	if err != nil {
		return err
	}
	o := shared.ExtractOptions{
		Partitions: f.partitions, Plan: window.NewPlan(p.Rules, p.Exclude).WithEvidence(), Lateness: f.lateness.or(p.Lateness), Idle: *f.idle.Duration,
		Extract: extractOptions(p), Log: log,
	}
	o.Extract.Key, o.Extract.HashIDs = f.secret, f.hashIDs
	passOverHangups(log)
	if o.From, err = f.logs.sharedConfig(from, f.start, "-extract", log); err != nil {
		return usage(err)
	}
	if o.To, err = f.logs.liveConfig(f.to, log); err != nil {
		return usage(err)
	}
	if o.From.String() == o.To.String() {
		return usage(errors.New("--to is the topic that is read: name another"))
	}
	sum, err := shared.Extract(c.Context(), o)
	log.Info("extracted", sum.Attrs()...)
	return err
}
