package ingest

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// Detect picks the format that most of the first lines are of, together with
// what the lines are wrapped in. A few strange lines at the start of a log, or
// a cut one, do not matter. It is nil if no format fits.
func Detect(data []byte) *formats.Format {
	f, _ := detect(data, formats.All, nil)
	return f
}

// DetectAs is [Detect], unless somebody named a format. What the lines are wrapped in
// is told by them, if the name does not say so. sure is false as long as more
// lines may tell more.
func DetectAs(named *formats.Format, data []byte) (f *formats.Format, sure bool) {
	if named == nil {
		f = Detect(data)
		return f, f != nil
	}
	if named.Wrappers != nil && !named.IsCustom() {
		if named.ByBeginning() {
			if like := Detect(data); like != nil && like.Name == named.Name {
				return like, true
			}
		}
		return named, true
	}
	if wrapped, _ := detect(data, []*formats.Format{named}, nil); wrapped != nil {
		return wrapped, true
	}
	wrapped := slices.ContainsFunc(countVotes(data, nil).wrappers, func(n int) bool { return n > 0 })
	return named, !wrapped
}

// Known is the format of a stream that goes on where a mark says of which it
// is, unless that is empty; nil if it has to be recognised.
func Known(named *formats.Format, marked string) *formats.Format {
	if named == nil {
		return formats.ByName(marked)
	}
	if around, ok := strings.CutSuffix(marked, "+"+named.Name); ok {
		return named.Inside(around)
	}
	if marked == named.Name || strings.Contains(named.Name, "+") {
		return named
	}
	return nil
}

// unfinished tells that lines may be the beginning of one record over several,
// so that nothing can be told by them yet.
func unfinished(data []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimLeft(data, "\r\n"), []byte{'\n'})
	first = trim(first)
	_, laidOut := wrap.Lines(first)
	record := first
	for record = range objects(first) {
		break
	}
	for _, w := range wrap.All {
		if !w.Joins() || w == wrap.Texts && !laidOut || w != wrap.Texts && !w.Detect(record) {
			continue
		}
		ends, whole := wrap.NewCutter([]*wrap.Wrapper{w}), false
		for line := range bytes.Lines(data) {
			if line = trim(bytes.TrimSuffix(line, []byte{'\n'})); len(line) > 0 && ends(line) {
				whole = true
				break
			}
		}
		if !whole {
			return true
		}
	}
	return false
}

// detect looks for one of the formats in lines that lay in wrappers, and tells whether
// most of these are of it.
func detect(data []byte, among []*formats.Format, in []*wrap.Wrapper) (f *formats.Format, mostly bool) {
	v := countVotes(data, among)
	if len(in) >= wrap.MaxDepth || v.lines == 0 || len(in) > 0 && in[len(in)-1].Gathers {
		return v.best(in)
	}
	if v.broken || v.begun && 2*v.most < v.lines {
		if f, mostly := within(data, among, in, wrap.Texts); f != nil {
			return f, mostly
		}
	}
	told := v.firm > 0 && 2*v.firm >= v.lines
	parts := 0               // how many of the lines are parts of records, perhaps
	var some *formats.Format // that not most of what is in the first such wrapper is of
	for i, w := range wrap.All {
		n := v.wrappers[i]
		if w.Loose && (told || n <= parts) {
			continue // they are told by themselves, or a part has more to come
		}
		if w.Joins() {
			parts = max(parts, n)
		}
		if n > 0 && w.Whole != nil {
			f, mostly := within(data, among, in, w.Whole)
			if mostly && innermost(f) == w.Whole.Name {
				return f, true
			}
		}
		// Formats of text take much for a host or a user; what a wrapper is
		// taken for must hold a known format. Lines that are gathered are of it
		// themselves, also one that was cut before what they are gathered by.
		if n > 0 && (n >= v.most || w.Gathers && 2*n >= v.most || w.Sure) {
			f, mostly := within(data, among, in, w)
			switch {
			case f == nil, w.Loose && v.most > 0 && !mostly:
			case w == wrap.Flattened && f.Flat && innermost(f) == w.Name: // it reads such names itself, or none
			case mostly:
				return f, true
			case some == nil: // what a client sends may look so, too
				some = f
			}
		}
	}
	if some != nil {
		return some, false
	}
	return v.best(in)
}

// innermost is the name of what the records of a format lie in, but for what gathers them.
func innermost(f *formats.Format) string {
	for _, w := range slices.Backward(f.Wrappers) {
		if !w.Gathers {
			return w.Name
		}
	}
	return ""
}

// within looks into a wrapper.
func within(data []byte, among []*formats.Format, in []*wrap.Wrapper, w *wrap.Wrapper) (f *formats.Format, mostly bool) {
	around := []*wrap.Wrapper{w}
	if w.Of != nil {
		around = w.Of(data)
	}
	if around == nil {
		return nil, false
	}
	return detect(Unwrapped(data, around), among, append(slices.Clip(in), around...))
}

// votes says of how many of the first lines each format and wrapper is.
type votes struct {
	lines         int // those of an array each for itself
	format        *formats.Format
	most          int
	firm          int // of the lines of format, those that are not around one of another
	wrappers      []int
	begun, broken bool // see wrap.Lines
}

func countVotes(data []byte, among []*formats.Format) votes {
	v := votes{wrappers: make([]int, len(wrap.All))}
	each, firm := make([]int, len(among)), make([]int, len(among))
	trimmed := trim
	if slices.ContainsFunc(among, func(f *formats.Format) bool { return f.Tabs }) {
		trimmed = trimRow
	}
	// Whether JSON keeps to lines tells the first that begins some. Others may
	// stand in front: what a program prints beside its spans, or the rest of a
	// record that was cut.
	keeps := false
	for n := 0; n < headLines && len(data) > 0; n++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		if line = trimmed(line); len(trim(line)) == 0 {
			continue
		}
		if !keeps && !v.begun && !v.broken {
			v.begun, v.broken = wrap.Lines(line)
			keeps = line[0] == '{'
		}
		for record := range objects(line) {
			v.lines++
			asked := formats.NewLine(record)
			for i, f := range among {
				if !f.Detect(asked) {
					continue
				}
				keeps = true
				if (f.Loose == nil || !f.Loose(asked)) && (f.Flat || !wrap.IsFlattened(record)) {
					firm[i]++
				}
				each[i]++
				if each[i] > v.most || f == v.format {
					v.format, v.most, v.firm = f, each[i], firm[i]
				}
				break
			}
			for i, w := range wrap.All {
				if w.Detect(record) {
					keeps = true
					v.wrappers[i]++
				}
			}
			// The first lines of a log are enough when they agree.
			if v.most == 10 || v.lines == headLines {
				return v
			}
		}
	}
	return v
}

// objects are those in the array that a line is; of any other, and of an array
// without any, the line as it is.
func objects(line []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		some := false
		if wrap.IsArray(line) {
			var array wrap.Array
			for array.Enter(line); array.Next(); {
				if array.Element.Kind() != rawjson.Object {
					continue
				}
				some = true
				if !yield(array.Element) {
					return
				}
			}
		}
		if !some {
			yield(line)
		}
	}
}

// best is the format that more lines are of than of any other, wrapped as they are, and
// whether most are of it.
func (v *votes) best(in []*wrap.Wrapper) (f *formats.Format, mostly bool) {
	if v.format == nil {
		return nil, false
	}
	return v.format.In(in), 2*v.most >= v.lines
}

// unwrapped is what the first lines wrap, a line each.
func unwrapped(data []byte, w *wrap.Wrapper) []byte {
	var out []byte
	c := wrap.NewChain([]*wrap.Wrapper{w}, func(line wrap.Line) {
		from := len(out)
		out = append(append(out, line.Text...), '\n')
		for i, b := range out[from : len(out)-1] {
			if b == '\n' { // white space of JSON
				out[from+i] = ' '
			}
		}
	}, func(wrap.Line, string) {})
	for n := 0; (n < unwrappedLines || len(out) == 0) && len(data) > 0; n++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		c.Push(wrap.Line{Text: trimStart(line), Column: -1})
	}
	c.Drop(func(fingerprint.Position) {})
	return out
}

// unwrappedLines are looked at for records: one that is laid out as JSON takes
// dozens. A document with all records in it has none before its end.
const unwrappedLines = 10_000
