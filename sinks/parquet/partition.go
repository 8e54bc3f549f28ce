package parquet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/loopgauge/loopgauge/window"
)

// A dataset may be written by several processes, each of which puts the parts
// of some partitions of a shared log into it. The name of a part begins with
// its partition. What became of all that one partition brought is the run of
// the partition, in a folder of ours; the dataset's run is their sum.

// reports is the folder, in own, of the runs of partitions.
const reports = "partitions"

// reportName is the partition, and the number of the last part that is in the
// dataset.
const reportName = "%04d-%09d.parquet"

var reportNames = regexp.MustCompile(`^(\d{4,9})-(\d{9,18})\.parquet$`)

// report is the run of a partition.
type report struct {
	partition int
	part      int64 // the last that is in the dataset
	path      string
}

// reportsOf finds the newest report of each partition, in their order, and
// older ones that a crash left.
func reportsOf(dir string) (list []report, old []string, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, own, reports))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, e := range entries { // sorted by name
		m := reportNames.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		r := report{path: filepath.Join(dir, own, reports, e.Name())}
		r.partition, _ = strconv.Atoi(m[1])
		r.part, _ = strconv.ParseInt(m[2], 10, 64)
		if k := len(list) - 1; k >= 0 && list[k].partition == r.partition {
			old = append(old, list[k].path)
			list[k] = r
			continue
		}
		list = append(list, r)
	}
	return list, old, nil
}

// Spool is a folder in dir that no query looks into, for rows of partitions
// that are not in the dataset yet.
func Spool(dir string) string { return filepath.Join(dir, own, "spool") }

// HoldsPartition tells whether a part of a partition is in the dataset.
func HoldsPartition(dir string, partition int) (bool, error) {
	list, _, err := reportsOf(dir)
	return slices.ContainsFunc(list, func(r report) bool { return r.partition == partition }), err
}

// AppendPartition is [Append] for a part of one partition, with its number. A
// part that is in the dataset, or was, is never put there again: there is nil
// then. So a process that has lost the partition without knowing it spoils
// nothing, however late it is.
func AppendPartition(dir string, plan *window.Plan, partition int, number int64, part string, first int64) (*Dataset, error) {
	d, err := Append(dir, plan, fmt.Sprintf("p%04d-%s", partition, part), first)
	if err != nil {
		return nil, err
	}
	list, old, err := reportsOf(dir)
	if err != nil {
		d.Abort()
		return nil, err
	}
	d.shared = &sharedPart{report: report{partition: partition, part: number}}
	for _, r := range list {
		switch {
		case r.partition != partition:
			d.shared.others = append(d.shared.others, r.path)
		case r.part >= number:
			d.Abort()
			return nil, nil //nolint:nilnil // it is there
		default:
			old = append(old, r.path)
		}
	}
	d.shared.old = old
	return d, nil
}

// sharedPart is a part of one partition that is being written.
type sharedPart struct {
	report
	others []string // reports of other partitions
	old    []string // reports that are of no use when the part is in its place
}

// writeReport writes the run of the partition, and then the sum of all.
func (d *Dataset) writeReport(row *runRow) error {
	s := d.shared
	if err := writeFile(d, []runRow{*row}, own, reports, fmt.Sprintf(reportName, s.partition, s.part)); err != nil {
		return err
	}
	for _, path := range s.others {
		other, err := readRunFile(path)
		if err != nil {
			return err
		}
		if other.PolicyHash != row.PolicyHash {
			return fmt.Errorf("%s: another process has written to it by another policy: stop every watch of the group, and give all of them the same", d.dir)
		}
		row.add(other)
	}
	return nil
}

// firstKey is where a file of events says how many the partition had before
// its first: their numbers are those of the log, which do not tell.
const firstKey = "loopgauge.first"

func firstIs(n int64) format.KeyValue {
	return format.KeyValue{Key: firstKey, Value: strconv.FormatInt(n, 10)}
}

// firstOf is what a file of events of a partition says.
func firstOf(file *parquet.File) (n int64, ok bool) {
	text, ok := file.Lookup(firstKey)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}
