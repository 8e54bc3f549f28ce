package main

import (
	"context"
	"fmt"
	"time"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// loadOld loads the policy that --against names, nil without one. The logs are
// read once more for it, so they must be files.
func loadOld(file string, args []string) (*policy.Policy, error) {
	if file == "" {
		return nil, nil
	}
	if once := readOnce(args); once != "" {
		return nil, usage(fmt.Errorf("--against reads the logs twice: %s cannot be", once))
	}
	p, err := policy.Load(file)
	return p, usage(err)
}

// episodesOf judges the logs by another policy, with the lateness and the times
// of the run that it is compared with.
func (f *logFlags) episodesOf(ctx context.Context, u *ui, args []string, p *policy.Policy, like replay.Options) (*replay.Found, error) {
	in, err := f.input(ctx, u, args)
	if err != nil {
		return nil, err
	}
	defer in.close()
	lateness := max(like.Lateness, time.Millisecond)
	if in.dataset != nil {
		lateness = like.Lateness
		if err := in.dataset.settle(p); err != nil {
			return nil, err
		}
	}
	o, _, err := runOptions(p, in, &lateness)
	if err != nil {
		return nil, err
	}
	o.Since, o.Until, o.Extract = like.Since, like.Until, like.Extract
	var found replay.Found
	o.Episode = func(e *window.Episode) error {
		found.Add(e)
		return nil
	}
	_, err = replay.Run(ctx, o)
	return &found, err
}
