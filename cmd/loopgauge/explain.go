package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/blob"
	"github.com/loopgauge/loopgauge/replay/explain"
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
	offer(c, "identity", fingerprint.IdentityNames, noFiles)
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
		if id, err = identityNamed(f.identity); err != nil {
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
	partly := u.failures(failed)
	out := bufio.NewWriterSize(u.stdout, 1<<16)
	write := func(b []byte) error {
		_, err := out.Write(b)
		return err
	}
	var tally ingest.Tally
	if f.skipped {
		tally, err = explain.Skipped(ctx, streams, write)
	} else {
		tally, err = explain.Identity(ctx, explain.IdentityOptions{Streams: streams, Identity: id, Key: key, ShowText: f.showText}, write)
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
	return partly
}

// identityNamed is a built-in identity. One that is not there may be another that
// is.
func identityNamed(name string) (*fingerprint.Identity, error) {
	id, err := fingerprint.New(name, fingerprint.Options{})
	if meant := policy.Meant(name, fingerprint.IdentityNames()); err != nil && meant != "" {
		err = fmt.Errorf("no identity is called %q; did you mean %s?", name, meant)
	}
	return id, err
}

// answer explains a request or an episode.
func (f *explainFlags) answer(ctx context.Context, u *ui, args []string) error {
	defer ballast()()
	logs := args[1:]
	for dir, _, ok := cutNumber(args[0]); ok && len(logs) == 0; dir, _, ok = cutNumber(dir) { // DIR:LINE or DIR:LINE:N
		if parquet.IsDataset(dir) || blob.Is(dir) && isStored(ctx, dir) {
			logs = []string{dir}
		}
	}
	d, err := findDataset(ctx, u, logs)
	if err != nil {
		return err
	}
	if d != nil {
		defer d.Close()
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
	streams, failed, err := f.openAsked(ctx, u, &what, &logs)
	if err != nil {
		return err
	}
	partly := u.failures(failed)
	in := &input{streams: streams}
	run, _, err := f.prepare(u, in, p, nil)
	ingest.CloseAll(streams)
	if err != nil {
		return err
	}

	var bar *progress
	answer, err := explain.Answer(ctx, explain.Question{
		Open: func() (_ []ingest.Stream, err error) {
			in.streams, _, err = f.logs.open(ctx, u, logs)
			bar.stop()
			bar = newProgress(u, in.parts())
			return in.streams, err
		},
		Run: run, Stream: what.stream, Line: what.line, Item: what.item, Episode: what.episode, List: f.list(logs), ShowText: f.showText,
	})
	bar.stop()
	if err != nil {
		return err
	}
	if err := f.print(u, p, answer); err != nil {
		return err
	}
	return partly
}

// list is the command that lists the episodes of logs.
func (f *explainFlags) list(logs []string) string {
	c := f.explain(logs)
	return c.line("replay", "--json")
}

// answerKept explains a request or an episode from the dataset of an earlier
// run.
func (f *explainFlags) answerKept(ctx context.Context, u *ui, what asked, args []string, d *dataset, p *policy.Policy) error {
	in := &input{dataset: d}
	if f.showText {
		return usage(fmt.Errorf("--show-text: %s holds no text: name the logs it was made of", d.Dir))
	}
	run, _, err := f.prepare(u, in, p, nil)
	if err != nil {
		return err
	}
	fired := int64(fingerprint.NoTime)
	if what.episode != "" {
		fired = d.Fired(what.episode)
	}
	answer, err := explain.Answer(ctx, explain.Question{
		Run: run, Stream: what.stream, Line: what.line, Item: what.item, Episode: what.episode, Fired: fired, List: f.list(args),
	})
	if err != nil {
		return err
	}
	return f.print(u, p, answer)
}

// openAsked opens the logs and finds the one asked about among them, which need not
// be named besides.
func (f *explainFlags) openAsked(ctx context.Context, u *ui, what *asked, logs *[]string) (streams []ingest.Stream, failed []error, err error) {
	if what.log == "" || what.record != "" {
		streams, failed, err = f.logs.open(ctx, u, *logs)
		if err == nil && what.record != "" {
			what.stream, err = what.among(streams)
		}
		return streams, failed, err
	}
	file, err := os.Stat(what.log)
	if err != nil && !blob.Is(what.log) {
		return nil, nil, err
	}
	found := func() bool {
		what.stream = slices.IndexFunc(streams, func(s ingest.Stream) bool {
			if file == nil {
				return s.Name() == blob.Object(what.log)
			}
			info, err := os.Stat(s.Name())
			return err == nil && os.SameFile(info, file)
		})
		return what.stream >= 0
	}
	if len(*logs) > 0 {
		if streams, failed, err = f.logs.open(ctx, u, *logs); err != nil {
			return nil, nil, err
		}
		if found() {
			return streams, failed, nil
		}
		ingest.CloseAll(streams)
	}
	*logs = append([]string{what.log}, *logs...)
	if streams, failed, err = f.logs.open(ctx, u, *logs); err != nil {
		return nil, nil, err
	}
	if !found() {
		ingest.CloseAll(streams)
		if err = errors.Join(failed...); err == nil { // it is empty, and there are others
			err = fmt.Errorf("%s has 0 lines, no line %d", term.Safe(what.log), what.line)
		}
		return nil, nil, err
	}
	return streams, failed, nil
}

func (f *explainFlags) print(u *ui, p *policy.Policy, answer *explain.Explanation) error {
	answer.Loopgauge, answer.Policy = version(), p.Hash
	if f.json {
		return u.printJSON(answer)
	}
	return u.print(answer.Text(u.colour(u.stdout)))
}
