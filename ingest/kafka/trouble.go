package kafka

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

const (
	// openTime is how long brokers may be away when a feed is opened.
	openTime = 20 * time.Second
	// newTopic is how often brokers may say that they do not know a topic:
	// they may have heard of it from others, or began a moment ago.
	newTopic = 6
	// otherBroker is how often another of the named brokers is asked, at random,
	// where one cannot be trusted.
	otherBroker = 20
)

// insist tries until it succeeds, for as long as brokers may be away.
func (c *client) insist(ctx context.Context, try func() error) error {
	began := time.Now()
	absent, untrusted := 0, 0
	return c.config.again(ctx, "", func(err error) error {
		switch {
		case isTLS(err) && len(c.config.Brokers) > 1 && untrusted < otherBroker: // asked is any of them
			untrusted++
		case !passes(err):
			return c.config.refuse(err)
		case missing(err):
			if absent++; absent > newTopic {
				return c.config.fail(errors.New("there is no such topic"), "")
			}
		case !c.config.Wait && !isThrottled(err) && time.Since(began) >= openTime:
			return c.config.fail(err, c.config.doubt(err))
		}
		return nil
	}, try)
}

// pause waits the longer the more often something failed, at most a second,
// and never as long as others that failed with it.
func pause(ctx context.Context, failures int) error {
	longest := min(50*time.Millisecond<<min(failures, 6), time.Second)
	select {
	case <-time.After(longest/2 + rand.N(longest/2)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
