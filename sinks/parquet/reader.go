package parquet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// Reader reads the events of a dataset again, in the order in which they were
// judged. Memory holds the pages that are at work and the next ones, however many
// events there are.
type Reader struct {
	Dir   string
	Run   Run
	Whole bool // all events of the run are read, not only some of its files

	// Removed is how many requests, the first of the run, its dataset does not
	// hold any more, since days are removed by age. Whole is then false.
	Removed int64

	rules []ruleRow
	size  int64
	from  []*eventReader // one, or one of each process that wrote the dataset

	// Where they are several.
	ahead []*window.Event // what each reads next; nil before the first
	taken int             // the one that was used last
}

// Open opens the dataset in dir. files are those of its event files that are
// to be read, all if there are none.
func Open(dir string, files ...string) (*Reader, error) {
	run, err := readRun(dir)
	if err != nil {
		return nil, err
	}
	r := &Reader{Dir: dir, Run: run.Run, Whole: len(files) == 0, rules: run.Rules}
	if r.Whole {
		if err := listed(dir); err != nil {
			return nil, err
		}
		files = filesOf(dir, "events", "*.parquet")
	}
	files = slices.Compact(slices.Sorted(slices.Values(files))) // the folders' names are dates
	if r.Whole {
		files = slices.DeleteFunc(files, func(file string) bool {
			_, shared := partitionOf(file)
			return !shared && early(file, r.Run.Judged)
		})
	}
	if slices.ContainsFunc(files, func(f string) bool { _, shared := partitionOf(f); return shared }) {
		err = r.split(files)
	} else {
		r.alone(files)
	}
	if err != nil {
		return nil, err
	}
	for _, e := range r.from {
		if e.removed > 0 {
			e.whole, r.Whole = false, false
		}
		r.Removed += e.removed
		for _, file := range e.files {
			info, err := os.Stat(file)
			if err != nil {
				return nil, err
			}
			r.size += info.Size()
		}
	}
	return r, nil
}

// alone has what one process wrote read.
func (r *Reader) alone(files []string) {
	e := r.add(r.Run.Judged)
	if e.files, e.whole = files, r.Whole; e.whole && len(files) > 0 {
		e.removed = firstEvent(files[0])
	}
}

// add adds a reader of what one process wrote, which judged so many requests.
func (r *Reader) add(judged int64) *eventReader {
	e := &eventReader{dir: r.Dir, judged: judged, logs: len(r.Run.Logs), rows: newEventColumns()}
	r.from = append(r.from, e)
	return e
}

// listed says which folder of events may not be looked into. A pattern passes
// over it, as if its days had been removed.
func listed(dir string) error {
	folder := filepath.Join(dir, "events")
	for _, name := range append(below(folder, "date=*"), folder) {
		if _, err := os.ReadDir(name); errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%w\nrun as a user who may read it", err)
		}
	}
	return nil
}

// firstEvent is the number of the first event in a file; 0 if it cannot be
// read, which who reads the file says.
func firstEvent(path string) (seq int64) {
	var err error
	defer guard(path, &err) // who reads the file says what is wrong with it
	file, f, err := beginEvents(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	if n, ok := firstOf(file); ok {
		return n
	}
	rows := newEventColumns()
	defer rows.close()
	if rows.open(file, nil) == nil && rows.next() == nil {
		seq = rows.seq.at(0)
	}
	return seq
}

// Prepare makes ready to give the events to a plan, from the first on, whatever was
// read before. have is the plan of the policy in Run, of which want must not lack
// anything. Unless origins are asked
// for, events may lack their id, and a position does no more than
// tell them apart. Next keeps as many events as hold. Events that are not sought may
// be left out; nil seeks all.
func (r *Reader) Prepare(have, want *window.Plan, origins bool, hold int, sought *window.Sought) error {
	if len(have.Rules) != len(r.rules) {
		return damaged(runFile(r.Dir), fmt.Sprintf("%d rules, %d in its policy", len(r.rules), len(have.Rules)))
	}
	for i, rule := range have.Rules {
		row := &r.rules[i]
		if row.Rule != rule.Name || int(row.Identity) != have.IdentityOf(i) || int(row.Scope) != have.ScopeOf(i) {
			return damaged(runFile(r.Dir), fmt.Sprintf("rule %d is not the one in its policy", i))
		}
	}
	r.ahead = nil
	for _, e := range r.from {
		e.prepare(have, want, window.Kept{Plan: have, Hashed: r.Run.HashIDs}.Answers(want), origins, sought)
		e.atOnce, e.hold = max(eventsOfBatch/len(r.from), leastOfBatch), hold
	}
	return nil
}

// Size is how many bytes the files have, Read how many have been read.
func (r *Reader) Size() int64 { return r.size }

// Read is how many bytes of the files have been read.
func (r *Reader) Read() (sum int64) {
	for _, e := range r.from {
		sum += e.read.Load()
	}
	return sum
}

// Close closes what is open.
func (r *Reader) Close() {
	for _, e := range r.from {
		e.close()
	}
}

// Next is the next event, as the run judged them; io.EOF after the last. keep
// says that the one before has to stay what it is, until so many more are kept
// as Prepare was told.
func (r *Reader) Next(keep bool) (*window.Event, error) {
	if len(r.from) == 1 {
		return r.from[0].nextEvent(keep)
	}
	return r.merge(keep)
}
