package parquet

import (
	"os"
	"path/filepath"
	"slices"
)

// expire removes the days that ended before a time.
func (c *compaction) expire(before int64) error {
	ended := func(day string) bool {
		at, _ := dayOf(day)
		return at.AddDate(0, 0, 1).UnixMicro() <= before
	}
	if err := c.fill(ended); err != nil {
		return err
	}
	return c.each(func(table, day string) error {
		if !ended(day) {
			return nil
		}
		return c.remove(table, day)
	})
}

// fill gives a table that has nothing but days that ended a file without rows, as
// [Dataset.fill] does, beside the newest events.
func (c *compaction) fill(ended func(day string) bool) error {
	staying := func(table string) []string {
		return slices.DeleteFunc(filesOf(c.dir, table, "*.parquet"), func(f string) bool {
			return !fileNames.MatchString(filepath.Base(f)) || ended(filepath.Base(filepath.Dir(f)))
		})
	}
	unlock, err := lock(c.dir) // else a part may come into its place meanwhile, and its file be replaced
	if err != nil {
		return err
	}
	defer unlock()
	events := staying("events")
	if len(events) == 0 {
		return nil
	}
	newest := events[len(events)-1]
	for _, table := range byDay {
		if len(staying(table)) > 0 {
			continue
		}
		target := filepath.Join(c.dir, table, filepath.Base(filepath.Dir(newest)), filepath.Base(newest))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		if err := merges[table](table, target, nil); err != nil {
			return err
		}
	}
	return nil
}

// remove takes a day out of the dataset at once, and then away. A folder that
// others alone have something in is theirs.
func (c *compaction) remove(table, day string) error {
	from, to := filepath.Join(c.dir, table, day), filepath.Join(c.work, table, day)
	entries, err := os.ReadDir(from)
	if err != nil || len(entries) > 0 && !slices.ContainsFunc(entries, isOurs) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	unlock, err := lock(c.dir)
	if err != nil {
		return err
	}
	err = os.Rename(from, to)
	unlock()
	if err != nil {
		return err
	}
	if err := c.giveBack(table, day); err != nil {
		return err
	}
	files, err := os.ReadDir(to)
	if err != nil {
		return err
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil {
			c.done.RemovedBytes += info.Size()
		}
	}
	c.done.Removed++
	return nil
}
