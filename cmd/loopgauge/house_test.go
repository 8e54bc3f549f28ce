package main

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The rules of the house, as docs/design.md gives them, tested on the source.

const (
	root   = "../.."
	module = "github.com/loopgauge/loopgauge"
)

// mayImport is the one way that imports go: each package with the packages of
// ours that it imports, and no other may.
var mayImport = map[string][]string{
	"fingerprint/rawjson":     {},
	"fingerprint/sha256lanes": {},
	"fingerprint/chars":       {},
	"fingerprint/volatile":    {"fingerprint/chars", "fingerprint/rawjson"},
	"fingerprint":             {"fingerprint/volatile", "fingerprint/chars", "fingerprint/rawjson", "fingerprint/sha256lanes"},
	"window/snapshot":         {},
	"window":                  {"window/snapshot", "fingerprint"},
	"window/link":             {"window"},
	"window/policy":           {"window/link", "window", "fingerprint", "fingerprint/rawjson"},
	"window/response":         {"window"},
	"ingest/shellword":        {},
	"ingest/wrap":             {"fingerprint", "fingerprint/rawjson"},
	"ingest/formats":          {"ingest/wrap", "fingerprint", "fingerprint/rawjson"},
	"ingest/otlp":             {"fingerprint/rawjson"},
	"ingest/otlp/otlptest":    {"fixtures"},
	"ingest":                  {"ingest/formats", "ingest/otlp", "ingest/shellword", "ingest/wrap", "fingerprint", "fingerprint/rawjson"},
	"ingest/blob":             {"ingest", "fingerprint"},
	"ingest/kafka":            {"ingest", "ingest/formats"},
	"ingest/kafka/kafkatest":  {},
	"sinks":                   {"window/link", "window/response", "window", "fingerprint/rawjson"},
	"sinks/slack":             {"sinks", "window"},
	"sinks/kafka":             {"sinks", "ingest/kafka", "window"},
	"sinks/parquet":           {"sinks", "window", "fingerprint"},
	"replay/term":             {"ingest/shellword"},
	"replay":                  {"replay/term", "ingest", "window", "fingerprint"},
	"replay/explain":          {"replay", "replay/term", "ingest", "window/response", "window", "fingerprint", "fingerprint/rawjson"},
	"replay/live":             {"replay", "sinks", "ingest", "window", "window/snapshot", "fingerprint"},
	"replay/live/monitor":     {"replay/live", "sinks", "window", "fingerprint"},
	"replay/shared":           {"replay/live", "replay", "sinks", "ingest/kafka", "ingest", "window", "window/snapshot", "fingerprint", "fingerprint/rawjson"},
	"replay/parted":           {"replay", "window", "fingerprint"},
	"replay/tune":             {"replay", "replay/term", "window", "window/policy", "fingerprint", "fingerprint/rawjson"},
	"replay/report":           {"replay/tune", "replay", "replay/term", "window", "fingerprint"},
	"replay/scenario":         {"replay", "replay/term", "ingest/formats", "window/policy", "window", "fingerprint"},
	"cmd/loopgauge": {
		"replay/report", "replay/tune", "replay/scenario", "replay/explain", "replay/term", "replay/live", "replay/live/monitor", "replay/parted", "replay/shared", "replay", "sinks/parquet", "sinks/slack", "sinks/kafka", "sinks", "ingest/blob", "ingest/kafka", "ingest", "ingest/formats", "ingest/wrap",
		"window/policy", "window", "fingerprint", "fingerprint/rawjson",
	},
	"fixtures":                {}, // tests only
	"scripts/bench/grow":      {},
	"scripts/bench/synthetic": {},
}

// leaves are the dependencies, each with the packages that import it, and no
// other may: whoever needs less of loopgauge links less.
var leaves = map[string][]string{
	"github.com/parquet-go/parquet-go":    {"sinks/parquet"},
	"cel.dev/cel-go":                      {"window/policy"},
	"github.com/goccy/go-yaml":            {"window/policy"},
	"github.com/mattn/go-runewidth":       {"replay/term"},
	"github.com/klauspost/compress":       {"ingest", "ingest/kafka", "sinks/parquet", "fixtures", "scripts/bench/grow"},
	"github.com/prometheus/client_golang": {"replay/live/monitor"},
	"github.com/prometheus/common":        {}, // tests only
	"github.com/segmentio/kafka-go":       {"ingest/kafka"},
	"github.com/twmb/franz-go":            {"ingest/kafka/kafkatest"}, // tests only
	"google.golang.org/protobuf":          {"ingest/otlp", "ingest/otlp/otlptest"},
	"go.opentelemetry.io/proto/otlp":      {"ingest/otlp/otlptest"}, // tests only
	"github.com/slack-go/slack":           {"sinks/slack"},
	"gocloud.dev":                         {"ingest/blob"},
	"cloud.google.com/go/storage":         {"ingest/blob"},
	"github.com/Azure/azure-sdk-for-go":   {"ingest/blob"},
	"github.com/aws":                      {"ingest/blob"},
	"github.com/spf13":                    {"cmd/loopgauge"}, // cobra, pflag
	"github.com/schollz/progressbar":      {"cmd/loopgauge"},
	"pgregory.net/rapid":                  {}, // tests only, as all below
	"github.com/google/go-cmp":            {},
	"github.com/rogpeppe/go-internal":     {},
	"github.com/chromedp/chromedp":        {},
	"github.com/chromedp/cdproto":         {},
}

// core are the packages that must give the same answer everywhere and always.
var core = []string{"fingerprint/rawjson", "fingerprint/sha256lanes", "fingerprint/chars", "fingerprint/volatile", "fingerprint", "window/snapshot", "window"}

// source is one Go package of the tree without its tests.
type source struct {
	dir   string // relative to the root, with slashes
	fset  *token.FileSet
	files []*ast.File
}

func (s *source) imports() []string {
	var list []string
	for _, f := range s.files {
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err == nil && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// walk calls visit for every file of the project, named relative to the root.
func walk(t *testing.T, visit func(name string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if name == ".git" || name == ".cache" || name == "dist" {
				return filepath.SkipDir
			}
			return nil
		}
		if name == ".git" { // of a work tree beside its repository
			return nil
		}
		visit(name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func sources(t *testing.T) []*source {
	t.Helper()
	fset, byDir := token.NewFileSet(), map[string]*source{}
	var list []*source
	walk(t, func(name string) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			return
		}
		if match, err := build.Default.MatchFile(filepath.Join(root, path.Dir(name)), path.Base(name)); err != nil || !match {
			return // for another machine
		}
		s := byDir[path.Dir(name)]
		if s == nil {
			s = &source{dir: path.Dir(name), fset: fset}
			byDir[s.dir] = s
			list = append(list, s)
		}
		f, err := parser.ParseFile(s.fset, filepath.Join(root, filepath.FromSlash(name)), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s.files = append(s.files, f)
	})
	if len(list) < len(core) {
		t.Fatalf("%d packages found below %s", len(list), root)
	}
	return list
}

func TestImportsGoOneWay(t *testing.T) {
	for _, s := range sources(t) {
		allowed, known := mayImport[s.dir]
		if !known {
			t.Errorf("%s: new package: add it to mayImport and to docs/design.md", s.dir)
			continue
		}
		imports := s.imports()
		for _, name := range imports {
			if ours, ok := strings.CutPrefix(name, module+"/"); ok && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s; imports go one way: it may import %v", s.dir, ours, allowed)
			}
		}
		for _, name := range allowed {
			if !slices.Contains(imports, module+"/"+name) {
				t.Errorf("%s does not import %s: take it out of mayImport", s.dir, name)
			}
		}
	}
}

// TestDesignHasImports holds the table of folders to mayImport. It leaves out
// fingerprint and rawjson where they say little, and what scripts are made of.
func TestDesignHasImports(t *testing.T) {
	said := map[string][]string{}
	for _, row := range docTable(t, "design.md", "## Shape", "folder") {
		said[strings.TrimSuffix(row[0], "/")] = strings.Split(row[2], ", ")
	}
	much := func(name string) bool { return name != "fingerprint" && name != "fingerprint/rawjson" }
	for dir, allowed := range mayImport {
		names, ok := said[dir]
		if strings.HasPrefix(dir, "scripts/") || slices.Equal(names, []string{"all"}) {
			continue
		}
		if !ok {
			t.Errorf("no row for %s", dir)
		}
		for _, name := range allowed {
			if much(name) && !slices.Contains(names, name) {
				t.Errorf("%s: imports %s, too", dir, name)
			}
		}
		for _, name := range names {
			if _, ours := mayImport[name]; ours && !slices.Contains(allowed, name) {
				t.Errorf("%s: does not import %s", dir, name)
			}
		}
	}
}

// TestDesignNames: files, types, functions and variables that design.md names
// are there.
func TestDesignNames(t *testing.T) {
	var files []string
	words := map[string]bool{}
	word := regexp.MustCompile(`\w+`)
	walk(t, func(name string) {
		files = append(files, "/"+name)
		if path.Ext(name) == ".go" {
			for _, w := range word.FindAllString(read(t, filepath.Join(root, name)), -1) {
				words[w] = true
			}
		}
	})
	file, name := regexp.MustCompile(`^[\w/.-]+\.(go|js|css|sh|yaml)$`), regexp.MustCompile(`^(?:([a-z]\w*)\.)?([A-Z]\w*(?:\.\w+)?|[a-z]+[A-Z]\w*)$`)
	ours := func(p string) bool {
		for dir := range mayImport {
			if p == "" || p == path.Base(dir) {
				return true
			}
		}
		return false
	}
	n := 0
	for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(read(t, filepath.Join(docs, "design.md")), -1) {
		is := name.FindStringSubmatch(m[1])
		switch {
		case file.MatchString(m[1]):
			n++
			if !slices.ContainsFunc(files, func(f string) bool { return strings.HasSuffix(f, "/"+m[1]) }) {
				t.Errorf("design.md: there is no file %s", m[1])
			}
		case is != nil && ours(is[1]):
			n++
			for part := range strings.SplitSeq(is[2], ".") {
				if !words[part] {
					t.Errorf("design.md: nothing is called %s", m[1])
				}
			}
		}
	}
	if n < 80 {
		t.Errorf("%d names found", n)
	}
}

func TestDependenciesAreLeaves(t *testing.T) {
	in := map[string][]string{} // packages by the dependency that they import
	for _, s := range sources(t) {
		for _, name := range s.imports() {
			if host, _, _ := strings.Cut(name, "/"); !strings.Contains(host, ".") || host == "golang.org" || strings.HasPrefix(name, module+"/") {
				continue // of Go, or ours
			}
			known := false
			for dependency, allowed := range leaves {
				if name == dependency || strings.HasPrefix(name, dependency+"/") {
					known, in[dependency] = true, append(in[dependency], s.dir)
					if !slices.Contains(allowed, s.dir) {
						t.Errorf("%s imports %s; only %v may", s.dir, name, allowed)
					}
				}
			}
			if !known {
				t.Errorf("%s imports %s: a new dependency, add it to leaves", s.dir, name)
			}
		}
	}
	for dependency, allowed := range leaves {
		for _, dir := range allowed {
			if !slices.Contains(in[dependency], dir) {
				t.Errorf("%s does not import %s: take it out of leaves", dir, dependency)
			}
		}
	}
}

// TestCoreReadsNothing keeps clock, environment, files, network and chance out
// of the core.
func TestCoreReadsNothing(t *testing.T) {
	imports := []string{"os", "io/fs", "io/ioutil", "path/filepath", "syscall", "net", "math/rand", "math/rand/v2", "crypto/rand", "log", "log/slog", "runtime", "unique", "embed", "plugin"}
	clock := []string{"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer", "Sleep", "LoadLocation", "Local"}
	for _, s := range sources(t) {
		if !slices.Contains(core, s.dir) {
			continue
		}
		for _, name := range s.imports() {
			if slices.Contains(imports, name) || strings.HasPrefix(name, "os/") || strings.HasPrefix(name, "net/") {
				t.Errorf("%s imports %s", s.dir, name)
			}
		}
		for _, f := range s.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(clock, sel.Sel.Name) {
						t.Errorf("%s: uses time.%s", s.fset.Position(sel.Pos()), sel.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

// TestCoreRangesOverNoMap: a map's order may decide nothing, and the only way
// to be sure of it is not to have one. Where all entries are treated alike, a
// comment "any order: why" on the line or above it says so.
func TestCoreRangesOverNoMap(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("type-checks the standard library from source")
	}
	list := sources(t)
	std := importer.ForCompiler(list[0].fset, "source", nil) // one, which checks each package once
	for _, s := range list {
		if !slices.Contains(core, s.dir) {
			continue
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: std}
		if _, err := config.Check(module+"/"+s.dir, s.fset, s.files, info); err != nil {
			t.Errorf("%s: %v", s.dir, err)
			continue
		}
		for _, f := range s.files {
			excused := map[int]bool{} // lines
			for _, group := range f.Comments {
				for _, c := range group.List {
					if strings.Contains(c.Text, "any order: ") {
						line := s.fset.Position(c.Pos()).Line
						excused[line], excused[s.fset.Position(group.End()).Line+1] = true, true
					}
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.RangeStmt:
					if _, ok := info.Types[n.X].Type.Underlying().(*types.Map); ok && !excused[s.fset.Position(n.Pos()).Line] {
						t.Errorf("%s: ranges over a map", s.fset.Position(n.Pos()))
					}
				case *ast.SelectorExpr:
					if o := info.Uses[n.Sel]; o != nil && o.Pkg() != nil && o.Pkg().Path() == "maps" && !excused[s.fset.Position(n.Pos()).Line] {
						t.Errorf("%s: maps.%s has the order of a map", s.fset.Position(n.Pos()), n.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

// TestSerialStartsNothing: the race detector leaves out packages in which it could
// find nothing.
func TestSerialStartsNothing(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(makefile), "\nSERIAL := ")
	list, _, _ = strings.Cut(list, "\n")
	if list == "" {
		t.Fatal("no list SERIAL in the Makefile")
	}
	for dir := range strings.FieldsSeq(list) {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		fset := token.NewFileSet()
		for _, file := range files {
			f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				_, starts := n.(*ast.GoStmt)
				if sel, ok := n.(*ast.SelectorExpr); starts || ok && (sel.Sel.Name == "Parallel" || sel.Sel.Name == "Go") {
					t.Errorf("%s: starts a goroutine: take %s out of SERIAL in the Makefile", fset.Position(n.Pos()), dir)
				}
				return true
			})
		}
	}
}

// TestExportedIsDocumented wants a comment on every package and on every
// exported identifier outside the commands.
func TestExportedIsDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if !slices.ContainsFunc(s.files, func(f *ast.File) bool { return f.Doc != nil }) {
			t.Errorf("%s: package has no comment", s.dir)
		}
		if s.files[0].Name.Name == "main" {
			continue
		}
		documented := map[string]bool{} // types
		for _, f := range s.files {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
					for _, spec := range d.Specs {
						spec := spec.(*ast.TypeSpec)
						documented[spec.Name.Name] = d.Doc != nil || spec.Doc != nil || spec.Comment != nil
					}
				}
			}
		}
		missing := func(n ast.Node, name string) {
			t.Errorf("%s: %s has no comment", s.fset.Position(n.Pos()), name)
		}
		for _, f := range s.files {
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Doc == nil && ast.IsExported(d.Name.Name) && exportedReceiver(d) && !saysItself(d) {
						missing(d, d.Name.Name)
					}
				case *ast.GenDecl:
					kind := "" // type of the constants in the making
					for _, spec := range d.Specs {
						switch spec := spec.(type) {
						case *ast.TypeSpec:
							if ast.IsExported(spec.Name.Name) && !documented[spec.Name.Name] {
								missing(spec, spec.Name.Name)
							}
						case *ast.ValueSpec:
							if id, ok := spec.Type.(*ast.Ident); ok {
								kind = id.Name
							}
							// The values of a documented type are documented by it.
							if d.Doc != nil || spec.Doc != nil || spec.Comment != nil || d.Tok == token.CONST && documented[kind] {
								continue
							}
							for _, id := range spec.Names {
								if id.IsExported() {
									missing(id, id.Name)
								}
							}
						}
					}
				}
			}
		}
	}
}

// exportedReceiver reports whether d is a function, or a method of an exported
// type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	exported := true
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && exported {
			exported = id.IsExported()
			return false
		}
		return true
	})
	return exported
}

// saysItself reports whether d is a method that an interface of the standard
// library has explained.
func saysItself(d *ast.FuncDecl) bool {
	return d.Recv != nil && slices.Contains([]string{"String", "Error", "Unwrap", "Len", "Less", "Swap"}, d.Name.Name)
}

// TestNoForeignPlaces: what is committed names no place on the machine where
// it was written. Logs and what is compared with them stay as they came.
func TestNoForeignPlaces(t *testing.T) {
	// Put together here, or the test would find itself.
	places := []string{"/" + "work/", "/" + "root/", "/" + "home/", "proxy." + "golang.org", "pypi." + "org", "pythonhosted." + "org"}
	temporary := "/" + "tmp/"
	texts := 0
	walk(t, func(name string) {
		if data := strings.HasPrefix(name, "fixtures/") && path.Ext(name) != ".md"; data || strings.Contains(name, "testdata/") {
			return
		}
		text := read(t, filepath.Join(root, filepath.FromSlash(name)))
		if strings.Contains(text, "\x00") {
			return // a program that was built here
		}
		texts++
		for _, place := range places {
			if strings.Contains(text, place) {
				t.Errorf("%s names %s", name, place)
			}
		}
		if strings.Contains(text, temporary) {
			t.Errorf("%s names %s: use t.TempDir, mktemp or .cache", name, temporary)
		}
	})
	if texts < 10 {
		t.Fatalf("only %d texts found below %s", texts, root)
	}
}

// TestEveryFixtureIsIndexed: fixtures/README.md says of every folder where it
// is from and under which licence, and the folder's own of every file.
func TestEveryFixtureIsIndexed(t *testing.T) {
	index := read(t, filepath.Join(root, "fixtures", "README.md"))
	folders, err := os.ReadDir(filepath.Join(root, "fixtures"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if f.IsDir() && !strings.Contains(index, "| ["+f.Name()+"/](") {
			t.Errorf("fixtures/README.md does not list %s/", f.Name())
		}
	}

	walk(t, func(name string) {
		rest, ok := strings.CutPrefix(name, "fixtures/")
		folder, file, ok2 := strings.Cut(rest, "/")
		if !ok || !ok2 || strings.HasPrefix(path.Base(file), "LICENSE") || path.Base(file) == "README.md" {
			return
		}
		about := read(t, filepath.Join(root, "fixtures", folder, "README.md"))
		if !slices.ContainsFunc(strings.Split(about, "`"), func(word string) bool {
			match, err := path.Match(word, file)
			return err == nil && match || strings.HasSuffix(word, "/") && strings.HasPrefix(file, word) || word == path.Base(file)
		}) {
			t.Errorf("fixtures/%s/README.md does not say what %s is", folder, file)
		}
	})
}
