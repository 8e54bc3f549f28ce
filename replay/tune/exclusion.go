package tune

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/loopgauge/loopgauge/window"
)

// Exclusion is a suggestion: requests that repeat on purpose, and that no rule
// need look at.
type Exclusion struct {
	Name  string
	Match string // as a policy writes it
	Mutes int    // repeats it takes out
	Hides int    // of those, loops

	of reason
}

// reason is what one request alone tells of why it repeats: it asks for one
// token, or for this path, by this method unless that is empty.
type reason struct {
	oneToken     bool
	method, path string
}

// reasonOf is why a repeat may be excluded; ok is false if it may not.
func reasonOf(k *Repeat) (of reason, name string, ok bool) {
	n := k.Requests - 1
	switch {
	case k.Kind == window.Probe && 2*k.facts.OneToken > n:
		return reason{oneToken: true}, "probes", true
	case k.Kind == window.Probe:
		return reason{path: k.path}, "health checks", true
	case k.Kind == window.Polling && 2*k.facts.Gets > n:
		return reason{method: k.method, path: k.path}, "polling of " + k.path, true
	}
	return reason{}, "", false
}

func (of reason) match() string {
	switch {
	case of.oneToken:
		return "max_tokens == 1"
	case of.method == "":
		return "path == " + strconv.Quote(of.path)
	}
	return "method == " + strconv.Quote(of.method) + " && path == " + strconv.Quote(of.path)
}

// takes says whether an exclusion takes out most of a repeat, of whatever kind.
func (of reason) takes(k *Repeat) bool {
	if of.oneToken {
		return 2*k.facts.OneToken > k.Requests-1
	}
	return of.path == k.path && (of.method == "" || of.method == k.method)
}

// mostExclusions is how many are suggested. Nobody looks after more, and the
// log of a web server has a path for every page.
const mostExclusions = 10

// exclude suggests exclusions for the reasons to repeat that can be told from
// one request alone, those that take out most, and notes what they take out.
func (r *Report) exclude() {
	byReason := map[reason]*Exclusion{}
	for _, k := range r.Repeats {
		of, name, ok := reasonOf(k)
		if !ok {
			continue
		}
		x := byReason[of]
		if x == nil {
			x = &Exclusion{Name: name, Match: of.match(), of: of}
			byReason[of] = x
		}
		x.Mutes++
	}
	for _, x := range byReason { // any order: sorted below
		r.Exclusions = append(r.Exclusions, *x)
	}
	slices.SortFunc(r.Exclusions, func(a, b Exclusion) int {
		return cmp.Or(cmp.Compare(b.Mutes, a.Mutes), cmp.Compare(a.Match, b.Match))
	})
	kept := min(len(r.Exclusions), mostExclusions)
	r.Exclusions, r.Spared = r.Exclusions[:kept], len(r.Exclusions)-kept
	byReason = map[reason]*Exclusion{}
	for i := range r.Exclusions {
		x := &r.Exclusions[i]
		byReason[x.of] = x
	}
	for _, k := range r.Repeats {
		of, _, ok := reasonOf(k)
		k.excluded = ok && byReason[of] != nil
		for i := range r.Exclusions {
			x := &r.Exclusions[i]
			switch {
			case !x.of.takes(k):
			case r.isLoop(k):
				x.Hides++
			case k.alone(): // which does not tell what it is
				k.excluded = true
			}
		}
	}
}
