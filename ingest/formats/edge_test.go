package formats

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
)

// read renders what a format makes of a record.
func read(format, record string) string {
	var r fingerprint.Request
	r.Reset()
	p := ByName(format).New(fingerprint.AllFields)
	if p, ok := p.(Named); ok {
		p.Of("20261121T032745Z_20261121T032815Z_5f3c9a01.log.gz")
	}
	column, why := p.Parse([]byte(record), &r)
	return render(&r, column, why)
}

// isRead wants a format to make that of a record.
func isRead(tb testing.TB, format, record, want string) {
	tb.Helper()
	if got := read(format, record); got != want {
		tb.Errorf("%s\ngot  %s\nwant %s", record, got, want)
	}
}

// areRequests wants it to be these requests, whose times are second 1.
func areRequests(tb testing.TB, format, record, want string) {
	tb.Helper()
	if got := requests(tb, format, record); got != want {
		tb.Errorf("%s\ngot  %s\nwant %s", record, got, want)
	}
}

func TestTimes(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		got := "no time"
		if micros, ok := parseTime([]byte(text)); ok {
			got = CheckTime(&fingerprint.Request{Time: micros, End: fingerprint.NoTime})
			if got == "" {
				got = time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.999999Z")
			}
		}
		if got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	// RFC 3339 and what writers make of it.
	f("2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z")
	f("2026-11-21t10:00:00z", "2026-11-21T10:00:00Z")
	f("2026-11-21 10:00:00Z", "2026-11-21T10:00:00Z")
	f("2026-11-21T10:00:00.1Z", "2026-11-21T10:00:00.1Z")
	f("2026-11-21T10:00:00,123456Z", "2026-11-21T10:00:00.123456Z")
	f("2026-11-21T10:00:00.1234569999Z", "2026-11-21T10:00:00.123456Z") // cut, not rounded
	f("2026-11-21T10:00:00+05:30", "2026-11-21T04:30:00Z")
	f("2026-11-21T10:00:00-0800", "2026-11-21T18:00:00Z")
	f("2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00Z")
	f("2024-02-29T23:59:59.999999Z", "2024-02-29T23:59:59.999999Z")
	f("2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z")
	f("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z") // a leap second is the next one
	f("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z")
	f("2199-12-31T23:59:59.999999Z", "2199-12-31T23:59:59.999999Z")
	// Seconds.
	f("0", "1970-01-01T00:00:00Z")
	f("1795231480", "2026-11-21T03:24:40Z")
	f("1795231480.384426", "2026-11-21T03:24:40.384426Z")
	f("1795231480.3844265", "2026-11-21T03:24:40.384427Z")     // rounded: Python's floats
	f("1795231480.38442649999", "2026-11-21T03:24:40.384426Z") // once
	f("1795231480.9999996", "2026-11-21T03:24:41Z")
	f("1795231480.3", "2026-11-21T03:24:40.3Z")
	f("0000000001", "no time")
	f("1795231480.", "no time")
	f("1795231480.38x", "no time")
	f("7258118399.999999", "2199-12-31T23:59:59.999999Z")
	f("123456789012", badTime)
	f("1234567890123", badTime)
	f("1.79523148e9", "2026-11-21T03:24:40Z")
	f("1.795231480384426E+9", "2026-11-21T03:24:40.384426Z")
	// There, but not of this age: another unit, a broken clock.
	f("2200-01-01T00:00:00Z", badTime)
	f("1969-12-31T23:59:59Z", badTime)
	f("60000-01-01T00:00:00Z", badTime)
	f("+60000-01-01T00:00:00Z", badTime)
	f("-0044-03-15T12:00:00Z", badTime)
	f("0001-01-01T00:00:00Z", badTime) // Go's zero time
	f("1795231480384", badTime)        // milliseconds
	f("-0.000001", badTime)
	f("99999999999999999999999", badTime)
	f("9223372036859.5", badTime)
	f("1e300", badTime)
	f("1e999", badTime)
	// No times.
	for _, text := range []string{
		"", " ", "now", "null", "-", "2026-11-21", "2026-11-21T10:00Z", "2026-11-21T10:00:00", "2026-11-21T10:00:00.Z",
		"2026-11-21T10:00:00 Z", "2026-11-21T10:00:00Zulu", "2026-11-21T10:00:00+5:30", "2026-11-21T10:00:00+24:00", "2026-11-21T10:00:00+05:60",
		"2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-31T00:00:00Z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-11-00T00:00:00Z",
		"2026-11-21T24:00:00Z", "2026-11-21T10:60:00Z", "2026-11-21T10:00:61Z", "2026-11-21T-1:00:00Z", "26-11-21T10:00:00Z", "2026/11/21T10:00:00Z",
		"+-2026-11-21T10:00:00", "NaN", "Infinity", "0x10", "1_000", "1.", ".5", "1e", "01", "+1",
	} {
		f(text, "no time")
	}
	f("2026", "1970-01-01T00:33:46Z") // a number is seconds
}

// TestTimesOfEveryDay compares the calendar with the standard library's.
func TestTimesOfEveryDay(t *testing.T) {
	day := time.Date(1970, 1, 1, 12, 34, 56, 789_000_000, time.UTC)
	for n := 0; day.Year() < 2200; n++ {
		got, ok := parseRFC3339([]byte(day.Format(time.RFC3339Nano)))
		if !ok || got != day.UnixMicro() {
			t.Fatalf("%v is %d, want %d", day, got, day.UnixMicro())
		}
		text := day.Format("02/Jan/2006:15:04:05 -0700")
		if got, ok := parseCLF([]byte(text)); !ok || got != day.Unix()*1_000_000 {
			t.Fatalf("%s is %d, want %d", text, got, day.Unix()*1_000_000)
		}
		day = day.AddDate(0, 0, 1)
	}
}

// TestCountsStayInBounds: of the largest numbers of tokens that are believed a
// hundred million calls can be added up.
func TestCountsStayInBounds(t *testing.T) {
	for _, n := range []int64{1e9, maxCount, maxCount + 1, 1e12} {
		var r fingerprint.Request
		r.Reset()
		record := fmt.Sprintf(`{"time":1,"id":"a","tokens_in":%d,"tokens_out":%d}`, n, n)
		if _, why := ByName("loopgauge").New(fingerprint.AllFields).Parse([]byte(record), &r); why != "" {
			t.Fatal(why)
		}
		if sum := r.TokensIn + r.TokensOut; sum > math.MaxInt64/100_000_000 {
			t.Errorf("%d tokens in and out are believed", n)
		}
	}
}

// What is no time, also without a zone, leaves what was read before.
func TestNoTimes(t *testing.T) {
	for _, text := range []string{`"soon"`, `"2026-13-01 00:00:00"`, `"2026-02-29 00:00:00"`, `"2026-04-31 00:00:00"`, `"2026-06-31 00:00:00"`, `"2026-09-31 00:00:00"`, `"2026-11-31 00:00:00"`, `""`, `null`, `{}`} {
		var s rawjson.Scanner
		for name, read := range map[string]func(*rawjson.Scanner, int64) int64{"readTime": readTime, "readZonedTime": readZonedTime, "zoned.readTime": new(zoned).readTime} {
			if s.Reset([]byte(text)); read(&s, 7) != 7 {
				t.Errorf("%s is a time by %s", text, name)
			}
		}
	}
}

// What a cache had or got is among the prompt's tokens, and beside the input's.
func TestUsage(t *testing.T) {
	for _, usage := range []string{
		`{"prompt_tokens":12,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}`,
		`{"prompt_tokens":12,"completion_tokens":2,"cache_read_input_tokens":4}`,
		`{"input_tokens":12,"output_tokens":2,"input_tokens_details":{"cached_tokens":4}}`,
		`{"input_tokens":5,"output_tokens":2,"cache_read_input_tokens":4,"cache_creation_input_tokens":3}`,
		`{"inputTokens":5,"outputTokens":2,"cacheReadInputTokens":4,"cacheWriteInputTokens":3}`,
		`{"inputTokens":5,"outputTokens":2,"cacheReadInputTokenCount":4,"cacheWriteInputTokenCount":3}`,
	} {
		var s rawjson.Scanner
		var r fingerprint.Request
		r.Reset()
		s.Reset([]byte(usage))
		if readUsage(&s, &r); r.TokensIn != 12 || r.TokensOut != 2 || r.TokensCached != 4 {
			t.Errorf("%s: %d in, %d out, %d cached", usage, r.TokensIn, r.TokensOut, r.TokensCached)
		}
	}
}

// What a cache had is part of what a call costs, whatever else is read of it.
func TestLiteLLMCachedTokens(t *testing.T) {
	for _, reads := range []fingerprint.Field{0, fingerprint.ReadsMessages, fingerprint.AllFields} {
		var r fingerprint.Request
		r.Reset()
		record := `{"startTime":1,"call_type":"acompletion","prompt_tokens":12,"completion_tokens":2,"response":{"id":"a","usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":4}},"choices":[]}}`
		if _, why := newLiteLLM(reads).Parse([]byte(record), &r); why != "" || r.TokensIn != 12 || r.TokensOut != 2 || r.TokensCached != 4 {
			t.Errorf("fields %b: %s, %d in, %d out, %d cached", reads, why, r.TokensIn, r.TokensOut, r.TokensCached)
		}
	}
}

// Envoy writes 0 where a client has gone before there was a status.
func TestStatusOutOfRange(t *testing.T) {
	for text, want := range map[string]int{"0": 7, "99": 7, "100": 100, "999": 999, "1000": 7, "-1": 7, "-": 7, "": 7, "200": 200} {
		if got := parseStatus([]byte(text), 7); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestCheckTime(t *testing.T) {
	f := func(start, end int64, want string) {
		t.Helper()
		if got := CheckTime(&fingerprint.Request{Time: start, End: end}); got != want {
			t.Errorf("%d to %d: %q, want %q", start, end, got, want)
		}
	}
	const none = fingerprint.NoTime
	f(none, none, noTime)
	f(none, 5, noTime)
	f(0, none, "")
	f(0, 0, "")
	f(-1, none, badTime)
	f(maxTime-1, maxTime-1, "")
	f(maxTime, none, badTime)
	f(0, maxTime, badTime)
	f(math.MaxInt64, none, badTime)
	for _, end := range []int64{-62_135_596_800_000_000, -1, 0, 4} { // the first is the year 1
		r := fingerprint.Request{Time: 5, End: end}
		if why := CheckTime(&r); why != "" || r.End != none {
			t.Errorf("5 to %d: %q, end %d", end, why, r.End)
		}
	}
}

// nativeAt is the beginning of what read gives for a record at second 1.
const nativeAt = "1970-01-01T00:00:01.000000Z"

func TestNative(t *testing.T) {
	f := func(fields, want string) {
		t.Helper()
		if want != "" {
			want = " " + want
		}
		isRead(t, "loopgauge", `{"time":1`+fields+`}`, nativeAt+want)
	}
	f(``, ``)
	f(`,"what_is_this":{"a":[1,{}]},"time_zone":"x"`, ``)

	// Absent and empty are two things, null is absent.
	f(`,"session":""`, `session=""`)
	f(`,"session":null`, ``)
	f(`,"query":""`, `query=""`)
	f(`,"body":""`, `body=""`)
	f(`,"messages":[]`, `messages=0`)
	f(`,"messages":null`, ``)
	f(`,"tool_calls":[]`, `tool_calls=0`)
	f(`,"tool_calls":null`, ``)
	f(`,"attributes":{"a":"","b":null}`, `a=""`)

	// A key given twice: the last value that says something.
	f(`,"session":"a","session":"b"`, `session=b`)
	f(`,"session":"a","session":null`, `session=a`)
	f(`,"session":"a","session":""`, `session=a`)
	f(`,"session":null,"session":"b"`, `session=b`)
	f(`,"time":2,"time":null,"time":"soon","time":1`, ``)
	f(`,"status":200,"status":null,"status":"x"`, `status=200`)
	f(`,"status":200,"status":503`, `status=503`)
	f(`,"cost":0.5,"cost":null`, `cost=0.5`)
	f(`,"stream":true,"stream":null`, `stream=true`)
	f(`,"stream":true,"stream":false`, `stream=false`)
	f(`,"messages":[1,2],"messages":[3],"messages":null`, `messages=1 last=3`)
	f(`,"query":"a=1","query":{"b":"2"}`, `query="{\"b\":\"2\"}"`)
	f(`,"query":{"b":"2"},"query":"a=1"`, `query=a=1`)
	f(`,"query":{"b":"2"},"query":null,"query":""`, `query="{\"b\":\"2\"}"`)
	f(`,"tool_calls":[{"name":"f"},{"name":"g"}],"tool_calls":[{"name":"h"}]`, `tool_calls=1 name=h`)
	f(`,"tool_calls":[{"name":"f"}],"tool_calls":null,"tool_calls":[]`, `tool_calls=1 name=f`)
	f(`,"attributes":{"a":"1","b":"2","a":"3"}`, `a=3 b=2`)
	f(`,"attributes":{"a":"1"},"attributes":{"a":null,"a":""},"attributes":null`, `a=1`)

	// Wrong types say nothing; where a text is asked for, a number is one.
	f(`,"session":12,"model":true,"caller":1.50`, `caller=1.50 session=12 model=true`)
	f(`,"session":{"id":1},"model":["m"]`, ``)
	f(`,"status":"200"`, `status=200`)
	f(`,"status":99`, ``)
	f(`,"status":1000`, ``)
	f(`,"status":200.5`, ``)
	f(`,"status":{}`, ``)
	f(`,"tokens_in":-1,"tokens_out":1.5,"max_tokens":"7"`, `max_tokens=7`)
	f(`,"tokens_in":99999999999999999999`, ``)
	f(`,"cost":-0.1`, ``)
	f(`,"cost":"0.25"`, `cost=0.25`)
	f(`,"has_tools":1,"stream":"yes","cached":[]`, ``)
	f(`,"messages":{"role":"user"}`, ``)
	f(`,"messages":"hello"`, `messages=1 last="\"hello\""`)
	f(`,"tool_calls":{"name":"f"}`, ``)
	f(`,"attributes":["a"]`, ``)
	f(`,"attributes":{"a":1,"b":true,"c":{},"d":[1]}`, `a=1 b=true`)

	// Tool calls: OpenAI's form or their own, arguments as text or as JSON.
	f(`,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]`, `tool_calls=1 call=1 name=f arguments="{\"x\":1}"`)
	f(`,"tool_calls":[{"call_id":"1","name":"f","arguments":{"x":1}}]`, `tool_calls=1 call=1 name=f arguments="{\"x\":1}"`)
	f(`,"tool_calls":[{"name":"f","input":[1]},{"name":"g"},{"name":"h","arguments":null},{"name":"i","arguments":""}]`,
		`tool_calls=4 name=f arguments=[1] name=g name=h name=i arguments=""`)
	f(`,"tool_calls":[{"arguments":{}},7,null,{"name":"f"}]`, `tool_calls=1 name=f`)

	// Text: escapes, lone surrogates, bytes that are no UTF-8, raw control characters.
	f(`,"session":"\u0141\ud83d\udce6\/"`, `session=Ł📦/`)
	f(`,"session":"a\ud800b"`, "session=a\xed\xa0\x80b")
	f(`,"session":"a`+"\xff\xc5"+`b"`, "session=a\uFFFD\uFFFDb")
	f(`,"session":"a`+"\x01\t"+`b"`, "session=a\x01\tb")
	f(`,"session":"\u0000"`, "session=\x00")
	f(`,"sess\u0069on":"a"`, `session=a`)
}

// TestNativeMessagesBesideBody: a mark at the end of a result is the tool's own where
// the body is logged, whether or not another rule looks at that.
func TestNativeMessagesBesideBody(t *testing.T) {
	id, err := fingerprint.New("tool-call-result", fingerprint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const turn = `{"time":1,"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]},{"role":"tool","tool_call_id":"a","content":"1 2\n[truncated]"}]`
	w := fingerprint.NewWriter(nil)
	for _, reads := range []fingerprint.Field{id.Reads, fingerprint.AllFields} {
		f := func(record string, want fingerprint.Cause) {
			t.Helper()
			var r fingerprint.Request
			r.Reset()
			if _, why := ByName("loopgauge").New(reads).Parse([]byte(record), &r); why != "" {
				t.Fatal(why)
			}
			w.Reset()
			if got := id.Compute(&r, w); got != want {
				t.Errorf("%s\n%v, want %v", record, got, want)
			}
		}
		f(turn+`}`, fingerprint.TruncatedContent)
		f(turn+`,"body":"{}"}`, fingerprint.Computable)
		for _, lost := range []string{``, `[truncated]`, `{\"messages\":[{\"role\":\"us`} {
			f(turn+`,"body":"`+lost+`"}`, fingerprint.TruncatedContent)
		}
	}
}

func TestNativeTimes(t *testing.T) {
	f := func(record, want string) {
		t.Helper()
		isRead(t, "loopgauge", record, want)
	}
	f(`{"time":1,"end":1.25}`, nativeAt+" took=250ms")
	f(`{"time":"1970-01-01T00:00:01Z","end":"1970-01-01T00:00:02Z"}`, nativeAt+" took=1s")
	f(`{"time":1,"end":null}`, nativeAt)
	f(`{"time":1,"end":"later"}`, nativeAt)
	f(`{"time":1,"end":1795231480384}`, "column 0: time out of range")
	f(`{"end":1}`, "column 0: no time")
	f(`{"time":null}`, "column 0: no time")
	f(`{"time":{}}`, "column 0: no time")
	f(`{"time":true}`, "column 0: no time")
	f(`{}`, "column 0: no time")
	f(`7`, "column 0: no time")
	f(`null`, "column 0: no time")
	f(`"time"`, "column 0: no time")
	f(``, "column 1: unexpected end of the value: the line is cut")
	f(`{"time":1`, "column 10: unexpected end of the value: the line is cut")
	f(`{"time":1}}`, "column 11: text after the end of the value")
	f(`{"time":1}{"time":2}`, "column 11: text after the end of the value")
	f(`{"time":1,}`, "column 11: trailing comma")
	f(`{"time" 1}`, "column 9: expected ':'")
	f(`{time:1}`, "column 2: expected a member's name")
	f(`{"time":1,"id":"a`, "column 18: string not closed: the line is cut")
	f(`{"time":tru}`, "column 9: expected a value")
}

// TestNesting: MaxDepth levels are read, one more is an error that names its
// place, and depth is counted through what is entered and what is skipped.
func TestNesting(t *testing.T) {
	f := func(format, before string, levels int, behind, want string) {
		t.Helper()
		record := before + strings.Repeat("[", levels) + strings.Repeat("]", levels) + behind
		got := read(format, record)
		if strings.HasPrefix(got, "1970") {
			got = "read"
		}
		if got != want {
			t.Errorf("%s, %d levels: %s, want %s", before, levels, got, want)
		}
	}
	for _, key := range []string{"messages", "unknown", "tool_calls", "query", "attributes"} {
		before := `{"time":1,"` + key + `":`
		f("loopgauge", before, 1023, "}", "read")
		f("loopgauge", before, 1024, "}", fmt.Sprintf("column %d: nested too deep", len(before)+1024))
		f("loopgauge", before, 1_000_000, "}", fmt.Sprintf("column %d: nested too deep", len(before)+1024))
	}
	f("mooncake", `{"timestamp":1,"hash_ids":`, 1023, "}", "read")
	f("litellm", `{"startTime":1,"metadata":{"requester_metadata":{"headers":{"a":`, 1020, "}}}}", "read")
	f("litellm", `{"startTime":1,"metadata":{"requester_metadata":{"headers":{"a":`, 1021, "}}}}", "column 1085: nested too deep")
}

// TestNginxUnquoted: a variable without quotes is what to mend, unless the line
// was cut.
func TestNginxUnquoted(t *testing.T) {
	f := func(member, want string) {
		t.Helper()
		var r fingerprint.Request
		r.Reset()
		line := `{"msec":1795231479.779,"method":"POST","uri":"/v1","status":200,` + member
		if _, why := ByName("nginx-json").New(fingerprint.AllFields).Parse([]byte(line), &r); why != want {
			t.Errorf("%s: %q, want %q", member, why, want)
		}
	}
	f(`"upstream_response_time":0.1, 0.2,"a":1}`, "expected a member's name"+unquoted)
	f(`"upstream_status":,"a":1}`, "expected a value"+unquoted)
	f(`"upstream_status":200 : 200,"a":1}`, "expected ',' or '}'"+unquoted)
	f(`"upstream_status":`, "unexpected end of the value: the line is cut")
	f(`"upstream_status":"200, 200"}`, "")
}

// TestQueryInPath: a query that stands where a log has a path is the query, and
// never written out with the path; one that stands in its own place counts.
func TestQueryInPath(t *testing.T) {
	f := func(format, record, want string) {
		t.Helper()
		if got := read(format, record); !strings.Contains(got+" ", want+" ") {
			t.Errorf("%s\ngot  %s\nwant %s", record, got, want)
		}
	}
	f("loopgauge", `{"time":1,"path":"/a?key=1"}`, "path=/a query=key=1")
	f("loopgauge", `{"time":1,"path":"/a?key=1","query":"b=2"}`, "path=/a query=b=2")
	f("loopgauge", `{"time":1,"query":{"b":"2"},"path":"/a?key=1"}`, `path=/a query="{\"b\":\"2\"}"`)
	f("loopgauge", `{"time":1,"path":"/a?key=1","query":{}}`, "path=/a query=key=1")
	f("loopgauge", `{"time":1,"query":{ },"path":"/a?key=1"}`, "path=/a query=key=1")
	f("loopgauge", `{"time":1,"path":"/a?key=1","query":""}`, "path=/a query=key=1")
	f("loopgauge", `{"time":1,"query":"","path":"/a?key=1"}`, "path=/a query=key=1")
	f("loopgauge", `{"time":1,"path":"/a","path":null}`, "path=/a")
	f("loopgauge", `{"time":1,"path":"/a?key=1","path":""}`, "path=/a query=key=1")
	f("litellm", `{"startTime":1,"metadata":{"user_api_key_request_route":"/a?key=1"}}`, "path=/a query=key=1")
	f("haproxy-json", `{"accept_ms":1000,"method":"GET","path":"/a?key=1","status":200}`, "path=/a query=key=1")
	f("haproxy-json", `{"accept_ms":1000,"method":"GET","query":"?b=2","path":"/a?key=1","status":200}`, "path=/a query=b=2")
	c := newCustom(&Custom{Fields: []CustomField{pathTo("path", "uri")}}, fingerprint.AllFields)
	if got, want := asNative(c, `{"uri":"/a?key=1"}`), `path="/a" query="key=1"`; got != want {
		t.Errorf("custom: %s, want %s", got, want)
	}
}
