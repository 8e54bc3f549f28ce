package ingest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fixtures"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// gathered reads a log as of a format, wherever it is cut into blocks, and
// shows its requests as name@line messages/calls.
func gathered(t *testing.T, f *formats.Format, lines []string) (got []string, tally Tally) {
	t.Helper()
	for _, size := range []int{1 << 20, 64} {
		b := newBlocks(strings.NewReader(strings.Join(lines, "\n")), size, 1<<20, f.Wrappers)
		rd := NewReader(fingerprint.AllFields)
		var now []string
		var sum Tally
		for {
			block, err := b.next()
			if err != nil {
				break
			}
			block.Format = f
			n := rd.Read(block, func(r *fingerprint.Request) {
				now = append(now, fmt.Sprintf("%s@%d %d/%d", r.ID, r.Position.Line, len(r.Messages.Items), len(r.ToolCalls)))
			}, func(s Skip) { now = append(now, fmt.Sprintf("%d: %s", s.Line, s.Why)) })
			sum.Add(n)
		}
		if got != nil {
			if diff := cmp.Diff(got, now); diff != "" || tally != sum {
				t.Errorf("in one block and in small ones: %s\n%+v, %+v", diff, tally, sum)
			}
		}
		got, tally = now, sum
	}
	return got, tally
}

func TestTurns(t *testing.T) {
	f := func(want string, tally Tally, lines ...string) {
		t.Helper()
		got, n := gathered(t, formats.ByName("turns+claude-code"), lines)
		if text := strings.Join(got, ", "); text != want || n != tally {
			t.Errorf("got  %s %+v\nwant %s %+v", text, n, want, tally)
		}
	}
	second := 0
	line := func(kind, uuid, more, message string) string {
		second++
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"sessionId":"s","timestamp":"2026-11-21T10:%02d:%02dZ"%s,"message":{%s}}`, kind, uuid, second/60, second%60, more, message)
	}
	call := func(uuid, more, message string, ids ...string) string {
		var blocks []string
		for _, id := range ids {
			blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{}}`, id))
		}
		return line("assistant", uuid, more, fmt.Sprintf(`"id":%q,"role":"assistant","content":[%s]`, message, strings.Join(blocks, ",")))
	}
	result := func(uuid string, ids ...string) string {
		var blocks []string
		for _, id := range ids {
			blocks = append(blocks, fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"content":"x"}`, id))
		}
		return line("user", uuid, "", fmt.Sprintf(`"role":"user","content":[%s]`, strings.Join(blocks, ",")))
	}
	prompt := line("user", "u", "", `"role":"user","content":"Hello"`)
	text := line("assistant", "t", "", `"id":"m","role":"assistant","content":[{"type":"text","text":"Hm."}]`)

	f("c@2 2/0", Tally{Lines: 3, Blank: 2}, prompt, call("c", "", "m", "1"), result("r", "1"))
	f("c@1 2/0", Tally{Lines: 2, Blank: 1}, "\t"+call("c", "", "m", "1")+" ", " "+result("r", "1")) // blanks are no part of a line
	// Calls in parallel, a line each, the results in any order.
	f("d@2 2/0, c@1 2/0", Tally{Lines: 4, Blank: 2}, call("c", "", "m", "1"), call("d", "", "m", "2"), result("r", "2"), result("q", "1"))
	// Several on a line.
	f("c@1 2/0", Tally{Lines: 2, Blank: 1}, call("c", "", "m", "1", "2"), result("r", "1", "2"))
	f("c@1 3/0", Tally{Lines: 3, Blank: 2}, call("c", "", "m", "1", "2"), result("r", "2"), result("q", "1"))
	f("c@1 2/0, d@3 0/1", Tally{Lines: 3, Blank: 1}, call("c", "", "m", "1", "2"), result("r", "2"), call("d", "", "n", "3")) // the other is not coming
	// Interrupted: the next response of the same agent says that no result
	// comes, one of another agent does not.
	f("c@1 0/1, d@2 2/0", Tally{Lines: 3, Blank: 1}, call("c", "", "m", "1"), call("d", "", "n", "2"), result("r", "2"))
	f("d@2 2/0, c@1 2/0", Tally{Lines: 4, Blank: 2}, call("c", "", "m", "1"), call("d", `,"isSidechain":true`, "n", "2"), result("r", "2"), result("q", "1"))
	f("c@1 0/1", Tally{Lines: 2, Blank: 1}, call("c", "", "m", "1"), prompt)
	f("", Tally{Lines: 2, Blank: 2}, result("r", "1"), text)
	f("2: string not closed: the line is cut, c@1 2/0", Tally{Lines: 3, Blank: 1, Malformed: 1}, call("c", "", "m", "1"), `{"type":"user","sess`, result("r", "1"))
	// What is gone back on and written again is told by Anthropic's id of the call.
	a, b := "toolu_01"+strings.Repeat("a", 22), "toolu_01"+strings.Repeat("b", 22)
	f(a+"@1 2/0, "+a+"@3 2/0", Tally{Lines: 4, Blank: 2}, call("c", "", "m", a), result("r", a), call("d", "", "m", a), result("q", a))
	f(a+"@1 2/0", Tally{Lines: 2, Blank: 1}, call("c", "", "m", a, b), result("r", a, b))
	// That of a proxy may come again.
	f("c@1 2/0, d@3 2/0", Tally{Lines: 4, Blank: 2}, call("c", "", "m", "toolu_1"), result("r", "toolu_1"), call("d", "", "m", "toolu_1"), result("q", "toolu_1"))
	// Nobody waits for ever.
	many := []string{call("c", "", "m", "1")}
	for range 1500 {
		many = append(many, `{"type":"mode","sessionId":"s"}`)
	}
	f("c@1 0/1", Tally{Lines: 1502, Blank: 1501}, append(many, result("r", "1"))...)
	// Nor for more than a line may be long.
	long := []string{call("c", "", "m", "1")}
	for range 12 {
		long = append(long, `{"type":"mode","sessionId":"s","text":"`+strings.Repeat("x", 100_000)+`"}`)
	}
	f("c@1 0/1, d@14 2/0", Tally{Lines: 16, Blank: 14}, append(long, call("d", "", "n", "2"), result("q", "1"), result("r", "2"))...)
}

// TestRollout: calls and results of Codex, and the tokens between them.
func TestRollout(t *testing.T) {
	second := 0
	line := func(kind, payload string) string {
		second++
		return fmt.Sprintf(`{"timestamp":"2026-11-21T10:00:%02dZ","type":%q,"payload":%s}`, second, kind, payload)
	}
	id := func(c string) string { return "call_" + strings.Repeat(c, 24) }
	call := func(c string) string {
		return line("response_item", fmt.Sprintf(`{"type":"function_call","name":"f","arguments":"{}","call_id":%q}`, id(c)))
	}
	result := func(c string) string {
		return line("response_item", fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":"x"}`, id(c)))
	}
	tokens := func(in int) string {
		return line("event_msg", fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":{"input_tokens":999},"last_token_usage":{"input_tokens":%d,"output_tokens":2}}}`, in))
	}
	next := line("turn_context", `{"model":"m"}`)
	f := func(want string, tally Tally, lines ...string) {
		t.Helper()
		got, n := gathered(t, formats.ByName("turns+codex"), lines)
		if text := strings.Join(got, ", "); text != want || n != tally {
			t.Errorf("got  %s %+v\nwant %s %+v", text, n, want, tally)
		}
	}
	f(id("a")+"@1 2/0", Tally{Lines: 3, Blank: 2}, call("a"), tokens(7), result("a"))
	// Side by side, their results in any order.
	f(id("b")+"@2 2/0, "+id("a")+"@1 2/0", Tally{Lines: 5, Blank: 3}, call("a"), call("b"), tokens(7), result("b"), result("a"))
	// Interrupted; what was said before the result is no other turn.
	f(id("a")+"@1 0/1, "+id("b")+"@3 2/0", Tally{Lines: 4, Blank: 2}, call("a"), next, call("b"), result("b"))
	f(id("a")+"@1 2/0", Tally{Lines: 3, Blank: 2}, call("a"), line("response_item", `{"type":"message","role":"assistant","content":[]}`), result("a"))
	// A builtin tool, and one of a model that names its calls by numbers.
	f(id("a")+"@1 2/0", Tally{Lines: 2, Blank: 1}, line("response_item", fmt.Sprintf(`{"type":"local_shell_call","call_id":%q,"action":{"type":"exec","command":["ls"]}}`, id("a"))), result("a"))
	f("@1 2/0, @3 2/0", Tally{Lines: 4, Blank: 2}, strings.ReplaceAll(call("a"), id("a"), "call_1"), strings.ReplaceAll(result("a"), id("a"), "call_1"),
		strings.ReplaceAll(call("a"), id("a"), "call_1"), strings.ReplaceAll(result("a"), id("a"), "call_1"))
	f("", Tally{Lines: 3, Blank: 3}, tokens(7), result("a"), next)

	// One whose response nobody counted waits for no more than the next line.
	f(id("a")+"@1 2/0, "+id("b")+"@3 2/0, "+id("c")+"@5 2/0", Tally{Lines: 7, Blank: 4}, call("a"), result("a"), call("b"), result("b"), call("c"), result("c"), next)

	// The tokens are those of the whole response: its first call has them. They stand
	// in front of the results or behind them, or in a record of their own besides.
	limits := line("event_msg", `{"type":"token_count","info":null,"rate_limits":{}}`)
	record := func(in int) string {
		return line("token_usage_record", fmt.Sprintf(`{"usage":{"input_tokens":%d,"output_tokens":2},"turn_token_usage":{"input_tokens":999}}`, in))
	}
	for _, lines := range [][]string{
		{call("a"), call("b"), limits, tokens(7), tokens(7), result("a"), result("b"), call("c"), tokens(9), result("c")},
		{call("a"), call("b"), result("b"), result("a"), tokens(7), limits, call("c"), result("c"), tokens(9)},
		{call("a"), call("b"), record(7), result("a"), result("b"), tokens(7), call("c"), record(9), result("c"), tokens(9)},
	} {
		in := map[string]int64{}
		NewReader(fingerprint.AllFields).Read(&Block{Data: []byte(strings.Join(lines, "\n")), Line: 1, Format: formats.ByName("turns+codex"), Name: "/s/rollout-2026-11-21T10-00-00-the-session.jsonl.zst"}, func(r *fingerprint.Request) {
			in[string(r.ID)] = r.TokensIn
			if string(r.Session) != "the-session" {
				t.Errorf("session %q", r.Session)
			}
		}, nil)
		if want := map[string]int64{id("a"): 7, id("b"): fingerprint.Unknown, id("c"): 9}; !maps.Equal(in, want) {
			t.Errorf("tokens %v, want %v, of %s", in, want, lines)
		}
	}
}

func TestRows(t *testing.T) {
	f := func(want string, tally Tally, lines ...string) {
		t.Helper()
		got, n := gathered(t, formats.ByName("rows+azure-apim"), lines)
		if text := strings.Join(got, ", "); text != want || n != tally {
			t.Errorf("got  %s %+v\nwant %s %+v", text, n, want, tally)
		}
	}
	row := func(id string, n int, more string) string {
		return fmt.Sprintf(`{"TimeGenerated":"2026-11-21T10:00:00Z","CorrelationId":%q,"SequenceNumber":%d%s}`, id, n, more)
	}
	tokens := func(id string) string { return row(id, 0, `,"PromptTokens":3,"RequestMessages":null`) }
	asked := func(id string, n int) string {
		return row(id, n, `,"RequestMessages":[{"role":"user","content":"x"}]`)
	}
	said := func(id string, n int) string {
		return row(id, n, `,"ResponseMessages":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}]`)
	}
	f("a@1 1/1", Tally{Lines: 3, Blank: 2}, tokens("a"), asked("a", 1), said("a", 2))
	f("a@1 1/1", Tally{Lines: 3, Blank: 2}, " "+tokens("a"), "\t"+asked("a", 1), " "+said("a", 2))
	// In any order, mixed with others.
	f("b@2 1/1, a@1 1/1", Tally{Lines: 6, Blank: 4}, said("a", 2), tokens("b"), asked("b", 1), said("b", 2), asked("a", 1), tokens("a"))
	// A text in pieces.
	f("a@1 2/1", Tally{Lines: 4, Blank: 3}, tokens("a"), row("a", 2, `,"RequestMessages":"nt\":\"x\"},{\"role\":\"user\"}]"`),
		row("a", 1, `,"RequestMessages":"[{\"role\":\"user\",\"conte"`), said("a", 3))
	// One that is missing.
	f("a@1 0/1", Tally{Lines: 3, Blank: 2}, tokens("a"), row("a", 2, `,"RequestMessages":"nt\":\"x\"}]"`), said("a", 3))
	// No messages are logged: nobody can know that nothing is missing.
	f("a@1 0/0, b@2 0/0", Tally{Lines: 2}, tokens("a"), tokens("b"))
	f("2: trailing comma, a@1 1/1", Tally{Lines: 4, Blank: 2, Malformed: 1}, tokens("a"), `{"CorrelationId":"a",}`, asked("a", 1), said("a", 2))
	f(`a@1 1/1`, Tally{Lines: 3, Blank: 2}, `{"time":"2026-11-21T10:00:00Z","category":"GatewayLlmLogs","properties":{"correlationId":"a","sequenceNumber":0,"promptTokens":3}}`,
		`{"time":"2026-11-21T10:00:00Z","category":"GatewayLlmLogs","properties":{"correlationId":"a","sequenceNumber":1,"requestMessages":[{}]}}`,
		`{"time":"2026-11-21T10:00:00Z","category":"GatewayLlmLogs","properties":{"correlationId":"a","sequenceNumber":2,"responseMessages":[{"tool_calls":[{"name":"f"}]}]}}`)
	// Rows that were delivered twice; the last is of a request that is whole.
	f("a@1 1/1, a@6 0/1", Tally{Lines: 6, Blank: 4}, tokens("a"), tokens("a"), asked("a", 1), asked("a", 1), said("a", 2), said("a", 2))
	// The gateway's other log, in the same place.
	f("a@2 1/1", Tally{Lines: 4, Blank: 3}, `{"time":"2026-11-21T10:00:00Z","category":"GatewayLogs","correlationId":"a","properties":{"method":"POST","responseCode":200}}`,
		tokens("a"), asked("a", 1), said("a", 2))
	var many []string
	for i := range 1500 {
		many = append(many, tokens(fmt.Sprint(i)))
	}
	if got, n := gathered(t, formats.ByName("rows+azure-apim"), many); len(got) != 1500 || n != (Tally{Lines: 1500}) {
		t.Errorf("%d requests, %+v", len(got), n)
	}
	// Responses are not logged. When the first are waited for no more, those that
	// come then are; and it is told by less than it takes for that.
	many = many[:0]
	for i := range 1500 {
		many = append(many, tokens(fmt.Sprint(i)), asked(fmt.Sprint(i), 1))
	}
	if got, n := gathered(t, formats.ByName("rows+azure-apim"), many); len(got) > 1502 {
		t.Errorf("%d requests of 1500, %+v", len(got), n)
	}
	if got := read(t, []byte(strings.Join(many[:20], "\n")), Options{}); got.format != "rows+azure-apim" || len(got.requests) != 10 {
		t.Errorf("%s, %d requests", got.format, len(got.requests))
	}
}

// TestGatheredFixtures: what belongs together is found without being told.
func TestGatheredFixtures(t *testing.T) {
	f := func(name, format string, requests int) {
		t.Helper()
		got := read(t, fixtures.Read(t, "formats/"+name), Options{})
		if got.format != format || len(got.requests) != requests || got.tally.Malformed != 0 {
			t.Errorf("%s: %s, %d requests, %+v", name, got.format, len(got.requests), got.tally)
		}
		if again := read(t, bytes.TrimSpace(fixtures.Read(t, "formats/"+name)), Options{Format: formats.ByName(strings.Split(format, "+")[1])}); len(again.requests) != requests {
			t.Errorf("%s, asked for: %s, %d requests", name, again.format, len(again.requests))
		}
		indented := bytes.ReplaceAll(fixtures.Read(t, "formats/"+name), []byte("\n{"), []byte("\n {"))
		if again := read(t, indented, Options{}); !slices.Equal(again.requests, got.requests) {
			t.Errorf("%s, indented: %s, %d requests, %+v", name, again.format, len(again.requests), again.tally)
		}
		lines := bytes.SplitAfter(fixtures.Read(t, "formats/"+name), []byte("\n"))
		for end := 20; end < len(lines[2]); end += 40 {
			cut := bytes.Join([][]byte{lines[0], lines[1], append(lines[2][:end:end], '\n'), bytes.Join(lines[3:], nil)}, nil)
			if again := read(t, cut, Options{}); again.format != format {
				t.Errorf("%s, a line cut at %d: %s", name, end, again.format)
			}
		}
	}
	f("claude-code/session.jsonl", "turns+claude-code", 5)
	f("claude-code/stream.jsonl", "turns+claude-code", 5)
	f("claude-code/qwen_code.jsonl.zst", "turns+claude-code", 5)
	f("codex/rollout-2026-11-21T03-27-40-019ab3c4-0000-7000-8000-000000000001.jsonl", "turns+codex", 8)
	f("pi/2026-11-29T17-14-20-692Z_01a2284c-f093-7406-aa73-15f443d4ead5.jsonl", "turns+pi", 4)
	f("copilot/cb5f7807-45f1-4dd6-a7bd-ffb9e1c20567.jsonl", "turns+copilot", 3)
	f("azure-apim/documented.jsonl", "rows+azure-apim", 5)
	f("azure-apim/diagnostic.jsonl", "rows+azure-apim", 5)
}

// TestSample: it ends where a record does, and a copy of its blocks is not
// touched by what becomes of them.
func TestSample(t *testing.T) {
	f := func(log []byte, lines int, requests int64) {
		t.Helper()
		s, err := openStream(&Source{Name: "standard input", stdin: bytes.NewReader(log)}, 0, Options{})
		must(t, err)
		sample := NewSample(s, lines)
		defer sample.Close()
		var got int64
		rd := NewReader(fingerprint.AllFields)
		for _, b := range sample.Blocks {
			before := bytes.Clone(b.Data)
			c := b.Clone()
			clear(c.Data[:cap(c.Data)])
			c.Release()
			if !bytes.Equal(b.Data, before) {
				t.Fatal("the copy shares its memory")
			}
			n := rd.Read(b, func(*fingerprint.Request) { got++ }, nil)
			if n.Malformed > 0 {
				t.Errorf("%+v", n)
			}
		}
		if got != requests {
			t.Errorf("%d requests in the first %d lines, want %d", got, lines, requests)
		}
	}
	f(fixtures.Read(t, "formats/litellm/wide_custom_callback.jsonl.zst"), 10, 10)
	f(fixtures.Read(t, "wrappers/mitmproxy_hardump.har.zst"), 10, 25) // one JSON text
	f(fixtures.Read(t, "formats/claude-code/session.jsonl"), 4, 1)
}

// TestCSVRows: a value in quotes goes on over lines. Where one is never closed, as
// in a line that was cut, each line is read by itself.
func TestCSVRows(t *testing.T) {
	at := func(name string) formats.CustomField { return formats.CustomField{Name: name, Paths: []string{name}} }
	export := formats.NewCustom(&formats.Custom{
		Name: "export", Columns: []string{"time", "id", "messages"}, Separator: ',', Fields: []formats.CustomField{at("time"), at("id"), at("messages")},
	})
	f := func(want string, tally Tally, lines ...string) {
		t.Helper()
		got, n := gathered(t, export, lines)
		if strings.Join(got, ", ") != want || n != tally {
			t.Errorf("%q: %+v", got, n)
		}
	}
	open := "a quoted value is not closed"
	f("a@2 1/0, b@3 1/0, c@7 1/0", Tally{Lines: 7, Blank: 4}, "time,id,messages", "1,a,one", `2,b,"two,`, "", "  {three},", ` ""four"""`, "3,c,five")
	f("a@1 1/0, 2: "+open+", c@3 1/0, d@4 1/0", Tally{Lines: 4, Malformed: 1}, "1,a,one", `2,b,"cu`, "3,c,three", `4,d,"four"`)
	f("a@1 1/0, 2: "+open+", c@3 1/0", Tally{Lines: 3, Malformed: 1}, "1,a,one", `2,b,"cu`, "3,c,three")
	f("1: "+open+", b@2 1/0, c@4 1/0", Tally{Lines: 5, Blank: 2, Malformed: 1}, `1,a,"cu`, `2,b,"in`, `two"`, `"3","c","in`, `two"`)
	f("1: "+open+`, 2: no time, c@3 1/0`, Tally{Lines: 3, Malformed: 2}, `1,"a`, `b","x","y"`, "3,c,three")

	lines := []string{`1,a,"cu`}
	for i := range 1500 {
		lines = append(lines, fmt.Sprintf("2,%d,x", i))
	}
	if got, n := gathered(t, export, lines); len(got) != 1501 || n != (Tally{Lines: 1501, Malformed: 1}) {
		t.Errorf("%d of a long log: %+v", len(got), n)
	}
}

// TestWrappedRows: what rows of tabs lie in is told of rows that begin with an empty
// value, too.
func TestWrappedRows(t *testing.T) {
	at := func(name string) formats.CustomField { return formats.CustomField{Name: name, Paths: []string{name}} }
	rows := formats.NewCustom(&formats.Custom{
		Name: "rows", Columns: []string{"user", "time", "id"}, Separator: '\t', Fields: []formats.CustomField{at("user"), at("time"), at("id")},
	})
	f, sure := DetectAs(rows, []byte(`{"log":"\t1\ta\n","stream":"stdout","time":"t"}`+"\n"))
	if f.Name != "docker+rows" || !sure {
		t.Errorf("%s, sure: %t", f.Name, sure)
	}
}
