package wrap

import (
	"fmt"
	"strings"
	"testing"
)

// TestHostileTurns: lines with calls and results without number take no time that
// grows faster than they.
func TestHostileTurns(t *testing.T) {
	size := 500_000 // at which quadratic work would not end before the test's timeout does
	if testing.Short() {
		size = 1000
	}
	line := func(kind, block, last string) Line {
		var b strings.Builder
		fmt.Fprintf(&b, `{"type":%q,"message":{"id":"m","content":[`, kind)
		for i := range size {
			fmt.Fprintf(&b, block+",", fmt.Sprint(kind, i))
		}
		fmt.Fprintf(&b, block+"]}}", last)
		return Line{Text: []byte(b.String())}
	}
	var got []string
	next := func(line Line) { got = append(got, string(line.Text[:min(len(line.Text), 9)])) }
	p := &turns{}
	p.Unwrap(line("assistant", `{"type":"tool_use","id":%q}`, "1"), next)
	p.Unwrap(line("user", `{"type":"tool_result","tool_use_id":%q}`, "2"), next)
	p.Unwrap(line("user", `{"type":"tool_result","tool_use_id":%q}`, "1"), next)
	if want := `{"type":",{"call":{`; strings.Join(got, ",") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
