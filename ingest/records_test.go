package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// TestReadRecords: what a record of a topic may hold, and where its requests
// are said to stand.
func TestReadRecords(t *testing.T) {
	f := func(format string, values []string, want string, tally Tally) {
		t.Helper()
		b := &Block{Stream: 2, Format: formats.ByName(format), MaxLine: 60}
		for i, v := range values {
			b.Data = append(b.Data, v...)
			b.Records = append(b.Records, Record{Offset: 100 + 10*int64(i), End: len(b.Data)})
		}
		rd := NewReader(fingerprint.AllFields)
		for range 2 { // another partition may have the same offsets
			var got []string
			n := rd.Read(b, func(r *fingerprint.Request) {
				got = append(got, fmt.Sprintf("%s@%d.%d", r.ID, r.Position.Offset, r.Position.Item))
			}, func(s Skip) {
				got = append(got, fmt.Sprintf("%s@%d:%d", strings.ReplaceAll(s.Why, " ", "-"), s.Line, s.Column))
			})
			if text := strings.Join(got, " "); text != want || n != tally {
				t.Errorf("%q:\ngot  %s %+v\nwant %s %+v", values, text, n, want, tally)
			}
		}
	}
	f("loopgauge", []string{`{"time":1,"id":"a"}`, `{"time":2,"id":"b"}` + "\n"}, "a@100.0 b@110.0", Tally{Lines: 2})
	// Several lines, an array, an array among lines, blank lines between.
	f("loopgauge", []string{`{"time":1,"id":"a"}` + "\n\r\n" + `{"time":2,"id":"b"}`, `{"time":3,"id":"c"}`}, "a@100.0 b@100.1 c@110.0", Tally{Lines: 3})
	f("loopgauge", []string{`[{"time":1,"id":"a"},{"time":2,"id":"b"}]`}, "a@100.0 b@100.1", Tally{Lines: 2})
	f("loopgauge", []string{`[{"time":1,"id":"a"},{"time":2,"id":"b"}]` + "\n" + `{"time":3,"id":"c"}`}, "a@100.0 b@100.1 c@100.2", Tally{Lines: 3})
	// One JSON text over several lines.
	f("loopgauge", []string{"{\n  \"time\": 1,\n  \"id\": \"a\"\n}\n"}, "a@100.0", Tally{Lines: 1})
	// Lines in wrappers, one of them with an array.
	f("cri+loopgauge", []string{"2026-11-21T10:00:00Z stdout F " + `[{"time":1},{"time":2}]` + "\n\n2026-11-21T10:00:00Z stdout F " + `{"time":3}`}, "@100.0 @100.1 @100.2", Tally{Lines: 3})
	// An empty value is a tombstone; it is counted.
	f("loopgauge", []string{"", `{"time":1,"id":"a"}`, " \n "}, "a@110.0", Tally{Lines: 3, Blank: 2})
	f("loopgauge", []string{"nonsense", `{"time":1,"id":"a"}`}, "expected-a-value@100:1 a@110.0", Tally{Lines: 2, Malformed: 1})
	f("loopgauge", []string{strings.Repeat("x", 61)}, "line-longer-than-the-limit:-see---max-line@100:0", Tally{Lines: 1, Malformed: 1})
	f("unknown", []string{"what", ""}, "no-known-log-format@100:0", Tally{Lines: 2, Malformed: 1, Blank: 1})
}
