package formats

import (
	"bytes"
	"flag"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// TestGolden reads every fixture and compares each request, as one line, with
// testdata/<format>.golden. A change there is a change of what users get.
func TestGolden(t *testing.T) {
	logs := fixtures(t)
	for _, f := range All {
		t.Run(f.Name, func(t *testing.T) {
			var got strings.Builder
			for _, name := range slices.Sorted(maps.Keys(logs[f.Name])) {
				fmt.Fprintf(&got, "# %s\n", name)
				p := f.New(fingerprint.AllFields)
				if p, ok := p.(Named); ok {
					p.Of(name) // of one format it begins with a time
				}
				for n, line := range logs[f.Name][name] {
					for _, record := range records(line) {
						var r fingerprint.Request
						each(p, record, &r, func(column int, why string) {
							if why != NoRequest {
								fmt.Fprintf(&got, "%d: %s\n", n+1, render(&r, column, why))
							}
						})
					}
				}
			}
			golden := filepath.Join("testdata", f.Name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v: go test -update writes it", err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
				t.Errorf("go test -update rewrites it (-want +got):\n%s", diff)
			}
		})
	}
}

// render writes a request as one line: what is absent is left out, what is
// empty is "". Long texts are their length and checksum.
func render(r *fingerprint.Request, column int, why string) string {
	if why == "" {
		column, why = 0, CheckTime(r)
	}
	if why != "" {
		return fmt.Sprintf("column %d: %s", column, why)
	}
	var b strings.Builder
	b.WriteString(time.UnixMicro(r.Time).UTC().Format("2006-01-02T15:04:05.000000Z"))
	if r.End != fingerprint.NoTime {
		fmt.Fprintf(&b, " took=%v", time.Duration(r.End-r.Time)*time.Microsecond)
	}
	text := func(name string, v []byte) {
		switch {
		case v == nil:
		case len(v) > 120:
			fmt.Fprintf(&b, " %s=%d/%08x", name, len(v), crc32.ChecksumIEEE(v))
		case len(v) == 0 || bytes.ContainsAny(v, " \"\n\\"):
			fmt.Fprintf(&b, " %s=%q", name, v)
		default:
			fmt.Fprintf(&b, " %s=%s", name, v)
		}
	}
	number := func(name string, n int64) {
		if n != fingerprint.Unknown {
			fmt.Fprintf(&b, " %s=%d", name, n)
		}
	}
	tri := func(name string, v fingerprint.Tri) {
		if v != fingerprint.NotLogged {
			fmt.Fprintf(&b, " %s=%t", name, v == fingerprint.Yes)
		}
	}
	text("id", r.ID)
	text("method", r.Method)
	text("path", r.Path)
	text("query", r.Query.Raw)
	text("query", r.Query.Object)
	text("body", r.Body)
	text("body_hash", r.BodyHash)
	text("caller", r.Caller)
	if r.CallerIsName {
		b.WriteString(" named")
	}
	text("user", r.User)
	text("session", r.Session)
	text("agent", r.Agent)
	text("model", r.Model)
	text("backend", r.Backend)
	text("system", r.Messages.System)
	text("digest", r.Messages.Digest)
	if r.Messages.Logged {
		fmt.Fprintf(&b, " messages=%d", len(r.Messages.Items))
		if n := len(r.Messages.Items); n > 0 {
			text("last", r.Messages.Items[n-1])
		}
		if r.Messages.Tail {
			b.WriteString(" tail")
		}
	}
	tri("has_tools", r.HasTools)
	if r.ToolCallsLogged {
		fmt.Fprintf(&b, " tool_calls=%d", len(r.ToolCalls))
	}
	for _, c := range r.ToolCalls {
		text("call", c.ID)
		text("name", c.Name)
		text("arguments", c.Arguments)
	}
	number("status", int64(r.Status))
	text("error", r.Error)
	number("tokens_in", r.TokensIn)
	number("tokens_out", r.TokensOut)
	number("tokens_cached", r.TokensCached)
	if !math.IsNaN(r.Cost) {
		fmt.Fprintf(&b, " cost=%g", r.Cost)
	}
	tri("stream", r.Stream)
	tri("cached", r.Cached)
	number("max_tokens", r.MaxTokens)
	for _, a := range r.Attributes {
		text(string(a.Name), a.Value)
	}
	if r.Lost != fingerprint.Computable {
		fmt.Fprintf(&b, " lost=%q", r.Lost)
	}
	if r.Dropped {
		b.WriteString(" dropped")
	}
	return b.String()
}
