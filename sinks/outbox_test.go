package sinks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
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
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			o.Run(ctx)
			close(done)
		}()
		o.Add(alert("x", 1))
		time.Sleep(time.Hour)
		if waiting, held := o.Waiting(); a.sent() != "" || waiting != 1 || held != 1 {
			t.Errorf("before it is allowed: sent %q, %d waiting, %d held", a.sent(), waiting, held)
		}
		o.Allow(o.Last())
		synctest.Wait()
		if a.sent() != "x.1" || b.sent() != "x.1" {
			t.Errorf("sent %q and %q", a.sent(), b.sent())
		}
		// One sink that is down holds the other up in nothing.
		o.Add(alert("y", 1))
		o.Allow(o.Last())
		synctest.Wait()
		if a.sent() != "x.1 y.1" || b.sent() != "x.1" {
			t.Errorf("sent %q and %q", a.sent(), b.sent())
		}
		time.Sleep(time.Hour)
		if b.sent() != "x.1 x.1 x.1 y.1" || //nolint:dupword // that is the point
			o.Refused() != 1 {
			t.Errorf("b got %q, %d refused", b.sent(), o.Refused())
		}
		if err := o.Drain(ctx); err != nil {
			t.Error(err)
		}
		if waiting, _ := o.Waiting(); waiting != 0 {
			t.Errorf("%d waiting", waiting)
		}
		cancel()
		<-done
	})
}

// TestOutboxSurvives: what waits when a process ends goes out in the next, to
// the sinks that do not have it.
func TestOutboxSurvives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &scripted{name: "a"}, &scripted{name: "b", answers: []error{errors.New("down")}}
		o := NewOutbox(quietly, a, b)
		o.Add(alert("x", 1))
		o.Allow(o.Last())
		o.Add(alert("x", 2)) // is not allowed to leave, but in the checkpoint
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { o.Run(ctx) })
		synctest.Wait()
		cancel()
		wg.Wait()
		if a.sent() != "x.1" {
			t.Fatalf("a got %q", a.sent())
		}
		saved := o.Save()

		a, b = &scripted{name: "a"}, &scripted{name: "b"}
		c := &scripted{name: "c"} // not meant then
		o = NewOutbox(quietly, a, b, c)
		if err := o.Load(saved); err != nil {
			t.Fatal(err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		wg.Go(func() { o.Run(ctx) })
		if err := o.Drain(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		wg.Wait()
		if a.sent() != "x.2" || b.sent() != "x.1 x.2" || c.sent() != "" {
			t.Errorf("sent %q, %q, %q", a.sent(), b.sent(), c.sent())
		}

		// A sink under another name gets what the one before did not.
		o = NewOutbox(quietly, c)
		if err := o.Load(saved); err != nil {
			t.Fatal(err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		defer cancel()
		go o.Run(ctx)
		if err := o.Drain(ctx); err != nil || c.sent() != "x.1 x.2" {
			t.Errorf("sent %q, %v", c.sent(), err)
		}
		if err := o.Load([]byte("{")); err == nil {
			t.Error("a damaged outbox is loaded")
		}
	})
}

func TestWebhook(t *testing.T) {
	var requests []string
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests = append(requests, r.Header.Get("Idempotency-Key")+" "+r.Header.Get("Content-Type")+" "+string(body))
		if status == http.StatusFound {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	hook := NewWebhook(server.URL)
	f := func(code int, wantErr, wantRefused bool) {
		t.Helper()
		requests, status = nil, code
		a := alert("ep-1", 2)
		err := hook.Send(t.Context(), a)
		_, refused := errors.AsType[*Refused](err)
		if (err != nil) != wantErr || refused != wantRefused {
			t.Errorf("%d: %v, refused %t", code, err, refused)
		}
		if want := "ep-1-2 application/json " + string(a.Marshal()); len(requests) != 1 || requests[0] != want {
			t.Errorf("%d: requests %q, want %q", code, requests, want)
		}
	}
	f(200, false, false)
	f(204, false, false)
	f(302, true, false) // an alert goes where the policy says, and nowhere else
	f(400, true, true)
	f(401, true, true)
	f(408, true, false)
	f(429, true, false)
	f(503, true, false)
	server.Close()
	if err := hook.Send(t.Context(), alert("ep-1", 1)); err == nil {
		t.Error("nobody is there, and it went well")
	}
}
