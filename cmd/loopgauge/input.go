package main

import (
	"context"
	"fmt"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window/policy"
)

// input is what a command reads: logs, or the dataset of an earlier run.
type input struct {
	streams []ingest.Stream
	zone    string   // of times that have none
	failed  []error  // logs that cannot be opened, where others can
	dataset *dataset // nil for logs
}

// input opens what the arguments name.
func (f *logFlags) input(ctx context.Context, u *ui, args []string) (*input, error) {
	d, err := findDataset(ctx, u, args)
	switch {
	case err != nil:
		return nil, err
	case d == nil:
		streams, failed, err := f.open(ctx, u, args)
		return &input{streams: streams, zone: f.timezone.String(), failed: failed}, err
	case f.format != "":
		d.Close()
		return nil, usage(fmt.Errorf("--format is for logs: %s is a dataset", d.Dir))
	}
	return &input{dataset: d}, nil
}

func (in *input) close() {
	if in.dataset != nil {
		in.dataset.Close()
	}
}

func (in *input) parts() (list []measured) {
	for _, s := range in.streams {
		list = append(list, s)
	}
	if in.dataset != nil {
		list = append(list, in.dataset)
	}
	return list
}

// settle holds a policy, and the one it is compared with, against the dataset,
// if there is one, and so the flags that say how a dataset is written.
func (f *runFlags) settle(u *ui, in *input, p, old *policy.Policy) error {
	d := in.dataset
	if d == nil {
		return nil
	}
	switch {
	case f.hashIDs && !d.Run.HashIDs:
		return usage(fmt.Errorf("--hash-ids: %s was written without it\ngive it when the dataset is written: loopgauge replay --hash-ids --out DIR LOG", d.Dir))
	case len(f.secret) > 0:
		return usage(fmt.Errorf("--fingerprint-key: %s has its fingerprints already\ngive the key when the dataset is written: loopgauge replay --fingerprint-key FILE --out DIR LOG", d.Dir))
	}
	if f.rules.policy == "" { // profiles do not speak for themselves
		in.inherit(p)
	}
	if err := d.settle(p); err != nil {
		return err
	}
	if old != nil {
		old.Prices = p.Prices // costs are compared by those
		if err := d.settle(old); err != nil {
			return err
		}
	}
	if d.Removed > 0 {
		u.say("%s: the first %d requests are not there: days were removed by age, or it was begun later; what follows is of the others", d.Dir, d.Removed)
	}
	for _, x := range d.Run.Excluded {
		by := "the exclusion " + x.Name
		if x.Name == "" {
			by = "--since and --until"
		}
		if x.Requests > 0 {
			u.say("%s: when it was written %s took out %d requests", d.Dir, by, x.Requests)
		}
	}
	return nil
}

// inherit makes the dataset's settings those of a policy that has none.
func (in *input) inherit(p *policy.Policy) {
	if d := in.dataset; d != nil {
		p.EventTime, p.Duplicates, p.Prices, p.Session = d.policy.EventTime, d.policy.Duplicates, d.policy.Prices, d.policy.Session
	}
}

// keyed tells whether fingerprints are hashes with a key.
func (in *input) keyed(key []byte) bool {
	return len(key) > 0 || in.dataset != nil && in.dataset.Run.Keyed
}
