package replay_test

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
	plan, id := window.NewPlan(p.Rules, nil), ""
	if _, err := replay.Run(t.Context(), replay.Options{Streams: streams, PipelineOptions: replay.PipelineOptions{
		Plan: plan, Since: fingerprint.NoTime, Until: fingerprint.NoTime,
		Episode: func(e *window.Episode) error { id = e.ID; return nil },
	}}); err != nil {
		t.Fatal(err)
	}
	answer, err := replay.Answer(t.Context(), replay.Question{
		Run:  replay.Options{PipelineOptions: replay.PipelineOptions{Plan: plan, Lateness: 20 * time.Second, Since: fingerprint.NoTime, Until: fingerprint.NoTime}},
		Open: open, Episode: id,
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(answer.Rules); n != 1 || len(answer.Rules[0].Fingerprints) != 1 {
		t.Errorf("%d rules explained: %+v", n, answer.Rules)
	}
}
