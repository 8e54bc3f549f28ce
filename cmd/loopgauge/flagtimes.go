package main

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // for machines that have no zones of their own

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/policy"
)

// when is a flag's point in time, in microseconds.
type when int64

func newWhen() when { return when(fingerprint.NoTime) }

func (w *when) String() string {
	if *w == newWhen() {
		return ""
	}
	return time.UnixMicro(int64(*w)).UTC().Format(time.RFC3339Nano)
}

func (w *when) Type() string { return "time" }

func (w *when) Set(text string) error {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			*w = when(t.UnixMicro())
			return nil
		}
	}
	return errors.New("write it as 2026-11-21 or 2026-11-21T10:00:00Z (UTC where no zone is given)")
}

// zone is a flag's time zone; its zero value is UTC.
type zone struct{ *time.Location }

func (z *zone) String() string {
	if z.Location == nil {
		return "UTC"
	}
	return z.Location.String()
}

func (z *zone) Type() string { return "zone" }

func (z *zone) Set(text string) error {
	in, err := time.LoadLocation(text)
	if err != nil || text == "Local" { // of whichever machine that is
		return fmt.Errorf("no zone is called %q; write it as UTC or Europe/Warsaw", text)
	}
	z.Location = in
	return nil
}

// span is a flag's length of time, written as in policies; nil if none is given.
type span struct{ *time.Duration }

func (s *span) String() string {
	if s.Duration == nil {
		return ""
	}
	return window.Lasting(*s.Duration)
}

// or is the length of time, d if none is given.
func (s span) or(d time.Duration) time.Duration {
	if s.Duration == nil {
		return d
	}
	return *s.Duration
}

func (s *span) Type() string { return "duration" }

func (s *span) Set(text string) error {
	d, ok := policy.ParseDuration(text)
	if !ok {
		return errors.New("write it as 500ms, 10s, 5m or 1h30m")
	}
	s.Duration = &d
	return nil
}

// spans is a flag's list of lengths of time. What is given takes the place of
// the default, however often the flag is.
type spans struct {
	list  []time.Duration
	given bool
}

func (s *spans) String() string {
	var texts []string
	for _, d := range s.list {
		texts = append(texts, window.Lasting(d))
	}
	return strings.Join(texts, ",")
}

func (s *spans) Type() string { return "durations" }

func (s *spans) Set(text string) error {
	if !s.given {
		s.list, s.given = nil, true
	}
	for one := range strings.SplitSeq(text, ",") {
		d, ok := policy.ParseDuration(one)
		if !ok {
			return errors.New("write them as 10s,1m,1h30m,1d")
		}
		s.list = append(s.list, d)
	}
	return nil
}
