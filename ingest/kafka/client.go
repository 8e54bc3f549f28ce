package kafka

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/sasl"
)

const clientID = "loopgauge"

// client speaks to the brokers.
type client struct {
	config    *Config
	addr      net.Addr
	transport *kafka.Transport
	kafka     *kafka.Client
	dialer    *kafka.Dialer // of the group
	speaks    speaks
}

// layoutAge is how old the known layout of the cluster gets: how long it takes
// to follow a partition to its new leader.
const layoutAge = 2 * time.Second

// dialTime is how long a connection may take, until both sides know each other.
const dialTime = 5 * time.Second

func newClient(config *Config) (*client, error) {
	encrypted, err := config.TLS.config()
	if err != nil {
		return nil, config.fail(fmt.Errorf("tls: %w", err), "")
	}
	var mechanism sasl.Mechanism
	if mechanism, err = config.SASL.mechanism(); err != nil {
		return nil, config.fail(fmt.Errorf("sasl: %w", err), "")
	}
	dial := config.dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTime}).DialContext
	}
	bound := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return bounded{conn}, nil
	}
	c := &client{
		config: config,
		addr:   kafka.TCP(config.Brokers...),
		transport: &kafka.Transport{
			Dial: dial, MetadataTTL: layoutAge, MetadataTopics: []string{config.Topic},
			ClientID: clientID, TLS: encrypted, SASL: mechanism,
		},
		dialer: &kafka.Dialer{ClientID: config.memberName(), DialFunc: bound, Timeout: dialTime, TLS: encrypted, SASLMechanism: mechanism},
	}
	c.kafka = &kafka.Client{Addr: c.addr, Timeout: 10 * time.Second, Transport: c.transport}
	return c, nil
}

func (c *client) close() { c.transport.CloseIdleConnections() }

// topicID tells a topic from others of its name. It is zero if the brokers
// tell none, which they do from Kafka 2.8 on.
type topicID [16]byte

// String is the id as marks hold it: hex, empty for none.
func (id topicID) String() string {
	if id == (topicID{}) {
		return ""
	}
	return hex.EncodeToString(id[:])
}

func parseID(text string) (id topicID) {
	_, _ = hex.Decode(id[:], []byte(text[:min(len(text), 2*len(id))])) // a mark of ours is hex
	return id
}

// topic is what the brokers say of the topic now.
type topic struct {
	id         topicID
	partitions int
}

// all are its partitions.
func (t topic) all() []int {
	list := make([]int, t.partitions)
	for i := range list {
		list[i] = i
	}
	return list
}

// speaks is which versions a broker speaks at most.
type speaks struct{ fetch, metadata int16 }

// versions asks what a broker speaks: kafka-go knows, but tells only what it speaks
// too.
func (c *client) versions(ctx context.Context) (s speaks, err error) {
	w, err := c.ask(ctx, protocol.ApiVersions, 0)
	if err != nil {
		return s, err
	}
	if code := w.int16(); code != 0 {
		return s, kafka.Error(code)
	}
	for range w.int32() {
		key, _, newest := w.int16(), w.int16(), w.int16()
		switch protocol.ApiKey(key) {
		case protocol.Fetch:
			s.fetch = newest
		case protocol.Metadata:
			s.metadata = newest
		}
		if w.short {
			return s, errShort
		}
	}
	return s, nil
}

// describe asks what there is of the topic.
func (c *client) describe(ctx context.Context) (topic, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if c.speaks.metadata < idMetadata {
		return c.describeOld(ctx)
	}
	b := []byte{0, 2}                  // no tags, one topic
	b = append(b, make([]byte, 16)...) // by name, not by id
	b = binary.AppendUvarint(b, uint64(len(c.config.Topic))+1)
	b = append(b, c.config.Topic...)
	b = append(b, 0, 0, 0, 0, 0) // no tags; do not create it; no operations; no tags
	w, err := c.ask(ctx, protocol.Metadata, idMetadata, b...)
	if err != nil {
		return topic{}, err
	}
	return readTopic(w)
}

// idMetadata is the first version of the metadata with ids of topics, which kafka-go
// does not ask for.
const idMetadata = 10

// readTopic reads the answer about one topic.
func readTopic(w wire) (t topic, err error) {
	w.tags()
	w.int32() // throttled for
	for range w.count() {
		w.int32() // broker
		w.compact()
		w.int32()
		w.compact()
		if w.tags(); w.short {
			return t, errShort
		}
	}
	w.compact() // cluster
	w.int32()   // controller
	if w.count() < 1 {
		return t, errShort
	}
	code := w.int16()
	w.compact()
	copy(t.id[:], w.bytes(len(t.id)))
	w.bytes(1) // internal
	t.partitions = w.count()
	switch {
	case w.short:
		return topic{}, errShort
	case code != 0:
		return topic{}, kafka.Error(code)
	}
	return t, nil
}

// describeOld asks brokers that do not tell ids.
func (c *client) describeOld(ctx context.Context) (topic, error) {
	res, err := c.kafka.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{c.config.Topic}})
	if err != nil {
		return topic{}, err
	}
	if res.Topics[0].Error != nil {
		return topic{}, res.Topics[0].Error
	}
	return topic{partitions: len(res.Topics[0].Partitions)}, nil
}

// find waits until the brokers tell of the topic.
func (c *client) find(ctx context.Context) (t topic, err error) {
	err = c.insist(ctx, func() (err error) {
		if c.speaks, err = c.versions(ctx); err != nil {
			return err
		}
		t, err = c.describe(ctx)
		return err
	})
	return t, err
}

// offsets asks where partitions stand: at their first record, their end, or a
// time. That of a time after the last record is the end.
func (c *client) offsets(ctx context.Context, timestamp int64, partitions ...int) (found map[int]int64, err error) {
	if found = map[int]int64{}; timestamp >= 0 { // asked for first: what is written meanwhile is behind it
		if found, err = c.offsets(ctx, kafka.LastOffset, partitions...); err != nil {
			return nil, err
		}
	}
	list := make([]kafka.OffsetRequest, len(partitions))
	for i, p := range partitions {
		list[i] = kafka.OffsetRequest{Partition: p, Timestamp: timestamp}
	}
	res, err := c.kafka.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{c.config.Topic: list}})
	if err != nil {
		return nil, err
	}
	for _, p := range res.Topics[c.config.Topic] {
		if p.Error != nil {
			return nil, p.Error
		}
		switch timestamp {
		case kafka.FirstOffset:
			found[p.Partition] = p.FirstOffset
		case kafka.LastOffset:
			found[p.Partition] = p.LastOffset
		default:
			if len(p.Offsets) == 0 {
				return nil, errors.New("the brokers do not say where all partitions stand")
			}
			for offset := range p.Offsets { // one, -1 for none: the key is the offset, the value the time
				if offset >= 0 {
					found[p.Partition] = offset
				}
			}
		}
	}
	return found, nil
}

// millis is a time as brokers are asked for it. Of those below 0 each asks for
// something else, or is refused.
func millis(t time.Time) int64 { return max(0, t.UnixMilli()) }
