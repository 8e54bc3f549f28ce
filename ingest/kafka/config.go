package kafka

import (
	"cmp"
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// Config says which topic is read, and how.
type Config struct {
	Brokers []string // host:port, of some of the brokers
	Topic   string
	Group   string // consumer group of a feed
	State   string // tells the state that the feed goes on from, from all others
	Start   Start  // of a feed that goes on from nothing
	TLS     *TLS   // nil: not encrypted
	SASL    *SASL  // nil: no user

	Format  *formats.Format // of the records; nil detects it
	Zone    *time.Location  // of times that have none; nil is UTC
	MaxLine int             // longest line, in bytes; 0 is ingest.DefaultMaxLine

	Say  func(what string) // is told what opening waits for; may be nil
	Wait bool              // for brokers that do not answer: as long as the context lives, not 20 seconds

	// Offsets bound the partitions that streams read. With none all are read.
	Offsets []Span

	SessionTimeout time.Duration // after which a silent member is taken for dead; 0 is 30 s
	Heartbeat      time.Duration // how often a member says that it lives; 0 is a tenth of that

	dial func(context.Context, string, string) (net.Conn, error) // the network's unless a test says otherwise
}

// Start is where a feed begins that goes on from nothing: if all is empty,
// with the next record that is written.
type Start struct {
	Earliest bool      // with the first record that there is
	Time     time.Time // with the first record written then or later
}

// Span is a run of records of a partition.
type Span struct {
	Partition int
	From, To  int64 // offsets; To is behind the last. -1: from the first, to the last
}

// ParseStart reads earliest, latest or a time.
func ParseStart(text string) (Start, error) {
	switch text {
	case "earliest":
		return Start{Earliest: true}, nil
	case "", "latest":
		return Start{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return Start{}, errors.New("must be earliest, latest, or a time as in 2026-11-21T10:00:00Z")
	}
	return Start{Time: t}, nil
}

// String is the name of the topic, as Parse reads it.
func (c *Config) String() string { return scheme + strings.Join(c.Brokers, ",") + "/" + c.Topic }

// partition is what messages call a partition.
func (c *Config) partition(index int) string { return c.Topic + "/" + strconv.Itoa(index) }

func (c *Config) maxLine() int { return cmp.Or(c.MaxLine, ingest.DefaultMaxLine) }

func (c *Config) session() time.Duration { return cmp.Or(c.SessionTimeout, 30*time.Second) }

func (c *Config) heartbeat() time.Duration { return cmp.Or(c.Heartbeat, c.session()/10) }

// memberName is how the brokers call our member of the group: by its state,
// which one process at a time may use.
func (c *Config) memberName() string {
	if c.State == "" {
		return clientID
	}
	return clientID + "-" + c.State
}
