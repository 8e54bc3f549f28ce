package window

import (
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestKind holds where one kind of repeat ends and the next begins: each pair of
// cases is one request, one pause or one value apart. All are of eleven
// requests, ten of them repeats.
func TestKind(t *testing.T) {
	identity := func(name string) *fingerprint.Identity {
		id, err := fingerprint.New(name, fingerprint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	caller, err := fingerprint.NewScope([]string{"caller"})
	if err != nil {
		t.Fatal(err)
	}
	text := &Rule{Identity: identity("prompt"), Scope: caller}
	inSession := &Rule{Identity: identity("prompt"), Scope: bySession(t)}
	inConversation := &Rule{Identity: identity("prompt"), Scope: &fingerprint.Scope{Fields: []string{"conversation"}}}
	callsOf := &Rule{Identity: identity("tool-call"), Scope: caller}
	resultsOf := &Rule{Identity: identity("tool-call-result"), Scope: caller}
	masking, err := fingerprint.New("prompt", fingerprint.Options{Mask: []string{"numbers"}})
	if err != nil {
		t.Fatal(err)
	}
	masked := &Rule{Identity: masking, Scope: caller}
	blind := &Rule{Identity: byModel(t), Scope: caller}

	different := func(n, values int) variety {
		v := variety{n: int64(n)}
		for i := range min(values, mostVariety) {
			v.seen = append(v.seen, uint64(i))
		}
		return v
	}
	// pace gives pauses of a mean, and a spread beside it.
	pace := func(f *Facts, pauses int64, mean, spread float64) {
		f.pauses, f.pauseSum = pauses, float64(pauses)*mean
		f.pauseSquares = float64(pauses) * mean * mean * (1 + spread*spread)
	}
	// had is a minute in which one had 30 errors of a class and another so many,
	// and so many requests were fine.
	had := func(class int, another, fine int64) *errorMinute {
		m := &errorMinute{fine: fine}
		m.callers[class] = failing{{1, 30}, {2, another}}
		m.conversations[class] = m.callers[class]
		return m
	}
	fine := &Witness{errors: newErrorMinutes(), judged: 100, whole: 10}
	fine.errors.kept = map[int64]*errorMinute{100: had(unavailable, 2, 8), 200: had(unavailable, 0, 0), 300: had(unavailable, 1, 0), 400: had(unavailable, 3, 58), 500: had(limited, 30, 0)}
	named := &Witness{errors: fine.errors, judged: 100, whole: 10}
	named.errors.callers = true
	coarse := &Witness{judged: 100, whole: 11}

	held := map[Kind]bool{}
	f := func(w *Witness, rule *Rule, is func(f *Facts), want Kind, evidence string) { // $ is its end
		t.Helper()
		held[want] = true
		facts := &Facts{Requests: 11, First: 1, cycle: 11, answered: 10}
		is(facts)
		if kind, why := w.Kind(rule, facts); kind != want || !strings.Contains(why+"$", evidence) {
			t.Errorf("%s: %s; want %s: %s", kind, why, want, evidence)
		}
	}
	f(fine, text, func(*Facts) {}, Stuck, "the same request 11 times, answered each time$")
	f(fine, masked, func(*Facts) {}, Stuck, "answered each time, but for what is masked")
	f(fine, text, func(f *Facts) { f.Requests = 1 }, Unknown, "came once")
	f(fine, text, func(f *Facts) { f.instants = 5 }, DuplicateLogging, "5 of 10")
	f(fine, text, func(f *Facts) { f.instants = 4 }, Stuck, "")
	f(coarse, text, func(f *Facts) { f.instants = 10 }, Stuck, "")
	f(coarse, text, func(f *Facts) { f.instants, f.last, f.start = 10, 1, 1 }, DuplicateLogging, "10 of 10") // from a finer log
	f(fine, text, func(f *Facts) { f.instants, f.First, f.last = 10, 0, second }, Stuck, "")                 // from a small log of whole seconds
	f(fine, text, func(f *Facts) { f.instants, f.First = 10, 0 }, DuplicateLogging, "10 of 10")
	f(coarse, text, func(f *Facts) { f.instants, f.last, f.start = 10, 2_369_999_000, fingerprint.NoTime }, Stuck, "")
	f(fine, text, func(f *Facts) { f.Probes = 6 }, Probe, "6 of 10")
	f(fine, text, func(f *Facts) { f.Probes = 5 }, Stuck, "")

	// Errors: of others in the minute or next to it, more than one and a fifth of
	// all but one's own, or one's own.
	erred := func(n, minute int64, class int) func(*Facts) {
		return func(f *Facts) {
			f.unavailable, f.errors = n, []errorsAt{{errorTime{minute, class}, n}}
		}
	}
	for minute, want := range map[int64]Kind{98: Retry, 99: Outage, 100: Outage, 101: Outage, 102: Retry, 200: Retry, 300: Retry, 400: Retry, 500: Retry} {
		f(fine, text, erred(5, minute, unavailable), want, "5 of 10")
	}
	f(fine, text, erred(5, 100, unavailable), Outage, "other conversations had the same then")
	f(named, text, erred(5, 100, unavailable), Outage, "other callers had the same then")
	f(named, text, erred(5, 100, limited), Retry, "; no other callers had the same")
	f(named, text, erred(5, 500, limited), Outage, "")
	f(named, text, erred(5, 400, unavailable), Retry, "; few other callers had the same")
	f(named, text, func(f *Facts) { f.failed = 5 }, Retry, "5 of 10 answered with an error$")
	f(fine, text, erred(4, 100, unavailable), Stuck, "")
	f(fine, text, func(f *Facts) {
		erred(4, 100, unavailable)(f)
		f.failed = 1
	}, Outage, "5 of 10 answered with an error, 4 of them when other")
	f(fine, text, func(f *Facts) {
		erred(1, 100, unavailable)(f)
		f.failed = 4
	}, Retry, "5 of 10 answered with an error, 1 of them when other")
	f(fine, text, func(f *Facts) {
		erred(3, 100, unavailable)(f)
		f.failed = 3
	}, Retry, "6 of 10 answered with an error, 3 of them when other")
	f(fine, text, func(f *Facts) {
		erred(3, 100, unavailable)(f)
		f.failed = 2
	}, Outage, "5 of 10 answered with an error, 3 of them when other")
	f(fine, text, func(f *Facts) {
		erred(1, 102, unavailable)(f)
		f.failed = 4
	}, Retry, "5 of 10 answered with an error; no other conversations had the same")
	f(fine, text, func(f *Facts) { f.unavailable, f.failed = 2, 2 }, Stuck, "")
	f(fine, blind, func(f *Facts) { f.failed = 5 }, Unknown, "neither whose they are nor whether they were equal")
	f(fine, blind, func(f *Facts) { f.failed, f.sessions = 5, different(10, 1) }, Retry, "5 of 10")
	f(named, blind, func(f *Facts) { f.failed = 5 }, Retry, "5 of 10")
	f(named, blind, func(f *Facts) { f.failed, f.mixed = 5, true }, Unknown, "not all for one path, or of one agent")
	f(named, blind, func(f *Facts) { f.failed, f.mixed, f.sessions = 5, true, different(10, 2) }, Retry, "5 of 10")
	f(named, blind, func(f *Facts) { f.failed, f.mixed, f.toHear().messages = 5, true, different(10, 1) }, Retry, "5 of 10")
	f(named, text, func(f *Facts) { f.failed, f.mixed = 5, true }, Retry, "5 of 10")

	f(fine, blind, func(f *Facts) { f.toHear().messages = different(10, 2) }, Unknown, "the requests differ: 2 different among 10")
	f(fine, blind, func(f *Facts) { f.toHear().messages = different(10, 1) }, Stuck, "")
	f(fine, blind, func(f *Facts) { f.toHear().messages = different(9, 1) }, Unknown, "does not show whether the requests were equal")

	// What came of calls.
	came := func(turns, changes, longest int64) func(*Facts) {
		return func(f *Facts) { f.toHear().results = results{turns: turns, changes: changes, longest: longest} }
	}
	f(fine, callsOf, func(*Facts) {}, Unknown, "does not show the results")
	f(fine, callsOf, func(f *Facts) { f.toHear().results.blank = 1 }, Unknown, "no request ends with a result of it")
	f(fine, callsOf, func(f *Facts) { f.toHear().results.loose = 1 }, Unknown, "does not show which results are of it")
	f(fine, callsOf, came(10, 0, 10), Stuck, "same result each time")
	f(fine, callsOf, func(f *Facts) {
		came(10, 0, 10)(f)
		f.toHear().results.blank, f.toHear().results.loose = 1, 1
	}, Stuck, "same result each time")
	f(fine, callsOf, came(2, 0, 2), Stuck, "same result each time")
	f(fine, callsOf, came(1, 0, 1), Unknown, "what came of it once")
	f(fine, callsOf, came(10, 1, 8), Stuck, "the same result 8 times in a row")
	f(fine, callsOf, came(3, 1, 2), Unknown, "the result changed once")
	f(fine, callsOf, came(2, 1, 1), Polling, "1 of 1")
	f(fine, callsOf, came(10, 2, 3), Polling, "2 of 9")
	f(fine, callsOf, came(10, 2, 4), Stuck, "the same result 4 times in a row")
	f(fine, callsOf, func(f *Facts) {
		came(10, 2, 4)(f)
		pace(f, 5, 0.5, 0)
	}, Polling, "2 of 9")
	f(fine, callsOf, func(f *Facts) {
		came(10, 2, 4)(f)
		pace(f, 5, 1, 1)
	}, Stuck, "")
	f(fine, resultsOf, func(*Facts) {}, Stuck, "the same call with the same result, 11 times in a row")

	f(fine, text, func(f *Facts) { f.Gets = 6 }, Polling, "6 of 10")
	f(fine, text, func(f *Facts) { f.Gets = 5 }, Stuck, "")

	f(fine, text, func(f *Facts) { f.sessions = different(10, 5) }, Batch, "5 sessions or users among 10")
	f(fine, text, func(f *Facts) { f.sessions = different(10, 4) }, Stuck, "")
	f(fine, text, func(f *Facts) { f.Requests, f.answered, f.sessions = 5, 4, different(4, 2) }, Batch, "2 sessions or users among 4")
	f(fine, inSession, func(f *Facts) { f.sessions = different(10, 5) }, Stuck, "")
	f(fine, inConversation, func(f *Facts) { f.sessions = different(10, 5) }, Stuck, "")
	f(fine, text, func(f *Facts) { f.Requests, f.sessions = 1001, different(1000, 1000) }, Batch, "32 or more sessions or users among 1000")
	f(fine, text, func(f *Facts) { f.Requests, f.answered, f.sessions = 1001, 1000, different(1000, 16) }, Batch, "16 sessions or users among 1000")
	f(fine, text, func(f *Facts) { f.Requests, f.answered, f.sessions = 1001, 1000, different(1000, 15) }, Stuck, "")
	f(fine, text, func(f *Facts) { f.sessions, f.mixed = different(10, 2), true }, Unknown, "none of them 4 times in a row")
	f(fine, text, func(f *Facts) { f.sessions, f.mixed = different(10, 1), true }, Stuck, "")

	f(fine, text, func(f *Facts) { f.together = 5 }, Batch, "5 of 10 began before the one before had ended")
	f(fine, text, func(f *Facts) { f.together = 4 }, Stuck, "")
	f(fine, text, func(f *Facts) { f.together, f.failed = 5, 5 }, Retry, "")

	f(fine, text, func(f *Facts) { f.Requests, f.answered = 3, 2 }, Unknown, "came only 3 times")
	f(fine, text, func(f *Facts) { f.Requests, f.answered, f.sessions = 3, 2, different(2, 1) }, Unknown, "came only 3 times")
	f(fine, text, func(f *Facts) { f.Requests, f.answered = 4, 3 }, Stuck, "")
	again := &Rule{Identity: identity("last-exchange"), Scope: inSession.Scope} // the first is not counted
	f(fine, again, func(f *Facts) { f.Requests, f.answered = 2, 1 }, Unknown, "came only 2 times")
	f(fine, again, func(f *Facts) { f.Requests, f.answered = 3, 2 }, Stuck, "the same last messages")
	f(fine, text, func(f *Facts) { f.cycle = 3 }, Unknown, "came 11 times with others between")
	f(fine, text, func(f *Facts) { f.cycle = 4 }, Stuck, "")
	f(fine, resultsOf, func(f *Facts) { f.cycle, f.period = 9, 2 }, Stuck, "the same call with the same result, in 9 rounds of 2")

	// A clock: whole seconds make short pauses look alike.
	paced := func(pauses int64, mean, spread float64) func(*Facts) {
		return func(f *Facts) { pace(f, pauses, mean, spread) }
	}
	f(fine, text, paced(5, 1, 0.04), Polling, "at a steady pace, every 1 s")
	f(fine, text, paced(5, 0.9, 0), Stuck, "") // sent again at once
	f(fine, text, paced(4, 1, 0), Stuck, "")
	f(fine, text, paced(5, 1, 0.06), Stuck, "")
	f(coarse, text, paced(5, 5, 0), Polling, "every 5 s")
	f(coarse, text, paced(5, 4.9, 0), Stuck, "")
	f(fine, text, func(f *Facts) {
		paced(5, 1, 0)(f)
		f.toHear().answers = different(1, 1)
	}, Stuck, "")

	f(fine, resultsOf, paced(3, 300, 0.04), Polling, "the same at a steady pace, every 300 s") // a heartbeat
	f(fine, resultsOf, paced(3, 1813, 0.04), Polling, "every 1813 s")
	f(fine, resultsOf, paced(3, 299, 0), Stuck, "")
	f(fine, resultsOf, paced(3, 300, 0.06), Stuck, "")
	f(fine, resultsOf, paced(2, 300, 0), Stuck, "")
	// Of pauses one in eight may be another, and two where a late beat makes the
	// next pause shorter, if the clock is good otherwise.
	beats := func(pauses int, every, jitter float64, others ...float64) func(*Facts) {
		return func(f *Facts) {
			for i := range pauses {
				switch at := i - pauses/2; {
				case at >= 0 && at < len(others):
					f.pause(others[at])
				case i%2 == 0:
					f.pause(every + jitter)
				default:
					f.pause(every - jitter)
				}
			}
		}
	}
	f(fine, text, beats(8, 60, 1.4, 100), Polling, "at a steady pace, every 59.8 s")
	f(fine, text, beats(8, 60, 1.4, 20), Polling, "")
	f(fine, text, beats(7, 60, 1.4, 100), Stuck, "")
	f(fine, text, beats(8, 60, 1.6, 100), Stuck, "")
	f(fine, text, beats(16, 60, 0, 80, 40), Polling, "every 60 s")
	f(fine, text, beats(15, 60, 0, 80, 40), Stuck, "")
	f(fine, text, beats(24, 60, 0, 120, 180, 120), Polling, "every 60 s")
	f(fine, text, beats(24, 60, 0, 120, 180, 120, 120), Stuck, "")
	f(fine, text, beats(48, 60, 0, 120, 180, 120, 120), Stuck, "") // all are among the latest 24
	f(fine, text, beats(50, 60, 0, 120, 180, 120, 120), Polling, "every 60 s")
	f(fine, text, beats(8, 0.9, 0, 100), Stuck, "") // sent again at once, whatever the mean is
	f(coarse, text, beats(8, 9, 0, 100), Stuck, "") // any model's are alike by the second
	f(coarse, text, beats(8, 10, 0, 100), Polling, "every 10 s")
	f(fine, resultsOf, beats(8, 300, 0, 900), Polling, "the same at a steady pace, every 300 s")
	f(fine, resultsOf, beats(8, 290, 0, 900), Stuck, "")
	f(fine, text, beats(24, 1, 0, 2, 4, 8, 16, 32, 64), Stuck, "") // a client that waits longer each time
	// One prompt that programs send now and then.
	f(fine, text, paced(10, 300, 1), Unknown, "the same request 11 times in a row, but too seldom for a loop, every 300 s")
	f(fine, text, paced(10, 299, 1), Stuck, "")
	f(fine, text, func(f *Facts) {
		paced(10, 300, 1)(f)
		f.toHear().answers = different(1, 1)
	}, Stuck, "")

	// What came back.
	f(fine, text, func(f *Facts) { f.answered = 0 }, Unknown, "does not show how it went")
	f(fine, text, func(f *Facts) { f.answered = 4 }, Unknown, "shows an answer to 4 of 10")
	f(fine, text, func(f *Facts) { f.answered = 5 }, Stuck, "answered 5 of 10")
	issued := func(n int64, values int) func(*Facts) {
		return func(f *Facts) { f.issued, f.toHear().answers = n, different(int(n), values) }
	}
	f(fine, text, issued(5, 1), Stuck, "the same call in answer")
	f(fine, text, issued(5, 2), Stuck, "answered each time")
	f(fine, text, issued(4, 1), Stuck, "answered each time")
	f(fine, text, func(f *Facts) { f.toHear().answers = different(10, 1) }, Stuck, "answered each time") // of requests, without responses
	f(fine, text, func(f *Facts) {
		issued(10, 2)(f)
		f.answered = 0
	}, Stuck, "answered each time")

	for _, kind := range Kinds {
		if !held[kind] {
			t.Errorf("no case is %s", kind)
		}
	}
}

// TestKindsCount: what stopping a repeat of each kind is. A new kind is wrong to
// stop, unless it says otherwise.
func TestKindsCount(t *testing.T) {
	counts := map[Kind]string{
		Stuck: "loop", Retry: "loop", Outage: "neither",
		Polling: "wrong", Probe: "wrong", Batch: "wrong", DuplicateLogging: "wrong", Unknown: "wrong",
	}
	for _, kind := range Kinds {
		is := map[[2]bool]string{{true, false}: "loop", {false, true}: "wrong", {}: "neither"}[[2]bool{kind.IsLoop(), kind.IsWrong()}]
		if is != counts[kind] {
			t.Errorf("stopping %s is %q by IsLoop and IsWrong, %q here", kind, is, counts[kind])
		}
	}
}
