package formats

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sections are the parts of docs/formats.md by their headings.
func sections(tb testing.TB) map[string]string {
	tb.Helper()
	text, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		tb.Fatal(err)
	}
	all := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		heading, rest, _ := strings.Cut(part, "\n")
		all[heading] = rest
	}
	return all
}

// caseWords are the texts that a file's functions of these names switch over.
func caseWords(tb testing.TB, file string, functions ...string) []string {
	tb.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		tb.Fatal(err)
	}
	var words, seen []string
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !slices.Contains(functions, f.Name.Name) {
			continue
		}
		seen = append(seen, f.Name.Name)
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CaseClause); ok {
				for _, e := range c.List {
					if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						word, err := strconv.Unquote(lit.Value)
						if err != nil {
							tb.Fatal(err)
						}
						words = append(words, word)
					}
				}
			}
			return true
		})
	}
	if len(words) == 0 || len(seen) < len(functions) {
		tb.Fatalf("%s: no cases in %v, or one of these is not there: %v", file, functions, seen)
	}
	return words
}

var (
	tableRow = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|")
	exampleJ = regexp.MustCompile("(?s)\n```(?:json)?\n(.*?)\n```\n")
)

// TestDocsHaveEveryFormat: a format has a section with what it reads, what it
// cannot give, and an example, and stands in the tables that compare them.
func TestDocsHaveEveryFormat(t *testing.T) {
	all := sections(t)
	for _, f := range All {
		text := all[f.Name]
		if text == "" {
			t.Errorf("docs/formats.md has no section %s", f.Name)
			continue
		}
		if !strings.Contains(text, "| loopgauge field |") {
			t.Errorf("%s: no table of its fields", f.Name)
		}
		if f.Name != "loopgauge" && !strings.Contains(text, "**Not computable**") {
			t.Errorf("%s: what is not computable is not said", f.Name)
		}
		if !strings.Contains(all["What a rule needs"], "\n| `"+f.Name+"` |") {
			t.Errorf("%s: not in the table of what a rule needs", f.Name)
		}
		example := exampleJ.FindStringSubmatch(text)
		if example == nil {
			t.Errorf("%s: no example", f.Name)
			continue
		}
		for _, g := range All {
			if g.Detect(NewLine([]byte(example[1]))) != (g == f) {
				t.Errorf("%s: its example is detected as %s: %t", f.Name, g.Name, g != f)
			}
		}
		if got := read(f.Name, example[1]); strings.HasPrefix(got, "column") {
			t.Errorf("%s: its example is not read: %s", f.Name, got)
		}
	}
}

// TestDocsHaveEveryField: the native format's table has the fields of the code
// and no others, and the gateways' fields are named where they are told of.
func TestDocsHaveEveryField(t *testing.T) {
	all := sections(t)
	var documented []string
	for _, row := range tableRow.FindAllStringSubmatch(all["loopgauge"], -1) {
		documented = append(documented, row[1])
	}
	code := caseWords(t, "native.go", "Parse", "readNumber")
	slices.Sort(documented)
	slices.Sort(code)
	if diff := cmp.Diff(code, documented); diff != "" {
		t.Errorf("fields of the native format (-code +docs):\n%s", diff)
	}
	f := func(section, file string, functions ...string) {
		t.Helper()
		for _, word := range caseWords(t, file, functions...) {
			if !regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(word) + `\b`).MatchString(all[section]) {
				t.Errorf("%s: nothing is said of %s", section, word)
			}
		}
	}
	f("litellm", "litellm.go", "field", "metadata", "parameter")
	f("litellm-v1", "litellmv1.go", "Parse", "python")
	f("litellm-spend", "litellmspend.go", "Parse")
	f("litellm-stdout", "litellmstdout.go", "Parse")
	f("claude-code-router", "ccr.go", "Parse")
	f("otel", "otelcall.go", "attribute")
	f("otel", "otelmlflow.go", "mlflowAttribute")
	f("otel", "otelclassify.go", "classify")
	f("otel", "otellogs.go", "kindOfLog", "log")
	f("otel", "otelevents.go", "answerLog")
	f("otel", "oteltools.go", "tool", "toolParameters")
	f("nginx-json", "nginxjson.go", "parse")
	f("mooncake", "mooncake.go", "Parse")
	text := all["Sessions and agents"]
	for _, h := range sessionHeaders {
		_, behind, ok := strings.Cut(text, "`"+h+"`")
		if !ok {
			t.Errorf("the header %s is not named in its order", h)
			continue
		}
		text = behind
	}
}

// TestDocsTell: the table of detection is made of the formats. With -update it
// is made anew.
func TestDocsTell(t *testing.T) {
	const file, head = "../../docs/formats.md", "\n| format | a line of it has |\n|---|---|\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), head)
	_, after, closed := strings.Cut(rest, "\n\n")
	if !ok || !closed {
		t.Fatalf("%s has no such table", file)
	}
	var rows []string
	for _, f := range All {
		rows = append(rows, "| `"+f.Name+"` | "+f.Told+" |")
	}
	made := before + head + strings.Join(rows, "\n") + "\n\n" + after
	switch {
	case made == string(text):
	case !*update:
		t.Errorf("%s: the table of detection is not what the formats say: go test -update writes it", file)
	default:
		if err := os.WriteFile(file, []byte(made), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDocsDetect: the table of detection names what the code looks at.
func TestDocsDetect(t *testing.T) {
	text := sections(t)["Detection"]
	tree, err := parser.ParseDir(token.NewFileSet(), ".", nil, parser.SkipObjectResolution) //nolint:staticcheck // no build tags here
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("formats.go")
	if err != nil {
		t.Fatal(err)
	}
	tells := map[string]bool{"isNginx": false} // by the name of the function: whether it was seen
	for _, x := range regexp.MustCompile(`Detect: (?:byMembers\()?(is\w+|detect\w+)`).FindAllStringSubmatch(string(table), -1) {
		tells[x[1]] = false
	}
	for _, file := range tree["formats"].Files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if _, ok := tells[f.Name.Name]; !ok {
				continue
			}
			tells[f.Name.Name] = true
			ast.Inspect(f, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && lit.Value != `""` {
					if word, _ := strconv.Unquote(lit.Value); !strings.Contains(text, "`"+word+"`") {
						t.Errorf("%s: %s is not in the table", f.Name.Name, word)
					}
				}
				return true
			})
		}
	}
	for name, seen := range tells {
		if !seen {
			t.Errorf("no function %s", name)
		}
	}
}

// TestDocsHaveTheRecipe: the filter for Caddy is the one that made the fixture.
func TestDocsHaveTheRecipe(t *testing.T) {
	file, err := os.ReadFile(fixtureDir + "/loopgauge/caddy.jq")
	if err != nil {
		t.Fatal(err)
	}
	filter := string(file)
	for strings.HasPrefix(filter, "#") {
		_, filter, _ = strings.Cut(filter, "\n")
	}
	if !strings.Contains(sections(t)["Any other log"], "\n```jq\n"+strings.TrimSpace(filter)+"\n```\n") {
		t.Error("docs/formats.md and caddy.jq differ")
	}
}
