package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// episode finds the episode by judging everything, then reads again for its
// scope alone. Where an earlier run says when it fired, that is looked for first; the
// rules in force may be others, so it counts only if the scope alone says the same.
func (x *explaining) episode(ctx context.Context, streams []ingest.Stream) (*Explanation, error) {
	if x.q.Run.Kept != nil && x.q.Fired != fingerprint.NoTime {
		first, err := x.firingAt(ctx, x.q.Fired)
		if err != nil {
			return nil, err
		}
		if first != nil {
			out, err := x.alone(ctx, first)
			if err == nil && x.traces[0].first() == x.target.Position {
				return out, nil
			}
			if err != nil && !errors.Is(err, errOther) {
				return nil, err
			}
			x.rules, x.traces = nil, nil
		}
	}
	first, err := x.firing(ctx, streams)
	if err != nil {
		return nil, err
	}
	out, err := x.alone(ctx, first)
	if errors.Is(err, errOther) {
		err = fmt.Errorf("%s: judged alone, its scope gives another episode: the run had more live keys than it may keep", x.q.Episode)
	}
	return out, err
}

var errOther = errors.New("another episode")

// firingAt finds what the episode fires on, if it first fires at that time: the
// target is then the first such request of that time.
func (x *explaining) firingAt(ctx context.Context, at int64) (first *window.Verdict, err error) {
	_, err = x.read(ctx, x.plan.Rules, &window.Sought{Time: &at}, func(ev *window.Event) bool {
		if ev.Time != at {
			return ev.Time < at
		}
		for i, rule := range x.plan.Rules {
			prints, scope := &ev.Prints[x.plan.IdentityOf(i)], &ev.Scopes[x.plan.ScopeOf(i)]
			if ev.Rules[i] == window.NotMatched || prints.Cause != fingerprint.Computable || scope.Cause != fingerprint.Computable {
				continue
			}
			for n := range prints.Fingerprints {
				if print := &prints.Fingerprints[n]; window.EpisodeID(rule, &scope.Key, print, at) == x.q.Episode {
					first, x.target = &window.Verdict{Rule: rule, Fingerprint: *print, Episode: x.q.Episode}, *ev.Clone()
					return false
				}
			}
		}
		return true
	}, nil)
	return first, err
}

// alone judges the scope of the episode, which first fires on the target, by its rule
// alone. It is errOther if that gives none of this id.
func (x *explaining) alone(ctx context.Context, first *window.Verdict) (*Explanation, error) {
	i := slices.Index(x.plan.Rules, first.Rule)
	scope, position := &x.target.Scopes[x.plan.ScopeOf(i)], x.target.Position
	out := explainedRule(first.Rule, x.target.Rules[i])
	out.State = stateCounted
	x.rules = append(x.rules, out)

	follow := func(r *fingerprint.Request) {
		x.follow(r, i, x.target.Prints[x.plan.IdentityOf(i)].Fingerprints, scope, first)
	}
	if x.q.Run.Kept != nil {
		follow(nil)
	} else {
		// The line itself has the canonical text, and what was masked.
		streams, err := x.q.Open()
		if err != nil {
			return nil, err
		}
		err = x.look(ctx, streams[position.Stream], position.Line, int(position.Item)+1, follow)
		ingest.CloseAll(streams)
		if err != nil {
			return nil, err
		}
	}
	x.retarget([]*window.Rule{first.Rule})
	t := x.traces[0]
	if _, err := x.read(ctx, []*window.Rule{first.Rule}, &window.Sought{Scopes: []fingerprint.ScopeKey{t.key}}, func(ev *window.Event) bool {
		t.add(ev, false)
		return !t.closed
	}, nil); err != nil {
		return nil, err
	}
	t.engine.Close()
	if t.asked < 0 || t.episode == nil {
		return nil, errOther
	}
	return x.explanation(), nil
}

// firing judges everything until the episode first fires, on the request that is
// then the target.
func (x *explaining) firing(ctx context.Context, streams []ingest.Stream) (first *window.Verdict, err error) {
	id := x.q.Episode
	var sought *repeat
	if strings.HasPrefix(id, "lp-") {
		sought = &repeat{id: id, plan: x.plan}
	}
	var ids int64
	o := x.q.Run
	o.Streams = streams
	o.Verdict = func(v *window.Verdict) error {
		if sought != nil && sought.fired(v) {
			id = v.Episode
		}
		if first != nil || v.Episode != id {
			return nil
		}
		one, event := *v, v.Event.Clone()
		first, x.target = &one, *event
		return errEnough
	}
	o.Episode = func(*window.Episode) error { ids++; return nil }
	if sought != nil {
		o.Event = sought.look
	}
	result, err := replay.Run(ctx, o)
	switch {
	case first != nil:
		return first, nil
	case err != nil:
		return nil, err
	case sought != nil && sought.rule != nil:
		return nil, fmt.Errorf("%s: the rule %s does not fire on it: %s\nwith --policy and what tune advises it may; to see what counts: loopgauge explain %s",
			sought.id, term.Safe(sought.rule.Name), term.Safe(sought.setting()), term.Safe(x.place(sought.first)))
	}
	return nil, x.notFound(result, ids)
}

func (x *explaining) notFound(r *replay.Result, episodes int64) error {
	for _, s := range r.Streams {
		if s.Err != nil {
			return fmt.Errorf("%w\nup to there no episode is %s", s.Err, x.q.Episode)
		}
	}
	if strings.HasPrefix(x.q.Episode, "lp-") {
		excluded := ""
		if len(x.plan.Exclusions) > 0 {
			excluded = "\nthe exclude of the policy may take out what it begins with: give a copy without it"
		}
		return fmt.Errorf("no repeat of the rules in force is %s%s\nput its rule in force: --policy takes what tune or its page printed, --profile a built-in rule; and did tune have the same logs, --timezone, --lateness, --since, --until, --hash-ids and --fingerprint-key?", x.q.Episode, excluded)
	}
	there := "there is no loop at all"
	switch {
	case episodes == 1:
		there = "there is one other: " + x.q.List + " names it"
	case episodes > 1:
		there = "there are " + term.Count(episodes) + " others: " + x.q.List + " lists them"
	}
	if x.q.Run.Kept != nil {
		return fmt.Errorf("no episode is %s; %s\ndid replay have the same --policy or --profile, --since and --until? what stands in the dataset's episodes is by the policy that its run has", x.q.Episode, there)
	}
	return fmt.Errorf("no episode is %s; %s\ndid replay or watch have the same logs, also those that were rotated away since, --policy or --profile, --timezone, --lateness, --since, --until and --fingerprint-key?", x.q.Episode, there)
}
