// Loopgauge finds agents that are stuck in loops, in the access logs of LLM
// and API gateways, and says what each gateway's loop detection would have
// done with them. It only watches: nothing it does touches a request.
//
// See the README for the tasks it does, and docs/ for the formats it reads,
// the policies it runs and the files it writes.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window/policy"
)

// Exit codes. Scripts rely on them.
const (
	exitDone     = 0
	exitFailed   = 1 // a source, a sink or the program itself failed
	exitUsage    = 2 // flags, policy or profile are wrong
	exitFindings = 3 // done, and there are findings, where a flag asks for this
)

// exitError is an error that knows its exit code. With a nil err there is
// nothing left to say.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks an error as the user's, not the log's.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitUsage, err}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), ending()...)
	context.AfterFunc(ctx, stop) // the second signal ends the program at once
	code := run(ctx, newUI(newStdin(ctx, os.Stdin), os.Stdout, os.Stderr), os.Args[1:])
	stop()
	os.Exit(code)
}

// run is the program without its process: it returns the exit code.
func run(ctx context.Context, u *ui, args []string) int {
	root := newRoot(u)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil && u.stdout.err != nil {
		err = fmt.Errorf("standard output: %w", u.stdout.err)
	}
	if err == nil {
		return exitDone
	}
	exit, ok := errors.AsType[*exitError](err)
	if !ok {
		exit = &exitError{exitFailed, err}
	}
	if errors.Is(err, context.Canceled) {
		exit = &exitError{exitFailed, errors.New("interrupted; nothing was left half-written")}
	}
	if exit.err != nil {
		u.fail(exit.err)
	}
	return exit.code
}

func newRoot(u *ui) *cobra.Command {
	root := &cobra.Command{
		Use:   "loopgauge",
		Short: "Find agents stuck in loops in gateway logs, before anything is enforced",
		Long: `loopgauge reads the access logs of LLM and API gateways, finds agents that are
stuck in loops, and says what each gateway's loop detection would have done
with them. It only watches.`,
		Example: `  loopgauge tune access.log                        which threshold, at what cost
  loopgauge replay access.log                      find loops
  loopgauge replay --profile fairvisor access.log  what Fairvisor would do
  loopgauge policy profiles                        all gateways it knows`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(u.stdin)
	root.SetOut(u.stdout)
	root.SetErr(u.stderr)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().BoolVar(&u.quiet, "quiet", false, "say nothing but errors, and the warnings of watch and extract")
	root.PersistentFlags().BoolVar(&u.noColor, "no-color", false, "never colour (NO_COLOR does the same)")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage(fmt.Errorf("%w%s\nrun '%s --help' for the flags", flagValue(err), flagMeant(c, err), c.CommandPath()))
	})
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", term.Width)))
	root.PersistentPreRunE = flagsHaveValues
	group(root)
	root.AddCommand(newTuneCommand(u), newReplayCommand(u), newWatchCommand(u), newExtractCommand(u), newCountCommand(u), newMergeCommand(u), newCompactCommand(u), newExplainCommand(u), newTestCommand(u), newFormatsCommand(u), newPolicyCommand(u))
	helpKnows(root)
	return root
}

// helpKnows has help refuse the name of a command that is none, as root does.
func helpKnows(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		of, rest, _ := root.Find(args)
		if !of.HasSubCommands() {
			return nil // its own arguments may be anything
		}
		return usage(of.ValidateArgs(rest))
	}
}

// flagValue says of a value that the library refused what it must be: it quotes the
// function of Go's that read it.
func flagValue(err error) error {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if _, library := errors.AsType[*strconv.NumError](err); !ok || !library {
		return err
	}
	must := "a whole number"
	switch {
	case wrong.GetFlag().Value.Type() == "bool":
		must = "true or false, or nothing"
	case errors.Is(err, strconv.ErrRange):
		must = "nearer to 0"
	}
	return fmt.Errorf("--%s must be %s, is %q", wrong.GetFlag().Name, must, wrong.GetValue())
}

// flagMeant says which flag may be meant by one that a command does not have.
func flagMeant(c *cobra.Command, err error) string {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return ""
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name, _, _ := strings.Cut(unknown.GetSpecifiedShortnames(), "=") // as in -policy=FILE
	if meant := policy.Meant(cmp.Or(name, unknown.GetSpecifiedName()), names); meant != "" {
		return fmt.Sprintf("; did you mean --%s?", meant)
	}
	return ""
}

// flagsHaveValues refuses a flag that took the next one for its value, as in
// --html --json: a file of that name would be made. And one with an empty value,
// as --policy "$POLICY" is where there is no such variable: it would pass for one
// that was not given. Neither names an empty argument a log; a shell that asks what
// may come next has one for what is not typed yet.
func flagsHaveValues(c *cobra.Command, args []string) (err error) {
	if c.Name() != cobra.ShellCompRequestCmd && slices.Contains(args, "") {
		return usage(errors.New("an argument is empty: leave it out, or is a variable of the shell not set?"))
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		name, is := strings.CutPrefix(value, "--")
		if next, _, _ := strings.Cut(name, "="); is && c.Flags().Lookup(next) != nil {
			err = usage(fmt.Errorf("--%s needs a value before --%s; a file of that name is ./--%s", f.Name, next, name))
		}
		if value == "" {
			err = usage(fmt.Errorf("--%s has an empty value: leave it out, or is a variable of the shell not set?", f.Name))
		}
	})
	return err
}

// group makes a command of others: by itself it says which there are.
func group(c *cobra.Command) {
	c.SuggestionsMinimumDistance, c.DisableFlagsInUseLine = 2, true
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		meant := fmt.Sprintf("run '%s --help' for all", c.CommandPath())
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			meant = "did you mean " + strings.Join(near, " or ") + "?"
		}
		return usage(fmt.Errorf("%q is no command of %s; %s", args[0], c.CommandPath(), meant))
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

// release is the version where there is no repository to stamp it from; the
// linker sets it (deploy/Dockerfile).
var release string

// version is the module's version as the Go tool stamped it.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}

// atMost takes no more than n arguments, and says how the command is called.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return usage(fmt.Errorf("%q is one argument too many: it is %s", args[n], c.UseLine()))
		}
		return nil
	}
}

// some takes at least one argument, and says what it is where there is none.
func some(lacking string) cobra.PositionalArgs { return counted(1, math.MaxInt, lacking) }

// one takes one argument, and says what it is where there are none or more.
func one(wanted string) cobra.PositionalArgs { return counted(1, 1, wanted) }

func counted(least, most int, wanted string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usage(errors.New(wanted))
		}
		return nil
	}
}

// logArgs wants at least one log, and says how to name one.
var logArgs = some("no log given: name files, directories or globs, or - for standard input")
