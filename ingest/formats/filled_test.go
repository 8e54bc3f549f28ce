package formats

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// filled tells which fields of docs/formats.md a request has.
var filled = map[string]func(*fingerprint.Request) bool{
	"time":          func(r *fingerprint.Request) bool { return r.Time != fingerprint.NoTime },
	"end":           func(r *fingerprint.Request) bool { return r.End != fingerprint.NoTime },
	"id":            func(r *fingerprint.Request) bool { return len(r.ID) > 0 },
	"method":        func(r *fingerprint.Request) bool { return len(r.Method) > 0 },
	"path":          func(r *fingerprint.Request) bool { return len(r.Path) > 0 },
	"query":         func(r *fingerprint.Request) bool { return r.Query.Raw != nil || r.Query.Object != nil },
	"body":          func(r *fingerprint.Request) bool { return len(r.Body) > 0 },
	"body_hash":     func(r *fingerprint.Request) bool { return len(r.BodyHash) > 0 },
	"caller":        func(r *fingerprint.Request) bool { return len(r.Caller) > 0 },
	"user":          func(r *fingerprint.Request) bool { return len(r.User) > 0 },
	"session":       func(r *fingerprint.Request) bool { return len(r.Session) > 0 },
	"agent":         func(r *fingerprint.Request) bool { return len(r.Agent) > 0 },
	"model":         func(r *fingerprint.Request) bool { return len(r.Model) > 0 },
	"backend":       func(r *fingerprint.Request) bool { return len(r.Backend) > 0 },
	"messages":      func(r *fingerprint.Request) bool { return len(r.Messages.Items) > 0 || r.Messages.Digest != nil },
	"has_tools":     func(r *fingerprint.Request) bool { return r.HasTools == fingerprint.Yes },
	"tool_calls":    func(r *fingerprint.Request) bool { return len(r.ToolCalls) > 0 },
	"status":        func(r *fingerprint.Request) bool { return r.Status != fingerprint.Unknown },
	"error":         func(r *fingerprint.Request) bool { return len(r.Error) > 0 },
	"tokens_in":     func(r *fingerprint.Request) bool { return r.TokensIn != fingerprint.Unknown },
	"tokens_out":    func(r *fingerprint.Request) bool { return r.TokensOut != fingerprint.Unknown },
	"tokens_cached": func(r *fingerprint.Request) bool { return r.TokensCached != fingerprint.Unknown },
	"cost":          func(r *fingerprint.Request) bool { return !math.IsNaN(r.Cost) },
	"stream":        func(r *fingerprint.Request) bool { return r.Stream != fingerprint.NotLogged },
	"cached":        func(r *fingerprint.Request) bool { return r.Cached != fingerprint.NotLogged },
	"max_tokens":    func(r *fingerprint.Request) bool { return r.MaxTokens != fingerprint.Unknown },
	"attributes":    func(r *fingerprint.Request) bool { return len(r.Attributes) > 0 },
}

var fieldName = regexp.MustCompile("`([a-z_]+)`")

// needed are the fields that the columns of the table of what a rule needs are
// of; results of calls stand in messages.
var needed = []string{"session", "messages", "tool_calls", "", "body", "tokens_in", "cost"}

// TestDocumentedFieldsAreFilled: every field that the docs give a format is
// filled by some line of its fixtures, or by the example beside it, and no
// other is. So it is with those that rules need.
func TestDocumentedFieldsAreFilled(t *testing.T) {
	all, logs := sections(t), fixtures(t)
	gives := map[string][]string{} // by format: the cells behind its name
	for row := range strings.SplitSeq(all["What a rule needs"], "\n| `") {
		name, cells, _ := strings.Cut(row, "` | ")
		cells, _, _ = strings.Cut(cells, " |\n")
		gives[name] = strings.Split(strings.TrimSuffix(cells, " |"), " | ")
	}
	for _, f := range All {
		documented := map[string]bool{}
		for row := range strings.SplitSeq(all[f.Name], "\n") {
			if cell, _, ok := strings.Cut(strings.TrimPrefix(row, "| "), " |"); ok && strings.HasPrefix(row, "| `") {
				for _, name := range fieldName.FindAllStringSubmatch(cell, -1) {
					documented[name[1]] = true
				}
			}
		}
		seen := map[string]bool{}
		p := f.New(fingerprint.AllFields)
		look := func(file string, lines [][]byte) {
			if p, ok := p.(Named); ok {
				p.Of(file)
			}
			for _, line := range lines {
				for _, record := range records(bytes.TrimSpace(line)) {
					var r fingerprint.Request
					r.Reset()
					if _, why := p.Parse(record, &r); why != "" {
						continue
					}
					for name, is := range filled {
						seen[name] = seen[name] || is(&r)
					}
				}
			}
		}
		if example := exampleJ.FindStringSubmatch(all[f.Name]); example != nil { // TestDocsHaveEveryFormat wants it
			look("20261121T032745Z_20261121T032815Z_5f3c9a01.log.gz", [][]byte{[]byte(example[1])})
		}
		for file, lines := range logs[f.Name] {
			look(file, lines)
		}
		for name := range filled {
			if documented[name] && !seen[name] {
				t.Errorf("%s: %s is documented, but no line fills it", f.Name, name)
			}
			if !documented[name] && seen[name] {
				t.Errorf("%s: %s is filled, but not documented", f.Name, name)
			}
		}
		if n := len(gives[f.Name]); n != len(needed) {
			t.Errorf("%s: %d columns in the table of what a rule needs, not %d", f.Name, n, len(needed))
			continue
		}
		for i, cell := range gives[f.Name] {
			if is := cell != "no" && cell != "the past ones"; needed[i] != "" && is != seen[needed[i]] {
				t.Errorf("%s: what a rule needs of %s is said to be %q, and that a line fills it is %t", f.Name, needed[i], cell, seen[needed[i]])
			}
		}
		for name := range documented {
			if filled[name] == nil {
				t.Errorf("%s: no field is called %s", f.Name, name)
			}
		}
	}
}
