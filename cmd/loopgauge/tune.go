package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/window/policy"
)

type tuneFlags struct {
	runFlags
	windows    spans
	thresholds string
	budget     string
	maxWrong   string
	labels     string
	json       bool
	against    string
	html       string
	out        string
	export     string
}

func newTuneCommand(u *ui) *cobra.Command {
	f := &tuneFlags{}
	c := &cobra.Command{
		Use:   "tune LOG...",
		Short: "Find the rule and threshold that catch the loops and nothing else",
		Long: `Tune reads logs once, counts every rule with every window, threshold and
counter, says what kind of repeat each is, compares the gateways as they are,
and recommends settings: chosen on the first 70 % of the log's time, tried on
the rest. Without --policy and --profile it sweeps all built-in rules.

What replay wrote with --out is read like a log, for the rules that it can
answer: those whose identity, scope and match it was written with.`,
		Example: `  loopgauge tune access.log
  loopgauge tune --html report.html access.log
  loopgauge tune --out tuned/ access.log
  loopgauge tune --export fairvisor access.log > bundle.json
  loopgauge tune --budget 2/day --labels labels.jsonl logs/
  loopgauge tune --policy policy.yaml --window 1m,5m --threshold 3..9 access.log`,
		Args: logArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), u, args)
		},
	}
	f.register(c)
	f.windows.list = tune.DefaultWindows
	c.Flags().Var(&f.windows, "window", "windows to try")
	c.Flags().StringVar(&f.thresholds, "threshold", fmt.Sprintf("2..%d", tune.DefaultMost), "thresholds to try")
	c.Flags().StringVar(&f.budget, "budget", "", "most alerts that advice may cost, as in 2/day")
	c.Flags().StringVar(&f.maxWrong, "max-wrong", "0.1%", "most requests that advice may hit wrongly, of all")
	c.Flags().StringVar(&f.labels, "labels", "", `file of {"session": "...", "loop": true} lines: what somebody found out by looking`)
	c.Flags().StringVar(&f.against, "against", "", "compare the recommendation with the loops that this policy finds")
	c.Flags().StringVar(&f.html, "html", "", "also write the report as one HTML page")
	c.Flags().StringVar(&f.out, "out", "", "also write the sweep, events, episodes and the run as Parquet into this directory, or s3://BUCKET/KEY")
	gatewayFlag(c, &f.export, "export", "print the advised settings in a gateway's own form, instead of the summary")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON document instead of the summary")
	return c
}

// sweptProfiles are the profiles whose rules are swept unless told otherwise:
// each identity of a gateway once, whatever readings there are of its counter.
var sweptProfiles = []string{"loopgauge", "tool-call", "fairvisor", "fairvisor-documented", "aisg", "zelyx"}

// maxSweptKeys bounds the memory of a sweep, for each rule.
const maxSweptKeys = 1 << 19

func (f *tuneFlags) run(ctx context.Context, u *ui, args []string) error {
	defer ballast()()
	o, err := f.options()
	if err != nil {
		return usage(err)
	}
	if err := noFile("--out", f.out); err != nil {
		return usage(err)
	}
	export, err := f.exported()
	if err != nil {
		return usage(err)
	}
	o.ForGateway = export != nil
	p, own, err := f.swept(export)
	if err != nil {
		return err
	}
	gateways, err := gateways()
	if err != nil {
		return err
	}
	in, old, err := f.begin(ctx, u, args, f.against)
	if err != nil {
		return err
	}
	defer in.close()
	if in.dataset != nil {
		if !own {
			in.dataset.offer(u, p)
		}
		gateways = in.dataset.gateways(u, gateways)
	}
	var lateness replay.Lateness
	if o.Run, lateness, err = f.prepare(u, in, p, old); err != nil {
		return err
	}
	if o.Labels != nil {
		o.Labels = o.Labels.Written(o.Run.Extract.Person)
	}
	o.Rules, o.Exclude, o.Gateways, o.MaxKeys = p.Rules, p.Exclude, gateways, maxSweptKeys
	o.Frame = p.Frame()

	like := o.Run // without sinks
	out, err := f.open(ctx, p, &o.Run, in.keyed(f.secret))
	if err != nil {
		return err
	}
	defer out.abort()
	// Now, for a folder that is not there need not wait for the end, nor need one that
	// --out names as well.
	page, err := f.createPage()
	if err != nil {
		return err
	}
	defer page.abort()

	bar := newProgress(u, in.parts())
	found, err := tune.Run(ctx, o)
	bar.stop()
	if err != nil {
		return err
	}
	found.Lateness = lateness
	if old != nil {
		if err := f.compare(ctx, u, args, in, old, found, like); err != nil {
			return err
		}
	}
	// Before the dataset is in its place, which must be empty the next time.
	if err := page.write(found, in.failed); err != nil {
		return err
	}
	if err := out.closeTuned(ctx, p, found); err != nil {
		return err
	}
	if err := f.print(u, export, found, args); err != nil {
		return err
	}
	if err := page.commit(); err != nil {
		return err
	}
	return u.incomplete(found.Result, in.failed)
}

// swept are the rules to sweep: the user's own, those of the gateway to export
// for, or what every gateway counts and the built-in rules besides.
func (f *tuneFlags) swept(export *policy.Gateway) (p *policy.Policy, own bool, err error) {
	own = f.rules.policy != "" || len(f.rules.profiles) > 0
	switch {
	case own:
	case export != nil: // its rule is the profile of its name, beside what the gateway makes of it
		f.rules.profiles, own = slices.Compact([]string{export.Runs(), export.Name}), true
	default:
		f.rules.profiles = sweptProfiles
	}
	if p, err = f.load(); err != nil || own {
		return p, own, err
	}
	more, err := policy.Parse("built-in", tune.Rules)
	if err != nil {
		return nil, false, err
	}
	p.Rules = append(p.Rules, more.Rules...)
	return p, false, nil
}

// compare holds the recommended policy against the one in use.
func (f *tuneFlags) compare(ctx context.Context, u *ui, args []string, in *input, old *policy.Policy, r *tune.Report, like replay.Options) error {
	before, err := f.logs.episodesOf(ctx, u, args, old, like)
	if err != nil {
		return err
	}
	after := &replay.Found{}
	if text := r.Policy(); text != "" {
		recommended, err := policy.Parse("the recommended policy", []byte(text))
		if err != nil {
			return err
		}
		in.inherit(recommended)
		if after, err = f.logs.episodesOf(ctx, u, args, recommended, like); err != nil {
			return err
		}
	}
	r.Against = new(replay.Compare(f.against, before, after))
	return nil
}

func (f *tuneFlags) print(u *ui, export *policy.Gateway, r *tune.Report, logs []string) error {
	switch {
	case export != nil:
		return printExport(u, export, r, logs)
	case f.json:
		return tune.WriteDocument(u.stdout, version(), r)
	case u.quiet:
		return nil
	}
	return u.print(tune.Summary{Report: r, Colour: u.colour(u.stdout), Paged: f.html != ""}.String())
}

// gateways are the gateways that look for loops, as they are, and our advice.
func gateways() ([]tune.Gateway, error) {
	var list []tune.Gateway
	for _, p := range policy.Profiles() {
		if !p.Compared() {
			continue
		}
		rules, err := policy.FromProfiles([]string{p.Name})
		if err != nil {
			return nil, err
		}
		g := tune.Gateway{Name: p.Name, Reading: p.Reading, Rules: rules.Rules}
		for _, d := range p.Differences {
			rule, err := p.AsDocumented(d)
			if err != nil {
				return nil, err
			}
			if rule != nil {
				g.Differences = append(g.Differences, tune.Difference{Of: d.Of, Shipped: d.Shipped, Documented: d.Documented, Rule: rule})
			}
		}
		list = append(list, g)
	}
	return list, nil
}
