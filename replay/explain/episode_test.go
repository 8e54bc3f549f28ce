package explain_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/explain"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// TestExplainEpisodeOfBlockThatIsOver: the request that fired is what it was
// though all of its block is judged, and its memory used again, before the
// answer is made. The race detector has such memory written over.
func TestExplainEpisodeOfBlockThatIsOver(t *testing.T) {
	p, err := policy.FromProfiles([]string{"tool-call"})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	line := func(i, second int, path string) {
		fmt.Fprintf(&log, `{"time":%d,"id":"r%d","session":"s","messages":[{"role":"user","content":"%s"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{\"path\":\"%s\"}"}}]}]}`+"\n",
			1_700_000_000+second, i, strings.Repeat("x", 4000), path)
	}
	const block = ingest.BlockSize / 4000 // lines: of 26 s, of which the lateness holds 20 till the next block is there
	for i := range 3 * block {
		path := fmt.Sprint(i)
		if i >= block/2 && i < block/2+10 {
			path = "again"
		}
		line(i, i/10, path)
	}
	name := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(name, []byte(log.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	episodes, answerTo := judged(t, name, window.NewPlan(p.Rules, nil))
	if len(episodes) != 1 {
		t.Fatalf("%d episodes", len(episodes))
	}
	answer, err := answerTo(episodes[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(answer.Rules); n != 1 || len(answer.Rules[0].Fingerprints) != 1 {
		t.Errorf("%d rules explained: %+v", n, answer.Rules)
	}
}

// TestExplainEpisodeOfOneCallOfMany: of a request with more calls than are explained
// of a line each has an episode that can be asked about.
func TestExplainEpisodeOfOneCallOfMany(t *testing.T) {
	p, err := policy.FromProfiles([]string{"aisg"})
	if err != nil {
		t.Fatal(err)
	}
	identity, err := fingerprint.New("tool-call", fingerprint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rule := *p.Rules[0]
	rule.Identity = identity
	rule.Scope, err = fingerprint.NewScope([]string{"session"})
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for i := range 30 {
		calls = append(calls, fmt.Sprintf(`{"name":"read","arguments":"{\"page\":%d}"}`, i))
	}
	var log strings.Builder
	for i := range rule.Threshold {
		fmt.Fprintf(&log, `{"time":%d,"id":"r%d","session":"s","tool_calls":[%s]}`+"\n", 1_700_000_000+i, i, strings.Join(calls, ","))
	}
	name := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(name, []byte(log.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	episodes, answerTo := judged(t, name, window.NewPlan([]*window.Rule{&rule}, nil))
	if len(episodes) != len(calls) {
		t.Fatalf("%d episodes", len(episodes))
	}
	for _, e := range episodes {
		answer, err := answerTo(e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if prints := answer.Rules[0].Fingerprints; len(prints) != 1 || prints[0].Fingerprint != e.Fingerprint.String() || answer.Rules[0].LeftOut != 0 {
			t.Errorf("%s of %s is explained by %+v", e.ID, e.Fingerprint, prints)
		}
	}
}

// judged gives the episodes of a log, and what explains one of them.
func judged(t *testing.T, name string, plan *window.Plan) (episodes []window.Episode, answer func(id string) (*explain.Explanation, error)) {
	t.Helper()
	open := func() ([]ingest.Stream, error) {
		sources, err := ingest.Find([]string{name}, nil)
		if err != nil {
			return nil, err
		}
		streams, failed := ingest.OpenAll(sources, 0, ingest.Options{})
		return streams, errors.Join(failed...)
	}
	streams, err := open()
	if err != nil {
		t.Fatal(err)
	}
	o := replay.PipelineOptions{Plan: plan, Lateness: 20 * time.Second, Since: fingerprint.NoTime, Until: fingerprint.NoTime}
	run := o
	run.Episode = func(e *window.Episode) error {
		episodes = append(episodes, *e)
		return nil
	}
	if _, err := replay.Run(t.Context(), replay.Options{Streams: streams, PipelineOptions: run}); err != nil {
		t.Fatal(err)
	}
	return episodes, func(id string) (*explain.Explanation, error) {
		return explain.Answer(t.Context(), explain.Question{Run: replay.Options{PipelineOptions: o}, Open: open, Episode: id})
	}
}
