package formats

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// sent is what the client that made the traffic noted of a request.
type sent struct {
	Time, End     float64
	Session, Path string
	Model, Method string
	RID           string
	Status        int
}

func readTruth(tb testing.TB, path string) map[string]sent {
	tb.Helper()
	all := map[string]sent{}
	for _, line := range readLines(tb, path) {
		var s sent
		if err := json.Unmarshal(line, &s); err != nil {
			tb.Fatal(err)
		}
		all[s.RID] = s
	}
	return all
}

// TestTruth compares what is read of a gateway's log with what the client sent:
// each request is found under its own id, once, and nothing but what the
// gateway leaves out of its log is missing.
func TestTruth(t *testing.T) {
	f := func(format, name string, want int, missing func(sent) bool) {
		t.Helper()
		truth := readTruth(t, format+"/truth.jsonl")
		p := ByName(format).New(fingerprint.AllFields)
		n := 0
		for _, line := range fixtures(t)[format][name] {
			for _, record := range records(line) {
				var r fingerprint.Request
				r.Reset()
				if _, why := p.Parse(record, &r); why != "" {
					t.Fatalf("%s: %s", name, why)
				}
				rid := string(r.Attribute("header:x-request-id"))
				s, ok := truth[rid]
				if !ok {
					t.Errorf("%s: %q was never sent, or is logged twice", name, rid)
					continue
				}
				delete(truth, rid)
				n++
				compareSent(t, &r, s, format)
			}
		}
		if n != want {
			t.Errorf("%s: %d requests, want %d", name, n, want)
		}
		for rid, s := range truth {
			if !missing(s) {
				t.Errorf("%s: %s is missing", name, rid)
			}
		}
	}
	f("nginx-json", "nginx_json.log", 116, func(sent) bool { return false })
	// LiteLLM does not log what reaches no model.
	f("litellm", "litellm_callback.jsonl.zst", 96, func(s sent) bool { return s.Path == "/v1/models" })
}

func compareSent(tb testing.TB, r *fingerprint.Request, s sent, format string) {
	tb.Helper()
	text := func(what string, got []byte, want string) {
		if string(got) != want {
			tb.Errorf("%s: %s is %q, want %q", s.RID, what, got, want)
		}
	}
	text("path", r.Path, s.Path)
	text("session", r.Session, s.Session)
	text("model", r.Model, s.Model)
	if format != "litellm" { // does not log it
		text("method", r.Method, s.Method)
	}
	if r.Status != s.Status {
		tb.Errorf("%s: status is %d, want %d", s.RID, r.Status, s.Status)
	}
	// The gateway has a request for a part of the time that the client waits.
	// Its clock is read in milliseconds, and the client's a little later.
	const slack = 0.005
	if start, end := float64(r.Time)/1e6, float64(r.End)/1e6; start < s.Time-slack || end > s.End+slack || start > end {
		tb.Errorf("%s: from %f to %f, but the client waited from %f to %f", s.RID, start, end, s.Time, s.End)
	}
}

// TestTimesAreExact: times are those of the log to the microsecond, with
// another reader of JSON as the judge.
func TestTimesAreExact(t *testing.T) {
	f := func(format, name string, times func(record map[string]any) (start, end float64)) {
		t.Helper()
		for _, line := range fixtures(t)[format][name] {
			for _, record := range records(line) {
				r := parse(t, format, string(record))
				var m map[string]any
				if err := json.Unmarshal(record, &m); err != nil {
					t.Fatal(err)
				}
				start, end := times(m)
				if math.Abs(float64(r.Time)-start*1e6) > 1 || math.Abs(float64(r.End)-end*1e6) > 1 {
					t.Errorf("%s: %d to %d, want %f to %f", name, r.Time, r.End, start, end)
				}
			}
		}
	}
	number := func(v any) float64 { return v.(float64) }
	lite := func(m map[string]any) (start, end float64) { return number(m["startTime"]), number(m["endTime"]) }
	f("litellm", "litellm_callback.jsonl.zst", lite)
	f("litellm", "generic_api.json_array.log", lite)
	f("litellm", "sessions.jsonl", lite)
	nginx := func(m map[string]any) (start, end float64) {
		return number(m["msec"]) - number(m["request_time"]), number(m["msec"])
	}
	f("nginx-json", "nginx_json.log", nginx)
	f("nginx-json", "wide_escape_json.log", nginx)
}

// TestEscapesAgree: one nginx wrote each request three times: with escape=json,
// with its default escaping, and as combined text. All say the same.
func TestEscapesAgree(t *testing.T) {
	logs := fixtures(t)["nginx-json"]
	f := func(asJSON, asDefault string, want int) {
		t.Helper()
		byID := map[string]string{}
		show := func(line []byte) (id, text string) {
			r := parse(t, "nginx-json", string(line))
			var b strings.Builder
			for _, m := range r.Messages.Items {
				b.Write(m)
			}
			b.WriteString("|" + string(r.Body) + "|" + string(r.Method) + string(r.Path) + string(r.Model))
			return string(r.ID), b.String()
		}
		for _, line := range logs[asJSON] {
			id, text := show(line)
			byID[id] = text
		}
		same := 0
		for _, line := range logs[asDefault] {
			id, text := show(line)
			if byID[id] != text {
				t.Errorf("%s: %s\nread as %s\nwant    %s", asDefault, id, text, byID[id])
				continue
			}
			same++
		}
		if same != want {
			t.Errorf("%s: %d are the same as in %s, want %d", asDefault, same, asJSON, want)
		}
	}
	f("nginx_json.log", "nginx_default_escape.log", 116)
	f("wide_escape_json.log", "wide_escape_default.log", 12)

	text := fixtures(t)["combined"]["nginx_combined.log"]
	for i, line := range logs["nginx_json.log"] {
		a, b := parse(t, "nginx-json", string(line)), parse(t, "combined", string(text[i]))
		if string(a.Method) != string(b.Method) || string(a.Path) != string(b.Path) || string(a.Caller) != string(b.Caller) || a.Status != b.Status {
			t.Errorf("line %d:\n%s\n%s", i+1, render(a, 0, ""), render(b, 0, ""))
		}
		// $time_local is cached for up to a second.
		if d := a.End - b.Time; d < 0 || d >= 1_100_000 {
			t.Errorf("line %d: ends at %d as JSON, %d as text", i+1, a.End, b.Time)
		}
	}
}
