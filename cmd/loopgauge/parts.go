package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/live"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window/policy"
)

// parts writes the parts of a live dataset.
type parts struct {
	dir    string
	policy *policy.Policy
	o      live.Options
	close  func() // lets others write to it
}

// newParts goes on with the dataset in dir, which must be that of the state, or
// empty.
func newParts(dir string, p *policy.Policy, o live.Options) (*parts, error) {
	owner := strings.TrimSpace(fmt.Sprintf("%s %x", o.Store.ID(), o.Extract.WhichKey()))
	by, release, err := parquet.Claim(dir, owner)
	if err != nil {
		return nil, errOut(err)
	}
	d := &parts{dir, p, o, release}
	id, _, _ := strings.Cut(by, " ")
	switch {
	case id != o.Store.ID():
		err = errNotKnown(dir)
	case by != owner:
		err = errOtherNames(dir)
	default:
		err = d.alike()
	}
	if err != nil {
		release()
		return nil, err
	}
	return d, nil
}

// alike is an error if what the dataset holds was written in another way.
func (d *parts) alike() error {
	if !parquet.IsDataset(d.dir) {
		return nil // its first part is not whole yet
	}
	run, err := parquet.LastRun(d.dir)
	switch {
	case err != nil:
		return err
	case run.PolicyHash != d.policy.Hash:
		return usage(fmt.Errorf("--out: %s holds events that were made by another policy, which rows of two policies would spoil: name another directory", d.dir))
	case run.HashIDs != d.o.Extract.HashIDs || run.Keyed != keyed(d.o):
		return errOtherNames(d.dir)
	}
	return nil
}

// errOut tells what is wrong with a dataset from what the system refuses, which a
// restart may mend: a disk that is full, or not there yet.
func errOut(err error) error {
	err = fmt.Errorf("--out: %w", err)
	if _, system := errors.AsType[syscall.Errno](err); system {
		return err
	}
	return usage(err)
}

func errOtherNames(dir string) error {
	return usage(fmt.Errorf("--out: %s holds events with other --hash-ids or --fingerprint-key: name another directory", dir))
}

func errNotKnown(dir string) error {
	return usage(fmt.Errorf("--out: %s holds events that the state knows nothing of: name another directory, or its --state", dir))
}

// keyed tells whether fingerprints are hashes with a key.
func keyed(o live.Options) bool { return len(o.Extract.Key) > 0 }

func (d *parts) Policy() string {
	return fmt.Sprintf("%s %t %x", d.policy.Hash, d.o.Extract.HashIDs, d.o.Extract.WhichKey())
}

func (d *parts) Empty() error {
	if parquet.Holds(d.dir) {
		return errNotKnown(d.dir)
	}
	return nil
}

func (d *parts) Follows(name string, first int64) error {
	if !parquet.Follows(d.dir, name, first) {
		return usage(fmt.Errorf("--out: %s does not end where this state goes on: another directory was named in between, or a copy of the state was at work: name another directory", d.dir))
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

func (p part) Close(r replay.Report) error {
	run := runOf(p.d.policy, &r)
	run.Lateness, run.HashIDs, run.Keyed = p.d.o.Lateness.Seconds(), p.d.o.Extract.HashIDs, keyed(p.d.o)
	run.Lines = run.Judged + run.Blank + run.Malformed + run.Duplicate + run.Late + run.AllExcluded // those that wait come later
	return p.Dataset.Close(run)
}

// sharedParts writes the parts of a dataset that several processes share.
type sharedParts struct {
	parts
	id string
}

// newSharedParts goes on with the dataset in dir, or begins one. owner is who
// shares it.
func newSharedParts(dir, owner string, p *policy.Policy, o live.Options) (*sharedParts, error) {
	id, release, err := parquet.Shared(dir, owner)
	if err != nil {
		return nil, errOut(err)
	}
	d := &sharedParts{parts{dir, p, o, release}, id + " " + p.Hash}
	if err := d.alike(); err != nil {
		release()
		return nil, err
	}
	return d, nil
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
