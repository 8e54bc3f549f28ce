package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

func TestCustomFormatProblems(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		_, err := parseCustom("my.yaml", []byte(text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if joined := strings.Join(want, "\n"); got != joined {
			t.Errorf("%s\ngot\n%s\nwant\n%s", text, got, joined)
		}
	}
	f("fields: {time: ts}")
	f("name: x", "my.yaml:1:1: fields: is missing: say where time and the rest stand, as docs/formats.md does")
	f("fields: {model: m}", "my.yaml:1:9: fields: time is missing: without it no request can be judged")
	f("name: caddy\nfields: {time: ts}", "my.yaml:1:7: name: is the name of a built-in format: choose another")
	f("fields:\n  tme: ts", "my.yaml:2:3: fields.tme: unknown field; did you mean time?") // and nothing of a time that is missing
	f("fields:\n  time: {paht: ts}", "my.yaml:2:10: fields.time.paht: unknown field; did you mean path?")
	f("fields:\n  time: ts\n  sesion: s", "my.yaml:3:3: fields.sesion: unknown field; did you mean session?")
	f("fields:\n  time: {path: ts, layout: yyyy-MM-dd}", "my.yaml:2:28: fields.time.layout: is no layout: write unix_s, unix_ms, unix_us, unix_ns, rfc3339, or how 2 January 2006, 15:04:05 looks in the log, with its date and second: 02/Jan/2006:15:04:05 -0700")
	f("fields:\n  time: 5", "my.yaml:2:9: fields.time: must be a path, a list of paths or a mapping, is a number")
	f("fields:\n  time: $.ts", "my.yaml:2:9: fields.time: is no path: write names with dots between them, and numbers for elements of a list, as in choices.0.message")
	f("fields:\n  time: .ts", "my.yaml:2:9: fields.time: is no path: write names with dots between them, and numbers for elements of a list, as in choices.0.message")
	f("fields: {time: ts}\nattributes: {team: {}}", "my.yaml:2:20: attributes.team: needs path, or const")
	f("fields:\n  time: {const: '1'}", "my.yaml:2:9: fields.time: cannot be the same for all requests: give a path")
	f("fields:\n  time: t\n  model: {layout: unix_ms}",
		"my.yaml:3:10: fields.model: needs path, or const", "my.yaml:3:19: fields.model.layout: is for time and end alone")
	f("fields:\n  time: t\n  duration: {path: d, unit: m}", `my.yaml:3:29: fields.duration.unit: "m" is unknown; did you mean s?`)
	f("fields:\n  time: t\n  status: {const: 200}", "my.yaml:3:19: fields.status.const: must be a text, is a number: put it in quotes")
	f("pattern: '(?P<t>.*)'\nfields: {time: t, model: m}", "my.yaml:1:10: pattern: has no group m, which model is to be read from; there are t")
	f("pattern: '(?=x)'\nfields: {time: t}", "my.yaml:1:10: pattern: invalid or unsupported Perl syntax: `(?=` (RE2: no look-around, no back references)")
	f("columns: ['', ts]\nfields: {time: ts}")
	f("columns: [ts, m.x]\nseparator: ';'\nfields: {time: ts, model: m.x, body: ts.b}")
	f("columns: [ts, ts]\nfields: {time: ts}", "my.yaml:1:15: columns[1]: is the name of two columns: call one otherwise")
	f("columns: [ts]\nfields: {time: t}", "my.yaml:1:1: columns: have no t, which time is to be read from; there are ts")
	f("columns: [ts]\nseparator: ab\nfields: {time: ts}", `my.yaml:2:12: separator: must be one character, such as ';' or "\t"`)
	f("separator: ','\nfields: {time: ts}", "my.yaml:1:1: columns: is missing: separator is for CSV, which has columns")
	f("pattern: '(?P<ts>.*)'\ncolumns: [ts]\nfields: {time: ts}", "my.yaml:1:10: pattern: is for text, and columns are for CSV: give one of them")
	f("timezone: Mars\nfields: {time: t}", `my.yaml:1:11: timezone: no zone is called "Mars"; write it as UTC or Europe/Warsaw`)
}

// TestCustomFixtures: what the made-up gateways' files describe fills every
// field that they name.
func TestCustomFixtures(t *testing.T) {
	f := func(file, log string, never ...string) {
		t.Helper()
		c, err := parseCustom(file, []byte(read(t, filepath.Join(fixtures, "formats/custom", file))))
		if err != nil {
			t.Fatal(err)
		}
		format := formats.NewCustom(c)
		p, seen, n := format.New(fingerprint.AllFields), map[string]int{}, 0
		for line := range strings.Lines(read(t, filepath.Join(fixtures, "formats/custom", log))) {
			var r fingerprint.Request
			r.Reset()
			if _, why := p.Parse([]byte(line[:len(line)-1]), &r); why != "" || formats.CheckTime(&r) != "" || !format.Detect(formats.NewLine([]byte(line[:len(line)-1]))) {
				t.Fatalf("%s: %s %s", log, why, formats.CheckTime(&r))
			}
			n++
			for _, w := range formats.Write(&r, false) {
				seen[w.Name]++
			}
		}
		for _, name := range formats.NativeFields {
			if want := !slices.Contains(never, name); n != 12 || (seen[name] > 0) != want {
				t.Errorf("%s: %s is in %d of %d requests", log, name, seen[name], n)
			}
		}
	}
	f("acme.yaml", "acme.jsonl", "body", "body_hash", "user", "agent", "error", "tokens_cached", "cost", "cached")
	f("gate.yaml", "gate.log", "query", "body_hash", "user", "agent", "backend", "tool_calls", "error", "tokens_in", "tokens_out", "tokens_cached", "cost", "cached", "max_tokens", "attributes")
}

// TestCustomFormatDocument: the example in the documentation is the fixture,
// and every field has a row.
func TestCustomFormatDocument(t *testing.T) {
	text := read(t, filepath.Join(docs, "formats.md"))
	for _, file := range []string{"acme.yaml", "gate.yaml"} {
		example := read(t, filepath.Join(fixtures, "formats/custom", file))
		if !strings.Contains(text, "\n```yaml\n"+example+"```\n") {
			t.Errorf("docs/formats.md does not have %s as it is", file)
		}
	}
	var rows [][]string
	for _, x := range formats.CustomFields {
		rows = append(rows, []string{x.Name, x.Doc})
	}
	if diff := cmp.Diff(rows, docTable(t, "formats.md", "## Formats of your own", "field")); diff != "" {
		t.Errorf("the fields, and their rows: %s", diff)
	}
}

// FuzzParseCustom: no file makes the reader panic, and what it takes can read
// a line.
func FuzzParseCustom(f *testing.F) {
	for _, file := range []string{"acme.yaml", "gate.yaml"} {
		f.Add(read(f, filepath.Join(fixtures, "formats/custom", file)), `{"ts":1}`)
	}
	f.Fuzz(func(t *testing.T, text, line string) {
		c, err := parseCustom("my.yaml", []byte(text))
		if err != nil {
			return
		}
		var r fingerprint.Request
		r.Reset()
		formats.NewCustom(c).New(fingerprint.AllFields).Parse([]byte(line), &r)
	})
}
