package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// writtenTimes are ways to write a time, as programs do.
var writtenTimes = []func(time.Time) string{
	layout(time.RFC3339), layout("2006-01-02T15:04:05.000Z07:00"), layout("2006-01-02 15:04:05"), layout("2006-01-02 15:04:05,000"), layout("2006/01/02 15:04:05"),
	layout("02/Jan/2006:15:04:05 -0700"), layout("Mon, 02 Jan 2006 15:04:05 GMT"), layout("Mon Jan _2 15:04:05 2006"), layout("02.01.2006 15:04:05"), layout("2006-01-02 15:04:05 UTC"),
	func(t time.Time) string { return fmt.Sprint(t.Unix()) },
	func(t time.Time) string { return fmt.Sprint(t.UnixMilli()) },
	func(t time.Time) string { return fmt.Sprint(t.UnixNano()) },
	func(t time.Time) string { return fmt.Sprintf("%d.%03d", t.Unix(), t.Nanosecond()/1e6) },
}

func layout(l string) func(time.Time) string { return func(t time.Time) string { return t.Format(l) } }

// logOf writes a log of a shape that no gateway has: its lines, and the one that
// names columns.
type logOf struct {
	name  string
	lines func(t *rapid.T, times []string) (lines []string, header int)
}

var shapesOfLogs = []logOf{
	{"json", func(t *rapid.T, times []string) (lines []string, _ int) {
		path := rapid.SliceOfN(rapid.SampledFrom([]string{"meta", "ts", "time", "event", "logged-at", "it's", "a.b", "x y", "@t", "données"}), 1, 6).Draw(t, "path")
		asNumber := rapid.Bool().Draw(t, "number")
		inText := rapid.Bool().Draw(t, "in a text")
		for i, at := range times {
			value := quoteJSON(at)
			if asNumber && json.Valid([]byte(at)) {
				value = at
			}
			for k, name := range slices.Backward(path) {
				value = fmt.Sprintf(`{"n%d":%d,%s:%s,"note":"said, \"so\""}`, k, i, quoteJSON(name), value)
				if inText && k == 1 {
					value = quoteJSON(value)
				}
			}
			lines = append(lines, value)
		}
		return lines, 0
	}},
	{"array", func(t *rapid.T, times []string) (lines []string, _ int) {
		for _, at := range times {
			lines = append(lines, fmt.Sprintf(`{"meta":{"ts":%s},"events":[{"kind":"call"}]}`, quoteJSON(at)))
		}
		return []string{"[" + strings.Join(lines, ",") + "]"}, 0
	}},
	{"csv", func(t *rapid.T, times []string) (lines []string, header int) {
		separator := rapid.SampledFrom([]string{",", ";", "\t", "|"}).Draw(t, "separator")
		quoted := rapid.Bool().Draw(t, "quoted")
		first := rapid.SampledFrom([]string{"r1", ""}).Draw(t, "first")
		note := rapid.SampledFrom([]string{"n/a", "said:\n\n{\"over\": 3 lines}"}).Draw(t, "note")
		names := []string{"id", "Created At", "session_id", "request_body"}
		at := rapid.IntRange(0, len(names)).Draw(t, "column")
		cell := func(text string) string {
			if quoted || strings.ContainsAny(text, separator+"\"\n") {
				return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
			}
			return text
		}
		line := func(cells []string) {
			for i, c := range cells {
				cells[i] = cell(c)
			}
			lines = append(lines, strings.Join(cells, separator))
		}
		line(slices.Insert(slices.Clone(names), at, "when"))
		for _, when := range times {
			line(slices.Insert([]string{first, note, "s-1", `{"model":"m, \"x\"","messages":[]}`}, at, when))
		}
		return lines, 1 + len(times)*strings.Count(note, "\n")
	}},
	{"text", func(t *rapid.T, times []string) (lines []string, _ int) {
		shape := rapid.SampledFrom([]string{
			"[%s] INFO request done", "[%s][INFO ][gw.main] done x=1", "%s INFO [req-1] POST /v1/chat/completions 200 12ms", `INFO [%s] session=s model="m"`,
			"%s level=info model=m", `level=info time="%s" msg="a \"b\" c"`, `[info] %s "GET /x?a=b HTTP/1.1" 200 - 0.5s`, `%s | INFO | gw:12 - {"model": "m", "messages": []}`,
			`[%s] {"model":"m"}`, `(worker 3) [%s]: call session-id=s body={"a": 1}`,
			"host:h\ttime:%s\tstatus:200\treq:GET /x", "time:[%s]\tmethod:POST\turi:/x:y",
		}).Draw(t, "shape")
		for _, at := range times {
			lines = append(lines, fmt.Sprintf(shape, at))
		}
		return lines, 0
	}},
}

func quoteJSON(text string) string { return string(rawjson.AppendString(nil, []byte(text))) }

// TestScaffoldReads: the file that a log was made into a format by reads that
// log: every line, with its time, which is when a call was over where the line says how
// long it took.
func TestScaffoldReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SampledFrom(shapesOfLogs).Draw(t, "log")
		written := rapid.SampledFrom(writtenTimes).Draw(t, "times")
		start := rapid.Int64Range(1_600_000_000, 1_900_000_000).Draw(t, "start")
		var times []string
		var want []int64
		for i := range rapid.IntRange(1, 20).Draw(t, "lines") {
			at := time.Unix(start+int64(i)*86_400*17, 0).UTC() // so that no day is always a month, too
			times, want = append(times, written(at)), append(want, at.UnixMicro())
		}
		lines, header := shape.lines(t, times)
		log := []byte(strings.Join(lines, "\n") + "\n")

		text, err := formats.Scaffold(log)
		if err != nil {
			t.Fatal(err)
		}
		c, err := parseCustom("begun.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, text, log)
		}
		var got []int64
		tally := ingest.NewReader(fingerprint.AllFields).Read(&ingest.Block{Format: formats.NewCustom(c), Data: bytes.Clone(log), Line: 1},
			func(r *fingerprint.Request) {
				at := r.Time
				if r.End != fingerprint.NoTime {
					at = r.End
				}
				got = append(got, at)
			}, nil)
		if tally.Malformed != 0 || tally.Blank != int64(header) || !slices.Equal(got, want) {
			t.Fatalf("%+v, %v\nwant %v\n%s\n%s", tally, got, want, text, log)
		}
	})
}

// FuzzScaffold: whatever the log, the file begun for it is a format if there is a time,
// and what it says of jq ends with the line.
func FuzzScaffold(f *testing.F) {
	for _, log := range []string{
		`{"timestamp":"2026-11-21T10:00:00Z","latency":8,"a.b":{"type":"llm"},"x'y":[{"at":"2026-11-21T10:00:00Z"}]}` + "\n" + `{"a.b":{"type":"tool"}}`,
		`[{"ts":1795255200123,"it's kind":"$(chat)","spans":"[{\"ts\":1795255200123}]"},{"ts":1795255200123,"it's kind":"chat"}]`,
		"a_3,a,a,when\n1,2,3,2026-11-21 10:00\n",
		"2026-11-21 10:00:00 a=b it's=\"x\" c: d, \u2028=e",
		"#Fields: date time c-ip x(y) x-y\n2026-11-21 10:00:00 a b c\n",
		"time:2026-11-21T10:00:00Z\ta-b:1\ta.b:2\ta_b:3\tt:[x]",
		"[GIN] 2026/11/21 - 10:00:00 | 200 |  1.25s |       127.0.0.1 | POST     \"/v1\"",
	} {
		f.Add([]byte(log))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		text, err := formats.Scaffold(log)
		if err != nil || !formats.HasTime(text) {
			return
		}
		if _, err := parseCustom("begun.yaml", text); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		for line := range bytes.Lines(text) {
			if bytes.HasPrefix(line, []byte("# jq ")) && bytes.Count(line, []byte("'")) != 2 {
				t.Errorf("%s", line)
			}
		}
	})
}
