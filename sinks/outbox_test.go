package sinks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/window"
)

// scripted is a sink that answers as it is told, then with success.
type scripted struct {
	name    string
	answers []error
	mu      sync.Mutex
	got     []string
}

func (s *scripted) Name() string { return s.name }

func (s *scripted) Send(_ context.Context, a *Alert) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, fmt.Sprintf("%s.%d", a.ID, a.Revision))
	if len(s.answers) == 0 {
		return nil
	}
	err := s.answers[0]
	s.answers = s.answers[1:]
	return err
}

func (s *scripted) sent() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.got, " ")
}

var quietly = slog.New(slog.NewTextHandler(io.Discard, nil))

func alert(id string, revision int) *Alert {
	return &Alert{Version: AlertVersion, ID: id, Revision: revision, State: window.Opened, Scope: map[string]string{"session": "s"}}
}

func TestOutbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		a, b := &scripted{name: "a"}, &scripted{name: "b", answers: []error{down, down, &Refused{errors.New("no")}}}
		o := NewOutbox(quietly, a, b)
		serve(t, o)
		o.Add(alert("x", 1), o.Names()...)
		time.Sleep(time.Hour)
		if waiting, held := o.Waiting(); a.sent() != "" || waiting != 1 || held != 1 {
			t.Errorf("before it is allowed: sent %q, %d waiting, %d held", a.sent(), waiting, held)
		}
		o.Allow(o.Last())
		synctest.Wait()
		if waiting, held := o.Waiting(); a.sent() != "x.1" || b.sent() != "x.1" || waiting != 1 || held != 0 {
			t.Errorf("sent %q and %q, %d waiting, %d held", a.sent(), b.sent(), waiting, held)
		}
		// One sink that is down holds the other up in nothing.
		o.Add(alert("y", 1), o.Names()...)
		o.Allow(o.Last())
		synctest.Wait()
		if a.sent() != "x.1 y.1" || b.sent() != "x.1" {
			t.Errorf("sent %q and %q", a.sent(), b.sent())
		}
		time.Sleep(time.Hour)
		if b.sent() != "x.1 x.1 x.1 y.1" || //nolint:dupword // that is the point
			o.Stats()[1].Refused != 1 {
			t.Errorf("b got %q, %d refused", b.sent(), o.Stats()[1].Refused)
		}
		if err := o.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		if waiting, _ := o.Waiting(); waiting != 0 {
			t.Errorf("%d waiting", waiting)
		}
	})
}

// TestOutboxSurvives: what waits when a process ends goes out in the next, to
// the sinks that do not have it.
func TestOutboxSurvives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &scripted{name: "a"}, &scripted{name: "b", answers: []error{errors.New("down")}}
		o := NewOutbox(quietly, a, b)
		o.Add(alert("x", 1), o.Names()...)
		o.Allow(o.Last())
		o.Add(alert("x", 2), o.Names()...) // is not allowed to leave, but in the checkpoint
		stop := serve(t, o)
		synctest.Wait()
		stop()
		if a.sent() != "x.1" || !o.Moved() {
			t.Fatalf("a got %q, moved %t", a.sent(), o.Moved())
		}
		saved := NewRouter(o, Routes{}, nil).Save()
		if o.Moved() {
			t.Error("saved, and moved")
		}

		a, b = &scripted{name: "a"}, &scripted{name: "b"}
		c := &scripted{name: "c"} // not meant then
		o = NewOutbox(quietly, a, b, c)
		must(t, NewRouter(o, Routes{}, nil).Load(saved))
		stop = serve(t, o)
		must(t, o.Drain(t.Context()))
		stop()
		if a.sent() != "x.2" || b.sent() != "x.1 x.2" || c.sent() != "" {
			t.Errorf("sent %q, %q, %q", a.sent(), b.sent(), c.sent())
		}

		// A sink under another name gets what the one before did not.
		o = NewOutbox(quietly, c)
		must(t, NewRouter(o, Routes{}, nil).Load(saved))
		serve(t, o)
		if err := o.Drain(t.Context()); err != nil || c.sent() != "x.1 x.2" {
			t.Errorf("sent %q, %v", c.sent(), err)
		}
		if err := NewRouter(o, Routes{}, nil).Load([]byte("{")); err == nil {
			t.Error("a damaged outbox is loaded")
		}
	})
}

func TestWebhookSigned(t *testing.T) {
	var header http.Header
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusNoContent) // not only 200 is well
	}))
	defer server.Close()
	hook := NewWebhook(WebhookOptions{URL: server.URL + "/hidden", Secret: "s3cret"})
	a := alert("ep-1", 2)
	must(t, hook.Send(t.Context(), a))
	if header.Get("Idempotency-Key") != "ep-1-2" || header.Get("Content-Type") != "application/json" || string(body) != string(a.Marshal()) {
		t.Errorf("sent %s with %v", body, header)
	}
	h := hmac.New(sha256.New, []byte("s3cret"))
	fmt.Fprintf(h, "%s.%s", header.Get("Loopgauge-Timestamp"), body)
	if got, want := header.Get("Loopgauge-Signature"), fmt.Sprintf("v1=%x", h.Sum(nil)); got != want {
		t.Errorf("signature %q, want %q", got, want)
	}
	sent, err := strconv.ParseInt(header.Get("Loopgauge-Timestamp"), 10, 64)
	if age := time.Since(time.Unix(sent, 0)); err != nil || age < 0 || age > time.Hour {
		t.Errorf("time stamp of %s before: %v", age, err)
	}
	server.Close()
	if err := hook.Send(t.Context(), alert("ep-1", 1)); err == nil || strings.Contains(err.Error()+hook.Name(), "hidden") {
		t.Errorf("what follows the host may be secret: %s: %v", hook.Name(), err)
	}
}

func TestWebhookAISG(t *testing.T) {
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
	}))
	defer server.Close()
	hook := NewWebhook(WebhookOptions{URL: server.URL, AISG: true})
	a := alert("ep-1", 1)
	a.Time, a.Caller, a.Model, a.Fingerprint, a.Requests, a.CooldownS = "2026-05-04T10:00:00.000000Z", "team", "gpt-4.1", "c0ffee", 7, 60
	for _, state := range []window.IncidentState{window.Opened, window.Grown, window.Closed} {
		a.State = state
		must(t, hook.Send(t.Context(), a))
	}
	a.Event, a.State = "digest.opened", window.Opened
	must(t, hook.Send(t.Context(), a))
	want := `{"event":"loop.detected","timestamp":"2026-05-04T10:00:00.000000Z","project_id":"team","request_id":"ep-1","data":{"fingerprint":"c0ffee","hit_count":7,"model":"gpt-4.1","cooldown_seconds":60}}`
	if len(bodies) != 1 || bodies[0] != want {
		t.Errorf("sent %q, want %q alone", bodies, want)
	}
}

func TestWebhookPrivate(t *testing.T) {
	f := func(address string, want bool) {
		t.Helper()
		if err := refusePrivate("tcp", address, nil); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
	f("93.184.216.34:443", true)
	f("[2606:2800::1]:443", true)
	f("127.0.0.1:443", false)
	f("10.1.2.3:443", false)
	f("192.168.0.1:80", false)
	f("169.254.169.254:80", false)
	f("0.0.0.0:80", false)
	f("[::1]:80", false)
	f("[::ffff:10.0.0.1]:80", false)
	f("[::ffff:127.0.0.1]:80", false)
	f("[fd00::1]:80", false)
	f("[fe80::1]:80", false)
	for address, want := range map[string]bool{
		"http://localhost:1/a": true, "http://127.0.0.1/": true, "http://[::1]:80/": true, "https://10.0.0.1/": true,
		"https://hooks.example/": false, "https://localhost.example/": false,
	} {
		if namesPrivate(address) != want {
			t.Errorf("%s names its private address: %t", address, !want)
		}
	}
}

// A name that stands for a private address is refused where the connection is
// made, so not by way of a proxy.
func TestWebhookPrivateName(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	f := func(address string, allowPrivate, refused bool) {
		t.Helper()
		transport := NewClient(address, allowPrivate).Transport.(*http.Transport)
		c, err := transport.DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err == nil {
			_ = c.Close()
		}
		if (err != nil) != refused || (transport.Proxy == nil) != refused {
			t.Errorf("%s, allow_private %t: %v, a proxy: %t", address, allowPrivate, err, transport.Proxy != nil)
		}
	}
	f("https://hooks.example/", false, true)
	f("https://hooks.example/", true, false)
	f("http://127.0.0.1/", false, false)
	f("http://localhost/", false, false)
}

// A receiver says when to come again in seconds, or by a date.
func TestWebhookRetryAfter(t *testing.T) {
	header, status := "", http.StatusTooManyRequests
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", header)
		w.WriteHeader(status)
	}))
	defer server.Close()
	hook := NewWebhook(WebhookOptions{URL: server.URL})
	f := func(value string, want time.Duration, ok bool) {
		t.Helper()
		header = value
		err := hook.Send(t.Context(), alert("ep-1", 1))
		later, is := errors.AsType[*Later](err)
		if is != ok || is && (later.After > want || later.After < want-time.Minute) {
			t.Errorf("%q: %#v", value, err)
		}
	}
	f("120", 2*time.Minute, true)
	f("-1", 0, true)
	f(time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), time.Hour, true)
	f(time.Now().Add(-time.Second).UTC().Format(http.TimeFormat), 0, true)
	f("soon", 0, false)
	f("", 0, false)
	f("10000000000", (1<<20)*time.Second, true) // more than a time.Duration holds
	status = http.StatusServiceUnavailable
	f("120", 2*time.Minute, true)
	status = http.StatusInternalServerError
	f("120", 0, false)
}

// A receiver that says when to come again is left alone until then, but for an
// hour at most.
func TestOutboxLater(t *testing.T) {
	f := func(asked, alone time.Duration) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			a := &scripted{name: "a", answers: []error{&Later{errors.New("busy"), asked}}}
			o := NewOutbox(quietly, a)
			serve(t, o)
			o.Add(alert("x", 1), o.Names()...)
			o.Allow(o.Last())
			time.Sleep(alone - time.Second)
			if a.sent() != "x.1" {
				t.Errorf("%s: sent %q before the time", asked, a.sent())
			}
			time.Sleep(2 * time.Second)
			if strings.Count(a.sent(), "x.1") != 2 {
				t.Errorf("%s: sent %q after it", asked, a.sent())
			}
		})
	}
	f(10*time.Minute, 10*time.Minute)
	f(365*24*time.Hour, time.Hour)
}

// Of a sink that has a name people are told by that, whatever becomes of an
// alert.
func TestOutboxNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		errs := []error{&Refused{errors.New("no")}, &Denied{errors.New("who?")}, errors.New("down")}
		a, b := &scripted{name: "slack C1", answers: errs}, &scripted{name: "slack C2"}
		o := NewOutbox(slog.New(slog.NewTextHandler(&log, nil)), Named{a, "pager"}, b)
		o.most = 2
		for i := range int64(4) {
			o.Add(alert(fmt.Sprint(i), 1), "slack C1")
		}
		o.Allow(o.Last())
		stop := serve(t, o)
		time.Sleep(time.Minute)
		stop()
		if n := strings.Count(log.String(), "sink=pager"); n != 6 || strings.Contains(log.String(), "C1") {
			t.Errorf("%d of 6 lines name it:\n%s", n, log.String())
		}
		if n := strings.Count(log.String(), `level=INFO msg="alerts are taken again"`); n != 1 {
			t.Errorf("it is said %d times that it takes alerts again:\n%s", n, log.String())
		}
		if got := o.Stats(); got[0] != (SinkStats{Name: "pager", Sent: 1, Failed: 2, Refused: 1, Dropped: 2}) || got[1].Name != "slack C2" {
			t.Errorf("%+v", got)
		}
		if names := o.Names(); names[0] != "slack C1" { // by which a checkpoint knows it
			t.Errorf("%q", names)
		}
	})
}
