package window

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Facts add up what the log says of one stretch of the requests of a key, a
// fingerprint in a scope, from the second on: see [Witness.Note]. They take at
// most some 2,000 bytes, however long it is.
type Facts struct {
	Requests int64 // the first included
	First    int64 // time of the first, microseconds

	// How many of the requests behind the first were so.
	Probes      int64 // health checks
	OneToken    int64 // of the health checks: those that asked for one token
	Gets        int64 // GET and HEAD
	failed      int64 // 4xx, but for those
	unavailable int64 // of a class of errors
	answered    int64 // below 400, or no status but tokens or no error in answer
	issued      int64 // answered with calls, as the log says
	instants    int64 // came at the time of the one before
	together    int64 // began before the one before had ended

	sessions variety // users, where no session is named
	heard    *heard  // nil if the log shows nothing of it

	// Of a stretch of requests that differ, if mixed: since when its end is of
	// equal ones, and what is known of these; nil if that is but one.
	said  uint64 // by the last request, as a hash; 0 is not known
	mixed bool
	since int64
	run   *Facts

	before *Facts // as f was before since, if mixed and not over

	over bool // nothing is added any more; not saved: no call that waits is of one

	loop *Facts // of the last stretch of the key that is a loop, or may be one; nil if none may

	errors                 []errorsAt // those of a class
	cycle, period          int64      // highest count, and the period of that
	last                   int64      // time of the last request
	start                  int64      // when it began; NoTime is not known
	pauses                 int64
	pauseSum, pauseSquares float64             // seconds
	latest                 [keptPauses]float32 // pauses, in seconds: each at its number, modulo that of the places
}

// errorsAt is how many errors there were at a time.
type errorsAt struct {
	at errorTime
	n  int64
}

// keepBefore keeps what is known of a stretch without those at its end, which may
// be taken from it. Where what is pointed to is added to alone, it is shared.
func (f *Facts) keepBefore() {
	if f.before == nil {
		f.before = &Facts{heard: &heard{}}
	}
	b := f.before
	h, errors, held := b.heard, b.errors[:0], b.heard.results.held[:0]
	*b, *h = *f, *f.wasHeard()
	b.heard, b.errors, h.results.held = h, append(errors, f.errors...), append(held, h.results.held...)
	b.run, b.before, b.loop = nil, nil, nil
}

// back takes from a stretch what has come since its end is of equal requests, and
// ends it.
func (f *Facts) back() {
	loop := f.loop
	*f = *f.before
	f.loop = loop
	f.End()
}

// heard is what the requests of a stretch were answered, and more of what they
// said.
type heard struct {
	answers  variety
	results  results // of a rule that looks at calls
	messages variety // of a rule that does not look at what is said
}

// toHear is what the stretch was answered, to be added to.
func (f *Facts) toHear() *heard {
	if f.heard == nil {
		f.heard = &heard{}
	}
	return f.heard
}

// wasHeard is what the stretch was answered, to be looked at: empty if nothing
// was heard.
func (f *Facts) wasHeard() *heard {
	if f.heard == nil {
		return &nothingHeard
	}
	return f.heard
}

var nothingHeard heard

// OfSession tells whether all requests behind the first name that session.
func (f *Facts) OfSession(name string) bool {
	return f.sessions.n == f.Requests-1 && !slices.ContainsFunc(f.sessions.seen, func(hash uint64) bool { return hash != textHash(name) })
}

// ResultsChange tells whether what came of the calls changed again and again, or
// each time.
func (f *Facts) ResultsChange() bool { return f.wasHeard().results.progress() }

// readingMethods change nothing on the server.
var readingMethods = []string{"GET", "HEAD"}

// Reads tells that a request of this method only reads.
func Reads(method string) bool { return slices.Contains(readingMethods, method) }

// healthPaths are the paths of health checks, and healthNames how those end
// wherever the service stands.
var (
	healthPaths = []string{"/ready", "/live", "/ping", "/status", "/-/healthy", "/-/ready", "/health/live", "/health/ready", "/health/liveness", "/health/liveliness", "/health/readiness"}
	healthNames = []string{"health", "healthz", "healthcheck", "livez", "readyz"}
)

// HealthCheck tells that a path is that of health checks.
func HealthCheck(path string) bool {
	return slices.Contains(healthPaths, path) || slices.Contains(healthNames, path[strings.LastIndexByte(path, '/')+1:])
}

const (
	second = 1_000_000
	minute = 60 * second
)

// soonEnough is the part of a request in whose last a client that waits for the
// answer may begin the next: a log may have the end later than the client, as
// streams and clocks go.
const soonEnough = 10

// count adds what one more request says by itself. parallel tells that its
// equal calls came with one request.
func (f *Facts) count(ev *Event, parallel bool) {
	f.Requests++
	switch class := errorClass(ev.Status); {
	case class >= 0:
		f.unavailable++
		f.erred(errorTime{ev.Time / minute, class})
	case ev.Status >= 400:
		f.failed++
	case ev.Status > 0, ev.Status == fingerprint.Unknown && (ev.TokensOut > 0 || ev.Answered):
		f.answered++
	}
	if ev.MaxTokens == 1 || HealthCheck(ev.Path) {
		f.Probes++
		if ev.MaxTokens == 1 {
			f.OneToken++
		}
	}
	if Reads(ev.Method) {
		f.Gets++
	}
	switch pause := ev.Time - f.last; {
	case pause == 0 && parallel:
	case pause == 0:
		f.instants++
	default:
		f.pause(float64(pause) / 1e6)
	}
	if f.start != fingerprint.NoTime && ev.Start != fingerprint.NoTime && (!parallel || ev.Time != f.last) {
		soon := (f.last - f.start) / soonEnough
		if ev.whole() {
			soon += second
		}
		if ev.Start < f.last-soon {
			f.together++
		}
	}
	f.last, f.start = ev.Time, ev.Start
	f.sessions.addText(cmp.Or(ev.Session, ev.User))
}

// came takes in what came of the last call of the stretch, which is not over.
func (f *Facts) came(shown []uint64, among bool) {
	f.toHear().results.hear(shown, among)
	if f.run != nil {
		f.run.toHear().results.hear(shown, among)
	}
}

// End says that nothing is to be added any more: what comes of its last call
// tells nothing of it.
func (f *Facts) End() { f.over, f.run, f.before = true, nil, nil }

// erred notes an error. What comes after the times that are kept is added to the
// last.
func (f *Facts) erred(at errorTime) {
	i := slices.IndexFunc(f.errors, func(e errorsAt) bool { return e.at == at })
	if i < 0 && len(f.errors) < mostVariety {
		f.errors = append(f.errors, errorsAt{at: at})
	}
	if i < 0 {
		i = len(f.errors) - 1
	}
	f.errors[i].n++
}

// equal tells that the stretch is one of equal requests, and long enough for
// that to mean something.
func (f *Facts) equal() bool { return !f.mixed && f.Requests >= LeastRepeats }

// differs tells that a request said something else than the one before, as far
// as both are known.
func (f *Facts) differs(said uint64) bool { return said != 0 && f.said != 0 && said != f.said }

// longPause is how many times as long as the others a pause must be for what
// comes after it to be judged by itself.
const longPause = 10

// paused tells that the pause up to now is far longer than those before it.
func (f *Facts) paused(now int64) bool {
	return f.pauses > 0 && float64(now-f.last)/1e6 > longPause*f.pauseSum/float64(f.pauses)
}

// inRow is how often the same came in a row, or came round.
func (f *Facts) inRow() int64 { return min(f.cycle, f.Requests) }

// order says inRow in words.
type order Facts

func (o *order) String() string {
	f := (*Facts)(o)
	if f.period > 1 {
		return fmt.Sprintf("in %d rounds of %d", f.inRow(), f.period)
	}
	return fmt.Sprintf("%d times in a row", f.inRow())
}
