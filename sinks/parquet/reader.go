package parquet

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/loopgauge/loopgauge/window"
)

// Reader reads the events of a dataset again. Memory holds the pages that are
// at work and the next ones, however many events there are.
type Reader struct {
	Dir   string
	Run   Run
	Whole bool // all events of the run are read, not only some of its files

	// Removed is how many requests, the first of the run, its dataset does not
	// hold any more, since days are removed by age. Whole is then false.
	Removed int64

	// Of a dataset that several processes wrote: a reader of each partition,
	// what it reads next, and which of them was used last.
	parts []*Reader
	ahead []*window.Event
	taken int

	// Of a reader of a partition: events have numbers that do not rise.
	numbered  bool
	partition int

	rules []ruleRow
	files []string
	size  int64
	read  atomic.Int64 // of size

	plan    *window.Plan // that made the events
	want    *window.Plan
	answers *window.Answers
	asks    bool // for the rules' choices
	origins bool // are asked for

	open *eventFile
	rows *eventColumns // of the open file
	next int64         // the least seq that may come
	n    int64         // events
	time int64         // of the last one

	hold    int
	readers int          // this one, and those of the other partitions
	making  *eventsAhead // nil before the first event is asked for
	*frame               // at work
	frames  frames       // for those to come
	told    []told       // by identity of plan
	scopes  []int32      // by scope its entry, -1 if there is none
}

// told is what rows have told of an identity of the run.
type told struct {
	into int    // where it is in an event, -1 where nobody asks
	name string // that its rows give it, once one has
	next int    // ordinal of the next row of the event at work; -1 if none may follow
}

// eventFile is one file of events.
type eventFile struct {
	path string
	file *os.File
	size int64
}

// Open opens the dataset in dir. files are those of its event files that are
// to be read, all if there are none.
func Open(dir string, files ...string) (*Reader, error) {
	r := &Reader{Dir: dir, files: files, Whole: len(files) == 0, rows: newEventColumns()}
	if err := r.readRun(); err != nil {
		return nil, err
	}
	if r.Whole {
		if err := listed(dir); err != nil {
			return nil, err
		}
		r.files = filesOf(dir, "events", "*.parquet")
	}
	slices.Sort(r.files) // the folders' names are dates
	r.files = slices.Compact(r.files)
	if r.Whole {
		r.files = slices.DeleteFunc(r.files, func(file string) bool {
			_, shared := partitionOf(file)
			return !shared && early(file, r.Run.Judged)
		})
	}
	if err := r.split(); err != nil {
		return nil, err
	}
	if r.Whole && len(r.files) > 0 && len(r.parts) == 0 {
		if r.Removed = firstEvent(r.files[0]); r.Removed > 0 {
			r.Whole = false
		}
	}
	for _, file := range r.files {
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		r.size += info.Size()
	}
	return r, nil
}

// listed says which folder of events may not be looked into. A pattern passes
// over it, as if its days had been removed.
func listed(dir string) error {
	folder := filepath.Join(dir, "events")
	days, err := filepath.Glob(filepath.Join(escaped(folder), "date=*"))
	if err != nil {
		return err
	}
	for _, name := range append(days, folder) {
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
	if rows.open(file); rows.next() == nil {
		seq = rows.seq.at(0)
	}
	return seq
}

// Prepare makes ready to give the events to a plan. have is the plan of the
// policy in Run, of which want must not lack anything. Unless origins are asked
// for, events may lack their id, and a position does no more than
// tell them apart. Next keeps as many events as hold.
func (r *Reader) Prepare(have, want *window.Plan, origins bool, hold int) error {
	for _, p := range r.parts {
		p.readers = len(r.parts)
		if err := p.Prepare(have, want, true, hold); err != nil { // merged by position
			return err
		}
	}
	if len(have.Rules) != len(r.rules) {
		return damaged(runFile(r.Dir), fmt.Sprintf("%d rules, %d in its policy", len(r.rules), len(have.Rules)))
	}
	for i, rule := range have.Rules {
		row := &r.rules[i]
		if row.Rule != rule.Name || int(row.Identity) != have.IdentityOf(i) || int(row.Scope) != have.ScopeOf(i) {
			return damaged(runFile(r.Dir), fmt.Sprintf("rule %d is not the one in its policy", i))
		}
	}
	r.plan, r.want, r.answers = have, want, window.Kept{Plan: have, Hashed: r.Run.HashIDs}.Answers(want)
	r.frames, r.scopes, r.time = frames{plan: want}, make([]int32, len(have.Scopes)), math.MinInt64
	r.told = make([]told, len(have.Identities))
	for i := range r.told {
		r.told[i].into = slices.Index(r.answers.Identities, i)
	}
	r.hold, r.readers = hold, max(r.readers, 1)
	r.asks = slices.ContainsFunc(r.answers.Rules, func(like int) bool { return like >= 0 })
	r.origins = origins || r.answers.Looks()
	return nil
}

// Size is how many bytes the files have, Read how many have been read.
func (r *Reader) Size() int64 { return r.size }

// Read is how many bytes of the files have been read.
func (r *Reader) Read() int64 {
	sum := r.read.Load()
	for _, p := range r.parts {
		sum += p.Read()
	}
	return sum
}

// Close closes what is open.
func (r *Reader) Close() {
	for _, p := range r.parts {
		p.Close()
	}
	if r.making != nil {
		r.making.close()
		r.making = nil
	}
	r.closeFile()
}

func (r *Reader) closeFile() {
	if r.open != nil {
		r.rows.close()
		r.open.file.Close()
		r.open = nil
	}
}

// Next is the next event, as the run judged them; io.EOF after the last. keep
// says that the one before has to stay what it is, until so many more are kept
// as Prepare was told.
func (r *Reader) Next(keep bool) (ev *window.Event, err error) {
	if len(r.parts) > 0 {
		return r.merge(keep)
	}
	if r.making == nil {
		r.making = makeAhead(r.events, max(eventsOfBatch/r.readers, leastOfBatch), r.hold)
	}
	return r.making.next(keep)
}

// events makes the next events in frames, of which some may be yet to be made. It
// tells how many, and what came in place of one more.
func (r *Reader) events(in []*frame) (made int, err error) {
	defer func() {
		if what := recover(); what != nil { // as guard, once for all of them
			err = damaged(r.open.path, what)
		}
	}()
	for ; made < len(in); made++ {
		if err := r.fill(); err != nil {
			return made, err
		}
		if in[made] == nil {
			in[made] = r.frames.next()
		}
		r.frame = in[made]
		seq := r.rows.seq.at(r.rows.row)
		if err := r.make(seq); err != nil {
			return made, damaged(r.open.path, fmt.Sprintf("request %d: %v", seq, err))
		}
	}
	return made, nil
}

// fill makes sure that there is a row.
func (r *Reader) fill() error {
	for {
		if r.open != nil && r.rows.ready() {
			return nil
		}
		if r.open == nil {
			if len(r.files) == 0 {
				return r.end()
			}
			if err := r.openFile(r.files[0]); err != nil {
				return err
			}
			r.files = r.files[1:]
		}
		more, err := r.row()
		if more || err != nil {
			return err
		}
		r.closeFile()
	}
}

// row makes sure that there is a row of the open file, and says if there is
// none any more.
func (r *Reader) row() (more bool, err error) {
	f := r.open
	defer guard(f.path, &err)
	switch err := r.rows.next(); {
	case errors.Is(err, io.EOF):
		r.read.Add(f.size)
		if r.rows.done != r.rows.total {
			return false, damaged(f.path, fmt.Sprintf("holds %d rows of %d", r.rows.done, r.rows.total))
		}
		return false, nil
	case err != nil:
		return false, damaged(f.path, err)
	}
	return true, nil
}

func (r *Reader) openFile(path string) error {
	file, f, err := beginEvents(path)
	if err != nil {
		return err
	}
	r.rows.open(file)
	r.open = &eventFile{path: path, file: f, size: file.Size()}
	return nil
}

// end checks that nothing is missing.
func (r *Reader) end() error {
	if want := r.Run.Judged - r.Removed; (r.Whole || r.Removed > 0) && r.n != want {
		why := "a file in events is missing or cut"
		if r.n == 0 {
			why = "all days were removed by age, or " + why
		}
		return fmt.Errorf("%s: holds %d of the %d requests that were judged: %s\nwrite the dataset anew from the logs: loopgauge replay --out DIR LOG", r.Dir, r.n, want, why)
	}
	return io.EOF
}
