package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync/atomic"

	"github.com/loopgauge/loopgauge/window"
)

// eventReader reads what one process wrote: all of a dataset, or a partition's.
type eventReader struct {
	dir       string
	logs      int  // of the run
	shared    bool // it is of a partition: events have numbers that do not rise
	partition int
	judged    int64 // requests
	removed   int64 // the first of them, whose days were removed by age
	whole     bool  // all the others are to be there
	files     []string
	begun     int          // of them
	read      atomic.Int64 // bytes

	plan    *window.Plan // that made the events
	want    *window.Plan
	answers *window.Answers
	sought  *window.Sought // nil for all
	asks    bool           // for the rules' choices
	origins bool           // are asked for

	open *eventFile
	rows *eventColumns // of the open file
	next int64         // the least seq that may come
	past int64         // likewise behind the row groups that are passed over
	n    int64         // events
	time int64         // of the last one

	atOnce, hold int          // as makeAhead has them
	making       *eventsAhead // nil before the first event is asked for
	*frame                    // at work
	frames       frames       // for those to come
	told         []told       // by identity of plan
	scopes       []int32      // by scope its entry, -1 if there is none
}

// told is what rows have told of an identity of the run.
type told struct {
	into int    // where it is in an event, -1 where nobody asks
	name string // that its rows give it, once one has
	next int    // ordinal of the next row of the event at work; -1 if none may follow
}

type eventFile struct {
	path string
	file *os.File
	size int64
}

func (r *eventReader) prepare(have, want *window.Plan, answers *window.Answers, origins bool, sought *window.Sought) {
	r.close() // what was read before
	r.begun, r.next, r.past, r.n, r.time = 0, 0, 0, 0, math.MinInt64
	r.read.Store(0)
	r.plan, r.want, r.answers = have, want, answers
	r.frames, r.scopes = frames{plan: want}, make([]int32, len(have.Scopes))
	r.told = make([]told, len(have.Identities))
	for i := range r.told {
		r.told[i].into = slices.Index(answers.Identities, i)
	}
	if r.sought = sought; r.shared { // numbers that do not rise do not tell what is passed over
		r.sought = nil
	}
	r.asks = slices.ContainsFunc(answers.Rules, func(like int) bool { return like >= 0 })
	r.origins = origins || r.shared || answers.Looks() // partitions are merged by position
}

func (r *eventReader) nextEvent(keep bool) (*window.Event, error) {
	if r.making == nil {
		r.making = makeAhead(r.events, r.atOnce, r.hold)
	}
	return r.making.next(keep)
}

func (r *eventReader) close() {
	if r.making != nil {
		r.making.close()
		r.making = nil
	}
	r.closeFile()
}

func (r *eventReader) closeFile() {
	if r.open != nil {
		r.rows.close()
		r.open.file.Close()
		r.open = nil
	}
}

// events makes the next events in frames, of which some may be yet to be made. It
// tells how many, and what came in place of one more.
func (r *eventReader) events(in []*frame) (made int, err error) {
	defer func() {
		if what := recover(); what != nil { // as guard, once for all of them
			err = damaged(r.open.path, what)
		}
	}()
	for made < len(in) {
		if err := r.fill(); err != nil {
			return made, err
		}
		seq := r.rows.seq.at(r.rows.row)
		if r.rows.isPassed(seq) {
			if _, err := r.rows.step(seq); err != nil {
				return made, damaged(r.open.path, err)
			}
			continue
		}
		if in[made] == nil {
			in[made] = r.frames.next()
		}
		r.frame = in[made]
		if err := r.make(seq); err != nil {
			return made, damaged(r.open.path, fmt.Sprintf("request %d: %v", seq, err))
		}
		made++
	}
	return made, nil
}

// fill makes sure that there is a row.
func (r *eventReader) fill() error {
	for {
		if r.open != nil && r.rows.ready() {
			return nil
		}
		if r.open == nil {
			if r.begun == len(r.files) {
				return r.end()
			}
			if err := r.openFile(r.files[r.begun]); err != nil {
				return err
			}
			r.begun++
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
func (r *eventReader) row() (more bool, err error) {
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

func (r *eventReader) openFile(path string) error {
	file, f, err := beginEvents(path)
	if err != nil {
		return err
	}
	r.open = &eventFile{path: path, file: f, size: file.Size()}
	if err := r.rows.open(file, r.sought); err != nil {
		return damaged(path, err)
	}
	r.n += r.rows.counted
	r.next = max(r.next, r.past) // nothing of the files before may follow
	if passed := r.rows.passed; len(passed) > 0 {
		if first := passed[0].first; first < r.next {
			return damaged(path, fmt.Sprintf("request %d: out of place", first))
		}
		r.past = passed[len(passed)-1].last + 1
	}
	return nil
}

// end checks that nothing is missing.
func (r *eventReader) end() error {
	if want := r.judged - r.removed; (r.whole || r.removed > 0) && r.n != want {
		why := "a file in events is missing or cut"
		if r.n == 0 {
			why = "all days were removed by age, or " + why
		}
		return fmt.Errorf("%s: holds %d of the %d requests that were judged: %s\nwrite the dataset anew from the logs: loopgauge replay --out DIR LOG", r.dir, r.n, want, why)
	}
	return io.EOF
}
