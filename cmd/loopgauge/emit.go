package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint/rawjson"
	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/sinks"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// emitter sends the alerts of a replay, for trying sinks out: each is tried
// once, and a sink that fails gets no more.
type emitter struct {
	ctx    context.Context
	u      *ui
	sinks  []sinks.Sink
	router *sinks.Router
	outbox *sinks.Outbox
	sent   map[string]int
	failed map[string]error
}

// printer is a sink that writes alerts as JSON lines.
type printer struct{ w io.Writer }

func (printer) Name() string { return "standard output" }

func (p printer) Send(_ context.Context, a *sinks.Alert) error {
	_, err := p.w.Write(append(rawjson.Printable(a.Marshal()), '\n'))
	return err
}

// emitter adds to o what makes alerts of the run.
func (f *replayFlags) emitter(ctx context.Context, u *ui, p *policy.Policy, args []string, o *replay.Options) (*emitter, error) {
	e := &emitter{ctx: ctx, u: u, sent: map[string]int{}, failed: map[string]error{}}
	var routes sinks.Routes
	var err error
	log := slog.New(slog.NewTextHandler(u.stderr, nil))
	if f.dryRun {
		e.sinks = []sinks.Sink{printer{u.stdout}}
	} else if e.sinks, routes, err = alertSinks(p, log, false); err != nil {
		return nil, usage(err)
	}
	e.outbox = sinks.NewOutbox(log, e.sinks...)
	content := &sinks.Content{Links: p.Links}
	if o.Kept == nil { // a dataset holds no more than its rules need
		o.Plan = o.Plan.WithEvidence()
		if c := f.explain(args); readOnce(args) == "" {
			content.Explain = c.of
		}
	}
	e.router = sinks.NewRouter(e.outbox, routes, content)
	incidents := window.NewIncidents(func(in *window.Incident) { e.router.Take(in) })
	o.Fired = func(ep *window.Episode, f window.Firing) {
		incidents.Fired(ep, f)
		e.send()
	}
	event, episode := o.Event, o.Episode
	o.Event = func(ev *window.Event) error {
		e.router.Advance(ev.Time)
		if event == nil {
			return nil
		}
		return event(ev)
	}
	o.Episode = func(ep *window.Episode) error {
		incidents.Closed(ep)
		e.send()
		return episode(ep)
	}
	return e, nil
}

func (e *emitter) send() {
	e.outbox.Flush(func(a *sinks.Alert, to []string) {
		for _, s := range e.sinks {
			for _, name := range to {
				if s.Name() == name && e.failed[name] == nil {
					e.sendTo(s, a)
				}
			}
		}
	})
}

// sendTo leaves a receiver alone when it asks for that, but does not wait for
// ever: one alert takes no longer than watch would wait at once.
func (e *emitter) sendTo(s sinks.Sink, a *sinks.Alert) {
	left := sinks.LongestLater
	for {
		err := s.Send(e.ctx, a)
		later, ok := errors.AsType[*sinks.Later](err)
		if !ok || later.Pause() > left {
			if e.failed[s.Name()] = err; err == nil {
				e.sent[s.Name()]++
			}
			return
		}
		pause := later.Pause()
		left -= pause
		e.u.say("%s: asks to be left alone for %s", sinks.Called(s), window.Lasting(pause))
		select {
		case <-time.After(pause):
		case <-e.ctx.Done():
			return
		}
	}
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
		e.u.say("%s: %d alerts sent", sinks.Called(s), sent)
	}
	return errors.Join(errs...)
}
