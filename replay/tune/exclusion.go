package tune

import (
	"cmp"
	"slices"
	"strconv"
)

// Exclusion is a suggestion: requests that repeat on purpose, and that no rule
// need look at.
type Exclusion struct {
	Name   string
	Match  string // as a policy writes it
	Mutes  int    // repeats it takes out
	Hides  int    // of those, loops
	Counts int64  // requests of the repeats
}

// exclude suggests an exclusion for each reason to repeat that can be told from
// one request alone, and notes what it would take out.
func (r *Report) exclude() {
	byMatch := map[string]*Exclusion{}
	matches := func(k *Repeat) (name, match string) {
		n := k.Requests - 1
		switch {
		case k.Kind == Probe && 2*k.facts.tokens > n:
			return "probes", "max_tokens == 1"
		case k.Kind == Probe:
			return "health checks", "path == " + strconv.Quote(k.path)
		case k.Kind == Polling && 2*k.facts.gets > n:
			return "polling of " + k.path, "method == " + strconv.Quote(k.method) + " && path == " + strconv.Quote(k.path)
		}
		return "", ""
	}
	for _, k := range r.Repeats {
		name, match := matches(k)
		if match == "" {
			continue
		}
		x := byMatch[match]
		if x == nil {
			x = &Exclusion{Name: name, Match: match}
			byMatch[match] = x
		}
		x.Mutes++
		x.Counts += k.Requests
		k.excluded = true
	}
	for _, x := range byMatch { // any order: sorted below
		r.Exclusions = append(r.Exclusions, *x)
	}
	slices.SortFunc(r.Exclusions, func(a, b Exclusion) int {
		return cmp.Or(cmp.Compare(b.Mutes, a.Mutes), cmp.Compare(a.Match, b.Match))
	})
	for i := range r.Exclusions {
		x := &r.Exclusions[i]
		for _, k := range r.Repeats {
			if r.isLoop(k) && x.takes(k) {
				x.Hides++
			}
		}
	}
}

// takes says whether an exclusion takes out most of a repeat that is not of its
// kind.
func (x *Exclusion) takes(k *Repeat) bool {
	if x.Match == "max_tokens == 1" {
		return 2*k.facts.tokens > k.Requests-1
	}
	return x.Match == "path == "+strconv.Quote(k.path) || x.Match == "method == "+strconv.Quote(k.method)+" && path == "+strconv.Quote(k.path)
}
