package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlatforms: all compiles, with its tests, on the systems that no test runs on. Of
// what others wrote the declarations alone are read: to compile that takes minutes.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("starts no goroutine")
	}
	for _, system := range []string{"windows", "darwin"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			typesFit(t, system)
		})
	}
}

// goPackage is a package as go list has it. It comes behind what it imports.
type goPackage struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
}

func typesFit(t *testing.T, system string) {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap", module+"/...")
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	packages, err := list.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%v: %s", err, exit.Stderr)
	}
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	for d := json.NewDecoder(bytes.NewReader(packages)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // the go command writes that
			continue
		}
		known[p.ImportPath] = typesOf(t, &p, known)
	}
}

func typesOf(t *testing.T, p *goPackage, known map[string]*types.Package) *types.Package {
	t.Helper()
	files, set := []*ast.File{}, token.NewFileSet()
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	ours := strings.HasPrefix(p.ImportPath, module)
	config := types.Config{
		IgnoreFuncBodies: !ours,
		Sizes:            types.SizesFor("gc", "amd64"),
		Importer:         imports{p, known},
		Error: func(err error) {
			if ours {
				t.Error(err)
			}
		},
	}
	made, _ := config.Check(p.ImportPath, set, files, nil) // its errors were told
	return made
}

// imports finds what a package imports.
type imports struct {
	by    *goPackage
	known map[string]*types.Package
}

func (i imports) Import(path string) (*types.Package, error) {
	if mapped := i.by.ImportMap[path]; mapped != "" {
		path = mapped
	}
	if p := i.known[path]; p != nil {
		return p, nil
	}
	return nil, errors.New(path + " is not listed")
}
