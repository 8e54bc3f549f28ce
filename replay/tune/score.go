package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/replay/term"
)

// Labelled holds the labels against what the advice would do.
type Labelled struct {
	Sessions, Loops, Unseen int // labels; of loops; of sessions that the log does not have
	UnseenLoops             int // of these, of loops
	ByAdvice                []Score
	Together                Score // of the recommended rules

	// Sessions that these get wrong, by name: loops in the log that they do not fire
	// in, and others that they do.
	Missed, Wrong []string
}

// shownLabels is how many sessions of a kind a summary names.
const shownLabels = 5

// Misjudged says which labelled sessions the recommended rules get wrong, some of
// those that are many; empty if none.
func (l *Labelled) Misjudged() string {
	var parts []string
	for _, of := range []struct {
		what     string
		sessions []string
	}{{"missed: ", l.Missed}, {"flagged wrongly: ", l.Wrong}} {
		if len(of.sessions) == 0 {
			continue
		}
		var names []string
		for _, session := range of.sessions[:min(len(of.sessions), shownLabels)] {
			names = append(names, term.Middle(term.Safe(session), 64))
		}
		if more := len(of.sessions) - shownLabels; more > 0 {
			names = append(names, fmt.Sprintf("and %s more, in --json", term.Count(more)))
		}
		parts = append(parts, of.what+strings.Join(names, ", "))
	}
	return strings.Join(parts, "; ")
}

// Score is a setting against the labels. Sessions count, not requests.
type Score struct {
	TruePositive  int `json:"true_positive"`
	FalsePositive int `json:"false_positive"`
	FalseNegative int `json:"false_negative"`
	TrueNegative  int `json:"true_negative"`
}

// Precision is the share of flagged sessions that are loops; NaN if none is
// flagged.
func (s Score) Precision() float64 { return ratio(s.TruePositive, s.TruePositive+s.FalsePositive) }

// Recall is the share of loops that are flagged; NaN if there is none.
func (s Score) Recall() float64 { return ratio(s.TruePositive, s.TruePositive+s.FalseNegative) }

// F1 is the harmonic mean of precision and recall.
func (s Score) F1() float64 {
	return ratio(2*s.TruePositive, 2*s.TruePositive+s.FalsePositive+s.FalseNegative)
}

// ratio is NaN of nothing.
func ratio(part, whole int) float64 { return float64(part) / float64(whole) }

// Interval is Wilson's 95 % interval of a share; of nothing it is from 0 to 1.
func Interval(part, whole int) (low, high float64) {
	const z = 1.959964
	n, p := float64(whole), float64(part)/float64(whole)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = middle-half, middle+half
	if part == 0 { // exactly, which the floats miss by a last digit; of nothing both
		low = 0
	}
	if part == whole {
		high = 1
	}
	return low, high
}

// strange tells that the log has none of the labelled sessions: the labels decide
// nothing, and are no measure.
func (l *Labelled) strange() bool { return l.Unseen == l.Sessions }

// label scores the advice.
func (r *Report) label(sessions *sampled[uint32]) {
	if r.Options.Labels == nil {
		return
	}
	l := &Labelled{Sessions: len(r.Options.Labels)}
	unseen := func(session string) bool {
		c := conversationOf(session)
		return sessions.wants(c) && sessions.of[c] == 0
	}
	for session, loop := range r.Options.Labels { // any order: each is counted alike
		if loop {
			l.Loops++
		}
		if unseen(session) {
			l.Unseen++
			if loop {
				l.UnseenLoops++
			}
		}
	}
	together := map[string]bool{}
	for i := range r.Advice {
		flagged := map[string]bool{}
		for session := range r.Options.Labels { // any order: a set
			if r.reached.flagged(&r.Advice[i], session) {
				flagged[session] = true
				together[session] = together[session] || slices.Contains(r.Recommended, i)
			}
		}
		l.ByAdvice = append(l.ByAdvice, r.score(flagged))
	}
	l.Together = r.score(together)
	for session, loop := range r.Options.Labels { // any order: sorted below
		switch {
		case loop && !together[session] && !unseen(session):
			l.Missed = append(l.Missed, session)
		case !loop && together[session]:
			l.Wrong = append(l.Wrong, session)
		}
	}
	slices.Sort(l.Missed)
	slices.Sort(l.Wrong)
	r.Labelled = l
}

func (r *Report) score(flagged map[string]bool) (s Score) {
	for session, loop := range r.Options.Labels { // any order: each is counted alike
		switch {
		case loop && flagged[session]:
			s.TruePositive++
		case loop:
			s.FalseNegative++
		case flagged[session]:
			s.FalsePositive++
		default:
			s.TrueNegative++
		}
	}
	return s
}
