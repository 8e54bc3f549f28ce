package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// Update gives the fixture's text with the episodes of the run as the expected
// ones. Without an episodes member, and where nothing changes, it is the text
// as it was.
func (w *Watch) Update() ([]byte, error) {
	f, seen := w.fixture, w.seen()
	if !f.episodesAt.Set() || slices.EqualFunc(inOrder(f.episodes), seen, equalEpisodes) {
		return f.text, nil
	}
	out, err := f.yaml.Replace("episodes", writeEpisodes(seen))
	if err != nil {
		return nil, fmt.Errorf("%s: episodes: %w", f.File, err)
	}
	// What was written must be what is read, before it replaces the file.
	again, err := Parse(f.File, out)
	if err != nil {
		return nil, fmt.Errorf("%w\nthe fixture was left as it is", err)
	}
	if !slices.EqualFunc(inOrder(again.episodes), seen, equalEpisodes) {
		return nil, fmt.Errorf("%s: episodes: cannot be written so that they are read back; the fixture was left as it is", f.File)
	}
	w.expect(again)
	return out, nil
}

// expect takes over the expectations of a fixture that differs from the one
// before in its episodes, and in the lines that others stand on.
func (w *Watch) expect(f *Fixture) {
	w.fixture = f
	for i, s := range w.mustFire {
		s.expectation = f.mustFire[i]
	}
	for i, s := range w.mustNotFire {
		s.expectation = f.mustNotFire[i]
	}
}

func equalEpisodes(a, b episode) bool { return compareEpisodes(a, b) == 0 }

func writeEpisodes(list []episode) string {
	if len(list) == 0 {
		return "episodes: []\n"
	}
	var b strings.Builder
	b.WriteString("episodes:\n")
	for _, e := range list {
		var scope []string
		for _, s := range e.scope {
			scope = append(scope, policy.Quoted(s.field)+": "+policy.Quoted(s.value))
		}
		fmt.Fprintf(&b, "  - {rule: %s, scope: {%s}, fired: %q, last: %q, requests: %d}\n",
			policy.Quoted(e.rule), strings.Join(scope, ", "), window.Stamp(e.fired), window.Stamp(e.last), e.requests)
	}
	return b.String()
}
