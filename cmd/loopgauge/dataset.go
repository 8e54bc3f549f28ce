package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/tune"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// dataset is what an earlier run wrote with --out.
type dataset struct {
	*parquet.Reader
	policy *policy.Policy // of that run
	plan   *window.Plan
	dir    string // where it is read
	stored bool   // dir is a copy of what lies in an object store
}

// findDataset finds the dataset that the arguments name, by its directory, one
// above it, its event files or a folder of them, or its name in an object store;
// nil if they name logs.
func findDataset(ctx context.Context, u *ui, args []string) (*dataset, error) {
	var dirs, files, logs []string
	for _, arg := range args {
		if blob.Is(arg) {
			if isStored(ctx, arg) {
				dirs = append(dirs, arg)
			} else {
				logs = append(logs, arg)
			}
			continue
		}
		matches := []string{arg}
		if _, err := os.Lstat(arg); err != nil {
			if found, err := ingest.Glob(arg); err == nil && len(found) > 0 {
				matches = found
			}
		}
		for _, name := range matches {
			switch info, err := os.Stat(name); {
			case err != nil || name == ingest.StdinName:
				logs = append(logs, name)
			case info.IsDir():
				found, err := datasetsIn(u, name)
				if err != nil {
					return nil, err
				}
				switch events := eventsIn(u, name); {
				case len(found) > 0:
					dirs = append(dirs, found...)
				case len(events) > 0:
					files = append(files, events...)
				default:
					logs = append(logs, name)
				}
			case info.Mode().IsRegular() && isParquet(name): // of a pipe the look would take the first bytes
				files = append(files, name)
			default:
				logs = append(logs, name)
			}
		}
	}
	for _, file := range files {
		dir := filepath.Join(filepath.Dir(file), "..", "..") // the file may be named from within
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		if filepath.Base(filepath.Dir(filepath.Dir(abs))) != "events" || !parquet.IsDataset(dir) {
			return nil, fmt.Errorf("%s: a Parquet file, but not of the events of a dataset: those are in its folder events, and run%crun.parquet is beside that\nname the directory that replay --out wrote; where that has no run, it was cut short: write it anew from the logs", file, filepath.Separator)
		}
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	switch {
	case len(dirs) == 0:
		return nil, nil //nolint:nilnil // logs are no error
	case len(logs) > 0:
		return nil, usage(fmt.Errorf("%s is a dataset and %s is not: read one or the other", blob.Object(dirs[0]), blob.Object(logs[0])))
	case len(dirs) > 1:
		return nil, usage(fmt.Errorf("%s and %s are two datasets: read one at a time\nto judge their logs together, write one dataset of both: loopgauge replay --out DIR LOG", blob.Object(dirs[0]), blob.Object(dirs[1])))
	case blob.Is(dirs[0]):
		return openStored(ctx, u, dirs[0])
	}
	return openDataset(dirs[0], files)
}

// datasetsIn finds the datasets in a directory. One that holds logs stays one
// of logs, as long as it is no dataset itself. What others keep in a dataset's
// folders is no log.
func datasetsIn(u *ui, dir string) ([]string, error) {
	found, err := parquet.Find(dir)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	logs, _ := ingest.Find([]string{dir}, u.stdin)
	logs = slices.DeleteFunc(logs, func(log *ingest.Source) bool {
		return slices.ContainsFunc(found, func(data string) bool { return parquet.InFolders(data, log.Name) })
	})
	switch {
	case len(logs) == 0:
		return found, nil
	case found[0] == dir:
		return nil, usage(fmt.Errorf("%s holds a dataset and logs, such as %s: name %s, or the logs", dir, logs[0].Name, filepath.Join(dir, "events", "*", "*.parquet")))
	}
	return nil, nil
}

// eventsIn finds the Parquet files of a directory that holds no logs: the events of
// a dataset, or of one of its days, or those of a run that was cut short.
func eventsIn(u *ui, dir string) (files []string) {
	for _, pattern := range []string{"*.parquet", "date=*/*.parquet", "events/date=*/*.parquet"} {
		names, _ := fs.Glob(os.DirFS(dir), pattern) // the pattern is none that fails
		for _, name := range names {
			if !strings.HasPrefix(path.Base(name), ".") {
				files = append(files, filepath.Join(dir, name))
			}
		}
	}
	if len(files) == 0 {
		return nil
	}
	if logs, _ := ingest.Find([]string{dir}, u.stdin); len(logs) > 0 {
		return nil
	}
	return files
}

func isParquet(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, 4)
	_, err = io.ReadFull(f, magic)
	return err == nil && string(magic) == "PAR1" || strings.EqualFold(filepath.Ext(name), ".parquet")
}

func openDataset(dir string, files []string) (*dataset, error) {
	r, err := parquet.Open(dir, files...)
	if err != nil {
		return nil, err
	}
	p, err := policy.Parse(filepath.Join(dir, "run", "run.parquet")+": policy", []byte(r.Run.Policy))
	if err != nil {
		return nil, fmt.Errorf("%w\nthe dataset was written by another version of loopgauge (%s): write it anew", err, r.Run.Version)
	}
	return &dataset{Reader: r, policy: p, plan: window.NewPlan(p.Rules, p.Exclude), dir: dir}, nil
}

func (d *dataset) kept() window.Kept { return window.Kept{Plan: d.plan, Hashed: d.Run.HashIDs} }

// settle refuses a policy that the dataset cannot answer, with all reasons, and
// puts the dataset's exclusions before the policy's: what they took out is gone.
func (d *dataset) settle(p *policy.Policy) error {
	var errs []error
	refuse := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, r := range p.Rules {
		if lack := d.kept().Lack(r); lack != "" {
			refuse("rule %s: %s does not have %s", r.Name, d.Dir, lack)
		}
	}
	if p.EventTime != d.policy.EventTime {
		refuse("event_time: %s is ordered by the requests' %s", d.Dir, d.policy.EventTime)
	}
	if !slices.Equal(p.Session, d.policy.Session) {
		refuse("session: %s has its sessions by another order", d.Dir)
	}
	if p.Duplicates != d.policy.Duplicates && d.policy.Duplicates > 0 {
		refuse("duplicates: %s is without those within %s", d.Dir, d.policy.Duplicates)
	}
	if !maps.Equal(p.Prices, d.policy.Prices) && len(d.policy.Prices) > 0 {
		refuse("prices: %s has its costs by other prices", d.Dir)
	}
	var exclude []window.Exclusion
	for _, x := range d.Run.Excluded {
		if x.Name != "" {
			exclude = append(exclude, window.Exclusion{Name: x.Name, Text: x.Match})
		}
	}
	for i := range p.Exclude {
		x := &p.Exclude[i]
		if slices.ContainsFunc(d.Run.Excluded, func(have parquet.Exclusion) bool { return have.Match == x.Text }) {
			continue
		}
		if lack := d.kept().LackExclusion(x); lack != "" {
			refuse("exclusion %s: %s does not have %s", x.Name, d.Dir, lack)
		}
		exclude = append(exclude, *x)
	}
	if len(errs) > 0 {
		hint := "give the policy that it was written with, which its run has, or write it anew: loopgauge replay --policy POLICY --out DIR LOG for this one, loopgauge tune --out DIR LOG for all built-in rules"
		if slices.ContainsFunc(p.Rules, func(r *window.Rule) bool { return r.ChatOverrides }) {
			hint = "no dataset has what users say: replay the logs"
		}
		errs = append(errs, errors.New(hint))
		return usage(errors.Join(errs...))
	}
	p.Exclude = exclude
	return nil
}

// lateness is that of the dataset. More changes nothing where nothing was
// late; what another would have made of late lines is not in the dataset.
func (d *dataset) lateness(p *policy.Policy, chosen *time.Duration) (replay.Lateness, error) {
	l := replay.Lateness{Value: seconds(d.Run.Lateness)}
	if d.Run.Disorder != nil {
		l.Measured, l.Disorder = true, seconds(*d.Run.Disorder)
	}
	var want time.Duration
	switch {
	case chosen != nil:
		want = *chosen
	case p.LatenessSet:
		want = p.Lateness
	default:
		return l, nil
	}
	if want < l.Value || want > l.Value && d.Run.Late > 0 {
		return l, usage(fmt.Errorf("lateness %s: %s was put into order with %s\nwrite it anew from the logs: loopgauge replay --lateness %s --out DIR LOG", want, d.Dir, l.Value, want))
	}
	return replay.Lateness{Value: want}, nil
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s*1e6)) * time.Microsecond }

// keep makes a run read the dataset.
func (d *dataset) keep(o *replay.Options) {
	if d.policy.Duplicates > 0 {
		o.Duplicates = 0 // they are gone
	}
	o.Kept = &replay.Kept{Next: d.next, Begin: func(want *window.Plan, origins bool, hold int, sought *window.Sought) error {
		return d.Prepare(d.plan, want, origins, hold, sought)
	}}
	for _, log := range d.Run.Logs {
		s := replay.StreamResult{Name: log.Name, Format: log.Format, Lines: log.Lines, Bytes: log.Bytes}
		if log.Error != "" {
			s.Err = errors.New(log.Error)
		}
		o.Kept.Streams = append(o.Kept.Streams, s)
	}
	if !d.Whole {
		return // of the lines of some files nothing is known but that they were judged
	}
	o.Kept.Order = &window.OrderStats{Tied: d.Run.Tied, Late: d.Run.Late, WorstLate: seconds(d.Run.WorstLate)}
	o.Kept.Links = replay.Links{Answers: d.Run.Answers, Unlogged: d.Run.Unlogged}
	o.Kept.Account = replay.Account{
		Lines: d.Run.Lines - d.Run.Judged, Blank: d.Run.Blank, Malformed: d.Run.Malformed,
		Duplicate: d.Run.Duplicate, Late: d.Run.Late, Excluded: d.Run.AllExcluded,
	}
	for _, x := range d.Run.Excluded {
		o.Kept.Excluded = append(o.Kept.Excluded, x.Requests)
	}
}

// offer adds to the built-in rules of p those of the dataset that look at
// something else, and takes out what the dataset cannot answer.
func (d *dataset) offer(u *ui, p *policy.Policy) {
	var left []string
	lacking := func(r *window.Rule) bool {
		lack := d.kept().Lack(r)
		if lack != "" {
			left = append(left, fmt.Sprintf("%s (%s)", r.Name, lack))
		}
		return lack != ""
	}
	taken := map[string]bool{} // names, of what is left out too
	for _, r := range p.Rules {
		taken[r.Name] = true
	}
	p.Rules = slices.DeleteFunc(p.Rules, lacking)
	for _, own := range d.policy.Rules {
		alike := func(r *window.Rule) bool { return r.SameKey(own) && r.Selection == own.Selection }
		if slices.ContainsFunc(p.Rules, alike) || lacking(own) { // what users say is in no dataset
			continue
		}
		rule := *own
		if taken[own.Name] {
			rule.Name = "dataset/" + own.Name
			rule.Written.Name = policy.Quoted(rule.Name)
		}
		p.Rules = append(p.Rules, &rule)
	}
	d.lacks(u, "rules", left)
}

// gateways are those that the dataset can answer.
func (d *dataset) gateways(u *ui, all []tune.Gateway) []tune.Gateway {
	var left []string
	all = slices.DeleteFunc(all, func(g tune.Gateway) bool {
		for _, r := range g.Rules {
			if lack := d.kept().Lack(r); lack != "" {
				left = append(left, fmt.Sprintf("%s (%s)", g.Name, lack))
				return true
			}
		}
		return false
	})
	for i := range all {
		all[i].Differences = slices.DeleteFunc(all[i].Differences, func(one tune.Difference) bool { return d.kept().Lack(one.Rule) != "" })
	}
	d.lacks(u, "gateways", left)
	if len(left) > 0 {
		u.say("all of them can be asked of what 'loopgauge tune --out DIR LOG' writes")
	}
	helps := func(what string) bool {
		return strings.HasPrefix(what, "loopgauge ") || strings.HasPrefix(what, "tool-call ")
	}
	if slices.ContainsFunc(left, helps) {
		u.say("without those of loopgauge and tool-call kinds of repeat are told by less: see docs/output.md")
	}
	return all
}

func (d *dataset) lacks(u *ui, what string, left []string) {
	if len(left) > 0 {
		u.say("%s does not have what these %s need, so they are left out: %s", d.Dir, what, strings.Join(left, ", "))
	}
}
