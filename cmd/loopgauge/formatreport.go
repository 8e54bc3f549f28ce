package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/term"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// formatReport is what formats says of a log: docs/formats.md describes it.
type formatReport struct {
	Log      string   `json:"log"`
	Format   string   `json:"format"`
	Wrappers []string `json:"wrappers"`
	Told     string   `json:"told"`    // by what a line of the format is told
	Members  []string `json:"members"` // of those, what the first record has

	Account  replay.Account   `json:"account"`
	Whole    bool             `json:"whole"` // the log has no more lines
	Request  json.RawMessage  `json:"request"`
	Fields   map[string]int64 `json:"fields"` // in how many requests
	Missing  []string         `json:"missing"`
	requests int64
	astray   []string // fields that the file names and no request has

	Identities []supported `json:"identities"`
	Rules      []supported `json:"rules"`
}

// supported says of how many requests a rule or an identity is computable.
type supported struct {
	Profile    string           `json:"profile,omitempty"`
	Name       string           `json:"name"`
	Share      float64          `json:"share"`
	Computable int64            `json:"computable"`
	Requests   int64            `json:"requests"`
	Causes     map[string]int64 `json:"causes"`

	main    fingerprint.Cause // the cause of most that are not
	most    int64
	nothing int64 // that have nothing to repeat, which is no lack of the log's
}

var quotedWord = regexp.MustCompile("`([^`]+)`")

// members finds which of the names that tell the format the first record has
// that has any.
func (r *formatReport) members(sample *ingest.Sample) {
	data := ingest.Unwrapped(sample.Blocks[0].Data, sample.Format().Wrappers)
	for line := range bytes.Lines(data) {
		members := formats.MembersOf(bytes.TrimSpace(line))
		for _, word := range quotedWord.FindAllStringSubmatch(r.Told, -1) {
			if members.Has(word[1]) && !slices.Contains(r.Members, word[1]) {
				r.Members = append(r.Members, word[1])
			}
		}
		if len(r.Members) > 0 {
			return
		}
	}
}

// requestsOf looks at every request once: what it carries, and which built-in
// identities it has.
func (r *formatReport) requestsOf(sample *ingest.Sample, show bool) error {
	var ids []*fingerprint.Identity
	for _, k := range fingerprint.Kinds {
		id, err := fingerprint.New(k.Name, fingerprint.Options{})
		if err != nil {
			return err
		}
		ids = append(ids, id)
		r.Identities = append(r.Identities, supported{Name: k.Name, Causes: map[string]int64{}})
	}
	reader, w := ingest.NewReader(fingerprint.AllFields), fingerprint.NewWriter(nil)
	fullest := 0
	for _, b := range sample.Blocks {
		reader.Read(b, func(q *fingerprint.Request) {
			r.requests++
			fields := formats.Write(q, show)
			for _, x := range fields {
				r.Fields[x.Name]++
			}
			for i, id := range ids {
				w.Reset()
				r.Identities[i].count(id.Compute(q, w), 1)
			}
			if len(fields) > fullest { // the first of those that say most
				fullest = len(fields)
				r.Request = object(fields)
			}
		}, nil)
	}
	for i := range r.Identities {
		r.Identities[i].settle(r.requests)
	}
	for _, name := range formats.NativeFields {
		if r.Fields[name] == 0 {
			r.Missing = append(r.Missing, name)
		}
	}
	r.astray = sample.Format().Astray(r.Fields)
	return nil
}

// object is fields as one JSON object, in their order.
func object(fields []formats.Written) json.RawMessage {
	out := []byte{'{'}
	for i, x := range fields {
		var value bytes.Buffer
		e := json.NewEncoder(&value)
		e.SetEscapeHTML(false)
		if e.Encode(x.Value) != nil {
			value.WriteString("null")
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, fmt.Sprintf("%q:", x.Name)...)
		out = append(out, bytes.TrimSpace(value.Bytes())...)
	}
	return append(out, '}')
}

func (s *supported) count(c fingerprint.Cause, n int64) {
	if c == fingerprint.Computable {
		s.Computable += n
		return
	}
	if c.NothingToRepeat() {
		s.nothing += n
	}
	if s.Causes[c.String()] += n; s.Causes[c.String()] > s.most {
		s.main, s.most = c, s.Causes[c.String()]
	}
}

func (s *supported) settle(requests int64) {
	if s.Requests = requests; requests > 0 {
		s.Share = float64(s.Computable) / float64(requests)
	}
}

// rules runs the rules of the gateways, and ours, over the lines, as replay does.
func (r *formatReport) rules(ctx context.Context, sample *ingest.Sample) error {
	for _, profile := range policy.Profiles() {
		if !profile.Compared() {
			continue
		}
		p, err := policy.FromProfiles([]string{profile.Name})
		if err != nil {
			return err
		}
		copies := *sample
		copies.Blocks = nil
		for _, b := range sample.Blocks { // a run gives the memory of its blocks back
			copies.Blocks = append(copies.Blocks, b.Clone())
		}
		o := replay.Options{Streams: []ingest.Stream{&copies}, PipelineOptions: replay.PipelineOptions{
			Plan: window.NewPlan(p.Rules, p.Exclude),
			// Neither order nor repeated ids take a line out: this is about what lines carry.
			Lateness: 100 * 365 * 24 * time.Hour, Since: fingerprint.NoTime, Until: fingerprint.NoTime,
		}}
		result, err := replay.Run(ctx, o)
		if err != nil {
			return err
		}
		r.Account = result.Account
		for _, a := range result.Rules {
			s := supported{Profile: profile.Name, Name: a.Rule.Name, Computable: a.Counted + a.NotMatched, Causes: map[string]int64{}}
			for c, n := range a.NotComputable {
				if n > 0 {
					s.count(fingerprint.Cause(c), n)
				}
			}
			_, s.main, s.most = a.Blind()
			s.settle(a.Judged)
			r.Rules = append(r.Rules, s)
		}
	}
	return nil
}

func (r *formatReport) String() string {
	var b strings.Builder
	r.head(&b)
	if r.requests == 0 {
		b.WriteString("\nno request in these lines\n")
		return b.String()
	}
	r.fields(&b)
	r.computable(&b)
	b.WriteByte('\n')
	para(&b, "", r.answer())
	return b.String()
}

// para writes a text in lines that fit the terminal.
func para(b *strings.Builder, indent, text string) {
	for _, line := range term.Wrap(text, term.Width-len(indent)) {
		b.WriteString(indent + line + "\n")
	}
}

// head says what the log was taken for, and what became of its lines.
func (r *formatReport) head(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s\n", term.Safe(r.Log), r.Format)
	para(b, "  ", "told by: "+strings.ReplaceAll(r.Told, "`", ""))
	if len(r.Members) > 0 {
		para(b, "  ", "of these it has: "+strings.Join(r.Members, ", "))
	}
	if len(r.Wrappers) > 0 {
		para(b, "  ", "wrapped in: "+strings.Join(r.Wrappers, ", in it "))
	}
	of := "first lines" // 1,000, or to the end of the record that begins in the last
	if r.Whole {
		of = "all lines"
	}
	b.WriteString(term.Hanging(fmt.Sprintf("  %s: %s", of, r.Account), term.Width) + "\n")
}

// fields shows a request, and which fields all, some and none have.
func (r *formatReport) fields(b *strings.Builder) {
	fmt.Fprintf(b, "\na request, as the native format has it\n  %s\n\n", term.Safe(string(r.Request)))
	var all, some []string
	for _, name := range formats.NativeFields {
		switch n := r.Fields[name]; {
		case n == r.requests:
			all = append(all, name)
		case n > 0:
			some = append(some, fmt.Sprintf("%s (%s)", name, term.Percent(n, r.requests)))
		}
	}
	for _, part := range []struct {
		head string
		list []string
	}{{"every request has: ", all}, {"some have: ", some}, {"none has: ", r.Missing}} {
		if len(part.list) > 0 {
			para(b, "", part.head+strings.Join(part.list, ", "))
		}
	}
	if len(r.astray) > 0 {
		para(b, "", "not found where the file says: "+strings.Join(r.astray, ", "))
	}
}

// computable shows of how many requests identities and rules are.
func (r *formatReport) computable(b *strings.Builder) {
	table := term.Table{Right: map[int]bool{1: true}}
	for _, part := range []struct {
		head string
		list []supported
	}{{"identity", r.Identities}, {"rule", r.Rules}} {
		table.Add("")
		table.Add(part.head, "requests", "where not")
		for _, s := range part.list {
			name := s.Name
			if s.Profile != "" && s.Profile != s.Name {
				name = s.Profile + "/" + s.Name
			}
			where := ""
			if s.most > 0 {
				where = s.main.String()
			}
			table.Add(name, term.Percent(s.Computable, s.Requests), where)
		}
	}
	table.Write(b, "")
}

// manyBlind requests are as many as there are for one that a rule cannot look at, for
// what the logger lost, if it is worth saying what would help.
const manyBlind = 10

// answer is which rules the log can support, and what would help the others.
func (r *formatReport) answer() string {
	var yes, no int
	var none, some []fingerprint.Cause // of all requests, and of many
	for _, s := range r.Rules {
		if s.Computable > 0 || s.nothing > 0 && s.main != fingerprint.NoSession {
			if yes++; s.most*manyBlind >= s.Requests && s.main.ByLogger() {
				some = append(some, s.main)
			}
			continue
		}
		no++
		none = append(none, s.main)
	}
	text := fmt.Sprintf("supports %d of %d built-in rules", yes, yes+no)
	said := map[fingerprint.Cause]bool{}
	for _, part := range []struct {
		head string
		list []fingerprint.Cause
	}{{"; for the rest: ", none}, {"; for more of the requests: ", some}} {
		sep := part.head
		for _, c := range part.list {
			if !said[c] {
				text += sep + replay.Remedy(c)
				said[c], sep = true, "; "
			}
		}
	}
	if len(said) > 0 && formats.ByName(r.Format) != nil { // no file of one's own
		text += " (docs/formats.md#" + r.Format[strings.LastIndexByte(r.Format, '+')+1:] + ")"
	}
	return text
}
