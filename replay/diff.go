package replay

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
)

// Diff is what changes in the loops that are found when one policy takes the
// place of another.
type Diff struct {
	Old       string // the old policy's name
	New, Lost []Loop
	Same      []Loop // as the new policy sees them
	Until     int64  // loops that ended from this time on are left out; 0 is none
}

// mostCompared is how many episodes of a policy are compared.
const mostCompared = 100_000

// Found is what a policy finds: of more episodes than are compared, those that
// began first.
type Found struct {
	episodes []window.Episode
	cut      bool
	until    int64 // when the first began that is left out, if cut
}

// Add takes an episode in.
func (f *Found) Add(e *window.Episode) {
	if f.episodes = append(f.episodes, *e); len(f.episodes) == 2*mostCompared {
		f.settle()
	}
}

func (f *Found) settle() {
	if len(f.episodes) <= mostCompared {
		return
	}
	slices.SortStableFunc(f.episodes, func(a, b window.Episode) int { return cmp.Compare(a.First, b.First) })
	if began := f.episodes[mostCompared].First; !f.cut || began < f.until {
		f.cut, f.until = true, began
	}
	clear(f.episodes[mostCompared:])
	f.episodes = f.episodes[:mostCompared]
}

// Compare compares the loops of two policies over the same log. A loop is the
// same if it runs in the same scope at the same time, whatever rule saw it. Of
// rules that count by other fields, one by caller and one by session, it is the
// same if a session is, or a caller where no session is known. Where episodes are
// left out, loops that end before the first of these began are whole, and so is
// what they are held against: no others are compared.
func Compare(old string, before, after *Found) Diff {
	d := Diff{Old: old}
	until := int64(math.MaxInt64)
	for _, f := range []*Found{before, after} {
		if f.settle(); f.cut {
			until = min(until, f.until)
			d.Until = until
		}
	}
	was, is := knownLoops(before.episodes), knownLoops(after.episodes)
	met := make([]bool, len(was))
	by := map[string]*inTime{} // callers of loops that know their sessions as "known caller"
	for _, i := range byFirst(was) {
		names, callers := was[i].names()
		for _, name := range callers {
			if len(was[i].sessions) > 0 {
				name = "known " + name
			}
			names = append(names, name)
		}
		for _, name := range names {
			if by[name] == nil {
				by[name] = &inTime{all: was}
			}
			by[name].add(i)
		}
	}
	for _, l := range is {
		found := false
		for i := range l.among(by) {
			if was[i].inScopeOf(&l) {
				met[i], found = true, true
			}
		}
		switch {
		case l.Last >= until:
		case found:
			d.Same = append(d.Same, l)
		default:
			d.New = append(d.New, l)
		}
	}
	for i, l := range was {
		if !met[i] && l.Last < until {
			d.Lost = append(d.Lost, l)
		}
	}
	return d
}

// knownLoops are the loops of episodes, with those whose they are.
func knownLoops(episodes []window.Episode) []Loop {
	loops := Loops(episodes)
	for i := range loops {
		l := &loops[i]
		for _, e := range l.episodes {
			l.sessions, l.callers = append(l.sessions, e.Session), append(l.callers, e.Caller)
		}
		l.sessions, l.callers = knownNames(l.sessions), knownNames(l.callers)
	}
	return loops
}

// knownNames are the names of a list that are not empty, once each, in order.
func knownNames(list []string) []string {
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) > 0 && list[0] == "" {
		list = list[1:]
	}
	return list
}

// byFirst are the loops in the order in which they began.
func byFirst(loops []Loop) []int {
	order := make([]int, len(loops))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(loops[a].First, loops[b].First) })
	return order
}

// inTime are loops in the order in which they began: a caller may have a hundred
// thousand, one after the other.
type inTime struct {
	all  []Loop
	some []int   // of all
	ends []int64 // by these: when the last of those up to it ends
}

func (t *inTime) add(i int) {
	end := t.all[i].Last
	if n := len(t.ends); n > 0 {
		end = max(end, t.ends[n-1])
	}
	t.some, t.ends = append(t.some, i), append(t.ends, end)
}

// during yields those that run at the same time as l.
func (t *inTime) during(l *Loop, yield func(int) bool) (goOn bool) {
	n, _ := slices.BinarySearchFunc(t.some, l.Last, func(i int, last int64) int {
		if t.all[i].First <= last {
			return -1
		}
		return 1
	})
	for n--; n >= 0 && t.ends[n] >= l.First; n-- {
		if i := t.some[n]; t.all[i].Last >= l.First && !yield(i) {
			return false
		}
	}
	return true
}

// names are what a loop goes by: its scope and sessions, and apart its callers.
func (l *Loop) names() (names, callers []string) {
	names = append(names, "scope "+strings.Join(l.Scope, "\x00"))
	for _, s := range l.sessions {
		names = append(names, "session "+s)
	}
	for _, c := range l.callers {
		callers = append(callers, "caller "+c)
	}
	return names, callers
}

// among are the loops that may be the same: of those that know their sessions
// no two are so by their caller alone.
func (l *Loop) among(by map[string]*inTime) iter.Seq[int] {
	names, callers := l.names()
	for _, name := range callers {
		names = append(names, name)
		if len(l.sessions) == 0 {
			names = append(names, "known "+name)
		}
	}
	return func(yield func(int) bool) {
		for _, name := range names {
			if of := by[name]; of != nil && !of.during(l, yield) {
				return
			}
		}
	}
}

func (l *Loop) inScopeOf(other *Loop) bool {
	sameFields := slices.EqualFunc(l.Scope, other.Scope, func(a, b string) bool { return fieldOf(a) == fieldOf(b) })
	switch {
	case sameFields:
		return slices.Equal(l.Scope, other.Scope)
	case len(l.sessions) > 0 && len(other.sessions) > 0:
		return common(l.sessions, other.sessions)
	}
	return common(l.callers, other.callers)
}

// fieldOf is the field of "field value".
func fieldOf(scope string) string {
	field, _, _ := strings.Cut(scope, " ")
	return field
}

// common tells whether two lists that are in order share a name.
func common(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool {
		_, found := slices.BinarySearch(b, s)
		return found
	})
}

// String lists what is new and what is lost, and counts last.
func (d Diff) String() string {
	var b strings.Builder
	b.WriteByte('\n')
	costliest := func(loops []Loop) []Loop { return loops[max(0, len(loops)-shownLoops):] }
	isNew := costliest(d.New)
	if listed := slices.Concat(isNew, costliest(d.Lost)); len(listed) > 0 {
		when := timeLayout(listed)
		t := term.Table{Right: map[int]bool{3: true}}
		t.Add("", "loop", when.title, "requests")
		for i := range listed {
			l, what := &listed[i], "lost"
			if i < len(isNew) {
				what = "new"
			}
			t.Add(what, shortScope(l, "", mostScope), term.Instant(l.Fired).Format(when.layout), term.Count(l.Requests))
		}
		addRules(&t, listed)
		t.Write(&b, "")
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "against %s: %s new, %s lost, %s the same\n", term.Safe(d.Old), term.Count(int64(len(d.New))), term.Count(int64(len(d.Lost))), term.Count(int64(len(d.Same))))
	if max(len(d.New), len(d.Lost)) > shownLoops {
		fmt.Fprintf(&b, "listed are the %d costliest of each; --json has all\n", shownLoops)
	}
	if d.Until != 0 {
		b.WriteString(Wrapped(fmt.Sprintf("compared are the loops that ended before %s UTC: of more than %s episodes the first are", term.Instant(d.Until).Format("2006-01-02 15:04:05"), term.Count(mostCompared))) + "\n")
	}
	return b.String()
}

// DocumentDiff is the comparison in a document, which has null without one.
type DocumentDiff struct {
	Policy string         `json:"policy"`
	Until  *string        `json:"until"`
	Same   int            `json:"same"`
	New    []DocumentLoop `json:"new"`
	Lost   []DocumentLoop `json:"lost"`
}

// DocumentLoop is one loop, as the episodes of several rules make it.
type DocumentLoop struct {
	Scope    []string `json:"scope"`
	First    string   `json:"first"`
	Fired    string   `json:"fired"`
	Last     string   `json:"last"`
	Requests int64    `json:"requests"`
	Rules    []string `json:"rules"`
}

// Document is the comparison for a --json document.
func (d Diff) Document() *DocumentDiff {
	list := func(loops []Loop) []DocumentLoop {
		out := []DocumentLoop{}
		for _, l := range loops {
			out = append(out, DocumentLoop{l.Scope, window.Stamp(l.First), window.Stamp(l.Fired), window.Stamp(l.Last), l.Requests, l.Rules})
		}
		return out
	}
	var until *string
	if d.Until != 0 {
		until = new(window.Stamp(d.Until))
	}
	return &DocumentDiff{d.Old, until, len(d.Same), list(d.New), list(d.Lost)}
}
