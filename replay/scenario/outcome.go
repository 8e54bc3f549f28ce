package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// Outcome is what came of a fixture.
type Outcome struct {
	Requests, Episodes int64
	Malformed, Late    int64         // lines that no rule saw
	Misses             policy.Errors // where each expectation stands and what came instead
}

// EpisodesDiffer tells whether the list of episodes is among what was missed,
// and others are there to be taken.
func (o *Outcome) EpisodesDiffer() bool {
	return o.Requests > 0 && slices.ContainsFunc(o.Misses, func(p policy.Problem) bool { return strings.HasPrefix(p.Path, "episodes") })
}

// Outcome compares what was seen with what is expected, after the run.
func (w *Watch) Outcome(r *replay.Result) Outcome {
	o := Outcome{Requests: w.requests, Episodes: int64(len(w.episodes)), Malformed: r.Account.Malformed, Late: r.Account.Late}
	miss := func(at policy.Value, format string, args ...any) {
		o.Misses = append(o.Misses, at.Problem(fmt.Sprintf(format, args...)))
	}
	for _, s := range w.mustFire {
		if len(s.fired) < s.atLeast {
			miss(s.at, "expected %s; %s", s.wanted(), s.instead())
		}
	}
	for _, s := range w.mustNotFire {
		switch {
		case s.requests+s.excluded == 0:
			// It would hold for ever, whatever became of the policy.
			miss(s.at, "expected no loop%s; %s", spaced(s.String()), s.none())
		case len(s.fired) > 0:
			miss(s.at, "expected no loop%s; %s", spaced(s.String()), w.found(s))
		}
	}
	l := w.fixture.limits
	if w.requests == 0 && r.Account.Lines > 0 {
		// Nor can a log without requests have too many loops, or others.
		for _, at := range []policy.Value{l.episodesAt, l.perDayAt, w.fixture.episodesAt} {
			if at.Set() {
				miss(at, "no request was judged: %s", r.Account)
			}
		}
	}
	if l.episodesAt.Set() && len(w.episodes) > l.episodes {
		miss(l.episodesAt, "at most %d; there %s", l.episodes, were(len(w.episodes)))
	}
	if l.perDayAt.Set() {
		days := max(1, r.Days()) // a loop in an hour's log is not 24 a day
		if perDay := float64(len(w.episodes)) / days; perDay > l.perDay {
			most, rate := strconv.FormatFloat(l.perDay, 'f', -1, 64), number(perDay)
			if rate == number(l.perDay) { // rounded, it would keep to the limit
				rate = "more than " + most
			}
			miss(l.perDayAt, "at most %s; there %s in %s: %s a day", most, were(len(w.episodes)), lasting(days), rate)
		}
	}
	if w.fixture.episodesAt.Set() {
		w.compare(miss)
	}
	return o
}

func were(n int) string {
	if n == 1 {
		return "was 1"
	}
	return "were " + term.Count(n)
}

func lasting(days float64) string {
	if text := number(days); text != "1" {
		return text + " days"
	}
	return "1 day"
}

func number(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

func spaced(text string) string {
	if text == "" {
		return ""
	}
	return " " + text
}

func (s *sight) wanted() string {
	if s.atLeast == 1 {
		return "a loop" + spaced(s.String())
	}
	return fmt.Sprintf("at least %d loops%s", s.atLeast, spaced(s.String()))
}

// instead says what was there in place of the loops, and why.
func (s *sight) instead() string {
	switch {
	case s.requests == 0:
		return s.none()
	case len(s.fired) > 0:
		return "there " + were(len(s.fired))
	case s.counted == 0:
		who := "no rule"
		if s.rule != "" {
			who = "the rule"
		}
		return who + s.blind()
	case s.rule == "":
		return fmt.Sprintf("there was none: the nearest was rule %s with a count of %d of %d", s.nearest.rule, s.nearest.count, s.nearest.threshold)
	}
	return fmt.Sprintf("there was none: its highest count was %d of %d", s.nearest.count, s.nearest.threshold)
}

// blind says why no request was counted: the rule's match leaves them out, or
// the log has not what it needs.
func (s *sight) blind() string {
	most := slices.Max(s.causes[:])
	who := " could look at the " + term.Plural(s.requests, "request", "requests")
	if s.rule != "" {
		who = " could not look at the " + term.Plural(s.requests, "request", "requests")
	}
	if most == 0 {
		return who + ": its match, or an override, leaves them out"
	}
	return who + ": " + fingerprint.Cause(slices.Index(s.causes[:], most)).String()
}

func (s *sight) none() string {
	if s.excluded > 0 {
		return "the policy excludes the " + term.Plural(s.excluded, "request", "requests") + spaced(s.selector.requests())
	}
	return "the log has no request" + spaced(s.selector.requests())
}

// shownEpisodes is how many loops one message lists.
const shownEpisodes = 3

// found lists the loops that should not be there.
func (w *Watch) found(s *sight) string {
	var texts []string
	for i := range w.episodes {
		if e := &w.episodes[i]; s.fired[e.ID] > 0 {
			texts = append(texts, describe(reduce(e)))
		}
	}
	slices.Sort(texts)
	more := ""
	if n := len(texts) - shownEpisodes; n > 0 {
		texts, more = texts[:shownEpisodes], fmt.Sprintf("; and %d more", n)
	}
	return "there was " + strings.Join(texts, "; ") + more
}

// reduce keeps of an episode what is compared.
func reduce(e *window.Episode) episode {
	out := episode{rule: e.Rule.Name, fired: e.Fired, last: e.Last, requests: e.Requests}
	for i, field := range e.Rule.Scope.Fields {
		out.scope = append(out.scope, scopeValue{field, e.Scope[i]})
	}
	return out
}

// seen are the episodes of the run in the order in which they are written.
func (w *Watch) seen() []episode {
	list := make([]episode, len(w.episodes))
	for i := range w.episodes {
		list[i] = reduce(&w.episodes[i])
	}
	return inOrder(list)
}

// inOrder sorts a copy of episodes.
func inOrder(list []episode) []episode {
	return slices.SortedStableFunc(slices.Values(list), compareEpisodes)
}

// describe writes an episode for a message.
func describe(e episode) string {
	return fmt.Sprintf("%s, fired %s, last %s, %s", e.who(), window.Stamp(e.fired), window.Stamp(e.last), term.Plural(e.requests, "request", "requests"))
}

// who is the rule and the scope of an episode.
func (e episode) who() string { return "rule " + e.rule + e.where() }

// where is the scope, as in " in session X, user Y".
func (e episode) where() string {
	text, before := "", " in "
	for _, s := range e.scope {
		text += before + s.field + " " + term.Safe(s.value)
		before = ", "
	}
	return text
}

// compare holds the episodes of the run against the list in the fixture:
// first those that are equal, then those of the same rule and scope in their
// order, then those that one rule found at the same time in scopes of another
// name; what is left over was lost or is new.
func (w *Watch) compare(miss func(policy.Value, string, ...any)) {
	want, got := inOrder(w.fixture.episodes), w.seen()
	for _, same := range []func(a, b episode) bool{
		equalEpisodes,
		func(a, b episode) bool { return a.rule == b.rule && slices.Equal(a.scope, b.scope) },
		func(a, b episode) bool {
			return a.rule == b.rule && a.fired == b.fired && a.last == b.last && a.requests == b.requests
		},
	} {
		want = slices.DeleteFunc(want, func(e episode) bool {
			i := slices.IndexFunc(got, func(g episode) bool { return same(e, g) })
			if i < 0 {
				return false
			}
			if changed := differences(e, got[i]); changed != "" {
				miss(e.at, "%s: %s", e.who(), changed)
			}
			got = slices.Delete(got, i, i+1)
			return true
		})
	}
	for _, e := range want {
		miss(e.at, "lost: %s", describe(e))
	}
	if len(got) > 0 {
		miss(w.fixture.episodesAt, "%d new%s", len(got), lines(got))
	}
}

// shownNew is how many new episodes a message lists.
const shownNew = 20

// lines lists episodes, one a line.
func lines(list []episode) string {
	var b strings.Builder
	for _, e := range list[:min(len(list), shownNew)] {
		b.WriteString("\n  " + describe(e))
	}
	if more := len(list) - shownNew; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

// differences says what changed between two episodes of one rule and scope.
func differences(want, got episode) string {
	var texts []string
	if !slices.Equal(want.scope, got.scope) {
		texts = append(texts, "now"+got.where())
	}
	if want.fired != got.fired {
		texts = append(texts, fmt.Sprintf("fired %s, expected %s", window.Stamp(got.fired), window.Stamp(want.fired)))
	}
	if want.last != got.last {
		texts = append(texts, fmt.Sprintf("last %s, expected %s", window.Stamp(got.last), window.Stamp(want.last)))
	}
	if want.requests != got.requests {
		texts = append(texts, fmt.Sprintf("%d requests, expected %d", got.requests, want.requests))
	}
	return strings.Join(texts, "; ")
}
