package sinks

import (
	"context"
	"time"
)

// Sink is where alerts go.
type Sink interface {
	// Name tells the sink from the others of a policy, also after a restart.
	Name() string
	// Send sends one alert. Alerts of one incident come in the order of their
	// revisions. An error is tried again, unless it is a
	// *Refused; of a *Later not before its time.
	Send(ctx context.Context, a *Alert) error
}

// Refused is an error that no repetition mends: the receiver understood and
// does not want it.
type Refused struct{ Err error }

func (e *Refused) Error() string { return e.Err.Error() }
func (e *Refused) Unwrap() error { return e.Err }

// Later is an error of a receiver that says how long to leave it alone.
type Later struct {
	Err   error
	After time.Duration
}

func (e *Later) Error() string { return e.Err.Error() }
func (e *Later) Unwrap() error { return e.Err }
