package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loopgauge/loopgauge/sinks"
)

// busy is a sink that asks to be left alone, so many times.
type busy struct {
	after time.Duration
	times int
}

func (*busy) Name() string { return "busy" }

func (b *busy) Send(context.Context, *sinks.Alert) error {
	if b.times == 0 {
		return nil
	}
	b.times--
	return &sinks.Later{Err: errors.New("busy"), After: b.after}
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
			e.sendTo(&busy{asked, 1}, &sinks.Alert{})
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
		e.sendTo(&busy{25 * time.Minute, 1000}, &sinks.Alert{})
		if took := time.Since(begin); took != 50*time.Minute || e.sent["busy"] != 0 || e.failed["busy"] == nil {
			t.Errorf("given up after %s, sent %d: %v", took, e.sent["busy"], e.failed["busy"])
		}
	})
}
