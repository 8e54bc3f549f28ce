package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// runFlags are the flags of every command that judges logs: which, by what
// rules, and how what they name is hashed.
type runFlags struct {
	logs     logFlags
	rules    ruleFlags
	lateness span
	hashIDs  bool
	key      string // the file
	secret   []byte // what it holds
}

// register registers those of a command that reads logs to their end.
func (f *runFlags) register(c *cobra.Command) {
	f.registerEndless(c, "how far a log may be out of order (default: the policy's, else measured)", "")
	c.Flags().Var(&f.logs.since, "since", "judge only requests from this time on: 2026-11-21, or 2026-11-21T10:00:00Z")
	c.Flags().Var(&f.logs.until, "until", "judge only requests before this time, written likewise")
}

// registerEndless registers those that have a meaning also where a log goes on.
func (f *runFlags) registerEndless(c *cobra.Command, lateness, likewise string) {
	f.logs.register(c)
	f.rules.register(c)
	c.Flags().Var(&f.lateness, "lateness", lateness)
	c.Flags().BoolVar(&f.hashIDs, "hash-ids", false, "write sessions, users and callers as hashes"+likewise)
	c.Flags().StringVar(&f.key, "fingerprint-key", "", "file with a secret key for the fingerprints"+likewise)
}

// load loads the policy and the key, and tells those who open logs what the
// policy says of them.
func (f *runFlags) load() (*policy.Policy, error) {
	if since, until, none := f.logs.since, f.logs.until, newWhen(); since != none && until != none && since >= until {
		return nil, usage(fmt.Errorf("--since %s is not before --until %s: no request can be between them", &since, &until))
	}
	p, err := f.rules.load()
	if err != nil {
		return nil, err
	}
	f.logs.kafka = p.Kafka
	f.secret, err = readKey(f.key)
	return p, usage(err)
}

// begin opens the logs, says which of them cannot be, and loads the policy that
// --against names, nil without one.
func (f *runFlags) begin(ctx context.Context, u *ui, args []string, against string) (*input, *policy.Policy, error) {
	old, err := loadOld(against, args)
	if err != nil {
		return nil, nil, err
	}
	in, err := f.logs.input(ctx, u, args)
	if err != nil {
		return nil, nil, err
	}
	for _, err := range in.failed {
		u.fail(err)
	}
	return in, old, nil
}

// prepare gives what a policy and the flags say of a run over the input, which
// must be able to answer both the policy and the one it is compared with.
func (f *runFlags) prepare(u *ui, in *input, p, old *policy.Policy) (replay.Options, replay.Lateness, error) {
	if err := f.settle(u, in, p, old); err != nil {
		return replay.Options{}, replay.Lateness{}, err
	}
	o, lateness, err := runOptions(p, in, f.lateness.Duration)
	o.Since, o.Until = int64(f.logs.since), int64(f.logs.until)
	o.Extract.Key, o.Extract.HashIDs = f.secret, f.hashIDs || in.dataset != nil && in.dataset.Run.HashIDs
	return o, lateness, err
}

// runOptions are what a policy says of a run. The lateness is the one chosen,
// else the policy's, else measured.
func runOptions(p *policy.Policy, in *input, chosen *time.Duration) (replay.Options, replay.Lateness, error) {
	o := replay.Options{
		Streams: in.streams, Extract: extractOptions(p), Zone: in.zone,
		PipelineOptions: replay.PipelineOptions{
			Plan: window.NewPlan(p.Rules, p.Exclude), Duplicates: p.Duplicates, MaxKeys: maxKeys,
			Since: fingerprint.NoTime, Until: fingerprint.NoTime,
		},
	}
	lateness := replay.Lateness{Value: p.Lateness}
	var err error
	switch {
	case in.dataset != nil:
		in.dataset.keep(&o)
		lateness, err = in.dataset.lateness(p, chosen)
	case chosen != nil:
		lateness.Value = *chosen
	case !p.LatenessSet:
		lateness, err = replay.MeasureLateness(in.streams, &o.Extract)
	}
	o.Lateness = lateness.Value
	return o, lateness, err
}

// extractOptions are what a policy says of how events are made of requests.
func extractOptions(p *policy.Policy) window.ExtractOptions {
	o := window.ExtractOptions{EventTimeStart: p.EventTime == policy.Start, Sessions: p.Session}
	if len(p.Prices) > 0 { // else each request would be asked for its model's
		o.Price = p.Price
	}
	return o
}

// readKey reads the key of the fingerprints; no file is no key.
func readKey(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	key, err := policy.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if len(key) < 16 {
		return nil, errors.New(file + ": a key of less than 16 bytes protects nothing; make one with: head -c 32 /dev/urandom > " + file)
	}
	return key, nil
}
