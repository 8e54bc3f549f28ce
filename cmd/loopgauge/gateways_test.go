package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// rounds is how often an agent of scripts/gateways/agents.py asks its model at
// most, and outage how often the model fails before it answers.
const (
	rounds = 8
	outage = 6
)

// model stands in for a provider. It knows an agent by its first message.
type model struct {
	mu    sync.Mutex
	asked map[string]int // by session
}

var introduces = regexp.MustCompile(`I am ((\w+)-\w+)\.`)

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.Method == http.MethodGet {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"mock-1","object":"model","created":1700000000,"owned_by":"nobody"}]}`)
		return
	}
	var asked struct {
		Messages []struct{ Role string }
	}
	who := introduces.FindSubmatch(body)
	if err := json.Unmarshal(body, &asked); err != nil || who == nil {
		http.Error(w, `{"error":{"message":"nobody asks"}}`, http.StatusBadRequest)
		return
	}
	turn := 0
	for _, msg := range asked.Messages {
		if msg.Role == "assistant" {
			turn++
		}
	}
	session, agent := string(who[1]), string(who[2])
	m.mu.Lock()
	m.asked[session]++
	number := m.asked[session]
	m.mu.Unlock()
	time.Sleep(time.Duration(number*number%7) * 40 * time.Millisecond) // models take their time
	call := ""
	switch agent {
	case "stuck":
		call = `read_file","arguments":"{\"path\":\"main.go\"}`
	case "poller":
		call = `job_status","arguments":"{\"job\":7}`
	case "healthy":
		if turn < rounds-1 {
			call = fmt.Sprintf(`read_file","arguments":"{\"path\":\"part%d.go\"}`, turn)
		}
	default:
		if number <= outage {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"error":{"message":"overloaded","type":"server_error"}}`)
			return
		}
	}
	message, reason := `"content":"Done."`, "stop"
	if call != "" {
		message = fmt.Sprintf(`"content":null,"tool_calls":[{"id":"call_%d","type":"function","function":{"name":"%s"}}]`, turn, call)
		reason = "tool_calls"
	}
	fmt.Fprintf(w, `{"id":"chatcmpl-%s-%d","object":"chat.completion","created":1700000000,"model":"mock-1","choices":[{"index":0,"finish_reason":%q,"message":{"role":"assistant",%s}}],"usage":{"prompt_tokens":50,"completion_tokens":9,"total_tokens":59}}`,
		session, number, reason, message)
}

// sentBy is how many requests a gateway gets of each agent.
var sentBy = map[string]int64{"stuck": rounds, "healthy": rounds, "poller": rounds, "outage1": outage + 1, "outage2": outage + 1, "models": rounds}

// calls is how many of these requests ask a model.
func calls() int64 {
	n := int64(0)
	for agent, sent := range sentBy {
		if agent != "models" {
			n += sent
		}
	}
	return n
}

// gateway is one that the test starts, and what it writes.
type gateway struct {
	name    string
	program string
	args    []string
	env     []string
	files   map[string]string // by name, in the gateway's directory, where @NAME@ is a value of the test
	scripts []string          // of scripts/gateways, beside them
	ready   string            // path that answers 200 when it is up
	logs    []gatewayLog
}

// stdout is the file of a log that a gateway writes to its standard output.
const stdout = "stdout"

// gatewayLog is a log, and what it carries of the traffic.
type gatewayLog struct {
	file, format string // the file is in the gateway's directory
	reads        bool   // GET requests are logged
	sessions     bool   // and so are the clients' sessions
	bodies       bool   // and what they sent
	// blind says, by rule, why it can judge no request; a rule that is not here
	// judges those that it is about.
	blind map[string]string
}

// What a log lacks, the rules of the loopgauge profile say.
var (
	noAnswers = map[string]string{"stuck-step": "no response logged"}
	noBodies  = map[string]string{"tool-call-result": "no messages", "stuck-step": "no response logged", "last-exchange": "no messages", "last-messages": "no messages"}
)

// realGateways are started all at once. None of them needs the network.
var realGateways = []*gateway{
	{
		name: "litellm", program: top + "/.cache/gateways/bin/litellm",
		args: []string{"--config", "config.yaml", "--host", "127.0.0.1", "--port", "@PORT@"},
		env: []string{
			"CALLBACK_LOG=callback.jsonl", "LITELLM_LOCAL_MODEL_COST_MAP=True", "LITELLM_TELEMETRY=False", "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY=true", "NO_PROXY=127.0.0.1", "HTTPS_PROXY=http://127.0.0.1:9", "GENERIC_LOGGER_ENDPOINT=@COLLECTOR@",
			// LiteLLM 1.106.2 forgets calls that it logs while a batch is on its
			// way, so all of them go in one, however long they take.
			"DEFAULT_BATCH_SIZE=@CALLS@", "DEFAULT_FLUSH_INTERVAL_SECONDS=86400", "LOGGING_WORKER_MAX_TIME_PER_COROUTINE=3600",
		},
		ready: "/health/liveliness",
		files: map[string]string{"config.yaml": `
model_list:
  - model_name: mock-1
    litellm_params: {model: openai/mock-1, api_base: "@MODEL@/v1", api_key: none}
litellm_settings: {callbacks: [litellm_log.log, generic_api], num_retries: 0, telemetry: false}
router_settings: {num_retries: 0, disable_cooldowns: true}
`},
		scripts: []string{"litellm_log.py"},
		logs: []gatewayLog{
			{file: "callback.jsonl", format: "litellm", sessions: true, bodies: true},
			{file: "collected.jsonl", format: "litellm", sessions: true, bodies: true},
		},
	},
	{
		name: "nginx", program: "nginx", args: []string{"-p", ".", "-e", "stderr", "-c", "nginx.conf"}, ready: "/v1/models",
		files: map[string]string{"nginx.conf": `
daemon off;
master_process off;
pid nginx.pid;
events {}
http {
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  log_format loops escape=json
    '{"msec":$msec,"request_time":$request_time,"request_id":"$request_id",'
    '"remote_addr":"$remote_addr","remote_user":"$remote_user",'
    '"method":"$request_method","uri":"$request_uri","status":$status,'
    '"http_x_session_id":"$http_x_session_id","request_body":"$request_body"}';
  log_format forgot
    '{"time":"$time_iso8601","request_id":"$request_id","method":"$request_method","uri":"$request_uri","status":$status,'
    '"http_x_session_id":"$http_x_session_id","request_body":"$request_body"}';
  server {
    listen 127.0.0.1:@PORT@;
    client_body_buffer_size 1m;
    access_log combined.log combined;
    access_log loops.log loops;
    access_log forgot.log forgot;
    location / { proxy_pass @MODEL@; }
  }
}
`},
		logs: []gatewayLog{
			{file: "loops.log", format: "nginx-json", reads: true, sessions: true, bodies: true, blind: noAnswers},
			{file: "forgot.log", format: "nginx-json", reads: true, sessions: true, bodies: true, blind: noAnswers},
			{file: "combined.log", format: "combined", reads: true, blind: noBodies},
		},
	},
	{
		name: "haproxy", program: "haproxy", args: []string{"-db", "-f", "haproxy.cfg"}, ready: "/v1/models",
		files: map[string]string{"haproxy.cfg": `
global
  log stdout format raw local0
defaults
  mode http
  log global
  option httplog
  timeout connect 5m
  timeout client 5m
  timeout server 5m
frontend in
  bind 127.0.0.1:@PORT@
  capture request header x-session-id len 64
  default_backend model
backend model
  server one @MODELHOST@
`},
		logs: []gatewayLog{{file: stdout, format: "haproxy", reads: true, blind: noBodies}},
	},
	{
		name: "caddy", program: "caddy", args: []string{"run", "--config", "Caddyfile", "--adapter", "caddyfile"}, ready: "/v1/models",
		env: []string{"XDG_DATA_HOME=.", "XDG_CONFIG_HOME=."},
		files: map[string]string{"Caddyfile": `{
  admin off
  auto_https off
}
http://127.0.0.1:@PORT@ {
  log {
    output file access.log
    format json
  }
  reverse_proxy @MODELHOST@
}
`},
		logs: []gatewayLog{{file: "access.log", format: "caddy", reads: true, sessions: true, blind: noBodies}},
	},
}

// fill puts the test's values into a text.
func fill(text string, values map[string]string) string {
	for name, value := range values {
		text = strings.ReplaceAll(text, "@"+name+"@", value)
	}
	return text
}

// freePort is a port of this machine that nobody listens on. Those below 32768
// are not given to connections that go out, so it stays free.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(10_000 + rand.IntN(22_000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close() // nobody came
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// start starts the gateway in dir and returns its address.
func (g *gateway) start(ps *processes, dir string, values map[string]string) (*process, string) {
	t := ps.t
	t.Helper()
	values = maps.Clone(values)
	values["PORT"] = freePort(t)
	for name, text := range g.files {
		write(t, filepath.Join(dir, name), fill(text, values))
	}
	program, err := exec.LookPath(g.program)
	if err != nil { // Debian has daemons there, which is not on everybody's PATH
		program, err = exec.LookPath(filepath.Join("/usr/sbin", g.program))
	}
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		t.Fatalf("there is no %s: run scripts/setup.sh gateways, or go test -short", g.program)
	}
	c := exec.Command(program)
	for _, arg := range g.args {
		c.Args = append(c.Args, fill(arg, values))
	}
	c.Dir, c.Env = dir, os.Environ()
	for _, setting := range g.env {
		c.Env = append(c.Env, fill(setting, values))
	}
	if g.logs[0].file == stdout {
		f, err := os.Create(filepath.Join(dir, stdout))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		c.Stdout = f
	}
	return ps.run(c), "http://127.0.0.1:" + values["PORT"]
}

// answers waits until the gateway is up.
func (g *gateway) answers(p *process, address string) {
	p.of.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		p.runs()
		if r, err := http.Get(address + g.ready); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			p.of.fatalf("%s is not up", g.name)
		}
	}
}

// TestRealGateways sends agents through real gateways and reads the logs that
// these write.
func TestRealGateways(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts gateways")
	}
	python := absolute(t, top+"/.cache/gateways/bin/python")
	scripts := absolute(t, top+"/scripts/gateways")
	upstream := httptest.NewServer(&model{asked: map[string]int{}})
	t.Cleanup(upstream.Close)
	ps := &processes{t: t}
	dirs := map[*gateway]string{}
	started := map[*gateway]*process{}
	addresses := map[*gateway]string{}
	for _, g := range realGateways {
		dir := t.TempDir()
		dirs[g] = dir
		collected := filepath.Join(dir, "collected.jsonl")
		collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err == nil {
				err = appendLine(collected, body)
			}
			if err != nil {
				t.Error(err)
			}
		}))
		t.Cleanup(collector.Close)
		for _, name := range g.scripts {
			if err := os.Symlink(filepath.Join(scripts, name), filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		started[g], addresses[g] = g.start(ps, dir, map[string]string{"MODEL": upstream.URL, "MODELHOST": upstream.Listener.Addr().String(), "COLLECTOR": collector.URL, "CALLS": strconv.FormatInt(calls(), 10)})
	}
	args := []string{filepath.Join(scripts, "agents.py")}
	for _, g := range realGateways {
		g.answers(started[g], addresses[g])
		args = append(args, g.name+"="+addresses[g]+"/v1")
	}
	agents := exec.CommandContext(t.Context(), python, args...)
	agents.Env = append(os.Environ(), "NO_PROXY=127.0.0.1")
	if out, err := agents.CombinedOutput(); err != nil {
		ps.fatalf("%s: %v\n%s", agents, err, out)
	}
	for _, g := range realGateways {
		for _, l := range g.logs {
			t.Run(g.name+"/"+l.file, func(t *testing.T) {
				t.Parallel()
				l.judge(t, g, filepath.Join(dirs[g], l.file))
			})
		}
	}
}

// judge waits until all of the traffic is in the log, and holds what loopgauge
// says of it against what was sent.
func (l *gatewayLog) judge(t *testing.T, g *gateway, file string) {
	t.Helper()
	want := calls()
	if l.reads {
		want += sentBy["models"] + 1 // the look whether it is up
	}
	var found replay.Document
	for deadline := time.Now().Add(patience); found.Data.Judged < want; time.Sleep(time.Second) {
		if time.Now().After(deadline) {
			t.Fatalf("%d requests were logged, of %d", found.Data.Judged, want)
		}
		if code, out, _ := ran(t, "", "replay", "--json", file); code == exitDone {
			unmarshal(t, out, &found)
		}
	}
	if d := found.Data; d.Judged != want || d.Lines != want || d.Streams[0].Format != l.format {
		t.Errorf("%d requests in %d lines of %s, want %d of %s", d.Judged, d.Lines, d.Streams[0].Format, want, l.format)
	}
	looping := map[string]bool{}
	for _, e := range found.Episodes {
		if e.Session == nil {
			t.Errorf("%s: a loop without a session", e.Rule)
			continue
		}
		looping[strings.TrimSuffix(*e.Session, "-"+g.name)] = true
	}
	loops := map[string]bool{}
	if l.bodies {
		loops = map[string]bool{"stuck": true, "outage1": true, "outage2": true}
	}
	if !maps.Equal(looping, loops) {
		t.Errorf("replay finds loops of %v, want %v", looping, loops)
	}
	for _, r := range found.Rules {
		if r.Name == "last-exchange" && l.bodies && r.Counted == 0 {
			continue // these agents call tools, and say nothing twice
		}
		if why := l.blind[r.Name]; (r.Counted == 0) != (why != "") || why != "" && r.NotComputable[why] != want {
			t.Errorf("%s judged %d of %d, and of the others says %v; want %q", r.Name, r.Counted, want, r.NotComputable, why)
		}
	}

	tuned := tuneJSON(t, file)
	kinds := map[string]map[window.Kind]bool{}
	for _, r := range tuned.Repeats {
		agent := ""
		if r.Session != nil {
			agent = strings.TrimSuffix(*r.Session, "-"+g.name)
		}
		if kinds[agent] == nil {
			kinds[agent] = map[window.Kind]bool{}
		}
		kinds[agent][r.Kind] = true
		if r.Kind.IsLoop() && (agent == "healthy" || agent == "poller" || agent == "models" || r.Kind == window.Stuck && agent != "stuck") {
			t.Errorf("tune calls %s by %s %s: %s", agent, r.Rule, r.Kind, r.Evidence)
		}
	}
	is := func(agent string, kind window.Kind) {
		t.Helper()
		if !kinds[agent][kind] {
			t.Errorf("tune calls %q %v, want %s", agent, kinds[agent], kind)
		}
	}
	switch {
	case l.sessions:
		is("outage1", window.Outage)
		is("outage2", window.Outage)
		if l.reads {
			is("models", window.Polling)
		}
	case l.reads:
		is("", window.Polling)
	}
	if l.bodies {
		is("stuck", window.Stuck)
		is("poller", window.Polling)
	}
}

func appendLine(file string, line []byte) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
