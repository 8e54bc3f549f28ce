package ingest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fixtures"
	"github.com/loopgauge/loopgauge/ingest/formats"
	"github.com/loopgauge/loopgauge/ingest/wrap"
)

// told is what a log gave, without positions.
type told struct {
	format   string
	requests []string
	at       []fingerprint.Position
	tally    Tally
}

func read(tb testing.TB, log []byte, o Options) told {
	tb.Helper()
	return readSource(tb, &Source{Name: "standard input", stdin: bytes.NewReader(log)}, o)
}

func readSource(tb testing.TB, src *Source, o Options) (got told) {
	tb.Helper()
	s, err := openStream(src, 0, o)
	must(tb, err)
	defer s.Close()
	got.format = s.Format().Name
	rd := NewReader(fingerprint.AllFields)
	for {
		b, err := s.Next()
		if err != nil {
			return got
		}
		t := rd.Read(b, func(r *fingerprint.Request) {
			got.requests = append(got.requests, fmt.Sprintf("%d %d %s %s %s %q %q %d", r.Time, r.End, r.Method, r.Path, r.Session, r.Body, r.Messages.Items, r.Status))
			got.at = append(got.at, r.Position)
		}, func(s Skip) { tb.Logf("line %d: %s", s.Line, s.Why) })
		b.Release()
		got.tally.Lines += t.Lines
		got.tally.Blank += t.Blank
		got.tally.Malformed += t.Malformed
	}
}

// TestWrappedFixtures: what real collectors wrote is recognised and read as
// the lines in it, each where it begins.
func TestWrappedFixtures(t *testing.T) {
	f := func(name, format string, tally Tally, bare string, all, more int) {
		t.Helper()
		log := fixtures.Read(t, "wrappers/"+name)
		got := read(t, log, Options{})
		if got.format != format || got.tally != tally {
			t.Errorf("%s: %s %+v, want %s %+v", name, got.format, got.tally, format, tally)
		}
		// Blanks before a line are no part of it.
		indented := read(t, bytes.ReplaceAll(append([]byte("\n"), log...), []byte("\n"), []byte("\n \t")), Options{})
		if diff := cmp.Diff(got.requests, indented.requests); diff != "" || indented.tally.Malformed != tally.Malformed {
			t.Errorf("%s, indented: %s, %+v: %s", name, indented.format, indented.tally, diff)
		}
		// Nor do blank lines move a record.
		spread := read(t, bytes.ReplaceAll(log, []byte("\n"), []byte("\n\n")), Options{})
		if more := int64(bytes.Count(log, []byte("\n"))); !slices.Equal(spread.requests, got.requests) || spread.tally != (Tally{Lines: tally.Lines + more, Blank: tally.Blank + more, Malformed: tally.Malformed}) {
			t.Errorf("%s, with blank lines: %s %+v, want %d more than %+v", name, spread.format, spread.tally, more, tally)
		}
		for i := range min(len(got.at), len(spread.at)) {
			if spread.at[i].Line != 2*got.at[i].Line-1 {
				t.Fatalf("%s, with blank lines: request %d in line %d", name, i+1, spread.at[i].Line)
			}
		}
		// The requests are those of the file without the wrapper.
		want := read(t, fixtures.Read(t, "formats/"+bare), Options{})
		if len(got.requests) != all {
			t.Errorf("%s: %d requests, want %d", name, len(got.requests), all)
		}
		for i, r := range got.requests {
			if !slices.Contains(want.requests, r) {
				t.Logf("%s: request %d, in line %d, is not in %s", name, i+1, got.at[i].Line, bare)
				more--
			}
		}
		if more != 0 {
			t.Errorf("%s: %d requests too many are not in %s", name, -more, bare)
		}
		// Blocks of any size, and reading ahead or not, change nothing, nor does a
		// file, which is opened again once it is known what it is.
		path := filepath.Join(t.TempDir(), "log")
		must(t, os.WriteFile(path, log, 0o600))
		for _, size := range []int{100, 5_000, 40_000, 1 << 20} {
			o := Options{Format: formats.ByName(format), blockSize: size}
			if again := read(t, log, o); !cmp.Equal(got, again, cmp.AllowUnexported(told{})) {
				t.Errorf("%s: in blocks of %d it is not the same", name, size)
			}
			if again := readSource(t, &Source{Name: path, path: path}, o); !cmp.Equal(got, again, cmp.AllowUnexported(told{})) {
				t.Errorf("%s: in blocks of %d of a file it is not the same", name, size)
			}
		}
		checkPlaces(t, name, log, got.at)
	}
	f("docker_json_file_envoy.log.zst", "docker+envoy-json", Tally{Lines: 48, Blank: 3}, "envoy-json/envoy_json.jsonl.zst", 45, 3) // the large ones
	f("haproxy_json_rfc5424.log.zst", "syslog+haproxy-json", Tally{Lines: 67}, "haproxy-json/haproxy_json.jsonl.zst", 67, 0)
	f("rsyslog_json_nginx.log.zst", "rsyslog-json+nginx-json", Tally{Lines: 56}, "nginx-json/wide_all.log.zst", 56, 0)
	f("rsyslog_rfc5424_nginx.log.zst", "syslog+nginx-json", Tally{Lines: 19}, "nginx-json/wide_all.log.zst", 19, 0)
	f("rsyslog_traditional_nginx.log.zst", "syslog+nginx-json", Tally{Lines: 20}, "nginx-json/wide_all.log.zst", 20, 0)
	f("syslog_ng_json_nginx.log.zst", "rsyslog-json+nginx-json", Tally{Lines: 20}, "nginx-json/wide_all.log.zst", 20, 0)
	f("journalctl_nginx.log.zst", "journald+nginx-json", Tally{Lines: 20}, "nginx-json/wide_all.log.zst", 20, 0)
	f("elasticdump_nginx.jsonl.zst", "elastic+nginx-json", Tally{Lines: 20}, "nginx-json/wide_all.log.zst", 20, 0)
	f("victorialogs_nginx.jsonl.zst", "member+nginx-json", Tally{Lines: 20}, "nginx-json/wide_all.log.zst", 20, 0)
	f("victorialogs_kong.jsonl.zst", "flattened+kong", Tally{Lines: 8}, "kong/documented.jsonl", 8, 0)
	f("victorialogs_caddy.jsonl.zst", "flattened+caddy", Tally{Lines: 20}, "caddy/caddy_2_6.log.zst", 20, 0)
	f("log4j_gelf_nginx.log.zst", "member+nginx-json", Tally{Lines: 20}, "nginx-json/wide_all.log.zst", 20, 0)
	f("otelcol_nginx.jsonl.zst", "otlp+nginx-json", Tally{Lines: 20}, "nginx-json/wide_all.log.zst", 20, 0)
	f("otelcol_parsed_nginx.jsonl.zst", "otlp+nginx-json", Tally{Lines: 20}, "nginx-json/wide_all.log.zst", 20, 0)
	f("portkey_logstream.sse.zst", "sse+portkey", Tally{Lines: 67, Blank: 51}, "portkey/log_stream.jsonl.zst", 16, 0)
	f("mitmproxy_hardump.har.zst", "json+archive+har", Tally{Lines: 2659, Blank: 2634}, "har/mitmproxy.jsonl.zst", 25, 0)

	cri := read(t, fixtures.Read(t, "wrappers/containerd_cri_litellm.log.zst"), Options{})
	if want := (Tally{Lines: 9, Blank: 2}); cri.format != "cri+litellm" || cri.tally != want || len(cri.requests) != 7 {
		t.Errorf("containerd: %s %+v, %d requests", cri.format, cri.tally, len(cri.requests))
	}
	if at := cri.at[6]; at.Line != 8 { // it goes on in line 9
		t.Errorf("containerd: the last request is in line %d", at.Line)
	}
}

// TestLongDocument: all records of a document come at its end, however many lines
// it takes.
func TestLongDocument(t *testing.T) {
	log := fixtures.Read(t, "wrappers/mitmproxy_hardump.har.zst")
	first, last := bytes.Index(log, []byte("            {\n")), bytes.LastIndex(log, []byte("        ]"))
	if first < 0 || last < first {
		t.Fatal("it is laid out otherwise")
	}
	entries := bytes.TrimSuffix(log[first:last], []byte("\n"))
	for _, times := range []int{5, headBlocks * BlockSize / len(entries) * 3 / 2} { // the second ends behind what tells the format
		long := slices.Concat(log[:first], bytes.Join(slices.Repeat([][]byte{entries}, times), []byte(",\n")), []byte("\n"), log[last:])
		if got := read(t, long, Options{}); got.format != "json+archive+har" || len(got.requests) != times*25 || got.tally.Lines < int64(times)*2_400 {
			t.Errorf("%s: %d requests, %+v", got.format, len(got.requests), got.tally)
		}
	}
}

// TestDocumentOfASession: older versions of Gemini CLI keep a session's messages in a document.
func TestDocumentOfASession(t *testing.T) {
	log := fixtures.Read(t, "formats/gemini-cli/session-2026-11-29T17-50-38a56e0f.jsonl")
	want := read(t, log, Options{})
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	var messages [][]byte
	for _, line := range lines[1:] {
		if bytes.Contains(line, []byte(`"type":`)) {
			messages = append(messages, line)
		}
	}
	member := bytes.Trim(lines[0], "{}")
	for between, format := range map[string]string{"": "archive+gemini-cli", "\n": "json+archive+gemini-cli"} {
		list := slices.Concat([]byte(`"messages":[`+between), bytes.Join(messages, []byte(","+between)), []byte(between+"]"))
		for _, in := range [][][]byte{{member, list}, {list, member}} { // jq -S sorts them
			document := slices.Concat([]byte("{"), bytes.Join(in, []byte(",")), []byte("}"))
			got := read(t, document, Options{})
			if got.format != format || len(want.requests) == 0 || !slices.Equal(got.requests, want.requests) || got.tally.Malformed != 0 {
				t.Errorf("%s: %+v, %d requests, want those of the lines as %s: %d", got.format, got.tally, len(got.requests), format, len(want.requests))
			}
			checkPlaces(t, format, document, got.at)
		}
	}
}

// checkPlaces: positions are those of lines of the log, and in their order.
func checkPlaces(tb testing.TB, name string, log []byte, at []fingerprint.Position) {
	tb.Helper()
	offsets := []int64{0}
	for i, c := range log {
		if c == '\n' {
			offsets = append(offsets, int64(i+1))
		}
	}
	for i, p := range at {
		if p.Line < 1 || p.Line > int64(len(offsets)) || offsets[p.Line-1] != p.Offset {
			tb.Fatalf("%s: request %d: line %d does not begin at %d", name, i+1, p.Line, p.Offset)
		}
		if i > 0 && !at[i-1].Before(p) {
			tb.Fatalf("%s: request %d at %+v is not behind %+v", name, i+1, p, at[i-1])
		}
	}
}

type collector struct {
	name string // of the wrapper
	json bool   // of JSON alone
	wrap func(lines []string) []string
}

// collectors wrap lines as their documentation says they do.
var collectors = []collector{
	{"docker", false, each(func(line string) (out []string) {
		for rest := line + "\n"; rest != ""; {
			n := min(len(rest), 16<<10)
			out = append(out, object("log", rest[:n], "stream", "stdout", "time", "2026-11-21T03:51:29.808365941Z"))
			rest = rest[n:]
		}
		return out
	})},
	{"cri", false, each(func(line string) (out []string) {
		for ; len(line) > 16<<10; line = line[16<<10:] {
			out = append(out, "2026-11-21T03:51:29.828676676Z stdout P "+line[:16<<10])
		}
		return append(out, "2026-11-21T03:51:29.828676676Z stdout F "+line)
	})},
	{"fluentbit", false, one(func(line string) string {
		return `{"date":1795231665.4,"log":` + quote(line) + `,"kubernetes":{"pod_name":"gw"}}`
	})},
	{"fluentbit", false, each(func(line string) []string { // its parser for container logs
		n := len(line) / 2
		for n > 0 && !utf8.RuneStart(line[n]) { // quote would write half a character otherwise
			n--
		}
		return []string{
			`{"@timestamp":"2026-11-21T03:51:29Z","stream":"stdout","_p":"P","log":` + quote(line[:n]) + `}`,
			`{"@timestamp":"2026-11-21T03:51:29Z","stream":"stdout","_p":"F","log":` + quote(line[n:]) + `}`,
		}
	})},
	{"fluentbit", true, one(func(line string) string { return `{"log_processed":` + line + `,"log":"x","time":"now"}` })},
	{"fluentd", false, one(func(line string) string { return "2026-11-21T03:51:29+00:00\tgw.access\t" + object("log", line+"\n") })},
	{"fluentd", false, one(func(line string) string { return "2026-11-21 03:51:29 +0000\tgw.access\t" + object("message", line) })},
	{"fluentd", true, one(func(line string) string { return "2026-11-21T03:51:29+00:00\tgw.access\t" + line })},
	{"fluentd", false, one(func(line string) string { return "gw.access: [1795231889.808365, " + object("log", line) + "]" })},
	{"fluentd", true, one(func(line string) string { return "gw.access: [1795231889.808365, " + line + "]" })},
	{"fluentd", true, one(func(line string) string { return "2026-11-21 03:51:29.808365941 +0000 gw.access: " + line })},
	{"vector", false, one(func(line string) string {
		return object("file", "/var/log/gw.log", "host", "h", "message", line, "source_type", "file", "timestamp", "2026-11-21T03:51:29Z")
	})},
	{"filebeat", false, one(func(line string) string {
		return `{"@timestamp":"2026-11-21T03:51:29.8Z","@metadata":{"beat":"filebeat"},"log":{"offset":1,"file":{"path":"/var/log/gw.log"}},"message":` + quote(line) + `,"input":{"type":"log"},"agent":{"type":"filebeat"},"host":{"name":"h"}}`
	})},
	{"filebeat", false, one(func(line string) string { // where a pipeline has taken the message apart
		return `{"@timestamp":"2026-11-21T03:51:29.8Z","ecs":{"version":"8.11.0"},"event":{"dataset":"gw.access","original":` + quote(line) + `,"ingested":"2026-11-21T03:51:31Z"},"agent":{"type":"filebeat"}}`
	})},
	{"filebeat", true, one(func(line string) string { // where it has taken JSON apart itself
		return `{"@timestamp":"2026-11-21T03:51:29.8Z","json":` + line + `,"log":{"offset":1},"input":{"type":"log"},"agent":{"type":"filebeat"}}`
	})},
	{"cloudwatch", false, func(lines []string) (out []string) { // a subscription
		for batch := range slices.Chunk(lines, 3) {
			var events []string
			for _, line := range batch {
				events = append(events, `{"id":"1","timestamp":1795231665400,"message":`+quote(line)+`}`)
			}
			out = append(out, `{"messageType":"DATA_MESSAGE","owner":"1","logGroup":"g","logStream":"s","subscriptionFilters":["f"],"logEvents":[`+strings.Join(events, ",")+`]}`)
		}
		return out
	}},
	{"cloudwatch", false, one(func(line string) string {
		return `{"timestamp":1795231665400,"message":` + quote(line) + `,"ingestionTime":1795231665500}`
	})},
	{"cloudwatch", false, one(func(line string) string { return "2026-11-21T03:51:29.808Z " + line })},
	{"cloudwatch", false, one(func(line string) string { return "2026-11-21T03:51:29.808000+00:00 gw/nginx/0f3c " + line })}, // aws logs tail
	{"cloudwatch", false, one(func(line string) string { return "2026-11-21T03:51:29 " + line })},                            // --format short
	{"cloudwatch", false, one(func(line string) string { return "2026-11-21T04:51:29.808365941+01:00 " + line })},            // kubectl logs --timestamps
	{"journald", false, one(func(line string) string {
		return `{"__REALTIME_TIMESTAMP":"1795231665400000","_SYSTEMD_UNIT":"gw.service","MESSAGE":` + quote(line) + `}`
	})},
	{"journald", false, one(func(line string) string { // -o json-seq
		return "\x1E" + `{"__REALTIME_TIMESTAMP":"1795231665400000","_SYSTEMD_UNIT":"gw.service","MESSAGE":` + quote(line) + `}`
	})},
	{"journald", false, one(func(line string) string { // Fluent Bit's systemd input
		return `{"date":1795231665.4,"PRIORITY":"6","_HOSTNAME":"h","_SYSTEMD_UNIT":"gw.service","SYSLOG_IDENTIFIER":"gw","MESSAGE":` + quote(line) + `}`
	})},
	{"journald", false, each(func(line string) (out []string) { // a line longer than LineMax
		for ; len(line) > 48<<10; line = line[48<<10:] {
			out = append(out, `{"__REALTIME_TIMESTAMP":"1795231665400000","_LINE_BREAK":"line-max","MESSAGE":`+bytesOf(line[:48<<10])+`,"_STREAM_ID":"f0"}`)
		}
		return append(out, `{"__REALTIME_TIMESTAMP":"1795231665400000","MESSAGE":`+quote(line)+`,"_STREAM_ID":"f0"}`)
	})},
	{"syslog", false, one(func(line string) string {
		return `<190>1 2026-11-21T03:51:30.761166+00:00 h nginx 12 - [a@1 k="v \"]\" w"][b@2] ` + line
	})},
	{"syslog", false, func(lines []string) []string { return []string{strings.Join(counted(lines), "")} }},
	{"syslog", false, counted},
	{"syslog", false, func(lines []string) (out []string) { // two on a line
		for pair := range slices.Chunk(counted(lines), 2) {
			out = append(out, strings.Join(pair, ""))
		}
		return out
	}},
	{"syslog", false, one(func(line string) string { return "<190>Nov  1 03:51:30 h nginx[12]: " + line })},
	{"syslog", false, one(func(line string) string { return "Nov 21 03:51:30 h nginx: " + line })},
	{"syslog", false, one(func(line string) string { return "Nov 21 03:51:30.761166 h nginx[12]: " + line })}, // journalctl -o short-precise
	{"syslog", false, one(func(line string) string { return "2026-11-21T03:51:30.761166+00:00 h nginx: " + line })},
	{"syslog", false, one(func(line string) string { return "<190>Nov 21 03:51:30 nginx: " + line })}, // nginx with nohostname
	{"rsyslog-json", false, one(func(line string) string {
		return object("@timestamp", "2026-11-21T03:51:30Z", "host", "h", "program", "nginx", "severity", "info", "message", line)
	})},
	{"rsyslog-json", false, one(func(line string) string { // syslog-ng's format-json
		return object("PROGRAM", "nginx", "PRIORITY", "info", "MESSAGE", line, "HOST", "h", "FACILITY", "local7", "DATE", "Nov 21 03:51:30")
	})},
	{"elastic", true, one(func(line string) string { return `{"_index":"logs","_id":"1","_score":1,"_source":` + line + `}` })},
	{"loki", false, one(func(line string) string {
		return `{"labels":{"job":"gw"},"line":` + quote(line) + `,"timestamp":"2026-11-21T03:51:29Z"}`
	})},
	{"loki", false, one(func(line string) string { return "1795231889000\t2026-11-21T03:51:29.000Z\t" + line })}, // Grafana's txt
	{"google", false, one(func(line string) string {
		return object("insertId", "1", "logName", "projects/p/logs/stdout", "textPayload", line, "timestamp", "2026-11-21T03:51:29Z")
	})},
	{"google", true, one(func(line string) string {
		return `{"insertId":"1","jsonPayload":` + line + `,"logName":"projects/p/logs/stdout","timestamp":"2026-11-21T03:51:29Z"}`
	})},
	{"splunk", false, one(func(line string) string {
		return `{"preview":false,"offset":0,"result":` + object("_raw", line, "_time", "2026-11-21 03:51:29.000 UTC", "host", "h") + `}`
	})},
	{"otlp-attributes", true, one(func(line string) string {
		return `{"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[{"timeUnixNano":"1795231665400000000","body":{"stringValue":"an access"},"attributes":` + attributes(line) + `}]}]}]}`
	})},
	{"otlp", false, func(lines []string) (out []string) {
		for batch := range slices.Chunk(lines, 3) {
			var records []string
			for _, line := range batch {
				records = append(records, `{"observedTimeUnixNano":"1795231665400000000","body":{"stringValue":`+quote(line)+`},"attributes":[{"key":"log.file.name","value":{"stringValue":"gw.log"}}],"traceId":"","spanId":""}`)
			}
			out = append(out, `{"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[`+strings.Join(records, ",")+`]}]}]}`)
		}
		return out
	}},
	{"cloudwatch+json", true, each(func(line string) []string { // aws logs tail --format json
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(line), "", "    "); err != nil {
			panic(err)
		}
		return strings.Split("2026-11-21T03:51:29.012345+00:00 gateway/7 "+b.String(), "\n")
	})},
	{"console", false, one(func(line string) string { return "gateway-1  | " + line })},
	{"console", false, one(func(line string) string { return "\x1b[36mgateway-1  | \x1b[0m" + line })},
	{"console", false, one(func(line string) string { return "[pod/gw-6d5f/nginx] " + line })},
	{"console", true, one(func(line string) string { return "gw-6d5f nginx " + line })},                                           // stern's
	{"cloudwatch+console", true, one(func(line string) string { return "2026-11-21T03:51:29.012345+00:00 app[web.1]: " + line })}, // Heroku's
	{"cloudwatch+console", true, one(func(line string) string { return "2026-11-21T03:51:29Z app[148e21] fra [info]" + line })},   // Fly's
	{"csv", true, func(lines []string) []string { // CloudWatch's Logs Insights
		return append([]string{"@timestamp,@message,stream 2"}, one(func(line string) string {
			return `2026-11-21 03:51:29.000,"` + strings.ReplaceAll(line, `"`, `""`) + `",gateway/7`
		})(lines)...)
	}},
	{"sse", true, each(func(line string) []string { return []string{"event: log", "data: " + line, "id: 1", ""} })},
	{"quoted", false, one(quote)},
	{"member", false, one(func(line string) string { return object("level", "info", "message", line) })},
	{"member", false, one(func(line string) string { // Kafka Connect's converters
		return `{"schema":{"type":"bytes","optional":false},"payload":"` + base64.StdEncoding.EncodeToString([]byte(line)) + `"}`
	})},
	{"member", true, one(func(line string) string { // CloudEvents
		return `{"specversion":"1.0","id":"1","source":"gw","type":"access","time":"2026-11-21T03:51:29Z","data":` + line + `}`
	})},
	{"json", true, each(func(line string) []string {
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(line), "", "  "); err != nil {
			panic(err)
		}
		return strings.Split(b.String(), "\n")
	})},
	{"json", true, func(lines []string) []string {
		return append(append([]string{"["}, strings.Split(strings.Join(lines, ",\n"), "\n")...), "]")
	}},
	{"json", true, func(lines []string) []string { return []string{strings.Join(lines, "")} }},
	// Arrays on a line are no wrapper: whatever is read may come in one.
	{"", true, func(lines []string) []string { return []string{array(lines)} }},
	{"", true, one(func(line string) string { return " [ " + line + " ] " })},
	{"", true, func(lines []string) (out []string) { // a batch a line
		for batch := range slices.Chunk(lines, 3) {
			out = append(out, array(batch))
		}
		return out
	}},
	{"", true, func(lines []string) []string { // behind ordinary lines
		n := len(lines) / 2
		return append(slices.Clone(lines[:n]), array(lines[n:]))
	}},
}

// counted are messages of syslog that have their length in front, as RFC 6587
// has it in streams.
func counted(lines []string) (out []string) {
	for _, line := range lines {
		message := "<190>1 2026-11-21T03:51:30.761166+00:00 h nginx 12 - - " + line
		out = append(out, fmt.Sprintf("%d %s", len(message), message))
	}
	return out
}

// attributes are the members of an object as OpenTelemetry has them.
func attributes(object string) string {
	d := json.NewDecoder(strings.NewReader(object))
	d.UseNumber()
	next := func() json.Token {
		token, err := d.Token()
		if err != nil {
			panic(err)
		}
		return token
	}
	var members, value func() string
	members = func() string {
		var list []string
		for d.More() {
			key := next().(string)
			list = append(list, `{"key":`+quote(key)+`,"value":`+value()+`}`)
		}
		next()
		return array(list)
	}
	value = func() string {
		switch token := next().(type) {
		case json.Delim:
			if token == '{' {
				return `{"kvlistValue":{"values":` + members() + `}}`
			}
			var list []string
			for d.More() {
				list = append(list, value())
			}
			next()
			return `{"arrayValue":{"values":` + array(list) + `}}`
		case string:
			return `{"stringValue":` + quote(token) + `}`
		case json.Number:
			if _, err := token.Int64(); err == nil {
				return `{"intValue":"` + token.String() + `"}`
			}
			return `{"doubleValue":` + token.String() + `}`
		case bool:
			return fmt.Sprintf(`{"boolValue":%t}`, token)
		}
		return `{}`
	}
	next()
	return members()
}

func array(lines []string) string { return "[" + strings.Join(lines, ",") + "]" }

func one(f func(string) string) func([]string) []string {
	return each(func(line string) []string { return []string{f(line)} })
}

func each(f func(string) []string) func([]string) []string {
	return func(lines []string) (out []string) {
		for _, line := range lines {
			out = append(out, f(line)...)
		}
		return out
	}
}

func object(members ...string) string {
	var b strings.Builder
	for i := 0; i < len(members); i += 2 {
		fmt.Fprintf(&b, `,%q:%s`, members[i], quote(members[i+1]))
	}
	return "{" + b.String()[1:] + "}"
}

func quote(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// TestCollectors: whatever wraps a log, once or several times, it is read as
// if nothing did, and each physical line is accounted for.
func TestCollectors(t *testing.T) {
	logs := map[string][]string{}
	for name, file := range map[string]string{
		"envoy-json": "envoy-json/envoy_json.jsonl.zst", "combined": "combined/nginx_combined.log", "haproxy": "haproxy/httplog.log",
		"caddy": "caddy/log_append_body.jsonl.zst", "nginx-json": "nginx-json/wide_all.log.zst", "envoy-text": "envoy-text/envoy_default_text.log",
	} {
		logs[name] = strings.Split(strings.TrimSpace(string(fixtures.Read(t, "formats/"+file))), "\n")
	}
	isJSON := func(format string) bool { return formats.ByName(format).JSON }
	names := []string{"envoy-json", "combined", "haproxy", "caddy", "nginx-json", "envoy-text"}
	f := func(tb testing.TB, format string, chain []int, from, n, size int) {
		tb.Helper()
		lines := logs[format][from:min(from+n, len(logs[format]))]
		want := read(tb, []byte(strings.Join(lines, "\n")+"\n"), Options{Format: formats.ByName(format)})
		name, json, inArray := format, isJSON(format), false
		for _, i := range chain {
			c := collectors[i]
			if c.json && !json {
				return
			}
			if c.name == "" && inArray {
				return // nobody nests arrays
			}
			if (c.name == "fluentd" || c.name == "otlp-attributes") && c.json && inArray {
				return // their records are objects
			}
			if c.name == "csv" && strings.Contains(name, "csv+") {
				return // the inner columns' names, with a digit in them, are not on the first line
			}
			wrapped := c.wrap(lines)
			if c.name == "cloudwatch" && slices.ContainsFunc(wrapped, isSyslog) {
				return // a time in front of lines with a tag
			}
			if slices.Equal(wrapped, lines) {
				return // one object on a line is no wrapper
			}
			if lines = wrapped; c.name != "" {
				name = c.name + "+" + name
			}
			inArray = c.name == ""
			json = strings.ContainsAny(lines[0][:1], "{[ ") && c.name != "json" && c.name != "console"
		}
		log := []byte(strings.Join(lines, "\n") + "\n")
		got := read(tb, log, Options{})
		if cut := read(tb, log, Options{Format: formats.ByName(name), blockSize: size}); got.format == name && !cmp.Equal(got, cut, cmp.AllowUnexported(told{})) {
			tb.Fatalf("%s: in blocks of %d it is not the same", name, size)
		}
		if got.format != name {
			tb.Fatalf("%s is detected as %s", name, got.format)
		}
		if diff := cmp.Diff(want.requests, got.requests); diff != "" {
			tb.Fatalf("%s (-want +got):\n%.2000s", name, diff)
		}
		if got.tally.Malformed != 0 || got.tally.Lines != got.tally.Blank+int64(len(got.requests)) {
			tb.Fatalf("%s: %+v with %d requests", name, got.tally, len(got.requests))
		}
		begun := map[int64]bool{}
		for _, at := range got.at {
			begun[at.Line] = true
		}
		if blank := int64(len(lines) - len(begun)); got.tally.Blank != blank {
			tb.Fatalf("%s: %d of %d lines are blank, want %d", name, got.tally.Blank, len(lines), blank)
		}
		checkPlaces(tb, name, log, got.at)
	}
	every := 1
	if testing.Short() {
		every = 5
	}
	for i := range collectors {
		for j, format := range names {
			if (i+j)%every == 0 {
				f(t, format, []int{i}, 0, 40, 0)
				f(t, format, []int{i}, 20, 25, 3_000)
			}
		}
		for j := i % every; j < len(collectors); j += every {
			f(t, "envoy-json", []int{i, j}, 0, 2, 0)
			if collectors[j].name == "" { // of the wrapped, and wrapped itself
				f(t, "combined", []int{i, j}, 0, 10, 500)
				f(t, "envoy-json", []int{i, j}, 0, 10, 500)
				f(t, "envoy-json", []int{j, i}, 0, 10, 500)
			}
		}
	}
	at := func(name string) int {
		return slices.IndexFunc(collectors, func(c collector) bool { return c.name == name })
	}
	for i := range collectors {
		if collectors[i].name == "cloudwatch" { // one of them puts a time in front, as syslog does
			f(t, "envoy-json", []int{at("sse"), i}, 0, 10, 500)
		}
	}
	// Up to the first blank all could be a container's time, and what comes after the
	// tag, cut in the middle of a value, a line whose backslashes were doubled.
	f(t, "nginx-json", []int{at("cri"), at("fluentbit") + 1, at("fluentd") + 2}, 0, 4, 100)
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom(names).Draw(t, "format")
		chain := rapid.SliceOfN(rapid.IntRange(0, len(collectors)-1), 1, 3).Draw(t, "chain")
		from := rapid.IntRange(0, 30).Draw(t, "from")
		n := rapid.IntRange(1, 12).Draw(t, "n")
		f(fatal{TB: nil, t: t}, format, chain, from, n, rapid.IntRange(100, 100_000).Draw(t, "block"))
	})
}

// isSyslog tells that a line begins with time, host and tag as rsyslog writes them.
func isSyslog(line string) bool {
	words := strings.SplitN(line, " ", 4)
	return len(words) == 4 && strings.HasPrefix(words[0], "2026-") && strings.HasSuffix(words[2], ":")
}

// fatal lets a rapid.T stand for a testing.TB.
type fatal struct {
	testing.TB
	t *rapid.T
}

func (f fatal) Helper()                      {}
func (f fatal) Logf(format string, a ...any) { f.t.Logf(format, a...) }
func (f fatal) Fatal(a ...any)               { f.t.Fatal(a...) }
func (f fatal) Fatalf(s string, a ...any)    { f.t.Fatalf(s, a...) }

// TestHeadersOfHAProxy: it writes the priority alone in front with format short, the
// time behind it with format timed, and the time alone with format iso.
func TestHeadersOfHAProxy(t *testing.T) {
	const line = `10.0.0.7:80 [21/Nov/2026:10:00:00.123] f b/s 0/0/0/1/1 200 9 - - ---- 1/1/1/1/0 0/0 "GET /a HTTP/1.1"`
	for _, line := range []string{line, `{"tr":"21/Nov/2026:10:00:00.123","client":"10.0.0.7:80","method":"GET","path":"/a","status":200,"Ta":1}`} {
		bare := read(t, []byte(line), Options{})
		for header, around := range map[string]string{
			"<6>": "syslog", "<134>": "syslog", "<6>2026-11-21T10:00:00.124742+00:00 ": "syslog",
			"2026-11-21T10:00:00.124742+00:00 ": "cloudwatch", "2026-11-21T11:00:00.124742+01:00 ": "cloudwatch",
		} {
			got := read(t, []byte(header+line), Options{})
			if got.format != around+"+"+bare.format || !slices.Equal(got.requests, bare.requests) {
				t.Errorf("%s%s: %s %q", header, line, got.format, got.requests)
			}
		}
	}
}

// TestFlattenedRecords: of a format that is told by what lies beside objects, too, what
// was in them is read; where dots are a part of names, they are.
func TestFlattenedRecords(t *testing.T) {
	f := func(log, want string) {
		t.Helper()
		name := ""
		if got := Detect([]byte(log)); got != nil {
			name = got.Name
		}
		if name != want {
			t.Errorf("%s is %q, want %q", log, name, want)
		}
	}
	f(`{"startTime":1,"call_type":"acompletion","messages":"[]","metadata.requester_metadata.session_id":"s"}`, "flattened+litellm")
	f(`{"startTime":1,"call_type":"acompletion","messages":[],"metadata":{"a.b":"c"},"x.y":"z"}`, "litellm")
	f(`{"_time":"2026-11-21T10:00:00Z","logger":"http.log.access","request.method":"GET","request.uri":"/","status":"200"}`, "flattened+caddy")
	f(`{"app":"gw","message":"m","started_at":1,"request.method":"GET","latencies.proxy":1}`, "flattened+kong")
	f("started_at,request.method,request.uri,response.status,latencies.proxy\n1795231665000,POST,/,200,5\n", "table+flattened+kong")
	f("started_at,request.method,latencies.proxy,"+strings.Repeat("a.", 40)+"b,ai.proxy.payload.request\n1795231665000,POST,5,,\"{\"\"model\"\":\"\"m\"\"}\"\n", "table+flattened+kong")
	f(`{"startTime":1,"call_type":"acompletion","messages":[],"metadata.a":"b","metadata.c":"d","model_parameters":{}}`, "flattened+litellm")
	f(`{"start_time":"2026-11-21T10:00:00Z","method":"POST","response_code":200,"session.id":"s"}`, "envoy-json")
	f(`{"time":"2026-11-21T10:00:00Z","request":"GET / HTTP/1.1","status":200,"request.id":"a"}`, "nginx-json")
	f(`{"time":1,"session":"s","attributes.a":"b"}`, "loopgauge")
	f(`{"a.b":1,"message":"{\"time\":1,\"session\":\"s\"}"}`, "member+loopgauge")
	f(`{"span_id":"1","@timestamp":"2026-11-21T10:00:00Z","duration":5,"attributes.gen_ai.operation.name":"chat","attributes.gen_ai.request.model":"m"}`, "") // names of attributes have dots
	f(`{"timestamp":"2026-11-21T10:00:00Z","logger":"app","request.method":"GET","request.path":"/","status":200}`, "")                                       // a program's
}

// TestAccessLogAsRecords: of gateways that write their access log as records of
// OpenTelemetry the attributes are read, also beside a body of text, which says less.
func TestAccessLogAsRecords(t *testing.T) {
	f := func(name, format, first string) {
		t.Helper()
		got := read(t, fixtures.Read(t, "wrappers/"+name), Options{})
		if got.format != format || len(got.requests) != 11 || got.tally != (Tally{Lines: 11}) {
			t.Errorf("%s: %s, %d requests, %+v", name, got.format, len(got.requests), got.tally)
		} else if !strings.HasPrefix(got.requests[0], first) {
			t.Errorf("%s begins with %.200s", name, got.requests[0])
		}
	}
	f("traefik_otlp.jsonl.zst", "otlp-attributes+traefik", `1795937047595432 1795937047665453 POST /v1/chat/completions 06da-stuck-c75e58 "" [] 200`)
	f("envoy_otlp.jsonl.zst", "otlp-attributes+envoy-json", `1795937341419000 1795937341481000 POST /v1/chat/completions 92a5-stuck-1caad1 "{\"model\":\"mock-1\",`)

	// What says no time was written at the record's, also if the Collector took it out of
	// the body.
	timed := func(record, want string) {
		t.Helper()
		got := read(t, []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[`+record+`]}]}]}`), Options{})
		if text := got.format + " " + strings.Join(got.requests, "; "); !strings.HasPrefix(text, want) {
			t.Errorf("%s is %s, want %s", record, text, want)
		}
	}
	const nginx = `{"key":"status","value":{"stringValue":"200"}},{"key":"request","value":{"stringValue":"GET /v1/models HTTP/1.1"}},{"key":"remote_addr","value":{"stringValue":"::1"}}]}`
	timed(`{"timeUnixNano":"1795231479125000001","attributes":[`+nginx, "otlp-attributes+nginx-json 1795231479125000 ")
	timed(`{"attributes":[`+strings.TrimSuffix(nginx, "}")+`,"timeUnixNano":"1795231479125000001"}`, "otlp-attributes+nginx-json 1795231479125000 ")
	timed(`{"timeUnixNano":"1795231479125000001","body":{"kvlistValue":{"values":[`+nginx+"}}", "otlp+nginx-json 1795231479125000 ")
	timed(`{"timeUnixNano":"1795231479125000001","attributes":[{"key":"time_iso8601","value":{"stringValue":"2026-11-21T03:51:29Z"}},`+nginx, "otlp-attributes+nginx-json 1795233089000000 ")
	timed(`{"timeUnixNano":"1795937341419000000","attributes":[{"key":":method","value":{"stringValue":"POST"}},{"key":":path","value":{"stringValue":"/"}},{"key":"response_code","value":{"intValue":"200"}},{"key":"response_flags","value":{"stringValue":"-"}}]}`,
		"otlp-attributes+envoy-json 1795937341419000 ")
	timed(`{"observedTimeUnixNano":"1795231479125000001","attributes":[`+nginx, "otel ") // when it was read is no time
	timed(`{"timeUnixNano":"0","attributes":[`+nginx, "otel ")

	// What the Collector's parsers put there stands in the body as it was, unless that
	// was removed, or has other words.
	const parsed = `"attributes":[{"key":"log.file.name","value":{"stringValue":"access.log"}},{"key":"time","value":{"doubleValue":1}},{"key":"id","value":{"stringValue":"a"}}]}`
	is := func(record, want string) {
		t.Helper()
		line := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + record + `]}]}]}`
		if got := Detect([]byte(line)); got == nil || got.Name != want {
			t.Errorf("%s is %v", line, got)
		}
	}
	is(`{"body":{},`+parsed, "otlp-attributes+loopgauge")
	is(`{"body":{"stringValue":"access"},`+parsed, "otlp-attributes+loopgauge")
	is(`{"body":{"stringValue":"{\"time\":1.0,\"id\":\"a\"}"},`+parsed, "otlp+loopgauge")
	is(`{"body":{"bytesValue":"`+base64.StdEncoding.EncodeToString([]byte(`{"time":1,"id":"a"}`))+`"}}`, "otlp+loopgauge")
	is(`{"body":{"stringValue":"{\"time\":1.0,\"id\":\"a\"}"},"attributes":[{"key":"time","value":{"doubleValue":1}},{"key":"id","value":{"stringValue":"a"}}]}`, "otlp+loopgauge")
	is(`{"body":{"stringValue":"10.0.0.1 - - [21/Nov/2026:03:51:29 +0000] \"GET /v1/models HTTP/1.1\" 200 5 \"-\" \"curl\""},"attributes":[{"key":"log.file.name","value":{"stringValue":"access.log"}},`+
		`{"key":"remote_addr","value":{"stringValue":"10.0.0.1"}},{"key":"time_local","value":{"stringValue":"21/Nov/2026:03:51:29 +0000"}},{"key":"method","value":{"stringValue":"GET"}},`+
		`{"key":"path","value":{"stringValue":"/v1/models"}},{"key":"status","value":{"stringValue":"200"}}]}`, "otlp+combined")
}

// TestLinesBesideEvents: what the Collector read from files beside the events of an
// instrumentation does not hide the calls of models that they tell of.
func TestLinesBesideEvents(t *testing.T) {
	const of = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1000","body":{"stringValue":"{\"time\":1,\"id\":\"a\"}"}}%s]}]}]}`
	for more, want := range map[string]string{
		"": "otlp+loopgauge",
		`,{"timeUnixNano":"1000","eventName":"gen_ai.choice"}`:                                                 "otel",
		`,{"timeUnixNano":"1000","attributes":[{"key":"event.name","value":{"stringValue":"gen_ai.choice"}}]}`: "otel",
	} {
		if got := Detect(fmt.Appendf(nil, of, more)); got == nil || got.Name != want {
			t.Errorf("%s is %v, want %s", more, got, want)
		}
		if got, bad, _ := readLines("otlp+loopgauge", strings.Repeat(fmt.Sprintf(of, more)+"\n", 2)); len(got) != 2 || bad != nil {
			t.Errorf("%s: %q, %q", more, got, bad)
		}
	}
}

// TestParsedByCollector: what the Collector's json_parser has put into the body is
// the line again, also beside other lines.
func TestParsedByCollector(t *testing.T) {
	const of = `{"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[{"observedTimeUnixNano":"1795860606872475930","body":%s,"attributes":[{"key":"log.file.name","value":{"stringValue":"gw.log"}}],"traceId":"","spanId":""}]}]}]}` + "\n"
	parsed := fmt.Sprintf(of, `{"kvlistValue":{"values":[{"key":"status","value":{"doubleValue":200}},{"key":"id","value":{"stringValue":"a \"b\""}},{"key":"time","value":{"doubleValue":1795859555.221}},{"key":"attributes","value":{"kvlistValue":{"values":[{"key":"k","value":{"boolValue":true}}]}}}]}}`)
	line := fmt.Sprintf(of, `{"stringValue":"{\"time\":1,\"id\":\"c\"}"}`)
	for log, want := range map[string]string{parsed: `1.0 a "b"`, line + parsed: `1.0 c, 2.0 a "b"`} {
		f := Detect([]byte(log))
		if f == nil || f.Name != "otlp+loopgauge" {
			t.Errorf("%s is %v", log, f)
			continue
		}
		if got, bad, _ := readLines(f.Name, log); strings.Join(got, ", ") != want || bad != nil {
			t.Errorf("%s: %q, %q", log, got, bad)
		}
	}
}

// TestMember: what a usual name says is believed where a line is under it, in most of the
// records if these are something by themselves; words beside a record are no line.
func TestMember(t *testing.T) {
	const line = `{\"time\":1,\"id\":\"a\"}`
	const access = `"method":"POST","uri":"/v1/chat/completions","status":200,"time_iso8601":"2026-11-21T03:51:29+00:00"`
	for log, want := range map[string]string{
		`{"time":1,"body":"` + line + `"}`:                                                        "member+loopgauge",
		`{"time":1,"body":"{\"model\":\"m\"}"}`:                                                   "loopgauge",
		`{"time":1,"body":"` + line + `"}` + "\n" + `{"time":1,"id":"b"}`:                         "loopgauge",
		`{"time":1,"body":"` + line + `"}` + strings.Repeat("\n"+`{"time":1,"body":"x"}`, 2):      "loopgauge",
		`{"time":1,"path":"/var/log/x","body":"` + line + `"}`:                                    "member+loopgauge",
		`{"time":1,"method":"POST","body":"` + line + `"}`:                                        "loopgauge", // a client's
		`{"time":1,"method":"POST","message":"` + line + `"}`:                                     "member+loopgauge",
		`{"msg":"access","hostname":"h","payload":{"time":1,"id":"a"}}`:                           "member+loopgauge",
		`{"message":"` + line + `","event":{"dataset":"gw"}}`:                                     "member+loopgauge",
		`{"text":"` + line + `","record":{"message":"` + line + `","line":7}}`:                    "member+member+loopgauge", // loguru
		`{"records":[{"category":"gw","data":"` + line + `"}]}`:                                   "member+member+loopgauge",
		`{"id":"a","parentId":"","timestamp":1,"type":"a.b","data":"` + line + `"}`:               "member+loopgauge", // no session of Copilot's
		`{"host":"h","message":"` + base64.StdEncoding.EncodeToString([]byte(record("a"))) + `"}`: "rsyslog-json+loopgauge",
		`{"level":30,"time":1,"pid":7,"hostname":"h",` + access + `,"msg":"access"}`:              "nginx-json", // not another program's of pino
		`{` + access + `,"body":"` + line + `"}`:                                                  "nginx-json", // a client's
		`{` + access + `,"body":"` + line + `"}` + strings.Repeat("\n"+`{"body":"`+line+`"}`, 2):  "member+loopgauge",
	} {
		if got := Detect([]byte(log)); got == nil || got.Name != want {
			t.Errorf("%s is %v, want %s", log, got, want)
		}
	}
	got, bad, _ := readLines("member+loopgauge", `{"level":"info","message":"started"}`+"\n"+`{"data":"`+line+`"}`+"\n"+`{"level":"info"}`+"\n")
	if strings.Join(got, ", ") != "2.0 a" || strings.Join(bad, ", ") != "1: expected a value, 3: no line in it: expected message or msg or MESSAGE ..." {
		t.Errorf("%q, %q", got, bad)
	}
}

// TestLostPart: a container that was killed in the midst of a record holds no whole
// ones behind it back, to be given up with it when they are too long together.
func TestLostPart(t *testing.T) {
	journal := func(members ...string) string {
		return object(append([]string{"__REALTIME_TIMESTAMP", "1"}, members...)...) + "\n"
	}
	log := journal("MESSAGE", `{"time":1,`, "CONTAINER_PARTIAL_ID", "1", "CONTAINER_PARTIAL_MESSAGE", "true") +
		strings.Repeat(journal("MESSAGE", `{"time":1,"id":"a"}`), 3000)
	got := read(t, []byte(log), Options{Format: formats.ByName("journald+loopgauge"), MaxLine: len(log) / 2})
	if want := (Tally{Lines: 3001, Malformed: 1}); len(got.requests) != 3000 || got.tally != want {
		t.Errorf("%d requests, %+v, want %+v", len(got.requests), got.tally, want)
	}
}

// TestTooLongRecord: of a record over several lines that is too long all are accounted
// for, however much is read at a time.
func TestTooLongRecord(t *testing.T) {
	f := func(format, begun, part string, ends ...string) {
		t.Helper()
		a := strings.Join(ends, "\n") + "\n"
		log := begun + "\n" + strings.Repeat(part+"\n", 6) + a + a
		lines := int64(strings.Count(log, "\n"))
		for _, log := range []string{log, strings.TrimSuffix(log, "\n")} {
			for _, size := range []int{16, 64, 150, 1000} {
				got := read(t, []byte(log), Options{Format: formats.ByName(format), MaxLine: 100, blockSize: size})
				if got.tally.Lines != lines || got.tally.Malformed == 0 || len(got.requests) == 0 || got.tally.Blank+got.tally.Malformed+int64(len(got.requests)) != lines {
					t.Errorf("%s, in blocks of %d: %d requests, %+v, want %d lines", format, size, len(got.requests), got.tally, lines)
				}
			}
		}
	}
	cri := func(tag, text string) string { return "2026-11-21T03:51:29.8Z stdout " + tag + " " + text }
	x := strings.Repeat("x", 30)
	f("cri+loopgauge", cri("P", x), cri("P", x), cri("F", record("a")))
	f("json+loopgauge", `{"time":1,"body":[`, `"`+x+`",`, `"x"]}`, "{", `"time":1`, "}")
	f("docker+loopgauge", object("log", x), object("log", x), object("log", record("a")+"\n"))
}

// TestBrokenWrappings: a part without its others is no request, and nothing is
// lost without being counted.
func TestBrokenWrappings(t *testing.T) {
	f := func(format, log string, requests int, tally Tally) {
		t.Helper()
		got := read(t, []byte(log), Options{Format: formats.ByName(format)})
		if len(got.requests) != requests || got.tally != tally {
			t.Errorf("%q: %d requests, %+v, want %d, %+v", log, len(got.requests), got.tally, requests, tally)
		}
	}
	a, b := `{"time":1,"id":"a"}`, `{"time":2,"id":"b"}`
	docker := func(log string) string { return object("log", log, "stream", "stdout", "time", "t") + "\n" }
	errors := func(log string) string { return object("log", log, "stream", "stderr", "time", "t") + "\n" }
	f("docker+loopgauge", docker(a[:5])+docker(a[5:]+"\n")+docker(b+"\n"), 2, Tally{Lines: 3, Blank: 1})
	f("docker+loopgauge", docker(a[:5])+errors("started\n")+docker(a[5:]+"\n"), 1, Tally{Lines: 3, Blank: 1, Malformed: 1})
	f("docker+loopgauge", docker(a+"\n")+docker(b[:5]), 1, Tally{Lines: 2, Malformed: 1})
	f("docker+loopgauge", docker(a[5:]+"\n")+docker(b+"\n"), 1, Tally{Lines: 2, Malformed: 1}) // rotated in the middle
	f("docker+loopgauge", docker(a+"\n")+"\n{\n", 1, Tally{Lines: 3, Blank: 1, Malformed: 1})
	f("docker+loopgauge", docker("\n")+docker(a+"\n"), 1, Tally{Lines: 2, Blank: 1})
	cri := func(tag, text string) string { return "2026-11-21T03:51:29.8Z stdout " + tag + " " + text + "\n" }
	f("cri+loopgauge", cri("P", a[:5])+cri("P", a[5:9])+cri("F", a[9:])+cri("F", b), 2, Tally{Lines: 4, Blank: 2})
	f("cri+loopgauge", cri("F", a)+cri("P", b), 1, Tally{Lines: 2, Malformed: 1})
	journal := func(text, members string) string {
		return `{"__REALTIME_TIMESTAMP":"1","MESSAGE":` + quote(text) + members + "}\n"
	}
	const split = `,"_LINE_BREAK":"line-max","_STREAM_ID":`
	f("journald+loopgauge", journal(a[:5], split+`"1"`)+journal(b[:5], split+`"2"`)+journal(a[5:], `,"_STREAM_ID":"1"`)+journal(b[5:], `,"_LINE_BREAK":"eof","_STREAM_ID":"2"`), 2, Tally{Lines: 4, Blank: 2})
	f("journald+loopgauge", journal(a[:5], `,"CONTAINER_PARTIAL_ID":"1","CONTAINER_PARTIAL_MESSAGE":"true"`)+journal(a[5:], `,"CONTAINER_PARTIAL_ID":"1","CONTAINER_PARTIAL_LAST":"true"`)+journal(b, ""), 2, Tally{Lines: 3, Blank: 1})
	f("journald+loopgauge", journal(a, "")+journal(b[:5], split+`"1"`), 1, Tally{Lines: 2, Malformed: 1})
	f("cri+loopgauge", cri("F", a)+"2026-11-21T03:51:29.8Z stdout X "+b+"\n", 1, Tally{Lines: 2, Malformed: 1})
	f("cri+loopgauge", cri("F", "["+a+","+b+"]"), 2, Tally{Lines: 2})
	f("syslog+loopgauge", "<1>1 - h a - - - "+a+"\n<1>1 - h a - - -\nnonsense\n", 1, Tally{Lines: 3, Malformed: 1, Blank: 1})
	f("json+loopgauge", a+b+"\n{\n\"time\":3,\n\"id\":\"c\"}\n\n{", 3, Tally{Lines: 7, Blank: 3, Malformed: 1})
	f("json+loopgauge", "started\n"+a+b+"\n", 2, Tally{Lines: 3, Malformed: 1})
	f("json+loopgauge", "[\n"+a+",\n"+b+"\n]\n", 2, Tally{Lines: 4, Blank: 2})
	f("cloudwatch+loopgauge", `{"messageType":"CONTROL_MESSAGE","logEvents":[{"message":"CWL CONTROL MESSAGE: Checking health"}]}`+"\n", 0, Tally{Lines: 1, Blank: 1})
	f("cloudwatch+loopgauge", `{"logEvents":[{"message":`+quote(a)+`},{"message":"started"},{"message":`+quote(b)+`}]}`+"\n", 2, Tally{Lines: 3, Malformed: 1})
	f("fluentd+loopgauge", "gw.access: [1795231889.5, "+a+"] \r\ngw.access: [1795231889.5, "+b+"]\r\n", 2, Tally{Lines: 2})
	f("quoted+loopgauge", quote(a)+"\n"+quote(b)[:9]+"\n"+quote(b)+" x\nstarted\n"+quote("")+"\n", 1, Tally{Lines: 5, Malformed: 3, Blank: 1})
	f("sse+loopgauge", "data: "+a+"\n\ndata: [DONE]\n", 1, Tally{Lines: 3, Blank: 2})
}

// TestTimeInFront: a record whose time a parser took gets the one in front, and none
// that has its own.
func TestTimeInFront(t *testing.T) {
	f := func(format, log string, want int64) {
		t.Helper()
		got := read(t, []byte(log+"\n"), Options{})
		if at := fmt.Sprint(want, " "); got.format != "fluentd+"+format || len(got.requests) != 1 || !strings.HasPrefix(got.requests[0], at) {
			t.Errorf("%s\n%s: %q, want %s", log, got.format, got.requests, at)
		}
	}
	const at = 1795231889_000_000
	const record = `{"request_method":"POST","request_uri":"/","status":200}`
	f("nginx-json", "gw.access: [1795231889.5, "+record+"]", at+500_000)
	f("nginx-json", "2026-11-21T03:31:29+00:00\tgw.access\t"+record, at)
	f("nginx-json", "2026-11-21T03:31:29.25Z\tgw.access\t"+record, at+250_000)
	f("nginx-json", "2026-11-21 05:31:29 +0200\tgw.access\t"+record, at)
	f("nginx-json", "2026-11-21 03:31:29.808365941 +0000 gw.access: "+record, at+808_365)
	f("nginx-json", "gw.access: [1795231889.5, "+strings.Replace(record, "{", `{"msec":1795231880,`, 1)+"]", at-9_000_000)
	f("envoy-json", `gw.access: [1795231889.5, {"method":"POST","path":"/","response_code":200,"response_flags":"-"}]`, at+500_000)
	f("caddy", `gw.access: [1795231889.5, {"logger":"http.log.access","msg":"handled request","request":{"method":"POST","uri":"/"},"status":200}]`, at+500_000)
}

// TestLongParts: the first record may fill several blocks.
func TestLongParts(t *testing.T) {
	body := strings.Repeat("x", 3<<20)
	docker := collectors[0].wrap([]string{`{"time":1,"body":"` + body + `","id":"a"}`, `{"time":2,"id":"b"}`})
	got := read(t, []byte(strings.Join(docker, "\n")), Options{})
	if want := (Tally{Lines: int64(len(docker)), Blank: int64(len(docker)) - 2}); got.format != "docker+loopgauge" || got.tally != want {
		t.Errorf("%s %+v, want %+v", got.format, got.tally, want)
	}
}

// TestWrappedInTopics: a record of a topic may be wrapped too.
func TestWrappedInTopics(t *testing.T) {
	format := formats.ByName("docker+loopgauge")
	data := []byte(object("log", `{"time":1,"id":"a"}`+"\n", "stream", "stdout", "time", "t"))
	b := &Block{Format: format, Data: append(data, data...), Records: []Record{{Offset: 7, End: len(data)}, {Offset: 8, End: 2 * len(data)}}}
	var at []int64
	tally := NewReader(0).Read(b, func(r *fingerprint.Request) { at = append(at, r.Position.Offset) }, nil)
	if want := (Tally{Lines: 2}); tally != want || !slices.Equal(at, []int64{7, 8}) {
		t.Errorf("%+v at %v", tally, at)
	}
	// Parts are joined inside of a record of the topic, never over several.
	cri := func(tag, text string) string { return "2026-11-21T03:51:29.8Z stdout " + tag + " " + text }
	f := func(want string, records ...string) {
		t.Helper()
		b := &Block{Format: formats.ByName("cri+loopgauge")}
		for i, r := range records {
			b.Data = append(b.Data, r...)
			b.Records = append(b.Records, Record{Offset: int64(i), End: len(b.Data)})
		}
		var got []string
		tally := NewReader(0).Read(b, func(r *fingerprint.Request) {
			got = append(got, fmt.Sprintf("%s at %d.%d", r.ID, r.Position.Offset, r.Position.Item))
		}, func(s Skip) { got = append(got, fmt.Sprintf("%d: %s", s.Line, s.Why)) })
		if text := fmt.Sprintf("%s, %+v", strings.Join(got, "; "), tally); text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
	a, c := `{"time":1,"id":"a"}`, `{"time":2,"id":"c"}`
	f("a at 0.0; c at 1.0, {Lines:2 Blank:0 Malformed:0}", cri("F", a), cri("F", c))
	f("a at 0.0; c at 0.1, {Lines:3 Blank:1 Malformed:0}", cri("P", a[:5])+"\n"+cri("F", a[5:])+"\n"+cri("F", c))
	f("0: "+splitPart+"; 1: expected a value; c at 2.0, {Lines:3 Blank:0 Malformed:2}", cri("P", a[:5]), cri("F", a[5:]), cri("F", c))
}

// FuzzUnwrap: no log makes any wrapper panic, and all of it is accounted for,
// wherever it is cut into blocks.
func FuzzUnwrap(f *testing.F) {
	for _, c := range collectors {
		lines := []string{`{"time":1,"id":"a"}`, `{"time":2,"id":"b","path":"/"}`}
		f.Add([]byte(strings.Join(c.wrap(lines), "\n")))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		for _, w := range wrap.All {
			format := formats.ByName(w.Name + "+loopgauge")
			whole := outcomeOf(format, log, 1<<20, 1<<20)
			// Where lines are broken, what they might have begun is not told alike.
			if got := outcomeOf(format, log, 64, 1<<20); whole.Tally.Malformed == 0 && !cmp.Equal(whole, got) {
				t.Errorf("%s: in one block %+v, in small ones %+v", w.Name, whole, got)
			}
			if whole.Tally.Lines != whole.Tally.Blank+whole.Tally.Malformed+int64(len(whole.Requests)) {
				t.Errorf("%s: %+v with %d requests", w.Name, whole.Tally, len(whole.Requests))
			}
		}
		Detect(log)
	})
}

// outcomeOf reads a log of a format in blocks of some size.
func outcomeOf(format *formats.Format, log []byte, size, maxLine int) outcome {
	b := newBlocks(bytes.NewReader(log), size, maxLine, format.Wrappers)
	return drain(func() (*Block, error) {
		block, err := b.next()
		if err == nil {
			block.Format = format
		}
		return block, err
	})
}
