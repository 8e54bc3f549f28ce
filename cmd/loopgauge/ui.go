package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// ui is how the program talks: data to stdout, talk to stderr, colour and
// progress on a terminal only.
type ui struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	quiet          bool
	noColor        bool
}

func newUI(stdin io.Reader, stdout, stderr io.Writer) *ui {
	return &ui{stdin: stdin, stdout: stdout, stderr: stderr}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colour tells whether w may be sent colours.
func (u *ui) colour(w io.Writer) bool {
	return !u.noColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

// say talks to the user, one line.
func (u *ui) say(format string, args ...any) {
	if !u.quiet {
		fmt.Fprintf(u.stderr, format+"\n", args...)
	}
}

// fail reports an error; each further line of it is a hint.
func (u *ui) fail(err error) {
	prefix := "loopgauge: "
	if u.colour(u.stderr) {
		prefix = "\x1b[31mloopgauge:\x1b[0m "
	}
	fmt.Fprintln(u.stderr, prefix+strings.TrimSpace(err.Error()))
}
