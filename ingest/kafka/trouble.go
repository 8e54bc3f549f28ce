package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"
)

// quietTime is how long something may fail before it is said.
const quietTime = 3 * time.Second

const cannotCommit = "its offsets cannot be committed, so nothing leaves; it is tried again and again"

// trouble is what fails and is tried again and again.
type trouble struct {
	since time.Time // of the first failure
	last  error     // nil as long as nothing has failed
	said  bool
}

// lasts takes a failure in, and says it once if it has lasted. What is what
// does not work; empty is that the brokers say nothing, or no.
func (t *trouble) lasts(c *Config, what string, err error) {
	if t.last == nil {
		t.since = time.Now()
	}
	if t.last = err; c.Say == nil || t.said || time.Since(t.since) <= quietTime {
		return
	}
	t.said = true
	if what == "" {
		what = "the brokers do not answer"
		if answered(err) {
			what = "the brokers answer with an error"
		}
		what += ", they are asked again and again"
	}
	c.Say(fmt.Sprintf("%s: %s: %v; %s", c, what, err, c.doubt(err)))
}

// joins is lasts of a group that cannot be joined; while it is being shared out
// that is as it should be.
func (t *trouble) joins(c *Config, err error) {
	if !errors.Is(err, kafka.RebalanceInProgress) {
		t.lasts(c, fmt.Sprintf("the group %q cannot be joined, it is tried again and again", c.Group), err)
	}
}

// again tries until that succeeds or ends in an error that final makes of it, which is
// nil for one that may pass; or until the context ends. What is as for lasts.
func (c *Config) again(ctx context.Context, what string, final func(error) error, try func() error) error {
	var t trouble
	for n := 0; ; n++ {
		err := try()
		if err == nil {
			return nil
		}
		if end := final(err); end != nil {
			return end
		}
		if ctx.Err() == nil {
			t.lasts(c, what, err)
		}
		if pause(ctx, n) != nil {
			return t.over(ctx)
		}
	}
}

// over is the error where the context has ended meanwhile: with what failed.
func (t *trouble) over(ctx context.Context) error {
	if t.last == nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %w", ctx.Err(), t.last)
}
