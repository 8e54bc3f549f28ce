package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/replay/explain"
	"github.com/loopgauge/loopgauge/replay/parted"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// The documents are tied to the code: what the code knows has a row, and what
// has a row the code knows.

const docs = "../../docs"

// docTable finds the table below a heading of a document, as its cells by row,
// without the head. Backquotes are taken off.
func docTable(t *testing.T, file, heading, head string) [][]string {
	t.Helper()
	_, below, ok := strings.Cut(read(t, filepath.Join(docs, file)), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("%s has no %q", file, heading)
	}
	_, below, ok = strings.Cut(below, "\n| "+head+" |")
	if !ok {
		t.Fatalf("%s, %s: no table of %s", file, heading, head)
	}
	var table [][]string
	for i, line := range strings.Split(below, "\n") {
		if i < 2 {
			continue // rest of the head, and the rule below it
		}
		if !strings.HasPrefix(line, "| ") {
			break
		}
		var row []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), " | ") {
			row = append(row, strings.ReplaceAll(strings.TrimSpace(cell), "`", ""))
		}
		table = append(table, row)
	}
	return table
}

func column(table [][]string) (names []string) {
	for _, row := range table {
		names = append(names, row[0])
	}
	return names
}

func wantNames(t *testing.T, what string, documented, known []string) {
	t.Helper()
	documented, known = slices.Sorted(slices.Values(documented)), slices.Sorted(slices.Values(known))
	if !slices.Equal(documented, known) {
		t.Errorf("%s: documented are\n%v\nthe code knows\n%v", what, documented, known)
	}
}

// TestLinks: a link of a document leads to a file, and to a heading there; and
// a list of contents has all that stands below it.
func TestLinks(t *testing.T) {
	fenced, link := regexp.MustCompile("(?ms)^```.*?^```$"), regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]*))?\)`)
	texts, headings := documents(t, "*.md", "docs/*.md", "fixtures/*.md", "fixtures/*/*.md"), map[string][]string{}
	for file, text := range texts {
		texts[file] = fenced.ReplaceAllString(text, "")
		headings[file] = anchors(texts[file])
	}
	for file, text := range texts {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to := file
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(file), m[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %v", file, err)
			} else if m[2] != "" && !slices.Contains(headings[to], m[2]) {
				t.Errorf("%s: %s has no #%s", file, to, m[2])
			}
		}
		contents, below, _ := strings.Cut(text, "\n## ")
		if !strings.Contains(contents, "\n- [") {
			continue
		}
		for _, a := range anchors(regexp.MustCompile("(?m)^###.*").ReplaceAllString("## "+below, "")) {
			if !strings.Contains(contents, "](#"+a+")") {
				t.Errorf("%s: its list of contents lacks #%s", file, a)
			}
		}
	}
}

// documents are the texts of the files with names like these, by their paths.
func documents(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			texts[file] = read(t, file)
		}
	}
	return texts
}

// TestDocumentedCommands: the commands of the documents, and of the examples in
// help, are there, and have the flags that they are shown with.
func TestDocumentedCommands(t *testing.T) {
	fenced, line := regexp.MustCompile("(?ms)^```.*?^```$"), regexp.MustCompile(`(?m)^ *loopgauge (.+)`)
	span := regexp.MustCompile("`loopgauge ([^`]+)`")
	program := newRoot(newUI(strings.NewReader(""), &strings.Builder{}, &strings.Builder{}))
	program.InitDefaultCompletionCmd()
	n := 0
	check := func(where string, found [][]string) {
		for _, m := range found {
			n++
			text, _, _ := strings.Cut(m[1], " #")
			text, _, _ = strings.Cut(text, "   ") // what it does stands behind
			c, args, err := program.Find(strings.Fields(text))
			if err != nil || c == program {
				t.Errorf("%s: %s: no such command", where, m[1])
				continue
			}
			c.InitDefaultHelpFlag()
			for _, arg := range args {
				name, ok := strings.CutPrefix(strings.TrimLeft(arg, "["), "--")
				if name, _, _ = strings.Cut(strings.TrimRight(name, "]"), "="); ok && c.Flag(name) == nil {
					t.Errorf("%s: %s: there is no --%s", where, m[1], name)
				}
			}
		}
	}
	for file, text := range documents(t, "*.md", "docs/*.md", "fixtures/*/*.md") {
		for _, block := range fenced.FindAllString(text, -1) {
			if !strings.HasPrefix(block, "```\n") && !strings.HasPrefix(block, "```sh\n") {
				continue
			}
			check(file, line.FindAllStringSubmatch(block, -1))
		}
		check(file, span.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1))
	}
	if n < 100 {
		t.Errorf("%d commands found", n)
	}
	for _, c := range program.Commands() {
		check(c.CommandPath()+" --help", line.FindAllStringSubmatch(c.Example, -1))
	}
}

// anchors are what links call the headings of a document, as GitHub has them.
func anchors(text string) (list []string) {
	times := map[string]int{}
	for line := range strings.Lines(text) {
		title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !ok || line[0] != '#' {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, title)
		if n := times[name]; n > 0 {
			list = append(list, fmt.Sprintf("%s-%d", name, n))
		} else {
			list = append(list, name)
		}
		times[name]++
	}
	return list
}

// What the README shows of its first command is what that prints.
func TestReadme(t *testing.T) {
	_, shown, _ := strings.Cut(read(t, filepath.Join(root, "README.md")), "It finds\n\n```\n")
	shown, _, ok := strings.Cut(shown, "```\n")
	if said := loopgauge(t, "", "replay", filepath.Join(fixtures, "tau2/agents.jsonl.zst")); !ok || !strings.HasSuffix(said, "\n"+shown) {
		t.Errorf("the README shows\n%s\nand it prints\n%s", shown, said)
	}
}

func names[T any](list []T, name func(T) string) (names []string) {
	for _, v := range list {
		names = append(names, name(v))
	}
	return names
}

func TestPolicyDocument(t *testing.T) {
	f := func(heading, head string, known []string) {
		t.Helper()
		wantNames(t, heading, column(docTable(t, "policy.md", heading, head)), known)
	}
	f("## Identities", "identity", fingerprint.IdentityNames())
	f("## Identities", "part", fingerprint.PartNames())
	f("### Masks", "mask", fingerprint.MaskNames())
	scopes := fingerprint.ScopeNames()
	f("## Scopes", "field", scopes)
	f("## Counters", "kind", names(window.Counters, func(k window.CounterKind) string { return k.Name }))
	f("## Actions", "action", names(window.Actions, func(a window.Action) string { return string(a) }))
	f("## Conditions", "variable", names(policy.Variables, func(v policy.Variable) string { return v.Name }))
	for i, row := range docTable(t, "policy.md", "## Conditions", "variable") {
		if v := policy.Variables[i]; row[0] != v.Name || row[1] != v.Type {
			t.Errorf("variable %s %s is documented as %v", v.Name, v.Type, row)
		}
	}

	var schema map[string]any
	unmarshal(t, policy.Schema(), &schema)
	g := func(heading string, path ...string) {
		t.Helper()
		at := schema
		for _, name := range path {
			at = at[name].(map[string]any)
		}
		var known []string
		for name := range at {
			known = append(known, name)
		}
		f(heading, "field", known)
	}
	g("## Fields of the policy", "properties")
	rule := []string{"properties", "rules", "items", "properties"}
	g("## Fields of a rule", rule...)
	g("### Fields of a counter", append(rule, "counter", "properties")...)
	g("### Overrides", append(rule, "overrides", "items", "properties")...)
	g("## Exclude", "properties", "exclude", "items", "properties")
	g("## Prices", "properties", "prices", "additionalProperties", "properties")
}

// The policies of the documents are policies.
func TestDocumentedPolicies(t *testing.T) {
	f := func(doc string, least int) {
		t.Helper()
		n := 0
		for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(read(t, filepath.Join(docs, doc)), -1) {
			if !strings.Contains(block[1], "version: 1") {
				continue // a part of one
			}
			n++
			if _, err := policy.Parse(doc, []byte(block[1])); err != nil {
				t.Errorf("%v\n%s", err, block[1])
			}
		}
		if n < least {
			t.Errorf("%d policies found in %s", n, doc)
		}
	}
	f("policy.md", 2)
	f("alerts.md", 1)
}

// The picture of the counters is what they count: a row is a kind, in a window
// of 10 s unless it says otherwise, and its settings.
func TestDocumentedCounts(t *testing.T) {
	head := docTable(t, "policy.md", "## Counters", "time (s)")
	_, line, _ := strings.Cut(read(t, filepath.Join(docs, "policy.md")), "| time (s) | ")
	line, _, _ = strings.Cut(line, " |\n")
	times, requests := strings.Split(line, " | "), head[0][1:]
	if len(times) != len(requests) || len(times) < 8 {
		t.Fatalf("times %v, requests %v", times, requests)
	}
	for _, kind := range window.Counters {
		shown := slices.ContainsFunc(head, func(row []string) bool { return row[0] == kind.Name })
		if !shown && kind.Name != window.TrackerKind { // of which all hangs on what fired
			t.Errorf("policy.md: the picture of the counters has no row for %s", kind.Name)
		}
	}
	var log strings.Builder
	for i, at := range times {
		fmt.Fprintf(&log, `{"time":%s,"session":"s","model":%q}`+"\n", at, requests[i])
	}
	for _, row := range head[1:] {
		spec := "kind: " + strings.ReplaceAll(row[0]+", window: 10s", ", no window, window: 10s", "")
		file := policyFile(t, "version: 1\nrules: [{name: a, identity: [model], scope: [session], threshold: 9, counter: {"+spec+"}}]\n")
		got := row[:1:1]
		for line := range strings.Lines(loopgauge(t, log.String(), "replay", "--quiet", "--policy", file, "--verdicts", "-", "-")) {
			var v struct{ Count int }
			unmarshal(t, line, &v)
			got = append(got, fmt.Sprint(v.Count))
		}
		if !slices.Equal(got, row) {
			t.Errorf("%v\nis documented as\n%v", got, row)
		}
	}
}

// fieldPaths are the names of a struct's JSON fields: data.streams[].name.
func fieldPaths(r reflect.Type, prefix string) (paths []string) {
	for f := range r.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			paths = append(paths, fieldPaths(f.Type, prefix)...)
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		name = prefix + name
		inner := f.Type
		for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
			if inner.Kind() == reflect.Slice && inner.Elem().Kind() == reflect.Struct {
				name += "[]"
			}
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			paths = append(paths, fieldPaths(inner, name+".")...)
			continue
		}
		paths = append(paths, name)
	}
	return paths
}

// TestMergeDocument: what merge --json says is written down; its episodes are
// those of replay --json.
func TestMergeDocument(t *testing.T) {
	var paths []string
	for _, path := range fieldPaths(reflect.TypeFor[parted.Document](), "") {
		if strings.HasPrefix(path, "episodes[]") {
			path = "episodes[]"
		}
		paths = append(paths, path)
	}
	wantNames(t, "merge --json", column(docTable(t, "spark.md", "## The document of merge --json", "field")), slices.Compact(paths))
}

// TestTextOfDocuments: what explain --json and formats --json say is named where
// they are described; what they have of other documents is not.
func TestTextOfDocuments(t *testing.T) {
	f := func(file, heading string, document reflect.Type, others ...string) {
		t.Helper()
		_, below, _ := strings.Cut(read(t, filepath.Join(docs, file)), "\n"+heading+"\n")
		section, _, _ := strings.Cut(below, "\n## ")
		for _, path := range fieldPaths(document, "") {
			if slices.ContainsFunc(others, func(of string) bool { return strings.HasPrefix(path, of) }) {
				continue
			}
			if name := path[strings.LastIndexByte(path, '.')+1:]; !strings.Contains(section, "`"+name+"`") {
				t.Errorf("%s, %s: nothing is said of %s", file, heading, path)
			}
		}
	}
	f("explain.md", "## `--json`", reflect.TypeFor[explain.Explanation](), "episode.", "rules[].fingerprints[].response.")
	f("formats.md", "## What is this log?", reflect.TypeFor[formatReport](), "account.")
}

// A link to the kind of an alert leads to what to do then.
func TestRunbook(t *testing.T) {
	_, below, _ := strings.Cut(read(t, filepath.Join(docs, "alerts.md")), "\n## When an alert comes\n")
	section, _, _ := strings.Cut(below, "\n## ")
	for _, kind := range window.Kinds {
		if !strings.Contains(section, "\n### "+string(kind)+"\n") {
			t.Errorf("alerts.md does not say what to do of %s", kind)
		}
	}
}

func TestOutputDocument(t *testing.T) {
	doc := docTable(t, "output.md", "## The document of --json", "field")
	wantNames(t, "--json", column(doc), fieldPaths(reflect.TypeFor[replay.Document](), ""))

	line, _, _ := strings.Cut(loopgauge(t, "", "replay", "--quiet", "--verdicts", "-", filepath.Join(fixtures, "tau2/agents.jsonl.zst")), "\n")
	f := func(heading, line string) {
		t.Helper()
		var fields map[string]any
		unmarshal(t, line, &fields)
		var known []string
		for name := range fields {
			known = append(known, name)
		}
		wantNames(t, heading, column(docTable(t, "output.md", heading, "field")), known)
	}
	f("## Verdicts", line)
	f("## explain", loopgauge(t, `{"time":0,"session":"s"}`, "explain", "--identity", "prompt", "-"))
	f("### Skipped lines", loopgauge(t, `{"time":0,"session":"s"}`+"\n{}\n", "explain", "--skipped", "-"))

	wantNames(t, "causes", column(docTable(t, "output.md", "## Not computable", "cause")), causes())
}

func causes() (texts []string) {
	for c := fingerprint.Computable + 1; int(c) < fingerprint.Causes; c++ {
		texts = append(texts, c.String())
	}
	return texts
}
