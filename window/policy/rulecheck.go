package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// missing is a problem of a rule that lacks something, unless it may be in a
// profile that could not be found.
func (r *reader) missing(d *ruleDraft, at place, format string, args ...any) {
	if !d.broken {
		r.check(at, format, args...)
	}
}

// unknown is the problem of a word that is none of those there are, at its own
// place in a list, so that none hides another; "" of one that is.
func unknown(what, word string, words []string) string {
	if slices.Contains(words, word) {
		return ""
	}
	return fmt.Sprintf("no %s is called %q%s", what, word, suggest(word, words))
}

func scopeProblem(field string) string {
	switch name, isAttr := strings.CutPrefix(field, "attr:"); {
	case !isAttr:
		return unknown("request field", field, fingerprint.ScopeNames())
	case name == "":
		return "write attr:NAME, the name of an attribute"
	}
	return ""
}

func partProblem(part string) string {
	name, _, _ := strings.Cut(part, ":")
	return unknown("part", name, fingerprint.PartNames())
}

func maskProblem(mask string) string { return unknown("mask", mask, fingerprint.MaskNames()) }

func (r *reader) checkCounter(d *ruleDraft) {
	at := r.where(d.at, "counter")
	if r.given(d.at, "counter.kind") {
		at = r.where(d.at, "counter.kind")
	}
	switch {
	case d.counter.Kind == "":
		if !d.broken {
			r.lacks(at, "is missing a kind: "+strings.Join(freeKinds(), ", "), "kind")
		}
		return
	case d.counter.Kind == window.TrackerKind && !strings.HasPrefix(d.profile, "tool-call-shipped"):
		r.problem(at, "tracker is only for profile: tool-call-shipped")
	}
	if d.counter.Window == 0 && !window.CounterNamed(d.counter.Kind).Endless {
		if r.given(d.at, "counter.window") {
			r.check(r.where(d.at, "counter.window"), "must be more than 0s: %s counts inside a window", d.counter.Kind)
		} else {
			at.path = member(d.at.path, "counter.window")
			r.missing(d, at, "is missing: how long a repeat counts, as in 60s")
		}
	}
	switch {
	case !r.given(d.at, "counter.period"):
	case !window.CounterNamed(d.counter.Kind).Periodic:
		r.problem(r.where(d.at, "counter.period"), "means nothing to %s: only cycle has a period", d.counter.Kind)
	case d.counter.Period < 1 || d.counter.Period > window.MaxPeriod:
		r.problem(r.where(d.at, "counter.period"), "must be from 1 to %d, is %d", window.MaxPeriod, d.counter.Period)
	}
}

// varies tells that the window of the rule's counter may be another for each
// request.
func (d *ruleDraft) varies() bool {
	return window.CounterNamed(d.counter.Kind).Varies && d.counter.Window > 0
}

// switchesOn tells that the override says enabled: true, which only means
// something where the rule is not.
func (o *overrideDraft) switchesOn() bool { return o.enabled && o.enabledGiven }

// changes tells that the override says anything of what it matches.
func (o *overrideDraft) changes() bool {
	return o.threshold != 0 || o.action != "" || o.window != 0 || !o.enabled || o.enabledGiven
}

func (r *reader) checkWindow(d *ruleDraft, o *overrideDraft) {
	switch {
	case !d.varies():
		r.check(r.where(o.at, "window"), "needs counter streak with a window, or profile tool-call-shipped: to others it is the same for all requests; write a second rule, and match in both")
	case o.window == 0:
		r.check(r.where(o.at, "window"), "must be more than 0s")
	}
}

// mayJudge tells that there may be requests which the rule looks at.
func (d *ruleDraft) mayJudge() bool {
	return d.enabled || d.chatOverrides || slices.ContainsFunc(d.overrides, func(o overrideDraft) bool { return o.switchesOn() })
}

// checkChat checks that there are sessions which may say something, and that
// what they may say can be had.
func (r *reader) checkChat(d *ruleDraft) {
	if !d.chatOverrides {
		return
	}
	at := r.where(d.at, "chat_overrides")
	if d.counter.Kind != "" && !d.varies() {
		r.check(at, "needs counter streak with a window, or profile tool-call-shipped: a session may set its window")
	}
	if d.scope != nil && !slices.Contains(d.scope, "session") && !slices.Contains(d.scope, "conversation") {
		r.check(at, "needs session or conversation in scope: what one session says must not hold for others")
	}
}

// maxThreshold is beyond any loop that somebody would let run.
const maxThreshold = 1_000_000

func (r *reader) checkThreshold(d *ruleDraft, n int, at place, missing bool) {
	switch {
	case missing:
		r.missing(d, at, "is missing: the repeat on which the rule fires, from %d", window.LeastThreshold)
	case n < d.minThreshold:
		r.check(at, "must be at least %d, is %d", d.minThreshold, n)
	case n > maxThreshold:
		r.check(at, "must be at most %d", maxThreshold)
	}
}
