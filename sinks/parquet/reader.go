package parquet

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// Reader reads the events of a dataset again. Memory holds one batch of rows
// and the pages they are in, however many events there are.
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

	open  *eventFile
	rows  []eventRow // read and not used
	batch []eventRow
	next  int64 // the least seq that may come
	n     int64 // events
	event window.Event
	stored
}

// stored is what the rows of one event hold, by the indexes of the plan that
// made them.
type stored struct {
	prints []window.Prints
	known  []bool // prints
	scopes []*scopeRow
	values []string
	time   int64
}

// eventFile is one file of events.
type eventFile struct {
	path string
	file *os.File
	rows *eventColumns
	size int64
	done int64 // rows
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
	r := &Reader{Dir: dir, files: files, Whole: len(files) == 0}
	if err := r.readRun(); err != nil {
		return nil, err
	}
	if r.Whole {
		var err error
		if r.files, err = filepath.Glob(filepath.Join(escaped(dir), "events", "date=*", "*.parquet")); err != nil {
			return nil, err
		}
	}
	slices.Sort(r.files) // the folders' names are dates
	r.files = slices.Compact(r.files)
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

// firstEvent is the number of the first event in a file; 0 if it cannot be
// read, which who reads the file says.
func firstEvent(path string) (seq int64) {
	var err error
	defer guard(path, &err) // who reads the file says what is wrong with it
	file, f, err := begin[eventRow](path)
	if err != nil {
		return 0
	}
	defer f.Close()
	if n, ok := firstOf(file); ok {
		return n
	}
	rows, err := newEventColumns(file)
	if err != nil {
		return 0
	}
	defer rows.close()
	one := make([]eventRow, 1)
	if n, _ := rows.read(one); n == 1 {
		seq = one[0].Seq
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

// damaged says that a file is not as it was written.
func damaged(path string, what any) error {
	return fmt.Errorf("%s: damaged, or not written by loopgauge: %v\nwrite the dataset anew from the logs: loopgauge replay --out DIR LOG", path, what)
}

// guard turns what the library makes of a damaged file into an error: it
// panics with some of them.
func guard(path string, err *error) {
	if what := recover(); what != nil {
		*err = damaged(path, what)
	}
}

// begin opens a file that must have the columns of R.
func begin[R any](path string) (file *parquet.File, f *os.File, err error) {
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
	// Who reads everything has no use for what tells which pages to pass over.
	file, err = parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, nil, damaged(path, err)
	}
	has := map[string]string{}
	for _, c := range leaves(file.Schema().Fields(), "") {
		has[c.name] = c.kind
	}
	var zero R
	for _, c := range leaves(parquet.SchemaOf(zero).Fields(), "") {
		switch kind, ok := has[c.name]; {
		case !ok:
			return nil, nil, fmt.Errorf("%s: has no column %s: written by another program, or by an older loopgauge\nwrite the dataset anew from the logs: loopgauge replay --out DIR LOG", path, c.name)
		case strings.Contains(kind, parquet.Int96Type.String()):
			return nil, nil, fmt.Errorf("%s: column %s is INT96, as Spark writes times unless told otherwise, not %s\nleave the files as loopgauge wrote them, or write them with spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS", path, c.name, c.kind)
		case kind != c.kind:
			return nil, nil, damaged(path, fmt.Sprintf("column %s is %s, not %s", c.name, kind, c.kind))
		}
	}
	return file, f, nil
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
		kind := f.Type().String()
		if f.Optional() {
			kind += ", may be null"
		}
		list = append(list, leaf{name, kind})
	}
	return list
}

// readRow reads a run.
func readRow(path string) (row *runRow, err error) {
	file, f, err := begin[runRow](path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer guard(path, &err)
	rows := parquet.NewGenericReader[runRow](file)
	defer rows.Close() //nolint:errcheck // nothing is written
	list := make([]runRow, 2)
	n, err := rows.Read(list)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, damaged(path, err)
	}
	if n != 1 {
		return nil, damaged(path, fmt.Sprintf("%d rows, not 1", n))
	}
	return &list[0], nil
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
		Lateness: row.Lateness, Disorder: math.NaN(), WorstLate: row.WorstLate, Tied: row.Tied,
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
// policy in Run, of which want must not lack anything.
func (r *Reader) Prepare(have, want *window.Plan) error {
	for _, p := range r.parts {
		if err := p.Prepare(have, want); err != nil {
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
	r.stored = stored{
		prints: make([]window.Prints, len(have.Identities)), known: make([]bool, len(have.Identities)),
		scopes: make([]*scopeRow, len(have.Scopes)), time: math.MinInt64,
	}
	r.event = window.Event{
		Prints: make([]window.Prints, len(want.Identities)), Scopes: make([]window.Scope, len(want.Scopes)), Rules: make([]window.Choice, len(want.Rules)),
	}
	r.batch = make([]eventRow, batch)
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
	if r.open != nil {
		r.open.rows.close()
		r.open.file.Close()
		r.open = nil
	}
}

// Next is the next event, as the run judged them; io.EOF after the last. It is
// valid until the next call.
func (r *Reader) Next() (ev *window.Event, err error) {
	if len(r.parts) > 0 {
		return r.merge()
	}
	if err := r.fill(); err != nil {
		return nil, err
	}
	first := r.rows[0]
	path := r.open.path
	if first.Seq < r.next && !r.numbered || first.Time < r.time || first.Stream < 0 || int(first.Stream) >= len(r.Run.Logs) {
		return nil, damaged(path, fmt.Sprintf("request %d is out of place", first.Seq))
	}
	r.next, r.time = first.Seq+1, first.Time
	if err := r.gather(&first); err != nil {
		return nil, err
	}
	r.n++
	if err := r.build(&first); err != nil {
		return nil, damaged(path, fmt.Sprintf("request %d: %v", first.Seq, err))
	}
	return &r.event, nil
}

// fill makes sure that there is a row.
func (r *Reader) fill() error {
	for len(r.rows) == 0 {
		if r.open == nil {
			if len(r.files) == 0 {
				return r.end()
			}
			if err := r.openFile(r.files[0]); err != nil {
				return err
			}
			r.files = r.files[1:]
		}
		if err := r.readBatch(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) openFile(path string) error {
	file, f, err := begin[eventRow](path)
	if err != nil {
		return err
	}
	rows, err := newEventColumns(file)
	if err != nil {
		f.Close()
		return damaged(path, err)
	}
	r.open = &eventFile{path: path, file: f, rows: rows, size: file.Size()}
	return nil
}

// end checks that nothing is missing.
func (r *Reader) end() error {
	if want := r.Run.Judged - r.Removed; (r.Whole || r.Removed > 0) && r.n != want {
		return fmt.Errorf("%s: holds %d of the %d requests that were judged: a file in events is missing or cut\nwrite the dataset anew from the logs: loopgauge replay --out DIR LOG", r.Dir, r.n, want)
	}
	return io.EOF
}

func (r *Reader) readBatch() (err error) {
	f := r.open
	defer guard(f.path, &err)
	n, err := f.rows.read(r.batch)
	r.rows = r.batch[:n]
	f.done += int64(n)
	if total := f.rows.total; total > 0 {
		before := r.read.Load()
		r.read.Store(before + int64(n)*f.size/total)
	}
	switch {
	case errors.Is(err, io.EOF):
		if n == 0 {
			if f.done != f.rows.total {
				return damaged(f.path, fmt.Sprintf("holds %d rows of %d", f.done, f.rows.total))
			}
			r.Close()
		}
		return nil
	case err != nil:
		return damaged(f.path, err)
	case n == 0:
		return damaged(f.path, "rows without end")
	}
	return nil
}

// gather takes the rows of the event that first begins.
func (r *Reader) gather(first *eventRow) error {
	for i := range r.prints {
		r.prints[i].Cause, r.prints[i].Fingerprints, r.known[i] = fingerprint.Computable, r.prints[i].Fingerprints[:0], false
		r.prints[i].Tools = r.prints[i].Tools[:0]
	}
	path := r.open.path
	for {
		row := &r.rows[0]
		if row.Seq != first.Seq {
			return nil
		}
		if err := r.print(row); err != nil {
			return damaged(path, fmt.Sprintf("request %d: %v", first.Seq, err))
		}
		r.rows = r.rows[1:]
		if len(r.rows) > 0 {
			continue
		}
		// The rows of an event are in one file, but not in one batch.
		if err := r.readBatch(); err != nil {
			return err
		}
		if len(r.rows) == 0 {
			return nil
		}
	}
}

// print takes the fingerprint, or its absence, from a row.
func (r *Reader) print(row *eventRow) error {
	i := int(row.IdentityNo)
	if i < 0 || i >= len(r.prints) || row.Identity != r.plan.Identities[i].Name {
		return fmt.Errorf("identity %q is not that of the run", row.Identity)
	}
	p := &r.prints[i]
	if int(row.Ordinal) != len(p.Fingerprints) || p.Cause != fingerprint.Computable || r.known[i] && row.Ordinal == 0 {
		return fmt.Errorf("fingerprint %d of %s is out of place", row.Ordinal, row.Identity)
	}
	r.known[i] = true
	if row.Fingerprint == "" {
		var ok bool
		if p.Cause, ok = fingerprint.ParseCause(row.Cause); !ok {
			return fmt.Errorf("cause %q is not known", row.Cause)
		}
		return nil
	}
	f, ok := fingerprint.Parse(row.Fingerprint)
	if !ok {
		return fmt.Errorf("%q is no fingerprint", row.Fingerprint)
	}
	p.Fingerprints = append(p.Fingerprints, f)
	if row.Tool != "" || len(p.Tools) > 0 {
		for len(p.Tools) < len(p.Fingerprints)-1 {
			p.Tools = append(p.Tools, "")
		}
		p.Tools = append(p.Tools, row.Tool)
	}
	return nil
}

// build makes the event of its first row and what has been gathered.
func (r *Reader) build(row *eventRow) error {
	ev := &r.event
	*ev = window.Event{
		Time: row.Time, Start: row.Start,
		Position: fingerprint.Position{Stream: row.Stream, Line: row.Line, Offset: row.Offset, Item: row.Item},
		ID:       row.ID, Method: row.Method, Path: row.Path, Caller: row.Caller, User: row.User, Session: row.Session, Model: row.Model, Backend: row.Backend,
		Status: fingerprint.Unknown, TokensIn: number(row.TokensIn), TokensOut: number(row.TokensOut), MaxTokens: number(row.MaxTokens),
		Cost: math.NaN(), Stream: tri(row.Streamed), Cached: tri(row.Cached),
		Prints: ev.Prints, Scopes: ev.Scopes, Rules: ev.Rules,
	}
	if row.Status != nil {
		ev.Status = int(*row.Status)
	}
	if row.Cost != nil {
		ev.Cost = *row.Cost
	}
	for i, from := range r.answers.Identities {
		ev.Prints[i] = r.prints[from]
	}
	clear(r.scopes)
	for i := range row.Scopes {
		s := &row.Scopes[i]
		if s.Index < 0 || int(s.Index) >= len(r.scopes) {
			return fmt.Errorf("scope %d is not that of the run", s.Index)
		}
		r.scopes[s.Index] = s
	}
	r.values = r.values[:0]
	for i, from := range r.answers.Scopes {
		if err := r.scope(row, r.scopes[from], &ev.Scopes[i], r.want.Scopes[i].Fields); err != nil {
			return err
		}
	}
	for i, like := range r.answers.Rules {
		if like < 0 {
			continue
		}
		var err error
		if ev.Rules[i], err = r.choice(row, r.want.Rules[i], r.plan.Rules[like].Name); err != nil {
			return err
		}
	}
	r.answers.Choose(ev)
	for i, rule := range r.want.Rules {
		if ev.Rules[i] == window.NotMatched || ev.Exclude > 0 {
			continue
		}
		if !r.known[r.answers.Identities[r.want.IdentityOf(i)]] {
			return fmt.Errorf("there is nothing of identity %s", rule.Identity.Name)
		}
		if r.scopes[r.answers.Scopes[r.want.ScopeOf(i)]] == nil {
			return fmt.Errorf("there is nothing of scope [%s]", strings.Join(rule.Scope.Fields, ", "))
		}
	}
	return nil
}

// scope makes a scope of its row, which may be missing.
func (r *Reader) scope(row *eventRow, s *scopeRow, out *window.Scope, fields []string) error {
	*out = window.Scope{}
	if s == nil {
		return nil
	}
	if s.Key == "" {
		cause, ok := fingerprint.ParseCause(s.Cause)
		if !ok || cause == fingerprint.Computable {
			return fmt.Errorf("cause %q is not known", s.Cause)
		}
		out.Cause = cause
		return nil
	}
	if n, err := hex.Decode(out.Key[:], []byte(s.Key[:min(len(s.Key), 2*len(out.Key))])); err != nil || n != len(out.Key) || len(s.Key) != 2*n {
		return fmt.Errorf("%q is no key of a scope", s.Key)
	}
	out.FellBack = s.FellBack
	n := len(r.values)
	for _, field := range fields {
		k := slices.IndexFunc(row.Scope, func(v scopeValue) bool { return v.Field == field })
		if k < 0 {
			return fmt.Errorf("scope field %s has no value", field)
		}
		r.values = append(r.values, row.Scope[k].Value)
	}
	out.Values = r.values[n:len(r.values):len(r.values)]
	return nil
}

// choice is how a rule sees the request: as the rule of the run does that is
// like it.
func (r *Reader) choice(row *eventRow, rule *window.Rule, like string) (window.Choice, error) {
	for i := range row.Rules {
		c := &row.Rules[i]
		if c.Rule != like {
			continue
		}
		if c.Override == nil {
			return window.Plain, nil
		}
		if *c.Override < 0 || int(*c.Override) >= len(rule.Overrides) {
			return 0, fmt.Errorf("rule %s has no override %d", c.Rule, *c.Override)
		}
		return window.Choice(*c.Override), nil
	}
	return window.NotMatched, nil
}

// number is -1 for null, as tri is not logged.
func number(n *int64) int64 {
	if n == nil {
		return fingerprint.Unknown
	}
	return *n
}

func tri(b *bool) fingerprint.Tri {
	if b == nil {
		return fingerprint.NotLogged
	}
	return fingerprint.TriOf(*b)
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
