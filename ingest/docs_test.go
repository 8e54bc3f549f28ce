package ingest

import (
	"os"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// TestDocsHaveEveryWrapper: each stands in the table, and is tested.
func TestDocsHaveEveryWrapper(t *testing.T) {
	text, err := os.ReadFile("../docs/formats.md")
	must(t, err)
	_, section, _ := strings.Cut(string(text), "\n## Wrapped logs\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, w := range wrap.All {
		if !strings.Contains(section, "\n| `"+w.Name+"` |") {
			t.Errorf("%s is not in docs/formats.md", w.Name)
		}
		tested := w.Name == "archive" || w == wrap.Flattened || w.Gathers || w.Of != nil || w.Sure // by their fixtures, and TestTables, TestCopied
		for _, c := range collectors {
			tested = tested || c.name == w.Name
		}
		if !tested {
			t.Errorf("%s is not among the collectors of the tests", w.Name)
		}
	}
}
