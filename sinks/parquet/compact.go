package parquet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/sinks"
)

// A part is taken into a bigger file until that has fullFile bytes. A file of
// half of it is left as it is: compaction every hour would otherwise write a
// day anew 24 times.
const fullFile = 128 << 20

// safeParts is how many of the newest parts stay as they are. A watch that
// goes on from the checkpoint before its last writes as many anew, under their
// own names.
const safeParts = 2

// errBusy is that another process compacts the dataset.
var errBusy = errors.New("another loopgauge compacts this dataset")

// Compacted is what Compact did.
type Compacted struct {
	Before, After int   // files that were merged, and what they became
	Days          int   // folders of days that they were in
	Removed       int   // folders of days that were removed
	RemovedBytes  int64 // of them
}

// Compact merges the small files of a dataset, day by day and table by table,
// and removes days that ended before keep, microseconds since 1970; the least
// number keeps all. A run may go on writing to it.
//
// A day is written anew beside the dataset, and the two folders then take each
// other's place at once. So whoever lists the folder sees the old files or the
// new, and a crash at any moment leaves either; what it leaves besides is
// removed by the next call. Files that were replaced go a moment later, for who
// is listing their folder. A query that had listed the old files and not
// opened them yet fails for want of them.
func Compact(dir string, keep int64) (done Compacted, err error) {
	if _, err := os.Stat(runFile(dir)); errors.Is(err, fs.ErrPermission) {
		return done, err
	}
	if !IsDataset(dir) {
		return done, fmt.Errorf("%s: no dataset: there is no %s in it\nname the directory that --out named; a run that has not ended yet, or a watch without a part, has none", dir, RunName)
	}
	unlock, err := lockNow(dir, "compact", sinks.Exclusive, errBusy)
	if err != nil {
		return done, err
	}
	defer unlock()
	c := &compaction{dir: dir, work: filepath.Join(dir, own, "work")}
	if err := c.clear(); err != nil { // what a crash left
		return done, err
	}
	defer func() { err = errors.Join(err, c.clear()) }()
	if err := c.expire(keep); err != nil {
		return c.done, err
	}
	c.findSafe()
	err = c.each(c.day)
	return c.done, err
}

type compaction struct {
	dir  string
	work string        // where days are written anew
	safe map[int]int64 // by partition: parts from this number on stay as they are
	done Compacted
}

// each visits the folders of days, table by table.
func (c *compaction) each(visit func(table, day string) error) error {
	for _, table := range byDay {
		entries, err := os.ReadDir(filepath.Join(c.dir, table))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if _, ok := dayOf(e.Name()); ok && e.IsDir() {
				if err := visit(table, e.Name()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// dayOf is the day that a folder holds; ok is false if it is none of a day.
func dayOf(folder string) (day time.Time, ok bool) {
	text, ok := strings.CutPrefix(folder, "date=")
	day, err := time.Parse(time.DateOnly, text)
	return day, ok && err == nil
}

// lingering is how long whoever has opened a folder may take to list it: till
// then its files stay, where they were taken out of the dataset.
var lingering = 2 * time.Second

// clear removes the folders that were taken out of the dataset.
func (c *compaction) clear() error {
	if _, err := os.Stat(c.work); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	time.Sleep(lingering)
	for _, table := range byDay {
		for _, day := range below(c.work, table+"/*") {
			if err := c.giveBack(table, filepath.Base(day)); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(c.work)
}

// findSafe finds which parts stay as they are.
func (c *compaction) findSafe() {
	c.safe = map[int]int64{}
	for _, table := range byDay {
		for _, f := range filesOf(c.dir, table, "*.parquet") {
			if _, last, ok := partsOf(f); ok {
				c.safe[last.partition] = max(c.safe[last.partition], last.number-safeParts+1)
			}
		}
	}
}

func (c *compaction) day(table, day string) error {
	from, to := filepath.Join(c.dir, table, day), filepath.Join(c.work, table, day)
	files, err := listing(from)
	if err != nil {
		return err
	}
	groups := c.groups(files)
	if len(groups) == 0 {
		return nil
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, group := range groups {
		var sources []string
		for _, f := range group {
			sources = append(sources, filepath.Join(from, f.Name()))
		}
		target := filepath.Join(to, mergedName(group[0].Name(), group[len(group)-1].Name()))
		if err := merges[table](table, target, sources); err != nil {
			return err
		}
	}
	merged := slices.Concat(groups...)
	if err := c.swap(from, to, merged); err != nil {
		return err
	}
	if err := c.giveBack(table, day); err != nil {
		return err
	}
	c.done.Days++
	c.done.Before += len(merged)
	c.done.After += len(groups)
	return nil
}

// groups are the files of a day that become one, in their order.
func (c *compaction) groups(files []fs.FileInfo) (groups [][]fs.FileInfo) {
	var group []fs.FileInfo
	var size int64
	of := -1 // partition of the group
	end := func() {
		if len(group) > 1 {
			groups = append(groups, group)
		}
		group, size = nil, 0
	}
	for _, f := range files {
		_, last, isPart := partsOf(f.Name())
		if last.partition != of {
			end()
		}
		of = last.partition
		if f.Size() >= fullFile/2 || isPart && last.number >= c.safe[of] {
			end()
			continue
		}
		if size+f.Size() > fullFile {
			end()
		}
		group, size = append(group, f), size+f.Size()
	}
	end()
	return groups
}

// listing are the files of a day, by their names.
func listing(dir string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if !isOurs(e) || isLeft(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		files = append(files, info)
	}
	return files, nil
}

// mergedName is the name of what is made of files, by the first and the last.
// It sorts where they did.
func mergedName(first, last string) string {
	from, _, _ := strings.Cut(strings.TrimSuffix(first, ".parquet"), "_")
	to := strings.TrimSuffix(last, ".parquet")
	if _, tail, ok := strings.Cut(to, "_"); ok {
		to = tail
	}
	return from + "_" + to + ".parquet"
}

// swap puts a day that was written anew in the place of the old one. What has
// come since, or was left as it is, comes along.
func (c *compaction) swap(from, to string, merged []fs.FileInfo) error {
	unlock, err := lock(c.dir)
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	missing := len(merged)
	for _, e := range entries {
		if !isOurs(e) {
			continue // is given back
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if slices.ContainsFunc(merged, func(m fs.FileInfo) bool { return m.Name() == e.Name() && os.SameFile(m, info) }) {
			missing--
			continue
		}
		if isLeft(e.Name()) {
			continue // none is at work now
		}
		if err := os.Link(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	if missing > 0 {
		return fmt.Errorf("%s: was changed while it was compacted: try again", from)
	}
	if err := errors.Join(sinks.SyncDir(to), exchange(to, from)); err != nil {
		return fmt.Errorf("%s: the file system cannot let two folders take each other's place, without which a query could see a day twice or not at all: %w", from, err)
	}
	return errors.Join(sinks.SyncDir(filepath.Dir(from)), sinks.SyncDir(filepath.Dir(to)))
}
