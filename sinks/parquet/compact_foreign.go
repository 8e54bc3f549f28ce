package parquet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A NAS, a desktop or an analyst may keep files of their own in the folder of a
// day. They are not merged, and not removed with the day.

// ourNames are those of the files of a day, what compaction makes of them, and
// what a writer that was killed leaves of them.
var ourNames = regexp.MustCompile(`^(?:` + fileName + `|\.` + fileName + `\.\d+\.tmp)$`)

// isOurs tells whether loopgauge wrote what is in the folder of a day.
func isOurs(e fs.DirEntry) bool { return e.Type().IsRegular() && ourNames.MatchString(e.Name()) }

// isLeft tells of what is ours whether a writer that was killed left it.
func isLeft(name string) bool { return strings.HasPrefix(name, ".") }

// giveBack puts what is not ours of a day that was taken out of the dataset
// back into it.
func (c *compaction) giveBack(table, day string) error {
	from, to := filepath.Join(c.work, table, day), filepath.Join(c.dir, table, day)
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if isOurs(e) {
			continue
		}
		if err := os.MkdirAll(to, 0o700); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(from, e.Name()), unused(filepath.Join(to, e.Name()))); err != nil {
			return err
		}
	}
	return nil
}

// unused is a path, or one like it if there is something at it.
func unused(path string) string {
	at := path
	for n := 2; ; n++ {
		if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) {
			return at
		}
		at = fmt.Sprintf("%s~%d", path, n)
	}
}
