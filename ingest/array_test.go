package ingest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// readLines gives what lines of a format say: ids with their place, and why
// lines were skipped.
func readLines(format, log string) (requests, skips []string, tally Tally) {
	b := &Block{Format: formats.ByName(format), Data: []byte(log), Line: 1, MaxLine: DefaultMaxLine}
	tally = NewReader(0).Read(b, func(r *fingerprint.Request) {
		requests = append(requests, fmt.Sprintf("%d.%d %s", r.Position.Line, r.Position.Item, r.ID))
	}, func(s Skip) { skips = append(skips, fmt.Sprintf("%d: %s", s.Line, s.Why)) })
	return requests, skips, tally
}

// TestArraysOfWrapped: each element is a request, or is accounted for with why
// it is none. Nothing that has bytes in it is passed over as blank.
func TestArraysOfWrapped(t *testing.T) {
	f := func(format, log, requests, skips string, blank int64) {
		t.Helper()
		got, bad, tally := readLines(format, log)
		if strings.Join(got, ", ") != requests || strings.Join(bad, ", ") != skips || tally.Blank != blank || tally.Lines != blank+int64(len(got)+len(bad)) {
			t.Errorf("%s: %s\nrequests %s\nwant     %s\nskips    %s\nwant     %s\n%+v", format, log, strings.Join(got, ", "), requests, strings.Join(bad, ", "), skips, tally)
		}
	}
	a, b, c := `{"time":1,"id":"a"}`, `{"time":2,"id":"b"}`, `{"time":3,"id":"c"}`
	docker := func(log string) string { return object("log", log, "stream", "stdout", "time", "t") }
	line := func(log string) string { return docker(log + "\n") }
	fluent := func(log string) string { return `{"date":1,"log":` + quote(log) + `}` }

	f("docker+loopgauge", "["+line(a)+","+line(b)+"]\n"+line(c), "1.0 a, 1.1 b, 2.0 c", "", 0)
	f("docker+loopgauge", line(a)+"\n ["+line(b)+"]\n", "1.0 a, 2.0 b", "", 0)
	f("docker+loopgauge", "["+docker(a[:9])+","+docker(a[9:]+"\n")+","+line(b)+"]\n", "1.0 a, 1.1 b", "", 0)
	f("docker+loopgauge", "["+line(a)+",7,null,\"x\",{},["+line(b)+"],"+line(c)+"]",
		"1.0 a, 1.6 c", "1: expected an object, 1: expected an object, 1: expected an object, 1: no line in it: expected log, 1: expected an object", 0)
	f("docker+loopgauge", "["+line(a)+","+line(b)[:30]+"\n"+line(c), "1.0 a, 2.0 c", "1: string not closed: the line is cut", 0)
	f("docker+loopgauge", "["+line(a)+","+line(b)+"\n"+line(c), "1.0 a, 1.1 b, 2.0 c", "1: unexpected end of the value: the line is cut", 0)
	f("docker+loopgauge", "["+line(a)+"] x\n", "1.0 a", "1: text after the end of the value", 0)
	f("docker+loopgauge", "[]\n"+line(a)+"\n[ ]", "2.0 a", "", 2)
	f("docker+loopgauge", "[started]\n"+line(a)+"\n", "2.0 a", "1: expected a value", 0)
	f("docker+loopgauge", "["+line("["+a+","+b+"]")+","+line(c)+"]", "1.0 a, 1.1 b, 1.2 c", "", 0) // an array in a text in an array
	f("docker+loopgauge", "["+docker("\n")+","+line(a)+"]", "1.0 a", "", 0)

	f("fluentbit+docker+loopgauge", "["+fluent("["+line(a)+","+line(b)+"]")+","+fluent(line(c))+"]", "1.0 a, 1.1 b, 1.2 c", "", 0)
	f("fluentbit+loopgauge", `[{"date":1,"log":`+quote(a[:7])+`,"_p":"P"},{"date":1,"log":`+quote(a[7:])+`,"_p":"F"}]`, "1.0 a", "", 0)
	f("fluentbit+loopgauge", `[{"date":1,"cpu_p":0.5},{"date":1,"log":null},`+fluent(b)+`]`, "1.2 b",
		"1: no line in it: expected log_processed or log or message, 1: no line in it: expected log_processed or log or message", 0)
	f("vector+loopgauge", `[{"source_type":"file","message":`+quote(a)+`}]`, "1.0 a", "", 0)
	f("filebeat+loopgauge", `[{"message":`+quote(a)+`},{"error":{}}]`, "1.0 a", "1: no line in it: expected message or event.original or json", 0)
	f("filebeat+loopgauge", `[{"event.original":`+quote(a)+`},{"event":{"original":`+quote(b)+`}},{"event":{"kind":"event"}},{"event":7}]`, "1.0 a, 1.1 b",
		strings.Join(slices.Repeat([]string{"1: no line in it: expected message or event.original or json"}, 2), ", "), 0)
	for page, want := range map[string]string{ // of an API
		`{"count":2,"next":null,"results":[` + a + `,` + b + `]}`: "member+loopgauge", `{"data":{"page":1,"items":[` + a + `,` + b + `]}}`: "member+member+loopgauge",
		`{"events":[` + a + `,` + b + `],"count":2}`: "member+loopgauge", `{"rows":[` + a + `,` + b + `]}`: "member+loopgauge",
	} {
		if got := Detect([]byte(page + "\n")); got == nil || got.Name != want {
			t.Errorf("%s: %v, want %s", page, got, want)
		}
		f(want, page, "1.0 a, 1.1 b", "", 0)
	}
	if got := Detect([]byte(strings.TrimSuffix(a, "}") + `,"events":[` + b + `]}` + "\n")); got == nil || got.Name != "loopgauge" {
		t.Errorf("a record with a list in it: %v", got)
	}
	if got := Detect([]byte(`{"ts":"2026-11-21T10:00:00Z","results":[` + b + `]}` + "\n")); got != nil {
		t.Errorf("a record of no format with a list in it: %s", got.Name)
	}
	f("cloudwatch+loopgauge", `[{"timestamp":1,"message":`+quote(a)+`,"eventId":"1"},{"events":[{"message":`+quote(b)+`}]},{"nextToken":"x"},3]`,
		"1.0 a, 1.1 b", "1: no line in it: expected message, logEvents or events, 1: expected an object", 0)
	f("sse+loopgauge", "data: ["+a+","+b+"]\n\ndata: [DONE]\nretrieved\n", "1.0 a, 1.1 b", "4: expected a field of an event, such as data:", 2)
	f("console+loopgauge", "web-1  | "+a+"\n"+b+"\n", "1.0 a", "2: expected the name of a container in front", 0)
	f("journald+loopgauge", `[{"MESSAGE":`+quote(a)+`},{"MESSAGE":`+bytesOf(b)+`},{"MESSAGE":null},{"MESSAGE":[300]},{"MESSAGE":["12"]},{"MESSAGE":{}}]`,
		"1.0 a, 1.1 b", "1: no line in it: expected MESSAGE, which is null from 4 KiB on without journalctl --all, "+strings.Join(slices.Repeat([]string{"1: MESSAGE is neither a text nor a list of bytes"}, 3), ", "), 0)
	f("archive+har", `[{"log":{}},{}]`, "", "1: no entries in it: expected log.entries or messages, 1: no entries in it: expected log.entries or messages", 0)

	// Formats whose records need not hold a request say of no scalar that it is one such.
	f("otel", "7\n[null,\"x\"]\n", "", "1: expected an object, 2: expected an object, 2: expected an object", 0)
}

func bytesOf(text string) string {
	var list []string
	for _, b := range []byte(text) {
		list = append(list, strconv.Itoa(int(b)))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// TestFrames: RFC 6587 counts the bytes of each message. Counts that are wrong
// cost no more than the message that has them.
func TestFrames(t *testing.T) {
	f := func(log, requests, skips string) {
		t.Helper()
		got, bad, tally := readLines("syslog+loopgauge", log)
		if strings.Join(got, ", ") != requests || strings.Join(bad, ", ") != skips || tally.Lines != tally.Blank+int64(len(got)+len(bad)) {
			t.Errorf("%q\nrequests %s\nwant     %s\nskips    %s\nwant     %s\n%+v", log, strings.Join(got, ", "), requests, strings.Join(bad, ", "), skips, tally)
		}
	}
	message := func(id string) string { return `<13>1 - h gw - - - {"time":1,"id":"` + id + `"}` }
	frame := func(text string, more int) string { return fmt.Sprintf("%d %s", len(text)+more, text) }
	a, b, c := message("a"), message("b"), message("c")
	f(frame(a, 0)+frame(b, 0)+frame(c, 0), "1.0 a, 1.1 b, 1.2 c", "")
	f(frame(a, 0)+"\n"+frame(b, 0)+"\n", "1.0 a, 2.0 b", "")
	f(frame(a, 1)+"\n"+frame(b, 1)+"\n", "1.0 a, 2.0 b", "") // the newline counts
	f(frame(a, 0)+" "+frame(b, 0)+"\r\n"+frame(c, 0), "1.0 a, 1.1 b, 2.0 c", "")
	f(a+"\n"+frame(b, 0)+frame(c, 0)+"\n"+a, "1.0 a, 2.0 b, 2.1 c, 3.0 a", "")
	f(frame(a, -3)+frame(b, 0), "1.0 a, 1.1 b", "")
	f(frame(a, 9)+frame(b, 0)+frame(c, 0), "1.0 a, 1.1 b, 1.2 c", "")
	f(frame(a, 500)+frame(b, 0), "1.0 a, 1.1 b", "")
	f(frame(a, -30), "1.0 a", "")
	f(frame(a, 0)+frame(b, 0)[:30], "1.0 a", "1: unexpected end of the value: the line is cut")
	f(frame(a, 0)+frame("<13>x", 0)+frame(c, 0), "1.0 a, 1.2 c", "1: expected a value")
	f(frame(a, 0)+frame("<13>1 x", 0)+frame(c, 0), "1.0 a, 1.2 c", "1: expected a value")
	f(frame("<13>x", 0), "", "1: expected a value")
	f(frame("<13>1 x", 0), "", "1: expected a syslog header")
	f("12 <13>1", "", "1: expected an object")
	f(frame(message(`9 <13>x","session":"s`), 0)+frame(b, 0), "1.0 9 <13>x, 1.1 b", "") // what looks like a length in a text
}

// TestHostileArrays: long, deep or broken arrays are read to their end, or given
// up at one place, and nothing is lost on the way.
func TestHostileArrays(t *testing.T) {
	const n = 50_000
	docker := object("log", `{"time":1,"id":"a","path":"`+strings.Repeat("x", 100)+`"}`+"\n", "stream", "stdout", "time", "t")
	long := "[" + strings.Repeat(docker+",", n-1) + docker
	f := func(name, log string, want Tally, requests int) {
		t.Helper()
		got, _, tally := readLines("docker+loopgauge", log)
		if len(got) != requests || tally != want {
			t.Errorf("%s: %d requests, %+v; want %d, %+v", name, len(got), tally, requests, want)
		}
	}
	f("long", long+"]", Tally{Lines: n}, n)
	f("long, then cut", long, Tally{Lines: n + 1, Malformed: 1}, n)
	f("no objects", "["+strings.Repeat("0,", n-1)+"0]", Tally{Lines: n, Malformed: n}, 0)
	for _, depth := range []int{2, 1000, 2000, 1_000_000} {
		nested := strings.Repeat("[", depth) + docker + strings.Repeat("]", depth)
		f(fmt.Sprint(depth, " deep"), nested, Tally{Lines: 1, Malformed: 1}, 0)
		if f := Detect([]byte(nested)); f != nil {
			t.Errorf("%d deep is taken for %s", depth, f.Name)
		}
		deep := docker[:len(docker)-1] + `,"x":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}"
		if depth <= 1000 {
			f("one of them deep", "["+docker+","+deep+"]", Tally{Lines: 2}, 2)
		} else {
			f("one of them too deep", "["+docker+","+deep+"]", Tally{Lines: 2, Malformed: 1}, 1)
		}
	}
	if f := Detect([]byte(long + "]")); f == nil || f.Name != "docker+loopgauge" {
		t.Error("the long one is not detected")
	}
}

// TestArraysAreCut: with small blocks and a limit, arrays are read as without,
// and one that is too long is one line.
func TestArraysAreCut(t *testing.T) {
	format := formats.ByName("docker+loopgauge")
	part := func(text string) string { return object("log", text, "stream", "stdout", "time", "t") }
	a := `{"time":1,"id":"a"}`
	log := "[" + part(a[:5]) + "]\n[" + part(a[5:]+"\n") + "," + part(a[:3]) + "]\n" + part(a[3:]+"\n") + "\n"
	for _, size := range []int{10, 100, 1000} {
		got := outcomeOf(format, []byte(log), size, 1000)
		if len(got.Requests) != 2 || got.Tally != (Tally{Lines: 3, Blank: 1}) {
			t.Errorf("blocks of %d: %+v", size, got)
		}
	}
	tooMuch := "[" + part(a+"\n") + "," + part(strings.Repeat("x", 1000)) + "]\n" + part(a+"\n")
	got := outcomeOf(format, []byte(tooMuch), 100, 500)
	if len(got.Requests) != 1 || got.Tally != (Tally{Lines: 2, Malformed: 1}) {
		t.Errorf("over the limit: %+v", got)
	}
}

// TestArraysAreTold: by any of their objects, whatever comes first.
func TestArraysAreTold(t *testing.T) {
	f := func(log, want string) {
		t.Helper()
		got := "none"
		if f := Detect([]byte(log)); f != nil {
			got = f.Name
		}
		if got != want {
			t.Errorf("%s: %s, want %s", log, got, want)
		}
	}
	a := `{"time":1,"id":"a"}`
	docker := object("log", a+"\n", "stream", "stdout", "time", "t")
	f("["+docker+"]", "docker+loopgauge")
	f(`[null,{"started":true},`+docker+","+docker+"]", "docker+loopgauge")
	f("[null,"+a+"]", "loopgauge")
	f("["+docker+"]["+docker+"]", "json+docker+loopgauge")
	f("["+a+"]["+a+"]", "json+loopgauge")
	f(a+"["+a+"]", "json+loopgauge")
	f(" ["+a+"] "+a+"\n", "json+loopgauge")
	f("["+a+"] [x]\n", "loopgauge")
	f("[1,2]", "none")
	f("[[1]", "none")
	f("[2026-11-21T10:00:00Z] info started", "none")
	if !unfinished([]byte("[" + object("log", a, "stream", "stdout", "time", "t") + "]\n")) {
		t.Error("half a record in an array is whole")
	}
}

// TestOtherFormat: in one stream may be the lines of several gateways.
func TestOtherFormat(t *testing.T) {
	const traefik = `{"StartUTC":"2026-11-21T03:24:39Z","RequestMethod":"GET","DownstreamStatus":200}`
	const combined = `10.0.0.1 - - [21/Nov/2026:03:24:39 +0000] "GET / HTTP/1.1" 200 1`
	f := func(format, want string, lines ...string) {
		t.Helper()
		if _, skips, _ := readLines(format, strings.Join(lines, "\n")); strings.Join(skips, ", ") != want {
			t.Errorf("%s %q\ngot  %q\nwant %s", format, lines, skips, want)
		}
	}
	f("litellm", "1: a line of traefik: --format traefik reads those, 2: a line of combined: --format combined reads those, 3: no time", traefik, combined, `{"a":1}`)
	f("combined", "2: a line of traefik: --format traefik reads those", combined, traefik)
	f("traefik", "1: no time", strings.Replace(traefik, "T03:24", " o'clock", 1)) // it is of its own
}

// TestTimesNotRead: what is wrong with a time that cannot be read is said where it can be
// seen, of nobody else's times.
func TestTimesNotRead(t *testing.T) {
	f := func(format, record, want string) {
		t.Helper()
		if _, skips, _ := readLines(format, record); strings.Join(skips, ", ") != "1: "+want {
			t.Errorf("%s %s\ngot  %q\nwant 1: %s", format, record, skips, want)
		}
	}
	const zone, form, far = `no time: "time" has no zone, as Z`, `no time: "time" is not as 2026-11-21T10:00:00Z`, `time out of range: "time" is in `
	f("loopgauge", `{"id":"a","time":"2026-11-21T10:00:00"}`, zone) // isoformat() of Python
	f("loopgauge", `[{"time":"2026-11-21 10:00:00.123456"}]`, zone)
	f("docker+loopgauge", object("log", `{"time":"2026-11-21T10:00:00"}`+"\n", "stream", "stdout", "time", "t"), zone)
	f("loopgauge", `{"time":"2026-11-21 10:00:00 UTC"}`, form)
	f("loopgauge", `{"time":"2026-11-21 10:00:00 +0000"}`, form)
	f("loopgauge", `{"time":"21/Nov/2026:10:00:00 +0000"}`, form)
	f("loopgauge", `{"time":1795231480384}`, far+"milliseconds, not seconds")
	f("loopgauge", `{"time":"1795231480384"}`, far+"milliseconds, not seconds")
	f("loopgauge", `{"time":1795231480384426}`, far+"micro- or nanoseconds, not seconds")
	f("loopgauge", `{"time":1795231480384426123}`, far+"micro- or nanoseconds, not seconds")
	for _, bare := range []string{`{}`, `{"time":null}`, `{"time":"noon"}`, `{"time":{"date":"2026-11-21T10:00:00"}}`, `{"hour":"2026-11-21T10:00:00"}`} {
		f("loopgauge", bare, "no time")
	}
	for _, bare := range []string{`{"time":-1}`, `{"time":1e30}`, `{"time":"60000-01-01T00:00:00Z"}`, `{"time":"1969-12-31T23:59:59Z"}`, `{"time":1,"end":1e30}`} {
		f("loopgauge", bare, "time out of range")
	}
	f("traefik", `{"StartUTC":"-","time":"2026-11-21T10:00:00","DownstreamStatus":200}`, zone)
	f("langfuse", `{"type":"GENERATION","createdAt":1795231480384}`, "no time") // it reads times without a zone
}

// TestMostAsked: of many lines the first of a block are asked whose they are, and
// all where that is wanted.
func TestMostAsked(t *testing.T) {
	const combined = `10.0.0.1 - - [21/Nov/2026:03:24:39 +0000] "GET / HTTP/1.1" 200 1` + "\n"
	f := func(each bool, want int) {
		t.Helper()
		told, rd := 0, NewReader(0)
		rd.AskEach = each
		for range 2 {
			b := &Block{Format: formats.ByName("litellm"), Data: []byte(strings.Repeat(combined, 2*mostAsked)), Line: 1, MaxLine: DefaultMaxLine}
			rd.Read(b, func(*fingerprint.Request) {}, func(s Skip) {
				if strings.Contains(s.Why, "a line of combined") {
					told++
				}
			})
		}
		if told != want {
			t.Errorf("each %t: %d lines are told whose they are, want %d", each, told, want)
		}
	}
	f(false, 2*mostAsked)
	f(true, 4*mostAsked)
}
