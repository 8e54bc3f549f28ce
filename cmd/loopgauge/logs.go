package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window/policy"
)

// logFlags are the flags of every command that reads logs.
type logFlags struct {
	format   string
	named    *formats.Format // what that names
	timezone zone
	maxLine  size
	since    when          // from when on the logs are judged
	until    when          // and before when
	kafka    *policy.Kafka // how topics are read; nil if no policy says so
}

func (f *logFlags) register(c *cobra.Command) {
	f.maxLine, f.since, f.until = ingest.DefaultMaxLine, newWhen(), newWhen()
	c.Flags().StringVar(&f.format, "format", "", "format of the logs: a name (loopgauge formats lists them) or a YAML file (default: detected per file)")
	offer(c, "format", formats.Names, files)
	c.Flags().Var(&f.timezone, "timezone", "zone of times that have none in the log, such as Europe/Warsaw")
	c.Flags().Var(&f.maxLine, "max-line", "longest line read; longer ones count as malformed")
}

// open opens the logs. What cannot be opened is in failed; there is an error
// only if nothing can be read at all.
func (f *logFlags) open(ctx context.Context, u *ui, args []string) (streams []ingest.Stream, failed []error, err error) {
	o, err := f.reading()
	if err != nil {
		return nil, nil, usage(err)
	}
	var topics, files []string
	for _, arg := range args {
		if kafka.IsTopic(arg) {
			topics = append(topics, arg)
			continue
		}
		if blob.Is(arg) {
			if err := blob.Check(arg); err != nil {
				return nil, nil, usage(err)
			}
		}
		files = append(files, arg)
	}
	slices.Sort(topics) // the order of arguments decides nothing
	for _, arg := range topics {
		topic, err := f.topicConfig(arg)
		if err != nil {
			return nil, nil, usage(err)
		}
		var since time.Time // from which on is judged, up to where the partitions end now
		if f.since != newWhen() {
			since = time.UnixMicro(int64(f.since))
		}
		partitions, err := kafka.Streams(ctx, topic, since, int32(len(streams)))
		if err != nil {
			failed = append(failed, err)
		}
		streams = append(streams, partitions...)
	}
	sources, missing := f.find(ctx, u, files)
	opened, unread := ingest.OpenAll(sources, int32(len(streams)), o)
	streams, failed = append(streams, opened...), slices.Concat(failed, missing, unread)
	if len(streams) == 0 {
		for _, arg := range files {
			if found, err := parquet.Find(arg); err == nil && len(found) > 0 {
				failed = append(failed, fmt.Errorf("%s is a dataset, which replay and tune read: this needs the logs", found[0]))
			}
		}
		return nil, nil, errors.Join(failed...)
	}
	return streams, failed, nil
}

// find finds files, and objects in stores, which come behind them. Each comes once.
func (f *logFlags) find(ctx context.Context, u *ui, args []string) (sources []*ingest.Source, failed []error) {
	var files []string
	seen := map[string]bool{}
	for _, arg := range args {
		if !blob.Is(arg) {
			files = append(files, arg)
			continue
		}
		found, err := blob.Find(ctx, arg, blob.Times{Since: int64(f.since), Until: int64(f.until)})
		if err != nil {
			failed = append(failed, err)
		} else if found.Passed > 0 {
			u.say("%s: %d objects are of another time than asked for", blob.Object(arg), found.Passed)
		}
		for _, s := range found.Sources {
			if id := s.Name + "?" + found.Settings; !seen[id] {
				seen[id] = true
				sources = append(sources, s)
			}
		}
	}
	found, err := ingest.Find(files, u.stdin)
	if err != nil {
		failed = append(failed, err)
	}
	return append(found, sources...), failed
}

// readOnce is the first of some files that cannot be read twice: standard input,
// or a pipe. Empty if all can.
func readOnce(files []string) string {
	for _, arg := range files {
		if arg == ingest.StdinName {
			return "standard input"
		}
		if info, err := os.Stat(arg); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return term.Safe(arg)
		}
	}
	return ""
}

// ruleFlags are the flags that say which rules to run.
type ruleFlags struct {
	policy   string
	profiles []string
}

func (f *ruleFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.policy, "policy", "", "policy file with the rules")
	c.Flags().StringArrayVar(&f.profiles, "profile", nil, "run a built-in profile (may be repeated)")
	offer(c, "profile", policy.ProfileNames, noFiles)
}

func (f *ruleFlags) load() (*policy.Policy, error) {
	if f.policy != "" && len(f.profiles) > 0 {
		return nil, usage(errors.New("give either --policy or --profile: a policy names profiles in its rules"))
	}
	if f.policy != "" {
		p, err := policy.Load(f.policy)
		if _, none := policy.FindProfile(f.policy); none == nil && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; the profile of that name is --profile %s", err, f.policy)
		}
		return p, usage(err)
	}
	if len(f.profiles) == 0 {
		f.profiles = []string{"loopgauge"}
	}
	p, err := policy.FromProfiles(f.profiles)
	return p, usage(err)
}
