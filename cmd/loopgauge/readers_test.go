package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/loopgauge/loopgauge/replay"
)

// tau2Log is a log of agents of a year, with loops.
var tau2Log = filepath.Join(fixtures, "tau2/tau2_litellm.jsonl.zst")

// tau2Dataset is what replay makes of it, with every verdict and the sweep of
// the shorter one.
func tau2Dataset(t *testing.T) (dir string, doc replay.Document) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "out")
	unmarshal(t, loopgauge(t, "", "replay", "--json", "--all-verdicts", "--out", dir, tau2Log), &doc)
	tuned := filepath.Join(t.TempDir(), "tuned")
	loopgauge(t, "", "tune", "--quiet", "--json", "--out", tuned, filepath.Join(fixtures, "tau2/agents.jsonl.zst"))
	if err := os.Rename(filepath.Join(tuned, "sweep"), filepath.Join(dir, "sweep")); err != nil {
		t.Fatal(err)
	}
	return dir, doc
}

// pythonOf is the interpreter with the analysts' tools.
func pythonOf(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts Python; not with -short")
	}
	python := os.Getenv("LOOPGAUGE_PYTHON")
	if python == "" {
		t.Fatal("LOOPGAUGE_PYTHON does not name a Python with DuckDB: run make test, or go test -short")
	}
	return python
}

// pathLeaf is a leaf of a table: its name, its path, and what kind of value it
// has.
type pathLeaf [3]any

// pathLeaves are the leaves of a table, by one of its files.
func pathLeaves(t *testing.T, dir, table string) (list []pathLeaf) {
	t.Helper()
	var file string
	for _, pattern := range []string{"*.parquet", "*/*.parquet"} {
		if found, _ := filepath.Glob(filepath.Join(dir, table, pattern)); len(found) > 0 {
			file = found[0]
		}
	}
	data := read(t, file)
	f, err := parquet.OpenFile(strings.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range f.Schema().Columns() {
		leaf, _ := f.Schema().Lookup(column...)
		path := strings.Split(strings.ReplaceAll(strings.Join(column, "."), ".list.element", "[]"), ".")
		kind := "int"
		switch name := leaf.Node.Type().String(); {
		case name == "STRING":
			kind = "text"
		case name == "DOUBLE":
			kind = "double"
		case name == "BOOLEAN":
			kind = "bool"
		case strings.HasPrefix(name, "TIMESTAMP"):
			kind = "time"
		}
		list = append(list, pathLeaf{table, path, kind})
	}
	return list
}

// TestReaders opens the dataset with what analysts use, as it is, reads every
// column of it, and wants the same from all.
func TestReaders(t *testing.T) {
	python := pythonOf(t)
	t.Parallel()
	dir, doc := tau2Dataset(t)
	var leaves []pathLeaf
	for _, table := range []string{"events", "verdicts", "episodes", "sweep", "run"} {
		leaves = append(leaves, pathLeaves(t, dir, table)...)
	}
	asked, err := json.Marshal(leaves)
	if err != nil {
		t.Fatal(err)
	}
	// What a watch is writing, or was when it was killed, is none of theirs.
	write(t, filepath.Join(dir, "events", "date=2025-11-26", ".events.parquet.1.tmp"), "PAR1")
	read := func(t *testing.T, python, program string) map[string]any {
		t.Helper()
		c := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "readers", program+".py"), dir)
		temporary := t.TempDir() // Java's own would keep a library of each run that is ended
		c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "TMPDIR="+temporary, "SPARK_LOCAL_IP=127.0.0.1", "SPARK_LOCAL_DIRS="+temporary, "JDK_JAVA_OPTIONS=-Djava.io.tmpdir="+temporary)
		c.Stdin = bytes.NewReader(asked)
		var errs bytes.Buffer
		c.Stderr = &errs
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, errs.String())
		}
		var summary map[string]any
		unmarshal(t, string(out), &summary)
		return summary
	}
	want := read(t, python, "with_duckdb")
	sum := func(leaf string, count, sum int64) {
		t.Helper()
		if diff := cmp.Diff([]any{float64(count), float64(sum)}, want[leaf]); diff != "" {
			t.Errorf("%s: - want, + DuckDB\n%s", leaf, diff)
		}
	}
	if len(want) != len(leaves)+3 || len(leaves) < 120 {
		t.Errorf("%d answers for %d leaves", len(want), len(leaves))
	}
	sum("run.judged", 1, doc.Rules[0].Judged)
	var after int64
	for _, e := range doc.Episodes {
		after += e.RequestsAfter
	}
	sum("episodes.requests_after", int64(len(doc.Episodes)), after)
	for _, reader := range []struct{ name, python, program string }{
		{"chdb", python, "with_chdb"},
		{"Polars", python, "with_polars"},
		{"pyarrow", python, "with_pyarrow"},
		{"pandas", python, "with_pandas"},
		{"PySpark 3", "../../.cache/spark3/bin/python", "with_pyspark"},
		{"PySpark 4", "../../.cache/spark4/bin/python", "with_pyspark"},
	} {
		t.Run(reader.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, read(t, reader.python, reader.program)); diff != "" {
				t.Errorf("- DuckDB, + %s\n%s", reader.name, diff)
			}
		})
	}
}
