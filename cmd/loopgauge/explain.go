package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window/policy"
)

type explainFlags struct {
	runFlags
	identity string
	skipped  bool
	showText bool
	json     bool
}

func newExplainCommand(u *ui) *cobra.Command {
	f := &explainFlags{}
	c := &cobra.Command{
		Use:   "explain {LOG:LINE [LOG...|DIR] | TOPIC/PARTITION:OFFSET LOG... | EPISODE LOG... | --identity NAME LOG... | --skipped LOG...}",
		Short: "Show why a request or an episode fired or not, and what counted",
		Long: `Explain LOG:LINE says what each rule makes of the request on that line: its
fingerprint, the requests that counted, why the rule fired or not, and the
nearest setting that would have changed it. LOG:LINE:N is the Nth request of a
line that holds several. Requests in other logs count too where those are named.
LOG:LINE DIR says it from the dataset DIR that was made of LOG. A record of a
topic is named by its TOPIC/PARTITION:OFFSET, before the topic.

Explain EPISODE says the same of an episode, by the id that replay or tune gives
it (ep-..., lp-...). Give the flags that those had: the id depends on them. With
--policy and what tune advised it explains what the advised rules fire on.

With --identity it prints one JSON line per request and fingerprint: id,
identity, computable, why, canonical, fingerprint. The canonical text is what
people and models wrote, so it is null unless --show-text is given.

With --skipped it prints one JSON line for every line that could not be read:
log, line, column, why; and, on standard error, how many lines held requests,
were blank, or could not be read.`,
		Example: `  loopgauge explain access.log:812
  loopgauge explain --profile fairvisor access.log:812
  loopgauge explain llm-log/3:1234 kafka://localhost:9092/llm-log
  loopgauge explain ep-b105b1dd77f4acdb access.log
  loopgauge explain --identity tool-call-result access.log
  loopgauge explain --skipped access.log`,
		Args: logArgs,
		RunE: func(c *cobra.Command, args []string) error {
			given := func(name string) bool { return c.Flags().Changed(name) }
			if f.skipped && given("identity") {
				return usage(errors.New("give either --identity NAME or --skipped"))
			}
			if !f.skipped && !given("identity") {
				return f.answer(c.Context(), u, args)
			}
			for _, name := range []string{"policy", "profile", "since", "until", "lateness", "json", "hash-ids"} {
				if given(name) {
					return usage(fmt.Errorf("--%s means nothing with --identity and --skipped: it is about LOG:LINE and episodes", name))
				}
			}
			return f.lines(c.Context(), u, args)
		},
	}
	f.register(c)
	c.Flags().StringVar(&f.identity, "identity", "", "print the fingerprints of this identity instead: see docs/policy.md")
	c.Flags().BoolVar(&f.skipped, "skipped", false, "print the lines that could not be read instead")
	c.Flags().BoolVar(&f.showText, "show-text", false, "print canonical text, which holds prompts and arguments")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON document instead of text")
	return c
}

// lines prints a JSON line for each fingerprint or each line skipped.
func (f *explainFlags) lines(ctx context.Context, u *ui, args []string) error {
	var id *fingerprint.Identity
	if !f.skipped {
		var err error
		if id, err = fingerprint.New(f.identity, fingerprint.Options{}); err != nil {
			return usage(err)
		}
	}
	for _, arg := range args {
		if log, _, ok := cutNumber(arg); ok && exists(log) && !exists(arg) {
			return usage(fmt.Errorf("%s: --identity and --skipped are about whole logs: name %s alone", term.Safe(arg), term.Safe(log)))
		}
	}
	key, err := readKey(f.key)
	if err != nil {
		return usage(err)
	}
	streams, failed, err := f.logs.open(ctx, u, args)
	if err != nil {
		return err
	}
	for _, err := range failed {
		u.fail(err)
	}
	out := bufio.NewWriterSize(u.stdout, 1<<16)
	write := func(b []byte) error {
		_, err := out.Write(b)
		return err
	}
	var tally ingest.Tally
	if f.skipped {
		tally, err = replay.ExplainSkipped(ctx, streams, write)
	} else {
		tally, err = replay.Explain(ctx, replay.ExplainOptions{Streams: streams, Identity: id, Key: key, ShowText: f.showText}, write)
	}
	if err := errors.Join(err, out.Flush()); err != nil {
		return err
	}
	switch {
	case f.skipped:
		u.say("%s: %s, %s blank, %s could not be read", term.Plural(tally.Lines, "line", "lines"),
			term.Plural(tally.Requests(), "request", "requests"), term.Count(tally.Blank), term.Count(tally.Malformed))
	case tally.Lines > 0 && tally.Requests() == 0:
		return noRequest(streams[0].Name(), streams[0].Format().Name, len(streams), tally.Blank, tally.Malformed)
	}
	if len(failed) > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// asked is what explain is asked about: an episode, a line of a log, or a
// record of a topic, whose line is its offset.
type asked struct {
	episode, log string
	line         int64
	item         int
	stream       int    // of the dataset, if it is one's
	record       string // its stream; empty if it is none
}

// Of an episode, and of a repeat as tune lists them.
var episodeID = regexp.MustCompile(`^(ep|lp)-[0-9a-f]{16}$`)

// parseAsked reads EPISODE, LOG:LINE or LOG:LINE:N, TOPIC/PARTITION:OFFSET or
// TOPIC/PARTITION:OFFSET:N. A file's name may have colons itself, so what is
// there on the disk decides, or the logs of the dataset, nil if there is none.
// logs are those that are named beside it; a record's topic comes to them if it
// is named with it.
func parseAsked(arg string, logs *[]string, d *dataset) (asked, error) {
	if exists(arg) {
		return asked{}, usage(fmt.Errorf("say what to explain: %s:LINE for a line of this log, an episode's id before it, --identity NAME or --skipped", term.Safe(arg)))
	}
	if episodeID.MatchString(arg) {
		return asked{episode: arg}, nil
	}
	if what, ok, err := askedRecord(arg, logs, d); ok || err != nil {
		return what, err
	}
	log, number, ok := cutNumber(arg)
	if !ok {
		if strings.HasPrefix(arg, "ep-") || strings.HasPrefix(arg, "lp-") {
			return asked{}, usage(fmt.Errorf("%q is no id of an episode: those are ep- (of tune also lp-) and 16 hexadecimal digits", arg))
		}
		return asked{}, usage(fmt.Errorf("%q is neither LOG:LINE nor the id of an episode", arg))
	}
	if d != nil {
		return d.asked(log, number)
	}
	if exists(log) || log == ingest.StdinName {
		return asked{log: log, line: number}, nil
	}
	if file, line, ok := cutNumber(log); ok && exists(file) {
		return asked{log: file, line: line, item: int(number)}, nil
	}
	_, err := os.Stat(log)
	if err == nil {
		err = errors.New("is a directory: name the log in it")
	} else if pathErr, ok := errors.AsType[*os.PathError](err); ok {
		err = pathErr.Err
	}
	return asked{}, fmt.Errorf("%s: %w", term.Safe(log), err)
}

// exists tells whether there is a log of this name.
func exists(name string) bool {
	if blob.Is(name) { // a line's number is behind it
		_, _, ok := cutNumber(name)
		return !ok
	}
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// askedRecord reads TOPIC/PARTITION:OFFSET; ok is false if arg is none, or may
// be a line of a file.
func askedRecord(arg string, logs *[]string, d *dataset) (what asked, ok bool, err error) {
	place, ok := kafka.ParsePlace(arg)
	if !ok {
		if kafka.IsTopic(arg) {
			return what, false, usage(fmt.Errorf("say what to explain: TOPIC/PARTITION:OFFSET or an episode's id before %s, or --identity NAME or --skipped", term.Safe(arg)))
		}
		return what, false, nil
	}
	what = asked{log: place.Stream(), line: place.Offset, item: place.Item, record: place.Stream()}
	if d != nil {
		if i := slices.IndexFunc(d.Run.Logs, func(l parquet.Log) bool { return l.Name == what.log }); i >= 0 {
			what.stream = i
			return what, true, nil
		}
		return what, false, nil
	}
	named := func(log string) bool {
		c, err := kafka.Parse(log)
		return err == nil && c.Topic == place.Topic
	}
	if place.Source != "" && !slices.ContainsFunc(*logs, named) {
		*logs = append([]string{place.Source}, *logs...)
	}
	if slices.ContainsFunc(*logs, named) {
		return what, true, nil
	}
	if file, _, _ := cutNumber(arg); place.Item == 0 && !exists(file) || place.Item > 0 && !exists(file[:strings.LastIndexByte(file, ':')]) {
		return what, false, usage(fmt.Errorf("%s: there is no such file; if it is a record of a topic name that too:\nloopgauge explain %[1]s kafka://host:port/%s", term.Safe(arg), place.Topic))
	}
	return asked{}, false, nil
}

// asked finds the log of LOG:LINE or LOG:LINE:N among those that the dataset
// was made of, which need not be there any more. The dataset itself stands for
// its only log.
func (d *dataset) asked(log string, number int64) (asked, error) {
	find := func(name string) (at []int) {
		for i, l := range d.Run.Logs {
			if l.Name == name {
				return []int{i}
			}
			if filepath.Base(l.Name) == filepath.Base(name) || len(d.Run.Logs) == 1 && filepath.Clean(name) == filepath.Clean(d.Dir) {
				at = append(at, i)
			}
		}
		return at
	}
	found := find(log)
	what := asked{log: log, line: number}
	if file, line, ok := cutNumber(log); ok && len(found) == 0 {
		found, what = find(file), asked{log: file, line: line, item: int(number)}
	}
	if len(found) == 1 {
		what.stream = found[0]
		return what, nil
	}
	var names []string
	for _, l := range d.Run.Logs[:min(5, len(d.Run.Logs))] {
		names = append(names, term.Safe(l.Name))
	}
	return what, usage(fmt.Errorf("%s is not one log of %s, which was made of %s, such as %s\nname one: loopgauge explain LOG:LINE %s",
		term.Safe(what.log), d.Dir, term.Plural(int64(len(d.Run.Logs)), "log", "logs"), strings.Join(names, ", "), d.Dir))
}

// cutNumber cuts a number from 1 off behind the last colon.
func cutNumber(arg string) (rest string, n int64, ok bool) {
	i := strings.LastIndexByte(arg, ':')
	if i < 1 {
		return "", 0, false
	}
	n, err := strconv.ParseInt(arg[i+1:], 10, 32)
	return arg[:i], n, err == nil && n > 0
}

// answer explains a request or an episode.
func (f *explainFlags) answer(ctx context.Context, u *ui, args []string) error {
	logs := args[1:]
	d, err := findDataset(u, logs)
	if err != nil {
		return err
	}
	if dir, _, ok := cutNumber(args[0]); ok && len(logs) == 0 && parquet.IsDataset(dir) {
		logs = []string{dir}
		if d, err = findDataset(u, logs); err != nil {
			return err
		}
	}
	what, err := parseAsked(args[0], &logs, d)
	if err != nil {
		return err
	}
	if what.episode != "" && len(logs) == 0 {
		return usage(fmt.Errorf("name the logs that %s was found in", what.episode))
	}
	if once := readOnce(append(slices.Clip(logs), what.log)); once != "" {
		return usage(fmt.Errorf("%s cannot be read twice: save it as a file first", once))
	}
	p, err := f.load()
	if err != nil {
		return err
	}
	if d != nil {
		return f.answerKept(ctx, u, what, logs, d, p)
	}
	streams, failed, index, err := f.openAsked(ctx, u, what, &logs)
	if err != nil {
		return err
	}
	for _, err := range failed {
		u.fail(err)
	}
	in := &input{streams: streams}
	run, _, err := f.prepare(u, in, p, nil)
	ingest.CloseAll(streams)
	if err != nil {
		return err
	}

	var bar *progress
	answer, err := replay.Answer(ctx, replay.Question{
		Open: func() (_ []ingest.Stream, err error) {
			in.streams, _, err = f.logs.open(ctx, u, logs)
			bar.stop()
			bar = newProgress(u, in.parts())
			return in.streams, err
		},
		Run: run, Stream: index, Line: what.line, Item: what.item, Episode: what.episode, ShowText: f.showText,
	})
	bar.stop()
	if err != nil {
		return err
	}
	if err := f.print(u, p, answer); err != nil {
		return err
	}
	if len(failed) > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// answerKept explains a request or an episode from the dataset of an earlier
// run.
func (f *explainFlags) answerKept(ctx context.Context, u *ui, what asked, args []string, d *dataset, p *policy.Policy) error {
	in := &input{dataset: d}
	defer func() { in.close() }()
	if f.showText {
		return usage(fmt.Errorf("--show-text: %s holds no text: name the logs it was made of", d.Dir))
	}
	run, _, err := f.prepare(u, in, p, nil)
	if err != nil {
		return err
	}
	answer, err := replay.Answer(ctx, replay.Question{
		Kept: func() (*replay.Kept, error) {
			in.close() // each reading begins at the start
			if in.dataset, err = findDataset(u, args); err != nil {
				return nil, err
			}
			var o replay.Options
			in.dataset.keep(&o)
			return o.Kept, nil
		},
		Run: run, Stream: what.stream, Line: what.line, Item: what.item, Episode: what.episode,
	})
	if err != nil {
		return err
	}
	return f.print(u, p, answer)
}

// openAsked opens the logs and finds the one asked about among them. It comes
// first if it is not named.
func (f *explainFlags) openAsked(ctx context.Context, u *ui, what asked, logs *[]string) (streams []ingest.Stream, failed []error, index int, err error) {
	if what.log == "" || what.record != "" {
		streams, failed, err = f.logs.open(ctx, u, *logs)
		if err == nil && what.record != "" {
			index, err = what.among(streams)
		}
		return streams, failed, index, err
	}
	file, err := os.Stat(what.log)
	if err != nil && !blob.Is(what.log) {
		return nil, nil, 0, err
	}
	find := func() int {
		return slices.IndexFunc(streams, func(s ingest.Stream) bool {
			if file == nil {
				return s.Name() == blob.Object(what.log)
			}
			info, err := os.Stat(s.Name())
			return err == nil && os.SameFile(info, file)
		})
	}
	if len(*logs) > 0 {
		if streams, failed, err = f.logs.open(ctx, u, *logs); err != nil {
			return nil, nil, 0, err
		}
		if index = find(); index >= 0 {
			return streams, failed, index, nil
		}
		ingest.CloseAll(streams)
	}
	*logs = append([]string{what.log}, *logs...)
	if streams, failed, err = f.logs.open(ctx, u, *logs); err != nil {
		return nil, nil, 0, err
	}
	if index = find(); index < 0 {
		return nil, nil, 0, errors.Join(failed...)
	}
	return streams, failed, index, nil
}

// among finds the stream of the record asked about, and closes them all if it
// is not there.
func (what asked) among(streams []ingest.Stream) (index int, err error) {
	index = -1
	var names []string
	for i, s := range streams {
		switch {
		case s.Name() != what.record:
			names = append(names, term.Safe(s.Name()))
		case index >= 0:
			err = usage(fmt.Errorf("%s is a partition of two topics: name the one that is meant", what.record))
		default:
			index = i
		}
	}
	if index < 0 {
		err = fmt.Errorf("%s: no records of this partition are read, but of %s\nit is empty or not there, or --since or offsets leave it out", what.record, strings.Join(names, ", "))
	}
	if err != nil {
		ingest.CloseAll(streams)
	}
	return index, err
}

func (f *explainFlags) print(u *ui, p *policy.Policy, answer *replay.Explanation) error {
	answer.Loopgauge, answer.Policy = version(), p.Hash
	if f.json {
		return u.printJSON(answer)
	}
	out := answer.String()
	if u.colour(u.stdout) {
		out = answer.Coloured()
	}
	_, err := io.WriteString(u.stdout, out)
	return err
}
