package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/replay/live/monitor"
	"github.com/loopgauge/loopgauge/replay/shared"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// watchFlags are the flags of watch.
type watchFlags struct {
	runFlags
	state       string
	verdicts    string
	out         string
	allVerdicts bool
	idle        span
	interval    span
	start       string
	maxKeys     int
	dryRun      bool
	showText    bool
	say         sayFlags
	listen      string
	pprof       bool
}

func newWatchCommand(u *ui) *cobra.Command {
	f := &watchFlags{}
	c := &cobra.Command{
		Use:   "watch SOURCE...",
		Short: "Judge a log as it is written, and alert",
		Long: `Watch reads a topic of Kafka, or what is added to files and directories, and
judges it as replay would, for ever. What it remembers stands in --state:
stopped, killed or restarted, it goes on where it was, and counts nothing twice.

It says what it does on standard error, one line an event. The first SIGTERM or
Ctrl-C ends it in order, the second at once.`,
		Example: `  loopgauge watch --state /var/lib/loopgauge /var/log/gateway/
  loopgauge watch --state state --policy policy.yaml kafka://localhost:9092/llm-log`,
		Args: func(_ *cobra.Command, args []string) error { return usage(f.check(args)) },
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, u, args) },
	}
	f.registerEndless(c, "how far a stream may be out of order (default: the policy's)", "")
	f.say.register(c)
	flags := c.Flags()
	flags.StringVar(&f.state, "state", "", "directory for checkpoints; one a watch")
	flags.StringVar(&f.verdicts, "verdicts", "", "add every verdict as a JSON line to this file")
	flags.StringVar(&f.out, "out", "", "write events, verdicts, episodes and the run as Parquet into this directory, a part a minute")
	flags.BoolVar(&f.allVerdicts, "all-verdicts", false, "put every verdict into --out, not only those on repeats")
	f.idle, f.interval = span{new(live.DefaultIdle)}, span{new(live.DefaultInterval)}
	flags.Var(&f.idle, "idle", "silence after which a stream holds the others back no longer")
	flags.Var(&f.interval, "checkpoint", "time between checkpoints; alerts do not wait so long")
	flags.StringVar(&f.start, "start", "", "where to begin without a checkpoint: earliest, latest, or a time in a topic (default: the policy's, else earliest)")
	flags.IntVar(&f.maxKeys, "max-keys", maxKeys, "live keys a rule may hold before the least recently used are dropped")
	flags.BoolVar(&f.dryRun, "dry-run", false, "send alerts nowhere but into the log; with a --state of its own")
	flags.BoolVar(&f.showText, "show-text", false, "put the text of the call that repeats into alerts, and so into --state: it holds what people and models wrote")
	flags.StringVar(&f.listen, "listen", "", "serve /metrics, /healthz and /readyz here: HOST:PORT, or a port of this machine alone")
	flags.BoolVar(&f.pprof, "pprof", false, "serve profiles there too")
	return c
}

// check holds the arguments and flags against each other, before anything is
// made or waited for.
func (f *watchFlags) check(args []string) error {
	if err := f.noStore(args); err != nil {
		return err
	}
	topic := slices.ContainsFunc(args, kafka.IsTopic)
	switch {
	case len(args) == 0:
		return errors.New("no source given: name kafka://host:port/topic, or files, directories or globs")
	case topic && len(args) > 1:
		return errors.New("a topic is watched alone: its partitions have an order that other sources do not share\nstart a watch for each topic and one for the files, by the same policy, each with a --state of its own")
	case slices.Contains(args, ingest.StdinName):
		return errors.New("standard input cannot be followed: name the file, or read it with loopgauge replay")
	case !topic && f.state == "":
		return errNoState
	case !topic && !slices.Contains([]string{"", "earliest", "latest"}, f.start):
		return fmt.Errorf("--start must be earliest or latest for files, is %q", f.start)
	case f.allVerdicts && f.out == "":
		return errAllVerdicts
	case f.pprof && f.listen == "":
		return errors.New("--pprof needs --listen")
	case f.maxKeys < 1:
		return fmt.Errorf("--max-keys must be 1 or more, is %d", f.maxKeys)
	case f.verdicts == "-":
		return errors.New("--verdicts: standard output cannot be cut back after a crash: name a file")
	}
	if f.listen != "" {
		if _, err := monitor.Address(f.listen); err != nil {
			return fmt.Errorf("--listen: %w", err)
		}
	}
	if _, err := kafka.ParseStart(f.start); err != nil {
		return fmt.Errorf("--start: %w", err)
	}
	return errors.Join(noFile("--state", f.state), noFile("--out", f.out), noDirectory("--verdicts", f.verdicts), f.noDataset(args), f.apart(args))
}

// noDataset refuses what holds nothing but what an earlier run wrote with --out:
// watch would wait there for a log for ever. Beside what it writes itself logs came
// before, and come again.
func (f *watchFlags) noDataset(args []string) error {
	for _, arg := range args {
		if !parquet.IsDataset(arg) || f.out != "" && filepath.Clean(arg) == filepath.Clean(f.out) {
			continue
		}
		if logs, _ := ingest.Find([]string{arg}, nil); len(logs) == 0 {
			return fmt.Errorf("%s is a dataset, which replay and tune read: watch needs the logs", arg)
		}
	}
	return nil
}

// apart refuses to write among what is read: what watch keeps there would be lines
// of the log.
func (f *watchFlags) apart(args []string) error {
	if f.state != "" && ingest.Reads(args, filepath.Join(f.state, live.LockName)) {
		return fmt.Errorf("--state: %s is among what is watched, and would be read as a log: name another directory", f.state)
	}
	if f.verdicts != "" && ingest.Reads(args, f.verdicts) {
		return fmt.Errorf("--verdicts: %s is among what is watched, and would be read as a log: name a file elsewhere", f.verdicts)
	}
	return nil
}

// noStore refuses what cannot be done with an object store: nothing in one
// grows.
func (f *watchFlags) noStore(args []string) error {
	for _, arg := range args {
		if blob.Is(arg) {
			return fmt.Errorf("%s cannot be watched: an object store does not tell what is added to it\nwatch the log where the gateway writes it, a file or a topic; or run loopgauge replay --since on the store, every hour", blob.Object(arg))
		}
	}
	if blob.Is(f.state) {
		return fmt.Errorf("--state: no state can be kept in %s: name a directory that a restart finds again", blob.Object(f.state))
	}
	if blob.Is(f.out) {
		return fmt.Errorf("--out: no dataset can grow in %s: name a directory, and copy it there", blob.Object(f.out))
	}
	if blob.Is(f.verdicts) {
		return fmt.Errorf("--verdicts: no file can grow in %s: name one on a disk, and copy it there", blob.Object(f.verdicts))
	}
	return nil
}

var errNoState = errors.New("--state is missing: name a directory for what must survive a restart")

func (f *watchFlags) run(c *cobra.Command, u *ui, args []string) error {
	log, err := f.say.logger(u)
	if err != nil {
		return usage(err)
	}
	p, err := f.load()
	if err != nil {
		return err
	}
	passOverHangups(log)
	to, routes, err := alertSinks(p, log, f.dryRun)
	if err != nil {
		return usage(err)
	}
	topic, err := verdictTopic(p, log, f.dryRun)
	if err != nil {
		return usage(err)
	}
	o := live.Options{Idle: *f.idle.Duration, DryRun: f.dryRun, Status: &live.Status{}, Job: live.Job{
		Plan: window.NewPlan(p.Rules, p.Exclude).WithEvidence(), Lateness: f.lateness.or(p.Lateness), Duplicates: p.Duplicates,
		Extract: extractOptions(p), MaxKeys: f.maxKeys, Interval: *f.interval.Duration, PartInterval: live.DefaultPart,
		Sinks: to, Routes: routes, Content: &sinks.Content{Links: p.Links}, Topic: topic, Verdicts: f.verdicts, AllVerdicts: f.allVerdicts, Log: log,
	}}
	o.Extract.Key, o.Extract.HashIDs, o.Extract.Texts = f.secret, f.hashIDs, f.showText
	// Brokers that are away are waited for, and who asks is told so. Without a
	// state it is a topic of events.
	part, now := &shared.Status{}, o.Status.Get
	if f.state == "" {
		now = part.Get
	}
	quiet, err := f.serve(now, log)
	if err != nil {
		return err
	}
	defer quiet()
	switch events, err := f.events(c.Context(), args, log); {
	case err != nil && c.Context().Err() != nil:
		return nil // nothing has come
	case err != nil:
		return err
	case events:
		return forGood(f.share(c.Context(), args[0], p, o, part))
	}
	if f.state == "" {
		return usage(errNoState)
	}
	if o.Content.Explain, err = f.explain(args, p, o.Lateness); err != nil {
		return err
	}
	// What is refused leaves no state behind.
	if o.Feed, err = f.feed(args, func() string { return o.Store.ID() }, o.Status, log); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(f.state, live.LockName)); errors.Is(err, fs.ErrNotExist) && f.out != "" && parquet.Holds(f.out) {
		return errNotKnown(f.out)
	}
	if o.Store, err = live.OpenStore(f.state); err != nil {
		return fmt.Errorf("--state: %w", err)
	}
	defer o.Store.Close() //nolint:errcheck // it holds a lock, nothing else
	if f.out != "" {
		data, err := newParts(f.out, p, o)
		if err != nil {
			return err
		}
		defer data.close()
		o.Dataset = data
	}
	return forGood(live.Run(c.Context(), o))
}

// forGood tells what a restart would not mend from what it may.
func forGood(err error) error {
	if _, ok := errors.AsType[*sinks.Mismatch](err); ok {
		return usage(err)
	}
	return err
}

// serve serves how a run stands, if the flags ask for it, until quiet is
// called.
func (f *watchFlags) serve(now func() live.Now, log *slog.Logger) (quiet func(), err error) {
	if f.listen == "" {
		return func() {}, nil
	}
	m, err := monitor.Start(f.listen, now, monitor.Options{Version: version(), Pprof: f.pprof, Log: log})
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	log.Info("listening", "address", m.Addr())
	return func() { _ = m.Close() }, nil // of what it served nothing is missing
}

// explain is the command that explains an episode of the log.
func (f *watchFlags) explain(args []string, p *policy.Policy, lateness time.Duration) (func(string) string, error) {
	if err := f.logs.loadFormat(); err != nil {
		return nil, usage(err)
	}
	c := f.runFlags.explain(args)
	if c.lateness = (span{}); !p.LatenessSet || lateness != p.Lateness { // which explain would measure
		c.lateness = span{&lateness}
	}
	c, err := c.anywhere()
	return c.of, err
}

// unreadable says that a file cannot be read, and for how many that is so; without
// an error, that it is over.
func unreadable(file string, err error, status *live.Status, log *slog.Logger) {
	if err == nil {
		status.Update(func(n *live.Now) { n.Unreadable-- })
		log.Info("can be read again, or is gone", "file", file)
		return
	}
	status.Update(func(n *live.Now) { n.Unreadable++ })
	log.Error("cannot be read, and is tried again", "file", file, "error", err)
}

// feed says how the source is opened: a topic, or files. state tells this state
// from all others.
func (f *watchFlags) feed(args []string, state func() string, status *live.Status, log *slog.Logger) (func(context.Context, []ingest.Mark) (ingest.Feed, error), error) {
	if !slices.ContainsFunc(args, kafka.IsTopic) {
		o, err := f.logs.reading()
		if err != nil {
			return nil, usage(err)
		}
		o.Latest = f.start == "latest"
		o.Unreadable = func(file string, err error) { unreadable(file, err, status, log) }
		if err := ingest.Followable(args); err != nil {
			return nil, err
		}
		return func(_ context.Context, marks []ingest.Mark) (ingest.Feed, error) {
			feed, err := ingest.Follow(args, o, marks)
			if err != nil {
				return nil, err
			}
			for _, arg := range args {
				found, _ := ingest.Glob(arg)
				// Of what cannot be looked at it has been said.
				if _, err := os.Lstat(arg); len(found) == 0 && errors.Is(err, fs.ErrNotExist) {
					log.Warn("no such file yet: it is read when it comes", "file", arg)
				}
			}
			if astray := ingest.Astray(args); len(astray) > 0 {
				to, _ := os.Readlink(astray[0]) // for people
				log.Warn("links lead to no file: what they lead to must be where watch can see it", "links", len(astray), "first", astray[0], "to", to)
			}
			return feed, nil
		}, nil
	}
	c, err := f.logs.endlessConfig(args[0], f.start, log)
	if err != nil {
		return nil, usage(err)
	}
	return func(ctx context.Context, marks []ingest.Mark) (ingest.Feed, error) {
		c.State = state()
		return kafka.Open(ctx, c, marks)
	}, nil
}
