package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"strings"

	xterm "golang.org/x/term"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/replay/term"
)

// ui is how the program talks: data to stdout, talk to stderr, colour and
// progress on a terminal only.
type ui struct {
	stdin   io.Reader
	stdout  *output
	stderr  io.Writer
	quiet   bool
	noColor bool
	hinted  map[string]bool // hints that errors had before
	log     *slog.Logger    // that errors go to; nil if they go to people
}

func newUI(stdin io.Reader, stdout, stderr io.Writer) *ui {
	return &ui{stdin: stdin, stdout: &output{Writer: stdout}, stderr: stderr, hinted: map[string]bool{}}
}

// output remembers that writing failed: a disk that is full must not look like
// a run that went well.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

func isTerminal(w io.Writer) bool { return terminalOf(w) != nil }

// terminalOf is the terminal that w writes to; nil if it is none.
func terminalOf(w io.Writer) *os.File {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	if f, ok := w.(*os.File); ok && xterm.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// colour tells whether w may be sent colours.
func (u *ui) colour(w io.Writer) bool {
	if u.noColor || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	f := terminalOf(w)
	return f != nil && takesColours(f)
}

// say talks to the user, one line.
func (u *ui) say(format string, args ...any) {
	if !u.quiet {
		fmt.Fprintln(u.stderr, safeLines(fmt.Sprintf(format, args...)))
	}
}

// fail reports an error; each further line of it is a hint, and need not be said
// of the next one again.
func (u *ui) fail(err error) {
	if u.log != nil {
		u.log.Error("failed", "error", safeLines(strings.TrimSpace(err.Error())))
		return
	}
	prefix := "loopgauge: "
	if u.colour(u.stderr) {
		prefix = "\x1b[31mloopgauge:\x1b[0m "
	}
	what, hints, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	fmt.Fprintln(u.stderr, prefix+safeLines(what))
	said := maps.Clone(u.hinted) // within an error the same may be of two things
	for hint := range strings.Lines(hints) {
		if hint = strings.TrimSuffix(hint, "\n"); !said[hint] {
			fmt.Fprintln(u.stderr, safeLines(hint))
		}
		u.hinted[hint] = true
	}
}

// failures says which logs could not be read, and is what a command then ends with.
func (u *ui) failures(failed []error) error {
	for _, err := range failed {
		u.fail(err)
	}
	if len(failed) > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// print writes data to standard output.
func (u *ui) print(text string) error {
	_, err := io.WriteString(u.stdout, text)
	return err
}

// printJSON prints a document, indented, for people and programs alike.
func (u *ui) printJSON(doc any) error {
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	_, err = u.stdout.Write(append(rawjson.Printable(text), '\n'))
	return err
}

// userOf is the user of a URL, and the password: nothing that is read has one there,
// but people write it. That of a topic, whose name has no @, may hold slashes.
var userOf = regexp.MustCompile(`(kafka)://\S*@|://[^/\s]*@`)

// safeLines makes text fit for a terminal, line by line, without passwords: names of
// files, rules and requests may hold anything.
func safeLines(text string) string {
	lines := strings.Split(userOf.ReplaceAllString(text, "${1}://...@"), "\n")
	for i, line := range lines {
		lines[i] = term.Safe(strings.ReplaceAll(line, "\t", " "))
	}
	return strings.Join(lines, "\n")
}
