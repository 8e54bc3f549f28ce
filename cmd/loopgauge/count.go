package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/replay/parted"
	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/window"
)

type countFlags struct {
	rules   ruleFlags
	by      string
	windows spans
	most    int
}

func newCountCommand(u *ui) *cobra.Command {
	f := &countFlags{}
	c := &cobra.Command{
		Use:   "count --by {fingerprint|scope} < ROWS",
		Short: "Count a part of a log that other machines count the rest of",
		Long: `Count reads rows of events from standard input, sorted by rule and key, and
writes what can be added up: 'loopgauge merge' does that. Spark and its like
deal the rows out and sort them: docs/spark.md has the job, and the columns.

By fingerprint it counts what is kept apart by scope and fingerprint, by scope
what looks at the order of all that a scope does. Merge wants both.`,
		Example: `  loopgauge count --policy policy.yaml --by scope < rows > counts.jsonl`,
		Args:    atMost(0),
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c, u) },
	}
	f.rules.register(c)
	c.Flags().StringVar(&f.by, "by", "", "what the rows are sorted by: fingerprint (and scope before it) or scope")
	f.windows.list = tune.DefaultWindows
	c.Flags().Var(&f.windows, "window", "windows to count with")
	c.Flags().IntVar(&f.most, "most", tune.DefaultMost, "highest threshold to count for")
	return c
}

func (f *countFlags) run(c *cobra.Command, u *ui) error {
	o := parted.CountOptions{Most: f.most, MaxKeys: maxSweptKeys}
	for _, key := range parted.Keys {
		if key.Name == f.by {
			o.Key = key
		}
	}
	switch {
	case o.Key.Name == "":
		return usage(errors.New("--by: say what the rows are sorted by, fingerprint or scope"))
	case f.most < 2 || f.most > mostThreshold:
		return usage(fmt.Errorf("--most: must be from 2 to %d, is %d", mostThreshold, f.most))
	}
	var err error
	if o.Windows, err = sortedWindows(f.windows.list); err != nil {
		return usage(err)
	}
	p, err := f.rules.load()
	if err != nil {
		return err
	}
	o.Plan, o.Policy = window.NewPlan(p.Rules, p.Exclude), p.Hash
	for _, r := range p.Rules {
		if lack := (window.Kept{Plan: o.Plan}).Lack(r); lack != "" {
			return usage(fmt.Errorf("rule %s: events do not have %s: replay the logs", r.Name, lack))
		}
	}
	return parted.Count(c.Context(), u.stdin, u.stdout, o)
}
