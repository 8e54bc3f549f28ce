package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/ingest"
	"github.com/loopgauge/loopgauge/ingest/formats"
)

// scheme is how the name of a topic begins where logs are named.
const scheme = "kafka://"

// Config says which topic is read, and how.
type Config struct {
	Brokers []string // host:port, of some of the brokers
	Topic   string
	Group   string // consumer group of a feed
	State   string // tells the state that the feed goes on from, from all others
	Start   Start  // of a feed that goes on from nothing
	TLS     *TLS   // nil: not encrypted
	SASL    *SASL  // nil: no user

	Format  string          // name of the records' format; empty detects it
	Custom  *formats.Format // what Format names where it is not built in; nil if it is
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

func (c *Config) asked() ingest.Asked { return ingest.Asked{Name: c.Format, Custom: c.Custom} }

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

// IsTopic tells the name of a topic from that of a file.
func IsTopic(name string) bool { return strings.HasPrefix(name, scheme) }

// form is what Parse wants.
const form = "write it as kafka://host:port/topic, with more brokers as host:port,host:port"

// Parse reads the name of a topic:
//
//	kafka://host:port[,host:port]/topic[?offsets=PARTITION[:FROM-TO],...]
//
// The port is 9092 unless given; FROM or TO may be missing.
func Parse(name string) (Config, error) {
	fail := func(format string, args ...any) error {
		return &ingest.Error{Path: hide(name), Err: fmt.Errorf(format, args...), Hint: form}
	}
	rest, ok := strings.CutPrefix(name, scheme)
	if !ok {
		return Config{}, fail("not the name of a topic")
	}
	rest, query, _ := strings.Cut(rest, "?")
	hosts, topic, _ := strings.Cut(rest, "/")
	if strings.Contains(rest, "@") { // behind a slash, too: a password may have some
		return Config{}, fail("a user does not belong here: the policy names one, under kafka: sasl:")
	}
	c := Config{Topic: topic}
	for host := range strings.SplitSeq(hosts, ",") {
		if !strings.Contains(strings.TrimPrefix(host[strings.LastIndexByte(host, ']')+1:], "]"), ":") {
			host += ":9092"
		}
		h, port, err := net.SplitHostPort(host)
		if n, e := strconv.Atoi(port); err != nil || h == "" || e != nil || n < 1 || n > 65535 {
			return c, fail("%q is no broker", host)
		}
		c.Brokers = append(c.Brokers, host)
	}
	if topic == "" || len(topic) > longestTopic || strings.Trim(topic, topicCharacters) != "" || topic == "." || topic == ".." {
		return c, fail("%q is no name of a topic", topic)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return c, fail("%q cannot be read", query)
	}
	for key, v := range values {
		if key != "offsets" || len(v) != 1 {
			return c, fail("%q is unknown; there is offsets", key)
		}
		if c.Offsets, err = parseSpans(v[0]); err != nil {
			return c, fail("%w", err)
		}
	}
	return c, nil
}

// Place is a record of a topic, or a request in it.
type Place struct {
	Source    string // kafka://host:port/topic, as it was written before the partition; empty if it was not
	Topic     string
	Partition int
	Offset    int64
	Item      int // from 1 in a record that holds several requests, else 0
}

// place is TOPIC/PARTITION:OFFSET or TOPIC/PARTITION:OFFSET:N, with or without
// brokers before it.
var place = regexp.MustCompile(`^((?:kafka://[^/?]*/)?([a-zA-Z0-9._-]+))/([0-9]{1,9}):([0-9]{1,18})(?::([1-9][0-9]{0,8}))?$`)

// ParsePlace reads where a record stands, as messages say it.
func ParsePlace(text string) (p Place, ok bool) {
	m := place.FindStringSubmatch(text)
	if m == nil || len(m[2]) > longestTopic {
		return p, false
	}
	if p.Topic = m[2]; IsTopic(m[1]) {
		p.Source = m[1]
	}
	p.Partition, _ = strconv.Atoi(m[3])
	p.Offset, _ = strconv.ParseInt(m[4], 10, 64)
	p.Item, _ = strconv.Atoi(m[5])
	return p, true
}

// Stream is the name of the stream that the record is in.
func (p *Place) Stream() string { return p.Topic + "/" + strconv.Itoa(p.Partition) }

// What Kafka takes for the name of a topic.
const (
	topicCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	longestTopic    = 249
)

// hide takes what may be a password out of a name that is wrong.
func hide(name string) string {
	if at := strings.LastIndexByte(name, '@'); at >= 0 {
		return scheme + "..." + name[at:]
	}
	return name
}

func parseSpans(text string) ([]Span, error) {
	var spans []Span
	for part := range strings.SplitSeq(text, ",") {
		partition, bounds, bounded := strings.Cut(part, ":")
		from, to, dash := strings.Cut(bounds, "-")
		s := Span{From: -1, To: -1}
		p, err := strconv.ParseInt(partition, 10, 32)
		if err == nil && from != "" {
			s.From, err = strconv.ParseInt(from, 10, 64)
		}
		if err == nil && to != "" {
			s.To, err = strconv.ParseInt(to, 10, 64)
		}
		if err != nil || p < 0 || bounded && !dash {
			return nil, fmt.Errorf("offsets: %q is not PARTITION:FROM-TO", part)
		}
		if s.Partition = int(p); s.To >= 0 && s.To < s.From {
			return nil, fmt.Errorf("offsets: %q ends before it begins", part)
		}
		for _, other := range spans {
			if other.Partition == s.Partition {
				return nil, fmt.Errorf("offsets: partition %d is there twice", p)
			}
		}
		spans = append(spans, s)
	}
	return spans, nil
}

// String is the name of the topic, as Parse reads it.
func (c *Config) String() string { return scheme + strings.Join(c.Brokers, ",") + "/" + c.Topic }

// partition is what messages call a partition.
func (c *Config) partition(index int) string { return c.Topic + "/" + strconv.Itoa(index) }

func (c *Config) maxLine() int { return cmp.Or(c.MaxLine, ingest.DefaultMaxLine) }

func (c *Config) session() time.Duration { return cmp.Or(c.SessionTimeout, 30*time.Second) }

func (c *Config) heartbeat() time.Duration { return cmp.Or(c.Heartbeat, c.session()/10) }

// fail is an error that names the topic. It is never io.EOF, which is how a stream
// ends.
func (c *Config) fail(err error, hint string) error {
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%v: the connection was closed", err) //nolint:errorlint // as above
	}
	return &ingest.Error{Path: c.String(), Err: err, Hint: hint}
}

// memberName is how the brokers call our member of the group: by its state,
// which one process at a time may use.
func (c *Config) memberName() string {
	if c.State == "" {
		return clientID
	}
	return clientID + "-" + c.State
}
