package sinks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/window"
)

// looping is an alert of a loop with all that is said of one.
func looping(state window.IncidentState, revision int, severity window.Severity) *Alert {
	cost := 0.25
	return &Alert{
		Version: AlertVersion, Event: "loop." + string(state), ID: "ep-1", Revision: revision, State: state, Severity: severity, Loops: 1,
		Time: "2026-05-04T10:10:00.000000Z", First: "2026-05-04T10:00:00.000000Z", Fired: "2026-05-04T10:01:00.000000Z", Last: "2026-05-04T10:09:00.000000Z",
		Rule: "stuck", Rules: []string{"stuck", "same"}, Identity: "tool-call", WindowS: 600, Threshold: 4, Action: "warn",
		Scope: map[string]string{"session": "s1"}, Fingerprint: "c0ffee", Session: "s1", Caller: "key-1", Model: "m", Requests: 40, TokensAfter: new(int64(994357)), CostAfter: &cost,
	}
}

// TestAlertmanagerBodies: what is posted, for each alert of an incident.
func TestAlertmanagerBodies(t *testing.T) {
	var got []postable
	var header http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, header = nil, r.Header
		if r.Method != http.MethodPost || r.URL.Path != "/am/api/v2/alerts" {
			w.WriteHeader(http.StatusNotFound)
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	m := NewAlertmanager(AlertmanagerOptions{URL: server.URL + "/am/", User: "u", Password: "p"})
	m.now = func() time.Time { return time.Date(2026, 5, 4, 11, 0, 0, 0, time.UTC) }
	f := func(a *Alert, want ...string) {
		t.Helper()
		must(t, m.Send(t.Context(), a))
		var is []string
		for _, p := range got {
			is = append(is, fmt.Sprintf("%s %s %s-%s", p.Labels["alertname"], p.Labels["severity"], p.StartsAt[11:16], p.EndsAt[11:16]))
		}
		if strings.Join(is, ", ") != strings.Join(want, ", ") {
			t.Errorf("%s: %q, want %q", a.State, is, want)
		}
	}
	f(looping(window.Opened, 1, window.Info), "LoopgaugeLoop info 10:01-11:04")
	if header.Get("Content-Type") != "application/json" || header.Get("Authorization") != "Basic dTpw" {
		t.Errorf("headers %v", header)
	}
	labels, _ := json.Marshal(got[0].Labels)
	if want := `{"action":"warn","alertname":"LoopgaugeLoop","caller":"key-1","incident":"ep-1","model":"m","rule":"stuck","session":"s1","severity":"info"}`; string(labels) != want {
		t.Errorf("labels\n%s\nwant\n%s", labels, want)
	}
	annotations, _ := json.Marshal(got[0].Annotations)
	if want := `{"cost_after":"0.2500 USD","description":"40 requests, limit 4 in 10m, from 2026-05-04T10:00:00.000000Z to 2026-05-04T10:09:00.000000Z.","fingerprint":"c0ffee","rules":"stuck, same","scope":"session s1","summary":"Loop of 40 requests.","tokens_after":"994357"}`; string(annotations) != want {
		t.Errorf("annotations\n%s\nwant\n%s", annotations, want)
	}
	told := looping(window.Opened, 1, window.Info)
	told.Kind, told.Evidence, told.WindowS = "stuck", "the same call 4 times", 0
	told.Repeats, told.Explain = "tool <read_file>", "loopgauge explain ep-1 kafka://broker/log"
	told.Seen = []AlertSeen{{Rule: "stuck", WouldNotFire: new(41)}}
	told.Links = map[string]string{"on-call book": "https://wiki.example/loops?s=%3Cs1"}
	f(told, "LoopgaugeLoop info 10:01-11:04")
	annotations, _ = json.Marshal(got[0].Annotations)
	for _, want := range []string{
		`"description":"40 requests, limit 4, from 2026-`, `"evidence":"the same call 4 times"`, `"kind":"stuck"`,
		`"explain":"loopgauge explain ep-1 kafka://broker/log"`, `"repeats":"tool ‹read_file›"`, `"would_not_fire":"stuck: threshold 41"`,
		`"link_on_call_book":"https://wiki.example/loops?s=%3Cs1"`, `"summary":"Loop (stuck) of 40 requests."`,
	} {
		if !strings.Contains(string(annotations), want) {
			t.Errorf("%s is not in %s", want, annotations)
		}
	}
	// What it was before is over.
	f(looping(window.Grown, 2, window.Warning), "LoopgaugeLoop warning 10:01-11:04", "LoopgaugeLoop info 10:01-10:10")
	f(looping(window.Closed, 3, window.Warning), "LoopgaugeLoop warning 10:01-10:10", "LoopgaugeLoop info 10:01-10:10")
	f(looping(window.Closed, 2, window.Info), "LoopgaugeLoop info 10:01-10:10")
	// A log from the future does not fire for ever.
	m.now = func() time.Time { return time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC) }
	f(looping(window.Opened, 1, window.Info), "LoopgaugeLoop info 10:00-10:04")
	f(looping(window.Closed, 2, window.Info), "LoopgaugeLoop info 10:00-10:00")
	if got[0].EndsAt != "2026-05-04T10:00:00.001Z" {
		t.Errorf("ends at %s, began at %s", got[0].EndsAt, got[0].StartsAt)
	}

	at := m.now().UnixMicro()
	told.Links = nil
	digest := newDigest("a", told, at)
	digest.add(looping(window.Opened, 1, window.Info), at)
	f(digest.alert(window.Opened, at), "LoopgaugeDigest info 10:00-10:04")
	if len(got[0].Labels) != 4 || got[0].Annotations["summary"] != "Many loops at once: 1 more than are told of one by one." ||
		got[0].Annotations["model"] != "m" || got[0].Annotations["example"] != "ep-1" || got[0].Annotations["example_session"] != "s1" || got[0].Annotations["explain"] != told.Explain {
		t.Errorf("%+v", got[0])
	}
}

// resender counts what it is told again.
type resender struct {
	scripted
	again []string
	down  error // what comes of telling again
}

func (s *resender) Resend(_ context.Context, open []*Alert) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range open {
		s.again = append(s.again, fmt.Sprintf("%s.%d", a.ID, a.Revision))
	}
	return s.down
}

// TestResend: what is open is told again every minute, also after a restart.
func TestResend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &resender{scripted: scripted{name: "a"}}
		o := NewOutbox(quietly, s)
		r := NewRouter(o, Routes{}, nil)
		stop := serve(t, o)
		f := func(in *window.Incident, wait time.Duration, want string) {
			t.Helper()
			if in != nil {
				r.Take(in)
				o.Allow(o.Last())
			}
			s.mu.Lock()
			s.again = nil
			s.mu.Unlock()
			time.Sleep(wait)
			synctest.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			if got := strings.Join(s.again, " "); got != want {
				t.Errorf("%q is told again, want %q", got, want)
			}
		}
		f(nil, time.Second, "")
		f(incident("b", 1, window.Opened, second), time.Minute, "b.1")
		f(incident("a", 1, window.Opened, second), 2*time.Minute, "a.1 b.1 a.1 b.1")
		f(incident("b", 2, window.Grown, second), time.Minute, "a.1 b.2")
		f(incident("b", 3, window.Closed, second), time.Minute, "a.1")
		saved := r.Save()
		stop()

		var log strings.Builder
		o = NewOutbox(slog.New(slog.NewTextHandler(&log, nil)), Named{s, "pager"}) // which is what it is called, and no other
		r = NewRouter(o, Routes{}, nil)
		must(t, r.Load(saved))
		serve(t, o)
		f(nil, time.Minute, "a.1")
		s.down = errors.New("down")
		f(nil, time.Minute, "a.1")
		s.down = nil
		f(nil, time.Minute, "a.1")
		f(nil, time.Minute, "a.1")
		if n := strings.Count(log.String(), "alerts are taken again"); n != 1 || strings.Count(log.String(), "\n") != 2 {
			t.Errorf("it is said %d times that alerts are taken again:\n%s", n, log.String())
		}
		f(incident("a", 2, window.Closed, second), time.Hour, "")
		if n := o.Stats()[0].Failed; n != 1 {
			t.Errorf("%d failed, want the one while it was down alone", n)
		}
	})
}

// An opening says nothing of severities that it never had, and what is told
// again goes in requests of a bounded size.
func TestAlertmanagerRequests(t *testing.T) {
	var sizes []int
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var list []postable
		if err := json.NewDecoder(r.Body).Decode(&list); err != nil {
			t.Error(err)
		}
		sizes = append(sizes, len(list))
		if _, _, ok := r.BasicAuth(); ok {
			t.Error("a user and password that nobody gave")
		}
	}))
	defer server.Close()
	m := NewAlertmanager(AlertmanagerOptions{URL: server.URL})
	f := func(err error, want ...int) {
		t.Helper()
		if err != nil || !slices.Equal(sizes, want) {
			t.Errorf("alerts by request %d, want %d: %v", sizes, want, err)
		}
		sizes = nil
	}
	f(m.Send(t.Context(), looping(window.Opened, 1, window.Critical)), 1)
	f(m.Send(t.Context(), looping(window.Grown, 2, window.Critical)), 3)
	f(m.Send(t.Context(), looping(window.Closed, 3, window.Warning)), 2)
	f(m.Resend(t.Context(), slices.Repeat([]*Alert{looping(window.Opened, 1, window.Info)}, 250)), 100, 100, 50)
	f(m.Resend(t.Context(), nil))
}

// What is said of a scope is the same each time: a text that changes is another
// alert to whoever compares.
func TestAlertmanagerScope(t *testing.T) {
	a := looping(window.Opened, 1, window.Info)
	a.Scope = map[string]string{"a": "1", "b": "2", "c": "3", "d": "4", "e": "5"}
	for range 20 {
		if got := annotations(a)["scope"]; got != "a 1, b 2, c 3, d 4, e 5" {
			t.Fatal(got)
		}
	}
}

// Whatever stands in a log: Alertmanager passes its labels and annotations on,
// and nothing in them acts where they arrive.
func TestAlertmanagerHostile(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := defanged(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	f("<!channel> <@U123> @here (@all)", "‹!channel› ‹＠U123› ＠here (＠all)")
	f("a@b.example", "a@b.example")
	f("a1@b.example", "a1@b.example")
	f("https://evil.example/x", "https[:]//evil.example/x")
	f("a\u202eb\nc\x1b[31m", "a\uFFFDb\uFFFDc\uFFFD[31m")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"<", ">", "@", "!channel", ":", "/", "\u202e", "\n", "{{", "a"}), 0, 600),
			func(parts []string) string { return strings.Join(parts, "") })).Draw(t, "text")
		a := looping(window.Opened, 1, window.Info)
		a.Scope, a.Model, a.Caller, a.User, a.Session, a.Backend, a.Fingerprint, a.Repeats, a.Rules = map[string]string{text: text}, text, text, text, text, text, text, text, []string{text}
		all := labels(a, a.Severity)
		for name, value := range annotations(a) {
			all["annotation "+name] = value
		}
		digest := newDigest("a", a, second)
		digest.add(a, second)
		for name, value := range annotations(digest.alert(window.Opened, second)) {
			all["annotation of a digest "+name] = value
		}
		for name, value := range all {
			if strings.ContainsAny(value, "<>\x1b\n\r\u202e") || strings.Contains(value, "://") || strings.Contains(" "+value, " @") || len([]rune(value)) > 400 && !strings.HasPrefix(name, "annotation") {
				t.Fatalf("%s: %q", name, value)
			}
			if value == "" && !strings.HasPrefix(name, "annotation") {
				t.Fatalf("%s is empty", name)
			}
		}
	})
}

// A digest says of what kind its loops are, and where that is written about.
func TestDigestAnnotations(t *testing.T) {
	a := looping(window.Opened, 1, window.Info)
	a.Kind, a.Links = "stuck", map[string]string{"runbook": "https://w/#stuck"}
	d := newDigest("a", a, second)
	d.add(a, second)
	if got := annotations(d.alert(window.Opened, second)); got["kind"] != "stuck" || got["link_runbook"] != "https://w/#stuck" {
		t.Errorf("annotations %v", got)
	}
	// What was sent stays as it is.
	sent := d.alert(window.Opened, second)
	other := looping(window.Opened, 1, window.Info)
	other.Kind, other.Links = "polling", map[string]string{"runbook": "https://w/#polling"}
	d.add(other, second)
	if got := annotations(d.alert(window.Closed, second)); got["kind"] != "" || got["link_runbook"] != "" {
		t.Errorf("annotations of two kinds %v", got)
	}
	if sent.Kind != "stuck" || sent.Links["runbook"] != "https://w/#stuck" || a.Links["runbook"] == "" {
		t.Errorf("sent %+v", sent)
	}
}

// TestRealAlertmanager sends alerts to the Alertmanager of Debian.
func TestRealAlertmanager(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Alertmanager")
	}
	program, err := exec.LookPath("prometheus-alertmanager")
	if err != nil {
		t.Fatal("there is no prometheus-alertmanager: run scripts/setup.sh alertmanager, or go test -short")
	}
	var mu sync.Mutex
	var told []string // by Alertmanager to its own receiver
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var group struct {
			Alerts []struct {
				Status string
				Labels map[string]string
			}
		}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &group); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, a := range group.Alerts {
			told = append(told, a.Labels["incident"]+" "+a.Labels["severity"]+" "+a.Status)
		}
	}))
	defer receiver.Close()
	dir := t.TempDir()
	config := filepath.Join(dir, "alertmanager.yaml")
	text := fmt.Sprintf("route: {receiver: hook, group_by: ['...'], group_wait: 100ms, group_interval: 200ms}\nreceivers: [{name: hook, webhook_configs: [{url: %q}]}]\n", receiver.URL)
	must(t, os.WriteFile(config, []byte(text), 0o600))
	output := filepath.Join(dir, "output")
	said, err := os.Create(output)
	must(t, err)
	defer said.Close()
	command := exec.CommandContext(t.Context(), program, "--config.file="+config, "--storage.path="+dir, "--web.listen-address=127.0.0.1:0", "--cluster.listen-address=")
	command.Stdout, command.Stderr = said, said
	must(t, command.Start())
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}()
	until := func(what string, ok func() bool) {
		t.Helper()
		for deadline := time.Now().Add(15 * time.Minute); !ok(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				text, _ := os.ReadFile(output)
				mu.Lock()
				defer mu.Unlock()
				t.Fatalf("%s: not in a quarter of an hour; the receiver was told %q, and Alertmanager says\n%s", what, told, text)
			}
		}
	}
	address := ""
	until("listens", func() bool {
		text, err := os.ReadFile(output)
		if m := regexp.MustCompile(`Listening on.* address=(\S+)`).FindSubmatch(text); m != nil {
			address = string(m[1])
		}
		return err == nil && address != ""
	})
	m := NewAlertmanager(AlertmanagerOptions{URL: "http://" + address})
	send := func(a *Alert) {
		t.Helper()
		until("takes "+string(a.State), func() bool { return m.Send(t.Context(), a) == nil })
	}
	arrives := func(want string) {
		t.Helper()
		until(want, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return slices.Contains(told, want)
		})
	}
	send(looping(window.Opened, 1, window.Info))
	arrives("ep-1 info firing")
	until("takes what is open", func() bool {
		return m.Resend(t.Context(), []*Alert{looping(window.Opened, 1, window.Info)}) == nil
	})
	send(looping(window.Grown, 2, window.Warning))
	arrives("ep-1 warning firing")
	arrives("ep-1 info resolved")
	send(looping(window.Closed, 3, window.Warning))
	arrives("ep-1 warning resolved")

	hostile := looping(window.Opened, 1, window.Critical)
	hostile.ID, hostile.Caller, hostile.Session, hostile.Model = "ep-2", "<!channel>\xff\u202e\n", "{{ .Nothing }}", strings.Repeat("é\"\\", 5000)
	send(hostile)
	arrives("ep-2 critical firing")
	var alerts []struct{ Labels map[string]string }
	r, err := http.Get("http://" + address + "/api/v2/alerts?filter=incident%3D%22ep-2%22")
	must(t, err)
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&alerts); err != nil || len(alerts) != 1 {
		t.Fatalf("%d alerts, %v", len(alerts), err)
	}
	if l := alerts[0].Labels; l["caller"] != "‹!channel›\uFFFD\uFFFD\uFFFD" || l["session"] != "{{ .Nothing }}" || len([]rune(l["model"])) != 351 {
		t.Errorf("%q", l)
	}
	digest := newDigest("a", hostile, second)
	digest.add(hostile, second)
	send(digest.alert(window.Opened, second))
	arrives(digest.Alert.ID + " critical firing")
	send(digest.alert(window.Closed, 2*second))
	arrives(digest.Alert.ID + " critical resolved")
}

// A loop is over for a sink that is told again and again, too, where it does not want
// to hear of the end, or where that was dropped: for ever it would be told that it
// goes on.
func TestResendNoMore(t *testing.T) {
	closed := func(id string) *Alert {
		a := alert(id, 2)
		a.State = window.Closed
		return a
	}
	f := func(name string, s *resender, most int, during func(o *Outbox)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := NewOutbox(quietly, s)
				serve(t, o)
				o.Add(alert("x", 1), "a")
				o.Allow(o.Last())
				synctest.Wait()
				o.most = most
				during(o)
				o.Allow(o.Last())
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if len(s.again) > 0 {
					t.Errorf("told again: %q", s.again)
				}
			})
		})
	}
	f("refused", &resender{scripted: scripted{name: "a", answers: []error{nil, &Refused{errors.New("no")}}}}, 10, func(o *Outbox) {
		o.Add(closed("x"), "a")
	})
	f("never taken", &resender{scripted: scripted{name: "a", answers: []error{&Refused{errors.New("no")}}}}, 10, func(*Outbox) {})
	f("dropped", &resender{scripted: scripted{name: "a"}}, 1, func(o *Outbox) {
		o.Add(closed("x"), "a")
		o.Add(closed("y"), "a")
	})
}

// So it is where all of a loop is dropped while its opening is on its way.
func TestResendDroppedOnItsWay(t *testing.T) {
	o := NewOutbox(quietly, sending(func(*Alert) error { return nil }))
	o.most = 2
	o.Add(alert("x", 1), "a")
	o.Allow(o.Last())
	opening, _ := o.next(o.states["a"])
	over := alert("x", 2)
	over.State = window.Closed
	o.Add(over, "a")
	o.Add(alert("y", 1), "a")
	o.done(opening, o.states["a"], true)
	if open := o.open(o.states["a"]); len(open) > 0 {
		t.Errorf("%s is told again", open[0].ID)
	}
}
