package kafka

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/loopgauge/loopgauge/ingest"
)

// scheme is how the name of a topic begins where logs are named.
const scheme = "kafka://"

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
		if slices.ContainsFunc(spans, func(other Span) bool { return other.Partition == s.Partition }) {
			return nil, fmt.Errorf("offsets: partition %d is there twice", p)
		}
		spans = append(spans, s)
	}
	return spans, nil
}
