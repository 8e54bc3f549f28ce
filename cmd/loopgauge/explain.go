package main

import (
	"bufio"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
)

func newExplainCommand(u *ui) *cobra.Command {
	var (
		logs     logFlags
		identity string
		skipped  bool
		showText bool
		keyFile  string
	)
	c := &cobra.Command{
		Use:   "explain {--identity NAME | --skipped} LOG...",
		Short: "Show what a request's fingerprint is made of, or which lines were skipped",
		Long: `Explain prints one JSON line per request and fingerprint: id, identity,
computable, why, canonical, fingerprint. The canonical text is what people and
models wrote, so it is null unless --show-text is given.

With --skipped it prints one JSON line for every line that could not be read:
log, line, column, why.`,
		Example: `  loopgauge explain --identity tool-call-result access.log
  loopgauge explain --identity aisg --show-text access.log
  loopgauge explain --skipped access.log`,
		Args: logArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if skipped == (identity != "") {
				return usage(errors.New("give either --identity NAME or --skipped"))
			}
			var id *fingerprint.Identity
			if !skipped {
				var err error
				if id, err = fingerprint.New(identity, fingerprint.Options{}); err != nil {
					return usage(err)
				}
			}
			key, err := readKey(keyFile)
			if err != nil {
				return usage(err)
			}
			streams, failed, err := logs.open(u, args)
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
			if skipped {
				err = replay.ExplainSkipped(c.Context(), streams, write)
			} else {
				err = replay.Explain(c.Context(), replay.ExplainOptions{Streams: streams, Identity: id, Key: key, ShowText: showText}, write)
			}
			if err := errors.Join(err, out.Flush()); err != nil {
				return err
			}
			if len(failed) > 0 {
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
	logs.register(c)
	c.Flags().StringVar(&identity, "identity", "", "identity to show: see docs/policy.md")
	c.Flags().BoolVar(&skipped, "skipped", false, "show the lines that could not be read instead")
	c.Flags().BoolVar(&showText, "show-text", false, "print canonical text, which holds prompts and arguments")
	c.Flags().StringVar(&keyFile, "fingerprint-key", "", "file with a secret key for the fingerprints")
	return c
}

// readKey reads the key of the fingerprints; no file is no key.
func readKey(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	key, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if len(key) < 16 {
		return nil, errors.New(file + ": a key of less than 16 bytes protects nothing; make one with: head -c 32 /dev/urandom > " + file)
	}
	return key, nil
}
