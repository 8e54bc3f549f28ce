package main

import (
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"
)

// sayFlags are the flags of commands that run on and on and say what they do.
type sayFlags struct {
	format  string
	verbose bool
}

func (f *sayFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.format, "log-format", "text", "what is said on standard error: text or json")
	c.Flags().BoolVar(&f.verbose, "verbose", false, "say also why lines were not judged, and when streams are idle")
}

// logger is where the command says what it does. As JSON that is everything: why it
// fails is what collectors of logs want most.
func (f *sayFlags) logger(u *ui) (*slog.Logger, error) {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	switch {
	case f.verbose:
		o.Level = slog.LevelDebug
	case u.quiet:
		o.Level = slog.LevelWarn
	}
	switch f.format {
	case "text":
		return slog.New(slog.NewTextHandler(u.stderr, o)), nil
	case "json":
		u.log = slog.New(slog.NewJSONHandler(u.stderr, o))
		return u.log, nil
	}
	return nil, fmt.Errorf("--log-format must be text or json, is %q", f.format)
}
