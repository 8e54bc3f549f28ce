package tune

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"

	"github.com/loopgauge/loopgauge/window/policy"
)

// Labels are sessions that somebody has looked at, or, where the log names none,
// conversations, by the name that reports give them: whether each is a loop.
type Labels map[string]bool

// of is what the labels say of a repeat.
func (l Labels) of(k *Repeat) (loop, known bool) {
	who := k.who()
	loop, known = l[who]
	return loop, known && who != ""
}

// class is what a repeat counts as if nothing is excluded, and whether a label
// says so.
func (l Labels) class(k *Repeat) (class Class, labelled bool) {
	loop, labelled := l.of(k)
	if !labelled {
		loop = k.Kind.IsLoop()
	}
	switch {
	case labelled && !loop, !labelled && k.Kind.IsWrong():
		return Wrong, labelled
	case !loop, k.Requests < int64(k.Rule.LeastCount()): // a client that tries again twice is no loop yet
		return Neither, labelled
	case k.findable():
		return Loop, labelled
	}
	return HiddenLoop, labelled
}

// isLoop says whether a repeat is a loop, which some setting finds or not.
func (l Labels) isLoop(k *Repeat) bool {
	class, _ := l.class(k)
	return class.isLoop()
}

// Written are the labels by the names that a run writes, which may hash them.
// Those that are hashes already stay.
func (l Labels) Written(person func(string) string) Labels {
	written := make(Labels, len(l))
	for session, loop := range l { // any order: each is written alike
		if !hashedName.MatchString(session) {
			session = person(session)
		}
		written[session] = loop
	}
	return written
}

var hashedName = regexp.MustCompile(`^(id|conv)-[0-9a-f]{12}$`)

// ReadLabels reads JSON lines {"session": "...", "loop": true}. Where loop is null
// nobody could tell, and there is no label. name is how errors call the file.
func ReadLabels(name string, src io.Reader) (Labels, error) {
	const form = `each line is {"session": "...", "loop": true or false}`
	labels := Labels{}
	s := bufio.NewScanner(src)
	const longest = 1 << 20
	s.Buffer(nil, longest)
	line := 1
	for ; s.Scan(); line++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(s.Bytes(), []byte("\ufeff"))) // some editors begin a file so
		if len(text) == 0 {
			continue
		}
		var row struct {
			Session *string         `json:"session"`
			Loop    json.RawMessage `json:"loop"`
		}
		err := json.Unmarshal(text, &row)
		place, why := fmt.Sprintf("%s:%d", name, line), ""
		if broken, ok := errors.AsType[*json.SyntaxError](err); ok {
			place += fmt.Sprintf(":%d", int64(bytes.Index(s.Bytes(), text))+max(broken.Offset, 1))
			why = broken.Error()
		} else if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			why = cmp.Or(wrong.Field, "it") + " is of the wrong type, " + wrong.Value
		} else if row.Session == nil || *row.Session == "" {
			why = "no session"
		} else if row.Loop == nil {
			why = "no loop"
		} else if !slices.Contains([]string{"true", "false", "null"}, string(row.Loop)) {
			why = "loop is neither true nor false"
		}
		if why != "" {
			return nil, fmt.Errorf("%s: %s; %s", place, why, form)
		}
		if string(row.Loop) == "null" {
			continue
		}
		loop := string(row.Loop) == "true"
		if was, twice := labels[*row.Session]; twice && was != loop {
			return nil, fmt.Errorf("%s:%d: session %q is labelled true and false", name, line, *row.Session)
		}
		labels[*row.Session] = loop
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: a line of more than %d bytes; %s", name, line, longest, form)
	} else if err != nil {
		return nil, policy.FileError(name, err)
	}
	if len(labels) == 0 {
		return nil, fmt.Errorf("%s: no labels in it; %s", name, form)
	}
	return labels, nil
}

// Labelled holds the labels against what the advice would do.
type Labelled struct {
	Sessions, Loops, Unseen int // labels; of loops; of sessions that the log does not have
	UnseenLoops             int // of these, of loops
	ByAdvice                []Score
	Together                Score // of the recommended rules
}

// Score is a setting against the labels. Sessions count, not requests.
type Score struct {
	TruePositive, FalsePositive, FalseNegative, TrueNegative int
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

func ratio(part, whole int) float64 {
	if whole == 0 {
		return math.NaN()
	}
	return float64(part) / float64(whole)
}

// Interval is Wilson's 95 % interval of a share.
func Interval(part, whole int) (low, high float64) {
	if whole == 0 {
		return 0, 1
	}
	const z = 1.959964
	n, p := float64(whole), float64(part)/float64(whole)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(middle-half, 0), min(middle+half, 1)
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
	for session, loop := range r.Options.Labels { // any order: each is counted alike
		if loop {
			l.Loops++
		}
		if c := conversationOf(session); sessions.wants(c) && sessions.of[c] == 0 {
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
