package tune

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
)

// Kind says what kind of repeat it is, from evidence in the log.
type Kind string

const (
	Stuck            Kind = "stuck"             // the same again and again, and the same came of it
	Retry            Kind = "retry"             // the same request after an error of its own
	Outage           Kind = "outage"            // the same request while others had 429 or 5xx too
	Polling          Kind = "polling"           // what comes back changes, or the pace is a clock's
	Probe            Kind = "probe"             // a health check
	Batch            Kind = "batch"             // one prompt in many sessions
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

// facts add up what the log says of a repeat's requests, from the second on.
type facts struct {
	failed, unavailable, answered  int64 // 4xx; 429 and 5xx; below 400
	probes, tokens, gets, instants int64 // tokens: of the probes, those with max_tokens
	sessions, results, answers     variety
	messages                       variety
	minutes                        []int64 // with an unavailable answer
	streak, cycle                  int     // highest count
	last                           int64
	pauses                         int64
	pauseSum, pauseSquares         float64 // seconds
}

// variety counts different values, up to a bound.
type variety struct {
	seen []fingerprint.Fingerprint
	text []string
	n    int64 // values, equal ones too
}

const mostVariety = 32

func (v *variety) addPrint(p fingerprint.Fingerprint) {
	v.n++
	if len(v.seen) < mostVariety && !slices.Contains(v.seen, p) {
		v.seen = append(v.seen, p)
	}
}

func (v *variety) addText(s string) {
	if s == "" {
		return
	}
	v.n++
	if len(v.text) < mostVariety && !slices.Contains(v.text, s) {
		v.text = append(v.text, s)
	}
}

func (v *variety) different() int64 { return int64(len(v.seen) + len(v.text)) }

// healthPaths are the paths of health checks.
var healthPaths = []string{"/health", "/healthz", "/livez", "/readyz", "/ready", "/live", "/ping", "/status", "/-/healthy", "/-/ready", "/health/liveliness", "/health/readiness"}

const minute = 60_000_000

// note adds one hit's facts.
func (c *collector) note(k *Repeat, r *window.Repeat) {
	f, ev := &k.facts, r.Event
	switch {
	case ev.Status == 429 || ev.Status >= 500:
		f.unavailable++
		if m := ev.Time / minute; len(f.minutes) < mostVariety && !slices.Contains(f.minutes, m) {
			f.minutes = append(f.minutes, m)
		}
	case ev.Status >= 400:
		f.failed++
	case ev.Status > 0:
		f.answered++
	}
	if ev.MaxTokens == 1 || slices.Contains(healthPaths, ev.Path) {
		f.probes++
		if ev.MaxTokens == 1 {
			f.tokens++
		}
	}
	if ev.Method == http.MethodGet || ev.Method == http.MethodHead {
		f.gets++
	}
	if f.last == 0 {
		f.last = k.First
	}
	switch pause := ev.Time - f.last; {
	case pause == 0 && c.parallel(r):
	case pause == 0:
		f.instants++
	default:
		seconds := float64(pause) / 1e6
		f.pauses++
		f.pauseSum += seconds
		f.pauseSquares += seconds * seconds
	}
	f.last = ev.Time
	f.sessions.addText(ev.Session)
	k.method, k.path = ev.Method, ev.Path
	for _, p := range c.prints(ev, c.results) {
		f.results.addPrint(p)
	}
	for _, p := range c.prints(ev, c.answers) {
		f.answers.addPrint(p)
	}
	for _, p := range c.prints(ev, c.messages) {
		f.messages.addPrint(p)
	}
	f.streak = max(f.streak, int(r.Counts[c.longest("streak")]))
	f.cycle = max(f.cycle, int(r.Counts[c.longest("cycle")]))
}

// parallel tells whether a request has the fingerprint of a hit more than once,
// as one with parallel calls that are equal has.
func (c *collector) parallel(r *window.Repeat) bool {
	n := 0
	for _, p := range c.prints(r.Event, c.plan.IdentityOf(r.Target)) {
		if p == r.Fingerprint {
			n++
		}
	}
	return n > 1
}

// longest is the cell of a kind with the longest window.
func (c *collector) longest(kind string) int {
	return (slices.Index(window.SweepKinds, kind)+1)*c.cells/len(window.SweepKinds) - 1
}

func (c *collector) prints(ev *window.Event, identity int) []fingerprint.Fingerprint {
	if identity < 0 {
		return nil
	}
	prints := ev.Prints[identity].Fingerprints
	return prints[:min(len(prints), fewPrints)]
}

// fewPrints of a request are enough to tell whether it differs from another; a
// hostile one has a hundred thousand.
const fewPrints = 4

// errorMinutes knows, by minute, whether more than one caller had 429 or 5xx:
// the difference between an outage and one's own trouble.
type errorMinutes map[int64]errorMinute

type errorMinute struct {
	who    string
	shared bool
}

func (m errorMinutes) note(ev *window.Event, conversation string) {
	if ev.Status != 429 && ev.Status < 500 {
		return
	}
	who := ev.Caller + "\x00" + conversation
	at := m[ev.Time/minute]
	if at.who == "" {
		at.who = who
	} else if at.who != who {
		at.shared = true
	}
	m[ev.Time/minute] = at
}

// leastRepeats is how often the same must come before it is called stuck: a
// second time is normal, a third may be chance, and so may parallel calls that
// are equal.
const leastRepeats = 4

// steadyPace is the most that pauses may differ for a clock to be behind them,
// as standard deviation over mean, and leastPauses how many it takes to tell.
const (
	steadyPace  = 0.05
	leastPauses = 5
)

// classify gives a repeat its kind and says why.
func (k *Repeat) classify(errors errorMinutes, coarse bool) {
	f := &k.facts
	n := k.Requests - 1
	share := func(part int64) string { return fmt.Sprintf("%d of %d", part, n) }
	set := func(kind Kind, evidence string, args ...any) {
		k.Kind, k.Evidence = kind, fmt.Sprintf(evidence, args...)
	}
	id := k.Rule.Identity
	but := ""
	if id.Masks() {
		but = ", but for what is masked"
	}
	calls := id.Sees == fingerprint.SeesCalls
	switch {
	case !coarse && 2*f.instants >= n:
		set(DuplicateLogging, "%s came at the very time of the one before", share(f.instants))
	case 2*f.probes > n:
		set(Probe, "%s ask for one token at most, or a health check's path", share(f.probes))
	case 2*f.unavailable >= n && k.sharedErrors(errors):
		set(Outage, "%s answered 429 or 5xx, and other callers had the same then", share(f.unavailable))
	case 2*(f.unavailable+f.failed) >= n && f.unavailable+f.failed > 0:
		set(Retry, "%s answered with an error; no other caller had 429 or 5xx then", share(f.unavailable+f.failed))
	case id.Sees == 0 && f.messages.different() > 1:
		set(Unknown, "the requests differ: %d different among %d", f.messages.different(), n)
	case calls && f.results.different() > 1:
		set(Polling, "the results change: %d different among %d", f.results.different(), f.results.n)
	case 2*f.gets > n:
		set(Polling, "%s only read (GET or HEAD)%s", share(f.gets), k.pace())
	case !strings.Contains(strings.Join(k.Rule.Scope.Fields, " "), "session") && f.sessions.different() > 1 && 2*f.sessions.different() >= min(n, mostVariety):
		set(Batch, "%d sessions among %d requests", f.sessions.different(), n)
	case k.Requests < leastRepeats:
		set(Unknown, "came only %d times", k.Requests)
	case id.Sees == 0 && f.messages.n < n:
		set(Unknown, "the log does not show whether the requests were equal")
	case max(f.streak, f.cycle) < leastRepeats:
		set(Unknown, "came %d times with others between", k.Requests)
	case id.Sees&fingerprint.SeesResults != 0:
		set(Stuck, "the same call with the same result, %d times in a row%s", max(f.streak, f.cycle), but)
	case calls && f.results.different() == 1:
		set(Stuck, "the same call %d times in a row, and the same result each time%s", max(f.streak, f.cycle), but)
	case calls:
		set(Unknown, "the same call %d times in a row; the log does not show the results", max(f.streak, f.cycle))
	case f.pauses >= leastPauses && k.paceSpread() < steadyPace && f.answers.n == 0:
		set(Polling, "the same request at a steady pace%s", k.pace())
	case f.answered == 0:
		set(Unknown, "the same request %d times in a row; the log does not show how it went", max(f.streak, f.cycle))
	case f.answers.n > 0 && f.answers.different() == 1:
		set(Stuck, "the same request %d times in a row, and the same call in answer%s", max(f.streak, f.cycle), but)
	default:
		set(Stuck, "the same request %d times, answered each time%s", k.Requests, but)
	}
}

func (k *Repeat) sharedErrors(errors errorMinutes) bool {
	for _, m := range k.facts.minutes {
		if errors[m].shared || errors[m-1].shared || errors[m+1].shared {
			return true
		}
	}
	return false
}

// paceSpread is the standard deviation of the pauses over their mean.
func (k *Repeat) paceSpread() float64 {
	f := &k.facts
	mean := f.pauseSum / float64(f.pauses)
	variance := max(f.pauseSquares/float64(f.pauses)-mean*mean, 0)
	return math.Sqrt(variance) / mean
}

func (k *Repeat) pace() string {
	if k.facts.pauses == 0 {
		return ""
	}
	return fmt.Sprintf(", every %.3g s", k.facts.pauseSum/float64(k.facts.pauses))
}
