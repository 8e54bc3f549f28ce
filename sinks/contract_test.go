package sinks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ingestkafka "github.com/loopgauge/loopgauge/ingest/kafka"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/sinks/kafka"
	"github.com/loopgauge/loopgauge/sinks/slack"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// hidden is in all that a sink is told in confidence.
const hidden = "hunter2"

// overHTTP are the sinks that post to a URL, made for a receiver there.
var overHTTP = map[string]func(address string) sinks.Sink{
	"webhook": func(address string) sinks.Sink {
		return sinks.NewWebhook(sinks.WebhookOptions{URL: address + "/" + hidden, Secret: hidden})
	},
	"webhook of AISG's form": func(address string) sinks.Sink {
		return sinks.NewWebhook(sinks.WebhookOptions{URL: address + "/?key=" + hidden, AISG: true})
	},
	"alertmanager": func(address string) sinks.Sink {
		return sinks.NewAlertmanager(sinks.AlertmanagerOptions{URL: address + "/" + hidden, User: hidden, Password: hidden})
	},
	"slack bot":  func(address string) sinks.Sink { return slack.NewBot(hidden, "C0123456", address+"/") },
	"slack hook": func(address string) sinks.Sink { return slack.NewHook(address + "/" + hidden) },
}

// receivers are all sinks that can fail.
func receivers() map[string]func(address string) sinks.Sink {
	all := map[string]func(address string) sinks.Sink{"kafka": func(address string) sinks.Sink {
		u, _ := url.Parse(address)
		return kafka.NewAlerts(ingestkafka.Config{Brokers: []string{u.Host}, Topic: "loops", SASL: &ingestkafka.SASL{Mechanism: "plain", User: hidden, Password: hidden}, Wait: true})
	}}
	maps.Copy(all, overHTTP)
	return all
}

// TestReceivers: every kind of sink that a policy can have is among them.
func TestReceivers(t *testing.T) {
	var schema struct {
		Properties struct {
			Sinks struct {
				Items struct{ Properties map[string]any }
			}
		}
	}
	if err := json.Unmarshal(policy.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	held := slices.Collect(maps.Keys(receivers()))
	for kind := range schema.Properties.Sinks.Items.Properties {
		if kind != "log" && !slices.ContainsFunc(held, func(name string) bool { return strings.HasPrefix(name, kind) }) {
			t.Errorf("%s: put one among the receivers", kind)
		}
	}
}

func opened(id string) *sinks.Alert {
	return &sinks.Alert{
		Version: sinks.AlertVersion, Event: "loop.opened", ID: id, Revision: 1, State: window.Opened, Severity: window.Warning,
		Rule: "r", Scope: map[string]string{"session": "s"}, First: "2026-05-04T10:00:00Z", Fired: "2026-05-04T10:00:00Z", Last: "2026-05-04T10:00:01Z",
	}
}

// became is what an outbox makes of an attempt.
func became(err error) string {
	if err == nil {
		return "sent"
	}
	if _, ok := errors.AsType[*sinks.Refused](err); ok {
		return "refused"
	}
	if _, ok := errors.AsType[*sinks.Denied](err); ok {
		return "denied"
	}
	if later, ok := errors.AsType[*sinks.Later](err); ok {
		return "after " + later.After.String()
	}
	return "later"
}

func keepsSecrets(t *testing.T, s sinks.Sink, err error) {
	t.Helper()
	if text := fmt.Sprint(s.Name(), " ", err); strings.Contains(text, hidden) {
		t.Errorf("tells a secret: %s", text)
	}
}

// The same answer means the same to every sink: no alert is given up for what
// may pass, or what a person can mend.
func TestEverySinkAnswered(t *testing.T) {
	for name, open := range overHTTP {
		t.Run(name, func(t *testing.T) {
			var status int
			var key, value string // of a header
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if key != "" {
					w.Header().Set(key, value)
				}
				w.WriteHeader(status)
				_, _ = io.WriteString(w, `{"ok":true,"channel":"C0123456","ts":"1777888000.000100"}`)
			}))
			defer server.Close()
			f := func(code int, name, text, want string) {
				t.Helper()
				status, key, value = code, name, text
				s := open(server.URL)
				err := s.Send(t.Context(), opened("ep-1"))
				if got := became(err); got != want {
					t.Errorf("%d: %s, want %s: %v", code, got, want, err)
				}
				keepsSecrets(t, s, err)
			}
			f(200, "", "", "sent")
			f(302, "Location", "/elsewhere", "denied")
			f(400, "", "", "refused")
			f(401, "", "", "denied")
			f(403, "", "", "denied")
			f(404, "", "", "denied")
			f(408, "", "", "later")
			f(413, "", "", "refused")
			f(415, "", "", "refused")
			f(422, "", "", "refused")
			f(429, "", "", "later")
			f(429, "Retry-After", "7", "after 7s")
			f(500, "", "", "later")
			f(503, "", "", "later")
		})
	}
}

// forPrograms are the sinks whose receivers get values of the log as they are.
var forPrograms = []string{"webhook", "webhook of AISG's form"}

// What a person reads holds no character of the log that hides what follows or
// turns it around, in whatever field it came.
func TestEverySinkCleans(t *testing.T) {
	for name, open := range overHTTP {
		t.Run(name, func(t *testing.T) {
			var body string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				body, _ = url.QueryUnescape(string(b))
				_, _ = io.WriteString(w, `{"ok":true,"channel":"C0123456","ts":"1777888000.000100"}`)
			}))
			defer server.Close()
			a, hostile := opened("ep-1"), "a\u202eb\x1b[31m"
			a.Scope = map[string]string{"session": hostile, hostile: hostile}
			a.Caller, a.User, a.Session, a.Model, a.Backend = hostile, hostile, hostile, hostile, hostile
			a.Tool, a.Repeats, a.Method, a.Path, a.Signature = hostile, hostile, hostile, hostile, hostile
			if err := open(server.URL).Send(t.Context(), a); err != nil {
				t.Fatal(err)
			}
			raw := strings.ContainsAny(body, "\u202e\x1b") || strings.Contains(body, `\u202e`) || strings.Contains(body, `\u001b`)
			switch people := !slices.Contains(forPrograms, name); {
			case people && raw:
				t.Errorf("a person is sent, uncleaned (sinks.Clean): %q", body)
			case people && !strings.Contains(body, "a\uFFFDb"):
				t.Errorf("nothing of the log is in it: %q", body)
			case !people && !raw:
				t.Errorf("its receiver gets other values than the log has: %q", body)
			}
		})
	}
}

// Whoever is at the other end, a sink ends with its context, and what it could
// not send is not refused.
func TestEverySinkEnds(t *testing.T) {
	var listen net.ListenConfig
	for name, open := range receivers() {
		t.Run(name, func(t *testing.T) {
			silent, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var reading sync.WaitGroup
			reading.Go(func() {
				for {
					c, err := silent.Accept()
					if err != nil {
						return
					}
					defer c.Close() //nolint:errcheck // it says nothing
					cancel()        // somebody is there, and says nothing
				}
			})
			s := open("http://" + silent.Addr().String())
			err = s.Send(ctx, opened("ep-1"))
			if got := became(err); got != "later" {
				t.Errorf("%s: %v", got, err)
			}
			keepsSecrets(t, s, err)
			_ = silent.Close()
			reading.Wait()

			ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			err = s.Send(ctx, opened("ep-1")) // nobody is there
			if got := became(err); got != "later" {
				t.Errorf("nobody is there: %s: %v", got, err)
			}
			keepsSecrets(t, s, err)
		})
	}
}

// Through an outbox every alert arrives, in order, though a receiver fails.
func TestEverySinkKeepsOrder(t *testing.T) {
	t.Parallel() // it waits for what is tried again
	for name, open := range overHTTP {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var got []string
			failures := 1
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				text, _ := url.QueryUnescape(string(body))
				mu.Lock()
				defer mu.Unlock()
				for i := range 3 {
					id := fmt.Sprint("ep-", i)
					if strings.Contains(text, id) && !slices.Contains(got, id) {
						if i == 1 && failures > 0 {
							failures--
							w.WriteHeader(http.StatusInternalServerError)
							return
						}
						got = append(got, id)
					}
				}
				_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "channel": "C0123456", "ts": "1777888000.000100"})
			}))
			defer server.Close()
			o := sinks.NewOutbox(slog.New(slog.DiscardHandler), open(server.URL))
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { o.Run(ctx) })
			for i := range 3 {
				o.Add(opened(fmt.Sprint("ep-", i)), o.Names()...)
			}
			o.Allow(o.Last())
			if err := o.Drain(ctx); err != nil {
				t.Error(err)
			}
			cancel()
			running.Wait()
			mu.Lock()
			defer mu.Unlock()
			if want := []string{"ep-0", "ep-1", "ep-2"}; !slices.Equal(got, want) || failures > 0 {
				t.Errorf("came as %q, want %q", got, want)
			}
			if s := o.Stats()[0]; s.Sent != 3 || s.Failed != 1 {
				t.Errorf("%+v", s)
			}
		})
	}
}
