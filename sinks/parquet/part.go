package parquet

import (
	"path/filepath"
	"regexp"
	"strconv"
)

// The names of the files of a day. Of a dataset that grows each is of a part,
// [pPARTITION-]NUMBER-FIRST, where only one that several processes write has
// partitions; what compaction makes of several files has the first and the last.
// The files of a run that has ended are called by their table.
const (
	partName = `(?:p(\d{4,9})-)?(\d{9,18})-(\d{12,18})`
	baseName = `(?:events|verdicts|episodes|` + partName + `)(?:-\d{4,})?`
	fileName = baseName + `(?:_` + baseName + `)?\.parquet`
)

var fileNames = regexp.MustCompile(`^` + fileName + `$`)

// part is what the name of a part says.
type part struct {
	partition int   // -1 if one process writes the dataset
	number    int64 // of the part in its partition
	first     int64 // number of its first event
}

// partsOf are the first and the last part that a file holds; ok is false if it
// is of none.
func partsOf(path string) (first, last part, ok bool) {
	first.partition = -1
	m := fileNames.FindStringSubmatch(filepath.Base(path))
	if m == nil || m[2] == "" {
		return first, first, false
	}
	first = newPart(m[1:4])
	if m[5] == "" {
		return first, first, true
	}
	return first, newPart(m[4:7]), true
}

func newPart(digits []string) part {
	p := part{partition: -1}
	if digits[0] != "" {
		p.partition, _ = strconv.Atoi(digits[0])
	}
	p.number, _ = strconv.ParseInt(digits[1], 10, 64)
	p.first, _ = strconv.ParseInt(digits[2], 10, 64)
	return p
}

// partitionOf is the partition that a file is of; ok is false if one process
// wrote the dataset.
func partitionOf(path string) (partition int, ok bool) {
	first, _, _ := partsOf(path)
	return first.partition, first.partition >= 0
}

// early tells whether a file is of a part that begins behind all that the run has
// judged: it is in its place already, and the run, which comes last, is not yet.
func early(file string, judged int64) bool {
	first, last, ok := partsOf(file)
	return ok && first == last && first.first >= judged
}
