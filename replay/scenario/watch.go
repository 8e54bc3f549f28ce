package scenario

import (
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// Watch sees a run for a fixture. Its methods are the sinks of a replay.
type Watch struct {
	fixture *Fixture
	plan    *window.Plan

	mustFire, mustNotFire []*sight
	sights                []*sight // of both
	conversations         []string // of the request at hand
	requests              int64
	episodes              []window.Episode
}

// sight is what was seen of one expectation.
type sight struct {
	*expectation
	picked   bool // the request at hand
	requests int64
	excluded int64 // requests besides
	counted  int64 // verdicts
	causes   [fingerprint.Causes]int64
	fired    map[string]int64 // requests by episode
	nearest  near
}

// near is the count that came nearest to firing, beside the threshold that it was
// held to. It is asked for where nothing fired: there each hit has a count.
type near struct {
	rule             string
	count, threshold int
}

// Watch prepares for a run of the plan.
func (f *Fixture) Watch(plan *window.Plan) *Watch {
	w := &Watch{fixture: f, plan: plan}
	sights := func(list []*expectation) []*sight {
		var out []*sight
		for _, x := range list {
			out = append(out, &sight{expectation: x, fired: map[string]int64{}})
		}
		return out
	}
	w.mustFire, w.mustNotFire = sights(f.mustFire), sights(f.mustNotFire)
	w.sights = slices.Concat(w.mustFire, w.mustNotFire)
	return w
}

// Event sees a request before the rules do.
func (w *Watch) Event(ev *window.Event) error {
	w.requests++
	w.conversations = w.conversations[:0]
	for i, s := range w.plan.Scopes {
		if k := slices.Index(s.Fields, conversation); k >= 0 && k < len(ev.Scopes[i].Values) {
			w.conversations = append(w.conversations, ev.Scopes[i].Values[k])
		}
	}
	for _, s := range w.sights {
		if s.picked = s.picks(ev, w.conversations); s.picked {
			s.requests++
			w.why(s, ev)
		}
	}
	return nil
}

// Exclude sees a request that no rule does. What it is in is told by its session alone.
func (w *Watch) Exclude(ev *window.Event) error {
	for _, s := range w.sights {
		if s.picks(ev, []string{ev.Session}) {
			s.excluded++
		}
	}
	return nil
}

// why notes for what causes the rules could not look at a request.
func (w *Watch) why(s *sight, ev *window.Event) {
	for i, r := range w.plan.Rules {
		if !s.wants(r) || ev.Rules[i] == window.NotMatched {
			continue
		}
		if c := ev.Prints[w.plan.IdentityOf(i)].Cause; c != fingerprint.Computable {
			s.causes[c]++
		} else if c := ev.Scopes[w.plan.ScopeOf(i)].Cause; c != fingerprint.Computable {
			s.causes[c]++
		}
	}
}

// Verdict sees what a rule says of the request.
func (w *Watch) Verdict(v *window.Verdict) error {
	for _, s := range w.sights {
		if s.picked && s.wants(v.Rule) {
			s.counted++
			s.see(near{v.Rule.Name, v.Count, v.Threshold})
			if v.Fired {
				s.fired[v.Episode]++
			}
		}
	}
	return nil
}

func (s *sight) see(n near) {
	old := s.nearest
	if missing, before := n.threshold-n.count, old.threshold-old.count; old.rule == "" || missing < before || missing == before && n.count > old.count {
		s.nearest = n
	}
}

// Episode sees a loop.
func (w *Watch) Episode(e *window.Episode) error {
	w.episodes = append(w.episodes, *e)
	return nil
}
