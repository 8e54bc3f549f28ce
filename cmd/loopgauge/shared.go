package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/replay/shared"
	"github.com/loopgauge/loopgauge/window/policy"
)

// sharedConfig is how a topic is read that the members of a group share. The
// suffix keeps the group apart from that of a watch on the log itself, whose
// members share out in another way.
func (f *logFlags) sharedConfig(name, start, suffix string, log *slog.Logger) (kafka.Config, error) {
	c, err := f.endlessConfig(name, start, log)
	if err == nil && len(c.Offsets) > 0 {
		err = errors.New("offsets bound what is read, and this goes on")
	}
	c.Group += suffix
	return c, err
}

// events tells whether the source is a topic of events.
func (f *watchFlags) events(ctx context.Context, args []string, log *slog.Logger) (bool, error) {
	if len(args) != 1 || !kafka.IsTopic(args[0]) {
		return false, nil
	}
	c, err := f.logs.liveConfig(args[0], log)
	if err != nil {
		return false, usage(err)
	}
	return shared.IsEvents(ctx, c)
}

// share judges partitions of a topic of events, beside other processes.
func (f *watchFlags) share(ctx context.Context, name string, p *policy.Policy, o live.Options, status *shared.Status) error {
	switch {
	case f.state != "":
		return usage(errors.New("--state: a topic of events needs none: its checkpoints are in Kafka, where every watch finds them"))
	case f.showText:
		return usage(errors.New("--show-text: a topic of events holds no text"))
	case f.dryRun:
		return usage(errors.New("--dry-run: it would take partitions from those that send their alerts: run a policy without sinks, in a kafka group of its own"))
	}
	c, err := f.logs.sharedConfig(name, cmp.Or(f.start, "earliest"), "-events", o.Log)
	if err != nil {
		return usage(err)
	}
	w := shared.WatchOptions{Job: o.Job, From: c, Status: status}
	if f.out != "" {
		data, err := newSharedParts(f.out, c.Group+" "+c.Topic, p, o)
		if err != nil {
			return err
		}
		defer data.close()
		w.Dataset = data
	}
	return shared.Watch(ctx, w)
}
