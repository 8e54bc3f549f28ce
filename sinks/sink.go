package sinks

import "context"

// Sink is where alerts go.
type Sink interface {
	// Name tells the sink from the others of a policy, also after a restart.
	Name() string
	// Send sends one alert. Alerts of one incident come in the order of their
	// revisions. An error is tried again, unless it is a *Refused.
	Send(ctx context.Context, a *Alert) error
}

// Refused is an error that no repetition mends: the receiver understood and
// does not want it.
type Refused struct{ Err error }

func (e *Refused) Error() string { return e.Err.Error() }
func (e *Refused) Unwrap() error { return e.Err }
