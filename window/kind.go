package window

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Kind says what kind of repeat it is, from evidence in the log.
type Kind string

// The kinds of repeats.
const (
	Stuck            Kind = "stuck"             // the same again and again, and the same came of it
	Retry            Kind = "retry"             // the same request after an error of its own
	Outage           Kind = "outage"            // the same request after an error that others had then, too
	Polling          Kind = "polling"           // what comes back changes, or the pace is a clock's
	Probe            Kind = "probe"             // a health check
	Batch            Kind = "batch"             // one prompt in many sessions, or all at once
	DuplicateLogging Kind = "duplicate-logging" // one request written twice
	Unknown          Kind = "unknown"           // the log does not say
)

// Kinds lists the kinds in the order in which reports show them.
var Kinds = []Kind{Stuck, Retry, Outage, Polling, Probe, Batch, DuplicateLogging, Unknown}

// IsLoop says whether a repeat of the kind is what loop detection is for.
func (k Kind) IsLoop() bool { return k == Stuck || k == Retry }

// IsWrong says whether stopping a repeat of the kind would be wrong, as far as
// the log tells. An outage is neither: the caller was right to come again, and
// somebody should know.
func (k Kind) IsWrong() bool { return !k.IsLoop() && k != Outage }

// LeastRepeats is how often the same must come before it is called stuck: a
// second time is normal, a third may be chance, and so may parallel calls that
// are equal.
const LeastRepeats = 4

// LeastCount is LeastRepeats as the rule counts.
func (rule *Rule) LeastCount() int {
	if rule.Identity.Again {
		return LeastRepeats - 1
	}
	return LeastRepeats
}

// Times of whole seconds make shorter pauses than coarsePause look alike, seconds, and
// pauses twice as long where they have to be alike to half of steadyPace.
// Of pauses from clockPause on few tell: no model and no program is so slow each time,
// and an agent that calls nothing does not wait so long to ask again.
// Who asks the same more often than pollingPause does not poll: a client that
// sends again at once has a steady pace, too.
const (
	coarsePause  = 5
	pollingPause = 1
	clockPause   = 300
)

// BySession tells that the rule counts each session by itself.
func (rule *Rule) BySession() bool {
	return slices.ContainsFunc(rule.Scope.Fields, func(f string) bool { return f == "conversation" || strings.Contains(f, "session") })
}

// Kind is what kind of repeat of a rule the facts tell of, as far as the
// witness has come, and why.
func (w *Witness) Kind(rule *Rule, f *Facts) (kind Kind, why string) {
	return w.kind(rule, f, fmt.Sprintf)
}

// KindAlone is Kind where nobody asks why, which takes most of the time.
func (w *Witness) KindAlone(rule *Rule, f *Facts) Kind {
	kind, _ := w.kind(rule, f, func(string, ...any) string { return "" })
	return kind
}

func (w *Witness) kind(rule *Rule, f *Facts, text func(format string, args ...any) string) (kind Kind, why string) {
	n := f.Requests - 1
	share := func(part int64) string { return text("%d of %d", part, n) }
	set := func(is Kind, evidence string, args ...any) {
		kind, why = is, text(evidence, args...)
	}
	id, least := rule.Identity, int64(rule.LeastCount())
	but := ""
	if id.Masks() {
		but = ", but for what is masked"
	}
	said := "last messages" // are what is compared for a rule that looks at nothing, too
	if id.Sees&fingerprint.SeesAll != 0 {
		said = "request"
	}
	calls := id.Sees == fingerprint.SeesCalls
	heard := f.wasHeard()
	came := &heard.results
	inOrder := (*order)(f)
	beat, late := f.beat()
	coarse := w.coarse(f)
	shortest := 0.0
	switch {
	case coarse && late:
		shortest = 2 * coarsePause
	case coarse:
		shortest = coarsePause
	}
	steady := f.pauses >= leastPauses && beat > 0 && beat >= shortest
	answered := max(f.answered, f.issued)
	failed := f.unavailable + f.failed
	shared, some := w.errors.shared(f.errors)
	switch {
	case n == 0:
		set(Unknown, "came once, apart from the others")
	case !coarse && 2*f.instants >= n:
		set(DuplicateLogging, "%s came at the very time of the one before", share(f.instants))
	case 2*f.Probes > n:
		set(Probe, "%s ask for one token at most, or a health check's path", share(f.Probes))
	case 2*shared >= n:
		set(Outage, "%s answered 429, 408, 499 or 5xx, and other %s had the same then", share(shared), w.errors.apart())
	case id.Sees == 0 && heard.messages.different() > 1:
		set(Unknown, "the requests differ: %v different among %d", &heard.messages, n)
	case 2*failed >= n:
		blind := id.Reads&(fingerprint.ReadsBody|fingerprint.ReadsMessages) == 0 && heard.messages.n == 0
		if blind && f.sessions.n == 0 && !w.errors.callers {
			set(Unknown, "%s answered with an error, and the log shows neither whose they are nor whether they were equal", share(failed))
			break
		}
		if id.Sees == 0 && f.mixed && heard.messages.n == 0 && f.sessions.different() < 2 {
			set(Unknown, "%s answered with an error, but not all for one path, or of one agent", share(failed))
			break
		}
		why := ""
		switch others := w.errors.apart(); {
		case shared > 0:
			why = text(", %d of them when other %s had the same", shared, others)
		case some:
			why = text("; few other %s had the same 429, 408, 499 or 5xx then", others)
		case f.unavailable > 0:
			why = text("; no other %s had the same 429, 408, 499 or 5xx then", others)
		}
		is := Retry
		if 2*shared > failed { // what came of the rest does not make them its own
			is = Outage
		}
		set(is, "%s answered with an error%s", share(failed), why)
	case calls && came.progress() && (came.longest < LeastRepeats || steady):
		set(Polling, "the results change: %d of %d are not as the one before", came.changes, came.turns-1)
	case 2*f.Gets > n:
		set(Polling, "%s only read (GET or HEAD)%s", share(f.Gets), f.pace())
	case !rule.BySession() && f.sessions.different() > 1 && 2*f.sessions.different() >= min(n, mostVariety):
		set(Batch, "%v sessions or users among %d requests", &f.sessions, n)
	case 2*f.together >= n:
		set(Batch, "%s began before the one before had ended", share(f.together))
	case f.mixed && f.sessions.different() > 1:
		set(Unknown, "%v sessions or users among %d requests, none of them %d times in a row", &f.sessions, n, LeastRepeats)
	case f.Requests < least:
		set(Unknown, "came only %d times", f.Requests)
	case id.Sees == 0 && heard.messages.n < n:
		set(Unknown, "the log does not show whether the requests were equal")
	case f.inRow() < least:
		set(Unknown, "came %d times with others between", f.Requests)
	case beat >= clockPause:
		set(Polling, "the same at a steady pace%s", every(beat))
	case id.Sees&fingerprint.SeesResults != 0:
		set(Stuck, "the same call with the same result, %v%s", inOrder, but)
	case calls && came.turns == 0 && came.loose > 0:
		set(Unknown, "the same call %v; the log does not show which results are of it", inOrder)
	case calls && came.turns == 0 && came.blank > 0:
		set(Unknown, "the same call %v; no request ends with a result of it", inOrder)
	case calls && came.turns == 0:
		set(Unknown, "the same call %v; the log does not show the results", inOrder)
	case calls && came.turns == 1:
		set(Unknown, "the same call %v; the log shows what came of it once", inOrder)
	case calls && came.changes == 0:
		set(Stuck, "the same call %v, and the same result each time%s", inOrder, but)
	case calls && came.longest >= LeastRepeats:
		set(Stuck, "the same call %v, and the same result %d times in a row%s", inOrder, came.longest, but)
	case calls:
		set(Unknown, "the same call %v; the result changed once", inOrder)
	case steady && heard.answers.n == 0 && beat >= pollingPause:
		set(Polling, "the same %s at a steady pace%s", said, every(beat))
	case heard.answers.n == 0 && f.meanPause() >= clockPause:
		set(Unknown, "the same %s %v, but too seldom for a loop%s", said, inOrder, f.pace())
	case answered == 0:
		set(Unknown, "the same %s %v; the log does not show how it went", said, inOrder)
	case 2*answered < n:
		set(Unknown, "the same %s %v; the log shows an answer to %s", said, inOrder, share(answered))
	case 2*f.issued >= n && heard.answers.different() == 1:
		set(Stuck, "the same %s %v, and the same call in answer%s", said, inOrder, but)
	case answered < n:
		set(Stuck, "the same %s %d times, answered %s%s", said, f.Requests, share(answered), but)
	default:
		set(Stuck, "the same %s %d times, answered each time%s", said, f.Requests, but)
	}
	return kind, why
}
