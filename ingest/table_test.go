package ingest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fixtures"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// copying is how PostgreSQL's COPY writes a text.
var copying = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`)

// TestTables: rows of an export whose first line names the columns are read as the
// JSON of the same rows, however a database writes them.
func TestTables(t *testing.T) {
	for format, file := range map[string]string{
		"litellm-spend": "litellm-spend/rows.jsonl", "nginx-json": "nginx-json/wide_all.log.zst",
	} {
		var rows []map[string]json.RawMessage
		columns := map[string]bool{}
		var lines []string
		for line := range bytes.Lines(fixtures.Read(t, "formats/"+file)) {
			var row map[string]json.RawMessage
			if json.Unmarshal(line, &row) != nil {
				continue
			}
			rows, lines = append(rows, row), append(lines, string(line))
			for name := range row {
				columns[name] = true
			}
		}
		if len(rows) < 20 {
			t.Fatalf("%s: %d rows", file, len(rows))
		}
		names := slices.Sorted(maps.Keys(columns))
		cells := func(row map[string]json.RawMessage) (cells []string) {
			for _, name := range names {
				var text string
				if json.Unmarshal(row[name], &text) != nil && string(row[name]) != "null" {
					text = string(row[name])
				}
				cells = append(cells, text)
			}
			return cells
		}
		want := read(t, []byte(strings.Join(lines, "")), Options{})
		check := func(how, log string) {
			t.Helper()
			for _, o := range []Options{{}, {blockSize: 3_000}, {Format: formats.ByName("table+" + format)}, {Format: formats.ByName(format)}} {
				got := read(t, []byte(log), o)
				if got.format != "table+"+format || got.tally.Blank != want.tally.Blank+1 || got.tally.Malformed != 0 {
					t.Errorf("%s %s: %s %+v", format, how, got.format, got.tally)
				}
				if diff := cmp.Diff(want.requests, got.requests); diff != "" {
					t.Fatalf("%s %s (-want +got):\n%.2000s", format, how, diff)
				}
			}
		}
		for _, separator := range ",;" {
			var b bytes.Buffer
			w := csv.NewWriter(&b)
			w.Comma = separator
			must(t, w.Write(names))
			for _, row := range rows {
				must(t, w.Write(cells(row)))
			}
			w.Flush()
			check(fmt.Sprintf("by %c", separator), b.String())
			check(fmt.Sprintf("by %c with CRLF", separator), strings.ReplaceAll(b.String(), "\n", "\r\n"))
		}
		log := strings.Join(names, "\t") + "\n"
		for _, row := range rows {
			list := cells(row)
			for i := range list {
				if list[i] = copying.Replace(list[i]); list[i] == "" {
					list[i] = `\N`
				}
			}
			log += strings.Join(list, "\t") + "\n"
		}
		check("copied", log)
	}
}

// TestCopied: COPY doubles the backslashes of JSON, which not every line has.
func TestCopied(t *testing.T) {
	lines := strings.SplitAfter(string(fixtures.Read(t, "formats/litellm-spend/rows.jsonl")), "\n")
	want := read(t, []byte(strings.Join(lines, "")), Options{})
	log := strings.ReplaceAll(strings.Join(lines, ""), `\`, `\\`)
	if got := read(t, []byte(log), Options{}); got.format != "copied+litellm-spend" || got.tally != want.tally || !slices.Equal(got.requests, want.requests) {
		t.Errorf("%s %+v, want %+v", got.format, got.tally, want.tally)
	}
	if got := read(t, []byte(strings.Join(lines, "")), Options{}); got.format != "litellm-spend" {
		t.Errorf("%s", got.format)
	}
	// So do loggers that escape what they are told, such as morgan a token of JSON.
	escaped := ""
	for _, line := range lines {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			escaped += strings.Trim(quote(line), `"`) + "\n"
		}
	}
	if got := read(t, []byte(escaped), Options{}); got.format != "copied+litellm-spend" || got.tally != want.tally || !slices.Equal(got.requests, want.requests) {
		t.Errorf("%s %+v, want %+v", got.format, got.tally, want.tally)
	}
	// A client's text that a logger does not escape says nothing of the others.
	hostile := `{"startTime":"2026-11-21 10:00:00","request_id":"x","spend":1,"user":"a\\"b\\""}` + "\n"
	if got := read(t, []byte(hostile+strings.Join(lines, "")), Options{}); got.format != "litellm-spend" || got.tally.Malformed != 1 {
		t.Errorf("%s %+v", got.format, got.tally)
	}
}

// TestTableOfMaps: objects and lists are read as ClickHouse and pandas write them.
func TestTableOfMaps(t *testing.T) {
	want := read(t, []byte(`{"request_id":"q","request_created_at":"2026-11-21 03:27:45","request_properties":{"Helicone-Session-Id":"s1","Who":"it's"},`+
		`"request_body":{"messages":[{"role":"user","content":"it's \"so\""}],"stream":true},"response_body":"['"}`+"\n"), Options{})
	got := read(t, []byte("request_id,request_created_at,request_properties,request_body,response_body\n"+
		`q,2026-11-21 03:27:45,"{'Helicone-Session-Id':'s1','Who':'it\'s'}","{'messages': [{'role': 'user', 'content': 'it\'s ""so""'}], 'stream': True}",['`+"\n"), Options{})
	if got.format != "table+helicone" || !strings.Contains(got.requests[0], "s1") {
		t.Errorf("%s %q", got.format, got.requests)
	}
	if diff := cmp.Diff(want.requests, got.requests); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNoTables: a row with another number of values is malformed, and what begins
// with words is no table for that.
func TestNoTables(t *testing.T) {
	const head = "startTime,request_id,spend,model\n"
	got := read(t, []byte(head+"2026-11-21 10:00:00+00,a,1,m\n2026-11-21 10:00:01 UTC,b,1\n2026-11-21 10:00:02.5 Z,c,1,m,5\n2026-11-21 12:00:00 +0200,d,1,\"m\nn\"\n"), Options{})
	if want := (Tally{Lines: 6, Blank: 2, Malformed: 2}); got.format != "table+litellm-spend" || got.tally != want || len(got.requests) != 2 {
		t.Errorf("%s %+v %q, want %+v", got.format, got.tally, got.requests, want)
	}
	for i, r := range got.requests {
		if !strings.HasPrefix(r, "1795255200000000 ") {
			t.Errorf("request %d is %s", i, r)
		}
	}
	for _, log := range []string{"one,two,three\n1,2,3\n", "startTime request_id spend\n", "startTime,request_id\n1,2\n"} {
		if got := Detect([]byte(log)); got != nil {
			t.Errorf("%q is %s", log, got.Name)
		}
	}
	for letters, is := range map[int]bool{128: true, 129: false} { // of a name of a column
		if got := Detect([]byte("startTime,request_id,spend," + strings.Repeat("é", letters) + "\n2026-11-21 10:00:00,a,1,m\n")); (got != nil) != is {
			t.Errorf("with a column of %d letters it is %v", letters, got)
		}
	}
}

// TestHostileTable: a column of bodies that clients sent makes no other log of it.
func TestHostileTable(t *testing.T) {
	log := "startTime,request_id,spend,body\n" + strings.Repeat(`2026-11-21 10:00:00,a,1,"{""model"":""m""}"`+"\n", 9) +
		`2026-11-21 10:00:00,a,1,"{""time"":1,""model"":""m""}"` + "\n"
	if got := read(t, []byte(log), Options{}); got.format != "table+litellm-spend" || got.tally.Malformed != 0 {
		t.Errorf("%s %+v", got.format, got.tally)
	}
	// As do most of them, and all.
	f := func(head, row, want string) {
		t.Helper()
		if got := Detect([]byte(head + "\n" + strings.Repeat(row+"\n", 9))); got == nil || got.Name != want {
			t.Errorf("%s of %s is %v, want %s", row, head, got, want)
		}
	}
	const row, span = `2026-11-21T10:00:00Z,a,1,`, `"{""resourceSpans"":[],""model"":""m""}"`
	f("startTime,request_id,spend,body", row+span, "table+litellm-spend")
	f("time,method,status,body", "2026-11-21T10:00:00Z,POST,200,"+span, "table+loopgauge")
	f("startTime,level,spend,message", row+span, "csv+otel") // no gateway's
	f("time,id,status,message", row+span, "csv+otel")        // what is around a line
}

// TestTablesThatWereCut: what is left of a row whose quotes are not closed, and of a
// value that ends in the middle of what was escaped. Where that is done, no quotes are.
func TestTablesThatWereCut(t *testing.T) {
	const head, row = "startTime,request_id,spend,model\n", "2026-11-21 10:00:00,a,1,m\n"
	got := read(t, []byte(head+row+"2026-11-21 10:00:01,b,1,\"m\n\n n\n"+row), Options{})
	if want := (Tally{Lines: 6, Blank: 2, Malformed: 2}); got.format != "table+litellm-spend" || got.tally != want || len(got.requests) != 2 {
		t.Errorf("%s %+v %q, want %+v", got.format, got.tally, got.requests, want)
	}
	log := strings.ReplaceAll(head+row, ",", "\t") + "2026-11-21 10:00:00\ta\t1\t\"m\n" + `2026-11-21 10:00:01	{"a":"\\n"}	1	\` + "\n"
	log += `2026-11-21 10:00:02	{"a":"\\"b\\""}	1	m` + "\n"
	got = read(t, []byte(log), Options{})
	if want := (Tally{Lines: 5, Blank: 1}); got.format != "table+litellm-spend" || got.tally != want || len(got.requests) != 4 {
		t.Errorf("%s %+v %q, want %+v", got.format, got.tally, got.requests, want)
	}
}

// TestTablesOfOneRun: each table has columns of its own, also in the lines of one
// reader.
func TestTablesOfOneRun(t *testing.T) {
	rd := NewReader(fingerprint.AllFields)
	for _, log := range []string{
		"startTime,request_id,spend\n2026-11-21 10:00:00,a,1\n", "request_id\tspend\tstartTime\na\t1\t2026-11-21 10:00:00\n",
	} {
		b := &Block{Format: Detect([]byte(log)), Data: []byte(log), Line: 1, MaxLine: DefaultMaxLine}
		got := ""
		rd.Read(b, func(r *fingerprint.Request) { got += fmt.Sprintf("%s %d %v;", r.ID, r.Time, r.Cost) }, nil)
		if want := "a 1795255200000000 1;"; got != want {
			t.Errorf("%q is %s, want %s", log, got, want)
		}
	}
}

// TestTableOfAzure: the portal puts the zone of a time into the name of its column, and
// writes times as Americans do.
func TestTableOfAzure(t *testing.T) {
	log := "timestamp [UTC],id,success,duration,customDimensions,operation_Id\n" +
		"\"9/3/2026, 5:29:42.893 PM\",c1,True,500.5,\"{\"\"gen_ai.operation.name\"\":\"\"chat\"\"}\",t\n"
	got := read(t, []byte(log), Options{})
	want := []string{`1788456582893000 1788456583393500    "" [] -1`}
	if got.format != "table+otel" || got.tally.Blank != 1 || !slices.Equal(got.requests, want) {
		t.Fatalf("%s %+v %q, want %q", got.format, got.tally, got.requests, want)
	}

	// Of another format, which reads no such times itself.
	rows := fixtures.Read(t, "formats/azure-apim/documented.jsonl")
	names := []string{"TimeGenerated", "CorrelationId", "SequenceNumber", "DeploymentName", "RequestMessages", "ResponseMessages"}
	table := "TimeGenerated [UTC]," + strings.Join(names[1:], ",") + "\n"
	for line := range bytes.Lines(rows) {
		var row map[string]any
		must(t, json.Unmarshal(line, &row))
		at, err := time.Parse(time.RFC3339, row["TimeGenerated"].(string))
		must(t, err)
		cells := []string{at.Format("1/2/2006, 3:04:05.000 PM")}
		for _, name := range names[1:] {
			cell := ""
			switch v := row[name].(type) {
			case nil:
			case string, float64:
				cell = fmt.Sprint(v)
			default:
				text, err := json.Marshal(v)
				must(t, err)
				cell = string(text)
			}
			cells = append(cells, cell)
		}
		for i, cell := range cells {
			cells[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		table += strings.Join(cells, ",") + "\n"
	}
	read1, read2 := read(t, rows, Options{}), read(t, []byte(table), Options{})
	if read2.format != "table+rows+azure-apim" || len(read2.requests) == 0 || len(read1.requests) != len(read2.requests) {
		t.Fatalf("%s: %d requests, want %d", read2.format, len(read2.requests), len(read1.requests))
	}
	for i, r := range read1.requests {
		want, _, _ := strings.Cut(r, " ")
		if got, _, _ := strings.Cut(read2.requests[i], " "); got != want {
			t.Errorf("request %d: time %s, want %s", i, got, want)
		}
	}
}
