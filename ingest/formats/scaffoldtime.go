package formats

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

var layoutsOfText = []string{
	"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006/01/02 15:04:05", "2006/01/02 - 15:04:05", "2006/01/02T15:04:05", "2006-01-02 15:04:05-07", "2006-01-02 15:04:05-07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05 -0700 MST", "2006-01-02 15:04:05 Z0700",
	"2006/01/02 15:04:05 -0700", "02/Jan/2006:15:04:05 -0700", "[02/Jan/2006:15:04:05 -0700]", "02/Jan/2006:15:04:05", "02/Jan/2006 15:04:05", "02-Jan-2006 15:04:05", "2 Jan 2006 15:04:05",
	"01/02/2006 15:04:05", "02/01/2006 15:04:05", "1/2/2006 15:04:05", "2/1/2006 15:04:05", "1/2/2006, 15:04:05", "2/1/2006, 15:04:05", "1/2/2006 3:04:05 PM", "1/2/2006, 3:04:05 PM", "02.01.2006 15:04:05", "2.1.2006 15:04:05", "2.1.2006, 15:04:05",
	"Mon, 02 Jan 2006 15:04:05 MST", "Mon, 02 Jan 2006 15:04:05 Z0700", "Mon, 02 Jan 2006 15:04:05 -0700", "Mon Jan 2 15:04:05 2006", "Mon Jan 2 15:04:05 MST 2006", "Jan 2, 2006 15:04:05", "Jan 2, 2006 3:04:05 PM", "Jan 2, 2006, 3:04:05 PM",
	"2006-01-02\t15:04:05", "20060102T150405Z0700", "20060102 15:04:05", "20060102150405",
	"2006-01-02 15:04", "1/2/2006 15:04", "2/1/2006 15:04", "1/2/2006 3:04 PM", "2.1.2006 15:04", // spreadsheets show no seconds
}

// Times outside of these years are rather something else.
var (
	earliest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	latest   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
)

// guessLayouts are the layouts in which a text is a time of our days; an empty
// one is that which needs none.
func guessLayouts(example []byte) (layouts []string) {
	p := custom{c: &Custom{}}
	fits := func(layout string) {
		t := p.time(&CustomField{Layout: layout}, found{text: example}, fingerprint.NoTime)
		if t >= earliest && t < latest {
			layouts = append(layouts, layout)
		}
	}
	if len(example) < len("20060102") || len(example) > 64 {
		return nil
	}
	fits("")
	if rawjson.ValidNumber(example) {
		fits("unix_ms")
		fits("unix_us")
		fits("unix_ns")
	}
	if len(layouts) == 0 {
		for _, layout := range layoutsOfText {
			fits(layout)
		}
	}
	return layouts
}

const (
	// maxTried is how many places are tried for a time.
	maxTried = 40
	// triedBytes bounds what they are tried on, and values are looked for in, but for
	// the first record.
	triedBytes = 4 << 20
)

// times is where the time stands: under a likely name, or else wherever there is
// one. What gives the most records a time counts: most says how many, as timed
// does. Records of other kinds may have theirs elsewhere, written alike.
func (g *guesser) times() (best CustomField, most int) {
	candidates := g.timeCandidates()
	for _, c := range candidates {
		if n := g.timed(c); n > most {
			best, most = c, n
		}
	}
	for _, c := range candidates {
		if c.Layout != best.Layout || slices.Contains(best.Paths, c.Paths[0]) {
			continue
		}
		more := CustomField{Name: "time", Layout: best.Layout, Paths: append(slices.Clone(best.Paths), c.Paths[0])}
		if n := g.timed(more); n > most {
			best, most = more, n
		}
	}
	return best, most
}

// lateName is of a time at which a call was over, or of another thing's.
var lateName = regexp.MustCompile(`^(?:edge)?end|ended|finish|complet|response|receiv|ingest|expire`)

// isLate tells a path to a time whose name says so, or that it is an end.
func isLate(path string, name *regexp.Regexp) bool {
	words := wordsOf(path)
	return !slices.Contains(words, "start") && (slices.Contains(words, "end") || name.MatchString(lastName(path)))
}

// lastName is that of a path, folded.
func lastName(path string) string { return folded(path[strings.LastIndexByte(path, '.')+1:]) }

// timeCandidates are the places at which a time may stand, the likeliest first:
// those of a likely name, then texts, then numbers, then those of the end, each
// the least nested first. Those of a line that a shipper wrapped come before its own.
func (g *guesser) timeCandidates() (list []CustomField) {
	ends := g.guessed("duration", nil) != "" || g.guessed("end", nil) != ""
	names := namesOf("time")
	rank := func(path string) int {
		last := lastName(path)
		if isLate(path, lateName) || isHeader(path) {
			return len(names) + 2
		}
		if at := slices.Index(names, last); at >= 0 {
			if ends && strings.HasPrefix(last, "start") && !strings.Contains(path, ".") { // what is beside may be when that was logged, which is the end if nothing else says that
				return -1
			}
			return at
		}
		if rawjson.ValidNumber(g.texts[path]) {
			return len(names) + 1
		}
		return len(names)
	}
	line := g.wrapped()
	named := line != "" && line == g.within() // of another name a time may be of anything, as when an answer was cached
	shippers := func(path string) int {
		if member, ok := strings.CutPrefix(path, line); line == "" || ok && !strings.Contains(member, ".") && (!named || slices.Contains(names, lastName(path))) {
			return 0
		}
		return 1
	}
	paths := slices.Concat(g.paths, g.deep)
	slices.SortStableFunc(paths, func(a, b string) int {
		return cmp.Or(shippers(a)-shippers(b), rank(a)-rank(b), strings.Count(a, ".")-strings.Count(b, "."))
	})
	for _, path := range paths {
		layouts := guessLayouts(g.texts[path])
		if len(layouts) == 0 && rank(path) < len(names) {
			layouts = []string{""} // small numbers, as in tests
		}
		for _, layout := range layouts {
			list = append(list, CustomField{Name: "time", Paths: []string{path}, Layout: layout})
		}
	}
	return list[:min(len(list), maxTried)]
}

// wrapped is what the paths into a line begin with that a shipper put into its own record,
// as a text or under a name of such: that in which the method or the URL is; or under any
// name. It is "" if there is none.
func (g *guesser) wrapped() string {
	if g.format.Pattern != nil || g.format.Columns != nil { // a line itself
		return ""
	}
	for _, field := range []string{"method", "url"} {
		path := g.guessed(field, nil)
		for at := len(path) - 1; at > 0; at-- {
			if path[at] == '.' && (g.inTexts[path[:at]] || wrap.HoldsLines(path[:at])) {
				return path[:at+1]
			}
		}
	}
	return g.within()
}

// within is what the paths to method, URL and status begin with, where a logger wrote the
// record as a member of its own, as Tyk's pump does, in batches; "" if it did not.
func (g *guesser) within() string {
	method := g.guessed("method", nil)
	at := max(strings.LastIndexByte(method, '.'), 0)
	if name := method[:at]; at > 0 && !g.inTexts[name] && !wrap.HoldsLines(name) && strings.HasPrefix(g.guessed("url", nil), name+".") && strings.HasPrefix(g.guessed("status", nil), name+".") {
		return name + "."
	}
	return ""
}

// timed counts the records that a field gives a time; one of our days counts
// twice.
func (g *guesser) timed(field CustomField) (n int) {
	g.parse(func(r *fingerprint.Request) {
		if CheckTime(r) != "" {
			return
		}
		if n++; r.Time >= earliest && r.Time < latest {
			n++
		}
	}, field)
	return n
}

// parse reads the records for some fields, and calls f at each.
func (g *guesser) parse(f func(*fingerprint.Request), fields ...CustomField) {
	c := g.format
	c.Fields = fields
	p := newCustom(&c, 0)
	var r fingerprint.Request
	size := 0
	for i, record := range g.records {
		if size += len(record); size > triedBytes && i > 0 {
			break
		}
		r.Reset()
		if _, why := p.Parse(record, &r); why == "" {
			f(&r)
		}
	}
}

// noTimeLine is the line of a time that was not found.
const noTimeLine = "  time: TIME # nothing looked like one: it must be there\n"

// IsPiped tells whether a format that Scaffold made is for what a command makes of the log,
// which its first lines have.
func IsPiped(scaffold []byte) bool {
	return bytes.Contains(scaffold, []byte("LOG | loopgauge formats "))
}

// HasTime tells whether a format that Scaffold made says where the time is.
func HasTime(scaffold []byte) bool { return !bytes.Contains(scaffold, []byte(noTimeLine)) }

// timeLine is the line of the time, or of the end.
func (g *guesser) timeLine(f CustomField, over bool) string {
	if len(f.Paths) == 0 {
		return noTimeLine
	}
	where := pathsYAML(f.Paths)
	if f.Layout != "" {
		where = fmt.Sprintf("{path: %s, layout: '%s'}", where, f.Layout)
	}
	if other := g.otherLayout(f); other != "" {
		where += fmt.Sprintf(" # or '%s'?", other)
	}
	if over {
		return "  end: " + where + " # or time, if that is when calls began\n"
	}
	return "  time: " + where + "\n"
}

// otherLayout is one in which the records have other times, as many: day and
// month may be either.
func (g *guesser) otherLayout(f CustomField) string {
	p := custom{c: &Custom{}}
	example := found{text: g.texts[f.Paths[0]]}
	at := p.time(&f, example, fingerprint.NoTime)
	for _, layout := range guessLayouts(example.text) {
		other := f
		other.Layout = layout
		if p.time(&other, example, fingerprint.NoTime) != at && g.timed(other) == g.timed(f) {
			return layout
		}
	}
	return ""
}
