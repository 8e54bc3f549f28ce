package replay_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/fixtures"
	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// sent is what the client noted of a request that it sent through a gateway.
type sent struct {
	Gateway, Scenario, Label, Ref string
	Time                          float64
	Session, Model, Method, Path  string
	Status                        int
	Messages                      *int   `json:"n_messages"`
	Body                          string `json:"body_sha256"`
	Aborted                       bool
}

const fixtureDir = "../fixtures/"

func readSent(tb testing.TB) (all []*sent) {
	tb.Helper()
	for line := range bytes.Lines(fixtures.Read(tb, "formats/proxies_truth.jsonl.zst")) {
		s := &sent{}
		if err := json.Unmarshal(line, s); err != nil {
			tb.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func openLog(tb testing.TB, path string) ingest.Stream {
	tb.Helper()
	sources, err := ingest.Find([]string{path}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	streams, failed := ingest.OpenAll(sources, 0, ingest.Options{})
	if len(failed) > 0 {
		tb.Fatal(failed)
	}
	return streams[0]
}

// eachRequest reads a log.
func eachRequest(tb testing.TB, file string, f func(*fingerprint.Request)) {
	tb.Helper()
	s := openLog(tb, filepath.Join(fixtureDir, file))
	defer s.Close()
	rd := ingest.NewReader(fingerprint.AllFields)
	for {
		b, err := s.Next()
		if err != nil {
			return
		}
		rd.Read(b, f, func(s ingest.Skip) { tb.Errorf("%s:%d: %s", file, s.Line, s.Why) })
		b.Release()
	}
}

// refs are where gateways write the client's id of a request.
var refs = []string{"header:x-request-id", "req_id", "capture:1"}

// match finds what was sent for each request of a log: by the client's id,
// which an SDK's retries share, and else by the time.
func match(tb testing.TB, file string, all []*sent, gateway string) map[fingerprint.Position]*sent {
	tb.Helper()
	found, used := map[fingerprint.Position]*sent{}, map[*sent]bool{}
	eachRequest(tb, file, func(r *fingerprint.Request) {
		ref := ""
		for _, name := range refs {
			if ref == "" {
				ref = string(r.Attribute(name))
			}
		}
		var best *sent
		for _, s := range all {
			if s.Gateway != gateway || used[s] || ref != "" && s.Ref != ref || ref == "" && (s.Path != string(r.Path) || s.Messages == nil || *s.Messages != len(r.Messages.Items)) {
				continue
			}
			if best == nil || math.Abs(s.Time-float64(r.Time)/1e6) < math.Abs(best.Time-float64(r.Time)/1e6) {
				best = s
			}
		}
		if best == nil {
			tb.Errorf("%s:%d: was never sent", file, r.Position.Line)
			return
		}
		used[best], found[r.Position] = true, best
	})
	return found
}

// proxyLogs are the logs that one client's traffic left behind. What they
// carry of it decides what can be told.
var proxyLogs = []struct {
	file, gateway   string
	bodies, session bool // are in the log
	exact           bool // bodies byte by byte
}{
	{"formats/nginx-json/wide_all.log.zst", "nginx", true, true, true},
	{"formats/nginx-json/wide_escape_default.log", "nginx", true, true, true},
	{"formats/envoy-json/envoy_json.jsonl.zst", "envoy_json", true, true, true},
	{"formats/envoy-text/envoy_default_text.log", "envoy_json", false, false, false},
	{"formats/caddy/caddy_json.jsonl.zst", "caddy_json", false, true, false},
	{"formats/caddy/log_append_body.jsonl.zst", "caddy_body", true, true, true},
	{"formats/traefik/traefik_json.jsonl.zst", "traefik_json", false, true, false},
	{"formats/haproxy/httplog.log", "haproxy_httplog", false, false, false},
	{"wrappers/docker_json_file_envoy.log.zst", "envoy_json", true, true, true},
	{"wrappers/haproxy_json_rfc5424.log.zst", "haproxy_json", true, true, false},
	{"wrappers/mitmproxy_hardump.har.zst", "mitmproxy", true, true, true},
	{"wrappers/portkey_logstream.sse.zst", "portkey", true, false, false},
	{"wrappers/rsyslog_json_nginx.log.zst", "nginx", true, true, true},
	{"wrappers/rsyslog_rfc5424_nginx.log.zst", "nginx", true, true, true},
	{"wrappers/rsyslog_traditional_nginx.log.zst", "nginx", true, true, true},
}

// TestProxiesTellWhatWasSent: each request is found once, and each field that
// the log has is that of what the client sent.
func TestProxiesTellWhatWasSent(t *testing.T) {
	all := readSent(t)
	for _, l := range proxyLogs {
		sentFor := match(t, l.file, all, l.gateway)
		exact := 0
		eachRequest(t, l.file, func(r *fingerprint.Request) {
			s := sentFor[r.Position]
			text := func(what string, got []byte, want string) {
				if string(got) != want {
					t.Errorf("%s:%d: %s is %q, want %q", l.file, r.Position.Line, what, got, want)
				}
			}
			text("method", r.Method, s.Method)
			text("path", r.Path, s.Path)
			if l.session {
				// Anthropic's clients name it in the body, and the probe names that
				// of the agent.
				if s.Path != "/v1/messages" || l.bodies && s.Scenario != "client_probe" {
					text("session", r.Session, s.Session)
				}
			}
			if !s.Aborted && r.Status != s.Status {
				t.Errorf("%s:%d: status is %d, want %d", l.file, r.Position.Line, r.Status, s.Status)
			}
			// The client, which does many things at once, notes the time of
			// some requests late.
			slack := 0.25
			if l.file == "formats/nginx-json/wide_escape_default.log" {
				slack = 1 // has whole seconds
			}
			if start := float64(r.Time) / 1e6; start < s.Time-slack || start > s.Time+1 {
				t.Errorf("%s:%d: begins at %f, but was sent at %f", l.file, r.Position.Line, start, s.Time)
			}
			if r.End != fingerprint.NoTime && r.End < r.Time {
				t.Errorf("%s:%d: ends %d before it begins", l.file, r.Position.Line, r.Time-r.End)
			}
			switch {
			case s.Body == "" || s.Scenario == "bad_json" || !l.bodies:
				return
			case r.Body == nil && len(r.Messages.Items) == 0: // nginx had it in a file
				if s.Scenario != "large_body" {
					t.Errorf("%s:%d: no body", l.file, r.Position.Line)
				}
				return
			}
			text("model", r.Model, s.Model)
			if s.Messages != nil && *s.Messages > 0 && *s.Messages != len(r.Messages.Items) {
				t.Errorf("%s:%d: %d messages, want %d", l.file, r.Position.Line, len(r.Messages.Items), *s.Messages)
			}
			if l.exact && s.Scenario != "responses_prev_id" { // which has an id of the gateway's answer
				sum := sha256.Sum256(r.Body)
				text("body", []byte(hex.EncodeToString(sum[:])), s.Body)
				exact++
			}
		})
		if l.exact && exact < 4 {
			t.Errorf("%s: only %d bodies were compared", l.file, exact)
		}
	}
}

// loops are the scenarios in which an agent repeats itself, and innocent those
// in which none does. The others are between: some retries.
var (
	loops    = []string{"stuck_same_tool", "stateless_retry", "tool_cycle", "anthropic_tool_loop", "outage", "streaming"}
	innocent = []string{"healthy_agent", "polling", "same_prompt_two_sessions", "multimodal", "embeddings", "large_body", "bad_json", "client_abort", "sdk_auto_retry", "client_probe"}
)

// TestLoopsInProxies: the rules find every loop that a log carries enough of,
// leave the innocent alone, and say of the others why they cannot tell.
func TestLoopsInProxies(t *testing.T) {
	all := readSent(t)
	p, err := policy.FromProfiles([]string{"loopgauge"})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range proxyLogs {
		sentFor := match(t, l.file, all, l.gateway)
		repeats, fired := map[string]int{}, map[string]bool{}
		for _, s := range sentFor {
			switch s.Label {
			case "loop", "cycle", "retry_loop", "outage_retry":
				repeats[s.Scenario]++
			}
		}
		result, err := replay.Run(context.Background(), replay.Options{Streams: []ingest.Stream{openLog(t, filepath.Join(fixtureDir, l.file))}, PipelineOptions: replay.PipelineOptions{
			Plan:     window.NewPlan(p.Rules, p.Exclude),
			Lateness: 10 * time.Second, Duplicates: 10 * time.Minute, Since: fingerprint.NoTime, Until: fingerprint.NoTime,
			Verdict: func(v *window.Verdict) error {
				if v.Fired {
					fired[sentFor[v.Event.Position].Scenario] = true
				}
				return nil
			},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if a := result.Account; a.Judged != int64(len(sentFor)) || a.Malformed+a.Duplicate+a.Late > 0 {
			t.Errorf("%s: %s, but %d were sent", l.file, a, len(sentFor))
		}
		for _, name := range loops {
			if enough := l.bodies && repeats[name] >= 4; fired[name] != enough {
				t.Errorf("%s: %s: fired %t, want %t of %d repeats", l.file, name, fired[name], enough, repeats[name])
			}
		}
		for _, name := range innocent {
			if fired[name] {
				t.Errorf("%s: %s fired", l.file, name)
			}
		}
		for i := range result.Rules {
			r := &result.Rules[i]
			if blind, _, _ := r.Blind(); !l.bodies && blind != result.Account.Judged {
				t.Errorf("%s: %s looked at %d of %d, of which it knows nothing", l.file, r.Rule.Name, r.Counted, result.Account.Judged)
			}
		}
	}
}
