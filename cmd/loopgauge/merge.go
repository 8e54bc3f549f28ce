package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay/parted"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/sinks/parquet"
	"github.com/loopgauge/loopgauge/window/policy"
)

func newMergeCommand(u *ui) *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "merge COUNTS...",
		Short: "Add up what 'loopgauge count' has counted in parts",
		Long: `Merge reads what 'loopgauge count' has written of all parts of a log, by
fingerprint and by scope: files, directories, - for standard input. It says what
each rule found, and with --json also what it would find with every counter,
window and threshold.`,
		Example: `  loopgauge merge --json counts/`,
		Args:    some("name the files, or their directory, that 'loopgauge count' has written"),
		RunE:    func(_ *cobra.Command, args []string) error { return merge(u, args, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document instead of the summary")
	return c
}

func merge(u *ui, args []string, asJSON bool) error {
	m := parted.NewMerge()
	for _, arg := range args {
		if arg == ingest.StdinName {
			if err := m.Add("standard input", u.stdin); err != nil {
				return err
			}
			continue
		}
		if found, err := parquet.Find(arg); err == nil && len(found) > 0 {
			return fmt.Errorf("%s is a dataset: merge adds up what 'loopgauge count' has written\nto judge the logs of several, write one dataset of all: loopgauge replay --out DIR LOG", term.Safe(found[0]))
		}
		if target, err := filepath.EvalSymlinks(arg); err == nil { // the walk would take a link for a file
			arg = target
		}
		if err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return policy.FileError(path, err)
			}
			// Spark leaves marks and sums beside its files, and half of them if it fails.
			hidden := path != arg && strings.ContainsAny(d.Name()[:1], "._")
			if hidden && d.IsDir() {
				return fs.SkipDir
			}
			if hidden || d.IsDir() {
				return nil
			}
			f, err := os.Open(path)
			if err != nil {
				return policy.FileError(path, err)
			}
			defer f.Close()
			return m.Add(path, f)
		}); err != nil {
			return err
		}
	}
	doc, err := m.Document(version())
	if err != nil {
		return err
	}
	if len(doc.Rules) == 0 { // parts may be empty, all of them are a mistake
		return fmt.Errorf("no counts in %s: name what 'loopgauge count' has written", term.Safe(strings.Join(args, ", ")))
	}
	if asJSON {
		return u.printJSON(doc)
	}
	if u.quiet {
		return nil
	}
	return printMerged(u, doc)
}

func printMerged(u *ui, doc *parted.Document) error {
	var b strings.Builder
	t := term.Table{Right: map[int]bool{1: true, 2: true}}
	t.Add("rule", "counted", "episodes")
	dropped := int64(0)
	for _, r := range doc.Rules {
		t.Add(term.Shorten(term.Safe(r.Name), 40), term.Count(r.Hits), term.Count(r.Episodes))
		dropped += r.DroppedKeys
	}
	t.Write(&b, "")
	if dropped > 0 {
		fmt.Fprintf(&b, "%s keys of crowded scopes were dropped to bound memory: counts may be too low\n", term.Count(dropped))
	}
	fmt.Fprintf(&b, "\n%s; --json lists them, and what other settings would find\n", term.Plural(int64(len(doc.Episodes)), "episode", "episodes"))
	return u.print(b.String())
}
