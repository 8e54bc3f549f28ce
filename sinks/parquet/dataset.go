package parquet

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
)

// rowGroup is how many rows a row group has: a reader skips row groups, and a
// writer holds one in memory.
const rowGroup = 1 << 16

// Dataset writes one run into a directory. Its files appear when Close is
// called, and not at all otherwise.
type Dataset struct {
	dir      string
	part     string      // name of the part; empty if there is only one
	unlock   func()      // nil if nobody else can be at work
	first    int64       // number of its first event
	shared   *sharedPart // nil if one process writes the dataset
	plan     *window.Plan
	made     []string // folders, to be taken away again
	files    []*sinks.AtomicFile
	events   *events
	verdicts *verdicts
	episodes *episodes
}

// Create begins a dataset in dir, which must not hold one already: rows of two
// runs in one dataset would be counted twice.
func Create(dir string, plan *window.Plan) (*Dataset, error) {
	d := &Dataset{dir: dir, plan: plan}
	for _, name := range Folders {
		if entries, err := os.ReadDir(filepath.Join(dir, name)); err == nil && len(entries) > 0 {
			return nil, HoldsRun(dir)
		}
	}
	if err := notWatched(dir); err != nil {
		return nil, err
	}
	for _, name := range append([]string{"run"}, byDay...) {
		if err := d.mkdir(filepath.Join(dir, name)); err != nil {
			d.Abort()
			return nil, err
		}
	}
	d.begin(0)
	return d, nil
}

// begin makes ready for events from number first on.
func (d *Dataset) begin(first int64) {
	d.events, d.verdicts, d.episodes = newEvents(d, d.plan), newVerdicts(d), newEpisodes(d)
	d.events.seq, d.first = first, first
}

// mkdir makes a folder and those above it, and remembers which it made.
func (d *Dataset) mkdir(dir string) error {
	var missing []string
	for at := dir; ; at = filepath.Dir(at) {
		_, err := os.Stat(at)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		missing = append(missing, at)
	}
	for _, m := range slices.Backward(missing) {
		if err := os.Mkdir(m, 0o700); err != nil {
			return err
		}
		d.made = append(d.made, m)
	}
	return nil
}

func (d *Dataset) file(parts ...string) (*sinks.AtomicFile, error) {
	path := filepath.Join(append([]string{d.dir}, parts...)...)
	if err := d.mkdir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	f, err := sinks.CreateAtomic(path)
	if err != nil {
		return nil, err
	}
	d.files = append(d.files, f)
	return f, nil
}

// AddEvent adds the rows of an event. Events come in release order. They are of
// the dataset's plan, or of one that begins with its rules. Of one that several
// processes see the home adds the rows.
func (d *Dataset) AddEvent(ev *window.Event) error {
	if ev.Copy() {
		return nil
	}
	own, seq := *ev, d.events.seq
	if p := ev.Portion; p != nil {
		seq = p.Number
		if len(p.All) > 0 {
			own.Rules = p.All
		}
	}
	identities, scopes := d.plan.Own()
	own.Prints, own.Scopes, own.Rules = ev.Prints[:identities], ev.Scopes[:scopes], own.Rules[:len(d.plan.Rules)]
	return d.events.add(&own, seq)
}

// Events is the number of the event that is added next.
func (d *Dataset) Events() int64 { return d.events.seq }

// AddVerdict adds a verdict on the event of a number. Verdicts come in the
// order of their events.
func (d *Dataset) AddVerdict(v *window.Verdict, event int64) error {
	if p := v.Event.Portion; p != nil {
		event = p.Number
	}
	return d.verdicts.add(v, event)
}

// AddEpisode adds an episode.
func (d *Dataset) AddEpisode(e *window.Episode) error { return d.episodes.add(e) }

// Close writes what is left and puts all files in their places, the run last:
// where there is a run, its events and episodes are complete.
func (d *Dataset) Close(run Run) error {
	if err := d.fill(); err != nil {
		return err
	}
	if err := errors.Join(d.events.close(), d.verdicts.close(), d.episodes.flush()); err != nil {
		return err
	}
	if err := d.writeRun(run); err != nil {
		return err
	}
	if err := d.stillFree(); err != nil {
		return err
	}
	for _, f := range d.files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	if d.shared != nil {
		for _, path := range d.shared.old {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	d.made = nil
	d.release()
	return nil
}

// stillFree is an error if another run, or a watch, has taken the directory of one
// that is written whole since that was begun.
func (d *Dataset) stillFree() error {
	if d.part != "" {
		return nil
	}
	if err := notWatched(d.dir); err != nil {
		return err
	}
	if Holds(d.dir) {
		return HoldsRun(d.dir)
	}
	return nil
}

// release lets others put files in their places.
func (d *Dataset) release() {
	if d.unlock != nil {
		d.unlock()
		d.unlock = nil
	}
}

// fill makes sure that a dataset with events has verdicts and episodes too, if
// only files without rows: a query then answers that there are none, where
// without a file it fails.
func (d *Dataset) fill() error {
	if d.first > 0 || d.events.day == "" {
		return nil
	}
	if d.verdicts.day == "" {
		if err := d.verdicts.begin(d.events.day); err != nil {
			return err
		}
	}
	if d.episodes.part == 0 && d.episodes.rows == 0 {
		d.episodes.days[d.events.day] = nil
	}
	return nil
}

// Abort removes what was not put in its place.
func (d *Dataset) Abort() {
	for _, f := range d.files {
		f.Abort()
	}
	for _, v := range slices.Backward(d.made) {
		os.Remove(v) // stays if something is in it
	}
	d.release()
}

// writeFile writes a file of rows that are all there, in the folder of its
// table.
func writeFile[R any](d *Dataset, rows []R, parts ...string) error {
	f, err := d.file(parts...)
	if err != nil {
		return err
	}
	out := parquet.NewGenericWriter[R](f, layouts[parts[0]].options()...)
	return errors.Join(writeRows(out, rows), out.Close(), f.Seal())
}

// writeRows writes rows. Write of parquet-go 0.32 makes empty texts of some
// nulls: of the second in null, "a", null.
func writeRows[R any](out *parquet.GenericWriter[R], rows []R) error {
	var list []parquet.Row
	for i := range rows {
		list = append(list, out.Schema().Deconstruct(nil, &rows[i]))
	}
	_, err := out.WriteRows(list)
	return err
}

// date is the folder of a day, UTC.
func date(micros int64) string {
	return "date=" + time.UnixMicro(micros).UTC().Format(time.DateOnly)
}

type scopeValue struct {
	Field string `parquet:"field,dict"`
	Value string `parquet:"value,dict"`
}
