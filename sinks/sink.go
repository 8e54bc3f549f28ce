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

// Named is a sink that people know by another name than its own.
type Named struct {
	Sink
	Called string
}

// Called is the name that people know a sink by.
func Called(s Sink) string {
	if named, ok := s.(Named); ok {
		return named.Called
	}
	return s.Name()
}

// Resender is a sink whose receiver forgets what it is not told again.
type Resender interface {
	Sink
	// Resend says again what is open: of each incident, and digest, the last
	// alert that was sent, by ID. It is called every minute, with none too.
	Resend(ctx context.Context, open []*Alert) error
}

// Refused is an error that no repetition mends: the receiver understood this
// alert and does not want it.
type Refused struct{ Err error }

func (e *Refused) Error() string { return e.Err.Error() }
func (e *Refused) Unwrap() error { return e.Err }

// Denied is an error that a person must mend: the receiver lets us in no more,
// or is not where it was. It takes all alerts or none, so they wait.
type Denied struct{ Err error }

func (e *Denied) Error() string { return e.Err.Error() }
func (e *Denied) Unwrap() error { return e.Err }

// Later is an error of a receiver that says how long to leave it alone.
type Later struct {
	Err   error
	After time.Duration
}

func (e *Later) Error() string { return e.Err.Error() }
func (e *Later) Unwrap() error { return e.Err }

// Pause is how long to leave the receiver alone, whatever it says: not for a day,
// and not without a breath.
func (e *Later) Pause() time.Duration { return min(max(e.After, firstRetry), LongestLater) }
