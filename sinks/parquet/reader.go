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
	"strings"
	"sync"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/loopgauge/loopgauge/fingerprint"
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
	said int64 // bytes that count as read
}

// IsDataset tells whether dir holds a dataset: its run is written last.
func IsDataset(dir string) bool {
	info, err := os.Stat(runFile(dir))
	return err == nil && info.Mode().IsRegular()
}

func runFile(dir string) string { return filepath.Join(dir, "run", "run.parquet") }

// Open opens the dataset in dir. files are those of its event files that are
// to be read, all if there are none.
func Open(dir string, files ...string) (*Reader, error) {
	r := &Reader{Dir: dir, files: files, Whole: len(files) == 0, rows: newEventColumns()}
	if err := r.readRun(); err != nil {
		return nil, err
	}
	if r.Whole {
		err := listed(dir)
		if err != nil {
			return nil, err
		}
		if r.files, err = filepath.Glob(filepath.Join(escaped(dir), "events", "date=*", "*.parquet")); err != nil {
			return nil, err
		}
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
	if rows.open(file) == nil && rows.next() == nil {
		seq = rows.seq.at(0)
	}
	return seq
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

// wayOut is what to do about a file that cannot be read. Others write into the
// directories of a dataset too.
const wayOut = "take the file away if it is not of this dataset, else write the dataset anew from the logs: loopgauge replay --out DIR LOG"

// damaged says that a file is not as it was written.
func damaged(path string, what any) error {
	return fmt.Errorf("%s: damaged, or not written by loopgauge: %v\n%s", path, what, wayOut)
}

// guard turns what the library makes of a damaged file into an error: it
// panics with some of them.
func guard(path string, err *error) {
	if what := recover(); what != nil {
		*err = damaged(path, what)
	}
}

// added is the column of events that older files do not have.
const added = "answered"

// eventShape is that of files of events.
var eventShape = sync.OnceValue(func() []leaf { return leaves(parquet.SchemaOf(eventRow{}).Fields(), "") })

// beginEvents opens a file of events. Its columns are looked up in the file: a
// schema of its own nobody asks for, and to make one takes longer than to read it.
func beginEvents(path string) (*parquet.File, *os.File, error) {
	return begin(path, eventShape(), parquet.FileSchema(parquet.SchemaOf(eventRow{})))
}

// begin opens a file that must have some columns.
func begin(path string, want []leaf, options ...parquet.FileOption) (file *parquet.File, f *os.File, err error) {
	if f, err = os.Open(path); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	defer guard(path, &err)
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	file, err = openParquet(f, info.Size(), options...)
	if err != nil {
		return nil, nil, damaged(path, err)
	}
	for _, c := range want {
		have := columnOf(file, c.name)
		switch {
		case have == nil && c.name == added:
		case have == nil || !have.Leaf():
			return nil, nil, fmt.Errorf("%s: has no column %s: written by another program, or by an older loopgauge\n%s", path, c.name, wayOut)
		case have.Type() == parquet.Int96Type:
			return nil, nil, fmt.Errorf("%s: column %s is INT96, as Spark writes times, not %s\n%s", path, c.name, c.kind, wayOut)
		case kindOf(have) != c.kind:
			return nil, nil, damaged(path, fmt.Sprintf("column %s is %s, not %s", c.name, kindOf(have), c.kind))
		}
	}
	return file, f, nil
}

// openParquet opens a file that the library can unpack. What is not LZ4_RAW it
// takes for one that needs more memory, until there is none: a bit of the
// footer makes that of zstd.
func openParquet(f io.ReaderAt, size int64, options ...parquet.FileOption) (*parquet.File, error) {
	if err := checkFooter(f, size); err != nil {
		return nil, err
	}
	// Who reads everything has no use for what tells which pages to pass over.
	options = append(options, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	file, err := parquet.OpenFile(f, size, options...)
	if err != nil {
		return nil, err
	}
	for _, group := range file.Metadata().RowGroups {
		for i := range group.Columns {
			if c := &group.Columns[i].MetaData; c.Codec == format.Lz4Raw {
				return nil, fmt.Errorf("column %s is packed with %s, which is not read", strings.Join(c.PathInSchema, "."), c.Codec)
			}
		}
	}
	return file, nil
}

// columnOf is the column of a name; nil if there is none.
func columnOf(file *parquet.File, name string) *parquet.Column {
	at := file.Root()
	for more := true; more && at != nil; {
		var first string
		first, name, more = strings.Cut(name, ".")
		at = at.Column(first)
	}
	return at
}

// leaf is one column.
type leaf struct{ name, kind string }

func leaves(fields []parquet.Field, prefix string) (list []leaf) {
	for _, f := range fields {
		name := prefix + f.Name()
		if !f.Leaf() {
			list = append(list, leaves(f.Fields(), name+".")...)
			continue
		}
		list = append(list, leaf{name, kindOf(f)})
	}
	return list
}

func kindOf(f parquet.Node) string {
	kind := f.Type().String()
	if f.Optional() {
		kind += ", may be null"
	}
	return kind
}

// readRow reads a run.
func readRow(path string) (row *runRow, err error) {
	file, f, err := begin(path, leaves(parquet.SchemaOf(runRow{}).Fields(), ""))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer guard(path, &err)
	rows := parquet.NewGenericReader[runRow](file)
	defer rows.Close() //nolint:errcheck // nothing is written
	list := make([]parquet.Row, 2)
	n, err := rows.ReadRows(list)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, damaged(path, err)
	}
	if n != 1 {
		return nil, damaged(path, fmt.Sprintf("%d rows, not 1", n))
	}
	schema := rows.Schema()
	if !complete(schema, list[0]) {
		return nil, damaged(path, "values are missing")
	}
	row = new(runRow)
	if err := schema.Reconstruct(row, list[0]); err != nil {
		return nil, damaged(path, err)
	}
	return row, nil
}

// complete tells whether a row has values of each column, of its kind and in
// their order. The library puts those of another column where some are missing,
// numbers for texts.
func complete(schema *parquet.Schema, row parquet.Row) bool {
	for at, path := range schema.Columns() {
		column, _ := schema.Lookup(path...)
		n := 0
		for n < len(row) && row[n].Column() == at && (row[n].IsNull() || row[n].Kind() == column.Node.Type().Kind()) {
			n++
		}
		if n == 0 {
			return false
		}
		row = row[n:]
	}
	return len(row) == 0
}

func (r *Reader) readRun() error {
	path := runFile(r.Dir)
	row, err := readRow(path)
	if err != nil {
		return err
	}
	r.rules = row.Rules
	r.Run = Run{
		Version: row.Version, Created: row.Created, Policy: row.Policy, PolicyHash: row.PolicyHash,
		Lateness: row.Lateness, Disorder: math.NaN(), WorstLate: row.WorstLate, Tied: row.Tied, Answers: row.Answers, Unlogged: row.Unlogged,
		HashIDs: row.HashIDs, Keyed: row.Keyed, Logs: row.Logs, Excluded: row.ExcludedBy,
		Lines: row.Lines, Judged: row.Judged, Blank: row.Blank, Malformed: row.Malformed, Duplicate: row.Duplicate, Late: row.Late,
	}
	if row.Disorder != nil {
		r.Run.Disorder = *row.Disorder
	}
	if row.Excluded != r.Run.AllExcluded() || row.Lines != row.Judged+row.Blank+row.Malformed+row.Duplicate+row.Late+row.Excluded {
		return damaged(path, "its account does not add up")
	}
	return nil
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

// make makes the event of the request at hand in the frame at work.
func (r *Reader) make(seq int64) error {
	r.rows.fetch()
	if err := r.request(seq); err != nil {
		return err
	}
	if ev := &r.event; seq < r.next && !r.numbered || ev.Time < r.time || ev.Position.Stream < 0 || int(ev.Position.Stream) >= len(r.Run.Logs) {
		return errors.New("out of place")
	}
	r.next, r.time = seq+1, r.event.Time
	if err := r.gather(seq); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	r.n++
	return nil
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
		r.reads(f.size)
		if r.rows.done != r.rows.total {
			return false, damaged(f.path, fmt.Sprintf("holds %d rows of %d", r.rows.done, r.rows.total))
		}
		return false, nil
	case err != nil:
		return false, damaged(f.path, err)
	}
	return true, nil
}

// reads says how much of the open file counts as read.
func (r *Reader) reads(n int64) {
	r.read.Add(n - r.open.said)
	r.open.said = n
}

func (r *Reader) openFile(path string) error {
	file, f, err := beginEvents(path)
	if err != nil {
		return err
	}
	if err := r.rows.open(file); err != nil {
		f.Close()
		return damaged(path, err)
	}
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

// gather takes the fingerprints of the event from its rows, of which one at
// least is there.
func (r *Reader) gather(seq int64) error {
	for i := range r.told {
		r.told[i].next = 0
	}
	for i := range r.event.Prints {
		p := &r.event.Prints[i]
		p.Cause, p.Fingerprints, p.Tools = fingerprint.Computable, p.Fingerprints[:0], p.Tools[:0]
	}
	rows := r.rows
	for rows.seq.at(rows.row) == seq {
		if err := r.print(rows); err != nil {
			return err
		}
		rows.row++
		if rows.ready() {
			continue
		}
		// The rows of an event are in one file, but not in one row group.
		if err := rows.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// print takes the fingerprint, or its absence, from a row.
func (r *Reader) print(rows *eventColumns) error {
	identity := text(&rows.identity, rows.row)
	i, ordinal := int(rows.identityNo.at(rows.row)), int(rows.ordinal.at(rows.row))
	if i < 0 || i >= len(r.told) {
		return fmt.Errorf("identity %q is not that of the run", identity)
	}
	t := &r.told[i]
	if identity != t.name { // rows share their texts, so to compare these costs nothing
		if identity != r.plan.Identities[i].Name {
			return fmt.Errorf("identity %q is not that of the run", identity)
		}
		t.name = identity
	}
	if ordinal != t.next || ordinal < 0 {
		return fmt.Errorf("fingerprint %d of %s is out of place", ordinal, identity)
	}
	f := rows.fingerprint.at(rows.row)
	if t.next++; f == nil {
		t.next = -1
	}
	if t.into < 0 {
		return nil
	}
	p := &r.event.Prints[t.into]
	if f == nil {
		if cause := rows.cause.at(rows.row); cause != nil { // none: it was computable, and gave none
			p.Cause = *cause
		}
		return nil
	}
	p.Fingerprints = slices.Grow(p.Fingerprints, 1)[:ordinal+1]
	p.Fingerprints[ordinal] = *f // in place: what append copies it to first is waited for
	if tool := text(&rows.tool, rows.row); tool != "" || len(p.Tools) > 0 {
		for len(p.Tools) < len(p.Fingerprints)-1 {
			p.Tools = append(p.Tools, "")
		}
		p.Tools = append(p.Tools, tool)
	}
	return nil
}

// request makes the event of its first row, but for the fingerprints.
func (r *Reader) request(seq int64) error {
	c := r.rows
	if err := c.request.reach(c.row); err != nil {
		return err
	}
	row, ev := c.row, &r.event
	// One by one: to write all of it over costs as much as to read the row.
	ev.Time, ev.Start, ev.Position = c.time.at(row), c.start.at(row), fingerprint.Position{Offset: seq}
	ev.Status, ev.MaxTokens = int(c.status.at(row)), c.maxTokens.at(row)
	ev.TokensIn, ev.TokensOut, ev.Cost = c.tokensIn.at(row), c.tokensOut.at(row), c.cost.at(row)
	ev.Stream, ev.Cached, ev.Answered, ev.Exclude = c.streamed.at(row), c.cached.at(row), c.answered.at(row) == fingerprint.Yes, 0
	if r.origins {
		if err := c.origin.reach(row); err != nil {
			return err
		}
		ev.ID = text(&c.id, row)
		ev.Position = fingerprint.Position{Stream: c.stream.at(row), Line: c.line.at(row), Offset: c.offset.at(row), Item: c.item.at(row)}
	}
	ev.Method, ev.Path, ev.Caller = text(&c.method, row), text(&c.path, row), text(&c.caller, row)
	ev.User, ev.Session, ev.Model, ev.Backend = text(&c.user, row), text(&c.session, row), text(&c.model, row), text(&c.backend, row)
	for i := range r.scopes {
		r.scopes[i] = -1
	}
	from, to := c.scopesIndex.entries(row)
	for entry := from; entry < to; entry++ {
		index := c.scopesIndex.entry(entry)
		if index == noNumber && to == from+1 {
			break // an empty list
		}
		if index < 0 || int(index) >= len(r.scopes) {
			return fmt.Errorf("scope %d is not that of the run", index)
		}
		r.scopes[index] = entry
	}
	r.values = r.values[:0]
	missing := false
	for i, at := range r.answers.Scopes {
		if err := r.scope(c, r.scopes[at], &ev.Scopes[i], r.want.Scopes[i].Fields); err != nil {
			return err
		}
		missing = missing || r.scopes[at] < 0
	}
	if err := r.choose(c); err != nil || !missing {
		return err
	}
	return r.unlook(c)
}

// choose says how the rules see the event.
func (r *Reader) choose(c *eventColumns) error {
	if r.asks {
		if err := c.choices.reach(c.row); err != nil {
			return err
		}
	}
	for i, like := range r.answers.Rules {
		if like < 0 {
			continue
		}
		var err error
		if r.event.Rules[i], err = r.choice(c, r.want.Rules[i], r.plan.Rules[like].Name); err != nil {
			return err
		}
	}
	r.answers.Choose(&r.event)
	return nil
}

// unlook leaves out the rules whose scope no rule of the run looked at: the event
// waited while watch was given another policy.
func (r *Reader) unlook(c *eventColumns) error {
	for i := range r.want.Rules {
		at := r.answers.Scopes[r.want.ScopeOf(i)]
		if r.scopes[at] >= 0 || r.event.Rules[i] == window.NotMatched {
			continue
		}
		looked, err := r.looked(c, at)
		if err != nil {
			return err
		}
		if !looked {
			r.event.Rules[i] = window.NotMatched
		}
	}
	return nil
}

// looked tells whether a rule of the run with this scope looked at the event.
func (r *Reader) looked(c *eventColumns, scope int) (bool, error) {
	if err := c.choices.reach(c.row); err != nil {
		return false, err
	}
	from, to := c.rule.entries(c.row)
	for entry := from; entry < to; entry++ {
		name := textAt(&c.rule, entry)
		k := slices.IndexFunc(r.plan.Rules, func(rule *window.Rule) bool { return rule.Name == name })
		if k >= 0 && r.plan.ScopeOf(k) == scope {
			return true, nil
		}
	}
	return false, nil
}

// check says what the rules that look at the event do not find in it.
func (r *Reader) check() error {
	for i, rule := range r.want.Rules {
		if r.event.Rules[i] == window.NotMatched || r.event.Exclude > 0 {
			continue
		}
		if r.told[r.answers.Identities[r.want.IdentityOf(i)]].next == 0 {
			return fmt.Errorf("there is nothing of identity %s", rule.Identity.Name)
		}
		if r.scopes[r.answers.Scopes[r.want.ScopeOf(i)]] < 0 {
			return fmt.Errorf("there is nothing of scope [%s]", strings.Join(rule.Scope.Fields, ", "))
		}
	}
	return nil
}

// scope makes a scope of its entry, -1 if there is none.
func (r *Reader) scope(c *eventColumns, entry int32, out *window.Scope, fields []string) error {
	*out = window.Scope{}
	if entry < 0 {
		return nil
	}
	// Entries of the columns of a list are at the same places, from the row on.
	index, _ := c.scopesIndex.entries(c.row)
	of := func(first, _ int32) int32 { return first + entry - index }
	key := c.scopesKey.entry(of(c.scopesKey.entries(c.row)))
	if key == nil {
		cause := c.scopesCause.entry(of(c.scopesCause.entries(c.row)))
		if cause == nil || *cause == fingerprint.Computable {
			return errors.New("neither key nor cause of a scope")
		}
		out.Cause = *cause
		return nil
	}
	out.Key, out.FellBack = *key, c.scopesFellBack.entry(of(c.scopesFellBack.entries(c.row))) == fingerprint.Yes
	n := len(r.values)
	for _, field := range fields {
		value, err := r.value(c, field)
		if err != nil {
			return err
		}
		r.values = append(r.values, value)
	}
	out.Values = r.values[n:len(r.values):len(r.values)]
	return nil
}

// value is that of a scope field.
func (r *Reader) value(c *eventColumns, field string) (string, error) {
	from, to := c.scopeField.entries(c.row)
	values, _ := c.scopeValue.entries(c.row)
	for i := range to - from {
		if textAt(&c.scopeField, from+i) == field {
			return textAt(&c.scopeValue, values+i), nil
		}
	}
	return "", fmt.Errorf("scope field %s has no value", field)
}

// choice is how a rule sees the request: as the rule of the run does that is
// like it.
func (r *Reader) choice(c *eventColumns, rule *window.Rule, like string) (window.Choice, error) {
	from, to := c.rule.entries(c.row)
	overrides, _ := c.override.entries(c.row)
	for i := range to - from {
		if textAt(&c.rule, from+i) != like {
			continue
		}
		override := c.override.entry(overrides + i)
		if override == noNumber {
			return window.Plain, nil
		}
		if override < 0 || int(override) >= len(rule.Overrides) {
			return 0, fmt.Errorf("rule %s has no override %d", like, override)
		}
		return window.Choice(override), nil
	}
	return window.NotMatched, nil
}

// Find finds the datasets below dir, itself included.
func Find(dir string) (list []string, err error) {
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
