package parquet

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// byDay are the folders of a dataset that hold a folder a day.
var byDay = []string{"events", "verdicts", "episodes"}

// Folders are those that a dataset may have. Where there is the last, the
// others are complete.
var Folders = slices.Concat(byDay, []string{"sweep", "run"})

// HoldsRun is why no dataset can be made in a place.
func HoldsRun(place string) error {
	return fmt.Errorf("%s: holds a run already: name another directory, or remove it", place)
}

// Holds tells whether dir holds events, of a run that has ended or not.
func Holds(dir string) bool {
	return len(filesOf(dir, "events", "*.parquet")) > 0 || IsDataset(dir)
}

// LastRun is the run as of the last part. Nothing else is looked at: others may
// be at work on the rest.
func LastRun(dir string) (Run, error) {
	row, err := readRun(dir)
	if err != nil {
		return Run{}, err
	}
	return row.Run, nil
}

// IsDataset tells whether dir holds a dataset: its run is written last.
func IsDataset(dir string) bool {
	info, err := os.Stat(runFile(dir))
	return err == nil && info.Mode().IsRegular()
}

// RunName is the file of a dataset that is written last, with slashes.
const RunName = "run/run.parquet"

func runFile(dir string) string { return filepath.Join(dir, RunName) }

// IsRead tells of a file in a dataset, by its name with slashes, whether [Open]
// reads it.
func IsRead(file string) bool {
	return file == RunName || strings.HasPrefix(file, "events/") || strings.HasPrefix(file, own+"/"+reports+"/")
}

// Find finds the datasets below dir, itself included.
func Find(dir string) (list []string, err error) {
	if IsDataset(dir) {
		return []string{dir}, nil
	}
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		dir += string(filepath.Separator) // WalkDir does not follow a link
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && IsDataset(path) {
			list = append(list, path)
			return fs.SkipDir
		}
		return nil // what cannot be read is no dataset; who reads the logs in it says so
	})
	return list, err
}

// InFolders tells whether path is in one of the folders of the dataset in dir.
func InFolders(dir, path string) bool {
	in, err := filepath.Rel(dir, path)
	folder, _, below := strings.Cut(in, string(filepath.Separator))
	return err == nil && below && slices.Contains(Folders, folder)
}

// below are the files and folders in dir that a pattern with slashes matches, which is
// none that fails. The name of dir may be anything.
func below(dir, pattern string) []string {
	names, _ := fs.Glob(os.DirFS(dir), pattern)
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	return names
}

// filesOf are the files of a table, in the folders of its days, that a pattern
// matches. Hidden ones are others', as macOS has ._NAME beside a file.
func filesOf(dir, table, pattern string) []string {
	return slices.DeleteFunc(below(dir, table+"/date=*/"+pattern), func(f string) bool { return strings.HasPrefix(filepath.Base(f), ".") })
}
