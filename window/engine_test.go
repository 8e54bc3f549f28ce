package window

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

var update = flag.Bool("update", false, "write what the engine says into testdata")

// TestEngineScripts runs testdata/*.txt: cases of rules and events, each with
// the verdicts and episodes that they must give below a line of dashes. The
// language is described in testdata/README.md.
func TestEngineScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for paragraph := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
				input, want, is := strings.Cut(paragraph, "\n----")
				if lines := strings.Split(input, "\n"); !is && strings.HasPrefix(lines[len(lines)-1], "#") {
					all = append(all, input) // words about the file
					continue
				}
				got, err := runScript(t, input)
				if err != nil {
					t.Fatalf("%s\n%s: %v", input, file, err)
				}
				all = append(all, input+"\n----"+got)
				if got != want && !*update {
					t.Errorf("%s\n----%s\n(want)%s", input, got, want)
				}
			}
			if *update {
				if err := os.WriteFile(file, []byte(strings.Join(all, "\n\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// script is one case: rules, then events, then what the engine said, every
// line of it after a line break.
type script struct {
	names    *names
	identity *fingerprint.Identity // one for all rules: events have the prints of one
	rules    []*Rule
	keys     int
	engine   *Engine
	events   int64
	episodes map[string]int    // numbers that are read more easily than ids
	letters  map[string]string // fingerprint -> name
	out      strings.Builder
}

func runScript(tb testing.TB, input string) (string, error) {
	tb.Helper()
	s := &script{names: newNames(tb), identity: byModel(tb), episodes: map[string]int{}, letters: map[string]string{}}
	for line := range strings.Lines(input) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		var err error
		switch words[0] {
		case "rule":
			err = s.rule(words[1:])
		case "override":
			err = s.override(words[1:])
		case "keys":
			s.keys, err = strconv.Atoi(words[1])
		case "account":
			s.account()
		default:
			err = s.event(words)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", strings.TrimSpace(line), err)
		}
	}
	s.engine.Close()
	return s.out.String(), nil
}

func (s *script) rule(words []string) (err error) {
	r := &Rule{
		Name: fmt.Sprint("r", len(s.rules)+1), Identity: s.identity, Scope: bySession(s.names.tb),
		Counter: CounterSpec{Kind: words[0]}, Action: Warn,
	}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "window":
			r.Counter.Window, err = time.ParseDuration(value)
		case "closed":
			r.Counter.Closed = true
		case "period":
			r.Counter.Period, err = strconv.Atoi(value)
		case "threshold":
			r.Threshold, err = strconv.Atoi(value)
		case "cooldown":
			r.Cooldown, err = time.ParseDuration(value)
		case "quiet":
			r.Quiet, err = time.ParseDuration(value)
		case "cooldown_counts":
			r.SkipInCooldown = value == "false"
		case "blocked_counts":
			r.SkipBlocked = value == "false"
		case "reset_on_fire":
			r.ResetOnFire = true
		case "action":
			r.Action = Action(value)
		default:
			return fmt.Errorf("a rule has no %q", name)
		}
		if err != nil {
			return err
		}
	}
	s.rules = append(s.rules, r)
	return nil
}

// override is one of the last rule; events choose it by number, so it has no
// condition.
func (s *script) override(words []string) (err error) {
	var o Override
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "threshold":
			o.Threshold, err = strconv.Atoi(value)
		case "action":
			o.Action = Action(value)
		default:
			return fmt.Errorf("an override has no %q", name)
		}
		if err != nil {
			return err
		}
	}
	r := s.rules[len(s.rules)-1]
	r.Overrides = append(r.Overrides, o)
	return nil
}

func (s *script) event(words []string) error {
	if s.engine == nil {
		s.engine = NewEngine(NewPlan(s.rules, nil), EngineOptions{MaxKeys: s.keys, Verdict: s.verdict, Episode: s.episode})
	}
	seconds, err := strconv.ParseFloat(words[0], 64)
	if err != nil || len(words) < 2 {
		return fmt.Errorf("an event is a time, a session, and its fingerprints: %w", err)
	}
	repeat := 1
	ev := s.names.event(0, words[1], nil, len(s.rules))
	for _, word := range words[2:] {
		name, value, given := strings.Cut(word, "=")
		switch {
		case word == "unmatched": // by the last rule
			ev.Rules[len(ev.Rules)-1] = NotMatched
		case word == "no_body":
			ev.Prints[0].Cause = fingerprint.NoBody
		case word == "no_session":
			ev.Scopes[0].Cause = fingerprint.NoSession
		case word == "fell_back":
			ev.Scopes[0].FellBack = true
		case !given:
			ev.Prints[0].Fingerprints = append(ev.Prints[0].Fingerprints, s.names.print(word))
			s.letters[s.names.print(word).String()] = word
		case name == "status":
			ev.Status, err = strconv.Atoi(value)
		case name == "in":
			ev.TokensIn, err = strconv.ParseInt(value, 10, 64)
		case name == "out":
			ev.TokensOut, err = strconv.ParseInt(value, 10, 64)
		case name == "cost":
			ev.Cost, err = strconv.ParseFloat(value, 64)
		case name == "model":
			ev.Model = value
		case name == "x": // so many of it; of their verdicts the last is shown
			repeat, err = strconv.Atoi(value)
		case name == "override":
			var i int
			i, err = strconv.Atoi(value)
			ev.Rules[len(ev.Rules)-1] = Choice(i)
		default:
			return fmt.Errorf("an event has no %q", name)
		}
		if err != nil {
			return err
		}
	}
	ev.Time = int64(math.Round(seconds * 1e6))
	before := s.out.Len()
	for range repeat {
		text := s.out.String()[:before] // of many alike, the last is enough
		s.out.Reset()
		s.out.WriteString(text)
		ev := *ev
		ev.Position.Offset = s.events
		s.events++
		s.engine.Judge(&ev)
	}
	return nil
}

// of is how a line names a rule: not at all if there is one only.
func (s *script) of(r *Rule) string {
	if len(s.rules) == 1 {
		return ""
	}
	return r.Name + " "
}

func (s *script) verdict(v *Verdict) {
	count := "-"
	if v.Count >= 0 {
		count = strconv.Itoa(v.Count)
	}
	fmt.Fprintf(&s.out, "\n%s %s%s %s: %s %s", seconds(v.Event.Time), s.of(v.Rule), v.Event.Session, s.letters[v.Fingerprint.String()], count, v.Action)
	if v.Fired {
		n, known := s.episodes[v.Episode]
		if !known {
			n = len(s.episodes) + 1
			s.episodes[v.Episode] = n
		}
		fmt.Fprintf(&s.out, " by %s, episode %d", v.Reason, n)
	}
	if v.RetryAfter >= 0 {
		fmt.Fprintf(&s.out, ", retry after %d s", v.RetryAfter)
	}
	if v.DelayMS >= 0 {
		fmt.Fprintf(&s.out, ", delay %d ms", v.DelayMS)
	}
}

func (s *script) episode(e *Episode) {
	fmt.Fprintf(&s.out, "\nepisode %d %s%s %s: %s to %s to %s, requests %d, after %d, most %d", s.episodes[e.ID], s.of(e.Rule),
		strings.Join(e.Scope, " "), s.letters[e.Fingerprint.String()], seconds(e.First), seconds(e.Fired), seconds(e.Last), e.Requests, e.After.Requests, e.MaxCount)
	if e.After.TokensKnown {
		fmt.Fprintf(&s.out, ", tokens %d", e.After.Tokens)
	}
	if e.After.CostKnown {
		fmt.Fprintf(&s.out, ", cost %g", e.After.Cost.Dollars())
	}
	if e.Model != "" {
		fmt.Fprintf(&s.out, ", model %s", e.Model)
	}
	for _, n := range e.Statuses {
		if n.Status >= 0 {
			fmt.Fprintf(&s.out, ", %d x status %d", n.N, n.Status)
		}
	}
}

func (s *script) account() {
	for _, a := range s.engine.Account() {
		if err := a.Check(); err != nil {
			s.names.tb.Error(err)
		}
		fmt.Fprintf(&s.out, "\naccount %sjudged %d, counted %d, not matched %d, no body %d, no session %d, fell back %d, fired %d, episodes %d, keys %d, dropped %d", s.of(a.Rule),
			a.Judged, a.Counted, a.NotMatched, a.NotComputable[fingerprint.NoBody], a.NotComputable[fingerprint.NoSession], a.FellBack, a.Fired, a.Episodes, a.LiveKeys, a.DroppedKeys)
	}
}

func seconds(t int64) string { return strconv.FormatFloat(float64(t)/1e6, 'f', -1, 64) }
