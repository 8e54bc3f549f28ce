package parquet

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/loopgauge/loopgauge/sinks"
)

// merges make one file of several, by table.
var merges = map[string]func(table, target string, sources []string) error{
	"events": merge[eventRow], "verdicts": merge[verdictRow], "episodes": mergeEpisodes,
}

// merge writes the rows of files, one file after the other.
func merge[R any](table, target string, sources []string) error {
	var more []parquet.WriterOption
	if _, ok := partitionOf(target); ok && table == "events" {
		first := firstIs(firstEvent(sources[0]))
		more = append(more, parquet.KeyValueMetadata(first.Key, first.Value))
	}
	return rewrite(table, target, more, func(out *parquet.GenericWriter[R]) error {
		var size int64 // of the row groups that became the one at hand
		begin := func(group int64) error {
			if size += group; size <= groupText {
				return nil
			}
			size = group
			return out.Flush()
		}
		return each[R](sources, begin, func(rows []parquet.Row) error {
			_, err := out.WriteRows(rows)
			return err
		})
	})
}

// mergeEpisodes writes the rows of files in the order of fired. They fit into
// memory: a day has no more loops.
func mergeEpisodes(table, target string, sources []string) error {
	return rewrite(table, target, nil, func(out *parquet.GenericWriter[episodeRow]) error {
		var all []parquet.Row
		err := each[episodeRow](sources, anyGroup, func(rows []parquet.Row) error {
			for _, row := range rows {
				all = append(all, row.Clone())
			}
			return nil
		})
		if err != nil {
			return err
		}
		slices.SortStableFunc(all, out.Schema().Comparator(parquet.Ascending("fired")))
		_, err = out.WriteRows(all)
		return err
	})
}

// rewrite makes a file of what fill writes to it.
func rewrite[R any](table, target string, more []parquet.WriterOption, fill func(*parquet.GenericWriter[R]) error) error {
	f, err := sinks.CreateAtomic(target)
	if err != nil {
		return err
	}
	defer f.Abort()
	out := parquet.NewGenericWriter[R](f, append(layouts[table].options(), more...)...)
	if err := errors.Join(fill(out), out.Close()); err != nil {
		return err
	}
	return f.Commit()
}

// anyGroup begins row groups of which nobody asks for the size.
func anyGroup(int64) error { return nil }

// batch is how many rows are read at once.
const batch = 512

// each reads the rows of files, some at a time, which are good until the next.
// before is called before those of a row group, with its bytes before they were
// packed. A column that a file lacks was added since, and null.
func each[R any](files []string, before func(size int64) error, do func(rows []parquet.Row) error) error {
	for _, path := range files {
		if err := eachOf[R](path, before, do); err != nil {
			return err
		}
	}
	return nil
}

func eachOf[R any](path string, before func(size int64) error, do func(rows []parquet.Row) error) (err error) {
	file, f, err := begin(path, nil)
	if err != nil {
		return err
	}
	defer f.Close()
	defer guard(path, &err)
	var zero R
	ours := leaves(parquet.SchemaOf(zero).Fields(), "")
	for _, column := range leaves(file.Schema().Fields(), "") {
		k := slices.IndexFunc(ours, func(o leaf) bool { return o.name == column.name })
		if k < 0 {
			return fmt.Errorf("%s: has a column %s (%s) that this loopgauge does not know: compact it with the one that wrote it", path, column.name, column.kind)
		}
		if err := ours[k].fits(path, columnOf(file, column.name)); err != nil {
			return err
		}
	}
	if err := verify(file); err != nil {
		return damaged(path, err)
	}
	for i, group := range file.RowGroups() {
		if err := before(file.Metadata().RowGroups[i].TotalByteSize); err != nil {
			return err
		}
		if err := eachIn[R](path, group, do); err != nil {
			return err
		}
	}
	return nil
}

// eachIn is each of a row group.
func eachIn[R any](path string, group parquet.RowGroup, do func(rows []parquet.Row) error) error {
	in := parquet.NewGenericRowGroupReader[R](group)
	defer in.Close() //nolint:errcheck // nothing is written
	rows, columns := make([]parquet.Row, batch), kinds(in.Schema())
	for {
		n, err := in.ReadRows(rows)
		for _, row := range rows[:n] {
			if !complete(columns, row) {
				return damaged(path, "values are missing")
			}
		}
		if n > 0 {
			if err := do(rows[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return damaged(path, err)
		case n == 0:
			return damaged(path, "rows without end")
		}
	}
}
