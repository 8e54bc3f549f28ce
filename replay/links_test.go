package replay

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestLinks: of a log that lacks requests that is said, and how many about; of
// one that holds all nothing is, whatever else may be odd in it.
func TestLinks(t *testing.T) {
	seed := maphash.MakeSeed()
	hash := func(parts ...any) uint64 { return maphash.String(seed, fmt.Sprint(parts...)) | 1 }
	type step struct {
		session string
		link    window.Link
	}
	// work is what agents log who call in every response but the last.
	work := func(agents, steps int) (list []step) {
		for k := range steps {
			for i := range agents {
				l := window.Link{Told: true}
				if k > 0 {
					l.Answers = hash(i, "call", k-1)
				}
				if k < steps-1 {
					l.Issues = hash(i, "call", k)
				}
				list = append(list, step{fmt.Sprint(i), l})
			}
		}
		return list
	}
	keep := func(list []step, share float64) (kept []step) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, s := range list {
			if r.Float64() < share {
				kept = append(kept, s)
			}
		}
		return kept
	}
	with := func(list []step, change func(i int, s *step)) []step {
		for i := range list {
			change(i, &list[i])
		}
		return list
	}
	f := func(name string, list []step, low, high float64) {
		t.Helper()
		var links Links
		c := &conversations{talks: map[uint64]*talk{}}
		for _, s := range list {
			ev := &window.Event{Link: s.link, Scopes: make([]window.Scope, 1)}
			key := hash("session", s.session) / 2
			for b := range 8 {
				ev.Scopes[0].Key[8+b] = byte(key >> (56 - 8*b))
			}
			c.note(ev, &links)
		}
		if len(c.issued.latest) > mostCalls || len(c.issued.before) > mostCalls || len(c.answered.latest) > mostCalls {
			t.Errorf("%s: more calls are remembered than there is room for", name)
		}
		share := float64(links.Unlogged) / float64(max(links.Answers, 1))
		if share < low || share > high || (links.String() != "") != (high > 0) {
			t.Errorf("%s: %d of %d calls are not logged, want %.2f to %.2f; said is %q", name, links.Unlogged, links.Answers, low, high, links)
		}
	}
	f("all", work(20, 10), 0, 0)
	f("half", keep(work(100, 20), 0.5), 0.45, 0.55)
	f("a tenth", keep(work(1000, 50), 0.1), 0.87, 0.93)
	f("half of very many", keep(work(20_000, 12), 0.5), 0.47, 0.53)
	f("all of very many", work(20_000, 12), 0, 0)
	f("a log that begins in the midst", work(200, 4)[400:], 0, 0)
	f("tried again", with(append(work(20, 10), work(20, 10)...), func(int, *step) {}), 0, 0)
	f("many at once in a session", with(work(300, 5), func(_ int, s *step) { s.session = "one" }), 0, 0)
	f("ids made anew in each request", with(work(50, 10), func(i int, s *step) {
		if s.link.Answers != 0 {
			s.link.Answers = hash("anew", i)
		}
	}), 0, 0)
	f("of some agents", with(work(50, 10), func(i int, s *step) {
		if s.link.Answers != 0 && i%2 == 0 {
			s.link.Answers = hash("anew", i)
		}
	}), 0, 0)
	f("responses not logged", with(keep(work(100, 20), 0.5), func(_ int, s *step) { s.link.Issues, s.link.Told = 0, false }), 0, 0)
	numbered := with(work(100, 20), func(i int, s *step) {
		s.link.Answers, s.link.Issues = 0, hash("call", i/100)
		if i >= 100 {
			s.link.Answers = hash("call", i/100-1)
		}
	})
	f("calls that are numbered", numbered, 0, 0)
	f("half of those", keep(numbered, 0.5), 0.45, 0.55)
	apart := work(100, 20)
	for k := 3; k < 18; k += 3 {
		for i := range 100 {
			apart[100*k+i], apart[100*k+100+i] = apart[100*k+100+i], apart[100*k+i]
		}
	}
	f("a response behind what answers it, of a gateway whose clock is ahead", apart, 0, 0)

	if said := (Links{Answers: 99, Unlogged: 50}).String(); said != "" {
		t.Error(said)
	}
	if said := (Links{Answers: 1000, Unlogged: 440}).String(); !strings.HasPrefix(said, "requests or responses are missing from the log: 44 % of the results of calls (440 of 1,000) ") {
		t.Error(said)
	}
}

// TestLinksElsewhere: a call is not missing from the log where its response is of
// a request that no rule looks at, or that the policy excludes.
func TestLinksElsewhere(t *testing.T) {
	var log strings.Builder
	for i := range 400 {
		fmt.Fprintf(&log, `{"time":%d,"session":"s%d","model":"m%d","messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"call_%d","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_%[4]d","content":"no"}],"tool_calls":[{"id":"call_%d","name":"f","arguments":"{}"}]}`+"\n", 1_800_000_000+i, i%4, min(i/4%3, 1), i, i+4) // every third of m0
	}
	f := func(name, match, exclude string) {
		t.Helper()
		p, err := policy.Parse("policy.yaml", fmt.Appendf(nil, "version: 1\nrules: [{name: a, profile: loopgauge/tool-call-result%[1]s}, {name: b, profile: tool-call%[1]s}]\n%s", match, exclude))
		if err != nil {
			t.Fatal(err)
		}
		result, err := Run(t.Context(), Options{
			Streams:         []ingest.Stream{opened(t, ingest.StdinName, strings.NewReader(log.String()))},
			PipelineOptions: PipelineOptions{Plan: window.NewPlan(p.Rules, p.Exclude), Since: fingerprint.NoTime, Until: fingerprint.NoTime},
		})
		if err != nil {
			t.Fatal(err)
		}
		if result.Links.Answers < fewRequests || result.Links.Unlogged > 0 {
			t.Errorf("%s: %d of %d calls are not logged", name, result.Links.Unlogged, result.Links.Answers)
		}
	}
	f("no match", ", match: model == 'm1'", "")
	f("excluded", "", "exclude: [{name: x, match: model == 'm0'}]")
}
