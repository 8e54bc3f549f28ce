package parquet

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func document(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/output.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// columns are the columns of a schema with their types, as docs/output.md
// writes them.
func columns(list []parquet.Field, prefix string) (rows []string) {
	for _, f := range list {
		name := prefix + f.Name()
		element := parquet.Node(f)
		var kind string
		switch {
		case !f.Leaf():
			kind = "list"
			element = f.Fields()[0].Fields()[0]
		case f.Type().String() == "STRING":
			kind = "text"
		case strings.HasPrefix(f.Type().String(), "TIMESTAMP"):
			kind = "int64, timestamp UTC µs"
		default:
			kind = strings.ToLower(f.Type().Kind().String())
		}
		if f.Optional() {
			kind += ", null"
		}
		rows = append(rows, "| `"+name+"` | "+kind+" | ")
		if !f.Leaf() {
			rows = append(rows, columns(element.Fields(), name+".")...)
		}
	}
	return rows
}

// Every column has its row, in order, with its type; no row is of another.
func TestDocumentedColumns(t *testing.T) {
	for name, schema := range schemas {
		_, text, ok := strings.Cut(document(t), "\n### "+name+"\n")
		if !ok {
			t.Fatalf("no %s", name)
		}
		_, text, _ = strings.Cut(text, "\n|---|---|---|\n")
		text, _, _ = strings.Cut(text, "\n\n")
		rows := strings.Split(text, "\n")
		want := columns(schema.Fields(), "")
		for i, row := range want {
			if i >= len(rows) || !strings.HasPrefix(rows[i], row) {
				t.Errorf("%s: want a row %s", name, row)
			}
		}
		if len(rows) != len(want) {
			t.Errorf("%s: %d rows for %d columns", name, len(rows), len(want))
		}
	}
}

// The questions of the document have answers.
func TestDocumentedQuestions(t *testing.T) {
	python := pythonWithDuckDB(t)
	dir := t.TempDir()
	written(t, filepath.Join(dir, "out"))
	blocks := regexp.MustCompile("(?s)```sql\n(.*?);\n```").FindAllStringSubmatch(document(t), -1)
	want := []string{
		"ep-1|a|s|2|0|0.5\nep-2|b|None|0|None|None\n",
		"2026-11-20|model|1|1\n2026-11-20|path|1|1\n2026-11-21|model|1|0\n2026-11-21|path|1|0\n",
		"ep-1|2026-11-20 23:59:59.999999+00|r1|200|10\n",
		"9|2|1|1|2|1|2|a|0|0|2|1|0|[{'cause': no model, 'requests': 1}]|1|3|2|7\n",
	}
	if len(blocks) != len(want) {
		t.Fatalf("%d questions, %d answers", len(blocks), len(want))
	}
	for i, block := range blocks {
		const program = "import sys, duckdb\n" +
			"db = duckdb.connect()\n" +
			"db.execute(\"SET TimeZone = 'UTC'\")\n" +
			"for row in db.execute('SELECT COLUMNS(*)::VARCHAR FROM (' + sys.argv[1] + ')').fetchall():\n" +
			"    print(*row, sep='|')\n"
		c := exec.CommandContext(t.Context(), python, "-c", program, block[1])
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil || string(out) != want[i] {
			t.Errorf("%s\nsays, %v:\n%swant:\n%s", block[1], err, out, want[i])
		}
	}
}
