package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// What holds of every format; a new one is tested by standing in the table.

// TestParseAllocatesNothing: once buffers have grown, a line costs no
// allocation, whatever is read of it.
func TestParseAllocatesNothing(t *testing.T) {
	logs := fixtures(t)
	for _, f := range All {
		for name, lines := range logs[f.Name] {
			for _, reads := range []fingerprint.Field{0, fingerprint.ReadsMessages, fingerprint.AllFields} {
				var all [][]byte
				for _, line := range lines {
					all = append(all, records(line)...)
				}
				p := f.New(reads)
				var r fingerprint.Request
				batch, isBatch := p.(Batch)
				yield := func() bool { return true }
				run := func() {
					for _, record := range all {
						var why string
						if isBatch {
							_, why = batch.ParseEach(record, &r, yield)
						} else {
							r.Reset()
							_, why = p.Parse(record, &r)
						}
						if why != "" && why != NoRequest {
							t.Fatalf("%s: %s", name, why)
						}
					}
				}
				for range 20 { // until each of the arrays that are kept has had the longest
					run()
				}
				if n := testing.AllocsPerRun(3, run); n != 0 {
					t.Errorf("%s/%s, fields %b: %v allocations in %d records", f.Name, name, reads, n, len(all))
				}
			}
		}
	}
}

// TestUnreadFieldsChangeNothing: the costly fields may be left out, all others
// are the same whether they are or not.
func TestUnreadFieldsChangeNothing(t *testing.T) {
	logs := fixtures(t)
	for _, f := range All {
		for name, lines := range logs[f.Name] {
			cheap, full := f.New(0), f.New(fingerprint.AllFields)
			for _, line := range lines {
				for _, record := range records(line) {
					show := func(p Parser) (all string) {
						var r fingerprint.Request
						each(p, record, &r, func(column int, why string) {
							shown := r
							shown.Messages.Items, shown.ToolCalls, shown.Attributes = nil, nil, nil
							shown.Body, shown.BodyHash, shown.HasTools, shown.Messages.System = nil, nil, fingerprint.NotLogged, nil
							// Whether calls are logged may hang on whether messages are whole.
							shown.Lost, shown.ToolCallsLogged, shown.Messages.Tail = fingerprint.Computable, false, false
							all += render(&shown, column, why) + "\n"
						})
						return all
					}
					if x, y := show(cheap), show(full); x != y {
						t.Fatalf("%s/%s:\ncheap %s\nfull  %s", f.Name, name, x, y)
					}
				}
			}
		}
	}
}

// TestMembersHaveNoOrder: what ships logs may write members in another order,
// by the alphabet for example. Of a name given twice the last one counts, and
// what becomes of bodies and messages is not a matter of their order.
func TestMembersHaveNoOrder(t *testing.T) { readsAlike(t, "backwards", backwards) }

// TestLayoutSaysNothing: nor is it one of the blanks that somebody laid it out with.
func TestLayoutSaysNothing(t *testing.T) {
	readsAlike(t, "laid out", func(record rawjson.Value) []byte {
		var b bytes.Buffer
		if err := json.Indent(&b, record, "", "                "); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	})
}

// readsAlike wants of each record, written anew, what it says as it is.
func readsAlike(t *testing.T, how string, anew func(record rawjson.Value) []byte) {
	t.Helper()
	logs := fixtures(t)
	for _, f := range All {
		for name, lines := range logs[f.Name] {
			p := f.New(0)
			for n, line := range lines {
				if n == 60 {
					break
				}
				for _, record := range records(line) {
					if !json.Valid(record) {
						continue
					}
					show := func(record []byte) (all string) {
						var r fingerprint.Request
						each(p, record, &r, func(_ int, why string) {
							shown := r
							shown.Messages, shown.ToolCalls, shown.Attributes, shown.Body = fingerprint.Messages{}, nil, nil, nil
							all += render(&shown, 0, why) + "\n"
						})
						return all
					}
					if x, y := show(record), show(anew(record)); x != y {
						t.Errorf("%s/%s line %d:\nas it is  %s\n%-9s %s", f.Name, name, n+1, x, how, y)
					}
				}
			}
		}
	}
}

// backwards writes the members of all objects in v from the last to the first,
// but for names given twice.
func backwards(v rawjson.Value) []byte {
	var s rawjson.Scanner
	s.Reset(v)
	switch s.Kind() {
	case rawjson.Array:
		var out [][]byte
		for s.Array(); s.NextElement(); {
			out = append(out, backwards(orNull(s.Value())))
		}
		return slices.Concat([]byte("["), bytes.Join(out, []byte(",")), []byte("]"))
	case rawjson.Object:
		var out [][]byte
		names := map[string]bool{}
		for s.Object(); s.NextKey(); {
			names[string(s.Key)] = true
			out = append(out, append(append(rawjson.AppendString(nil, s.Key), ':'), backwards(orNull(s.Value()))...))
		}
		if len(names) == len(out) {
			slices.Reverse(out)
		}
		return slices.Concat([]byte("{"), bytes.Join(out, []byte(",")), []byte("}"))
	}
	return v
}

// TestParserKeepsNothing: what a parser read before decides nothing.
func TestParserKeepsNothing(t *testing.T) {
	logs := fixtures(t)
	for _, f := range All {
		for name, lines := range logs[f.Name] {
			used := f.New(fingerprint.AllFields)
			var r fingerprint.Request // used again too
			for n, line := range lines {
				if n == 60 {
					break
				}
				for _, record := range records(line) {
					// A record that breaks off leaves the most behind.
					show := func(p Parser, r *fingerprint.Request) (all string) {
						each(p, record, r, func(column int, why string) { all += render(r, column, why) + "\n" })
						return all
					}
					each(used, record[:len(record)*2/3], &r, func(int, string) {})
					if got, want := show(used, &r), show(f.New(fingerprint.AllFields), &fingerprint.Request{}); got != want {
						t.Fatalf("%s/%s line %d:\ngot  %s\nwant %s", f.Name, name, n+1, got, want)
					}
				}
			}
		}
	}
}

// TestParseWritesNotIntoTheLog: the line belongs to the caller.
func TestParseWritesNotIntoTheLog(t *testing.T) {
	for _, f := range All {
		for name, lines := range fixtures(t)[f.Name] {
			p := f.New(fingerprint.AllFields)
			for _, line := range lines {
				before := bytes.Clone(line)
				for _, record := range records(line) {
					var r fingerprint.Request
					each(p, record, &r, func(int, string) {})
				}
				if !bytes.Equal(line, before) {
					t.Fatalf("%s/%s: a line was changed", f.Name, name)
				}
			}
		}
	}
}

// eachRequest calls with each request of the fixtures, all of it read, and where
// it stands.
func eachRequest(t *testing.T, f func(where string, r *fingerprint.Request)) {
	t.Helper()
	for _, format := range All {
		for name, lines := range fixtures(t)[format.Name] {
			p := format.New(fingerprint.AllFields)
			var r fingerprint.Request
			for n, line := range lines {
				for _, record := range records(line) {
					each(p, record, &r, func(int, string) {
						f(fmt.Sprintf("%s/%s line %d", format.Name, name, n+1), &r)
					})
				}
			}
		}
	}
}

// TestMessagesAreJSON: whatever a parser makes messages of, they are JSON.
func TestMessagesAreJSON(t *testing.T) {
	eachRequest(t, func(where string, r *fingerprint.Request) {
		for i, m := range append(r.Messages.Items, r.Messages.System) {
			if m != nil && !json.Valid(m) {
				t.Errorf("%s: message %d is no JSON", where, i)
			}
		}
	})
}

// TestIdsOfCallsAreNoIdentity: they are new each time, so that nothing that has
// one in it ever comes again.
func TestIdsOfCallsAreNoIdentity(t *testing.T) {
	var ids []*fingerprint.Identity
	for _, name := range []string{"tool-call-result", "stuck-step"} {
		id, err := fingerprint.New(name, fingerprint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	w := fingerprint.NewWriter(nil)
	w.Keep = true
	eachRequest(t, func(where string, r *fingerprint.Request) {
		w.Reset()
		for _, id := range ids {
			id.Compute(r, w)
		}
		of := w.Answered()
		for _, print := range w.Prints() {
			if of != nil && bytes.Contains(print.Canonical, rawjson.AppendString(nil, of)) {
				t.Errorf("%s: the id of a call in %s", where, print.Canonical)
			}
		}
	})
}

// TestDetection: every line of every fixture is of its format, and of no other.
func TestDetection(t *testing.T) {
	for owner, logs := range fixtures(t) {
		for name, lines := range logs {
			for n, line := range lines {
				for _, f := range All {
					if got, want := f.Detect(NewLine(line)), f.Name == owner; got != want {
						t.Errorf("%s/%s line %d: detected as %s: %t", owner, name, n+1, f.Name, got)
					}
				}
			}
		}
	}
}

// TestCutLineIsNoRequest: a JSON line cut anywhere is an error, with a column
// inside it or right behind it.
func TestCutLineIsNoRequest(t *testing.T) {
	for _, f := range All {
		if !f.JSON {
			continue
		}
		for name, lines := range fixtures(t)[f.Name] {
			record := records(lines[0])[0]
			p := f.New(fingerprint.AllFields)
			for cut := 1; cut < len(record); cut += 1 + len(record)/500 {
				var r fingerprint.Request
				r.Reset()
				column, why := p.Parse(record[:cut], &r)
				if why == "" {
					t.Fatalf("%s/%s: accepted when cut at %d", f.Name, name, cut)
				}
				if column < 0 || column > cut+1 {
					t.Fatalf("%s/%s: cut at %d: column %d", f.Name, name, cut, column)
				}
			}
		}
	}
}

// FuzzParse: no bytes make a parser panic; what it accepts passes CheckTime or
// is told why not; detection and reading of fewer fields agree with it; and no
// reason holds text of the line.
func FuzzParse(f *testing.F) {
	for _, logs := range fixtures(f) {
		for _, lines := range logs {
			for i := 0; i < len(lines); i += 1 + len(lines)/4 {
				if line := records(lines[i])[0]; len(line) < 20_000 {
					f.Add(line)
				}
			}
		}
	}
	for _, line := range oddLines {
		f.Add([]byte(line))
	}
	reasons := map[string]bool{}
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.Clone(line)
		for _, format := range All {
			format.Detect(NewLine(line))
			var r, cheap fingerprint.Request
			r.Reset()
			cheap.Reset()
			column, why := format.New(fingerprint.AllFields).Parse(line, &r)
			_, cheapWhy := format.New(0).Parse(line, &cheap)
			if why == "" && cheapWhy != "" {
				t.Errorf("%s: read with all fields, but not with fewer: %s", format.Name, cheapWhy)
			}
			if batch, ok := format.New(fingerprint.AllFields).(Batch); ok {
				var r fingerprint.Request
				batch.ParseEach(line, &r, func() bool { return true })
			}
			if why == "" {
				column, why = 0, CheckTime(&r)
			}
			if why == "" {
				switch {
				case r.Time < 0 || r.Time >= maxTime:
					t.Errorf("%s: time %d", format.Name, r.Time)
				case r.Status != fingerprint.Unknown && (r.Status < 100 || r.Status > 999):
					t.Errorf("%s: status %d", format.Name, r.Status)
				case r.TokensIn < -1 || r.TokensOut < -1 || r.MaxTokens < -1 || r.Cost < 0:
					t.Errorf("%s: a number below nothing", format.Name)
				}
				continue
			}
			if column < 0 || column > len(line)+1 {
				t.Errorf("%s: column %d of %d: %s", format.Name, column, len(line), why)
			}
			if reasons[why] = true; len(reasons) > 60 {
				t.Errorf("%s: too many reasons: is there text of the line in %q?", format.Name, why)
			}
		}
	})
}

// oddLines are seeds that the fixtures do not give.
var oddLines = []string{
	"", "{}", "[]", "null", "{", `{"time":`, `{"time":1e999,"id":"a"}`, `{"time":-1}`, `{"time":99999999999999999999}`,
	`{"time":1,"messages":[[[[]]]],"tool_calls":[1,{"name":null},{"function":{"name":"f","arguments":{}}}]}`,
	`{"time":"2026-11-21T10:00:00Z","method":"GET","uri":"/","status":200,"body":"{\x22model\x22:\x22\xC5\x82\x22}"}`,
	`{"msec":1,"request":"GET / HTTP/1.1","status":"200","request_body":"{\"messages\":[","time_local":"21/Nov/2026:10:00:00 +0000"}`,
	`a b c [21/Nov/2026:10:00:00 +0000] "\"\\\x` + "\x00" + `" 200`,
	`{"timestamp":1e300,"hash_ids":[`, `{"timestamp":-0.5,"hash_ids":[1 2],"hash_ids":null}`,
}
