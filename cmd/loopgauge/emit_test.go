package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/sinks"
)

// failing is a sink that fails so many times, in the same way.
type failing struct {
	name  string
	err   error
	times int
}

func (f *failing) Name() string { return f.name }

func (f *failing) Send(context.Context, *sinks.Alert) error {
	if f.times == 0 {
		return nil
	}
	f.times--
	return f.err
}

// busy is one that asks to be left alone.
func busy(after time.Duration, times int) *failing {
	return &failing{"busy", &sinks.Later{Err: errors.New("busy"), After: after}, times}
}

// TestEmitLater: a receiver that says when to come again is left alone as watch
// would leave it alone: an hour at most, and never for no time at all.
func TestEmitLater(t *testing.T) {
	f := func(asked, alone time.Duration, say string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			var said strings.Builder
			e := &emitter{ctx: t.Context(), u: newUI(nil, nil, &said), sent: map[string]int{}, failed: map[string]error{}}
			begin := time.Now()
			e.sendTo(busy(asked, 1), &sinks.Alert{})
			if took := time.Since(begin); took != alone || e.sent["busy"] != 1 || said.String() != say {
				t.Errorf("%s: left alone for %s, sent %d: %s", asked, took, e.sent["busy"], said.String())
			}
		})
	}
	f(10*time.Minute, 10*time.Minute, "busy: asks to be left alone for 10m\n")
	f(365*24*time.Hour, time.Hour, "busy: asks to be left alone for 1h\n")
	f(-time.Minute, 500*time.Millisecond, "busy: asks to be left alone for 500ms\n")
}

// TestEmitNeverTaken: a receiver that always asks for later is given up.
func TestEmitNeverTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &emitter{ctx: t.Context(), u: newUI(nil, nil, io.Discard), sent: map[string]int{}, failed: map[string]error{}}
		begin := time.Now()
		e.sendTo(busy(25*time.Minute, 1000), &sinks.Alert{})
		if took := time.Since(begin); took != 50*time.Minute || e.sent["busy"] != 0 || e.failed["busy"] == nil {
			t.Errorf("given up after %s, sent %d: %v", took, e.sent["busy"], e.failed["busy"])
		}
	})
}

// TestEmitAgain: what may pass is tried again for some seconds, as is all that
// watch tries again; what does not pass is not.
func TestEmitAgain(t *testing.T) {
	broken := errors.New("the receiver answered 500 Internal Server Error")
	f := func(err error, times int, took time.Duration, sent, say string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			var said strings.Builder
			e := &emitter{ctx: t.Context(), u: newUI(nil, nil, &said), sent: map[string]int{}, failed: map[string]error{}}
			begin := time.Now()
			e.sendTo(&failing{"down", err, times}, &sinks.Alert{})
			got := fmt.Sprint(e.sent["down"], " ", e.failed["down"])
			if after := time.Since(begin); after != took || got != sent || !strings.HasPrefix(said.String(), say) {
				t.Errorf("%v, %d times: after %s %s, said %s", err, times, after, got, said.String())
			}
		})
	}
	f(broken, 0, 0, "1 <nil>", "")
	f(broken, 1, 500*time.Millisecond, "1 <nil>", "down: the receiver answered 500 Internal Server Error; tried again in 500ms\n")
	f(broken, 3, 3500*time.Millisecond, "1 <nil>", "down: ")
	f(broken, 1000, 3500*time.Millisecond, "0 "+broken.Error(), "down: ")
	f(&sinks.Refused{Err: broken}, 1, 0, "0 "+broken.Error(), "")
	f(&sinks.Denied{Err: broken}, 1, 0, "0 "+broken.Error(), "")
}

// TestEmitDryRun: what would be sent is printed with who would get it, by the
// policy's routes and severities, without the secrets of its sinks.
func TestEmitDryRun(t *testing.T) {
	f := func(sinks, routes, want string) {
		t.Helper()
		dir := t.TempDir()
		log, policy := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "policy.yaml")
		var lines strings.Builder
		for i := range 30 { // one of them loops for long
			session, model := "short", "m"
			if i%5 > 0 {
				session, model = "long", "n"
			}
			fmt.Fprintf(&lines, `{"time":"2026-05-04T10:00:%02dZ","id":"r%d","session":"%s","model":"%s","messages":[{"role":"user","content":"again"}]}`+"\n", i, i, session, model)
		}
		write(t, log, lines.String())
		write(t, policy, `version: 1
rules: [{name: a, identity: prompt, scope: [session], counter: {kind: sliding, window: 1m}, threshold: 2}]
sinks: [`+sinks+"]\nroutes: ["+routes+"]\n")
		code, out, errs := ran(t, "", "replay", "--policy", policy, "--emit", "--dry-run", log)
		got := ""
		for line := range strings.Lines(out) {
			var a struct {
				Event, Session, Severity string
				To                       []string
			}
			unmarshal(t, line, &a)
			got += fmt.Sprintln(strings.TrimPrefix(a.Event, "loop."), a.Session, a.Severity, a.To)
		}
		for line := range strings.Lines(errs) {
			if strings.Contains(line, "would be sent") || code != exitDone {
				got += line
			}
		}
		if got != want {
			t.Errorf("%s, %s\n%swant\n%s", sinks, routes, got, want)
		}
	}
	const pager = `{webhook: {name: pager, url: "${LG_NONE}", secret: "${LG_NONE}", min_severity: warning}}`
	f("", "", `opened long info [log]
opened short info [log]
grown long warning [log]
closed short info [log]
closed long warning [log]
log: 5 alerts would be sent
`)
	f(pager+`, {slack: {token: "${LG_NONE}", channel: C0123456789}}`, `{match: 'model == "m"', to: []}`, `opened long info [log slack]
opened short info [log]
grown long warning [log slack]
opened long warning [pager]
closed short info [log]
closed long warning [log pager slack]
log: 5 alerts would be sent
pager: 2 alerts would be sent
slack: 3 alerts would be sent
`)
	f(`{kafka: {verdicts: "kafka://127.0.0.1:9092/v"}}, `+pager, `{match: 'true', to: []}`, `opened long info [log]
opened short info [log]
grown long warning [log]
closed short info [log]
closed long warning [log]
log: 5 alerts would be sent
pager: 0 alerts would be sent
`)
}
