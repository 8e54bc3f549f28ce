package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/ingest/wrap"
	"github.com/loopgauge/loopgauge/replay/term"
)

// sampleLines is how many lines of a log formats looks at.
const sampleLines = 1000

type formatsFlags struct {
	logs     logFlags
	showText bool
	json     bool
	scaffold bool
}

func newFormatsCommand(u *ui) *cobra.Command {
	f := &formatsFlags{}
	c := &cobra.Command{
		Use:   "formats [LOG]",
		Short: "Say what a log is, what it carries, and which rules it can support",
		Long: `Formats lists the formats and wrappers that are read. Of a log it says, from its
first 1,000 lines: what it was taken for and why, one line as a request in the
native format (texts as lengths and hashes, unless --show-text; keys never),
which fields lines carry, and of how many requests the rules can judge.

With --scaffold it writes a file to begin with for a log in no known format:
complete it, and give it to --format.`,
		Example: `  loopgauge formats
  loopgauge formats access.log
  loopgauge formats --scaffold odd.log > odd.yaml
  loopgauge formats --format odd.yaml odd.log`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && f.scaffold:
				return logArgs(c, args)
			case f.scaffold && f.json:
				return usage(errors.New("give either --scaffold or --json: each is all that is printed"))
			case len(args) == 0:
				return f.table(u)
			case kafka.IsTopic(args[0]):
				return usage(errors.New("formats looks at files: save some records of the topic as lines"))
			case f.scaffold:
				return f.begin(c.Context(), u, args[0])
			}
			return f.look(c.Context(), u, args)
		},
	}
	f.logs.register(c)
	c.Flags().BoolVar(&f.showText, "show-text", false, "show prompts, arguments and other texts of the request")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON document instead of text")
	c.Flags().BoolVar(&f.scaffold, "scaffold", false, "write a YAML file to begin with for a log in no known format")
	return c
}

type listed struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
	Told string `json:"told,omitempty"` // by what a line of it is told
}

// table lists what is read.
func (f *formatsFlags) table(u *ui) error {
	var doc struct {
		Formats  []listed `json:"formats"`
		Wrappers []listed `json:"wrappers"`
	}
	for _, x := range formats.All {
		doc.Formats = append(doc.Formats, listed{x.Name, x.Doc, x.Told})
	}
	for _, w := range wrap.All {
		doc.Wrappers = append(doc.Wrappers, listed{Name: w.Name, Doc: w.Doc})
	}
	if f.json {
		return u.printJSON(doc)
	}
	var b strings.Builder
	b.WriteString("formats, for --format\n")
	for _, x := range doc.Formats {
		fmt.Fprintf(&b, "  %-19s %s\n", x.Name, x.Doc)
	}
	b.WriteString("\nwrappers around them, up to five deep\n")
	for _, x := range doc.Wrappers {
		fmt.Fprintf(&b, "  %-19s %s\n", x.Name, x.Doc)
	}
	b.WriteString("\nany other log: loopgauge formats --scaffold LOG > my.yaml, then --format my.yaml\n")
	return u.print(b.String())
}

// begin writes a custom format to begin with.
func (f *formatsFlags) begin(ctx context.Context, u *ui, arg string) error {
	sources, failed := f.logs.find(ctx, u, []string{arg})
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	data, err := ingest.Head(sources[0])
	if err != nil {
		return err
	}
	if known := ingest.Detect(data); known != nil {
		u.say("%s is known as %s: if loopgauge formats finds its requests, it can be read as it is", sources[0].Name, known.Name)
	}
	out, err := formats.Scaffold(data)
	// Formats of one's own are looked for in any wrapper.
	if in := ingest.WrappersOf(data); len(in) > 0 {
		if inside, failed := formats.Scaffold(ingest.Unwrapped(data, in)); failed == nil && (formats.HasTime(inside) || !formats.HasTime(out)) {
			out, err = inside, nil
			var names []string
			for _, w := range in {
				names = append(names, w.Name)
			}
			u.say("%s is wrapped in %s: this is what it wraps", sources[0].Name, strings.Join(names, ", in it "))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", sources[0].Name, err)
	}
	if !formats.HasTime(out) {
		u.say("nothing in %s looks like a time: say where it is, without it no request can be judged", sources[0].Name)
	}
	if formats.IsPiped(out) {
		u.say("it is for what a command makes of %s: see its first lines", sources[0].Name)
	}
	return u.print(string(out))
}

// sayOthers names a log of each other format: the rules that one cannot support
// another may.
func sayOthers(u *ui, streams []ingest.Stream) {
	logs := map[string]int{}
	var first []ingest.Stream // of each format
	for _, s := range streams {
		name := s.Format().Name
		if logs[name]++; logs[name] == 1 {
			first = append(first, s)
		}
	}
	for _, s := range first[1:] {
		name := s.Format().Name
		u.say("%s %s: ask about %s", term.Plural(logs[name], "is", "are"), name, s.Name())
	}
}

// look says what there is to say of a log.
func (f *formatsFlags) look(ctx context.Context, u *ui, args []string) error {
	streams, failed, err := f.logs.open(ctx, u, args)
	if err != nil {
		return err
	}
	ingest.CloseAll(streams[1:])
	if len(streams) > 1 {
		u.say("there are %d logs: this is about the one that begins first", len(streams))
		sayOthers(u, streams)
	}
	sample := ingest.NewSample(streams[0], sampleLines)
	defer sample.Close()
	if sample.Err != nil {
		failed = append(failed, sample.Err)
	}
	partly := u.failures(failed)
	r := &formatReport{Log: sample.Name(), Format: sample.Format().Name, Told: sample.Format().Told, Whole: sample.Whole, Wrappers: []string{}, Members: []string{}, Missing: []string{}, Fields: map[string]int64{}}
	for _, w := range sample.Format().Wrappers {
		if w.Name != "" { // else the lines of CSV's rows
			r.Wrappers = append(r.Wrappers, w.Name)
		}
	}
	if f.logs.format != "" {
		r.Told = "named with --format"
	} else if len(sample.Blocks) > 0 {
		r.members(sample)
	}
	if err := r.requestsOf(sample, f.showText); err != nil {
		return err
	}
	if err := r.rules(ctx, sample); err != nil {
		return err
	}
	if f.json {
		err = u.printJSON(r)
	} else {
		err = u.print(r.String())
	}
	if err == nil {
		err = partly
	}
	if a := r.Account; err == nil && r.Whole && r.requests == 0 {
		err = noRequest(r.Log, r.Format, 1, a.Blank, a.Malformed)
	}
	return err
}
