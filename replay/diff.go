package replay

import (
	"cmp"
	"fmt"
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
	had, has := newPlaces(was), newPlaces(is)
	for _, l := range is {
		switch {
		case l.Last >= until:
		case had.have(&l):
			d.Same = append(d.Same, l)
		default:
			d.New = append(d.New, l)
		}
	}
	for _, l := range was {
		if l.Last < until && !has.have(&l) {
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
		addRules(&t, listed, t.Room())
		t.Write(&b, "")
		b.WriteByte('\n')
	}
	if max(len(d.New), len(d.Lost)) > shownLoops {
		fmt.Fprintf(&b, "listed are the %d costliest of each; --json has all\n", shownLoops)
	}
	if d.Until != 0 {
		b.WriteString(Wrapped(fmt.Sprintf("compared are the loops that ended before %s UTC: of more than %s episodes the first are", term.Instant(d.Until).Format("2006-01-02 15:04:05"), term.Count(mostCompared))) + "\n")
	}
	fmt.Fprintf(&b, "against %s: %s new, %s lost, %s the same\n", term.Safe(d.Old), term.Count(int64(len(d.New))), term.Count(int64(len(d.Lost))), term.Count(int64(len(d.Same))))
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
