package ingest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Find turns arguments into sources: files, directories (walked, in order of
// their names), globs, and - for standard input. Each file comes once. An
// empty file, such as a log just rotated, is passed over if there is another.
// What cannot be found is in the error, which joins one *Error for each; the
// rest is returned all the same.
func Find(args []string, stdin io.Reader) ([]*Source, error) {
	f := finder{seen: map[string]bool{}}
	for _, arg := range args {
		if arg == StdinName {
			if !f.seen[arg] {
				f.seen[arg] = true
				f.sources = append(f.sources, &Source{Name: "standard input", stdin: stdin})
			}
			continue
		}
		f.find(arg)
	}
	if full := slices.DeleteFunc(slices.Clone(f.sources), (*Source).empty); len(full) > 0 {
		f.sources = full
	}
	return f.sources, errors.Join(f.errs...)
}

type finder struct {
	sources []*Source
	seen    map[string]bool
	errs    []error
	astray  []string // links that lead to nothing
}

// Astray are the links, of those that the arguments stand for, that lead to no file:
// what they lead to may lie where only others can see it.
func Astray(args []string) []string {
	f := finder{seen: map[string]bool{}}
	for _, arg := range args {
		f.find(arg)
	}
	return f.astray
}

// missed notes a link that leads to nothing. What is no link has gone meanwhile.
func (f *finder) missed(path string) {
	if _, err := os.Lstat(path); err == nil {
		f.astray = append(f.astray, path)
	}
}

func (f *finder) fail(path string, err error) { f.errs = append(f.errs, newError(path, err, "")) }

func (f *finder) find(arg string) {
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		if info, err := os.Lstat(arg); err == nil && !info.IsDir() {
			arg += string(filepath.Separator) // WalkDir does not follow a link
		}
		f.walk(arg)
		return
	case err == nil:
		f.add(arg)
		return
	// A name that exists is never a pattern, whatever characters it has.
	case !strings.ContainsAny(arg, "*?["):
		if f.fail(arg, err); errors.Is(err, fs.ErrNotExist) {
			f.missed(arg)
		}
		return
	}
	matches, err := Glob(arg)
	if err == nil && len(matches) == 0 {
		err = errNoMatch
	}
	if err != nil {
		f.fail(arg, err)
		return
	}
	for _, m := range matches {
		f.find(m)
	}
}

// Glob finds the files that a pattern matches, as a shell does: without hidden
// ones, such as ._NAME and .DS_Store, which macOS leaves in folders, unless the
// pattern names them.
func Glob(pattern string) ([]string, error) {
	matches, err := filepath.Glob(pattern)
	if !isHidden(filepath.Base(pattern)) {
		matches = slices.DeleteFunc(matches, func(m string) bool { return isHidden(filepath.Base(m)) })
	}
	return matches, err
}

func isHidden(name string) bool { return strings.HasPrefix(name, ".") }

// skipped are endings, and names, of files that stand beside logs and are none.
var skipped = []string{
	".conf", ".css", ".go", ".html", ".js", ".lock", ".md", ".md5", ".parquet", ".pdf", ".pid", ".png", ".py",
	".sh", ".sha256", ".sock", ".svg", ".swp", ".tmp", ".toml", ".yaml", ".yml",
	"license", "licence", "makefile", "notice", "readme",
	"sessions-index.json",                  // of Claude Code
	"amazon-bedrock-logs-permission-check", // of the bucket that Bedrock logs to
}

// bodies is how the files are called, in a folder data, that Bedrock keeps bodies
// of more than 100 KB in.
var bodies = regexp.MustCompile(`(^|[/\\])data[/\\][0-9a-f-]{36}_(input|output)\.json(\.gz)?$`)

// IsSkipped tells that what has this path stands beside logs and is none.
func IsSkipped(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return slices.Contains(skipped, name) || slices.Contains(skipped, filepath.Ext(name)) || bodies.MatchString(path)
}

// ofSession tells what Claude Code keeps beside the file of a session: what a
// subagent is, and a directory of results that were too long for the file; and of Copilot
// that of the files which it can undo.
func ofSession(path string) bool {
	session, is := strings.CutSuffix(path, ".meta.json")
	switch filepath.Base(path) {
	case "tool-results":
		session, is = filepath.Dir(path), true
	case "rewind-file-snapshots":
		session, is = filepath.Join(filepath.Dir(path), "events"), true
	}
	if !is {
		return false
	}
	_, err := os.Stat(session + ".jsonl")
	return err == nil
}

var (
	errNoMatch  = errors.New("no file matches")
	errAllEmpty = errors.New("only empty logs in this directory")
)

func (f *finder) walk(dir string) {
	found, failed, none := 0, len(f.errs), errors.New("no logs in this directory")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			f.fail(path, err)
			return nil
		}
		hidden := path != dir && isHidden(d.Name())
		switch {
		case d.IsDir() && (hidden || path != dir && ofSession(path)):
			return fs.SkipDir
		case d.IsDir(), hidden, IsSkipped(path), ofSession(path):
			return nil
		}
		// A link may stand for a file elsewhere; anything else that is no
		// file (a pipe, a socket) could block for ever.
		switch info, err := os.Stat(path); {
		case errors.Is(err, fs.ErrNotExist):
			f.missed(path)
		case err != nil:
			f.fail(path, err)
		case info.Mode().IsRegular() && info.Size() > 0:
			f.add(path)
			found++ // also if it was named before
		case info.Mode().IsRegular():
			none = errAllEmpty
		}
		return nil
	})
	if err == nil && found == 0 && len(f.errs) == failed {
		err = none
	}
	if err != nil {
		f.fail(dir, err)
	}
}

func (f *finder) add(path string) {
	s := &Source{Name: path, path: path}
	if key := s.real(); !f.seen[key] {
		f.seen[key] = true
		f.sources = append(f.sources, s)
	}
}
