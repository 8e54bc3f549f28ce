package kafka

import (
	"regexp"
	"strconv"
)

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
