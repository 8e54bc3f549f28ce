package parquet

import (
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func document(t *testing.T) string {
	t.Helper()
	return string(load(t, "../../docs/output.md"))
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
				break // or all below it would be told, too
			}
		}
		if len(rows) != len(want) {
			t.Errorf("%s: %d rows for %d columns", name, len(rows), len(want))
		}
	}
}
