package replay

import (
	"cmp"
	"slices"
	"strings"
)

// places say where loops run, and when: whether one of them may be the same as
// another policy's loop. Only whether there is one is asked, so that it costs nothing
// that a caller has a hundred thousand, be they at once, one after the other or
// beside one that lasts as long as all of them.
type places struct {
	in     map[where]*inTime
	fields []string // by which any of them runs
}

// where is what a loop goes by: its scope, a session, a caller.
type where struct {
	fields string // by which it counts
	name   string
}

// Names of a place. Of loops that know their sessions no two are the same by their
// caller alone.
const (
	ofScope       = "scope "
	ofSession     = "session "
	ofCaller      = "caller "
	ofCallerKnown = "known caller "
)

func newPlaces(loops []Loop) *places {
	p := &places{in: map[where]*inTime{}}
	order := make([]*Loop, len(loops))
	for i := range order {
		order[i] = &loops[i]
	}
	slices.SortFunc(order, func(a, b *Loop) int { return cmp.Compare(a.First, b.First) })
	for _, l := range order {
		fields := l.fields()
		if !slices.Contains(p.fields, fields) {
			p.fields = append(p.fields, fields)
		}
		add := func(name string) {
			at := where{fields, name}
			if p.in[at] == nil {
				p.in[at] = &inTime{}
			}
			p.in[at].add(l)
		}
		add(ofScope + l.place)
		for _, s := range l.sessions {
			add(ofSession + s)
		}
		for _, c := range l.callers {
			if len(l.sessions) > 0 {
				add(ofCallerKnown + c)
			} else {
				add(ofCaller + c)
			}
		}
	}
	return p
}

// have tells whether one of the loops is the same as l: at the same time in the same
// scope, or, of those that count by other fields, of one of its sessions or callers.
func (p *places) have(l *Loop) bool {
	fields := l.fields()
	if p.in[where{fields, ofScope + l.place}].during(l) {
		return true
	}
	for _, other := range p.fields {
		if other == fields {
			continue
		}
		at := func(prefix string) func(string) bool {
			return func(name string) bool { return p.in[where{other, prefix + name}].during(l) }
		}
		if slices.ContainsFunc(l.sessions, at(ofSession)) || slices.ContainsFunc(l.callers, at(ofCaller)) ||
			len(l.sessions) == 0 && slices.ContainsFunc(l.callers, at(ofCallerKnown)) {
			return true
		}
	}
	return false
}

// fields are those that the loop's scope is of: each text is "field value".
func (l *Loop) fields() string {
	var fields []string
	for _, text := range l.Scope {
		field, _, _ := strings.Cut(text, " ")
		fields = append(fields, field)
	}
	return strings.Join(fields, " ")
}

// inTime is when loops run, in the order in which they began.
type inTime struct {
	firsts []int64
	ends   []int64 // by these: when the last of those up to it ends
}

func (t *inTime) add(l *Loop) {
	end := l.Last
	if n := len(t.ends); n > 0 {
		end = max(end, t.ends[n-1])
	}
	t.firsts, t.ends = append(t.firsts, l.First), append(t.ends, end)
}

// during tells whether one of them runs at the same time as l. Nil is none.
func (t *inTime) during(l *Loop) bool {
	if t == nil {
		return false
	}
	n, _ := slices.BinarySearch(t.firsts, l.Last+1)
	return n > 0 && t.ends[n-1] >= l.First
}
