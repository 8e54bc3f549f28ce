package explain

import (
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// Nearest is the setting nearest to the rule's with which the answer would
// have been the other one, all else as it is. It is found by counting again.
type Nearest struct {
	Fires bool `json:"fires"` // what the rule does with these settings
	// Threshold is the lowest that would not have fired, or the highest that
	// would have.
	Threshold    *int    `json:"threshold"`
	ThresholdWhy *string `json:"threshold_why"` // why there is none
	// Window is the largest that would not have fired, or the smallest that
	// would have, in seconds.
	Window    *float64 `json:"window_s"`
	WindowWhy *string  `json:"window_why"`

	exact   bool // so would every window beyond it
	unknown bool // too little is kept to tell
}

// maxJudged bounds the work of one search, in hits judged again.
const maxJudged = 5_000_000

// maxPaired bounds the requests between which every distance is tried as a
// window, for rules whose answer does not simply grow with it. Of so few none is
// forgotten.
const maxPaired = 1_000

// Why a request that did not fire would not have with another threshold, or window.
const (
	noThreshold = "nothing it could be a repeat of"
	noWindow    = "no window fires"
)

// search looks for other settings of a trace's rule.
type search struct {
	t      *trace
	lo, hi int // the hits asked about
	fired  bool
	judged int
}

func (t *trace) nearest(lo, hi int) *Nearest {
	s := &search{t: t, lo: lo, hi: hi}
	for i := lo; i <= hi; i++ {
		s.fired = s.fired || t.mine(i) && t.hits[i].fired
	}
	n := &Nearest{Fires: !s.fired, exact: s.grows()}
	if !s.reproduces() {
		why := replay.TextOrNull("more requests came before than are kept")
		if t.forgotten == 0 {
			why = replay.TextOrNull("the session has set others than the rule")
		}
		n.ThresholdWhy, n.WindowWhy, n.unknown = why, why, true
		return n
	}
	if t.unkept > 0 {
		why := replay.TextOrNull("the episode is longer than what is kept")
		n.ThresholdWhy, n.WindowWhy, n.unknown = why, why, true
		if s.plain() {
			n.Threshold, n.ThresholdWhy, n.unknown = new(t.episode.MaxCount+1), nil, false
		}
		return n
	}
	if threshold, why := s.threshold(); why == "" {
		n.Threshold = &threshold
	} else {
		n.ThresholdWhy = &why
	}
	if w, why := s.window(); why == "" {
		n.Window = new(w.Seconds())
	} else {
		n.WindowWhy = &why
	}
	return n
}

// mine tells whether hit i is of the fingerprint that is asked about.
func (t *trace) mine(i int) bool { return t.hits[i].print == t.print }

// plain tells whether what fires leaves later counts as they are.
func (s *search) plain() bool { return !s.t.rule.ChangesCounts() }

// grows tells whether a larger window can only count more.
func (s *search) grows() bool { return s.plain() && s.t.kind.Grows }

// with is the rule with another threshold and another window, where the asked
// one has them from.
func (s *search) with(threshold int, w time.Duration) *window.Rule {
	r := *s.t.rule
	r.Overrides = slices.Clone(r.Overrides)
	c, ofWindow := s.t.hits[s.lo].choice, &r.Counter.Window
	if c >= 0 && r.Overrides[c].Window > 0 {
		ofWindow = &r.Overrides[c].Window
	}
	*thresholdOf(&r, c), *ofWindow = threshold, w
	return &r
}

// thresholdOf is where a choice has its threshold from: an override, or the rule.
func thresholdOf(r *window.Rule, c window.Choice) *int {
	if c >= 0 && r.Overrides[c].Threshold > 0 {
		return &r.Overrides[c].Threshold
	}
	return &r.Threshold
}

// now is the window in force.
func (s *search) now() time.Duration { return s.t.rule.InForce(s.t.hits[s.lo].choice).Window }

// run judges the hits again by another rule, up to the last asked about. The rule
// has looked at all of them, whatever their session said.
func (s *search) run(r *window.Rule, each func(i int, v *window.Verdict)) {
	i, rule := 0, *r
	rule.Off, rule.ChatOverrides = false, false
	e := window.NewEngine(window.NewPlan([]*window.Rule{&rule}, nil), window.EngineOptions{Verdict: func(v *window.Verdict) { each(i, v) }})
	ev := window.Event{Prints: make([]window.Prints, 1), Scopes: []window.Scope{{Key: s.t.key, Values: s.t.values}}, Rules: make([]window.Choice, 1)}
	for ; i <= s.hi; i++ {
		h := &s.t.hits[i]
		ev.Time, ev.Position, ev.Rules[0] = h.time, h.pos, h.choice
		ev.Prints[0].Fingerprints = append(ev.Prints[0].Fingerprints[:0], h.print)
		e.Judge(&ev)
	}
	s.judged += s.hi + 1
}

func (s *search) fires(threshold int, w time.Duration) (fires bool) {
	s.run(s.with(threshold, w), func(i int, v *window.Verdict) {
		fires = fires || i >= s.lo && s.t.mine(i) && v.Fired
	})
	return fires
}

// reproduces tells whether the hits that are kept, and the rule without what
// sessions say, give the same verdicts as all of them gave.
func (s *search) reproduces() bool {
	if s.t.forgotten == 0 && !s.t.rule.ChatOverrides {
		return true
	}
	same := true
	s.run(s.t.rule, func(i int, v *window.Verdict) {
		if h := &s.t.hits[i]; i >= s.lo && (v.Fired != h.fired || v.Count != h.count || v.Threshold != h.threshold) {
			same = false
		}
	})
	return same
}

func (s *search) threshold() (threshold int, why string) {
	now, w := s.t.hits[s.lo].threshold, s.now()
	step, last := -1, window.LeastThreshold
	if s.fired {
		step, last = 1, s.hi+2 // no count is higher
	}
	if s.plain() {
		// No count depends on the threshold: the highest that is held to it is where
		// to begin.
		most, r := 0, s.t.rule
		held := thresholdOf(r, s.t.hits[s.lo].choice)
		for i := s.lo; i <= s.hi; i++ {
			if s.t.mine(i) && thresholdOf(r, s.t.hits[i].choice) == held {
				most = max(most, s.t.hits[i].count)
			}
		}
		if now = most; s.fired {
			last = most + 1
		} else {
			now++
		}
	}
	for threshold = now + step; threshold*step <= last*step; threshold += step {
		if s.fires(threshold, w) != s.fired {
			return threshold, ""
		}
		if s.judged > maxJudged {
			return 0, "none was found near the rule's"
		}
	}
	if s.fired {
		return 0, "every threshold fires"
	}
	return 0, noThreshold
}

func (s *search) window() (w time.Duration, why string) {
	h := &s.t.hits[s.lo]
	now := s.now()
	span := time.Duration(s.t.hits[s.hi].time-s.t.hits[0].time) * time.Microsecond
	whole := span + 2*time.Microsecond // in which everything counts
	if now == 0 {
		if !s.fired {
			return 0, "the rule has none, and counts all"
		}
		now = whole
	}
	fires := func(w time.Duration) bool { return s.fires(h.threshold, w) }
	if s.grows() {
		return s.bisect(now, whole, fires)
	}
	return s.scan(now, fires)
}

// bisect finds the edge of an answer that grows with the window.
func (s *search) bisect(now, whole time.Duration, fires func(time.Duration) bool) (w time.Duration, why string) {
	low, high := time.Microsecond, now // low does not fire, high does
	if s.fired {
		if fires(low) {
			return 0, "every window fires"
		}
	} else {
		low, high = now, whole
		if whole <= now || !fires(whole) {
			if s.t.forgotten > 0 {
				return 0, "none up to " + window.Lasting(whole) + "; older requests are not kept"
			}
			return 0, noWindow
		}
	}
	for high-low > time.Microsecond {
		middle := (low + (high-low)/2).Truncate(time.Microsecond)
		if fires(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	if s.fired {
		return low, ""
	}
	return high, ""
}

// scan tries every window that can make a difference, the nearest first: the
// distances between the requests.
func (s *search) scan(now time.Duration, fires func(time.Duration) bool) (w time.Duration, why string) {
	if s.hi+1 > maxPaired {
		return 0, "too many requests to try every window"
	}
	var ages []time.Duration
	for i := range s.hi + 1 {
		for j := range i {
			ages = append(ages, time.Duration(s.t.hits[i].time-s.t.hits[j].time)*time.Microsecond)
		}
	}
	slices.Sort(ages)
	ages = slices.Compact(ages)
	// With an open edge a request of age a counts from a window of a + 1 µs on.
	least := time.Microsecond
	if s.t.rule.Counter.EdgeCounts() {
		least = 0
	}
	if s.fired {
		slices.Reverse(ages)
	}
	for _, age := range ages {
		w := age + least
		if s.fired {
			w -= time.Microsecond
		}
		if w <= 0 || s.fired && w >= now || !s.fired && w <= now {
			continue
		}
		if fires(w) != s.fired {
			return w, ""
		}
		if s.judged > 2*maxJudged {
			return 0, "none was found near the rule's"
		}
	}
	if s.fired {
		return 0, "every window fires"
	}
	return 0, noWindow
}
