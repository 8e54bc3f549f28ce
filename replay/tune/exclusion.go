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

// inPolicy tells that the recommended policy has it: it hides no loop.
func (x *Exclusion) inPolicy() bool { return x.Hides == 0 }

// reason is what one request alone tells of why it repeats: it asks for one
// token, or for this path, by this method unless that is empty.
type reason struct {
	oneToken     bool
	method, path string
}

// reasonOf is why a repeat may be excluded, nothing if it may not. Of a rule that
// looks at no path its last request may be another than most of it.
func reasonOf(k *Repeat) (of reason) {
	n := k.Requests - 1
	switch {
	case k.Kind == window.Probe && 2*k.facts.OneToken > n:
		return reason{oneToken: true}
	case k.Kind == window.Probe && window.HealthCheck(k.path):
		return reason{path: k.path}
	case k.Kind == window.Polling && 2*k.facts.Gets > n && window.Reads(k.method):
		return reason{method: k.method, path: k.path}
	}
	return reason{}
}

// shows is what an exclusion may find in most of a repeat, of whatever kind.
func shows(k *Repeat) reason {
	return reason{oneToken: 2*k.facts.OneToken > k.Requests-1, method: k.method, path: k.path}
}

func (of reason) name() string {
	switch {
	case of.oneToken:
		return "probes"
	case of.method == "":
		return "health checks"
	}
	return "polling of " + of.path
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

// takes says whether an exclusion takes out most of what shows that.
func (of reason) takes(shown reason) bool {
	if of.oneToken {
		return shown.oneToken
	}
	return of.path == shown.path && (of.method == "" || of.method == shown.method)
}

// mostExclusions is how many are suggested. Nobody looks after more, and the
// log of a web server has a path for every page.
const mostExclusions = 10

// exclude suggests exclusions for the reasons to repeat that can be told from
// one request alone, those that take out most, and notes what they take out. A
// gateway's own settings know none.
func (r *Report) exclude() {
	if r.Options.ForGateway {
		return
	}
	byReason := map[reason]*Exclusion{}
	for a, n := range r.alike() {
		if a.of == (reason{}) {
			continue
		}
		x := byReason[a.of]
		if x == nil {
			x = &Exclusion{Name: a.of.name(), Match: a.of.match(), of: a.of}
			byReason[a.of] = x
		}
		x.Mutes += n
	}
	stays := r.stays()
	for of, x := range byReason { // any order: sorted below
		if stays[of] {
			r.Exclusions = append(r.Exclusions, *x)
		}
	}
	slices.SortFunc(r.Exclusions, func(a, b Exclusion) int {
		return cmp.Or(cmp.Compare(b.Mutes, a.Mutes), cmp.Compare(a.Match, b.Match))
	})
	kept := min(len(r.Exclusions), mostExclusions)
	r.Exclusions, r.Spared = r.Exclusions[:kept], len(r.Exclusions)-kept
	for a, n := range r.alike() {
		for i := range r.Exclusions {
			if x := &r.Exclusions[i]; a.class.isLoop() && x.of.takes(a.shows) {
				x.Hides += n
			}
		}
	}
	for _, k := range r.Repeats {
		a := alikeOf(k, r.Options.Labels)
		k.excluded = r.excluded(&a)
	}
}

// lasting is the part of the log's time that polling goes on for to be there
// tomorrow, too.
const lasting = 0.1

// stays are the reasons that will be there tomorrow: what is polled but once, and
// not for long, has a path of its own each time, as what asks for a job by its id.
func (r *Report) stays() map[reason]bool {
	type by struct {
		reason
		target int
	}
	stays, times := map[reason]bool{}, map[by]int{}
	for a, n := range r.alike() {
		times[by{a.of, a.target}] += n
	}
	for b, n := range times { // any order: a set
		stays[b.reason] = stays[b.reason] || b.method == "" || n > 1
	}
	for _, k := range r.Repeats {
		if float64(k.Last-k.First) >= lasting*r.Days*86400e6 {
			stays[reasonOf(k)] = true
		}
	}
	return stays
}

// excluded says whether an exclusion of the policy takes out such repeats. What
// is alone does not tell what it is.
func (r *Report) excluded(a *alike) bool {
	return slices.ContainsFunc(r.Exclusions, func(x Exclusion) bool {
		return x.inPolicy() && (a.of != reason{} && x.of == a.of || a.alone && x.of.takes(a.shows))
	})
}
