package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// emitter sends the alerts of a replay, for trying sinks out: a sink that fails
// for some seconds gets no more. Or it prints who would be sent them.
type emitter struct {
	ctx     context.Context
	u       *ui
	sinks   []sinks.Sink
	router  *sinks.Router
	outbox  *sinks.Outbox
	deliver func(a *sinks.Alert, to []string)
	did     string // with them
	sent    map[string]int
	failed  map[string]error
}

// trial is a sink of a policy that is not sent anything: who would be is
// printed.
type trial string

func (t trial) Name() string { return string(t) }

func (trial) Send(context.Context, *sinks.Alert) error { return nil }

// trialSinks stand for the sinks of a policy. They need none of what only the
// machine has on which watch runs.
func trialSinks(p *policy.Policy) ([]sinks.Sink, sinks.Routes, error) {
	var list []policySink
	times := map[string]int{}
	for i := range p.Sinks {
		s := &p.Sinks[i]
		if s.Kind == "log" || s.Kind == "kafka" && s.Settings["alerts"] == "" { // that of verdicts only
			continue
		}
		name := s.Name
		if times[name]++; times[name] > 1 { // no route can name it
			name += fmt.Sprint(" ", times[name])
		}
		list = append(list, policySink{sinks.Named{Sink: trial(name), Called: name}, s})
	}
	made, routes := routed(p, trial("log"), list)
	_, err := checkSinks(p)
	return made, routes, err
}

// print writes an alert as a line of JSON, with those who would be sent it.
func (e *emitter) print(a *sinks.Alert, to []string) {
	for _, name := range to {
		e.sent[name]++
	}
	_, _ = e.u.stdout.Write(append(rawjson.Printable(a.MarshalTo(to)), '\n')) // which keeps its error
}

// emitter adds to o what makes alerts of the run.
func (f *replayFlags) emitter(ctx context.Context, u *ui, p *policy.Policy, args []string, o *replay.Options) (*emitter, error) {
	e := &emitter{ctx: ctx, u: u, sent: map[string]int{}, failed: map[string]error{}}
	var routes sinks.Routes
	var err error
	log := slog.New(slog.NewTextHandler(u.stderr, nil))
	e.deliver, e.did = e.sendAll, "sent"
	if f.dryRun {
		e.deliver, e.did = e.print, "would be sent"
		e.sinks, routes, err = trialSinks(p)
	} else {
		e.sinks, routes, err = alertSinks(p, log, false)
	}
	if err != nil {
		return nil, usage(err)
	}
	e.outbox = sinks.NewOutbox(log, e.sinks...)
	content := &sinks.Content{Links: p.Links}
	if c := f.explain(args); o.Kept == nil && c.runs() {
		content.Explain = c.of
	}
	e.router = sinks.NewRouter(e.outbox, routes, content)
	incidents := window.NewIncidents(func(in *window.Incident) { e.router.Take(in) })
	o.Fired = func(ep *window.Episode, f window.Firing) {
		incidents.Fired(ep, f)
		e.send()
	}
	o.Event = both(func(ev *window.Event) error {
		e.router.Advance(ev.Time)
		return nil
	}, o.Event)
	o.Episode = both(func(ep *window.Episode) error {
		incidents.Closed(ep)
		e.send()
		return nil
	}, o.Episode)
	return e, nil
}

func (e *emitter) send() { e.outbox.Flush(e.deliver) }

func (e *emitter) sendAll(a *sinks.Alert, to []string) {
	for _, s := range e.sinks {
		if slices.Contains(to, s.Name()) && e.failed[s.Name()] == nil {
			e.sendTo(s, a)
		}
	}
}

// retries are how long a receiver is left alone that fails and does not say for
// how long.
var retries = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}

// sendTo tries again what watch would, but not for ever: one alert takes no
// longer than watch would wait at once where the receiver asks for that, and
// else some seconds.
func (e *emitter) sendTo(s sinks.Sink, a *sinks.Alert) {
	left, failures := sinks.LongestLater, retries
	for {
		err := s.Send(e.ctx, a)
		var pause time.Duration
		switch later, ok := errors.AsType[*sinks.Later](err); {
		case ok && later.Pause() <= left:
			pause = later.Pause()
			left -= pause
			e.u.say("%s: asks to be left alone for %s", sinks.Called(s), window.Lasting(pause))
		case passes(err) && len(failures) > 0:
			pause, failures = failures[0], failures[1:]
			e.u.say("%s: %v; tried again in %s", sinks.Called(s), err, window.Lasting(pause))
		default:
			if e.failed[s.Name()] = err; err == nil {
				e.sent[s.Name()]++
			}
			return
		}
		select {
		case <-time.After(pause):
		case <-e.ctx.Done():
			return
		}
	}
}

// passes tells whether an error may be gone in a moment.
func passes(err error) bool {
	return err != nil && !errors.As(err, new(*sinks.Refused)) && !errors.As(err, new(*sinks.Denied)) && !errors.As(err, new(*sinks.Later))
}

// close sends what is left, and says who got how many.
func (e *emitter) close() error {
	if e == nil {
		return nil
	}
	e.router.End()
	e.send()
	var errs []error
	for _, s := range e.sinks {
		err, sent := e.failed[s.Name()], e.sent[s.Name()]
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w\nalerts it took before that one: %d", sinks.Called(s), err, sent))
			continue
		}
		e.u.say("%s: %d alerts %s", sinks.Called(s), sent, e.did)
	}
	return errors.Join(errs...)
}
