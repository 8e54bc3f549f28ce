package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// outputs are the files that a run writes. They appear when it has gone well,
// and not at all otherwise.
type outputs struct {
	verdicts *sinks.VerdictWriter
	dataset  *parquet.Dataset
	store    string // name of the dataset in an object store, or empty
	draft    string // directory of such a dataset until it is whole

	hashIDs, keyed bool // how names and fingerprints are written
}

var errAllVerdicts = errors.New("--all-verdicts is about the dataset: name it with --out")

// open makes the outputs that the flags ask for, and hooks them into the run.
// keyed says that the fingerprints are hashes with a key.
func (f *replayFlags) open(ctx context.Context, u *ui, o *replay.Options, keyed bool) (_ *outputs, err error) {
	out := &outputs{hashIDs: o.Extract.HashIDs, keyed: keyed}
	defer func() {
		if err != nil {
			out.abort()
		}
	}()
	if f.out != "" { // first: that --verdicts names the same is then seen at once
		if err := out.create(ctx, f.out, o.Plan); err != nil {
			return nil, err
		}
	}
	switch f.verdicts {
	case "":
	case "-":
		out.verdicts = sinks.NewVerdictWriter(u.stdout, "standard output")
	default:
		if err := mayReplace("--verdicts", f.verdicts, isVerdicts); err != nil {
			return nil, err
		}
		if out.verdicts, err = sinks.CreateVerdicts(f.verdicts); err != nil {
			return nil, err
		}
	}
	if out.verdicts != nil {
		if o.Enforce {
			out.verdicts.Bound = replay.UpperBound
		}
		o.Verdict = out.verdicts.Write
	}
	if out.dataset == nil {
		return out, nil
	}
	o.Event = out.dataset.AddEvent
	o.Verdict = both(func(v *window.Verdict) error {
		if !f.allVerdicts && !v.Repeats() {
			return nil
		}
		return out.dataset.AddVerdict(v, out.dataset.Events()-1)
	}, o.Verdict)
	o.Episode = both(out.dataset.AddEpisode, o.Episode)
	return out, nil
}

// both takes what is given out to two, of which the second may be nil.
func both[T any](first, second func(T) error) func(T) error {
	if second == nil {
		return first
	}
	return func(what T) error {
		if err := first(what); err != nil {
			return err
		}
		return second(what)
	}
}

// open makes the dataset, if the flags ask for one. It is of the rules of p,
// without the gateways that they are compared with.
func (f *tuneFlags) open(ctx context.Context, p *policy.Policy, o *replay.Options, keyed bool) (*outputs, error) {
	out := &outputs{hashIDs: o.Extract.HashIDs, keyed: keyed}
	if f.out == "" {
		return out, nil
	}
	err := p.Rewrite()
	if err != nil {
		return nil, err
	}
	if err := out.create(ctx, f.out, window.NewPlan(p.Rules, p.Exclude)); err != nil {
		out.abort()
		return nil, err
	}
	o.Event, o.Episode = out.dataset.AddEvent, out.dataset.AddEpisode
	return out, nil
}

// create begins a dataset. One in an object store is made in a directory for
// temporary files and put there when it is whole: a store cannot rename.
func (out *outputs) create(ctx context.Context, place string, plan *window.Plan) error {
	if blob.Is(place) {
		err := vacant(ctx, place)
		if err != nil {
			return err
		}
		if out.draft, err = os.MkdirTemp("", "loopgauge-*"); err != nil {
			return err
		}
		out.store, place = place, out.draft
	}
	var err error
	out.dataset, err = parquet.Create(place, plan)
	return err
}

// vacant tells that a place in an object store holds no run.
func vacant(ctx context.Context, place string) error {
	there, err := blob.Holds(ctx, place, parquet.Folders)
	if err == nil && there {
		err = parquet.HoldsRun(blob.Object(place))
	}
	return err
}

// finish puts the dataset in its place. In a store another run may have come first.
// What a store does not take stays where it was made, which may have taken hours.
func (out *outputs) finish(ctx context.Context, run parquet.Run) error {
	if err := out.dataset.Close(run); err != nil || out.store == "" {
		return err
	}
	when, err := "", vacant(ctx, out.store)
	if err != nil {
		when = " once no run is" // two would be mixed
	} else {
		err = blob.Put(ctx, out.store, out.draft, parquet.Folders[len(parquet.Folders)-1])
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	dir := out.draft
	out.draft = ""
	return fmt.Errorf("%w\nthe dataset is whole, and kept in %s; to put it there%s: %s", err, dir, when, byHand(out.store, dir))
}

// byHand is the command of a store's own tools that puts a directory into it.
func byHand(place, dir string) string {
	scheme, rest, _ := strings.Cut(blob.Object(place), "://")
	to, dir := term.Quoted(scheme+"://"+rest), term.Quoted(dir)
	switch scheme {
	case "s3":
		return "aws s3 cp --recursive " + dir + " " + to
	case "gs":
		return "gcloud storage rsync --recursive " + dir + " " + to
	}
	container, path, _ := strings.Cut(rest, "/")
	return "az storage blob upload-batch --source " + dir + " --destination " + term.Quoted(container) + " --destination-path " + term.Quoted(path)
}

// closeTuned adds the sweep and puts the dataset in its place.
func (out *outputs) closeTuned(ctx context.Context, p *policy.Policy, r *tune.Report) error {
	if out.dataset == nil {
		return nil
	}
	var rows []parquet.Setting
	for i := range r.Sweep {
		rule, a := r.Sweep[i].Rule, &r.Advice[i]
		for s := range r.Settings(i) {
			row := parquet.Setting{
				Rule: rule.Name, Identity: rule.Identity.Name, Scope: rule.Scope.Fields, Counter: s.Kind, WindowSeconds: s.WindowSeconds, Threshold: int32(s.Threshold),
				Advised:  a.Found && s.Kind == a.Setting.Kind && s.WindowSeconds == a.Setting.WindowSeconds && s.Threshold == a.Setting.Threshold,
				Requests: s.Requests, Share: s.Share, Episodes: s.Episodes, EpisodesPerDay: s.EpisodesPerDay, Scopes: s.Scopes, Sessions: s.Sessions, Callers: s.Callers,
				TokensBefore: s.TokensBefore, TokensAfter: s.TokensAfter, CostBefore: s.CostBefore, CostAfter: s.CostAfter,
				DelayMedian: s.DelayMedian, DelayP95: s.DelayP95, Caught: int64(s.Caught), Missed: int64(s.Missed), Wrong: int64(s.Wrong), Stopped: s.Stopped,
			}
			row.Recommended = row.Advised && slices.Contains(r.Recommended, i)
			rows = append(rows, row)
		}
	}
	if err := out.dataset.AddSweep(rows); err != nil {
		return err
	}
	own := *r.Result
	own.Rules = own.Rules[:len(p.Rules)]
	return out.close(ctx, p, replay.Summary{Result: &own, Lateness: r.Lateness})
}

// close puts the outputs in their places.
func (out *outputs) close(ctx context.Context, p *policy.Policy, s replay.Summary) error {
	if out.verdicts != nil {
		if err := out.verdicts.Close(); err != nil {
			return err
		}
	}
	if out.dataset == nil || nothingRead(s.Result) {
		return nil
	}
	return out.finish(ctx, ranOver(p, s.Result, s.Lateness, out.hashIDs, out.keyed))
}

// abort removes what was not closed.
func (out *outputs) abort() {
	if out.verdicts != nil {
		out.verdicts.Abort()
	}
	if out.dataset != nil {
		out.dataset.Abort()
	}
	if out.draft != "" {
		_ = os.RemoveAll(out.draft) // what cannot be removed stays among temporary files
	}
}
