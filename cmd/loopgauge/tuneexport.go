package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/window/policy"
)

// exported is the gateway that --export names; nil without it.
func (f *tuneFlags) exported() (*policy.Gateway, error) {
	if f.export == "" {
		return nil, nil
	}
	export, err := policy.GatewayNamed(f.export)
	if err != nil {
		return nil, fmt.Errorf("--export: %w", err)
	}
	if f.json {
		return nil, errors.New("give either --export or --json: each is all that is printed")
	}
	return export, nil
}

// printExport prints the advised settings as the gateway has them.
func printExport(u *ui, g *policy.Gateway, r *tune.Report, logs []string) error {
	text := r.Enforced()
	if text == "" {
		return errors.New(refusal(g, r, logs))
	}
	settings, said, err := g.Export("the advised policy", []byte(text), "")
	if misfits, ok := errors.AsType[policy.Errors](err); ok {
		placeless(misfits)
	}
	if err != nil {
		return usage(err)
	}
	placeless(said)
	u.sayProblems(said)
	if len(r.Options.Exclude) > 0 {
		u.say("exclude stays here: %s has none, and stops what that takes out too, where it repeats", g.Name)
	}
	var found []int
	for i := range r.Advice {
		switch a := &r.Advice[i]; {
		case a.Found:
			found = append(found, i)
			if why := r.Refusal(i); why != "" {
				u.say("%s is not recommended, though it keeps to the limits: %s", a.Rule.Name, why)
			}
		case !r.Shows(i):
			u.say("%s is left out: %s", a.Rule.Name, r.Refusal(i))
		}
	}
	u.say("%s", strings.TrimSpace(tune.Summary{Report: r}.Advice(found)))
	if g.Runs() != g.Name && !slices.ContainsFunc(found, r.ShownAsRun) {
		u.say("%s makes of this what the profile %s says, which may stop more: without --policy and --profile it is held against the log, too", g.Name, g.Runs())
	}
	for _, caveat := range r.Caveats() {
		u.say("%s", caveat)
	}
	return u.print(string(settings))
}

// placeless takes the places out of what is said of a text that nobody sees.
func placeless(list []policy.Problem) {
	for i := range list {
		list[i].Line = 0
	}
}

// refusal says why nothing is exported, and what to do.
func refusal(g *policy.Gateway, r *tune.Report, logs []string) string {
	text := fmt.Sprintf("%s: no setting of %s is worth having, so nothing is printed: a file that it was sent to is empty", strings.Join(logs, " "), g.Name)
	for i := range r.Advice {
		if r.Shows(i) {
			continue
		}
		text += fmt.Sprintf("\n%s: %s", r.Advice[i].Rule.Name, r.Refusal(i))
	}
	if raise := r.Raise(); raise != "" {
		text += "\n" + raise
	}
	return text + "\n'loopgauge tune LOG' shows what other rules find, 'loopgauge tune --profile " + g.Name + " --html FILE LOG' all settings of this one"
}
