package main

import (
	"fmt"

	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window/policy"
)

// parts writes the parts of a live dataset.
type parts struct {
	dir    string
	policy *policy.Policy
	o      live.Options
}

// newParts goes on with the dataset in dir, which must be that of the state, or
// empty.
func newParts(dir string, p *policy.Policy, o live.Options) (*parts, error) {
	ours, err := parquet.Claim(dir, o.Store.ID())
	if err != nil {
		return nil, usage(fmt.Errorf("--out: %w", err))
	}
	if !ours {
		return nil, errNotKnown(dir)
	}
	if parquet.Holds(dir) {
		run, err := parquet.LastRun(dir)
		if err == nil && run.PolicyHash != p.Hash {
			return nil, usage(errOtherPolicy(dir))
		}
		if err == nil && (run.HashIDs != o.Extract.HashIDs || run.Keyed != keyed(o)) {
			return nil, usage(fmt.Errorf("--out: %s holds events with other --hash-ids or --fingerprint-key: name another directory", dir))
		}
	}
	return &parts{dir, p, o}, nil
}

func errNotKnown(dir string) error {
	return usage(fmt.Errorf("--out: %s holds events that the state knows nothing of: name another directory, or its --state", dir))
}

// keyed tells whether fingerprints are hashes with a key.
func keyed(o live.Options) bool { return len(o.Extract.Key) > 0 }

func (d *parts) Policy() string {
	return fmt.Sprint(d.policy.Hash, d.o.Extract.HashIDs, keyed(d.o))
}

func (d *parts) Empty() error {
	if parquet.Holds(d.dir) {
		return errNotKnown(d.dir)
	}
	return nil
}

func (d *parts) Part(name string, first int64) (live.Part, error) {
	data, err := parquet.Append(d.dir, d.o.Plan, name, first)
	if err != nil {
		return nil, err
	}
	return part{data, d}, nil
}

func (d *parts) Discard(name string) error { return parquet.Discard(d.dir, name) }

type part struct {
	*parquet.Dataset
	d *parts
}

func (p part) Close(r live.Report) error {
	run := runOf(p.d.policy, r.Totals, r.Rules, r.Streams, r.Order)
	run.Lateness, run.HashIDs, run.Keyed = p.d.o.Lateness.Seconds(), p.d.o.Extract.HashIDs, keyed(p.d.o)
	run.Lines = run.Judged + run.Blank + run.Malformed + run.Duplicate + run.Late + run.AllExcluded() // those that wait come later
	return p.Dataset.Close(run)
}

func errOtherPolicy(dir string) error {
	return fmt.Errorf("--out: %s holds events that were made by another policy, which rows of two policies would spoil: name another directory", dir)
}

// sharedParts writes the parts of a dataset that several processes share.
type sharedParts struct {
	parts
	id string
}

// newSharedParts goes on with the dataset in dir, or begins one.
func newSharedParts(dir string, p *policy.Policy, o live.Options) (*sharedParts, error) {
	if parquet.IsDataset(dir) {
		run, err := parquet.LastRun(dir)
		if err != nil {
			return nil, err
		}
		if run.PolicyHash != p.Hash {
			return nil, usage(errOtherPolicy(dir))
		}
	}
	id, err := parquet.Shared(dir)
	if err != nil {
		return nil, usage(fmt.Errorf("--out: %w", err))
	}
	return &sharedParts{parts{dir, p, o}, id + " " + p.Hash}, nil
}

func (d *sharedParts) ID() string { return d.id }

func (d *sharedParts) Spool() string { return parquet.Spool(d.dir) }

func (d *sharedParts) Holds(partition int) (bool, error) {
	return parquet.HoldsPartition(d.dir, partition)
}

func (d *sharedParts) Part(partition int, number, first int64) (live.Part, error) {
	data, err := parquet.AppendPartition(d.dir, d.o.Plan, partition, number, live.PartName(number, first), first)
	if data == nil || err != nil {
		return nil, err
	}
	return part{data, &d.parts}, nil
}
