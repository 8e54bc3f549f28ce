package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // for machines that have no zones of their own

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// logFlags are the flags of every command that reads logs.
type logFlags struct {
	format   string
	custom   *formats.Format // what format names where that is a file
	timezone zone
	maxLine  size
	since    when          // from when on the logs are judged
	until    when          // and before when
	kafka    *policy.Kafka // how topics are read; nil if no policy says so
}

func (f *logFlags) register(c *cobra.Command) {
	f.maxLine, f.since, f.until = ingest.DefaultMaxLine, newWhen(), newWhen()
	c.Flags().StringVar(&f.format, "format", "", "format of the logs: a name (loopgauge formats lists them) or a YAML file (default: detected per file)")
	c.Flags().Var(&f.timezone, "timezone", "zone of times that have none in the log, such as Europe/Warsaw")
	c.Flags().Var(&f.maxLine, "max-line", "longest line read; longer ones count as malformed")
}

// open opens the logs. What cannot be opened is in failed; there is an error
// only if nothing can be read at all.
func (f *logFlags) open(ctx context.Context, u *ui, args []string) (streams []ingest.Stream, failed []error, err error) {
	if err := f.loadFormat(); err != nil {
		return nil, nil, usage(err)
	}
	var files []string
	for _, arg := range args {
		if !kafka.IsTopic(arg) {
			files = append(files, arg)
			continue
		}
		partitions, err := f.openTopic(ctx, arg, int32(len(streams)))
		if err != nil {
			failed = append(failed, err)
		}
		streams = append(streams, partitions...)
	}
	sources, missing := f.find(ctx, u, files)
	opened, unread := ingest.OpenAll(sources, int32(len(streams)), ingest.Options{Format: f.formatName(), Custom: f.custom, Zone: f.timezone.Location, MaxLine: int(f.maxLine)})
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

// find finds files, and objects in stores, which come behind them.
func (f *logFlags) find(ctx context.Context, u *ui, args []string) (sources []*ingest.Source, failed []error) {
	var files []string
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
		sources = append(sources, found.Sources...)
	}
	found, err := ingest.Find(files, u.stdin)
	if err != nil {
		failed = append(failed, err)
	}
	return append(found, sources...), failed
}

// ruleFlags are the flags that say which rules to run.
type ruleFlags struct {
	policy   string
	profiles []string
}

func (f *ruleFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.policy, "policy", "", "policy file with the rules")
	c.Flags().StringArrayVar(&f.profiles, "profile", nil, "run a built-in profile (may be repeated)")
}

func (f *ruleFlags) load() (*policy.Policy, error) {
	if f.policy != "" && len(f.profiles) > 0 {
		return nil, usage(errors.New("give either --policy or --profile: a policy names profiles in its rules"))
	}
	if f.policy != "" {
		p, err := policy.Load(f.policy)
		return p, usage(err)
	}
	if len(f.profiles) == 0 {
		f.profiles = []string{"loopgauge"}
	}
	p, err := policy.FromProfiles(f.profiles)
	return p, usage(err)
}

// when is a flag's point in time, in microseconds.
type when int64

func newWhen() when { return when(fingerprint.NoTime) }

func (w *when) String() string {
	if *w == newWhen() {
		return ""
	}
	return time.UnixMicro(int64(*w)).UTC().Format(time.RFC3339)
}

func (w *when) Type() string { return "time" }

func (w *when) Set(text string) error {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			*w = when(t.UnixMicro())
			return nil
		}
	}
	return fmt.Errorf("write it as 2026-11-21 or 2026-11-21T10:00:00Z (UTC where no zone is given)")
}

// zone is a flag's time zone; its zero value is UTC.
type zone struct{ *time.Location }

func (z *zone) String() string {
	if z.Location == nil {
		return "UTC"
	}
	return z.Location.String()
}

func (z *zone) Type() string { return "zone" }

func (z *zone) Set(text string) error {
	in, err := time.LoadLocation(text)
	if err != nil || text == "Local" { // of whichever machine that is
		return fmt.Errorf("no zone is called %q; write it as UTC or Europe/Warsaw", text)
	}
	z.Location = in
	return nil
}

// span is a flag's length of time, written as in policies; nil if none is given.
type span struct{ *time.Duration }

func (s *span) String() string {
	if s.Duration == nil {
		return ""
	}
	return window.Lasting(*s.Duration)
}

// or is the length of time, d if none is given.
func (s span) or(d time.Duration) time.Duration {
	if s.Duration == nil {
		return d
	}
	return *s.Duration
}

func (s *span) Type() string { return "duration" }

func (s *span) Set(text string) error {
	d, err := policy.ParseDuration(text)
	if err != nil {
		return errors.New("write it as 500ms, 10s, 5m or 1h30m")
	}
	s.Duration = &d
	return nil
}

// size is a flag's number of bytes.
type size int

func (s *size) String() string {
	if *s%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", *s>>20)
	}
	return fmt.Sprintf("%d B", *s)
}

func (s *size) Type() string { return "size" }

func (s *size) Set(text string) error {
	n, err := parseSize(text)
	*s = size(n)
	return err
}
