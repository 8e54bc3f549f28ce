package window

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Facts add up what the log says of the requests of one key, a fingerprint in
// a scope, from the second on. They take at most some 1,500 bytes, however
// long the key repeats.
type Facts struct {
	Requests int64 // the first included

	Probes, Tokens, Gets          int64 // health checks; of these, those with max_tokens; GET and HEAD
	failed, unavailable, answered int64 // 4xx; 429 and 5xx; below 400
	instants                      int64 // that came at the time of the one before

	sessions, results, answers, messages variety

	minutes                []int64 // with an unavailable answer
	streak, cycle          int64   // highest count
	last                   int64   // time of the last request
	pauses                 int64
	pauseSum, pauseSquares float64 // seconds
}

// variety counts different values, up to a bound.
type variety struct {
	seen []uint64 // a hash of each
	n    int64    // values, equal ones too
}

const mostVariety = 32

func (v *variety) add(hash uint64) {
	v.n++
	if !v.full() && !slices.Contains(v.seen, hash) {
		v.seen = append(v.seen, hash)
	}
}

// full tells that no more values are told apart.
func (v *variety) full() bool { return len(v.seen) >= mostVariety }

func (v *variety) addPrints(list []fingerprint.Fingerprint) {
	for i := range list {
		key := printKeyOf(&list[i])
		v.add(binary.BigEndian.Uint64(key[:]))
	}
}

func (v *variety) addText(s string) {
	switch {
	case s == "":
	case v.full():
		v.n++
	default:
		v.add(textHash(s))
	}
}

func (v *variety) different() int64 { return int64(len(v.seen)) }

// textHash tells texts apart, the same in every run.
func textHash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// readingMethods change nothing on the server.
var readingMethods = []string{"GET", "HEAD"}

// healthPaths are the paths of health checks.
var healthPaths = []string{"/health", "/healthz", "/livez", "/readyz", "/ready", "/live", "/ping", "/status", "/-/healthy", "/-/ready", "/health/liveliness", "/health/readiness"}

const minute = 60_000_000

// note adds what one more request says by itself. parallel tells that its
// equal calls came with one request.
func (f *Facts) note(ev *Event, parallel bool) {
	f.Requests++
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
		f.Probes++
		if ev.MaxTokens == 1 {
			f.Tokens++
		}
	}
	if slices.Contains(readingMethods, ev.Method) {
		f.Gets++
	}
	switch pause := ev.Time - f.last; {
	case pause == 0 && parallel:
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
}

// paceSpread is the standard deviation of the pauses over their mean.
func (f *Facts) paceSpread() float64 {
	mean := f.pauseSum / float64(f.pauses)
	variance := max(f.pauseSquares/float64(f.pauses)-mean*mean, 0)
	return math.Sqrt(variance) / mean
}

func (f *Facts) pace() string {
	if f.pauses == 0 {
		return ""
	}
	return fmt.Sprintf(", every %.3g s", f.pauseSum/float64(f.pauses))
}

func (f *Facts) numbers() []*int64 {
	return []*int64{&f.Requests, &f.Probes, &f.Tokens, &f.Gets, &f.failed, &f.unavailable, &f.answered, &f.instants, &f.streak, &f.cycle, &f.last, &f.pauses}
}

func (f *Facts) varieties() []*variety {
	return []*variety{&f.sessions, &f.results, &f.answers, &f.messages}
}

func (f *Facts) save(s *saver) {
	for _, n := range f.numbers() {
		s.Varint(*n)
	}
	s.Float64(f.pauseSum)
	s.Float64(f.pauseSquares)
	for _, v := range f.varieties() {
		s.Varint(v.n)
		s.Uvarint(uint64(len(v.seen)))
		for _, hash := range v.seen {
			s.Fixed(binary.BigEndian.AppendUint64(nil, hash))
		}
	}
	s.Uvarint(uint64(len(f.minutes)))
	for _, m := range f.minutes {
		s.Varint(m)
	}
}

func (f *Facts) load(l *loader) {
	for _, n := range f.numbers() {
		*n = l.Varint()
	}
	f.pauseSum, f.pauseSquares = l.Float64(), l.Float64()
	for _, v := range f.varieties() {
		v.n = l.Varint()
		for range l.Count(8) {
			v.seen = append(v.seen, binary.BigEndian.Uint64(l.Fixed(8)))
		}
	}
	for range l.Count(1) {
		f.minutes = append(f.minutes, l.Varint())
	}
}
