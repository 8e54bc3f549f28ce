package parquet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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

// byDay are the folders of a dataset that hold a folder a day.
var byDay = []string{"events", "verdicts", "episodes"}

// Folders are those that a dataset may have. Where there is the last, the
// others are complete.
var Folders = slices.Concat(byDay, []string{"sweep", "run"})

// HoldsRun is why no dataset can be made in a place.
func HoldsRun(place string) error {
	return fmt.Errorf("%s: holds a run already: name another directory, or remove it", place)
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

// Claim tells whose dataset it is that dir holds, and makes it that of owner if
// there is none yet. by is empty if nobody is known. Until release is called no
// other may claim it.
func Claim(dir, owner string) (by string, release func(), err error) {
	if release, err = watching(dir, syscall.LOCK_EX); err != nil {
		return "", nil, err
	}
	if isShared(dir) {
		return "", release, nil
	}
	name := stateFile(dir)
	text, err := os.ReadFile(name)
	if err == nil && string(text) == owner || Holds(dir) {
		return string(text), release, nil
	}
	if err := sinks.WriteAtomic(name, []byte(owner)); err != nil {
		release()
		return "", nil, err
	}
	return owner, release, nil
}

// stateFile says whose dataset it is.
func stateFile(dir string) string { return filepath.Join(dir, own, "state") }

// notWatched is an error if a watch, or several, have made dir theirs; they may not
// have written yet.
func notWatched(dir string) error {
	if _, err := os.Stat(stateFile(dir)); err != nil && !isShared(dir) {
		return nil
	}
	return fmt.Errorf("%s: is the dataset of a watch: name another directory, or remove it with its folder %s", dir, own)
}

// errWatched is that another watch writes to the dataset.
var errWatched = errors.New("another watch writes to it: stop that, or name another directory")

// watching keeps watches away that may not write beside this one, until release
// is called.
func watching(dir string, how int) (release func(), err error) {
	return lockNow(dir, "watch", how, errWatched)
}

// Follows tells whether a part, whose first event has the number first, may come
// next in dir: there is nothing yet, or what is there ends where it begins, or it
// is there already.
func Follows(dir, part string, first int64) bool {
	if !Holds(dir) {
		return true
	}
	if run, err := LastRun(dir); err == nil && run.Judged == first {
		return true
	}
	return slices.ContainsFunc(byDay, func(table string) bool { return len(filesOf(dir, table, part+"*.parquet")) > 0 })
}

// Append begins a part of a dataset in dir that grows. Parts sort by their
// names in the order of their events; first is the number of the first event.
// A part of the same name, and the run, are replaced.
func Append(dir string, plan *window.Plan, part string, first int64) (*Dataset, error) {
	unlock, err := lock(dir)
	if err != nil {
		return nil, err
	}
	d := &Dataset{dir: dir, plan: plan, part: part, unlock: unlock}
	d.begin(first)
	return d, nil
}

// Discard removes the parts of a dataset that grows whose names sort at part
// or behind it.
func Discard(dir, part string) error {
	if !Holds(dir) {
		return nil
	}
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	for _, table := range byDay {
		for _, f := range filesOf(dir, table, "*.parquet") {
			from, to, merged := strings.Cut(filepath.Base(f), "_")
			switch {
			case !fileNames.MatchString(filepath.Base(f)):
			case from >= part:
				if err := os.Remove(f); err != nil {
					return err
				}
			case merged && to >= part:
				return fmt.Errorf("%s: holds part %s, which is to be written anew, among others: it was compacted too early\nwrite the dataset anew from the log: loopgauge replay --out DIR LOG", f, part)
			}
		}
	}
	return nil
}

// LastRun is the run as of the last part. Nothing else is looked at: others may
// be at work on the rest.
func LastRun(dir string) (Run, error) {
	r := &Reader{Dir: dir}
	err := r.readRun()
	return r.Run, err
}

// Holds tells whether dir holds events, of a run that has ended or not.
func Holds(dir string) bool {
	return len(filesOf(dir, "events", "*.parquet")) > 0 || IsDataset(dir)
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

// file begins a file of the dataset.
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

// scopeValue is one field of a scope with its value.
type scopeValue struct {
	Field string `parquet:"field,dict"`
	Value string `parquet:"value,dict"`
}

// IsDataset tells whether dir holds a dataset: its run is written last.
func IsDataset(dir string) bool {
	info, err := os.Stat(runFile(dir))
	return err == nil && info.Mode().IsRegular()
}

// RunName is the file of a dataset that is written last, with slashes.
const RunName = "run/run.parquet"

func runFile(dir string) string { return filepath.Join(dir, filepath.FromSlash(RunName)) }

// IsRead tells of a file in a dataset, by its name with slashes, whether [Open]
// reads it.
func IsRead(file string) bool {
	return file == RunName || strings.HasPrefix(file, "events/") || strings.HasPrefix(file, own+"/"+reports+"/")
}

// Find finds the datasets below dir, itself included.
func Find(dir string) (list []string, err error) {
	if IsDataset(dir) {
		return []string{dir}, nil
	}
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		dir += string(filepath.Separator) // WalkDir does not follow a link
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && IsDataset(path) {
			list = append(list, path)
			return fs.SkipDir
		}
		return nil // what cannot be read is no dataset; who reads the logs in it says so
	})
	return list, err
}

// InFolders tells whether path is in one of the folders of the dataset in dir.
func InFolders(dir, path string) bool {
	in, err := filepath.Rel(dir, path)
	folder, _, below := strings.Cut(in, string(filepath.Separator))
	return err == nil && below && slices.Contains(Folders, folder)
}

// escaped is a name as a pattern that only it matches.
func escaped(name string) string {
	var b strings.Builder
	for _, c := range name {
		if strings.ContainsRune(`*?[\`, c) && filepath.Separator != '\\' {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
